// The embedded server's parent: starts it, ends it in an orderly way when nobody has used it for a while, reaps it and
// ends with it. Started by storage/embedded/server_control.cpp; see docs/operations/embedded.md.
//
//     steelyard_keeper LOCK USED SOCKETS SERVER_PROGRAM ARGUMENTS...
//
// LOCK and USED are numbers of open descriptors: the file whose lock whoever starts the server holds, and the file that
// every command writes before it connects: how long the server may stay unused, in milliseconds; 0: for ever. SOCKETS
// is the folder that goes with the server where that is empty and nobody holds it; empty: none. It needs no other path
// and no right but that to signal its child. It dies by no signal but SIGKILL before the server has ended; and where it
// is killed the kernel asks the server to end (PR_SET_PDEATHSIG), so that none is left without a keeper.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <initializer_list>

namespace {

constexpr int64_t kMsPerSecond = 1000;
constexpr int64_t kNsPerMs = 1'000'000;
// Looking costs some twenty system calls. Ten times in the allowed time, so that it is kept to within a tenth.
constexpr int64_t kLongestPauseMs = 5'000;
constexpr int64_t kShortestPauseMs = 50;
// A client that came between our last look and our request may end its work; then its link is cut, and it starts the
// server again.
constexpr int64_t kGraceMs = 10'000;
constexpr int64_t kOrderlyEndMs = 60'000;

struct Orders {
  int lock = -1;
  int used = -1;
  const char* sockets = "";
  char** server = nullptr;  // its program and arguments
};

int64_t now_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * kMsPerSecond + now.tv_nsec / kNsPerMs;
}

void say(const char* what) { dprintf(STDERR_FILENO, "steelyard: %s\n", what); }

sigset_t our_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT}) sigaddset(&set, number);
  return set;
}

[[noreturn]] void become_server(const Orders& orders, pid_t keeper) {
  // The lock is the keeper's: a server that shared it would hold it for as long as it lives.
  close(orders.lock);
  close(orders.used);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  // SIGINT asks PostgreSQL for an orderly end.
  if (prctl(PR_SET_PDEATHSIG, SIGINT) == 0 && getppid() == keeper) {
    execv(orders.server[0], orders.server);
    dprintf(STDERR_FILENO, "steelyard: cannot start %s: %s\n", orders.server[0], strerror(errno));
  }
  _exit(127);
}

// Up to `capacity` - 1 bytes, ended by a zero. -1: no such file.
ssize_t read_text(const char* path, char* text, size_t capacity) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  size_t size = 0;
  for (ssize_t count = 1; count > 0 && size < capacity - 1; size += static_cast<size_t>(count > 0 ? count : 0)) {
    count = read(file, text + size, capacity - 1 - size);
  }
  close(file);
  text[size] = '\0';
  return static_cast<ssize_t>(size);
}

// "postgres: steelyard steelyard [local] idle". One that has no title yet has been forked this moment, for a client.
bool is_client(const char* process) {
  char path[64];
  char title[512];
  snprintf(path, sizeof path, "/proc/%s/cmdline", process);
  if (read_text(path, title, sizeof title) <= 0) return false;
  constexpr const char* kTitled = "postgres: ";
  return strncmp(title, kTitled, strlen(kTitled)) != 0 || strstr(title, "[local]") != nullptr;
}

// Where the system does not tell the server's children, the server is taken to have clients for ever.
bool has_clients(pid_t server) {
  char path[64];
  char children[4096];
  snprintf(path, sizeof path, "/proc/%d/task/%d/children", server, server);
  if (read_text(path, children, sizeof children) < 0) return true;
  char* rest = nullptr;
  for (char* child = strtok_r(children, " \n", &rest); child != nullptr; child = strtok_r(nullptr, " \n", &rest)) {
    if (is_client(child)) return true;
  }
  return false;
}

struct Use {
  timespec changed{};
  int64_t allowed_ms = 0;
};
Use read_use(int file) {
  Use use;
  struct stat status {};
  char text[32] = {};
  if (fstat(file, &status) == 0) use.changed = status.st_mtim;
  if (pread(file, text, sizeof text - 1, 0) > 0) use.allowed_ms = strtoll(text, nullptr, 10);
  return use;
}
bool same_moment(const timespec& a, const timespec& b) { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

// As remove_socket_folder() does.
void remove_folder(const char* folder) {
  const int opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (opened < 0) return;
  if (flock(opened, LOCK_EX | LOCK_NB) == 0) rmdir(folder);
  close(opened);
}

class Keeper {
 public:
  Keeper(const Orders& orders, pid_t server) : orders_(orders), server_(server) {}

  int keep() {
    int64_t last_used = now_ms();
    Use use = read_use(orders_.used);
    for (;;) {
      if (wait_for_end(pause_for(use.allowed_ms))) return 0;
      const Use seen = read_use(orders_.used);
      if (!same_moment(seen.changed, use.changed) || has_clients(server_)) last_used = now_ms();
      use = seen;
      if (use.allowed_ms <= 0 || now_ms() - last_used < use.allowed_ms) continue;
      if (flock(orders_.lock, LOCK_EX | LOCK_NB) != 0) continue;  // someone is about to use it
      // A command writes the file before it connects: what we do not see here comes after our request, waits for the
      // lock and starts the server again.
      if (same_moment(read_use(orders_.used).changed, use.changed) && !has_clients(server_)) {
        say("nobody has used the server for as long as it may stay unused; it ends");
        end();
        remove_folder(orders_.sockets);
        return 0;  // which gives the lock back
      }
      flock(orders_.lock, LOCK_UN);
    }
  }

 private:
  static int64_t pause_for(int64_t allowed_ms) {
    const int64_t pause = allowed_ms <= 0 ? kLongestPauseMs : allowed_ms / 10;
    return pause < kShortestPauseMs ? kShortestPauseMs : pause > kLongestPauseMs ? kLongestPauseMs : pause;
  }

  // True once the server has ended.
  bool has_ended() const {
    const pid_t reaped = waitpid(server_, nullptr, WNOHANG);
    return reaped == server_ || (reaped < 0 && errno == ECHILD);
  }

  // Whether it has ended within the time. Who asks us to end means the server.
  bool wait_for_end(int64_t time_ms) const {
    const sigset_t ours = our_signals();
    const int64_t deadline = now_ms() + time_ms;
    for (;;) {
      if (has_ended()) return true;
      const int64_t left = deadline - now_ms();
      if (left <= 0) return false;
      const timespec pause{left / kMsPerSecond, left % kMsPerSecond * kNsPerMs};
      const int number = sigtimedwait(&ours, nullptr, &pause);
      if (number == SIGTERM || number == SIGINT) kill(server_, SIGINT);
      if (number == SIGQUIT) kill(server_, SIGQUIT);
    }
  }

  void end() const {
    // SIGTERM: no new connections, wait for the old ones. SIGINT: cut those. SIGQUIT: at once, recovery later.
    kill(server_, SIGTERM);
    if (wait_for_end(kGraceMs)) return;
    kill(server_, SIGINT);
    if (wait_for_end(kOrderlyEndMs)) return;
    kill(server_, SIGQUIT);
    while (!wait_for_end(kOrderlyEndMs)) kill(server_, SIGKILL);
  }

  Orders orders_;
  pid_t server_;
};

}  // namespace

int main(int count, char** arguments) {
  constexpr int kMinArguments = 5;
  if (count < kMinArguments) {
    say("steelyard_keeper is started by steelyard and not by hand");
    return 3;
  }
  const Orders orders{atoi(arguments[1]), atoi(arguments[2]), arguments[3], arguments + 4};
  const sigset_t ours = our_signals();
  sigprocmask(SIG_BLOCK, &ours, nullptr);
  const pid_t keeper = getpid();
  // By itself: the keeper stays beside the server for its life, and links nothing of ours.
  const pid_t server = fork();
  if (server < 0) {
    dprintf(STDERR_FILENO, "steelyard: cannot start a process: %s\n", strerror(errno));
    return 1;
  }
  if (server == 0) become_server(orders, keeper);
  return Keeper(orders, server).keep();
}

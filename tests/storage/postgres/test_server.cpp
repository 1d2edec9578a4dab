#include "tests/storage/postgres/test_server.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "storage/embedded/cluster.hpp"
#include "storage/embedded/server_programs.hpp"
#include "storage/postgres/session.hpp"

#if defined(__SANITIZE_ADDRESS__)
// libpqxx 6.4 does not free the server's last answer when it throws because the link is gone.
extern "C" const char* __lsan_default_suppressions() { return "leak:libpqxx-6"; }
#endif

namespace steelyard::storage_test {
namespace {

namespace fs = std::filesystem;

void remove_states(const fs::path& root) {
  std::error_code trouble;
  for (const auto& entry : fs::directory_iterator(root, trouble)) {
    [[maybe_unused]] const auto stopped = stop_embedded(entry.path());
  }
  fs::remove_all(root, trouble);
}

// The folder of all state folders. A child of ours waits for our end, orderly or not, and then cleans up.
class StateRoot {
 public:
  StateRoot() {
    std::string pattern = "/tmp/steelyard-test-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot create " + pattern);
    path_ = pattern;
    chmod(path_.c_str(), 0755);
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("cannot open a pipe");
    watcher_ = fork();
    if (watcher_ == 0) {
      setsid();
      close(ends[1]);
      char byte = 0;
      while (read(ends[0], &byte, 1) > 0) {
      }
      remove_states(path_);
      _exit(0);
    }
    close(ends[0]);
    alive_ = ends[1];
  }
  ~StateRoot() {
    close(alive_);
    waitpid(watcher_, nullptr, 0);
  }
  StateRoot(const StateRoot&) = delete;
  StateRoot& operator=(const StateRoot&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
  pid_t watcher_ = -1;
  int alive_ = -1;
};

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().text());
  return std::move(result).value();
}

}  // namespace

fs::path fresh_state_folder() {
  static const StateRoot root;
  static int number = 0;
  const fs::path folder = root.path() / ("state" + std::to_string(++number));
  fs::create_directory(folder);
  return folder;
}

fs::path server_state() {
  static const fs::path state = fresh_state_folder();
  return state;
}

std::optional<std::string> fresh_database() {
  if (find_server_programs().empty()) return std::nullopt;
  const EmbeddedServer server = must(ensure_embedded_running(server_state()));
  static int number = 0;
  Session session = must(Session::connect(server.url, "test"));
  const auto run = [&session](const std::string& statement) {
    if (const auto done = session.run_alone(statement); !done) throw std::runtime_error(done.error().text());
  };
  // The test before is over; what it leaves behind would have to be flushed to the disk at the end.
  if (number > 0) run("drop database test" + std::to_string(number) + " with (force)");
  const std::string name = "test" + std::to_string(++number);
  run("create database " + name);
  const std::size_t at = server.url.find("/steelyard?");
  return server.url.substr(0, at) + "/" + name + server.url.substr(at + std::string("/steelyard").size());
}

Store fresh_store() { return must(Store::open({false, fresh_database().value()}, fresh_state_folder())); }

}  // namespace steelyard::storage_test

#include "bench/doctor/settings_guard.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>

namespace steelyard::bench {
namespace {

std::filesystem::path journal_file(const GuardPlaces& places) { return places.folder / "journal"; }

Result<Descriptor> take_lock(const GuardPlaces& places) {
  std::error_code failure;
  std::filesystem::create_directories(places.folder, failure);
  if (failure) {
    return input_error(places.folder.string(), failure.message(), "a folder for the journal of changed settings",
                       "set STEELYARD_STATE to one that can be written");
  }
  const std::filesystem::path file = places.folder / "lock";
  Descriptor lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock.is_open()) return input_error(file.string(), std::strerror(errno), "a lock that can be taken");
  if (::flock(lock.number(), LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno != EWOULDBLOCK) {
    return input_error(file.string(), std::strerror(errno), "a lock that can be taken",
                       "set STEELYARD_STATE to a folder on a disk of this machine");
  }
  std::string holder = "another steelyard doctor --fix";
  const auto journal = read_journal(journal_file(places));
  if (journal && *journal) holder += " (process " + std::to_string((*journal)->process) + ")";
  return input_error(places.folder.string(), holder + " that holds the settings", "none",
                     "wait for its end; the settings stay as it set them until then");
}

// What an earlier guard left. The lock is held: whoever wrote that journal is gone.
Result<RestoreOutcome> restore_journal(const GuardPlaces& places) {
  STEELYARD_TRY(const std::optional<ChangeJournal> journal, read_journal(journal_file(places)));
  if (!journal) return RestoreOutcome{};
  if (std::filesystem::path(journal->root) != places.root) {
    return input_error(journal_file(places).string(), "a journal of the settings under " + journal->root,
                       "one of those under " + places.root.string(),
                       "steelyard doctor --restore --root " + journal->root);
  }
  RestoreOutcome outcome = restore(*journal);
  std::error_code ignored;
  if (outcome.failed.empty()) std::filesystem::remove(journal_file(places), ignored);
  return outcome;
}

// Nothing that ends its parent may end the watchdog: neither Ctrl-C nor a signal to the parent's group or session.
void detach_from_parent() {
  ::setsid();
  struct sigaction ignore = {};
  ignore.sa_handler = SIG_IGN;
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP}) ::sigaction(number, &ignore, nullptr);
  ::prctl(PR_SET_NAME, "steelyard-watch");  // 15 characters at most
  ::prctl(PR_SET_PDEATHSIG, 0);
  // A pipe that the parent writes to must end with the parent and its command, not with the watchdog.
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int number = 0; number <= 2 && nothing >= 0; ++number) ::dup2(nothing, number);
}

constexpr int kAllRestored = 0;
constexpr int kSomethingLeft = 1;  // the parent looks for itself, and says what

[[noreturn]] void watch(int order, const GuardPlaces& places, const ChangeJournal& journal) {
  detach_from_parent();
  char nothing = 0;
  while (::read(order, &nothing, 1) < 0 && errno == EINTR) {
  }
  const RestoreOutcome outcome = restore(journal);
  if (!outcome.failed.empty() || !outcome.left.empty()) ::_exit(kSomethingLeft);
  ::_exit(::unlink(journal_file(places).c_str()) == 0 ? kAllRestored : kSomethingLeft);
}

}  // namespace

Result<void> SettingsGuard::start_watchdog(const ChangeJournal& journal) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return program_error("doctor", std::strerror(errno), "a pipe to a watchdog");
  const Descriptor waiting(ends[0]);
  order_ = Descriptor(ends[1]);
  // No program is started: the watchdog is this one, which knows what was changed and outlives us.
  watchdog_ = ::fork();
  if (watchdog_ == 0) {
    order_.close();
    watch(waiting.number(), places_, journal);  // it holds the lock by its copy of the descriptor
  }
  if (watchdog_ < 0) return program_error("doctor", std::strerror(errno), "a process to restore the settings");
  return {};
}

Result<SettingsGuard> SettingsGuard::take(const GuardPlaces& places) {
  SettingsGuard guard(places);
  STEELYARD_TRY(guard.lock_, take_lock(places));
  STEELYARD_TRY(guard.left_over_, restore_journal(places));
  if (!guard.left_over_.failed.empty()) {
    return input_error(journal_file(places).string(), guard.left_over_.failed.front(),
                       "settings as they were before the last --fix", "run steelyard doctor --restore as root");
  }
  const ChangeJournal journal{places.root.string(), ::getpid(), plan_changes(places.root)};
  if (journal.changes.empty()) return guard;
  STEELYARD_CHECK(write_journal(journal_file(places), journal));
  STEELYARD_CHECK(guard.start_watchdog(journal));
  for (const SettingChange& change : journal.changes) {
    const Result<void> written = write_setting(places.root, change.file, change.after);
    if (written) {
      guard.changed_.push_back(change);
    } else {
      guard.refused_.push_back({change, written.error().text()});
    }
  }
  return guard;
}

GuardReport SettingsGuard::finish() {
  GuardReport report;
  if (!lock_.is_open()) return report;
  order_.close();
  int status = 0;
  pid_t ended = -1;
  if (watchdog_ > 0) {
    do {
      ended = ::waitpid(watchdog_, &status, 0);
    } while (ended < 0 && errno == EINTR);
  }
  const bool all_restored = ended == watchdog_ && WIFEXITED(status) && WEXITSTATUS(status) == kAllRestored;
  if (watchdog_ > 0 && !all_restored) {
    // Something was left, or the watchdog itself was killed: once more, from here.
    Result<RestoreOutcome> outcome = restore_journal(places_);
    if (outcome) {
      report.left = std::move(outcome->left);
      report.failed = std::move(outcome->failed);
    } else {
      report.failed.push_back(outcome.error().text());
    }
  }
  watchdog_ = -1;
  lock_.close();
  return report;
}

SettingsGuard::~SettingsGuard() { finish(); }

Result<RestoreOutcome> restore_left_over(const GuardPlaces& places) {
  STEELYARD_TRY(const Descriptor lock, take_lock(places));
  return restore_journal(places);
}

}  // namespace steelyard::bench

#include "storage/embedded/server_control.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <thread>

#include "bench/model/quantity.hpp"
#include "bench/model/text.hpp"
#include "storage/embedded/server_process.hpp"
#include "storage/place/files.hpp"
#include "storage/place/store_address.hpp"
#include "storage/postgres/access/roles.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

// Recovery after kill -9 replays at most max_wal_size; on a slow disk that is a minute.
constexpr std::chrono::minutes kLongestStart{3};
constexpr std::chrono::minutes kLongestStop{1};
constexpr std::chrono::milliseconds kPause{20};
constexpr std::chrono::milliseconds kNoPatience{0};
// A log that nobody reads must not fill the disk.
constexpr std::uintmax_t kLongestLog = 1 << 20;
constexpr mode_t kLockMode = S_IRUSR | S_IWUSR;
constexpr std::size_t kLastWords = 400;
// Whatever a server that fails for days has written, no more of it is read.
constexpr std::streamoff kLogTail = 8 << 10;

std::string quoted_setting(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + '"';
}

// On the command line and not in the data folder: as root we write nothing into a folder of another user, and every
// start has the settings of the program that starts it.
std::vector<std::string> server_command(const ClusterLayout& layout, const ServerPrograms& programs) {
  std::vector<std::string> command{(programs.folder / "postgres").string(), "-D", layout.data().string()};
  const auto set = [&command](const std::string& setting) {
    command.emplace_back("-c");
    command.push_back(setting);
  };
  set("listen_addresses=");
  set("port=5432");
  set("unix_socket_directories=" + quoted_setting(layout.socket_folder().string()));
  set("unix_socket_permissions=0700");
  set("hba_file=" + layout.access_rules().string());
  set("fsync=on");
  set("synchronous_commit=on");
  set("full_page_writes=on");
  // One machine's commands: few connections, little memory while idle. No replication, so the shortest log.
  // 40, and the 3 that PostgreSQL keeps for a superuser, which daily work is not.
  set("max_connections=43");
  set("shared_buffers=24MB");
  set("max_wal_size=256MB");
  set("wal_level=minimal");
  set("max_wal_senders=0");
  set("max_logical_replication_workers=0");
  set("autovacuum=on");
  set("jit=off");
  set("timezone=UTC");
  set("log_timezone=UTC");
  set("logging_collector=off");
  std::error_code trouble;
  // A minimal root or container may have no /dev/shm.
  if (!fs::is_directory("/dev/shm", trouble)) set("dynamic_shared_memory_type=mmap");
  return command;
}

// The number that initdb gave a cluster, the beginning of its control file. Empty where it cannot be read.
std::string cluster_number(const ClusterLayout& layout) {
  std::ifstream control(layout.data() / "global/pg_control", std::ios::binary);
  std::uint64_t number = 0;
  std::array<char, sizeof number> bytes{};
  if (!control.read(bytes.data(), bytes.size())) return "";
  std::memcpy(&number, bytes.data(), sizeof number);
  return std::to_string(number);
}

// Another cluster may lie there than the one that was given it.
bool has_password(const ClusterLayout& layout) {
  std::error_code trouble;
  std::string noted;
  std::ifstream note(layout.password_note());
  return std::getline(note, noted) && noted == cluster_number(layout) && fs::exists(layout.password_file(), trouble);
}

Error cannot_write(const fs::path& file, const std::string& why) {
  return store_error("embedded store " + file.string(), "cannot be written: " + why, "",
                     "fix that, or set STEELYARD_STATE to a folder on another disk");
}

// Beside the data folder and not in it, for the same reason as the settings. The server's account reads it.
Result<void> write_access_rules(const ClusterLayout& layout) {
  const std::string rules = std::string("# Written by steelyard at each start.\nlocal all steelyard ") +
                            (has_password(layout) ? "scram-sha-256" : "trust") + "\nlocal all " +
                            std::string(kDailyLogin) + " scram-sha-256\nlocal all all trust\n";
  const Result<void> written = write_file(layout.access_rules(), rules);
  if (!written) return cannot_write(layout.access_rules(), written.error().found);
  constexpr mode_t kReadable = S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH;
  if (chmod(layout.access_rules().c_str(), kReadable) != 0)
    return cannot_write(layout.access_rules(), std::strerror(errno));
  return {};
}

std::optional<std::string> random_word() {
  constexpr std::size_t kBytes = 32;
  std::array<char, kBytes> drawn{};
  if (getrandom(drawn.data(), drawn.size(), 0) != static_cast<ssize_t>(drawn.size())) return std::nullopt;
  return hex_text({drawn.data(), drawn.size()});
}

// The one of the login that lies there, else a new one, for `reader` alone.
Result<std::string> kept_password(const fs::path& file, std::string_view login, const ServerAccount& reader) {
  const std::string words = "*:*:*:" + std::string(login) + ':';  // host, port, database, user
  std::ifstream existing(file);
  if (std::string line; std::getline(existing, line) && line.size() > words.size()) return line.substr(words.size());
  const std::optional<std::string> word = random_word();
  if (!word) return cannot_write(file, std::strerror(errno));
  std::error_code trouble;
  fs::remove(file, trouble);
  const FileDescriptor made(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kLockMode));
  const std::string line = words + *word + '\n';
  const bool is_whole = made && ::write(made.number(), line.data(), line.size()) == static_cast<ssize_t>(line.size()) &&
                        (!reader.must_switch || ::fchown(made.number(), reader.user, reader.group) == 0) &&
                        ::fsync(made.number()) == 0;
  if (!is_whole) return cannot_write(file, std::strerror(errno));
  return *word;
}

std::optional<pid_t> noted_process(const ClusterLayout& layout) {
  std::ifstream file(layout.data() / "postmaster.pid");
  pid_t process = 0;
  if (!(file >> process) || process <= 1) return std::nullopt;
  return process;
}

bool is_server(const ClusterLayout& layout, pid_t process) {
  return runs_with_argument(process, layout.data().string());
}

// PostgreSQL refuses to start while the noted id exists, even as a zombie or as another program that got the same id.
// Precondition: we hold the server's lock, so that nothing of an earlier server is left.
void remove_misleading_notes(const ClusterLayout& layout) {
  const auto process = noted_process(layout);
  if (!process || (kill(*process, 0) != 0 && errno == ESRCH) || is_server(layout, *process)) return;
  std::error_code trouble;  // what cannot be removed, the server will name
  fs::remove(layout.data() / "postmaster.pid", trouble);
  fs::remove(layout.socket_folder() / ".s.PGSQL.5432.lock", trouble);
}

// Without a keeper's program, or with a lock file that cannot be opened twice, the server runs until it is stopped.
Result<void> start_with_keeper(const ClusterLayout& layout, const ServerAccount& account,
                               std::vector<std::string> server, int server_lock) {
  const FileDescriptor program = open_keeper_program();
  // Opened by us, since the server's account may write nothing in our home. The lock through a descriptor of its own: a
  // lock belongs to what was opened, and ours may be held now.
  const FileDescriptor lock(::open(layout.start_lock().c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kLockMode));
  const FileDescriptor use(::open(layout.use_note().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  DetachedProgram detached{std::move(server), layout.log(), {server_lock}, -1};
  if (program && lock && use) {
    const std::vector<std::string> keeper{"steelyard_keeper", std::to_string(lock.number()),
                                          std::to_string(use.number()),
                                          layout.has_sockets_outside() ? layout.socket_folder().string() : ""};
    detached.command.insert(detached.command.begin(), keeper.begin(), keeper.end());
    detached.kept_descriptors = {server_lock, lock.number(), use.number()};
    detached.opened_program = program.number();
  }
  STEELYARD_CHECK(start_detached(account, detached));
  return {};
}

Error did_not_start(const ClusterLayout& layout, const std::string& why) {
  return store_error("embedded store " + layout.data().string(), "the server did not start: " + why, "",
                     "see " + layout.log().string() + ", or set STEELYARD_STORE to a postgresql:// address");
}

// Until it answers or has ended.
Result<void> wait_until_ready(const ClusterLayout& layout, steady_clock::time_point deadline) {
  while (steady_clock::now() < deadline) {
    if (answers(layout, "postgres")) return {};
    STEELYARD_TRY(const auto lock, FileLock::take(layout.server_lock(), kNoPatience));
    const auto process = noted_process(layout);
    if (lock && !(process && is_server(layout, *process))) return did_not_start(layout, last_lines_of(layout.log()));
    std::this_thread::sleep_for(kPause);
  }
  return did_not_start(layout, "it does not answer");
}

}  // namespace

bool answers(const ClusterLayout& layout, const std::string& database) {
  // A folder of someone else is not ours to talk to.
  const Result<std::string> url = layout.url(database);
  return url && Session::connect(*url, "embedded");
}

bool answers_daily_work(const ClusterLayout& layout) {
  const Result<std::string> url = layout.daily_url();
  return url && Session::connect(*url, "embedded");
}

Result<void> start_server(const ClusterLayout& layout, const ServerPrograms& programs, const ServerAccount& account) {
  const auto deadline = steady_clock::now() + kLongestStart;
  while (steady_clock::now() < deadline) {
    if (answers(layout, "postgres")) return {};
    STEELYARD_TRY(const auto lock, FileLock::take(layout.server_lock(), kPause));
    const auto process = noted_process(layout);
    // Held: it is starting, or orphans of a dead one are ending. Without the lock: someone started it by hand.
    if (!lock || (process && is_server(layout, *process))) {
      std::this_thread::sleep_for(kPause);
      continue;
    }
    remove_misleading_notes(layout);
    std::error_code trouble;
    if (const auto size = fs::file_size(layout.log(), trouble); !trouble && size > kLongestLog) {
      fs::remove(layout.log(), trouble);
    }
    STEELYARD_CHECK(write_access_rules(layout));
    STEELYARD_CHECK(start_with_keeper(layout, account, server_command(layout, programs), lock->descriptor()));
    break;
  }
  return wait_until_ready(layout, deadline);
}

Result<void> make_database(const ClusterLayout& layout) {
  STEELYARD_TRY(const std::string url, layout.url("postgres"));
  STEELYARD_TRY(Session session, Session::connect(url, "embedded"));
  {
    STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
    STEELYARD_TRY(const Rows rows, transaction.run("select 1 from pg_database where datname = 'steelyard'"));
    if (rows.size() > 0) return {};
  }
  return session.run_alone("create database steelyard");
}

Result<void> close_superuser(const ClusterLayout& layout, const ServerAccount& account) {
  if (has_password(layout)) return {};
  // The server's account reads it, too: its programs that dump and restore need it.
  STEELYARD_TRY(const std::string password, kept_password(layout.password_file(), "steelyard", account));
  STEELYARD_TRY(const std::string url, layout.url("postgres"));
  STEELYARD_TRY(Session session, Session::connect(url, "embedded"));
  STEELYARD_CHECK(session.run_alone("alter role steelyard password '" + password + "'"));
  const Result<void> noted = write_file(layout.password_note(), cluster_number(layout) + '\n');
  if (!noted) return cannot_write(layout.password_note(), noted.error().found);
  STEELYARD_CHECK(write_access_rules(layout));
  return session.run_alone("select pg_reload_conf()");
}

Result<void> make_daily_login(const ClusterLayout& layout) {
  if (answers_daily_work(layout)) return {};
  const std::string login(kDailyLogin);
  STEELYARD_TRY(const std::string password, kept_password(layout.daily_password_file(), login, current_account()));
  STEELYARD_TRY(const std::string url, layout.url("postgres"));
  STEELYARD_TRY(Session session, Session::connect(url, "embedded"));
  STEELYARD_CHECK(create_roles(session));
  return session.run_alone("do $$ begin if not exists (select from pg_roles where rolname = '" + login +
                           "') then create role " + login + "; end if; alter role " + login +
                           " login inherit nosuperuser nocreaterole nocreatedb noreplication nobypassrls password '" +
                           password + "'; grant " + std::string(kWriterRole) + " to " + login + "; end $$");
}

Result<bool> stop_server(const ClusterLayout& layout) {
  const auto process = noted_process(layout);
  if (!process || !is_server(layout, *process)) return false;
  // SIGINT: no new connections, open transactions rolled back, then a checkpoint. SIGQUIT: at once, recovery later.
  for (const int request : {SIGINT, SIGQUIT}) {
    if (kill(*process, request) != 0 && errno != ESRCH) {
      return store_error("embedded store " + layout.data().string(),
                         "cannot end the server: " + std::string(std::strerror(errno)), "",
                         "run this as the user that started it, or as root");
    }
    const auto deadline = steady_clock::now() + kLongestStop;
    while (steady_clock::now() < deadline) {
      STEELYARD_TRY(const auto lock, FileLock::take(layout.server_lock(), kNoPatience));
      const bool has_ended = !is_server(layout, *process);
      const auto next = noted_process(layout);
      // Another command has started it again, and that one holds the lock.
      if (has_ended && next && *next != *process && is_server(layout, *next)) return true;
      if (has_ended && lock) {
        // Whoever is starting it again needs the folder.
        const auto starting = FileLock::take(layout.start_lock(), kNoPatience);
        if (starting && *starting) remove_socket_folder(layout);
        return true;
      }
      std::this_thread::sleep_for(kPause);
    }
  }
  return store_error("embedded store " + layout.data().string(), "the server does not end", "",
                     "end process " + std::to_string(*process));
}

std::string last_lines(std::string_view output) {
  const std::string line = one_line_without_secrets(
      output.size() > kLastWords ? output.substr(output.size() - kLastWords) : output, "postgresql://");
  return line.empty() ? "it said nothing" : line;
}

std::string last_lines_of(const fs::path& log) {
  std::ifstream file(log, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? std::streamoff(file.tellg()) : 0;
  std::string text(static_cast<std::size_t>(std::clamp<std::streamoff>(size, 0, kLogTail)), '\0');
  file.seekg(size - static_cast<std::streamoff>(text.size()));
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return last_lines(text);
}

namespace {

constexpr mode_t kMode = S_IRUSR | S_IWUSR;
// Every text of it is as long as the others, so that one write replaces it.
constexpr std::size_t kDigits = 19;

}  // namespace

Result<std::chrono::milliseconds> allowed_idle_time() {
  const char* const value = std::getenv(kIdleVariable);
  if (value == nullptr || *value == '\0') return kUsualIdleTime;
  const std::string text(value);
  if (text == "0") return std::chrono::milliseconds(0);
  const Result<Nanoseconds> duration = parse_duration(text, kIdleVariable);
  if (!duration) {
    Error why = duration.error();
    return store_error(why.where, why.found, why.wanted + ", or 0 for a server that does not end by itself", why.fix);
  }
  if (duration->count() <= 0) return std::chrono::milliseconds(0);
  return std::chrono::milliseconds(std::max<std::int64_t>(1, static_cast<std::int64_t>(duration->count() / 1e6)));
}

void note_use(const ClusterLayout& layout, std::chrono::milliseconds allowed) {
  const FileDescriptor file(::open(layout.use_note().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kMode));
  if (!file) return;
  const std::string number = std::to_string(allowed.count());
  const std::string text = std::string(kDigits - std::min(number.size(), kDigits), '0') + number + '\n';
  [[maybe_unused]] const ssize_t written = ::pwrite(file.number(), text.data(), text.size(), 0);
}

FileDescriptor open_keeper_program() {
  std::error_code trouble;
  const std::filesystem::path ourselves = std::filesystem::read_symlink("/proc/self/exe", trouble);
  if (trouble) return FileDescriptor();
  const std::filesystem::path program = ourselves.parent_path() / "../lib/steelyard/steelyard_keeper";
  return FileDescriptor(::open(program.c_str(), O_RDONLY | O_CLOEXEC));
}

}  // namespace steelyard::storage

#include "tests/storage/postgres/test_cluster.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "storage/embedded/server_process.hpp"
#include "storage/postgres/session/session.hpp"
#include "tests/must.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::storage_test {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

constexpr std::chrono::minutes kLongestStart{1};
constexpr std::chrono::seconds kLongestStop{20};
constexpr std::chrono::milliseconds kPause{10};
constexpr const char* kProcessNote = "process";

using testkit::must;

storage::ServerAccount account() { return must(storage::account_for_server()); }

// A folder that the server's account owns.
fs::path folder_for_server() {
  static int number = 0;
  const fs::path folder = fresh_state_folder() / ("server" + std::to_string(++number));
  fs::create_directory(folder);
  const storage::ServerAccount owner = account();
  if (owner.must_switch && chown(folder.c_str(), owner.user, owner.group) != 0) {
    throw std::runtime_error("cannot give " + folder.string() + " to " + owner.name);
  }
  return folder;
}

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path.string());
  fs::permissions(path, fs::perms::others_read | fs::perms::group_read, fs::perm_options::add);
}

std::string url_at(const fs::path& socket, const std::string& database) {
  return "postgresql://steelyard@/" + database + "?host=" + socket.string() + "&port=5432&sslmode=disable&options=";
}

void wait_for_answer(const std::string& url, const fs::path& log) {
  const auto deadline = steady_clock::now() + kLongestStart;
  while (!storage::Session::connect(url, "test")) {
    if (steady_clock::now() > deadline) throw std::runtime_error("no answer at " + url + "; see " + log.string());
    std::this_thread::sleep_for(kPause);
  }
}

// At once: nothing of what is thrown away has to reach the disk.
void end_process(pid_t process, const std::string& argument) {
  for (const int request : {SIGQUIT, SIGKILL}) {
    if (!storage::runs_with_argument(process, argument)) return;
    kill(process, request);
    const auto deadline = steady_clock::now() + kLongestStop;
    while (storage::runs_with_argument(process, argument) && steady_clock::now() < deadline)
      std::this_thread::sleep_for(kPause);
  }
}

bool has_citus(const fs::path& programs) {
  const fs::path base = programs.parent_path();
  for (const fs::path& library : {base / "lib" / "citus.so", base / "lib" / "postgresql" / "citus.so"}) {
    if (fs::exists(library)) return true;
  }
  return false;
}

}  // namespace

std::optional<fs::path> citus_programs() {
  if (const char* folder = std::getenv("STEELYARD_TESTS_CITUS"); folder != nullptr && has_citus(folder)) return folder;
  for (const storage::ServerPrograms& programs : storage::find_server_programs()) {
    if (has_citus(programs.folder)) return programs.folder;
  }
  return std::nullopt;
}

std::optional<fs::path> pooler_program() {
  for (const char* path : {"/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"}) {
    if (access(path, X_OK) == 0) return path;
  }
  return std::nullopt;
}

TestProcess::TestProcess(std::vector<std::string> command, const fs::path& folder) : mark_(command.back()) {
  process_ = must(storage::start_detached(account(), {std::move(command), folder / "log"}));
  // For end_strays().
  std::ofstream(folder / kProcessNote) << process_ << ' ' << mark_ << '\n';
}
TestProcess::~TestProcess() { end_process(process_, mark_); }

TestCluster::TestCluster(const fs::path& programs, const std::vector<std::string>& settings)
    : folder_(folder_for_server()) {
  const fs::path data = folder_ / "data";
  const storage::ProgramAnswer made =
      must(storage::run_program(account(), {(programs / "initdb").string(), "-D", data.string(), "-U", "steelyard",
                                            "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync"}));
  if (made.status != 0) throw std::runtime_error("initdb: " + made.output);
  std::vector<std::string> command{(programs / "postgres").string(), "-D", data.string()};
  std::vector<std::string> all{"listen_addresses=", "port=5432", "fsync=off", "jit=off", "timezone=UTC"};
  all.insert(all.end(), settings.begin(), settings.end());
  for (const std::string& setting : all) {
    command.emplace_back("-c");
    command.push_back(setting);
  }
  command.emplace_back("-k");
  command.push_back(folder_.string());
  server_.emplace(std::move(command), folder_);
  wait_for_answer(url("postgres"), folder_ / "log");
}
std::string TestCluster::url(const std::string& database) const { return url_at(folder_, database); }
std::string TestCluster::node() const { return folder_.string() + ":5432"; }

TestPooler::TestPooler(const fs::path& program, const fs::path& server_socket, int connections)
    : folder_(folder_for_server()) {
  write_file(folder_ / "pgbouncer.ini",
             "[databases]\n"
             "* = host=" +
                 server_socket.string() +
                 " port=5432 user=steelyard\n"
                 "[pgbouncer]\n"
                 "listen_addr =\n"
                 "listen_port = 5432\n"
                 "unix_socket_dir = " +
                 folder_.string() +
                 "\n"
                 "auth_type = any\n"
                 "pool_mode = transaction\n"
                 "default_pool_size = " +
                 std::to_string(connections) +
                 "\n"
                 "max_client_conn = 100\n");
  pooler_.emplace(std::vector<std::string>{program.string(), (folder_ / "pgbouncer.ini").string()}, folder_);
  wait_for_answer(url("postgres"), folder_ / "log");
}
std::string TestPooler::url(const std::string& database) const { return url_at(folder_, database); }

void end_strays(const fs::path& folder) {
  std::error_code trouble;  // gone already: nothing to end
  for (const auto& entry : fs::directory_iterator(folder, trouble)) {
    std::ifstream note(entry.path() / kProcessNote);
    pid_t process = 0;
    std::string mark;
    if (note >> process >> mark && process > 1) end_process(process, mark);
  }
}

}  // namespace steelyard::storage_test

#include "tests/storage/postgres/test_server.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <vector>

#include "storage/embedded/cluster.hpp"
#include "storage/embedded/server_process.hpp"
#include "storage/place/store_address.hpp"
#include "storage/postgres/distributed/distribute.hpp"
#include "storage/postgres/session/session.hpp"
#include "tests/must.hpp"
#include "tests/storage/postgres/test_cluster.hpp"

#if defined(STEELYARD_SANITIZED)
// libpqxx 6.4 does not free the server's last answer when it throws because the link is gone.
extern "C" const char* __lsan_default_suppressions() { return "leak:libpqxx-6"; }
#endif

namespace steelyard::storage_test {
namespace {

namespace fs = std::filesystem;

void remove_states(const fs::path& root) {
  std::error_code trouble;
  for (const auto& entry : fs::directory_iterator(root, trouble)) {
    [[maybe_unused]] const auto stopped = storage::stop_embedded(entry.path());
    end_strays(entry.path());
  }
  fs::remove_all(root, trouble);
}

// Where a disk costs nothing, if there is room: every test's database is copied file by file and removed.
std::string parent_of_states() {
  constexpr unsigned long long kRoom = 4ULL << 30U;
  struct statvfs shared {};
  const char* const path = "/dev/shm";
  const bool is_there = access(path, W_OK) == 0 && statvfs(path, &shared) == 0;
  return is_there && shared.f_bavail * static_cast<unsigned long long>(shared.f_frsize) >= kRoom ? path : "/tmp";
}

// The folder of all state folders. A child of ours waits for our end, orderly or not, and then cleans up.
class StateRoot {
 public:
  StateRoot() {
    std::string pattern = parent_of_states() + "/steelyard-test-XXXXXX";
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

using testkit::must;

void run_alone(storage::Session& session, const std::string& statement) {
  if (const auto done = session.run_alone(statement); !done) throw std::runtime_error(done.error().text());
}

// Which store the tests of this program get: $STEELYARD_TESTS_STORE, see the header.
std::string kind_of_store() {
  const char* kind = std::getenv("STEELYARD_TESTS_STORE");
  return kind == nullptr ? "" : kind;
}

struct TestStore {
  std::function<std::string(const std::string&)> server_url;  // of a database, for what makes and drops them
  std::function<std::string(const std::string&)> url;         // of a database, for the tests
  std::string made_from{};                                    // how each is made: " template ..."
};

TestStore embedded_store() {
  const storage::EmbeddedServer server = must(storage::ensure_embedded_running(server_state()));
  const std::string words = "/steelyard?";
  const std::size_t at = server.url.find(words);
  const auto url = [front = server.url.substr(0, at), back = server.url.substr(at + words.size())](
                       const std::string& database) { return front + '/' + database + '?' + back; };
  return {url, url};
}

std::optional<TestStore> pooled_store() {
  const auto program = pooler_program();
  if (!program) return std::nullopt;
  // Its own server: it need not write durably.
  static const TestCluster server(storage::find_server_programs().front().folder, {});
  static const TestPooler pooler(*program, place_of(server.url("postgres")).socket_folder, 4);
  return TestStore{[](const std::string& database) { return server.url(database); },
                   [](const std::string& database) { return pooler.url(database); }};
}

// One node that is coordinator and worker. Each test's database is a copy of one that was distributed while empty.
std::optional<TestStore> distributed_store() {
  const auto programs = citus_programs();
  if (!programs) return std::nullopt;
  static const TestCluster node(*programs, kCitusSettings);
  storage::Session admin = must(storage::Session::connect(node.url("postgres"), "test"));
  run_alone(admin, "create database made");
  {
    must(storage::Store::open({false, node.url("made")}, fresh_state_folder()));
    storage::Session session = must(storage::Session::connect(node.url("made"), "test"));
    if (auto done = storage::distribute(session, {4, {}, node.node()}, [](const std::string&, double) {}); !done) {
      throw std::runtime_error(done.error().text());
    }
  }
  // The extension's own helper stays connected, and a database in use cannot be copied.
  run_alone(admin, "alter database made allow_connections false");
  run_alone(admin, "select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = 'made'");
  const auto url = [](const std::string& database) { return node.url(database); };
  return TestStore{url, url, " template made"};
}

std::optional<TestStore> start_test_store() {
  if (storage::find_server_programs().empty()) return std::nullopt;
  const std::string kind = kind_of_store();
  if (kind == "distributed") return distributed_store();
  if (kind == "pooled") return pooled_store();
  return embedded_store();
}

}  // namespace

const std::string kNoServer = kind_of_store() == "distributed" ? kNoCitus
                              : kind_of_store() == "pooled"    ? kNoPooler
                                                               : "PostgreSQL's server programs are not installed";

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

DatabasePlace place_of(const std::string& url) {
  const std::size_t host = url.find("host=") + std::string("host=").size();
  const std::size_t end = url.find('?');
  const std::size_t begin = url.rfind('/', end) + 1;
  return {storage::percent_decode(url.substr(host, url.find('&', host) - host)), url.substr(begin, end - begin)};
}

namespace {

// Null where what the tests of this program want is not installed.
const std::optional<TestStore>& test_store() {
  static const std::optional<TestStore> store = start_test_store();
  return store;
}

storage::Session maintenance(const TestStore& store) {
  // One that nobody used for ten minutes, as in the long form of the faults, has ended by itself.
  if (kind_of_store().empty()) must(storage::ensure_embedded_running(server_state()));
  return must(storage::Session::connect(store.server_url("postgres"), "test"));
}

std::string make_database(const TestStore& store, const std::string& made_from) {
  static int number = 0;
  storage::Session session = maintenance(store);
  // The test before is over; what it leaves behind would have to be flushed to the disk at the end.
  // An extension's own helper may hold on to it; it is gone with the server.
  if (number > 0) {
    [[maybe_unused]] const auto dropped =
        session.run_alone("drop database test" + std::to_string(number) + " with (force)");
  }
  const std::string name = "test" + std::to_string(++number);
  run_alone(session, "create database " + name + made_from);
  return store.url(name);
}

}  // namespace

std::optional<std::string> fresh_database() {
  const std::optional<TestStore>& store = test_store();
  if (!store) return std::nullopt;
  return make_database(*store, store->made_from);
}

std::optional<std::string> migrated_database() {
  const std::optional<TestStore>& store = test_store();
  if (!store) return std::nullopt;
  if (!store->made_from.empty()) return fresh_database();  // which is made from one that was migrated
  static const std::string made_from = [&] {
    storage::Session session = maintenance(*store);
    run_alone(session, "create database migrated");
    must(storage::Store::open({false, store->server_url("migrated")}, fresh_state_folder()));
    // The store's own connection may still be on its way out, and a database in use cannot be copied.
    run_alone(session, "alter database migrated allow_connections false");
    run_alone(session, "select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = 'migrated'");
    return std::string(" template migrated");
  }();
  return make_database(*store, made_from);
}

storage::Store fresh_store() {
  return must(storage::Store::open({false, migrated_database().value()}, fresh_state_folder()));
}

}  // namespace steelyard::storage_test

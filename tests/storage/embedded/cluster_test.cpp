#include "storage/embedded/cluster.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <vector>

#include "storage/access_store.hpp"
#include "storage/embedded/cluster_layout.hpp"
#include "storage/embedded/server_process.hpp"
#include "storage/postgres/session/session.hpp"
#include "storage/run_store.hpp"
#include "storage/upkeep.hpp"
#include "tests/promised.hpp"
#include "tests/storage/postgres/example_run.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::storage::cluster_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AnyOf;
using ::testing::HasSubstr;

class ClusterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    STEELYARD_SKIP_WITHOUT("postgresql", !find_server_programs().empty(), storage_test::kNoServer);
    state_ = storage_test::fresh_state_folder();
  }
  void TearDown() override {
    if (!state_.empty()) {
      EXPECT_TRUE(stop_embedded(state_));
    }
  }
  EmbeddedServer start() {
    auto server = ensure_embedded_running(state_);
    if (!server) throw std::runtime_error(server.error().text());
    return std::move(server).value();
  }
  void put_example_run() {
    auto store = Store::open({}, state_);
    ASSERT_TRUE(store) << store.error().text();
    ASSERT_TRUE(RunStore(*store).put(storage_test::example_run()));
  }
  static pid_t server_process(const EmbeddedServer& server) {
    std::ifstream file(server.data / "postmaster.pid");
    pid_t process = 0;
    file >> process;
    return process;
  }
  static std::string ask(const EmbeddedServer& server, const std::string& query) { return ask(server.url, query); }
  static std::string ask(const std::string& url, const std::string& query) {
    auto session = Session::connect(url, "test");
    if (!session) return session.error().text();
    auto transaction = Transaction::begin(*session);
    const auto rows = transaction->run(query, {}, kOneRow);
    return rows ? rows->text(0, 0) : rows.error().text();
  }
  fs::path state_;
};

// Runs `action` in a child process; its exit status is what action returns.
template <class Action>
int in_child(Action action) {
  const pid_t child = fork();
  if (child == 0) _exit(action());
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(ClusterTest, ServesASecondCallFromTheServerOfTheFirst) {
  const EmbeddedServer first = start();
  const EmbeddedServer second = start();
  EXPECT_EQ(first.url, second.url);
  EXPECT_EQ(server_process(first), server_process(second));
  EXPECT_EQ(ask(first, "select current_database()"), "steelyard");
  EXPECT_TRUE(first.notes.empty());
}

// The address without the file that the password lies in.
std::string without_password(const std::string& url) {
  const std::size_t at = url.find("&passfile=");
  return url.substr(0, at) + "&passfile=/nowhere" + url.substr(url.find('&', at + 1));
}

TEST_F(ClusterTest, IsNoSuperusersToWhoeverOnlyReachesItsSocket) {
  const EmbeddedServer server = start();
  EXPECT_EQ(ask(server, "select session_user"), "steelyard");
  // A reload takes a moment.
  auto session = Session::connect(without_password(server.url), "test");
  for (int tries = 0; session && tries < 600; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    session = Session::connect(without_password(server.url), "test");
  }
  ASSERT_FALSE(session);
  EXPECT_THAT(session.error().text(), HasSubstr("password"));
  struct stat status {};
  ASSERT_EQ(stat((server.home / "superuser.pgpass").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(ClusterTest, OfAnOlderVersionGetsItsPasswordAtTheNextStartAndKeepsItsRows) {
  put_example_run();
  const EmbeddedServer first = start();
  ASSERT_TRUE(Session::connect(first.url, "test")->run_alone("alter role steelyard password null"));
  ASSERT_TRUE(stop_embedded(state_));
  fs::remove(first.home / "superuser.pgpass");
  fs::remove(first.home / (std::to_string(first.major) + ".password"));
  const EmbeddedServer second = start();
  EXPECT_EQ(ask(second, "select count(*) from steelyard.runs"), "1");
  EXPECT_TRUE(fs::exists(second.home / "superuser.pgpass"));
  EXPECT_EQ(ask(second, "select (rolpassword is not null)::text from pg_authid where rolname = 'steelyard'"), "true");
  // A password that somebody removed is made anew, too.
  ASSERT_TRUE(stop_embedded(state_));
  fs::remove(first.home / "superuser.pgpass");
  EXPECT_EQ(ask(start(), "select count(*) from steelyard.runs"), "1");
}

TEST_F(ClusterTest, ALoginForDailyWorkIsNoSuperuserAndCannotBecomeOne) {
  put_example_run();
  const EmbeddedServer server = start();
  EXPECT_EQ(ask(server.daily_url, "select session_user || ' ' || count(*) from steelyard.runs"), "steelyard_daily 1");
  for (const char* statement : {"alter system set work_mem = '1GB'",
                                "copy (select 1) to program 'true'",
                                "copy (select 1) to '/tmp/stolen'",
                                "reset role; create role mallory superuser",
                                "reset session authorization; create role mallory",
                                "set session authorization steelyard",
                                "set role steelyard",
                                "set role steelyard_owner",
                                "alter role steelyard_daily superuser",
                                "alter role steelyard password 'mine'",
                                "grant steelyard_owner to steelyard_daily",
                                "set role pg_execute_server_program",
                                "select pg_read_file('postgresql.conf')",
                                "select rolpassword from pg_authid",
                                "select lo_import('/etc/passwd')",
                                "create database mine",
                                "create schema mine",
                                "create function public.f() returns int language c as '/tmp/mine.so', 'f'",
                                "drop table steelyard.runs",
                                "alter table steelyard.runs disable trigger all",
                                "set session_replication_role = replica",
                                "delete from steelyard.runs",
                                "update steelyard.runs set id = id",
                                "truncate steelyard.measurements",
                                "insert into steelyard.tokens default values",
                                "select pg_reload_conf()"}) {
    auto session = Session::connect(server.daily_url, "test");
    ASSERT_TRUE(session) << session.error().text();
    const auto refused = session->run_alone(statement);
    ASSERT_FALSE(refused) << statement;
    // Not for another reason, which would tell nothing.
    EXPECT_THAT(refused.error().text(),
                AnyOf(HasSubstr("permission denied"), HasSubstr("must be"), HasSubstr("must have")))
        << statement;
  }
  const auto open_to_all = Session::connect(without_password(server.daily_url), "test");
  ASSERT_FALSE(open_to_all);
  EXPECT_THAT(open_to_all.error().text(), HasSubstr("password"));
  struct stat status {};
  ASSERT_EQ(stat((server.home / "daily.pgpass").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(ClusterTest, IsUsedByDailyWorkAsItsDailyLoginAndByUpkeepAsItsOwner) {
  auto store = Store::open({}, state_);
  ASSERT_TRUE(store) << store.error().text();
  ASSERT_TRUE(RunStore(*store).put(storage_test::example_run()));
  const EmbeddedServer server = start();
  // Whoever made the schema may be on its way out.
  const auto logins = [&server] {
    return ask(server,
               "select string_agg(distinct usename::text, ' ') from pg_stat_activity "
               "where datname = 'steelyard' and backend_type = 'client backend' and pid <> pg_backend_pid()");
  };
  for (int tries = 0; logins() != "steelyard_daily" && tries < 600; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_EQ(logins(), "steelyard_daily");
  const auto token = AccessStore(*store).issue_token({"ci", "", {"read"}, 1, "test"});
  ASSERT_TRUE(token) << token.error().text();
  EXPECT_TRUE(*AccessStore(*store).revoke_token(token->token.id, "test"));
  const auto pruned = Upkeep(*store).prune({{}, 0, true, "test"});
  EXPECT_TRUE(pruned) << pruned.error().text();
  EXPECT_TRUE(RunStore(*store).put(storage_test::example_run(2)));
}

TEST_F(ClusterTest, OfAnOlderVersionGetsItsDailyLoginAtTheNextCommandAndKeepsItsRows) {
  put_example_run();
  const EmbeddedServer first = start();
  const auto forget = [&first] {
    ASSERT_TRUE(Session::connect(first.url, "test")->run_alone("drop role steelyard_daily"));
    fs::remove(first.home / "daily.pgpass");
  };
  forget();
  EXPECT_EQ(ask(start().daily_url, "select count(*) from steelyard.runs"), "1") << "while the server runs";
  EXPECT_EQ(server_process(first), server_process(start()));
  forget();
  ASSERT_TRUE(stop_embedded(state_));
  EXPECT_EQ(ask(start().daily_url, "select count(*) from steelyard.runs"), "1");
  // A password that somebody removed is made anew, too.
  fs::remove(first.home / "daily.pgpass");
  EXPECT_EQ(ask(start().daily_url, "select count(*) from steelyard.runs"), "1");
}

// A socket of user `daemon` where the server's would be; counts the bytes that clients send.
class Impostor {
 public:
  Impostor(const fs::path& folder, uid_t user) {
    fs::create_directory(folder);
    const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = (folder / ".s.PGSQL.5432").string();
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    for (const fs::path& place : {folder, fs::path(path)}) {
      if (place == path && bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) std::abort();
      if (chown(place.c_str(), user, user) != 0 || chmod(place.c_str(), 0777) != 0) std::abort();
    }
    if (pipe(report_.data()) != 0) std::abort();
    child_ = fork();
    if (child_ == 0) serve(listener, user);
    close(listener);
    close(report_[1]);
    char ready = 0;
    if (read(report_[0], &ready, 1) != 1) std::abort();
  }
  // Ends it.
  std::size_t bytes_received() {
    kill(child_, SIGTERM);
    waitpid(child_, nullptr, 0);
    std::array<char, 65536> told{};
    return static_cast<std::size_t>(std::max<ssize_t>(read(report_[0], told.data(), told.size()), 0));
  }

 private:
  // What it was sent goes into the pipe. As the user, so that this is the peer that clients see.
  [[noreturn]] void serve(int listener, uid_t user) {
    if (setgid(user) != 0 || setuid(user) != 0 || listen(listener, 8) != 0 || write(report_[1], "r", 1) != 1) _exit(1);
    while (true) {
      pollfd waiting{listener, POLLIN, 0};
      if (poll(&waiting, 1, 60000) <= 0) _exit(0);
      const int client = accept(listener, nullptr, nullptr);
      std::array<char, 4096> bytes{};
      ssize_t size = 0;
      while ((size = read(client, bytes.data(), bytes.size())) > 0) {
        if (write(report_[1], bytes.data(), static_cast<std::size_t>(size)) < 0) _exit(1);
      }
      close(client);
    }
  }
  std::array<int, 2> report_{};
  pid_t child_ = -1;
};

TEST_F(ClusterTest, SaysNothingToAnImpostorAtASocketWhoseNameCanBeGuessed) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may act for another user";
  const passwd* stranger = getpwnam("daemon");
  if (stranger == nullptr) GTEST_SKIP() << "there is no user daemon here";
  const fs::path far = state_ / std::string(90, 'x');
  fs::create_directories(far);
  for (const fs::path& folder : {state_, far}) fs::permissions(folder, fs::perms(0711));
  auto server = ensure_embedded_running(far);
  ASSERT_TRUE(server) << server.error().text();
  const ClusterLayout layout{server->home, server->major};
  const fs::path socket_folder = layout.socket_folder();
  ASSERT_EQ(socket_folder.parent_path(), "/tmp");
  EXPECT_THAT(server->url, HasSubstr("&requirepeer="));
  ASSERT_TRUE(stop_embedded(far));
  fs::remove_all(socket_folder);
  Impostor impostor(socket_folder, stranger->pw_uid);
  const auto refused = ensure_embedded_running(far);
  EXPECT_EQ(impostor.bytes_received(), 0U);
  fs::remove_all(socket_folder);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("something that others may have put there"));
  EXPECT_TRUE(ensure_embedded_running(far)) << "and goes on once that is gone";
  EXPECT_TRUE(stop_embedded(far));
}

TEST_F(ClusterTest, WritesDurablyAndListensOnNoNetwork) {
  const EmbeddedServer server = start();
  EXPECT_EQ(ask(server, "show fsync"), "on");
  EXPECT_EQ(ask(server, "show synchronous_commit"), "on");
  EXPECT_EQ(ask(server, "show listen_addresses"), "");
  EXPECT_EQ(ask(server, "show data_checksums"), "on");
}

TEST_F(ClusterTest, RunsAsAnUnprivilegedUserInAFolderClosedToOthers) {
  const EmbeddedServer server = start();
  struct stat status {};
  ASSERT_EQ(stat(server.data.parent_path().c_str(), &status), 0);
  EXPECT_NE(status.st_uid, 0U);
  EXPECT_EQ(status.st_mode & (S_IRWXG | S_IRWXO), 0U);
}

TEST_F(ClusterTest, KeepsAcknowledgedRunsThroughKillNineOfTheServer) {
  auto store = Store::open({}, state_);
  ASSERT_TRUE(store) << store.error().text();
  ASSERT_TRUE(*RunStore(*store).put(storage_test::example_run(1)));
  const EmbeddedServer server = start();
  ASSERT_GT(server_process(server), 1);
  ASSERT_EQ(kill(server_process(server), SIGKILL), 0);
  // The same store object finds its link gone, brings the server back and goes on.
  const auto is_new = RunStore(*store).put(storage_test::example_run(2));
  ASSERT_TRUE(is_new) << is_new.error().text();
  EXPECT_TRUE(*is_new);
  auto reopened = Store::open({}, state_);
  ASSERT_TRUE(reopened) << reopened.error().text();
  for (const int number : {1, 2}) {
    const auto run = RunStore(*reopened).get(storage_test::example_run(number).header.id);
    ASSERT_TRUE(run) << run.error().text();
    EXPECT_EQ(*run, storage_test::example_run(number));
  }
}

TEST_F(ClusterTest, StartsAlthoughTheOldServersNumberBelongsToAnotherProcess) {
  const EmbeddedServer server = start();
  ASSERT_GT(server_process(server), 1);
  ASSERT_EQ(kill(server_process(server), SIGKILL), 0);
  // What a reused number, or a zombie that nobody reaps, looks like: the noted process exists.
  std::string note;
  {
    std::ifstream file(server.data / "postmaster.pid");
    note.assign(std::istreambuf_iterator<char>(file), {});
  }
  note.replace(0, note.find('\n'), std::to_string(getpid()));
  std::ofstream(server.data / "postmaster.pid") << note;
  const auto again = ensure_embedded_running(state_);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_NE(server_process(*again), getpid());
}

TEST_F(ClusterTest, StartsOneServerForManyCallersAtOnce) {
  constexpr std::size_t kCallers = 4;
  std::array<std::string, kCallers> outcomes;
  std::vector<std::thread> callers;
  for (std::string& outcome : outcomes) {
    callers.emplace_back([this, &outcome] {
      const auto server = ensure_embedded_running(state_);
      outcome = server ? std::to_string(server_process(*server)) : server.error().text();
    });
  }
  for (std::thread& caller : callers) caller.join();
  for (const std::string& outcome : outcomes) EXPECT_EQ(outcome, outcomes[0]);
  EXPECT_EQ(outcomes[0], std::to_string(server_process(start())));
}

TEST_F(ClusterTest, DoesNotHoldTheOutputOfTheCommandThatStartedIt) {
  std::array<int, 2> output{};
  ASSERT_EQ(pipe(output.data()), 0);
  EXPECT_EQ(in_child([&] {
              dup2(output[1], STDOUT_FILENO);
              dup2(output[1], STDERR_FILENO);
              return ensure_embedded_running(state_) ? 0 : 1;
            }),
            0);
  close(output[1]);
  // All writers are gone exactly if the reader is told of the end.
  pollfd end{output[0], POLLIN, 0};
  ASSERT_EQ(poll(&end, 1, 0), 1) << "the server still holds the pipe";
  char byte = 0;
  EXPECT_EQ(read(output[0], &byte, 1), 0);
  close(output[0]);
  EXPECT_EQ(ask(start(), "select 'alive'"), "alive");
}

TEST_F(ClusterTest, StopsAndKeepsWhatItHolds) {
  start();
  put_example_run();
  EXPECT_TRUE(*stop_embedded(state_));
  EXPECT_FALSE(*stop_embedded(state_)) << "it was stopped already";
  auto store = Store::open({}, state_);
  EXPECT_TRUE(RunStore(*store).get(storage_test::example_run().header.id));
}

TEST_F(ClusterTest, ServesTheSameStoreByItsAddress) {
  put_example_run();
  const auto address = parse_store_address(start().url, "STEELYARD_STORE");
  ASSERT_TRUE(address) << address.error().text();
  auto store = Store::open(*address, storage_test::fresh_state_folder());
  ASSERT_TRUE(store) << store.error().text();
  EXPECT_TRUE(RunStore(*store).get(storage_test::example_run().header.id));
}

TEST_F(ClusterTest, IsNotLedAstrayByTheCallersOwnDatabaseSettings) {
  EXPECT_EQ(in_child([&] {
              setenv("PGPORT", "1", 1);
              setenv("PGHOST", "nowhere.invalid", 1);
              setenv("PGDATA", "/nowhere", 1);
              setenv("PGOPTIONS", "-c no_such_setting=1", 1);
              setenv("PGSSLMODE", "verify-full", 1);
              setenv("LC_ALL", "no_SUCH.locale", 1);
              return ensure_embedded_running(state_) ? 0 : 1;
            }),
            0);
}

TEST_F(ClusterTest, NamesAClusterOfAnotherVersionAndLeavesItAlone) {
  fs::create_directories(state_ / "postgres/9/data");
  std::ofstream(state_ / "postgres/9/data/PG_VERSION") << "9\n";
  EXPECT_EQ(start().old_clusters, (std::vector<int>{9}));
  EXPECT_TRUE(fs::exists(state_ / "postgres/9/data/PG_VERSION"));
}

TEST_F(ClusterTest, PutsTheSocketElsewhereWhenThePathIsTooLongForOne) {
  state_ = state_ / std::string(60, 'x') / std::string(60, 'y');
  const auto server = ensure_embedded_running(state_);
  ASSERT_TRUE(server) << server.error().text();
  EXPECT_EQ(ask(*server, "select 'alive'"), "alive");
  const fs::path socket = ask(*server, "select trim(both '\"' from current_setting('unix_socket_directories'))");
  EXPECT_EQ(socket.parent_path(), "/tmp");
  EXPECT_TRUE(stop_embedded(state_));
  EXPECT_FALSE(fs::exists(socket));

  // Below /tmp anyone could put a folder of that name: one that is open to others is refused, whosever it is.
  struct stat owner {};
  ASSERT_EQ(stat(server->data.c_str(), &owner), 0);
  ASSERT_EQ(mkdir(socket.c_str(), 0777), 0);
  ASSERT_EQ(chown(socket.c_str(), owner.st_uid, owner.st_gid), 0);
  chmod(socket.c_str(), 0777);
  const auto refused = ensure_embedded_running(state_);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr(socket.string()));
  fs::remove_all(socket);
}

TEST_F(ClusterTest, KeepsACompleteClusterAsideFromOneThatWasNotFinished) {
  const fs::path folder = state_ / "postgres" / std::to_string(find_server_programs().front().major);
  start();
  ASSERT_TRUE(*stop_embedded(state_));
  // As if the first initdb had been killed half-way.
  fs::rename(folder / "data", folder / "data.new");
  fs::remove(folder / "data.new/PG_VERSION");
  EXPECT_EQ(ask(start(), "select 'alive'"), "alive");
  EXPECT_FALSE(fs::exists(folder / "data.new"));
}

class ClusterAsRootTest : public ClusterTest {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "needs root";
    ClusterTest::SetUp();
  }
};

TEST_F(ClusterAsRootTest, LiesElsewhereWhenTheServerCannotReachTheStateFolder) {
  chmod(state_.c_str(), 0700);
  const auto server = ensure_embedded_running(state_);
  ASSERT_TRUE(server) << server.error().text();
  ASSERT_EQ(server->notes.size(), 1U);
  EXPECT_THAT(server->notes[0], HasSubstr("cannot reach " + state_.string()));
  EXPECT_EQ(server->data.string().substr(0, 28), "/var/lib/steelyard/postgres-");
  chmod(state_.c_str(), 0755);
  EXPECT_EQ(start().data, server->data) << "a cluster stays where it once was";
  EXPECT_TRUE(*stop_embedded(state_));
  fs::remove_all(server->data.parent_path().parent_path());
}

TEST_F(ClusterAsRootTest, RunsForAnOrdinaryUserAsThatUser) {
  const passwd* nobody = getpwnam("nobody");
  if (nobody == nullptr) GTEST_SKIP() << "no user nobody";
  ASSERT_EQ(chown(state_.c_str(), nobody->pw_uid, nobody->pw_gid), 0);
  EXPECT_EQ(in_child([&] {
              if (setgid(nobody->pw_gid) != 0 || setuid(nobody->pw_uid) != 0) return 2;
              const auto server = ensure_embedded_running(state_);
              if (!server) return 1;
              return ask(*server, "select 'alive'") == "alive" && stop_embedded(state_) ? 0 : 3;
            }),
            0);
}

TEST_F(ClusterAsRootTest, SaysWhatAUserWithoutAPasswordEntryCanDo) {
  constexpr uid_t kUnknown = 54321;
  ASSERT_EQ(getpwuid(kUnknown), nullptr);
  ASSERT_EQ(chown(state_.c_str(), kUnknown, kUnknown), 0);
  EXPECT_EQ(in_child([&] {
              if (setgid(kUnknown) != 0 || setuid(kUnknown) != 0) return 2;
              const auto server = ensure_embedded_running(state_);
              if (server) return 1;
              const std::string text = server.error().text();
              const bool clear = text.find("54321") != text.npos && text.find("STEELYARD_STORE") != text.npos;
              return clear && server.error().kind == ErrorKind::store ? 0 : 3;
            }),
            0);
}

TEST_F(ClusterAsRootTest, SaysThatTheDiskIsFullAndLeavesNoHalfCluster) {
  const bool is_mounted = mount("tmpfs", state_.c_str(), "tmpfs", 0, "size=8m,mode=755") == 0;
  STEELYARD_SKIP_WITHOUT("mount", is_mounted, "no right to mount a small file system");
  const auto server = ensure_embedded_running(state_);
  EXPECT_FALSE(server);
  if (!server) {
    EXPECT_EQ(server.error().kind, ErrorKind::store);
    EXPECT_THAT(server.error().text(), HasSubstr("No space left on device"));
  }
  EXPECT_TRUE(existing_majors(state_ / "postgres").empty());
  umount2(state_.c_str(), MNT_DETACH);
}

}  // namespace
}  // namespace steelyard::storage::cluster_test

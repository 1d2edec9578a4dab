// The embedded server ends by itself when nobody uses it, and no command ever notices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>

#include "storage/embedded/cluster.hpp"
#include "storage/embedded/server_control.hpp"
#include "storage/embedded/server_process.hpp"
#include "storage/place/files.hpp"
#include "storage/postgres/session/session.hpp"
#include "storage/run_store.hpp"
#include "storage/upkeep.hpp"
#include "tests/promised.hpp"
#include "tests/storage/postgres/example_run.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::storage::keeper_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

// Only a bound on how long a test may hang before it fails.
constexpr std::chrono::minutes kPatience{2};
constexpr std::chrono::milliseconds kPause{5};

template <class Condition>
bool eventually(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

// The state of the process and its parent; absent where there is none, or only what nobody has reaped.
std::optional<pid_t> parent_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  if (!std::getline(file, text)) return std::nullopt;
  std::istringstream rest(text.substr(text.rfind(')') + 1));
  char state = 'Z';
  pid_t parent = 0;
  rest >> state >> parent;
  return state == 'Z' ? std::nullopt : std::optional(parent);
}

bool is_keeper(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/comm");
  std::string name;
  return std::getline(file, name) && name == "steelyard_keepe";  // the kernel keeps 15 characters
}

class KeeperTest : public ::testing::Test {
 protected:
  void SetUp() override {
    STEELYARD_SKIP_WITHOUT("postgresql", !find_server_programs().empty(), storage_test::kNoServer);
    state_ = storage_test::fresh_state_folder();
  }
  void TearDown() override {
    unsetenv(kIdleVariable);
    if (!state_.empty()) {
      EXPECT_TRUE(stop_embedded(state_));
    }
  }
  void allow(const char* duration) { setenv(kIdleVariable, duration, 1); }
  pid_t start() {
    const auto server = ensure_embedded_running(state_);
    if (!server) throw std::runtime_error(server.error().text());
    url_ = server->url;
    std::ifstream file(server->data / "postmaster.pid");
    pid_t process = 0;
    file >> process;
    return process;
  }
  static bool is_gone(pid_t process) {
    return eventually([process] { return !parent_of(process); });
  }
  fs::path state_;
  std::string url_;
};

TEST_F(KeeperTest, IsTheServersParentAndThereIsOneOfIt) {
  const pid_t server = start();
  const auto keeper = parent_of(server);
  ASSERT_TRUE(keeper);
  EXPECT_TRUE(is_keeper(*keeper));
  EXPECT_EQ(start(), server);
  EXPECT_EQ(parent_of(server), keeper);
}

TEST_F(KeeperTest, EndsAServerThatNobodyUsesAndItself) {
  allow("100ms");
  const pid_t server = start();
  const pid_t keeper = parent_of(server).value_or(0);
  EXPECT_TRUE(is_gone(server));
  EXPECT_TRUE(is_gone(keeper));
  EXPECT_NE(start(), server) << "and the next command starts it again";
}

TEST_F(KeeperTest, EndsTheServerInAnOrderlyWay) {
  allow("100ms");
  ASSERT_TRUE(is_gone(start()));
  std::ifstream log(state_ / "postgres" / std::to_string(find_server_programs().front().major) / "log");
  const std::string text{std::istreambuf_iterator<char>(log), {}};
  EXPECT_THAT(text, HasSubstr("steelyard: nobody has used the server"));
  EXPECT_THAT(text, HasSubstr("received smart shutdown request"));
  EXPECT_THAT(text, HasSubstr("database system is shut down"));
  EXPECT_THAT(text, Not(HasSubstr("received fast shutdown request")));
}

// A state folder whose socket has its folder below /tmp, since a path in it would be too long.
class KeeperFarAway : public KeeperTest {
 protected:
  void SetUp() override {
    KeeperTest::SetUp();
    if (IsSkipped()) return;
    state_ /= std::string(80, 'x');
    fs::create_directories(state_);
    fs::permissions(state_, fs::perms(0711));
    start();
    const std::string below = "%2Ftmp%2Fsteelyard-";
    const std::size_t begin = url_.find(below);
    ASSERT_NE(begin, url_.npos) << url_;
    const std::size_t hash = begin + below.size();
    sockets_ = "/tmp/steelyard-" + url_.substr(hash, url_.find('&', hash) - hash);
    ASSERT_TRUE(is_there()) << sockets_;
  }
  void be_unused_for_long() {
    allow("10s");
    const pid_t keeper = parent_of(start()).value_or(0);
    ASSERT_NE(keeper, 0);
    allow("100ms");
    start();
    EXPECT_TRUE(is_gone(keeper));
    unsetenv(kIdleVariable);
  }
  bool is_there() const { return fs::is_directory(sockets_); }
  fs::path sockets_;
};

TEST_F(KeeperFarAway, TheFolderOfTheSocketGoesWithTheServerHoweverThatEnds) {
  EXPECT_TRUE(stop_embedded(state_));
  EXPECT_FALSE(is_there());
  be_unused_for_long();
  EXPECT_FALSE(is_there());
  EXPECT_NE(start(), 0);
  EXPECT_TRUE(is_there()) << "and comes with the next one";
}

TEST_F(KeeperFarAway, TheFolderOfTheSocketStaysWhileSomebodyHidesItOrSomethingLiesInIt) {
  {
    const auto held = hold_folders_outside(state_, false);
    EXPECT_FALSE(held.empty());
    EXPECT_TRUE(stop_embedded(state_));
    EXPECT_TRUE(is_there());
    be_unused_for_long();
    EXPECT_TRUE(is_there());
  }
  start();
  std::ofstream(sockets_ / "another's");
  EXPECT_TRUE(stop_embedded(state_));
  EXPECT_TRUE(fs::exists(sockets_ / "another's"));
  fs::remove(sockets_ / "another's");
  start();
  EXPECT_TRUE(stop_embedded(state_));
  EXPECT_FALSE(is_there());
}

TEST_F(KeeperTest, LeavesAServerAloneWhileAClientIsConnected) {
  allow("30s");
  const pid_t server = start();
  auto session = Session::connect(url_, "test");
  ASSERT_TRUE(session);
  allow("50ms");
  ASSERT_EQ(start(), server);  // shortens the time
  // Twenty times the allowed time. The server may not end in it, however slow the machine is.
  std::this_thread::sleep_for(std::chrono::seconds(1));
  EXPECT_TRUE(session->run_alone("select 1"));
  EXPECT_TRUE(parent_of(server));
  { const Session closed = std::move(*session); }
  EXPECT_TRUE(is_gone(server));
}

TEST_F(KeeperTest, NeverEndsAServerThatMayStayUnusedForEver) {
  allow("0");
  const pid_t server = start();
  EXPECT_TRUE(parent_of(server));
  std::ifstream note(state_ / "postgres" / (std::to_string(find_server_programs().front().major) + ".used"));
  long allowed_ms = -1;
  note >> allowed_ms;
  EXPECT_EQ(allowed_ms, 0);
}

TEST_F(KeeperTest, ServesEveryCommandWhileTheServerComesAndGoes) {
  // Hardly any time: the server ends between the commands, under them, and while they connect.
  allow("1ms");
  int ended = 0;
  pid_t before = 0;
  for (int i = 1; i <= 12; ++i) {
    auto store = Store::open({}, state_);
    ASSERT_TRUE(store) << store.error().text();
    const auto put = RunStore(*store).put(storage_test::example_run(i));
    ASSERT_TRUE(put) << put.error().text();
    EXPECT_TRUE(*put);
    const pid_t server = start();
    if (server != before) ++ended;
    before = server;
    // From right away to long after the keeper's look.
    { const Store closed = std::move(*store); }
    std::this_thread::sleep_for(std::chrono::milliseconds(20 * i));
  }
  EXPECT_GT(ended, 1);
  auto store = Store::open({}, state_);
  ASSERT_TRUE(store) << store.error().text();
  EXPECT_EQ(Upkeep(*store).status()->runs, 12);
}

TEST_F(KeeperTest, EndsWithAServerThatIsKilled) {
  const pid_t server = start();
  const pid_t keeper = parent_of(server).value_or(0);
  ASSERT_EQ(kill(server, SIGKILL), 0);
  EXPECT_TRUE(is_gone(keeper));
}

TEST_F(KeeperTest, LeavesNoServerWhenItIsKilled) {
  const pid_t server = start();
  const pid_t keeper = parent_of(server).value_or(0);
  ASSERT_TRUE(is_keeper(keeper));
  ASSERT_EQ(kill(keeper, SIGKILL), 0);
  EXPECT_TRUE(is_gone(server));
  const auto store = Store::open({}, state_);
  EXPECT_TRUE(store) << store.error().text();
}

TEST_F(KeeperTest, EndsTheServerWhenItIsAskedToEnd) {
  const pid_t server = start();
  const pid_t keeper = parent_of(server).value_or(0);
  ASSERT_TRUE(is_keeper(keeper));
  ASSERT_EQ(kill(keeper, SIGTERM), 0);
  EXPECT_TRUE(is_gone(server));
  EXPECT_TRUE(is_gone(keeper));
}

TEST_F(KeeperTest, HoldsNoLockWhileTheServerRuns) {
  start();
  const auto lock = FileLock::take(state_ / "postgres/lock", std::chrono::seconds(0));
  ASSERT_TRUE(lock);
  EXPECT_TRUE(lock->has_value());
}

TEST_F(KeeperTest, EndsNoServerWhileSomeoneIsAboutToStartIt) {
  allow("50ms");
  const pid_t server = start();
  {
    const auto lock = FileLock::take(state_ / "postgres/lock", kPatience);
    ASSERT_TRUE(lock && lock->has_value());
    if (parent_of(server)) {  // else it was faster
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      EXPECT_TRUE(parent_of(server));
    }
  }
  EXPECT_TRUE(is_gone(server));
}

TEST_F(KeeperTest, RefusesAnIdleTimeThatIsNone) {
  allow("10 minutes");
  const auto server = ensure_embedded_running(state_);
  ASSERT_FALSE(server);
  EXPECT_THAT(server.error().text(), HasSubstr("STEELYARD_EMBEDDED_IDLE"));
  EXPECT_THAT(server.error().text(), HasSubstr("\"10 minutes\""));
}

TEST(AllowedIdleTimeTest, ReadsDurationsWithTheirUnit) {
  const auto read = [](const char* text) {
    setenv(kIdleVariable, text, 1);
    const auto allowed = allowed_idle_time();
    unsetenv(kIdleVariable);
    return allowed ? allowed->count() : -1;
  };
  EXPECT_EQ(read(""), kUsualIdleTime.count());
  EXPECT_EQ(read("90s"), 90'000);
  EXPECT_EQ(read("2h"), 7'200'000);
  EXPECT_EQ(read("0"), 0);
  EXPECT_EQ(read("0s"), 0);
  EXPECT_EQ(read("1ns"), 1) << "short, but not for ever";
  EXPECT_EQ(read("-5s"), -1);
  EXPECT_EQ(read("5"), -1);
}

}  // namespace
}  // namespace steelyard::storage::keeper_test

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include "storage/embedded/server_process.hpp"

namespace steelyard::storage::server_process_test {
namespace {

namespace fs = std::filesystem;

TEST(RunProgramTest, GathersWhatTheProgramSays) {
  const auto answer = run_program(current_account(), {"/bin/sh", "-c", "echo out; echo err >&2; exit 3"});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 3);
  EXPECT_EQ(answer->output, "out\nerr\n");
}

TEST(RunProgramTest, ReportsASignalAsTheShellDoes) {
  EXPECT_EQ(run_program(current_account(), {"/bin/sh", "-c", "kill -TERM $$"})->status, 128 + SIGTERM);
}

TEST(RunProgramTest, HandsOnNoneOfTheCallersEnvironment) {
  setenv("PGDATA", "/somewhere", 1);
  const auto answer = run_program(current_account(), {"/bin/sh", "-c", "echo \"$PGDATA|$LC_ALL\""});
  unsetenv("PGDATA");
  EXPECT_EQ(answer->output, "|C\n");
}

TEST(RunProgramTest, KeepsTheEndOfALongOutput) {
  const auto answer = run_program(current_account(), {"/bin/sh", "-c", "yes | head -c 1000000; echo last"});
  EXPECT_LT(answer->output.size(), 200'000U);
  EXPECT_EQ(answer->output.substr(answer->output.size() - 5), "last\n");
}

TEST(RunProgramTest, ReportsAProgramThatDoesNotExist) {
  EXPECT_EQ(run_program(current_account(), {"/no/such/program"})->status, 127);
}

class DetachedTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = "/tmp/steelyard-detached-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }
  // Precondition: something will end the process.
  static void wait_for_end(pid_t process, const std::string& argument) {
    while (runs_with_argument(process, argument)) std::this_thread::yield();
  }
  fs::path folder_;
};

TEST_F(DetachedTest, RunsInASessionOfItsOwnAndSpeaksIntoItsLog) {
  const std::string script = "cut -d' ' -f6 /proc/$$/stat; exec sleep 600";
  const auto process = start_detached(current_account(), {{"/bin/sh", "-c", script, folder_}, folder_ / "log"});
  ASSERT_TRUE(process) << process.error().text();
  EXPECT_TRUE(kill(*process, 0) == 0);
  std::string session;
  while (session.empty()) std::ifstream(folder_ / "log") >> session;
  EXPECT_NE(session, std::to_string(getsid(0)));
  kill(*process, SIGKILL);
}

TEST_F(DetachedTest, IsKnownByItsArgumentsUntilItEnds) {
  const std::string script = "read -r line < " + (folder_ / "gate").string();
  ASSERT_EQ(run_program(current_account(), {"/usr/bin/mkfifo", folder_ / "gate"})->status, 0);
  const auto process = start_detached(current_account(), {{"/bin/sh", "-c", script, folder_}, folder_ / "log"});
  ASSERT_TRUE(process) << process.error().text();
  EXPECT_TRUE(runs_with_argument(*process, folder_));
  EXPECT_FALSE(runs_with_argument(*process, folder_.string().substr(1))) << "a part of an argument is not one";
  std::ofstream(folder_ / "gate") << "go\n";
  wait_for_end(*process, folder_);
  EXPECT_FALSE(runs_with_argument(*process, folder_));
}

TEST_F(DetachedTest, ReportsAProgramThatDoesNotExist) {
  const auto process = start_detached(current_account(), {{"/no/such/program"}, folder_ / "log"});
  ASSERT_FALSE(process);
  EXPECT_NE(process.error().text().find("No such file"), std::string::npos) << process.error().text();
}

// One that is gone between the opening of its file and the reading: with an iterator over it one of five threw.
TEST(RunsWithArgumentTest, AnswersWhileTheProcessEnds) {
  for (int i = 0; i < 200; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    std::atomic<bool> is_gone = false;
    std::jthread waiting([&] {
      waitpid(child, nullptr, 0);
      is_gone = true;
    });
    do {
      EXPECT_FALSE(runs_with_argument(child, "an argument that nobody has"));
    } while (!is_gone);
  }
}

TEST(RunsWithArgumentTest, TakesAZombieForEnded) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  siginfo_t ended{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(kill(child, 0), 0) << "a zombie still answers to signals";
  std::ifstream own("/proc/self/cmdline", std::ios::binary);
  std::string argument;
  std::getline(own, argument, '\0');
  EXPECT_TRUE(runs_with_argument(getpid(), argument));
  EXPECT_FALSE(runs_with_argument(child, argument));
  waitpid(child, nullptr, 0);
}

namespace fs = std::filesystem;

TEST(ServerAccountTest, IsNeverRoot) {
  const auto account = account_for_server();
  ASSERT_TRUE(account) << account.error().text();
  EXPECT_NE(account->user, 0U);
  EXPECT_EQ(account->must_switch, geteuid() == 0);
}

class ReachTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = "/tmp/steelyard-reach-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    fs::create_directories(root_ / "inner");
  }
  void TearDown() override { fs::remove_all(root_); }
  void open_to(mode_t mode) { ASSERT_EQ(chmod(root_.c_str(), mode), 0); }
  fs::path root_;
  ServerAccount owner_{geteuid(), getegid(), "owner", false};
  ServerAccount of_group_{geteuid() + 1, getegid(), "of group", false};
  ServerAccount stranger_{geteuid() + 1, getegid() + 1, "stranger", false};
};

TEST_F(ReachTest, NeedsSearchPermissionOnEveryFolderAbove) {
  open_to(0700);
  EXPECT_TRUE(can_reach(owner_, root_ / "inner"));
  EXPECT_FALSE(can_reach(of_group_, root_ / "inner"));
  EXPECT_FALSE(can_reach(stranger_, root_ / "inner"));
  open_to(0710);
  EXPECT_TRUE(can_reach(of_group_, root_ / "inner"));
  EXPECT_FALSE(can_reach(stranger_, root_ / "inner"));
  open_to(0711);
  EXPECT_TRUE(can_reach(stranger_, root_ / "inner"));
}

TEST_F(ReachTest, CountsAFolderThatDoesNotExistYetAsOpen) {
  open_to(0711);
  EXPECT_TRUE(can_reach(stranger_, root_ / "inner/not/yet"));
  open_to(0700);
  EXPECT_FALSE(can_reach(stranger_, root_ / "inner/not/yet"));
}

TEST_F(ReachTest, TakesTheOwnersBitsForTheOwnerEvenIfOthersHaveMore) {
  open_to(0077);
  EXPECT_FALSE(can_reach(owner_, root_));
  open_to(0700);
}

namespace fs = std::filesystem;

class ServerProgramsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = "/tmp/steelyard-programs-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    chmod(root_.c_str(), 0755);
  }
  void TearDown() override { fs::remove_all(root_); }
  fs::path install(const std::string& folder, const std::string& version, bool with_initdb = true) {
    const fs::path place = root_ / folder;
    fs::create_directories(place);
    write(place / "postgres", "#!/bin/sh\necho 'postgres (PostgreSQL) " + version + " (Debian)'\n");
    if (with_initdb) write(place / "initdb", "#!/bin/sh\n");
    return place;
  }
  static void write(const fs::path& file, const std::string& text) {
    std::ofstream(file) << text;
    chmod(file.c_str(), 0755);
  }
  fs::path root_;
};

TEST_F(ServerProgramsTest, PutsTheNewestPackagedVersionFirst) {
  const fs::path old = install("9/bin", "9.6");
  const fs::path middle = install("15/bin", "15.1");
  const fs::path newest = install("17/bin", "17.0");
  EXPECT_EQ(find_server_programs(root_, ""),
            (std::vector<ServerPrograms>{{newest, 17, true}, {middle, 15, true}, {old, 9, true}}));
}

TEST_F(ServerProgramsTest, PassesOverAFolderWithoutBothPrograms) {
  install("17/bin", "17.0", false);
  const fs::path whole = install("15/bin", "15.1");
  fs::create_directories(root_ / "16/bin");
  fs::create_directories(root_ / "extras/bin");
  EXPECT_EQ(find_server_programs(root_, ""), (std::vector<ServerPrograms>{{whole, 15, true}}));
}

TEST_F(ServerProgramsTest, LooksInTheSearchPathAfterThePackages) {
  const fs::path packaged = install("packages/15/bin", "15.1");
  const fs::path same = install("opt/fifteen", "15.9");
  const fs::path other = install("opt/sixteen", "16.2");
  const std::string path = "relative::/nonexistent:" + same.string() + ":" + other.string();
  EXPECT_EQ(find_server_programs(root_ / "packages", path),
            (std::vector<ServerPrograms>{{other, 16}, {packaged, 15, true}}));
}

TEST_F(ServerProgramsTest, FollowsLinksToWhereThePostgresProgramsAre) {
  const fs::path real = install("real", "16.2");
  fs::create_directories(root_ / "links");
  fs::create_symlink(real / "postgres", root_ / "links/postgres");
  fs::create_symlink(real / "initdb", root_ / "links/initdb");
  EXPECT_EQ(find_server_programs("/nonexistent", (root_ / "links").string()),
            (std::vector<ServerPrograms>{{real, 16}}));
}

TEST_F(ServerProgramsTest, FindsNothingWhereThereIsNothing) {
  EXPECT_TRUE(find_server_programs("/nonexistent", "").empty());
  write(install("broken", "x") / "postgres", "#!/bin/sh\nexit 1\n");
  EXPECT_TRUE(find_server_programs("/nonexistent", (root_ / "broken").string()).empty());
}

}  // namespace

}  // namespace steelyard::storage::server_process_test

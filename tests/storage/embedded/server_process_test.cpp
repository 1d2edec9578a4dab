#include "storage/embedded/server_process.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

namespace steelyard {
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

}  // namespace
}  // namespace steelyard

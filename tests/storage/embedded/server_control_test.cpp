#include "storage/embedded/server_control.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace steelyard::storage::server_control_test {
namespace {

namespace fs = std::filesystem;

class LastLinesOfTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = "/tmp/steelyard-log-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path log() const { return folder_ / "log"; }
  fs::path folder_;
};

TEST_F(LastLinesOfTest, SaysTheWholeOfAShortLog) {
  std::ofstream(log()) << "could not bind\n";
  EXPECT_EQ(last_lines_of(log()), last_lines("could not bind\n"));
  EXPECT_NE(last_lines_of(log()).find("could not bind"), std::string::npos);
}

TEST_F(LastLinesOfTest, ReadsOnlyTheEndOfALogThatNoMemoryCouldHold) {
  std::ofstream(log()) << "the beginning\n";
  fs::resize_file(log(), std::uintmax_t{1} << 40);  // sparse
  std::ofstream(log(), std::ios::app) << std::string(1000, 'x') << " could not write\n";
  const std::string text = last_lines_of(log());
  EXPECT_NE(text.find("could not write"), std::string::npos);
  EXPECT_LT(text.size(), 500U);
}

TEST_F(LastLinesOfTest, AnEmptyOrMissingLogSaidNothing) {
  EXPECT_EQ(last_lines_of(log()), "it said nothing");
  std::ofstream(log()).flush();
  EXPECT_EQ(last_lines_of(log()), "it said nothing");
}

// A process that has the data folder among its arguments, as the server has, until it is asked to end.
class PretendedServer {
 public:
  PretendedServer(const std::string& at_its_end, const fs::path& data) {
    const std::string script =
        "trap '" + at_its_end + "; exit 0' INT; : > \"$1.ready.$$\"; while :; do sleep 0.02; done";
    const std::string folder = data.string();
    process_ = fork();
    if (process_ == 0) {
      signal(SIGINT, SIG_DFL);  // a shell cannot trap what was ignored before it
      execl("/bin/sh", "sh", "-c", script.c_str(), "sh", folder.c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    const std::string ready = folder + ".ready." + std::to_string(process_);
    for (int tries = 0; process_ > 0 && !fs::exists(ready) && tries < 1000; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  PretendedServer(const PretendedServer&) = delete;
  PretendedServer& operator=(const PretendedServer&) = delete;
  ~PretendedServer() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  pid_t process() const { return process_; }

 private:
  pid_t process_ = -1;
};

TEST(StopServer, IsDoneWhereAnotherCommandHasStartedItAgain) {
  std::string pattern = "/tmp/steelyard-stop-XXXXXX";
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  const ClusterLayout layout{pattern, 15};
  fs::create_directories(layout.data());
  const std::string note = (layout.data() / "postmaster.pid").string();
  {
    const PretendedServer next(":", layout.data());
    const PretendedServer server("echo " + std::to_string(next.process()) + " > " + note, layout.data());
    std::ofstream(note) << server.process() << '\n';
    const auto lock = FileLock::take(layout.server_lock(), std::chrono::seconds(1));  // as the next one holds it
    ASSERT_TRUE(lock && *lock);
    const auto stopped = stop_server(layout);
    ASSERT_TRUE(stopped) << stopped.error().text();
    EXPECT_TRUE(*stopped);
    EXPECT_FALSE(runs_with_argument(server.process(), layout.data().string()));
    EXPECT_TRUE(runs_with_argument(next.process(), layout.data().string())) << "nobody asked that one to end";
  }
  fs::remove_all(pattern);
}

}  // namespace
}  // namespace steelyard::storage::server_control_test

// A job that is ended while it tells what was judged, and its next run.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "tests/ci/publish/publishing.hpp"

namespace steelyard::ci::killed_test {
namespace {

using ci_test::Trouble;
using testing::SizeIs;

class KilledPublisher : public Publishing {
 protected:
  void SetUp() override {
    Publishing::SetUp();
    be_github_job(7, sha('a'));
  }
  // Publishes in a process of its own, which is killed once the service has got that request.
  void publish_until(const std::string& method, const std::string& path) {
    const int before = server_.count(method, path);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      publish("github");
      ::_exit(0);
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (server_.count(method, path) == before && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    const bool was_asked = server_.count(method, path) > before;
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(was_asked) << method << ' ' << path << " was not asked for in 20 s";
    ASSERT_TRUE(WIFSIGNALED(status)) << "it had ended before " << method << ' ' << path;
  }
  void expect_one_of_each() {
    const Outcome again = publish("github");
    EXPECT_EQ(again.status, 0) << again.err;
    EXPECT_THAT(server_.comments, SizeIs(1));
    ASSERT_THAT(server_.checks, SizeIs(1));
    EXPECT_EQ(server_.checks[0].conclusion, "failure");
    EXPECT_EQ(server_.count("POST", "/comments"), 1);
  }
};

TEST_F(KilledPublisher, BetweenCommentAndCheckLeavesOneOfEachWhenItIsRunAgain) {
  server_.plan({"GET", "/check-runs", Trouble::How::trickle});
  publish_until("GET", "/check-runs");
  expect_one_of_each();
}

TEST_F(KilledPublisher, BeforeTheAnswerToItsCheckLeavesOneOfEachWhenItIsRunAgain) {
  server_.plan({"POST", "/check-runs", Trouble::How::trickle});
  publish_until("POST", "/check-runs");
  expect_one_of_each();
  EXPECT_EQ(server_.count("POST", "/check-runs"), 1);
}

TEST_F(KilledPublisher, BeforeTheAnswerToItsCommentLeavesOneOfEachWhenItIsRunAgain) {
  server_.plan({"POST", "/comments", Trouble::How::trickle});
  publish_until("POST", "/comments");
  expect_one_of_each();
}

}  // namespace
}  // namespace steelyard::ci::killed_test

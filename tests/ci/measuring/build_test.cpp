#include "ci/measuring/build.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steelyard::ci {
namespace {

using testing::HasSubstr;
using testing::Not;

class Build : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "steelyard-build-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    tree_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(tree_); }
  Result<void> run(const std::string& command, Nanoseconds timeout = seconds(60)) {
    return build({tree_, command, timeout, "the candidate (1a2b3c4)"}, nullptr);
  }
  std::filesystem::path tree_;
};

TEST_F(Build, RunsTheCommandInTheTreeByTheShell) {
  ASSERT_TRUE(run("mkdir out && echo x > out/file"));
  EXPECT_TRUE(std::filesystem::exists(tree_ / "out/file"));
}

TEST_F(Build, HidesTheStoresPasswordAndNothingElse) {
  setenv("STEELYARD_STORE", "postgresql://user:secret@host/db", 1);
  setenv("PGPASSWORD", "secret", 1);
  setenv("STEELYARD_BUILD_TEST", "kept", 1);
  const Result<void> built = run("test -z \"$STEELYARD_STORE$PGPASSWORD\" && test \"$STEELYARD_BUILD_TEST\" = kept");
  for (const char* variable : {"STEELYARD_STORE", "PGPASSWORD", "STEELYARD_BUILD_TEST"}) unsetenv(variable);
  EXPECT_TRUE(built) << built.error().text();
}

TEST_F(Build, ShowsTheLastFortyLinesInOrderWhereItFails) {
  const Result<void> failed = run("for i in $(seq 1 100); do echo out $i; echo err $i >&2; done; exit 7");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ErrorKind::program);
  const std::string text = failed.error().text();
  EXPECT_THAT(text, HasSubstr("build of the candidate (1a2b3c4)"));
  EXPECT_THAT(text, HasSubstr("exited with 7"));
  EXPECT_THAT(text, HasSubstr("out 81\nerr 81\nout 82\n"));
  EXPECT_THAT(text, Not(HasSubstr("err 80\n")));
  EXPECT_TRUE(text.ends_with("err 100")) << text;
}

TEST_F(Build, EndsAtItsLimit) {
  const Result<void> failed = run("sleep 600", milliseconds(100));
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().text(), HasSubstr("limit"));
}

TEST_F(Build, ThatIsInterruptedSaysOnlyThat) {
  const std::atomic<bool> cancelled{true};
  const Result<void> ended = build({tree_, "echo output >&2; sleep 600", seconds(60), "the candidate"}, &cancelled);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().text(), "build of the candidate: interrupted");
}

TEST_F(Build, OfNothingSucceeds) { EXPECT_TRUE(run("")); }

}  // namespace
}  // namespace steelyard::ci

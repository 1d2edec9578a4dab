#include "ci/git/work_tree_pair.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "tests/ci/git/temporary_repository.hpp"

namespace steelyard {
namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class WorkTrees : public testing::Test {
 protected:
  void SetUp() override {
    made_.write("file", "one\n");
    made_.commit("first");
    made_.write("file", "two\n");
    made_.commit("second");
    made_.write("file", "not committed\n");
  }
  TemporaryRepository made_;
};

TEST_F(WorkTrees, HoldBothCommitsUnderPathsOfEqualLengthAndLeaveNothing) {
  const Result<GitRepository> repository = GitRepository::find(made_.root());
  ASSERT_TRUE(repository);
  std::filesystem::path folder;
  {
    Result<WorkTreePair> pair =
        WorkTreePair::create(*repository, *repository->resolve("HEAD^1"), *repository->resolve("HEAD"));
    ASSERT_TRUE(pair) << pair.error().text();
    EXPECT_EQ(text_of(pair->base() / "file"), "one\n");
    EXPECT_EQ(text_of(pair->head() / "file"), "two\n");
    EXPECT_EQ(pair->base().string().size(), pair->head().string().size());
    folder = pair->base().parent_path();
    std::ofstream(pair->head() / "left-over") << "x";
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
  EXPECT_FALSE(std::filesystem::exists(made_.root() / ".git/worktrees")) << "git still knows of work trees";
  EXPECT_EQ(text_of(made_.root() / "file"), "not committed\n") << "the user's own tree was touched";
}

TEST_F(WorkTrees, OfTheSameCommitStandSideBySide) {
  const Result<GitRepository> repository = GitRepository::find(made_.root());
  ASSERT_TRUE(repository);
  const std::string head = *repository->resolve("HEAD");
  const Result<WorkTreePair> pair = WorkTreePair::create(*repository, head, head);
  ASSERT_TRUE(pair) << pair.error().text();
  EXPECT_EQ(text_of(pair->base() / "file"), text_of(pair->head() / "file"));
}

TEST_F(WorkTrees, AreNotMadeOfACommitThatIsNone) {
  const Result<GitRepository> repository = GitRepository::find(made_.root());
  ASSERT_TRUE(repository);
  const Result<WorkTreePair> pair =
      WorkTreePair::create(*repository, std::string(40, '0'), *repository->resolve("HEAD"));
  ASSERT_FALSE(pair);
  EXPECT_EQ(pair.error().kind, ErrorKind::input);
  EXPECT_FALSE(std::filesystem::exists(made_.root() / ".git/worktrees"));
}

}  // namespace
}  // namespace steelyard

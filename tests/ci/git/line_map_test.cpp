#include "ci/git/line_map.hpp"

#include <gtest/gtest.h>

#include "tests/ci/git/temporary_repository.hpp"

namespace steelyard::ci::line_map_test {
namespace {

TEST(LineMap, MovesLinesBehindWhatWasPutTakenOrChanged) {
  const LineMap map = LineMap::of_diff(
      "--- a/x\n+++ b/x\n@@ -3,0 +4,2 @@ f\n+new\n+new\n@@ -10,2 +13 @@\n-a\n-b\n+@@ -1 +1 @@\n@@ -20 +21,0 @@\n-c\n");
  EXPECT_EQ(map.line_after(3), 3);
  EXPECT_EQ(map.line_after(4), 6);
  EXPECT_EQ(map.line_after(9), 11);
  EXPECT_EQ(map.line_after(10), 0);
  EXPECT_EQ(map.line_after(11), 0);
  EXPECT_EQ(map.line_after(12), 13);
  EXPECT_EQ(map.line_after(20), 0);
  EXPECT_EQ(map.line_after(21), 21);
}

TEST(LineMap, OfNoDiffLeavesEveryLine) { EXPECT_EQ(LineMap::of_diff("").line_after(7), 7); }

TEST(LineMap, OfHunksThatAddUpBeyondAnyFileLosesTheLine) {
  std::string diff;
  for (int i = 0; i < 30; ++i) diff += "@@ -1,0 +1,99999999 @@\n";
  EXPECT_EQ(LineMap::of_diff(diff).line_after(7), 0);
  EXPECT_EQ(LineMap::of_diff("@@ -99999999,99999999 +1 @@\n").line_after(2'000'000'000), 2'000'000'000 - 99'999'998);
}

TEST(LineMap, FollowsALineFromAMergeToItsBranch) {
  TemporaryRepository made;
  made.write("work.cpp", "a\nb\nc\nd\n");
  made.commit("first");
  made.git("checkout --quiet -b feature");
  made.write("work.cpp", "a\nb\nc\nD\n");
  made.commit("feature");
  made.git("checkout --quiet main");
  made.write("work.cpp", "0\na\nb\nc\nd\n");
  made.commit("main moved on");
  made.git("merge --quiet --no-edit feature");
  const Result<GitRepository> repository = GitRepository::find(made.root());
  ASSERT_TRUE(repository);
  const std::string merge = *repository->resolve("HEAD");
  const std::string head = *repository->resolve("feature");
  const Result<LineMap> map = LineMap::between(*repository, merge, head, "work.cpp");
  ASSERT_TRUE(map) << map.error().text();
  EXPECT_EQ(map->line_after(5), 4);
  EXPECT_EQ(map->line_after(1), 0);
  EXPECT_FALSE(LineMap::between(*repository, std::string(40, 'a'), head, "work.cpp"));
  EXPECT_FALSE(LineMap::between(*repository, "--output=stolen", head, "work.cpp"));
}

// Whose note would otherwise stand at a line of the head that it does not mean.
TEST(LineMap, FollowsALineOfAFileThatItsAttributesCallBinary) {
  TemporaryRepository made;
  made.write("work.cpp", "a\nb\n");
  made.commit("first");
  made.write(".gitattributes", "*.cpp binary\n");
  made.write("work.cpp", "0\na\nb\n");
  made.commit("second");
  const Result<GitRepository> repository = GitRepository::find(made.root());
  ASSERT_TRUE(repository);
  const std::string head = *repository->resolve("HEAD");
  const std::string base = *repository->resolve("HEAD~1");
  const Result<LineMap> map = LineMap::between(*repository, base, head, "work.cpp");
  ASSERT_TRUE(map) << map.error().text();
  EXPECT_EQ(map->line_after(2), 3);
}

}  // namespace
}  // namespace steelyard::ci::line_map_test

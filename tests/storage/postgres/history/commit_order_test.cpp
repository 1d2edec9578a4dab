#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "storage/postgres/history/commit_order.hpp"

namespace steelyard::storage::commit_order_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Measured in the order given, an hour apart, committed in that order too.
std::vector<MeasuredCommit> measured(const std::vector<std::string>& shas) {
  std::vector<MeasuredCommit> commits;
  for (const std::string& sha : shas) {
    const auto hour = static_cast<std::int64_t>(commits.size()) + 1;
    commits.push_back({sha, hour * 3600, hour * 3'600'000'000'000});
  }
  return commits;
}

TEST(CommitOrder, NothingMeasuredIsAnEmptyBranch) {
  const BranchOrder order = order_of_branch({}, {{"b", {"a"}}});
  EXPECT_THAT(order.commits, IsEmpty());
  EXPECT_EQ(order.tip, "");
  EXPECT_TRUE(order.is_whole);
}

TEST(CommitOrder, FollowsFirstParentsThoughDatesSayOtherwise) {
  // Measured and dated c, a, b: the graph knows better.
  const BranchOrder order = order_of_branch(measured({"c", "a", "b"}), {{"c", {"b"}}, {"b", {"a"}}, {"a", {}}});
  EXPECT_THAT(order.commits, ElementsAre("a", "b", "c"));
  EXPECT_EQ(order.tip, "c");
  EXPECT_TRUE(order.is_whole);
}

TEST(CommitOrder, CountsCommitsBetweenMeasuredOnesAndNoneBelowTheOldest) {
  const BranchOrder order =
      order_of_branch(measured({"b", "e"}), {{"e", {"d"}}, {"d", {"c"}}, {"c", {"b"}}, {"b", {"a"}}, {"a", {}}});
  EXPECT_THAT(order.commits, ElementsAre("b", "c", "d", "e"));
}

TEST(CommitOrder, PutsWhatAMergeBroughtJustBeforeIt) {
  // a - b - m - t, and a - x - m; x was measured, y beside it was not.
  const KnownParents parents{{"t", {"m"}}, {"m", {"b", "y"}}, {"y", {"x"}}, {"x", {"a"}}, {"b", {"a"}}, {"a", {}}};
  const BranchOrder order = order_of_branch(measured({"x", "a", "b", "t"}), parents);
  EXPECT_THAT(order.commits, ElementsAre("a", "b", "x", "m", "t"));
  EXPECT_THAT(order.off, IsEmpty());
  EXPECT_TRUE(order.is_whole);
}

TEST(CommitOrder, TellsAbandonedCommitsOfAForcePushAsOffTheBranch) {
  // a - b - c was replaced by a - b - d.
  const BranchOrder order =
      order_of_branch(measured({"a", "b", "c", "d"}), {{"d", {"b"}}, {"c", {"b"}}, {"b", {"a"}}, {"a", {}}});
  EXPECT_THAT(order.commits, ElementsAre("a", "b", "d"));
  EXPECT_THAT(order.off, ElementsAre(OffCommit{"c", 1}));
  EXPECT_FALSE(order.is_whole);
}

TEST(CommitOrder, ALateRunOfAnOldCommitDoesNotMoveTheTip) {
  std::vector<MeasuredCommit> commits = measured({"a", "b"});
  commits[0].first_run_at_unix_ns *= 100;
  EXPECT_EQ(order_of_branch(commits, {{"b", {"a"}}}).tip, "b");
}

TEST(CommitOrder, WithoutAGraphTheDatesDecideAndNothingIsOff) {
  std::vector<MeasuredCommit> commits = measured({"a", "b", "c"});
  std::reverse(commits.begin(), commits.end());
  const BranchOrder order = order_of_branch(commits, {});
  EXPECT_THAT(order.commits, ElementsAre("a", "b", "c"));
  EXPECT_THAT(order.off, IsEmpty());
  EXPECT_FALSE(order.is_whole);
  for (MeasuredCommit& commit : commits) commit.committed_at_unix_s = 0;
  EXPECT_THAT(order_of_branch(commits, {}).commits, ElementsAre("a", "b", "c")) << "by their runs' times";
}

TEST(CommitOrder, JoinsPiecesOfAGraphByDate) {
  // c is the end of a shallow clone.
  const BranchOrder order = order_of_branch(measured({"a", "b", "c", "d"}), {{"d", {"c"}}, {"b", {"a"}}});
  EXPECT_THAT(order.commits, ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(order.off, IsEmpty());
}

TEST(CommitOrder, SeveralRootsAreOneBranchWhereAMergeJoinsThem) {
  const BranchOrder joined = order_of_branch(measured({"r", "s", "m"}), {{"m", {"r", "s"}}, {"r", {}}, {"s", {}}});
  EXPECT_THAT(joined.commits, ElementsAre("r", "s", "m"));
  // Replaced by unrelated history: every line of the new one ends in its root.
  const BranchOrder replaced = order_of_branch(measured({"r", "s"}), {{"r", {}}, {"s", {}}});
  EXPECT_THAT(replaced.commits, ElementsAre("s"));
  EXPECT_THAT(replaced.off, ElementsAre(OffCommit{"r", -1}));
}

TEST(CommitOrder, EndsOnCyclesAndPlacesEveryCommitOnce) {
  const BranchOrder order =
      order_of_branch(measured({"a", "b", "c", "d"}), {{"a", {"b"}}, {"b", {"a"}}, {"c", {"c"}}, {"d", {"d", "c"}}});
  EXPECT_EQ(order.commits.size() + order.off.size(), 4U);
}

TEST(CommitOrder, ALineOfAHundredThousandCommitsNeedsNoStack) {
  KnownParents parents;
  std::vector<MeasuredCommit> commits;
  for (int i = 0; i < 100'000; ++i) {
    parents[std::to_string(i)] = i == 0 ? std::vector<std::string>() : std::vector{std::to_string(i - 1)};
    if (i % 10 == 0) commits.push_back({std::to_string(i), i + 1, i + 1});
  }
  const BranchOrder order = order_of_branch(commits, parents);
  EXPECT_EQ(order.commits.size(), 99'991U);
  EXPECT_EQ(order.commits[10], "10");
}

// Random histories with merges, side lines and forgotten parents.
TEST(CommitOrder, ACommitFollowsAllThatItIsKnownToDescendFrom) {
  std::mt19937_64 random(7);
  for (int history = 0; history < 300; ++history) {
    const int size = 2 + static_cast<int>(random() % 40);
    KnownParents parents;
    std::vector<MeasuredCommit> commits;
    for (int i = 0; i < size; ++i) {
      const std::string sha = std::to_string(i);
      std::vector<std::string> list;
      for (std::uint64_t k = random() % 3; i > 0 && list.size() < k;) {
        list.push_back(std::to_string(random() % static_cast<std::uint64_t>(i)));
      }
      if (random() % 8 != 0) parents[sha] = list;
      if (random() % 3 != 0) commits.push_back({sha, static_cast<std::int64_t>(random() % 30), i});
    }
    const BranchOrder order = order_of_branch(commits, parents);
    std::set<std::string> all(order.commits.begin(), order.commits.end());
    EXPECT_EQ(all.size(), order.commits.size());
    for (const OffCommit& off : order.off) EXPECT_TRUE(all.insert(off.sha).second) << off.sha;
    for (const MeasuredCommit& commit : commits) EXPECT_TRUE(all.contains(commit.sha)) << commit.sha;
    std::set<std::string> seen;
    for (const std::string& sha : order.commits) {
      const auto known = parents.find(sha);
      if (known != parents.end()) {
        for (const std::string& parent : known->second) {
          const bool comes_later = !seen.contains(parent) &&
                                   std::find(order.commits.begin(), order.commits.end(), parent) != order.commits.end();
          EXPECT_FALSE(comes_later) << parent << " after " << sha << " in history " << history;
        }
      }
      seen.insert(sha);
    }
    std::shuffle(commits.begin(), commits.end(), random);
    EXPECT_EQ(order_of_branch(commits, parents).commits, order.commits) << "whatever order the facts come in";
  }
}

TEST(CommitDate, IsItsSecondsOrTheTimeThatStandsForThem) {
  EXPECT_EQ(commit_date_ns(5, 7), 5'000'000'000);
  EXPECT_EQ(commit_date_ns(-5, 7), -5'000'000'000);
  EXPECT_EQ(commit_date_ns(0, 7), 7);
}

TEST(CommitDate, StaysWithinWhatNanosecondsReach) {
  constexpr std::int64_t kEnd = 9'223'372'036;
  EXPECT_EQ(commit_date_ns(kEnd, 7), 9'223'372'036'000'000'000);
  for (const std::int64_t beyond : {kEnd + 1, std::int64_t{99'999'999'999}, INT64_MAX}) {
    EXPECT_EQ(commit_date_ns(beyond, 7), commit_date_ns(kEnd, 7));
    EXPECT_EQ(commit_date_ns(-beyond, 7), commit_date_ns(-kEnd, 7));
  }
  EXPECT_EQ(commit_date_ns(INT64_MIN, 7), commit_date_ns(-kEnd, 7));
}

TEST(CommitDate, IsWrittenIntoAStatementWhereverItIsNamed) {
  const std::string one = with_commit_dates("commit_date(c, r)");
  EXPECT_NE(one.find("greatest(c.committed_at_unix_s, -9223372036)"), std::string::npos) << one;
  EXPECT_NE(one.find("else r.created_at_unix_ns end"), std::string::npos) << one;
  EXPECT_EQ(with_commit_dates("a commit_date(c, r) b commit_date(c, r)"), "a " + one + " b " + one);
  EXPECT_EQ(with_commit_dates("select 1"), "select 1");
}

}  // namespace

}  // namespace steelyard::storage::commit_order_test

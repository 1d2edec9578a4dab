#include "storage/postgres/history/commit_order.hpp"

#include <gtest/gtest.h>

namespace steelyard {
namespace {

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
}  // namespace steelyard

#include "ci/judging/accepted.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ci/git/temporary_repository.hpp"

namespace steelyard::ci::accepted_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(Accepted, APatternAndAReasonAreATableThatGatesNothing) {
  const auto table = read_accepted("gemv/*  the checksum is worth 3 % ", "commit 1a2b3c4 by Jane", "x");
  ASSERT_TRUE(table);
  EXPECT_EQ(table->match, "gemv/*");
  ASSERT_TRUE(table->gates);
  EXPECT_THAT(*table->gates, SizeIs(0));
  EXPECT_EQ(table->where, "commit 1a2b3c4 by Jane: the checksum is worth 3 %");
  EXPECT_EQ(read_accepted("\"nice name [x]\" why not", "who", "x")->match, "nice name [x]");
  for (const char* bad : {"", "  ", "BM_x", "BM_x  ", "\"\" reason", "\"BM_x reason"}) {
    EXPECT_FALSE(read_accepted(bad, "who", "x")) << bad;
  }
}

TEST(Accepted, HoldsUntilTheLastDayIsOver) {
  const std::string log = std::string(40, 'a') + "\x1fJane\x1f" + "BM_a until=2000-01-01 for a while\x1f" +
                          "BM_b until=2999-12-31 for long\x1f" + "BM_c until=2026-02-30 for ever\x1f" +
                          "BM_d until further notice\x1e";
  const AcceptedChanges changes = accepted_in_log(log);
  ASSERT_THAT(changes.tables, SizeIs(2));
  EXPECT_EQ(changes.tables[0].match, "BM_b");
  EXPECT_EQ(changes.tables[0].until, "2999-12-31");
  EXPECT_EQ(changes.tables[0].reason, "for long");
  EXPECT_EQ(changes.tables[0].accepted_by, "Jane");
  EXPECT_EQ(changes.tables[0].accepted_commit, std::string(40, 'a'));
  EXPECT_EQ(changes.tables[0].where, "commit aaaaaaaaa by Jane, until 2999-12-31: for long");
  EXPECT_EQ(changes.tables[1].reason, "until further notice");
  EXPECT_THAT(changes.notes, ElementsAre(HasSubstr("accepted no more, as the last day is over: \"BM_a\""),
                                         HasSubstr("\"BM_b\" (commit aaaaaaaaa by Jane, until 2999-12-31: for long)"),
                                         HasSubstr("2026-02-30"), HasSubstr("\"BM_d\"")));
}

TEST(Accepted, OnlyTheCandidatesOwnCommitsAcceptAndABadLineIsANote) {
  TemporaryRepository made;
  made.write("a", "1");
  made.commit("base\n\nPerf-accept: BM_old it was meant then");
  made.write("a", "2");
  made.commit(
      "first\n\nPerf-accept: BM_a because\nSigned-off-by: Jane <j@example.org>\nPerf-accept: BM_b/* for a\n reason");
  made.write("a", "3");
  made.commit("second\n\nPerf-accept: BM_c\nperf-accept: BM_d in lower case\nPerf-accept:");
  const auto repository = GitRepository::find(made.root());
  ASSERT_TRUE(repository);
  const AcceptedChanges changes = accepted_by_commits(*repository, "HEAD~2..HEAD");
  ASSERT_THAT(changes.tables, SizeIs(3));
  EXPECT_EQ(changes.tables[0].match, "BM_d");
  EXPECT_EQ(changes.tables[1].match, "BM_a");
  EXPECT_EQ(changes.tables[2].match, "BM_b/*");
  EXPECT_THAT(changes.tables[2].where, HasSubstr(": for a reason"));
  EXPECT_THAT(changes.notes, ElementsAre(HasSubstr("no reason after \"BM_c\""), HasSubstr("\"BM_d\""),
                                         HasSubstr("no pattern"), HasSubstr("\"BM_a\""), HasSubstr("\"BM_b/*\"")));
  EXPECT_THAT(accepted_by_commits(*repository, "no..such").tables, SizeIs(0));
}

}  // namespace
}  // namespace steelyard::ci::accepted_test

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "storage/model/alert.hpp"

namespace steelyard::storage::alert_test {
namespace {

using ::testing::ElementsAre;

const AlertSubject kSubject{"demo", "main", "BM_sort", "real_time"};

AlertFact row(std::int64_t at, const std::string& what, const std::string& baseline, const std::string& candidate,
              std::optional<double> ratio = std::nullopt) {
  AlertFact fact;
  fact.at_unix_ns = at;
  fact.id = "comparison" + std::to_string(at);
  fact.what = what;
  fact.baseline_side = baseline;
  fact.candidate_side = fact.commit = candidate;
  fact.baseline = 100;
  if (ratio) fact.candidate = 100 * *ratio;
  fact.ratio = ratio;
  fact.margin = 0.02;
  return fact;
}

AlertFact word(std::int64_t at, const std::string& what, const std::string& commit = "") {
  AlertFact fact;
  fact.kind = AlertFact::Kind::person;
  fact.at_unix_ns = at;
  fact.id = std::to_string(at);
  fact.what = what;
  fact.commit = commit;
  fact.who = "ada";
  fact.note = "so be it";
  return fact;
}

AlertFact change(std::int64_t at, const std::string& what, const std::string& commit) {
  AlertFact fact;
  fact.kind = AlertFact::Kind::change_point;
  fact.at_unix_ns = at;
  fact.id = std::to_string(at);
  fact.what = what;
  fact.commit = commit;
  fact.ratio = 1.2;
  return fact;
}

std::vector<std::string> life_of(const std::vector<AlertFact>& facts) {
  const auto alert = alert_of(kSubject, facts);
  std::vector<std::string> life;
  if (!alert) return life;
  for (const AlertTransition& step : alert->life) life.push_back(step.transition);
  return life;
}

AlertFact of(const std::string& benchmark, AlertFact fact) {
  fact.benchmark = benchmark;
  return fact;
}

TEST(AlertLifeTest, OfARenamedBenchmarkIsOneThatIsKnownAsItWasOpened) {
  const std::vector<AlertFact> facts{of("BM_sort", row(3, "unchanged", "a", "c", 1.0)),
                                     of("old", row(1, "regression", "a", "b", 1.1)),
                                     of("BM_sort", row(2, "unchanged", "b", "c", 1.0))};
  const auto alert = alert_of(kSubject, facts);
  ASSERT_TRUE(alert);
  EXPECT_EQ(alert->subject, (AlertSubject{"demo", "main", "old", "real_time"}));
  EXPECT_EQ(alert->id, alert_id(alert->subject));
  EXPECT_EQ(alert->state, AlertState::resolved) << "with the baseline that it was opened against";
  std::vector<AlertFact> spoken = facts;
  spoken.push_back(of("BM_sort", word(2, "acknowledged")));
  spoken.push_back(of("old", word(4, "reopened")));
  EXPECT_EQ(alert_of(kSubject, spoken)->id, alert_id(kSubject)) << "whoever spoke of it named it so";
  EXPECT_EQ(life_of(spoken), (std::vector<std::string>{"opened", "acknowledged", "resolved", "reopened"}));
}

TEST(AlertLifeTest, NothingWorseIsNoAlert) {
  EXPECT_FALSE(alert_of(kSubject, {}));
  EXPECT_TRUE(life_of({row(1, "unchanged", "a", "b", 1.0), row(2, "improvement", "b", "c", 0.9),
                       row(3, "inconclusive", "c", "d", 1.1), word(4, "acknowledged")})
                  .empty());
}

TEST(AlertLifeTest, ARegressionOpensItAndASecondOneIsTheSameAlert) {
  const auto alert = alert_of(kSubject, {row(1, "regression", "a", "b", 1.1), row(2, "regression", "a", "c", 1.2)});
  ASSERT_TRUE(alert);
  EXPECT_EQ(alert->state, AlertState::open);
  EXPECT_EQ(alert->id, alert_id(kSubject));
  ASSERT_EQ(alert->life.size(), 1U);
  EXPECT_EQ(alert->life[0].transition, "opened");
  EXPECT_EQ(alert->life[0].by, "comparison:comparison1");
  EXPECT_EQ(alert->comparison, "comparison2");
  EXPECT_EQ(alert->commit, "c");
  EXPECT_DOUBLE_EQ(*alert->ratio, 1.2) << "against the same baseline the newest word holds";
}

TEST(AlertLifeTest, ALaterCandidateThatIsUnchangedAgainstTheSameBaselineEndsIt) {
  EXPECT_THAT(life_of({row(1, "regression", "a", "b", 1.1), row(2, "unchanged", "a", "c", 1.0)}),
              ElementsAre("opened", "resolved"));
}

TEST(AlertLifeTest, ANextCommitThatIsUnchangedAgainstTheBadOneDoesNotEndIt) {
  EXPECT_THAT(life_of({row(1, "regression", "a", "b", 1.1), row(2, "unchanged", "b", "c", 1.0)}),
              ElementsAre("opened"));
}

TEST(AlertLifeTest, ImprovementsAgainstLaterCommitsEndItOnceTheyTakeItBack) {
  std::vector<AlertFact> facts{row(1, "regression", "a", "b", 1.2), row(2, "improvement", "b", "c", 0.9)};
  EXPECT_THAT(life_of(facts), ElementsAre("opened")) << "1.2 * 0.9 is 8 % above";
  EXPECT_DOUBLE_EQ(*alert_of(kSubject, facts)->ratio, 1.2 * 0.9);
  facts.push_back(row(3, "improvement", "c", "d", 0.94));
  EXPECT_THAT(life_of(facts), ElementsAre("opened", "resolved")) << "1.0152 is within the margin of 2 %";
}

AlertFact without_commits(AlertFact fact) {
  fact.has_commits = false;
  fact.commit.clear();
  return fact;
}

TEST(AlertLifeTest, OfRunsWithoutCommitsOnlyWhatGoesOnFromAKnownCandidateAddsUp) {
  std::vector<AlertFact> facts{without_commits(row(1, "regression", "a", "b", 1.4)),
                               without_commits(row(2, "regression", "b", "c", 1.2))};
  EXPECT_DOUBLE_EQ(*alert_of(kSubject, facts)->ratio, 1.4 * 1.2);
  facts.push_back(without_commits(row(3, "improvement", "x", "y", 0.5)));
  EXPECT_DOUBLE_EQ(*alert_of(kSubject, facts)->ratio, 1.4 * 1.2) << "it says nothing of a, b and c";
  EXPECT_THAT(life_of(facts), ElementsAre("opened"));
  EXPECT_THAT(life_of({facts[0], without_commits(row(3, "improvement", "b", "a", 0.7))}), ElementsAre("opened"))
      << "the sides exchanged";
  facts.push_back(without_commits(row(4, "regression", "x", "y", 1.1)));
  facts.back().baseline = 300;
  EXPECT_DOUBLE_EQ(*alert_of(kSubject, facts)->ratio, 1.1);
  EXPECT_EQ(alert_of(kSubject, facts)->baseline, 300);
  facts.push_back(without_commits(row(5, "unchanged", "x", "z", 1.0)));
  EXPECT_THAT(life_of(facts), ElementsAre("opened", "resolved"));
}

TEST(AlertLifeTest, WhatWasAcceptedOfTwoRunsIsNotAcceptedOfOthers) {
  std::vector<AlertFact> facts{without_commits(row(1, "regression", "a", "b", 1.4)), word(2, "accepted", "c0"),
                               without_commits(row(3, "regression", "a", "b", 1.41))};
  EXPECT_THAT(life_of(facts), ElementsAre("opened", "accepted"));
  facts.push_back(without_commits(row(4, "regression", "x", "y", 1.1)));
  EXPECT_THAT(life_of(facts), ElementsAre("opened", "accepted", "reopened"));
}

TEST(AlertLifeTest, WhereNoBranchSaysThatCommitsFollowOnlyAKnownCandidateIsGoneOnFrom) {
  const AlertSubject nowhere{"demo", "", "BM_sort", "real_time"};
  std::vector<AlertFact> facts{row(1, "regression", "a", "b", 1.2), row(2, "regression", "x", "y", 1.3)};
  EXPECT_DOUBLE_EQ(*alert_of(kSubject, facts)->ratio, 1.2 * 1.3) << "of a branch they add up";
  EXPECT_DOUBLE_EQ(*alert_of(nowhere, facts)->ratio, 1.3);
  facts.push_back(row(3, "improvement", "v", "w", 0.5));
  EXPECT_DOUBLE_EQ(*alert_of(nowhere, facts)->ratio, 1.3) << "it says nothing of y";
  facts.push_back(row(4, "regression", "y", "z", 1.1));
  EXPECT_DOUBLE_EQ(*alert_of(nowhere, facts)->ratio, 1.3 * 1.1);
}

TEST(AlertLifeTest, OfARequestTheNewestComparisonSaysAllWhateverItsBaseline) {
  const AlertSubject request{"demo", "request:7", "BM_sort", "real_time"};
  std::vector<AlertFact> facts{row(1, "regression", "base", "b", 1.2), word(2, "accepted", "b"),
                               row(3, "regression", "moved base", "c", 1.21)};
  EXPECT_EQ(alert_of(request, facts)->state, AlertState::accepted) << "no more than was accepted";
  EXPECT_DOUBLE_EQ(*alert_of(request, facts)->ratio, 1.21);
  facts.push_back(row(4, "regression", "moved base", "d", 1.3));
  EXPECT_EQ(alert_of(request, facts)->state, AlertState::reopened);
  facts.push_back(row(5, "unchanged", "base of today", "e", 1.0));
  EXPECT_EQ(alert_of(request, facts)->state, AlertState::resolved);
  EXPECT_DOUBLE_EQ(*alert_of(request, facts)->ratio, 1.0);
}

TEST(AlertBranchTest, IsTheRequestsOnlyWhereTheCandidateIsOnNoBranch) {
  RunHeader candidate;
  EXPECT_EQ(alert_branch(candidate), "");
  EXPECT_EQ(alert_branch(candidate, true), "");
  candidate.settings[kRequestSetting] = "7";
  EXPECT_EQ(alert_branch(candidate), "request:7");
  EXPECT_TRUE(is_request_branch(alert_branch(candidate)));
  candidate.commit.branch = "main";
  EXPECT_EQ(alert_branch(candidate), "main");
  EXPECT_FALSE(is_request_branch("main"));
  EXPECT_EQ(alert_branch(candidate, true), "request:7");
  candidate.settings.clear();
  EXPECT_EQ(alert_branch(candidate, true), "request:main") << "a name of its own, and no branch's";
}

TEST(AlertLifeTest, AnImprovementMeasuredTwiceCountsOnce) {
  EXPECT_THAT(life_of({row(1, "regression", "a", "b", 1.2), row(2, "improvement", "b", "c", 0.9),
                       row(3, "improvement", "b", "c", 0.9)}),
              ElementsAre("opened"));
}

TEST(AlertLifeTest, OfAMetricWhereHigherIsBetterTheRatioIsTurned) {
  std::vector<AlertFact> facts{row(1, "regression", "a", "b", 0.8), row(2, "improvement", "b", "c", 1.25)};
  for (AlertFact& fact : facts) fact.higher_is_better = true;
  EXPECT_THAT(life_of(facts), ElementsAre("opened", "resolved"));
}

TEST(AlertLifeTest, ASkipOpensNoneAndEndsThatOfAFailureAlone) {
  EXPECT_TRUE(life_of({row(1, "skipped", "a", "b")}).empty());
  EXPECT_THAT(life_of({row(1, "failed", "a", "b"), row(2, "skipped", "b", "c")}), ElementsAre("opened", "resolved"));
  EXPECT_THAT(life_of({row(1, "missing", "a", "b"), row(2, "skipped", "b", "c")}), ElementsAre("opened"))
      << "what was lost is lost until it is measured";
  EXPECT_THAT(life_of({row(1, "regression", "a", "b", 1.1), row(2, "skipped", "b", "c")}), ElementsAre("opened"));
}

TEST(AlertLifeTest, ARegressionAfterItsEndReopensIt) {
  const auto alert = alert_of(kSubject, {row(1, "regression", "a", "b", 1.1), row(2, "unchanged", "a", "c", 1.0),
                                         row(3, "regression", "c", "d", 1.3)});
  ASSERT_TRUE(alert);
  EXPECT_EQ(alert->state, AlertState::reopened);
  EXPECT_EQ(alert->life.size(), 3U);
  EXPECT_DOUBLE_EQ(*alert->ratio, 1.3);
}

TEST(AlertLifeTest, WhatWasAcceptedStaysAcceptedUntilMoreIsLost) {
  std::vector<AlertFact> facts{row(1, "regression", "a", "b", 1.1), word(2, "accepted", "b"),
                               row(3, "regression", "a", "c", 1.11)};
  EXPECT_THAT(life_of(facts), ElementsAre("opened", "accepted"));
  EXPECT_EQ(alert_of(kSubject, facts)->accepted_commit, "b");
  facts.push_back(row(4, "regression", "a", "d", 1.2));
  EXPECT_THAT(life_of(facts), ElementsAre("opened", "accepted", "reopened"));
}

TEST(AlertLifeTest, ARegressionOnTopOfAnAcceptedOneReopensIt) {
  EXPECT_THAT(
      life_of({row(1, "regression", "a", "b", 1.1), word(2, "accepted", "b"), row(3, "regression", "b", "c", 1.05)}),
      ElementsAre("opened", "accepted", "reopened"));
}

TEST(AlertLifeTest, PeopleAcknowledgeResolveAndReopen) {
  EXPECT_THAT(life_of({row(1, "regression", "a", "b", 1.1), word(2, "acknowledged"), word(3, "acknowledged"),
                       word(4, "resolved"), word(5, "resolved"), word(6, "reopened")}),
              ElementsAre("opened", "acknowledged", "resolved", "reopened"))
      << "a word that does not fit the state changes nothing";
}

TEST(AlertLifeTest, AFailedBenchmarkThatIsMeasuredAgainEndsIt) {
  EXPECT_THAT(life_of({row(1, "failed", "a", "b"), row(2, "inconclusive", "a", "c", 1.1)}),
              ElementsAre("opened", "resolved"));
  EXPECT_THAT(life_of({row(1, "missing", "a", "b"), row(2, "missing", "a", "c")}), ElementsAre("opened"));
}

TEST(AlertLifeTest, AFailedBenchmarkThatIsSlowerWhenItRunsAgainStaysTheSameAlert) {
  const auto alert = alert_of(kSubject, {row(1, "failed", "a", "b"), row(2, "regression", "a", "c", 1.1)});
  ASSERT_TRUE(alert);
  EXPECT_EQ(alert->state, AlertState::open);
  EXPECT_EQ(alert->verdict, "regression");
}

TEST(AlertLifeTest, AChangePointThatGoesAndComesBack) {
  const auto alert = alert_of(kSubject, {change(1, "confirmed", "c3"), change(2, "moved", "c4"), change(3, "gone", ""),
                                         change(4, "back", "c4")});
  ASSERT_TRUE(alert);
  EXPECT_EQ(alert->state, AlertState::reopened);
  EXPECT_EQ(alert->life.size(), 3U);
  EXPECT_EQ(alert->commit, "c4");
  EXPECT_EQ(alert->life[0].by, "change point");
}

AlertFact mended(AlertFact fact, const std::string& by = "c9") {
  fact.taken_back_by = by;
  return fact;
}

TEST(AlertLifeTest, AChangePointThatIsTakenBackEndsItsAlertOnce) {
  std::vector<AlertFact> facts{change(1, "confirmed", "c3"), mended(change(2, "taken back", "c3"))};
  const auto ended = alert_of(kSubject, facts);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->state, AlertState::resolved);
  EXPECT_EQ(ended->commit, "c3");
  EXPECT_EQ(ended->life.back().by, "change point");
  EXPECT_EQ(ended->life.back().commit, "c9");
  facts.push_back(mended(change(3, "moved", "c4")));
  EXPECT_THAT(life_of(facts), ElementsAre("opened", "resolved")) << "what is known opens nothing";
  facts.push_back(word(4, "reopened"));
  facts.push_back(mended(change(5, "moved", "c3")));
  facts.push_back(mended(change(6, "taken back", "c3"), "c8"));
  EXPECT_THAT(life_of(facts), ElementsAre("opened", "resolved", "reopened")) << "a person's word about what is known";
  EXPECT_EQ(alert_of(kSubject, facts)->commit, "c3");
}

TEST(AlertLifeTest, AChangePointIsThereAgainWhereWhatTookItBackIsNot) {
  std::vector<AlertFact> facts{change(1, "confirmed", "c3"), word(2, "accepted", "c5"),
                               mended(change(3, "taken back", "c3")), change(4, "stands", "c3")};
  EXPECT_THAT(life_of(facts), ElementsAre("opened", "accepted", "resolved", "reopened"));
  EXPECT_EQ(alert_of(kSubject, facts)->life.back().commit, "c3");
  facts.push_back(mended(change(5, "taken back", "c3")));
  EXPECT_THAT(life_of(facts), ElementsAre("opened", "accepted", "resolved", "reopened", "resolved"));
}

TEST(AlertLifeTest, AChangePointThatIsFirstSeenTakenBackOpensNone) {
  std::vector<AlertFact> facts{mended(change(1, "confirmed", "c3")), change(2, "gone", ""),
                               mended(change(3, "back", "c3"))};
  EXPECT_FALSE(alert_of(kSubject, facts));
  facts.push_back(change(4, "stands", "c3"));
  EXPECT_THAT(life_of(facts), ElementsAre("opened"));
}

// The store may get comparisons late and in any order.
TEST(AlertLifeTest, DependsOnTheFactsAndNotOnTheirOrder) {
  std::vector<AlertFact> facts{row(1, "regression", "a", "b", 1.2), word(2, "accepted", "b"),
                               row(3, "regression", "b", "c", 1.3), row(4, "improvement", "c", "d", 0.8),
                               row(4, "unchanged", "a", "e", 1.0),  row(6, "regression", "e", "f", 1.1)};
  facts[4].id = "comparison5";
  const std::vector<std::string> expected = life_of(facts);
  EXPECT_GE(expected.size(), 4U);
  std::vector<std::size_t> order{0, 1, 2, 3, 4, 5};
  do {
    std::vector<AlertFact> shuffled;
    for (const std::size_t i : order) shuffled.push_back(facts[i]);
    ASSERT_EQ(life_of(shuffled), expected);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(AlertLifeTest, EveryFieldOfTheSubjectIsPartOfItsId) {
  for (const auto field : {&AlertSubject::project, &AlertSubject::branch, &AlertSubject::benchmark,
                           &AlertSubject::metric, &AlertSubject::fingerprint, &AlertSubject::change_point}) {
    AlertSubject other = kSubject;
    other.*field += "x";
    EXPECT_NE(alert_id(other), alert_id(kSubject));
  }
  EXPECT_NE(alert_id({"ab", "c", "", ""}), alert_id({"a", "bc", "", ""}));
}

TEST(AlertNoticeTest, IsNewsWhereTheStateIsAnotherAndSomebodyHasToKnow) {
  EXPECT_TRUE(is_news({}, AlertState::open));
  EXPECT_TRUE(is_news({}, AlertState::reopened));
  for (const auto state : {AlertState::acknowledged, AlertState::accepted, AlertState::resolved}) {
    EXPECT_FALSE(is_news({}, state));
    EXPECT_TRUE(is_news(AlertState::open, state));
    EXPECT_FALSE(is_news(state, state));
  }
}

}  // namespace

}  // namespace steelyard::storage::alert_test

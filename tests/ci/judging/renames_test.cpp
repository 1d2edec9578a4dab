// Histories that go on over a rename, and what is proposed where nobody has confirmed one.
#include <gmock/gmock.h>

#include "ci/judging/baseline_policy.hpp"
#include "ci/judging/rename_proposals.hpp"
#include "ci/judging/stored_series.hpp"
#include "ci/report/next_steps.hpp"

namespace steelyard::ci::renames_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

storage::HistorySeries series_of(const std::string& benchmark, const std::vector<std::int64_t>& times) {
  storage::HistorySeries series;
  series.benchmark = benchmark;
  series.metric = *well_known_metric(kRealTime);
  series.fingerprint = "m";
  for (const std::int64_t time : times) {
    storage::HistoryPoint point;
    point.at_unix_ns = time;
    point.commit = "c" + std::to_string(time);
    point.value = static_cast<double>(time);
    series.points.push_back(point);
  }
  return series;
}

void add(steelyard::Run& run, const std::string& name, double time, std::optional<double> count = {},
         const std::vector<std::string>& functions = {}) {
  Measurement measurement;
  measurement.benchmark = parse_google_benchmark_name(name);
  measurement.metric = *well_known_metric(kRealTime);
  measurement.invocations = {{0, {time, time * 1.01}, {}}};
  run.measurements.push_back(measurement);
  if (count) {
    measurement.metric = *well_known_metric(kInstructions);
    measurement.invocations = {{0, {*count}, {}}};
    run.measurements.push_back(measurement);
  }
  if (functions.empty()) return;
  CountedProfile profile;
  profile.benchmark = measurement.benchmark;
  for (const std::string& function : functions) {
    profile.functions.emplace_back();
    profile.functions.back().name = function;
  }
  run.profiles.push_back(profile);
}

TEST(CurrentNames, JoinWhatWasKeptUnderTwoNamesInTheOrderOfTime) {
  const auto never = [](const storage::HistoryQuery&) -> Result<std::vector<storage::HistorySeries>> {
    ADD_FAILURE() << "nothing more is to be asked";
    return std::vector<storage::HistorySeries>{};
  };
  storage::HistorySeries before = series_of("old", {1, 2, 5});
  before.conditions = {"x", "y"};
  before.points[1].condition = 1;
  storage::HistorySeries after = series_of("new", {3, 4, 6});
  after.conditions = {"y"};
  std::vector<std::string> notes;
  const auto joined = under_current_names({after, before, series_of("other", {1})}, {}, {{"old", "new"}}, never, notes);
  ASSERT_TRUE(joined);
  ASSERT_THAT(*joined, SizeIs(2));
  const storage::HistorySeries& whole = joined->front();
  EXPECT_EQ(whole.benchmark, "new");
  ASSERT_THAT(whole.points, SizeIs(6));
  for (std::int64_t i = 0; i < 6; ++i) EXPECT_EQ(whole.points[static_cast<std::size_t>(i)].at_unix_ns, i + 1);
  EXPECT_EQ(whole.conditions[static_cast<std::size_t>(whole.points[1].condition)], "y");
  EXPECT_EQ(whole.conditions[static_cast<std::size_t>(whole.points[0].condition)], "x");
}

TEST(CurrentNames, KeepEarlierNamesInOrderBesideThoseOfTheStore) {
  storage::HistorySeries first = series_of("z", {1});
  first.earlier_names = {"zz"};
  storage::HistorySeries today = series_of("new", {2});
  today.earlier_names = {"y", "zz"};
  std::vector<std::string> notes;
  const auto joined = under_current_names({first, today}, {}, {{"z", "new"}}, {}, notes);
  ASSERT_TRUE(joined);
  ASSERT_THAT(*joined, SizeIs(1));
  EXPECT_THAT(joined->front().earlier_names, ::testing::ElementsAre("y", "z", "zz"));
  const auto alone = under_current_names({first}, {}, {{"z", "new"}}, {}, notes);
  EXPECT_THAT(alone->front().earlier_names, ::testing::ElementsAre("z", "zz"));
}

TEST(CurrentNames, AskForTheEarlierNameOfABenchmarkThatIsNamed) {
  storage::HistoryQuery query;
  query.benchmark = "new/64";
  query.limit = 4;
  std::vector<std::string> asked;
  const auto read = [&](const storage::HistoryQuery& more) -> Result<std::vector<storage::HistorySeries>> {
    asked.push_back(more.benchmark);
    return std::vector<storage::HistorySeries>{series_of("old/64", {1, 2, 3}), series_of("old/8", {1, 2, 3})};
  };
  std::vector<std::string> notes;
  const auto joined = under_current_names({series_of("new/64", {4, 5})}, query, {{"old/*", "new/*"}}, read, notes);
  ASSERT_TRUE(joined);
  EXPECT_THAT(asked, ::testing::ElementsAre("old/"));
  ASSERT_THAT(*joined, SizeIs(1)) << "old/8 is new/8 today, and nobody asked for it";
  EXPECT_THAT(joined->front().points, SizeIs(4)) << "the oldest is beyond the limit";
  EXPECT_EQ(joined->front().points.front().at_unix_ns, 2);
}

TEST(CurrentNames, LeaveTwoSeriesOfWhichOneRunHasBothApartWithANoteAndJoinTheOthers) {
  storage::HistorySeries before = series_of("old", {1, 2});
  storage::HistorySeries after = series_of("new", {2, 3});
  before.points[1].run = after.points[0].run = "abcdef0123456789";
  for (const std::vector<storage::HistorySeries>& found :
       {std::vector{after, before, series_of("a/1", {1}), series_of("b/1", {2})},
        std::vector{before, after, series_of("a/1", {1}), series_of("b/1", {2})}}) {
    for (const std::vector<BenchmarkRename>& renames : {std::vector<BenchmarkRename>{{"old", "new"}, {"a/*", "b/*"}},
                                                        std::vector<BenchmarkRename>{{"new", "old"}, {"a/*", "b/*"}}}) {
      std::vector<std::string> notes;
      const auto joined = under_current_names(found, {}, renames, {}, notes);
      ASSERT_TRUE(joined) << joined.error().text();
      ASSERT_THAT(*joined, SizeIs(3));
      EXPECT_EQ((*joined)[0].benchmark, "b/1");
      EXPECT_THAT((*joined)[0].points, SizeIs(2));
      EXPECT_EQ((*joined)[1].benchmark, "new");
      EXPECT_EQ((*joined)[1].points.back().at_unix_ns, 3);
      EXPECT_EQ((*joined)[2].benchmark, "old");
      EXPECT_EQ((*joined)[2].points.back().at_unix_ns, 2);
      ASSERT_THAT(notes, SizeIs(1));
      EXPECT_THAT(notes[0], AllOf(HasSubstr("[rename] \"" + renames[0].from), HasSubstr("run:abcdef012345")));
    }
  }
}

TEST(CurrentNames, AreThoseOfARunsMeasurementsFailuresProfilesAndLabels) {
  steelyard::Run run;
  add(run, "old/8/threads:2", 100, 5000, {"f"});
  add(run, "other", 100);
  run.failures.push_back({parse_google_benchmark_name("old/8/threads:2"), "", -1, "x"});
  run.labels["old/8/threads:2"] = "label";
  ASSERT_TRUE(call_by_current_names({{"old/*", "new/size:*"}}, "it", run));
  const BenchmarkId today = parse_google_benchmark_name("new/size:8/threads:2");
  EXPECT_EQ(run.measurements[0].benchmark, today);
  EXPECT_EQ(run.measurements[1].benchmark, today);
  EXPECT_EQ(run.measurements[2].benchmark.name, "other");
  EXPECT_EQ(run.failures[0].benchmark, today);
  EXPECT_EQ(run.profiles[0].benchmark, today);
  EXPECT_EQ(run.labels.at("new/size:8/threads:2"), "label");

  BenchmarkId id = parse_google_benchmark_name("a b");
  id.suite = "old one";
  id.device = "gpu";
  EXPECT_EQ(current_id({{"a b [suite=old one,device=gpu]", "c [suite=new,device=gpu]"}}, id)->suite, "new");
  EXPECT_EQ(current_id({{"a b", "c"}}, id)->suite, "old one");
  EXPECT_EQ(current_id({{"a b", "c"}}, id)->device, "gpu");
  EXPECT_EQ(current_id({{"x", "c"}}, id), std::nullopt);
}

TEST(CurrentNames, FindTheAlertsOfEarlierNamesAndShowThemUnderTodays) {
  const auto alert = [](const std::string& id, const std::string& benchmark, std::int64_t changed) {
    storage::Alert one;
    one.id = id;
    one.subject.benchmark = benchmark;
    one.life.push_back({"opened", changed, "comparison:x", "", ""});
    return one;
  };
  const auto read = [&](const storage::AlertQuery& asked) -> Result<std::vector<storage::Alert>> {
    std::vector<storage::Alert> kept{alert("c", "new/64", 3)};
    if (asked.benchmark == "old/") {
      kept = {alert("e", "old/8", 7), alert("b", "old/8", 6), alert("a", "old/64", 5), alert("d", "old/64", 1)};
    }
    if (kept.size() > static_cast<std::size_t>(asked.limit)) kept.resize(static_cast<std::size_t>(asked.limit));
    return kept;
  };
  storage::AlertQuery query;
  query.benchmark = "new/64";
  query.limit = 2;
  const auto found = alerts_by_current_names({{"old/*", "new/*"}, {"x", "y"}}, query, [&](const auto& asked) {
    EXPECT_THAT(asked.benchmark, ::testing::AnyOf("new/64", "old/", "x"));
    return read(asked);
  });
  ASSERT_TRUE(found) << found.error().text();
  ASSERT_THAT(*found, SizeIs(2)) << "old/8 is new/8 today; what changed first is beyond the limit";
  EXPECT_EQ((*found)[0].id, "a");
  EXPECT_EQ((*found)[0].subject.benchmark, "new/64");
  EXPECT_EQ((*found)[1].id, "c") << "once, though two questions gave it";
}

TEST(CurrentNames, OfAChangePointTellWhatIsKeptUnderAnEarlierName) {
  const auto point = [](const std::string& benchmark, const std::string& id) {
    storage::KeptChangePoint one;
    one.project = "demo";
    one.benchmark = benchmark;
    one.metric = "real_time";
    one.fingerprint = "m";
    one.id = id;
    return one;
  };
  // As read by today's name, of rows that have "old", "new" and "other".
  const std::vector<storage::KeptChangePoint> kept{point("new", "1"), point("new", "2"), point("other", "3")};
  std::vector<storage::ChangePointEvent> events{{storage::ChangeEvent::gone, point("new", "1"), "c"},
                                                {storage::ChangeEvent::moved, point("new", "2"), "c"},
                                                {storage::ChangeEvent::confirmed, point("new", "4"), ""},
                                                {storage::ChangeEvent::gone, point("other", "3"), "c"}};
  under_kept_names(kept, {"old", "new", "other"}, events);
  EXPECT_EQ(events[0].point.benchmark, "old") << "whose alert ends";
  EXPECT_EQ(events[1].point.benchmark, "new");
  EXPECT_EQ(events[2].point.benchmark, "new") << "it is found under today's name";
  EXPECT_EQ(events[3].point.benchmark, "other");
}

TEST(CurrentNames, OfARunThatHasTheAxisAlreadyStay) {
  steelyard::Run older;
  steelyard::Run newer;
  add(older, "BM_gemm/8", 1);
  add(newer, "BM_gemm/8/k:3", 1);
  for (steelyard::Run* run : {&older, &newer}) {
    ASSERT_TRUE(call_by_current_names({{"BM_gemm/*", "BM_gemm/*/k:3"}}, "the run", *run));
    EXPECT_EQ(run->measurements[0].benchmark.canonical(), "BM_gemm/8/k:3");
  }
}

TEST(CurrentNames, LeaveEverythingAsItIsWithoutRenames) {
  std::vector<std::string> notes;
  const auto same = under_current_names({series_of("b", {1}), series_of("a", {1})}, {}, {}, {}, notes);
  ASSERT_TRUE(same);
  EXPECT_EQ(same->front().benchmark, "b");
}

TEST(LinesOfTheCandidateAlone, CountForNoBenchmarkThatItStillHasOrThatTheBaselineHas) {
  const std::vector<BenchmarkRename> renames{{"first", "old"}, {"old*", "new*", true}, {"x", "y", true}};
  const auto count = [&](const std::set<std::string>& older, const std::set<std::string>& newer) {
    return earlier_names_of(renames_that_count(renames, older, newer));
  };
  EXPECT_EQ(count({"first", "old/8"}, {"new", "new/8"}), (EarlierNames{{"new", "old"}, {"new/8", "old/8"}}));
  EXPECT_EQ(count({"old", "old/8"}, {"old", "new", "new/8"}), (EarlierNames{{"new/8", "old/8"}})) << "it has old still";
  EXPECT_THAT(count({"old"}, {"other"}), IsEmpty()) << "it has no new";
  EXPECT_THAT(count({"x", "y"}, {"y"}), IsEmpty()) << "two benchmarks of the baseline, of which one is gone";
  EXPECT_THAT(count({"old?"}, {"new?", "newx"}), IsEmpty()) << "a table's pattern of new? would match newx";
  EXPECT_EQ(renames_that_count(renames, {}, {}), (std::vector<BenchmarkRename>{{"first", "old"}}));
}

TEST(LinesOfTheCandidateAlone, LeaveTheTablesAndTargetsOfTheEarlierNameInForce) {
  PatternPolicy loose;
  loose.match = "free*";
  loose.gates = std::vector<std::string>();
  PatternPolicy strict;
  strict.match = "BM_critical*";
  strict.gates = std::vector<std::string>{"real_time"};
  strict.minimum_effect = 0.001;
  PatternPolicy accepted = loose;
  accepted.match = "free/1";
  accepted.accepted_by = "ada";
  Configuration configuration;
  configuration.policy.comparison.patterns = {strict, loose, accepted};
  configuration.targets = {{"free*", {}}, {"BM_critical/1", {}}};
  configuration.renames = {{"BM_critical*", "free*", true}};
  const Configuration held = with_earlier_names(configuration, {{"free/1", "BM_critical/1"}});
  const std::vector<PatternPolicy>& tables = held.policy.comparison.patterns;
  ASSERT_THAT(tables, SizeIs(4));
  EXPECT_EQ(tables[2].match, "free/1");
  EXPECT_EQ(tables[2].gates, strict.gates) << "behind the table that the new name would have chosen";
  EXPECT_EQ(tables[2].minimum_effect, 0.001);
  EXPECT_EQ(tables[3], accepted) << "what a person accepts of the new name holds";
  ASSERT_THAT(held.targets, SizeIs(2));
  EXPECT_EQ(held.targets[0].benchmark, "free/1");
  EXPECT_EQ(held.renames, (std::vector<BenchmarkRename>{{"BM_critical/1", "free/1", true}}));
  EXPECT_THAT(with_earlier_names(configuration, {}).renames, IsEmpty());
}

// Of steelyard.toml, as a report has them.
std::vector<std::string> lines_of(const std::vector<RenameProposal>& proposals) {
  Comparison comparison;
  comparison.rename_proposals = proposals;
  std::vector<std::string> lines;
  for (const NextStep& step : next_steps(comparison)) lines.push_back(step.command);
  return lines;
}

TEST(ProposedRenames, AreOfWhatExecutesTheSameWhateverItIsCalled) {
  steelyard::Run before;
  steelyard::Run after;
  add(before, "BM_tokenize", 100, 5000, {"tokenize", "next"});
  add(before, "BM_kept", 10, 100, {"kept"});
  add(after, "Lexer_words", 101, 5003, {"tokenize", "next"});
  add(after, "BM_kept", 10, 100, {"kept"});
  add(after, "BM_tokenizer", 900, 91000, {"other", "thing"});
  const std::vector<RenameProposal> proposals = propose_renames(before, after);
  ASSERT_THAT(proposals, SizeIs(1));
  EXPECT_EQ(proposals[0].from, "BM_tokenize");
  EXPECT_EQ(proposals[0].to, "Lexer_words") << "its name is less like, its code and count are the same";
  EXPECT_THAT(lines_of(proposals), ElementsAre("\"BM_tokenize\" = \"Lexer_words\""));
}

TEST(ProposedRenames, AreOfAnAxisThatAppeared) {
  steelyard::Run before;
  steelyard::Run after;
  add(before, "BM_sort", 100);
  add(after, "BM_sort/size:1024", 102);
  add(after, "BM_sort/size:2048", 210);
  const std::vector<RenameProposal> proposals = propose_renames(before, after);
  ASSERT_THAT(proposals, SizeIs(1));
  EXPECT_EQ(proposals[0].to, "BM_sort/size:1024") << "by its time";
}

TEST(ProposedRenames, WriteStarsOfNamesSoThatTheyMatchThemselvesAlone) {
  steelyard::Run before;
  steelyard::Run after;
  add(before, "BM_copy<int*>", 100, 5000, {"copy"});
  add(after, "BM_copy<char*>", 100, 5000, {"copy"});
  EXPECT_THAT(lines_of(propose_renames(before, after)), ElementsAre(R"("BM_copy<int\\*>" = "BM_copy<char\\*>")"));
}

TEST(ProposedRenames, CompareAllOfNamesThatBeginAlikeFor64Characters) {
  const std::string folder(80, 'f');
  steelyard::Run before;
  steelyard::Run after;
  add(before, folder + "/tokenize", 100);
  add(after, folder + "/quicksort_parallel", 100);
  const std::vector<RenameProposal> proposals = propose_renames(before, after);
  ASSERT_THAT(proposals, SizeIs(1)) << "by the folder and the time";
  EXPECT_LT(proposals[0].names, 0.9);
  EXPECT_GT(proposals[0].names, 0.75);

  steelyard::Run other;
  add(other, std::string(90, 'o'), 100);
  EXPECT_THAT(propose_renames(before, other), IsEmpty());
}

TEST(ProposedRenames, LackCountsWhereBothSidesHaveOthersAndOneHasNoCount) {
  steelyard::Run before;
  steelyard::Run after;
  add(before, "BM_kept", 100, 5000, {"kept"});
  add(before, "BM_tokenize", 100);
  add(after, "BM_kept", 100, 5000, {"kept"});
  EXPECT_FALSE(lacks_counts_of_renames(before, after)) << "nothing is new";
  add(after, "Lexer_words", 300);
  EXPECT_THAT(propose_renames(before, after), IsEmpty());
  EXPECT_TRUE(lacks_counts_of_renames(before, after)) << "the count of what is on both sides says nothing";
  add(after, "BM_hash", 7, 12, {"hash"});
  EXPECT_TRUE(lacks_counts_of_renames(before, after)) << "those of the baseline have none";
  add(before, "BM_find", 9, 80, {"find"});
  EXPECT_FALSE(lacks_counts_of_renames(before, after));
}

TEST(ProposedRenames, AreNoneOfWhatIsUnlikeOrStillThere) {
  steelyard::Run before;
  steelyard::Run after;
  add(before, "BM_tokenize", 100, 5000, {"tokenize"});
  add(after, "quicksort/parallel", 7, 12, {"sort"});
  EXPECT_THAT(propose_renames(before, after), IsEmpty());
  EXPECT_THAT(propose_renames(before, before), IsEmpty());
  EXPECT_THAT(lines_of({}), IsEmpty());
}

}  // namespace
}  // namespace steelyard::ci::renames_test

// The search for a commit, with building and measuring stood in for (made_commits.hpp).
#include "ci/judging/bisect.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "ci/report/changes.hpp"
#include "tests/ci/judging/made_commits.hpp"

namespace steelyard::ci::bisect_test {
namespace {

using regress::BisectionEnd;
using regress::ProbeAnswer;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

BisectReport searched(const BisectQuestion& question, MadeWorld& made) {
  KeptBisect kept;
  Result<BisectReport> report = bisect(question, made.world(), kept);
  EXPECT_TRUE(report) << (report ? "" : report.error().text());
  return report ? std::move(report).value() : BisectReport{};
}

TEST(BisectedLine, NamesTheEndsThatItRefusesAsEveryReportDoes) {
  BisectQuestion question;
  question.good = std::string(40, 'a');
  question.bad = std::string(40, 'b');
  const auto refusal = [&question](std::vector<std::string> found) {
    const auto line = bisected_line(question, [&](const auto&, const auto&) { return Result(std::move(found)); });
    return line ? "none" : line.error().text();
  };
  EXPECT_THAT(refusal({}), HasSubstr("found bbbbbbbbb is reached from aaaaaaaaa, "));
  EXPECT_THAT(refusal({std::string(40, 'c'), question.bad}),
              AllOf(HasSubstr("aaaaaaaaa is not on the line of first parents of bbbbbbbbb, "),
                    testing::EndsWith("at ccccccccc")));
}

TEST(Bisect, FindsAPlantedChangeOfTimeOf3PercentIn20Of20TriesWithAtMost9BuildsOnAverage) {
  constexpr std::size_t kCommits = 65;  // the good end and 64 that can be the cause
  std::size_t builds = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::size_t place = 1 + (seed * 37) % (kCommits - 1);
    MadeWorld made(slower_from(kCommits, place, 1.03), seed);
    const BisectReport report = searched(question_of(kCommits), made);
    EXPECT_EQ(report.end, BisectionEnd::found) << "seed " << seed;
    ASSERT_TRUE(report.culprit) << "seed " << seed;
    EXPECT_EQ(report.culprit->sha, commit_at(place)) << "seed " << seed;
    EXPECT_EQ(report.before->sha, commit_at(place - 1));
    EXPECT_EQ(report.witness, ProbeWitness::values) << "counts are equal and tell nothing";
    EXPECT_DOUBLE_EQ(report.wrong_commit, 0.005);
    builds += made.builds();
  }
  EXPECT_LE(builds, 20U * 9U);
}

TEST(Bisect, FindsAFasterCommitAsWell) {
  MadeWorld made(slower_from(33, 11, 1 / 1.05), 3);
  const BisectReport report = searched(question_of(33), made);
  ASSERT_TRUE(report.culprit);
  EXPECT_EQ(report.culprit->sha, commit_at(11));
  EXPECT_LT(*report.check->ratio, 1);
}

TEST(Bisect, OfACountIsExactAndTimesNothing) {
  for (std::size_t place = 1; place < 65; ++place) {
    std::vector<MadeCommit> commits(65);
    for (std::size_t i = place; i < commits.size(); ++i) commits[i].count = 1001;
    MadeWorld made(commits);
    const BisectReport report = searched(question_of(65, kInstructions), made);
    ASSERT_TRUE(report.culprit);
    EXPECT_EQ(report.culprit->sha, commit_at(place));
    EXPECT_EQ(made.timed(), 0U);
    EXPECT_EQ(report.check->functions, (std::vector<FunctionChange>{{"culprit()", "a.cpp"}}));
    EXPECT_EQ(report.others, OtherChanges::none);
    EXPECT_EQ(report.wrong_commit, 0);
    EXPECT_LE(made.builds(), 8U);
  }
}

TEST(Bisect, OfACountThatWasZeroIsWorseAndSaysItsLevels) {
  std::vector<MadeCommit> commits(17);
  for (std::size_t i = 0; i < commits.size(); ++i) commits[i].count = i < 9 ? 0 : 5;
  MadeWorld made(commits);
  const BisectReport report = searched(question_of(17, "allocations"), made);
  ASSERT_TRUE(report.culprit);
  EXPECT_EQ(report.culprit->sha, commit_at(9));
  EXPECT_TRUE(became_worse(report));
  EXPECT_THAT(terminal_bisect(report, {}), HasSubstr("allocations from 0 to 5, exactly"));

  for (MadeCommit& commit : commits) commit.count = 5 - commit.count;
  MadeWorld back(commits);
  const BisectReport better = searched(question_of(17, "allocations"), back);
  ASSERT_TRUE(better.culprit);
  EXPECT_EQ(better.culprit->sha, commit_at(9));
  EXPECT_FALSE(became_worse(better));
}

TEST(Bisect, OfTimeGoesByCountsWhereTheyChangedAsWellAndThenMeasuresTheTimeOnce) {
  std::vector<MadeCommit> commits = slower_from(65, 41, 1.05);
  for (std::size_t i = 41; i < commits.size(); ++i) commits[i].count = 1100;
  MadeWorld made(commits);
  const BisectReport report = searched(question_of(65), made);
  ASSERT_TRUE(report.culprit);
  EXPECT_EQ(report.culprit->sha, commit_at(41));
  EXPECT_EQ(report.witness, ProbeWitness::counts);
  EXPECT_EQ(made.timed(), 2U) << "the ends, and the commit against the one before";
  EXPECT_EQ(report.check->answer, ProbeAnswer::changed);
  ASSERT_TRUE(report.check_count);
  EXPECT_THAT(report.check_count->functions, SizeIs(1));
  EXPECT_DOUBLE_EQ(report.wrong_commit, 0.005);
  EXPECT_THAT(terminal_bisect(report, {}), HasSubstr("found by counts of instructions"));
}

TEST(Bisect, NamesNoCommitOfTimeByCountsWhereItsTimeCannotBeTold) {
  std::vector<MadeCommit> commits = slower_from(9, 6, 1.05);
  for (std::size_t i = 3; i < commits.size(); ++i) commits[i].count = 1100;
  MadeWorld made(commits);
  BisectWorld world = made.world();
  const auto probe = world.probe;
  world.probe = [&](const ProbeQuestion& question) -> Result<ProbeData> {
    Result<ProbeData> data = probe(question);
    const bool is_check = question.candidate == commit_at(3) && question.baseline == commit_at(2);
    if (data && is_check && question.witness == ProbeWitness::values) data->row->verdict = Verdict::inconclusive;
    return data;
  };
  KeptBisect kept;
  const Result<BisectReport> report = bisect(question_of(9), world, kept);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->witness, ProbeWitness::values);
  ASSERT_TRUE(report->culprit);
  EXPECT_EQ(report->culprit->sha, commit_at(6));
}

TEST(Bisect, AllowsACheckWithoutProbesAndTheSearchBehindItHalfOfTheStatedErrorEach) {
  std::vector<MadeCommit> commits = slower_from(65, 20, 1.06);
  for (std::size_t i = 50; i < commits.size(); ++i) commits[i].count = 1100;
  MadeWorld made(commits);
  BisectWorld world = made.world();
  const auto probe = world.probe;
  std::vector<double> levels;  // of checks by time, in their order
  world.probe = [&](const ProbeQuestion& question) {
    const bool is_check = question.purpose == regress::ProbePurpose::check;
    if (is_check && question.witness == ProbeWitness::values) levels.push_back(question.false_alarm_rate);
    return probe(question);
  };
  KeptBisect kept;
  const BisectQuestion question = question_of(65);
  ASSERT_TRUE(bisect(question, world, kept));
  const double of_the_line = question.rate / 2;
  ASSERT_GE(levels.size(), 2U);
  EXPECT_DOUBLE_EQ(levels.front(), regress::kProbesShare * of_the_line / 2 / 3);
  EXPECT_DOUBLE_EQ(levels.back(), regress::bisection_levels(65, of_the_line / 2).check);
}

TEST(Bisect, GoesByTimeWhereTheCommitThatChangedTheCountIsNotTheOne) {
  std::vector<MadeCommit> commits = slower_from(65, 20, 1.06);
  for (std::size_t i = 50; i < commits.size(); ++i) commits[i].count = 1100;
  MadeWorld made(commits);
  const BisectReport report = searched(question_of(65), made);
  ASSERT_TRUE(report.culprit);
  EXPECT_EQ(report.culprit->sha, commit_at(20));
  EXPECT_EQ(report.witness, ProbeWitness::values);
}

TEST(Bisect, OfTwoChangesFindsOneAndSaysThatThereIsAnother) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    std::vector<MadeCommit> commits = slower_from(65, 15 + seed, 1.04);
    for (std::size_t i = 40 + seed; i < commits.size(); ++i) commits[i].time *= 1.04;
    MadeWorld made(commits, seed);
    const BisectReport report = searched(question_of(65), made);
    ASSERT_TRUE(report.culprit) << seed;
    const bool is_either = report.culprit->sha == commit_at(15 + seed) || report.culprit->sha == commit_at(40 + seed);
    EXPECT_TRUE(is_either) << seed << ": " << report.culprit->sha;
    EXPECT_NE(report.others, OtherChanges::none) << seed;
    EXPECT_NEAR(*report.rest, 1.04, 0.03) << seed;
  }
}

TEST(Bisect, OfTwoChangesOfACountSaysThatTheOtherIsSure) {
  std::vector<MadeCommit> commits(65);
  for (std::size_t i = 10; i < commits.size(); ++i) commits[i].count = 1020;
  for (std::size_t i = 50; i < commits.size(); ++i) commits[i].count = 1040;
  MadeWorld made(commits);
  const BisectReport report = searched(question_of(65, kInstructions), made);
  ASSERT_TRUE(report.culprit);
  EXPECT_EQ(report.culprit->sha, commit_at(10)) << "a level between the ends has a change behind it";
  EXPECT_EQ(report.others, OtherChanges::shown);
  const std::string again = "steelyard bisect ";
  EXPECT_THAT(terminal_bisect(report, {}),
              AllOf(HasSubstr("this is not all"), HasSubstr(again + commit_at(0) + ' ' + commit_at(9) + ' '),
                    HasSubstr(again + commit_at(10) + ' ' + commit_at(64) + ' ')));
}

TEST(Bisect, OfABuildThatFailedSaysTheLineThatTellsTheError) {
  const std::string found = "build of 1a2b3c4d5: found \"make\" exited with 2; its last lines:";
  EXPECT_EQ(
      trouble_text(found + "\n  lib.cpp: In function 'f':\n  lib.cpp:3:1: error: no type\n  make: *** [bench] Error 1"),
      found + " lib.cpp:3:1: error: no type");
  EXPECT_EQ(trouble_text(found + "\n  make: *** No rule to make target 'bench'.  Stop.\n"),
            found + " make: *** No rule to make target 'bench'.  Stop.");
  EXPECT_EQ(trouble_text("it does not build"), "it does not build");
  EXPECT_EQ(trouble_text(found + '\n' + std::string(300, '\x80')), found + ' ') << "no beginning of a character";
}

TEST(Bisect, WidensToARangeWhatDoesNotBuild) {
  std::vector<MadeCommit> commits(33);
  for (std::size_t i = 12; i < commits.size(); ++i) commits[i].count = 1100;
  for (std::size_t i = 11; i < 14; ++i) commits[i].builds = false;
  MadeWorld made(commits);
  const BisectReport report = searched(question_of(33, kInstructions), made);
  EXPECT_EQ(report.end, BisectionEnd::range);
  EXPECT_EQ(report.before->sha, commit_at(10));
  EXPECT_EQ(report.culprit->sha, commit_at(14));
  std::vector<std::string> names;
  for (const Commit& commit : report.range) names.push_back(commit.sha);
  EXPECT_THAT(names, ElementsAre(commit_at(11), commit_at(12), commit_at(13)));
  EXPECT_THAT(terminal_bisect(report, {}), AllOf(HasSubstr("4 commits can be the one"), HasSubstr("does not build")));
}

TEST(Bisect, CountsAllOfARangeThatIsLongerThanWhatItDescribes) {
  std::vector<MadeCommit> commits(300);
  for (std::size_t i = 1; i < commits.size(); ++i) commits[i].builds = i + 1 == commits.size();
  commits.back().count = 1100;
  MadeWorld made(commits);
  const BisectReport report = searched(question_of(300, kInstructions), made);
  EXPECT_EQ(report.end, BisectionEnd::range);
  EXPECT_EQ(report.range_size, 298U);
  EXPECT_THAT(terminal_bisect(report, {}), HasSubstr("299 commits can be the one"));
}

// c1000 .. c1010 with a merge at c1005 of a branch that left at c1003.
MadeWorld with_branch(const std::vector<double>& branch_counts, double from_merge) {
  std::vector<MadeCommit> commits(11);
  for (std::size_t i = 5; i < commits.size(); ++i) commits[i].count = from_merge;
  MadeWorld made(commits);
  std::string parent = commit_at(3);
  for (std::size_t i = 0; i < branch_counts.size(); ++i) {
    const std::string name = "b" + std::to_string(i);
    made.set(name, {1, branch_counts[i]}, {parent});
    parent = name;
  }
  made.set(commit_at(5), {1, from_merge}, {commit_at(4), parent});
  return made;
}

TEST(Bisect, FollowsFirstParentsAndThenLooksIntoTheMerge) {
  MadeWorld made = with_branch({1000, 1000, 1100, 1100, 1100}, 1100);
  const BisectReport report = searched(question_of(11, kInstructions), made);
  ASSERT_TRUE(report.culprit);
  EXPECT_EQ(report.culprit->sha, "b2");
  EXPECT_EQ(report.before->sha, "b1");
  ASSERT_THAT(report.merges, SizeIs(1));
  EXPECT_EQ(report.merges[0].sha, commit_at(5));
  EXPECT_FALSE(report.is_merge_itself);
}

TEST(Bisect, NamesTheMergeWhereNothingOfWhatItMergedShowsTheChange) {
  MadeWorld made = with_branch({1000, 1000, 1000}, 1100);
  const BisectReport report = searched(question_of(11, kInstructions), made);
  ASSERT_TRUE(report.culprit);
  EXPECT_EQ(report.culprit->sha, commit_at(5));
  EXPECT_TRUE(report.is_merge_itself);
  EXPECT_THAT(terminal_bisect(report, {}), HasSubstr("the merge itself changed"));
  EXPECT_THAT(report.merges, SizeIs(0));
}

TEST(Bisect, OfAMergeThatBroughtTwoEqualChangesNamesOneAndSaysThatThereIsAnother) {
  MadeWorld made = with_branch({1000, 1050, 1050, 1102.5}, 1102.5);
  const BisectReport report = searched(question_of(11, kInstructions), made);
  ASSERT_TRUE(report.culprit);
  EXPECT_EQ(report.culprit->sha, "b1");
  ASSERT_TRUE(report.rest);
  EXPECT_NEAR(*report.rest, 1.05, 1e-9);
  EXPECT_EQ(report.others, OtherChanges::shown);
}

TEST(Bisect, SaysThatNothingChangedWhereTheEndsAreAlike) {
  MadeWorld made{std::vector<MadeCommit>(65)};
  const BisectReport report = searched(question_of(65), made);
  EXPECT_EQ(report.end, BisectionEnd::ends_alike);
  EXPECT_FALSE(report.culprit);
  EXPECT_EQ(made.builds(), 2U);
  EXPECT_THAT(terminal_bisect(report, {}), HasSubstr("did not change between the ends"));
}

TEST(Bisect, RefusesEndsThatDoNotFollowEachOther) {
  MadeWorld made{std::vector<MadeCommit>(9)};
  BisectQuestion question = question_of(9);
  std::swap(question.good, question.bad);
  KeptBisect kept;
  const Result<BisectReport> report = bisect(question, made.world(), kept);
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().text(), ::testing::HasSubstr("name the older commit first"));
}

TEST(Bisect, GoesOnAfterAnInterruptionWithoutMeasuringAnythingTwice) {
  std::string folder = (std::filesystem::temp_directory_path() / "steelyard-bisect-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  std::vector<MadeCommit> commits(65);
  for (std::size_t i = 29; i < commits.size(); ++i) commits[i].count = 1100;
  const BisectQuestion question = question_of(65, kInstructions);
  MadeWorld whole(commits);
  const BisectReport once = searched(question, whole);
  for (std::size_t stop = 0; stop < once.probes.size(); ++stop) {
    std::filesystem::remove_all(std::filesystem::path(folder) / "kept");
    {
      MadeWorld made(commits);
      made.stop_after(stop);
      Result<KeptBisect> kept = read_kept_bisect(std::filesystem::path(folder) / "kept", question);
      ASSERT_TRUE(kept);
      EXPECT_FALSE(bisect(question, made.world(), *kept));
    }
    Result<KeptBisect> kept = read_kept_bisect(std::filesystem::path(folder) / "kept", question);
    ASSERT_TRUE(kept) << kept.error().text();
    EXPECT_THAT(kept->probes, SizeIs(stop));
    const std::filesystem::path kept_in = std::filesystem::path(folder) / "kept";
    ASSERT_THAT(kept_bisect_ids(kept_in), ElementsAre(question.identity()));
    const Result<BisectSearch> halfway = kept_bisect(kept_in, question.identity());
    ASSERT_TRUE(halfway);
    EXPECT_EQ(halfway->id, question.identity());
    EXPECT_EQ(halfway->commits, 64);
    EXPECT_EQ(halfway->measuring, once.probes[stop].candidate);
    EXPECT_EQ(halfway->end, "");
    EXPECT_GT(halfway->at_unix_ns, 0);
    MadeWorld made(commits);
    made.stop_after(once.probes.size() - stop);
    const Result<BisectReport> report = bisect(question, made.world(), *kept);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->culprit->sha, commit_at(29));
    EXPECT_EQ(report->probes, once.probes);
    const Result<BisectSearch> whole_search = kept_bisect(kept_in, question.identity());
    ASSERT_TRUE(whole_search);
    EXPECT_EQ(whole_search->end, "found");
    EXPECT_EQ(whole_search->culprit, commit_at(29));
    EXPECT_EQ(whole_search->measuring, "");
    EXPECT_EQ(whole_search->left, 1);
  }
  std::filesystem::remove_all(folder);
}

TEST(Bisect, HasAFileForEachQuestion) {
  const BisectQuestion question = question_of(65);
  for (auto change : {+[](BisectQuestion& other) { other.good = "x"; }, +[](BisectQuestion& other) { other.bad = "x"; },
                      +[](BisectQuestion& other) { other.benchmark = "BM_1"; },
                      +[](BisectQuestion& other) { other.build_command = "make"; },
                      +[](BisectQuestion& other) { other.repository = "/x"; },
                      +[](BisectQuestion& other) { other.renames = "\n[rename]\n\"BM_old\" = \"BM_0\"\n"; },
                      +[](BisectQuestion& other) { other.metric.name = "cpu_time"; },
                      +[](BisectQuestion& other) { other.budget = seconds(300); },
                      +[](BisectQuestion& other) { other.rate = 0.01; }}) {
    BisectQuestion other = question;
    change(other);
    EXPECT_NE(other.identity(), question.identity());
  }
}

TEST(Bisect, RefusesAKeptFileThatIsDamaged) {
  std::string folder = (std::filesystem::temp_directory_path() / "steelyard-bisect-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const BisectQuestion question = question_of(65);
  std::ofstream(std::filesystem::path(folder) / (question.identity() + ".json")) << "{\"schema\": \"steelyard.bi";
  const Result<KeptBisect> kept = read_kept_bisect(folder, question);
  ASSERT_FALSE(kept);
  EXPECT_THAT(kept.error().text(), ::testing::HasSubstr(question.identity()));
  EXPECT_FALSE(kept_bisect(folder, question.identity()));
  std::filesystem::remove_all(folder);
}

// What the report of changes offers where the repository at hand has several commits in a finding's range.
TEST(ChangesOfferABisect, WhereSeveralCommitsCanBeTheCauseAndNotOfOne) {
  ChangesReport report;
  Series series;
  series.name = "BM_sort/1024";
  series.metric = "instructions";
  series.points = {{{1.0}, "0123456789abcdef", "m", ""}, {{2.0}, "fedcba9876543210", "m", ""}};
  report.series = {series};
  ChangePoint point;
  point.index = 1;
  report.changes = {{point}};
  regress::ChangeFinding finding;
  finding.members = {{0, 0}};
  finding.commit = finding.newest = "fedcba9876543210";
  finding.last_good = "0123456789abcdef";
  report.findings = {finding};
  const std::string command = "steelyard bisect 012345678 fedcba987 'BM_sort/1024' --metric instructions";
  for (const std::size_t commits : {0U, 1U, 2U, 40U}) {
    report.commits_to_search = {commits};
    const bool is_offered = commits > 1;
    EXPECT_EQ(search_step(report, 0), is_offered ? command : "");
    const bool is_told = terminal_changes(report, {}).find("find the commit: " + command) != std::string::npos;
    EXPECT_EQ(is_told, is_offered);
    EXPECT_EQ(json_changes(report).find("\"bisect\"") != std::string::npos, is_offered);
    EXPECT_EQ(markdown_changes(report).find(command) != std::string::npos, is_offered);
  }
  report.findings[0].last_good = "release-1.11.0";
  report.findings[0].commit = report.findings[0].newest = "release-1.12.0";
  EXPECT_THAT(search_step(report, 0), HasSubstr(" release-1.11.0 release-1.12.0 ")) << "as git knows them";
  report.series[0].metric = "of my own";
  EXPECT_EQ(search_step(report, 0), "") << "a metric that nobody can measure here";
}

}  // namespace
}  // namespace steelyard::ci::bisect_test

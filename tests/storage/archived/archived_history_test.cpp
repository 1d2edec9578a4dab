#include "storage/archived/archived_history.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "bench/model/sha256.hpp"
#include "storage/archive/archive.hpp"
#include "tests/storage/postgres/example_run.hpp"

namespace steelyard::storage::archived_history_test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kDay = 86'400;

class ArchivedHistoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = "/tmp/steelyard-archived-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }
  // One benchmark, the value of each of its invocations, at a commit of that day.
  static steelyard::Run run_of(const std::string& benchmark, std::vector<double> values, int day) {
    steelyard::Run run;
    run.header.created_at_unix_ns = 1'700'000'000'000'000'000 + day;
    run.header.project = "demo";
    run.header.commit = {sha256_hex(std::to_string(day)).substr(0, 40), "", "main", "day " + std::to_string(day),
                         1'600'000'000 + day * kDay};
    run.environment.facts = {{"cpu.model", "any", true}};
    Measurement measurement;
    measurement.benchmark.name = benchmark;
    measurement.metric = *well_known_metric(kRealTime);
    for (std::size_t i = 0; i < values.size(); ++i) {
      measurement.invocations.push_back({static_cast<std::uint32_t>(i), {values[i]}, {}});
      run.invocations.push_back({static_cast<std::int32_t>(i), 0, -1, run.header.created_at_unix_ns, 1});
    }
    run.measurements = {measurement};
    return run;
  }
  void write(const std::string& name, steelyard::Run run) {
    seal(run);
    fs::create_directories((folder_ / name).parent_path());
    const auto written = write_archive(folder_ / name, run);
    ASSERT_TRUE(written) << written.error().text();
  }
  ArchivedHistory read(const HistoryQuery& query = {}) {
    auto history = read_archived_history(folder_, query, {});
    if (!history) throw std::runtime_error(history.error().text());
    return std::move(history).value();
  }
  static std::vector<double> values_of(const HistorySeries& series) {
    std::vector<double> values;
    for (const HistoryPoint& point : series.points) values.push_back(point.value);
    return values;
  }
  std::vector<std::string> benchmarks(const HistoryQuery& query) {
    std::vector<std::string> names;
    for (const HistorySeries& series : read(query).series) names.push_back(series.benchmark);
    return names;
  }
  fs::path folder_;
};

TEST_F(ArchivedHistoryTest, TellsTheMedianOfTheInvocationsInTheOrderOfTheCommitsDates) {
  write("late.syrun", run_of("sort", {30, 10, 20}, 3));
  write("below/early.syrun", run_of("sort", {1, 2}, 1));
  const ArchivedHistory history = read();
  EXPECT_EQ(history.archives, 2);
  ASSERT_EQ(history.series.size(), 1U);
  EXPECT_THAT(values_of(history.series[0]), ElementsAre(1.5, 20));
  EXPECT_EQ(history.series[0].points[1].subject, "day 3");
  EXPECT_EQ(history.series[0].points[1].samples, 3);
  EXPECT_EQ(history.series[0].points[1].invocations, 3);
}

TEST_F(ArchivedHistoryTest, TellsARunThatLiesThereTwiceOnce) {
  write("a.syrun", run_of("sort", {1}, 1));
  write("copy/of/a.syrun", run_of("sort", {1}, 1));
  EXPECT_EQ(read().archives, 1);
  EXPECT_THAT(values_of(read().series.at(0)), ElementsAre(1));
}

TEST_F(ArchivedHistoryTest, KeepsTheNewestPointsWhateverTheOrderOfTheFiles) {
  const std::vector<int> days{5, 1, 4, 2, 3};
  for (std::size_t i = 0; i < days.size(); ++i) {
    write(std::to_string(i) + ".syrun", run_of("sort", {static_cast<double>(days[i])}, days[i]));
  }
  HistoryQuery query;
  query.limit = 3;
  EXPECT_THAT(values_of(read(query).series.at(0)), ElementsAre(3, 4, 5));
  query.limit = 0;
  EXPECT_THAT(read(query).series, IsEmpty());
}

TEST_F(ArchivedHistoryTest, AWholeNameMeansThatBenchmarkAloneWhereverItComes) {
  write("1.syrun", run_of("sort_pairs", {1}, 1));
  write("2.syrun", run_of("sort", {1}, 2));
  write("3.syrun", run_of("sort_keys", {1}, 3));
  HistoryQuery query;
  query.benchmark = "sort";
  EXPECT_THAT(benchmarks(query), ElementsAre("sort"));
  query.benchmark = "sort_";
  EXPECT_THAT(benchmarks(query), ElementsAre("sort_keys", "sort_pairs"));
  query.benchmark = "merge";
  EXPECT_THAT(benchmarks(query), IsEmpty());
}

TEST_F(ArchivedHistoryTest, ChoosesByMetricBranchAndProject) {
  steelyard::Run other = run_of("other", {1}, 1);
  other.header.commit.branch = "topic";
  other.measurements[0].metric = *well_known_metric("cpu_time");
  steelyard::Run third = run_of("third", {1}, 2);
  third.header.project = "elsewhere";
  write("1.syrun", run_of("sort", {1}, 1));
  write("2.syrun", other);
  write("3.syrun", third);
  HistoryQuery query;
  EXPECT_THAT(benchmarks(query), ElementsAre("sort", "third"));
  query.project = "demo";
  EXPECT_THAT(benchmarks(query), ElementsAre("sort"));
  query.metric = "cpu_time";
  EXPECT_THAT(benchmarks(query), ElementsAre("other"));
  query.branch = "main";
  EXPECT_THAT(benchmarks(query), IsEmpty());
}

TEST_F(ArchivedHistoryTest, NamesTheHostsOfEachMachine) {
  int day = 0;
  const auto write_of = [&](const std::string& cpu, const std::string& host, const std::string& project = "demo") {
    steelyard::Run run = run_of("sort", {1}, ++day);
    run.header.project = project;
    run.environment.facts = {{"cpu.model", cpu, true}, {"google.host_name", host, false}};
    if (cpu == "beside a device") run.environment.facts.push_back({"gpu.uuid", "GPU-1", true});
    write(std::to_string(day) + ".syrun", run);
    return run.environment.fingerprint();
  };
  const std::string several = write_of("any", "a");
  write_of("any", "b");
  write_of("any", "b");
  write_of("any", "c", "elsewhere");
  const std::string one = write_of("of one", "a");
  write_of("beside a device", "a");
  write_of("beside a device", "b");
  HistoryQuery query;
  query.project = "demo";
  EXPECT_EQ(read(query).hosts, (HostsByMachine{{several, {"a", "b"}}, {one, {"a"}}}));
}

TEST_F(ArchivedHistoryTest, NamesABadArchiveAndReadsTheOthers) {
  write("good.syrun", run_of("sort", {1}, 1));
  std::ofstream(folder_ / "bad.syrun") << "no archive";
  std::ofstream(folder_ / "README.md") << "not one of ours";
  const ArchivedHistory history = read();
  ASSERT_EQ(history.bad.size(), 1U);
  EXPECT_THAT(history.bad[0].text(), HasSubstr("bad.syrun"));
  EXPECT_EQ(history.series.size(), 1U);
}

TEST_F(ArchivedHistoryTest, TakesNoArchiveWithTheIdOfAnotherContentForTheRunOfThatId) {
  steelyard::Run forged = run_of("sort", {1}, 1);
  write("b_true.syrun", forged);
  seal(forged);
  forged.measurements.front().invocations.front().values.front() *= 2;
  ASSERT_TRUE(write_archive(folder_ / "a_forged.syrun", forged));
  const ArchivedHistory history = read();
  ASSERT_EQ(history.bad.size(), 1U);
  EXPECT_THAT(history.bad[0].text(), HasSubstr("a_forged.syrun"));
  EXPECT_EQ(history.archives, 1);
}

TEST_F(ArchivedHistoryTest, PassesOverTheCountsThatAreKeptForLaterRuns) {
  write("runs/a.syrun", run_of("sort", {1}, 1));
  steelyard::Run kept = run_of("sort", {2}, 2);
  kept.header.settings[kKeptCountSetting] = "";
  write("counts/b.syrun", kept);
  const ArchivedHistory history = read();
  EXPECT_EQ(history.archives, 1);
  EXPECT_EQ(history.kept_counts, 1);
  EXPECT_THAT(values_of(history.series.at(0)), ElementsAre(1));
}

TEST_F(ArchivedHistoryTest, LooksIntoNoGitFolder) {
  write(".git/objects/old.syrun", run_of("sort", {1}, 1));
  EXPECT_EQ(read().archives, 0);
}

TEST_F(ArchivedHistoryTest, AnEmptyFolderHoldsNothingAndAMissingOneIsAnError) {
  EXPECT_THAT(read().series, IsEmpty());
  const auto missing = read_archived_history(folder_ / "none", {}, {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::input);
  EXPECT_THAT(missing.error().text(), HasSubstr((folder_ / "none").string()));
}

TEST_F(ArchivedHistoryTest, ChoosesByMachineParameterAndLabel) {
  steelyard::Run run = run_of("sort", {1}, 1);
  run.measurements[0].benchmark.parameters = {{"size", "64"}, {"", "8"}};
  run.measurements[0].benchmark.threads = 2;
  run.labels = {{run.measurements[0].benchmark.canonical(), "the tuned one"}};
  run.environment.facts = {{"cpu.model", "EPYC 7B12", true}};
  const std::string fingerprint = run.environment.fingerprint();
  write("1.syrun", run);
  write("2.syrun", run_of("merge", {1}, 2));
  const std::string sort = run.measurements[0].benchmark.canonical();
  HistoryQuery query;
  query.machine = fingerprint.substr(0, 8);
  EXPECT_THAT(benchmarks(query), ElementsAre(sort));
  query.machine = "cpu.model=any";
  EXPECT_THAT(benchmarks(query), ElementsAre("merge"));
  query = {};
  query.parameters = {"size=64", "8", "threads=2"};
  EXPECT_THAT(benchmarks(query), ElementsAre(sort));
  query.parameters = {"size=64", "9"};
  EXPECT_THAT(benchmarks(query), IsEmpty());
  query = {};
  query.label = "tuned";
  EXPECT_THAT(benchmarks(query), ElementsAre(sort));
  // What a run of another branch or project says is not said of these.
  steelyard::Run side = run_of("merge", {1}, 3);
  side.header.commit.branch = "side";
  side.labels = {{"merge", "the tuned one"}};
  write("3.syrun", side);
  side.header.project = "other";
  side.labels = {{sort, "the tuned one, too"}};
  write("4.syrun", side);
  query.branch = run.header.commit.branch;
  EXPECT_THAT(benchmarks(query), ElementsAre(sort));
}

// A commit of that day whose date says nothing.
steelyard::Run on_branch(steelyard::Run run, const std::string& sha, const std::string& parent) {
  run.header.commit.sha = std::string(39, 'a') + sha;
  run.header.commit.parent = parent.empty() ? "" : std::string(39, 'a') + parent;
  run.header.commit.committed_at_unix_s = 1'600'000'000;
  return run;
}

TEST_F(ArchivedHistoryTest, StandsInTheOrderOfTheBranchWhereRunsTellTheirParents) {
  // 1 - 2 - 3, then 3 was forced away by 4; taken in another order.
  write("1.syrun", on_branch(run_of("sort", {1}, 9), "1", "0"));
  write("2.syrun", on_branch(run_of("sort", {2}, 3), "2", "1"));
  write("3.syrun", on_branch(run_of("sort", {3}, 5), "3", "2"));
  write("4.syrun", on_branch(run_of("sort", {4}, 10), "4", "2"));
  HistoryQuery query;
  query.branch = "main";
  const ArchivedHistory history = read(query);
  EXPECT_FALSE(history.is_by_date);
  std::vector<double> off;
  std::vector<double> on;
  for (const HistoryPoint& point : history.series.at(0).points) {
    (point.is_off_branch ? off : on).push_back(point.value);
  }
  EXPECT_THAT(on, ElementsAre(1, 2, 4));
  EXPECT_THAT(off, ElementsAre(3));
  query.off_branch = false;
  EXPECT_THAT(values_of(read(query).series.at(0)), ElementsAre(1, 2, 4));
  query.limit = 2;
  EXPECT_THAT(values_of(read(query).series.at(0)), ElementsAre(2, 4));
}

TEST_F(ArchivedHistoryTest, SaysWhereOnlyDatesGiveTheOrder) {
  write("1.syrun", run_of("sort", {1}, 1));
  HistoryQuery query;
  EXPECT_FALSE(read(query).is_by_date) << "no branch was asked for";
  query.branch = "main";
  EXPECT_TRUE(read(query).is_by_date);
}

TEST_F(ArchivedHistoryTest, ACursorGoesOnWithTheNextSeriesOrWithOlderPoints) {
  for (int day = 1; day <= 5; ++day) {
    steelyard::Run run = run_of("sort", {static_cast<double>(day)}, day);
    run.measurements.push_back(run_of("merge", {10.0 * day}, day).measurements[0]);
    write(std::to_string(day) + ".syrun", run);
  }
  HistoryQuery query;
  query.limit = 2;
  query.series_limit = 1;
  const ArchivedHistory first = read(query);
  EXPECT_THAT(values_of(first.series.at(0)), ElementsAre(40, 50));
  query.after = first.next;
  const ArchivedHistory second = read(query);
  EXPECT_THAT(values_of(second.series.at(0)), ElementsAre(4, 5));
  EXPECT_EQ(second.next, "");
  query.after = second.series[0].older;
  const ArchivedHistory older = read(query);
  EXPECT_THAT(values_of(older.series.at(0)), ElementsAre(2, 3));
  query.after = older.series[0].older;
  EXPECT_THAT(values_of(read(query).series.at(0)), ElementsAre(1));
  EXPECT_EQ(read(query).series[0].older, "");
  for (const char* wrong : {"nonsense", "points-", "series-00", "changed-00-00"}) {
    query.after = wrong;
    EXPECT_FALSE(read_archived_history(folder_, query, {})) << wrong;
  }
}

TEST_F(ArchivedHistoryTest, TellsHowFarItIs) {
  for (const char* name : {"1.syrun", "2.syrun", "3.syrun", "4.syrun"}) write(name, run_of("sort", {1}, name[0]));
  std::vector<double> told;
  ASSERT_TRUE(read_archived_history(folder_, {}, [&](double done) { told.push_back(done); }));
  EXPECT_THAT(told, ElementsAre(0.25, 0.5, 0.75, 1));
}

}  // namespace
}  // namespace steelyard::storage::archived_history_test

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "bench/formats/google_benchmark.hpp"

namespace steelyard::bench::google_benchmark_pair_test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

// A folder for one test, gone with it.
class GoogleBenchmarkPair : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "steelyard_pair_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Writes a file of one benchmark; `context` are further fields of its context.
  fs::path write(const std::string& name, const std::string& date, double time, const std::string& context = "") {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << R"({"context": {"date": ")" << date << R"(", "num_cpus": 2)" << context
                        << R"(}, "benchmarks": [{"name": "BM_x", "run_type": "iteration", "iterations": 10,
                          "real_time": )"
                        << time << R"(, "cpu_time": 1, "time_unit": "ns"}]})";
    return path;
  }

  LoadedPair load(const fs::path& baseline, const fs::path& candidate) {
    auto pair = load_google_benchmark_pair(folder_ / baseline, folder_ / candidate);
    EXPECT_TRUE(pair) << pair.error().text();
    return pair ? *pair : LoadedPair{};
  }

  std::string error_of(const fs::path& baseline, const fs::path& candidate) {
    const auto pair = load_google_benchmark_pair(folder_ / baseline, folder_ / candidate);
    EXPECT_FALSE(pair);
    return pair ? "" : pair.error().text();
  }

  fs::path folder_;
};

std::vector<int> rounds_of(const Run& run) {
  std::vector<int> rounds;
  for (const Invocation& invocation : run.invocations) rounds.push_back(invocation.round);
  return rounds;
}

std::vector<int> slots_of(const Run& run) {
  std::vector<int> slots;
  for (const Invocation& invocation : run.invocations) slots.push_back(invocation.slot);
  return slots;
}

std::string keys(const std::string& layout, int round, const std::string& order) {
  return R"(, "steelyard_layout": ")" + layout + R"(", "steelyard_round": ")" + std::to_string(round) +
         R"(", "steelyard_order": ")" + order + '"';
}

TEST_F(GoogleBenchmarkPair, FilesOfOneNameAreOneRound) {
  write("old/1.json", "2026-01-01T10:00:00Z", 100);
  write("old/2.json", "2026-01-01T10:00:10Z", 101);
  write("old/4.json", "2026-01-01T10:00:20Z", 102);
  write("new/2.json", "2026-01-01T10:00:30Z", 103);
  write("new/3.json", "2026-01-01T10:00:40Z", 104);
  write("new/notes.txt", "not read", 0);
  const LoadedPair pair = load("old", "new");
  EXPECT_THAT(rounds_of(pair.baseline), ElementsAre(0, 1, 3));
  EXPECT_THAT(rounds_of(pair.candidate), ElementsAre(1, 2));
  EXPECT_FALSE(pair.baseline.header.session.empty());
  EXPECT_EQ(pair.baseline.header.session, pair.candidate.header.session);
  ASSERT_THAT(pair.baseline.measurements, SizeIs(2));
  const auto& invocations = pair.baseline.measurements[0].invocations;
  ASSERT_THAT(invocations, SizeIs(3));
  EXPECT_EQ(invocations[2].invocation, 2U);
  EXPECT_THAT(invocations[2].values, ElementsAre(102));
}

TEST_F(GoogleBenchmarkPair, FoldersWithoutACommonNameShareNoSession) {
  write("old/1.json", "2026-01-01T10:00:00Z", 100);
  write("new/2.json", "2026-01-01T10:00:30Z", 103);
  EXPECT_EQ(load("old", "new").candidate.header.session, "");
}

TEST_F(GoogleBenchmarkPair, DatesDecideTheLayoutWhereNothingElseDoes) {
  write("old/1.json", "2026-01-01T10:00:00Z", 100);
  write("old/2.json", "2026-01-01T10:10:00Z", 100);
  write("after/1.json", "2026-01-01T10:20:00Z", 100);
  write("hour/1.json", "2026-01-01T11:10:00Z", 100);
  write("later/1.json", "2026-01-01T11:10:01Z", 100);
  write("between/1.json", "2026-01-01T10:05:00Z", 100);
  EXPECT_EQ(load("old", "after").baseline.header.layout, Layout::sequential);
  EXPECT_EQ(load("old", "hour").baseline.header.layout, Layout::sequential);
  EXPECT_EQ(load("old", "later").baseline.header.layout, Layout::separate);
  EXPECT_EQ(load("later", "old").candidate.header.layout, Layout::separate);
  EXPECT_EQ(load("old", "between").candidate.header.layout, Layout::sequential);
}

TEST_F(GoogleBenchmarkPair, UndatedFilesAreSequential) {
  write("old.json", "", 100);
  write("new.json", "2026-01-01T10:00:00Z", 100);
  EXPECT_EQ(load("old.json", "new.json").baseline.header.layout, Layout::sequential);
}

TEST_F(GoogleBenchmarkPair, WhereNoDatesTellTheOrderOfTheSidesThatIsSaid) {
  write("old/1.json", "2026-01-01T10:00:00Z", 100);
  write("old/2.json", "2026-01-01T10:10:00Z", 100);
  write("between/1.json", "2026-01-01T10:05:00Z", 100);
  write("after/1.json", "2026-01-01T10:10:00Z", 100);
  write("undated/1.json", "", 100);
  const auto told = Contains(AllOf(HasSubstr("count as measured one after the other"),
                                   HasSubstr("--benchmark_context=steelyard_layout=interleaved")));
  EXPECT_THAT(load("old", "between").warnings, AllOf(told, Contains(HasSubstr("the files' dates overlap"))));
  EXPECT_THAT(load("old", "undated").warnings, AllOf(told, Contains(HasSubstr("files without a date"))));
  EXPECT_THAT(load("old", "after").warnings, Not(told));
  write("same.json", "2026-01-01T10:00:00Z", 100);
  write("second.json", "2026-01-01T10:00:00Z", 100);
  EXPECT_THAT(load("same.json", "second.json").warnings, told);
}

TEST_F(GoogleBenchmarkPair, ContextKeysGiveLayoutRoundAndOrder) {
  write("old/b.json", "2026-01-01T10:00:00Z", 100, keys("interleaved", 0, "AB"));
  write("old/a.json", "2026-01-01T10:00:30Z", 100, keys("interleaved", 1, "BA"));
  write("new/x.json", "2026-01-01T10:00:10Z", 100, keys("interleaved", 0, "AB"));
  write("new/y.json", "2026-01-01T10:00:20Z", 100, keys("interleaved", 1, "BA"));
  const LoadedPair pair = load("old", "new");
  EXPECT_EQ(pair.baseline.header.layout, Layout::interleaved);
  EXPECT_EQ(pair.candidate.header.layout, Layout::interleaved);
  EXPECT_THAT(rounds_of(pair.baseline), ElementsAre(1, 0));
  EXPECT_THAT(slots_of(pair.baseline), ElementsAre(1, 0));
  EXPECT_THAT(rounds_of(pair.candidate), ElementsAre(0, 1));
  EXPECT_THAT(slots_of(pair.candidate), ElementsAre(1, 0));
  EXPECT_FALSE(pair.baseline.header.session.empty());
}

TEST_F(GoogleBenchmarkPair, OrderOfOneProcessIsTakenAsItSays) {
  write("old/1.json", "2026-01-01T10:00:00Z", 100, keys("duet", 0, "1"));
  write("new/1.json", "2026-01-01T10:00:00Z", 100, keys("duet", 0, "first"));
  const LoadedPair pair = load("old", "new");
  EXPECT_THAT(slots_of(pair.baseline), ElementsAre(1));
  EXPECT_THAT(slots_of(pair.candidate), ElementsAre(0));
}

TEST_F(GoogleBenchmarkPair, WithoutAnOrderTheEarlierDateWasFirst) {
  write("old/1.json", "2026-01-01T10:00:09Z", 100);
  write("old/2.json", "2026-01-01T10:00:20Z", 100);
  write("new/1.json", "2026-01-01T10:00:00Z", 100);
  write("new/2.json", "2026-01-01T10:00:21Z", 100);
  const LoadedPair pair = load("old", "new");
  EXPECT_THAT(slots_of(pair.baseline), ElementsAre(1, 0));
  EXPECT_THAT(slots_of(pair.candidate), ElementsAre(0, 1));
}

TEST_F(GoogleBenchmarkPair, WhereOneRoundHasNoOrderNoneHas) {
  write("old/1.json", "2026-01-01T10:00:09Z", 100);
  write("old/2.json", "2026-01-01T10:00:20Z", 100);
  write("old/3.json", "2026-01-01T10:00:40Z", 100);
  write("new/1.json", "2026-01-01T10:00:00Z", 100);
  write("new/2.json", "2026-01-01T10:00:20Z", 100);
  const LoadedPair pair = load("old", "new");
  EXPECT_THAT(slots_of(pair.baseline), ElementsAre(0, 0, 0));
  EXPECT_THAT(slots_of(pair.candidate), ElementsAre(1, 1));
}

TEST_F(GoogleBenchmarkPair, DatesOfADuetNameNoCore) {
  const std::string duet = R"(, "steelyard_layout": "duet")";
  write("old/1.json", "2026-01-01T10:00:01Z", 100, duet);
  write("old/2.json", "2026-01-01T10:00:10Z", 100, duet);
  write("new/1.json", "2026-01-01T10:00:00Z", 100, duet);
  write("new/2.json", "2026-01-01T10:00:11Z", 100, duet);
  const LoadedPair pair = load("old", "new");
  EXPECT_EQ(pair.baseline.header.layout, Layout::duet);
  EXPECT_THAT(slots_of(pair.baseline), ElementsAre(0, 0));
  EXPECT_THAT(slots_of(pair.candidate), ElementsAre(1, 1));
}

TEST_F(GoogleBenchmarkPair, DisagreementAboutLayoutFallsBackToDatesAndIsSaid) {
  write("old/1.json", "2026-01-01T10:00:00Z", 100, keys("duet", 0, "0"));
  write("new/1.json", "2026-01-01T10:00:00Z", 100);
  const LoadedPair pair = load("old", "new");
  EXPECT_EQ(pair.baseline.header.layout, Layout::sequential);
  EXPECT_THAT(pair.warnings, Contains(HasSubstr("do not agree on steelyard_layout")));
}

TEST_F(GoogleBenchmarkPair, NamesAndRoundsThatContradictEachOtherAreSaid) {
  write("old/1.json", "2026-01-01T10:00:00Z", 100, keys("duet", 0, "0"));
  write("old/2.json", "2026-01-01T10:00:00Z", 100, keys("duet", 1, "0"));
  write("new/1.json", "2026-01-01T10:00:00Z", 100, keys("duet", 1, "1"));
  write("new/2.json", "2026-01-01T10:00:00Z", 100, keys("duet", 0, "1"));
  const LoadedPair pair = load("old", "new");
  EXPECT_THAT(rounds_of(pair.candidate), ElementsAre(1, 0));
  EXPECT_THAT(pair.warnings, Contains(HasSubstr("paired by steelyard_round")));
}

TEST_F(GoogleBenchmarkPair, SingleFileWarnsThatItIsOneInvocation) {
  write("old.json", "2026-01-01T10:00:00Z", 100);
  write("new.json", "2026-01-01T10:00:10Z", 110);
  const LoadedPair pair = load("old.json", "new.json");
  EXPECT_THAT(pair.baseline.invocations, SizeIs(1));
  EXPECT_THAT(pair.warnings, Contains(HasSubstr("old.json is one invocation: process-to-process variation is not")));
  EXPECT_THAT(pair.warnings, Contains(HasSubstr("new.json is one invocation")));
}

TEST_F(GoogleBenchmarkPair, OneMachineIsAssumedOnlyWhereNothingSpeaksAgainstIt) {
  write("old.json", "2026-01-01T10:00:00Z", 100);
  write("same.json", "2026-01-01T10:00:10Z", 110, R"(, "mhz_per_cpu": 4000, "host_name": "other")");
  write("other.json", "2026-01-01T10:00:10Z", 110,
        R"(, "caches": [{"type": "Data", "level": 1, "size": 32768, "num_sharing": 1}])");
  EXPECT_THAT(load("old.json", "same.json").warnings, Contains(HasSubstr("taken as one machine")));
  const LoadedPair pair = load("old.json", "other.json");
  EXPECT_THAT(pair.warnings, Not(Contains(HasSubstr("taken as one machine"))));
  EXPECT_NE(pair.baseline.environment.fingerprint(), pair.candidate.environment.fingerprint());
}

TEST_F(GoogleBenchmarkPair, TwoHostsThatAreNamedAreNotCalledOneMachine) {
  write("a.json", "2026-01-01T10:00:00Z", 100, R"(, "host_name": "a")");
  write("a2.json", "2026-01-01T10:00:10Z", 110, R"(, "host_name": "a")");
  write("b.json", "2026-01-01T10:00:10Z", 110, R"(, "host_name": "b")");
  const LoadedPair pair = load("a.json", "b.json");
  EXPECT_THAT(pair.warnings, Contains(HasSubstr("the files name two hosts, a and b, and ")));
  EXPECT_THAT(pair.warnings, Not(Contains(HasSubstr("one machine"))));
  EXPECT_EQ(pair.baseline.environment.fingerprint(), pair.candidate.environment.fingerprint())
      << "a name decides nothing";
  EXPECT_THAT(load("a.json", "a2.json").warnings, Contains(HasSubstr("as one machine: both files name the host a")));
}

TEST_F(GoogleBenchmarkPair, TwoMachinesInOneFolderDoNotPassForOne) {
  write("old/1.json", "2026-01-01T10:00:00Z", 100);
  write("new/1.json", "2026-01-01T10:00:00Z", 100);
  write("new/2.json", "2026-01-01T10:00:00Z", 100, R"(, "num_cpus": 2)");
  EXPECT_EQ(*load("old", "new").candidate.environment.find("google.num_cpus"), "2");
  std::ofstream(folder_ / "new/3.json") << R"({"context": {"num_cpus": 64}, "benchmarks": [
    {"name": "BM_x", "iterations": 1, "real_time": 1, "cpu_time": 1, "time_unit": "ns"}]})";
  const LoadedPair pair = load("old", "new");
  EXPECT_EQ(*pair.candidate.environment.find("google.num_cpus"), "2 and 64");
  EXPECT_NE(pair.baseline.environment.fingerprint(), pair.candidate.environment.fingerprint());
}

TEST_F(GoogleBenchmarkPair, BadRecordsAreCountedAndNamedWithTheirFile) {
  write("old.json", "2026-01-01T10:00:00Z", 100);
  write("new.json", "2026-01-01T10:00:10Z", -5);
  const LoadedPair pair = load("old.json", "new.json");
  EXPECT_EQ(pair.bad_records, 1);
  EXPECT_THAT(pair.warnings, Contains(HasSubstr("new.json: benchmarks[0].real_time: found")));
}

TEST_F(GoogleBenchmarkPair, BadRecordIsAFailureOfItsRunWithItsBenchmarkMetricAndRound) {
  write("old/1.json", "2026-01-01T10:00:00Z", 100);
  write("old/2.json", "2026-01-01T10:00:10Z", 100);
  write("new/1.json", "2026-01-01T10:00:20Z", 100);
  write("new/2.json", "2026-01-01T10:00:30Z", -5);
  std::ofstream(folder_ / "new/2.json") << R"({"context": {}, "benchmarks": [
    {"name": "BM_x", "iterations": 10, "real_time": -5, "cpu_time": 1, "time_unit": "ns"},
    {"name": "BM_y", "iterations": 0, "real_time": 5, "cpu_time": 1, "time_unit": "ns"},
    {"name": "BM_z", "iterations": 1, "real_time": 5, "cpu_time": 1, "time_unit": "ns", "iterations": 2.5},
    {"name": "a\u0000b", "iterations": 1}]})";
  const LoadedPair pair = load("old", "new");
  EXPECT_THAT(pair.baseline.failures, IsEmpty());
  std::vector<std::string> found;
  for (const Failure& failure : pair.candidate.failures) {
    EXPECT_EQ(failure.kind, FailureKind::bad_record) << failure.said;
    EXPECT_EQ(failure.round, 1);
    found.push_back(failure.benchmark.name + ' ' + failure.metric);
  }
  EXPECT_THAT(found, ElementsAre("BM_x real_time", "BM_y ", "BM_z iterations", " "));
}

TEST_F(GoogleBenchmarkPair, FailureCarriesItsRound) {
  write("old/1.json", "2026-01-01T10:00:00Z", 100);
  write("new/1.json", "2026-01-01T10:00:00Z", 100);
  write("old/2.json", "2026-01-01T10:00:00Z", 100);
  std::ofstream(folder_ / "new/2.json") << R"({"context": {}, "benchmarks": [
    {"name": "BM_x", "run_type": "iteration", "error_occurred": true, "error_message": "out of memory"}]})";
  const LoadedPair pair = load("old", "new");
  ASSERT_THAT(pair.candidate.failures, SizeIs(1));
  EXPECT_EQ(pair.candidate.failures[0].round, 1);
  EXPECT_THAT(pair.candidate.failures[0].said, HasSubstr("out of memory"));
}

TEST_F(GoogleBenchmarkPair, SameFilesGiveTheSameRunWhereverTheyLie) {
  write("old/1.json", "2026-01-01T10:00:00Z", 100);
  write("new/1.json", "2026-01-01T10:00:00Z", 100);
  fs::create_directories(folder_ / "elsewhere");
  fs::copy(folder_ / "old", folder_ / "elsewhere/old");
  const LoadedPair one = load("old", "new");
  const LoadedPair two = load("elsewhere/old", "new");
  EXPECT_EQ(one.baseline, two.baseline);
  EXPECT_EQ(one.candidate, two.candidate);
}

TEST_F(GoogleBenchmarkPair, PathThatCannotBeReadIsNamed) {
  write("old.json", "2026-01-01T10:00:00Z", 100);
  fs::create_directories(folder_ / "empty");
  fs::create_directories(folder_ / "bad");
  std::ofstream(folder_ / "bad/1.json") << R"({"context": {"date": )";
  EXPECT_THAT(error_of("old.json", "absent.json"), HasSubstr("absent.json: found no such file"));
  fs::create_symlink("loop.json", folder_ / "loop.json");
  EXPECT_THAT(error_of("old.json", "loop.json"), HasSubstr("loop.json: found Too many levels of symbolic links"));
  EXPECT_THAT(error_of("empty", "old.json"), HasSubstr("a folder without .json files"));
  EXPECT_THAT(error_of("old.json", "bad"), HasSubstr("bad/1.json: byte"));
}

TEST_F(GoogleBenchmarkPair, OneSideAloneIsARunOfItsOwn) {
  write("runs/1.json", "2026-01-01T10:00:00Z", 100);
  write("runs/2.json", "2026-01-01T10:00:05Z", 101);
  std::vector<std::string> warnings;
  const auto run = load_google_benchmark(folder_ / "runs", warnings);
  ASSERT_TRUE(run) << run.error().text();
  EXPECT_THAT(warnings, IsEmpty());
  EXPECT_THAT(rounds_of(*run), ElementsAre(0, 1));
  EXPECT_EQ(run->header.session, "");
  EXPECT_EQ(run->header.created_at_unix_ns, std::int64_t{1'767'261'600} * 1'000'000'000);
  EXPECT_EQ(run->header.tool, "google-benchmark");
}

}  // namespace
}  // namespace steelyard::bench::google_benchmark_pair_test

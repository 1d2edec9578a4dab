#include "ci/measuring/count_cache.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "bench/counting/count.hpp"
#include "ci/measuring/run_parts.hpp"
#include "storage/archive/archive.hpp"

namespace steelyard::ci::count_cache_test {
namespace {

using ::testing::HasSubstr;

using CountedRun = steelyard::Run;  // Run also names a method of every test

CountedRun counted(const std::string& benchmark, double value) {
  CountedRun run;
  run.invocations.resize(3);
  run.invocations[2].started_at_unix_ns = 77;
  Measurement time, count;
  time.benchmark.name = count.benchmark.name = benchmark;
  time.metric = *well_known_metric(kRealTime);
  time.invocations.push_back({0, {1.5}, {}});
  count.metric = *well_known_metric(kInstructions);
  count.count_key = "valgrind-3.19.0;glibc 2.36";
  count.count_basis.jitter = 0;
  count.invocations.push_back({2, {value}, {10}});
  run.measurements = {time, count};
  CountedProfile profile;
  profile.benchmark.name = benchmark;
  profile.events = {"Ir"};
  profile.totals = {10};
  profile.iterations = 10;
  ProfiledFunction function;
  function.object = "/tmp/one/build/bench";
  function.file = "/tmp/onelike/file.cpp";
  function.name = "work";
  function.line = 7;
  function.self = function.inclusive = {10};
  profile.functions.push_back(function);
  run.profiles.push_back(profile);
  run.header.settings[std::string(bench::kCountReaderSetting)] = std::to_string(bench::kCountReader);
  return run;
}

BenchmarkId id_of(const std::string& name) {
  BenchmarkId id;
  id.name = name;
  return id;
}

class CountCaches : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "steelyard-cache-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = std::filesystem::path(name) / "counts";
  }
  void TearDown() override { std::filesystem::remove_all(folder_.parent_path()); }
  static CountCache::Kept kept(double value) {
    return {counts_of(counted("BM_x", value), id_of("BM_x")), inputs(), "/tmp/one"};
  }
  static bench::InputHashes inputs() { return {{"data file.txt", "0123"}, {"more", "absent"}}; }
  std::optional<CountCache::Kept> find(CountCache& cache, const std::string& name, bench::InputHashes now = inputs()) {
    return cache.find(
        name, [&](const bench::CountedInputs&) { return Result<bench::InputHashes>(now); }, warnings_);
  }
  std::filesystem::path folder_;
  std::vector<std::string> warnings_;
};

TEST_F(CountCaches, GiveBackWhatWasKept) {
  CountCache cache(folder_);
  EXPECT_FALSE(find(cache, "name"));
  cache.keep("name", kept(42), warnings_);
  const auto found = find(cache, "name");
  ASSERT_TRUE(found);
  const auto header = storage::read_header(folder_ / "name.syrun");
  ASSERT_TRUE(header) << header.error().text();
  EXPECT_TRUE(storage::is_kept_count(*header)) << "no store takes it for a run";
  EXPECT_EQ(found->part.measurements, kept(42).part.measurements);
  EXPECT_EQ(found->part.profiles, kept(42).part.profiles);
  EXPECT_EQ(found->part.invocations.at(0).started_at_unix_ns, 77);
  EXPECT_EQ(found->inputs, inputs());
  EXPECT_EQ(found->folder, "/tmp/one");
  EXPECT_FALSE(bench::has_shifted_lines(found->part)) << "which reader told its lines is kept with them";
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(CountCaches, GiveNothingWhereWhatWasReadHasChanged) {
  CountCache cache(folder_);
  cache.keep("name", kept(42), warnings_);
  EXPECT_FALSE(find(cache, "name", {{"data file.txt", "9999"}, {"more", "absent"}}));
  EXPECT_FALSE(cache.find(
      "name", [](const bench::CountedInputs&) { return Result<bench::InputHashes>(input_error("", "gone")); },
      warnings_));
  EXPECT_TRUE(find(cache, "name")) << "it may be right again tomorrow";
}

TEST_F(CountCaches, DropADamagedEntryWithAWarning) {
  CountCache cache(folder_);
  cache.keep("name", kept(42), warnings_);
  std::ofstream(folder_ / "name.syrun", std::ios::binary) << "no archive";
  EXPECT_FALSE(find(cache, "name"));
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_THAT(warnings_[0], HasSubstr("name.syrun"));
  EXPECT_FALSE(find(cache, "name"));
  EXPECT_EQ(warnings_.size(), 1U) << "it is gone";
}

TEST_F(CountCaches, DropTheOldestBeyondTheLimit) {
  CountCache cache(folder_, {std::uint64_t{1} << 30, 2});
  const auto now = std::filesystem::file_time_type::clock::now();
  cache.keep("a", kept(1), warnings_);
  cache.keep("b", kept(2), warnings_);
  std::filesystem::last_write_time(folder_ / "a.syrun", now - std::chrono::hours(2));
  std::filesystem::last_write_time(folder_ / "b.syrun", now - std::chrono::hours(1));
  EXPECT_TRUE(find(cache, "a")) << "what is used becomes young again";
  cache.keep("c", kept(3), warnings_);
  EXPECT_TRUE(find(cache, "a"));
  EXPECT_FALSE(find(cache, "b"));
  EXPECT_TRUE(find(cache, "c"));
}

TEST_F(CountCaches, StayBelowTheirBytes) {
  CountCache cache(folder_, {1, 100});
  cache.keep("a", kept(1), warnings_);
  EXPECT_FALSE(find(cache, "a"));
}

TEST_F(CountCaches, AreSafeWithSeveralWritersOfOneEntry) {
  std::vector<std::jthread> writers;
  for (int i = 0; i < 4; ++i) {
    writers.emplace_back([this] {
      std::vector<std::string> warnings;
      for (int k = 0; k < 5; ++k) CountCache(folder_).keep("name", kept(42), warnings);
      EXPECT_TRUE(warnings.empty());
    });
  }
  writers.clear();
  CountCache cache(folder_);
  const auto found = find(cache, "name");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->part.measurements.at(0).invocations.at(0).values.at(0), 42);
}

TEST_F(CountCaches, ThatCannotBeWrittenAreAWarning) {
  std::ofstream(folder_.string()) << "a file where the folder should be";
  CountCache(folder_).keep("name", kept(1), warnings_);
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_THAT(warnings_[0], HasSubstr("not kept"));
}

TEST(CountIdentities, HaveANameThatEveryPartDecides) {
  const CountIdentity identity{"loaded", {"a", "b"}, {{"X", "1"}}, "suite", "BM_x", "method", "machine"};
  std::vector<CountIdentity> others(9, identity);
  others[0].loaded = "other";
  others[1].arguments = {"ab"};
  others[2].arguments = {"a", "b", ""};
  others[3].environment = {{"X", "2"}};
  others[4].environment.clear();
  others[5].suite = "";
  others[6].benchmark = "BM_y";
  others[7].method = "m";
  others[8].machine = "m";
  EXPECT_EQ(name_of(identity).size(), 64U);
  for (const CountIdentity& other : others) EXPECT_NE(name_of(other), name_of(identity));
}

TEST(CountParts, TakeTheCountsAndLeaveTheTimes) {
  const CountedRun part = counts_of(counted("BM_x", 42), id_of("BM_x"));
  ASSERT_EQ(part.measurements.size(), 1U);
  EXPECT_EQ(part.measurements[0].metric.name, kInstructions);
  ASSERT_EQ(part.invocations.size(), 1U);
  EXPECT_EQ(part.measurements[0].invocations[0].invocation, 0U);
  EXPECT_FALSE(has_counts(counts_of(counted("BM_x", 42), id_of("BM_y"))));
}

TEST(CountParts, HoldEveryCountedMetricOfOneInvocation) {
  CountedRun run = counted("BM_x", 42);
  Measurement cycles = run.measurements[1];
  cycles.metric.name = "estimated_cycles";
  run.measurements.push_back(cycles);
  CountedRun part = counts_of(run, id_of("BM_x"));
  ASSERT_EQ(part.measurements.size(), 2U);
  EXPECT_EQ(part.measurements[1].metric.name, "estimated_cycles");
  ASSERT_EQ(part.invocations.size(), 1U);
  EXPECT_EQ(part.measurements[1].invocations[0].invocation, 0U);
  set_proof(part, CountOrigin::reused, "because");
  EXPECT_EQ(part.measurements[1].count_basis.proof, "because");
  drop_counts(run, id_of("BM_x"));
  ASSERT_EQ(run.measurements.size(), 1U);
  EXPECT_EQ(run.measurements[0].metric.name, kRealTime);
}

TEST(CountParts, AreAddedToARunWithTheirProofAndTakenOutAgain) {
  CountedRun run = counted("BM_x", 42);
  CountedRun part = counts_of(counted("BM_y", 43), id_of("BM_y"));
  set_proof(part, CountOrigin::reused, "because");
  add_counts(part, run);
  ASSERT_EQ(run.measurements.size(), 3U);
  EXPECT_EQ(run.measurements[2].count_basis.proof, "because");
  EXPECT_EQ(run.invocations.at(run.measurements[2].invocations[0].invocation).started_at_unix_ns, 77);
  drop_counts(run, id_of("BM_x"));
  ASSERT_EQ(run.measurements.size(), 2U);
  EXPECT_EQ(run.measurements[0].metric.name, kRealTime);
  EXPECT_EQ(run.profiles.size(), 1U);
}

TEST(CountParts, MoveThePathsOfTheirProfiles) {
  CountedRun part = counts_of(counted("BM_x", 42), id_of("BM_x"));
  move_paths(part, "/tmp/one", "/tmp/another");
  EXPECT_EQ(part.profiles[0].functions[0].object, "/tmp/another/build/bench");
  EXPECT_EQ(part.profiles[0].functions[0].file, "/tmp/onelike/file.cpp");
}

}  // namespace
}  // namespace steelyard::ci::count_cache_test

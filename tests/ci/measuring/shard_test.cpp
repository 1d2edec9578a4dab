// How several machines share a suite: who measures what, that nothing is measured twice or left out.
#include "ci/measuring/shard.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "bench/formats/google_benchmark.hpp"

namespace steelyard::ci::shard_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> names_of(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back("BM_" + std::to_string(1000 + i));
  return names;
}

ListedPair listed(const std::vector<std::string>& baseline, const std::vector<std::string>& candidate,
                  const std::string& suite = "") {
  ListedPair pair;
  const auto add = [&suite](const std::vector<std::string>& names, bench::ListedProgram& side) {
    for (const std::string& name : names) {
      side.listing.benchmarks.push_back(bench::listed_benchmark(std::string(name), suite));
    }
  };
  add(baseline, pair.baseline);
  add(candidate, pair.candidate);
  return pair;
}

std::vector<std::string> left_in(const bench::ListedProgram& side) {
  std::vector<std::string> names;
  for (const bench::ListedBenchmark& benchmark : side.benchmarks()) names.push_back(benchmark.id.canonical());
  return names;
}

TEST(ParseShard, TakesTheNumberOfAPartAndOfHowMany) {
  EXPECT_EQ(parse_shard("2/4"), (Shard{2, 4}));
  EXPECT_EQ(to_text(Shard{2, 4}), "2/4");
  for (const char* wrong : {"", "2", "0/4", "5/4", "1/1", "-1/4", "2/4 ", "2/", "/4", "2/101", "a/b", "2/4/6"}) {
    EXPECT_FALSE(parse_shard(wrong)) << wrong;
  }
}

TEST(SplitBenchmarks, DealsOutByNameWhereNoDurationIsKnown) {
  EXPECT_THAT(split_benchmarks(names_of(7), {}, 3), ElementsAre(1, 2, 3, 1, 2, 3, 1));
}

TEST(SplitBenchmarks, NoShardTakesAThirdMoreThanTheBestSplitCould) {
  std::mt19937_64 engine(1);
  for (int of = 2; of <= 9; ++of) {
    const std::vector<std::string> names = names_of(40);
    BenchmarkDurations durations;
    std::int64_t sum = 0;
    std::int64_t longest = 0;
    for (const std::string& name : names) {
      durations[name] = static_cast<std::int64_t>(1 + engine() % 1000) * 1'000'000;
      sum += durations[name];
      longest = std::max(longest, durations[name]);
    }
    std::vector<std::int64_t> loads(static_cast<std::size_t>(of));
    const std::vector<int> shards = split_benchmarks(names, durations, of);
    for (std::size_t i = 0; i < names.size(); ++i)
      loads.at(static_cast<std::size_t>(shards[i] - 1)) += durations[names[i]];
    const double least_possible = std::max(static_cast<double>(sum) / of, static_cast<double>(longest));
    EXPECT_LE(static_cast<double>(*std::max_element(loads.begin(), loads.end())), least_possible * 4 / 3) << of;
  }
}

TEST(SplitBenchmarks, ABenchmarkWithoutADurationCountsAsTheMedianOne) {
  const BenchmarkDurations durations{{"a", 10}, {"b", 60}, {"c", 60}, {"gone", 1'000'000'000'000'000'000}};
  // d and e, of 60 each as b and c: two a shard, and a to the first.
  EXPECT_THAT(split_benchmarks({"a", "b", "c", "d", "e"}, durations, 2), ElementsAre(1, 1, 2, 1, 2));
}

TEST(DurationsOf, AreThoseOfTheProcessesSharedByWhatTheyMeasured) {
  steelyard::Run run;
  run.invocations.resize(3);
  run.invocations[0].duration_ns = 1000;
  run.invocations[1].duration_ns = 3000;
  const auto add = [&run](const char* name, std::vector<InvocationSamples> samples) {
    Measurement measurement;
    measurement.benchmark.name = name;
    measurement.benchmark.device = "a device, of which no listing knows";
    measurement.metric = *well_known_metric(kRealTime);
    measurement.invocations = std::move(samples);
    run.measurements.push_back(std::move(measurement));
  };
  add("both", {{0, {1}, {}}, {1, {1}, {}}});
  add("second", {{1, {1}, {}}});
  add("by_samples", {{2, {2, 3}, {100, 200}}});
  add("unknown", {{2, {2}, {}}});
  const BenchmarkDurations durations = durations_of(run);
  EXPECT_EQ(durations.at("both"), (1000 + 1500) / 2);
  EXPECT_EQ(durations.at("second"), 1500);
  EXPECT_EQ(durations.at("by_samples"), 800);
  EXPECT_FALSE(durations.contains("unknown"));
}

// New benchmarks, missing ones, families and several programs alike.
TEST(TakeShard, AllMachinesTogetherHaveEachBenchmarkOfEitherSideOnceWithBothSidesOnOne) {
  const std::vector<std::string> before{"BM_a/1", "BM_a/2", "BM_a/2/threads:2", "BM_gone", "BM_kept"};
  const std::vector<std::string> after{"BM_kept", "BM_new", "BM_a/2", "BM_a/1", "BM_a/2/threads:2"};
  std::vector<std::string> baselines;
  std::vector<std::string> candidates;
  std::string split;
  for (int number = 1; number <= 3; ++number) {
    std::vector<ListedPair> programs{listed(before, after, "one"), listed(before, before, "two")};
    const Result<TakenShard> taken = take_shard({{number, 3}}, programs);
    ASSERT_TRUE(taken) << taken.error().text();
    EXPECT_EQ(taken->all, 11U);
    if (split.empty()) split = taken->split;
    EXPECT_EQ(taken->split, split);
    std::size_t here = 0;
    std::size_t elsewhere = 0;
    for (const ListedPair& pair : programs) {
      const std::vector<std::string> b = left_in(pair.baseline);
      const std::vector<std::string> c = left_in(pair.candidate);
      std::set<std::string> both(b.begin(), b.end());
      both.insert(c.begin(), c.end());
      here += both.size();
      elsewhere += pair.elsewhere;
      baselines.insert(baselines.end(), b.begin(), b.end());
      candidates.insert(candidates.end(), c.begin(), c.end());
    }
    EXPECT_EQ(here, taken->benchmarks);
    EXPECT_EQ(here + elsewhere, 11U);
    EXPECT_THAT(here, testing::AnyOf(3U, 4U));
  }
  for (std::vector<std::string>* side : {&baselines, &candidates}) {
    std::sort(side->begin(), side->end());
    EXPECT_EQ(std::adjacent_find(side->begin(), side->end()), side->end()) << "measured twice";
    EXPECT_EQ(side->size(), 10U);
  }
}

TEST(TakeShard, MachinesThatListOtherBenchmarksOrHaveOtherDurationsDifferInTheirSplit) {
  const auto split_of = [](std::vector<std::string> names, BenchmarkDurations durations) {
    std::vector<ListedPair> programs{listed(names, names)};
    return take_shard({{1, 2}, std::move(durations)}, programs)->split;
  };
  const std::string one = split_of({"a", "b", "c"}, {});
  EXPECT_EQ(split_of({"c", "b", "a"}, {}), one) << "no order of registration matters";
  EXPECT_NE(split_of({"a", "b", "c", "d"}, {}), one);
  EXPECT_NE(split_of({"a", "b", "c"}, {{"a", 1}, {"b", 1}, {"c", 9}}), one);
}

TEST(TakeShard, RefusesMoreMachinesThanBenchmarks) {
  std::vector<ListedPair> programs{listed({"a", "b"}, {"a", "b"})};
  const Result<TakenShard> taken = take_shard({{1, 3}}, programs);
  ASSERT_FALSE(taken);
  EXPECT_THAT(taken.error().text(), HasSubstr("at least one benchmark a shard"));
}

}  // namespace
}  // namespace steelyard::ci::shard_test

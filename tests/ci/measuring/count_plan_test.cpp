#include "ci/measuring/count_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <set>

#include "tests/bench/runner/measured_programs.hpp"

namespace steelyard::ci::count_plan_test {
namespace {

using ::testing::Contains;
using ::testing::UnorderedElementsAre;

bench::Program program_at(const std::string& path, const std::string& suite) {
  bench::Program program;
  program.executable = path;
  program.suite = suite;
  return program;
}

class CountPlans : public ::testing::Test {
 protected:
  // Two programs: of the first the candidate has a benchmark more; the second is the same file twice.
  std::vector<CountPair> pairs() {
    return {{side(true_, {"a", "b"}), side(false_, {"b", "a", "new"})},
            {side(second_, {"x", "y"}), side(second_, {"x", "y"})}};
  }
  bench::CountSide side(const bench::Program& program, const std::vector<std::string>& names) {
    return {&listed_.emplace_back(testkit::listing_of(program, names)), &run_};
  }
  static std::vector<std::string> order_of(const std::vector<CountPair>& pairs, std::uint64_t seed) {
    CountPlan plan(pairs, seed, nullptr);
    std::vector<std::string> names;
    for (const BenchmarkCounts& counts : plan.benchmarks()) names.push_back(counts.id().canonical());
    return names;
  }

  bench::Program true_ = program_at("/bin/true", "first");
  bench::Program false_ = program_at("/bin/false", "first");
  bench::Program second_ = program_at("/bin/true", "second");
  std::deque<bench::ListedProgram> listed_;
  steelyard::Run run_;
};

TEST_F(CountPlans, HoldEveryBenchmarkOfEveryProgramOnce) {
  EXPECT_THAT(order_of(pairs(), 1), UnorderedElementsAre("a [suite=first]", "b [suite=first]", "new [suite=first]",
                                                         "x [suite=second]", "y [suite=second]"));
}

TEST_F(CountPlans, KeepTheSidesOfABenchmarkTogether) {
  const std::vector<CountPair> both = pairs();
  CountPlan plan(both, 1, nullptr);
  for (const BenchmarkCounts& counts : plan.benchmarks()) {
    EXPECT_EQ(counts.baseline.side == nullptr, counts.benchmark.name == "new");
    EXPECT_NE(counts.candidate.side, nullptr);
    EXPECT_NE(counts.candidate.loaded, nullptr);
    EXPECT_EQ(counts.equal_programs, counts.id().suite == "second") << counts.benchmark.name;
  }
}

TEST_F(CountPlans, BringEveryBenchmarkOfEveryProgramToTheFrontOverTheSeeds) {
  std::set<std::string> first;
  for (std::uint64_t seed = 0; seed < 64; ++seed) first.insert(order_of(pairs(), seed).front());
  EXPECT_EQ(first.size(), 5U);
  EXPECT_EQ(order_of(pairs(), 7), order_of(pairs(), 7));
}

TEST_F(CountPlans, OfOneSeedHaveAnotherOrderForAnotherCandidate) {
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back("b" + std::to_string(i));
  const std::vector<CountPair> one = {{side(true_, names), side(true_, names)}};
  const std::vector<CountPair> other = {{side(true_, names), side(false_, names)}};
  EXPECT_NE(order_of(one, 1), order_of(other, 1));
}

ComparisonRow timed(const std::string& name, Verdict verdict, std::optional<double> ratio = {}) {
  ComparisonRow row;
  row.benchmark = name + " [suite=first]";
  row.metric = *well_known_metric(kRealTime);
  row.verdict = verdict;
  row.ratio = ratio;
  row.minimum_effect = 0.01;
  return row;
}

TEST_F(CountPlans, TakeFirstWhatTimingFoundAndNowAndThenWhatItShowedUnchanged) {
  const std::vector<std::string> names{"equal", "open", "slow", "seems", "fast", "unreached"};
  const std::vector<CountPair> both = {{side(true_, names), side(false_, names)}};
  Comparison comparison;
  comparison.rows = {timed("equal", Verdict::unchanged, 1.0), timed("open", Verdict::inconclusive, 1.002),
                     timed("seems", Verdict::inconclusive, 1.03), timed("fast", Verdict::improvement, 0.8),
                     timed("slow", Verdict::regression, 1.2)};
  std::set<std::string> fourths;
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    CountPlan plan(both, seed, nullptr);
    std::vector<std::string> order;
    for (const BenchmarkCounts* counts : plan.by_need(comparison)) order.push_back(counts->benchmark.name);
    ASSERT_EQ(order.size(), 6U);
    EXPECT_EQ(order[0], "slow");
    EXPECT_EQ(order[1], "fast");
    EXPECT_EQ(order[2], "seems");
    EXPECT_THAT(std::vector(order.begin() + 3, order.end()), UnorderedElementsAre("open", "unreached", "equal"));
    std::vector<std::string> drawn;
    for (const BenchmarkCounts* counts : plan.by_need({})) drawn.push_back(counts->id().canonical());
    EXPECT_EQ(drawn, order_of(both, seed)) << "where nothing was timed";
    fourths.insert(order[3]);
  }
  EXPECT_THAT(fourths, Contains("equal")) << "the fourth is the next as drawn, whatever timing showed of it";
}

TEST_F(CountPlans, GiveNoPlaceToWhatWasCountedBefore) {
  std::vector<std::string> names;
  for (int i = 0; i < 16; ++i) names.push_back("b" + std::to_string(i));
  const std::vector<CountPair> both = {{side(true_, names), side(false_, names)}};
  CountPlan plan(both, 3, nullptr);
  for (std::size_t i = 0; i < 8; ++i) {
    BenchmarkCounts& counts = plan.benchmarks()[i];
    counts.baseline.settled = counts.candidate.settled = true;
  }
  const std::vector<BenchmarkCounts*> order = plan.by_need({});
  ASSERT_EQ(order.size(), 16U);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(order[i]->baseline.settled, i >= 8) << i;
}

TEST_F(CountPlans, HoldProgramsWithOtherArgumentsOrEnvironmentForOthers) {
  for (const bool by_argument : {true, false}) {
    bench::Program candidate = second_;
    if (by_argument) candidate.arguments = {"--more"};
    if (!by_argument) candidate.environment["MORE"] = "1";
    const std::vector<CountPair> both = {{side(second_, {"x"}), side(candidate, {"x"})}};
    CountPlan plan(both, 1, nullptr);
    EXPECT_FALSE(plan.benchmarks().at(0).equal_programs);
    EXPECT_FALSE(proof_of_equality(plan.benchmarks().at(0)));
  }
}

TEST_F(CountPlans, CountAProgramThatIsNone) {
  const bench::Program script = program_at("/etc/passwd", "");
  const std::vector<CountPair> both = {{side(script, {"x"}), side(script, {"x"})}};
  CountPlan plan(both, 1, nullptr);
  EXPECT_EQ(plan.benchmarks().at(0).baseline.loaded, nullptr);
  EXPECT_FALSE(plan.benchmarks().at(0).equal_programs);
}

TEST_F(CountPlans, ProveEqualityByWhatWasRead) {
  const std::vector<CountPair> both = {{side(second_, {"x"}), side(second_, {"x"})}};
  CountPlan plan(both, 1, nullptr);
  BenchmarkCounts& counts = plan.benchmarks().at(0);
  EXPECT_FALSE(proof_of_equality(counts)) << "nobody looked what it reads";
  counts.baseline.inputs.unknown.clear();
  EXPECT_EQ(proof_of_equality(counts).value().sha256.size(), 64U);
  EXPECT_EQ(proof_of_equality(counts).value().files_read, 0);
  counts.baseline.inputs.files = {"/etc/passwd", "/not/there"};
  EXPECT_EQ(proof_of_equality(counts).value().files_read, 1) << "of one that is not there nothing is read";
  counts.baseline.inputs.files = {"/etc/passwd", "/etc/group"};
  EXPECT_EQ(proof_of_equality(counts).value().files_read, 2);
}

}  // namespace
}  // namespace steelyard::ci::count_plan_test

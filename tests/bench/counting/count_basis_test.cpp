// What counts say of their own exactness.
#include "bench/counting/count.hpp"

#include "tests/bench/counting/counting_fixture.hpp"

namespace steelyard::bench::count_basis_test {
namespace {

using ::testing::HasSubstr;

TEST_F(Counting, SeveralThreadsAreCountedTogetherAndRepeatedForTheirJitter) {
  const std::vector<double> values = values_of(all(), "two_threads/threads:2");
  ASSERT_GE(values.size(), 5u) << failure_of(all(), "two_threads/threads:2");
  for (const double value : values) EXPECT_NEAR(value, value_of(all(), "lambda"), 0.01 * value);
  EXPECT_THAT(all().header.settings.at("counting.learned_jitter"), HasSubstr("two_threads/threads:2"));
  const CountBasis& basis = measurement_of(all(), "two_threads/threads:2")->count_basis;
  EXPECT_GT(basis.jitter, 0);
  EXPECT_THAT(basis.jitter_from, HasSubstr("2 threads, timed region: learned from 5 repeats"));
}

TEST_F(Counting, ExactnessIsStatedWithWhatShowedIt) {
  for (const std::string name : {"mix_in_range_for/1000", "paused", "keep_running_batch"}) {
    const Measurement* measurement = measurement_of(all(), name);
    ASSERT_NE(measurement, nullptr) << name;
    EXPECT_EQ(measurement->count_basis.scope, CountScope::timed_region);
    EXPECT_EQ(measurement->count_basis.jitter, 0) << name << " " << measurement->count_basis.jitter_from;
  }
  EXPECT_THAT(measurement_of(all(), "mix_in_range_for/1000")->count_basis.jitter_from,
              HasSubstr("1, 100 and 200 iterations lie on one line"));
  const CountBasis& growing = measurement_of(all(), "grows")->count_basis;
  EXPECT_EQ(growing.jitter, 0);
  EXPECT_THAT(growing.jitter_from, HasSubstr("2 of 2 collections")) << "no line, but the same every time";
}

TEST_F(Counting, ACountThatDiffersFromProcessToProcessIsNotCalledExact) {
  const CountBasis& basis = measurement_of(all(), "differs_in_each_process")->count_basis;
  EXPECT_GT(basis.jitter, 0.001) << basis.jitter_from;
  EXPECT_THAT(basis.jitter_from, HasSubstr("learned from 5 repeats"));
}

TEST_F(Counting, WorkHandedToThreadsOfTheBenchmarksOwnIsSaidToBeMissing) {
  const CountedRun run = counted(program_of("counting_counted"),
                                 {"hands_work_over", "hands_work_over_while_paused", "has_a_waiting_thread"});
  const Measurement* measurement = measurement_of(run, "hands_work_over");
  ASSERT_NE(measurement, nullptr) << failure_of(run, "hands_work_over");
  EXPECT_THAT(measurement->count_basis.jitter_from, HasSubstr("are not in it"));
  const std::string* fact = run.environment.find("count.other_threads");
  ASSERT_NE(fact, nullptr);
  EXPECT_THAT(*fact, HasSubstr("hands_work_over"));
  EXPECT_THAT(*fact, ::testing::Not(HasSubstr("hands_work_over_while_paused")));
  EXPECT_THAT(*fact, ::testing::Not(HasSubstr("has_a_waiting_thread")));
  ASSERT_NE(measurement_of(run, "has_a_waiting_thread"), nullptr) << failure_of(run, "has_a_waiting_thread");
  EXPECT_EQ(measurement_of(run, "has_a_waiting_thread")->count_basis.jitter, 0);
}

}  // namespace
}  // namespace steelyard::bench::count_basis_test

// The counters of this machine, as far as it has any: the kernel's own work nearly everywhere.
#include "bench/counting/counters/hardware_count.hpp"

#include <gmock/gmock.h>

#include "tests/bench/counting/counting_fixture.hpp"
#include "tests/bench/runner/measured_programs.hpp"

namespace steelyard::bench::hardware_count_test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class Hardware : public ::testing::Test {
 protected:
  void SetUp() override {
    const HardwareProbe probe = probe_hardware(try_event, perf_event_paranoid());
    if (probe.available.empty()) GTEST_SKIP() << probe.refusals.front();
    STEELYARD_SKIP_WITHOUT("benchmark", std::filesystem::exists(beside_this("counters_allocating")),
                           "Google Benchmark is not installed");
    available = probe.available;
  }

  static HardwareOptions quick() {
    HardwareOptions options;
    options.rounds = 2;
    return options;
  }
  static Result<void> count(const std::vector<CountSide>& sides, std::vector<std::string>& warnings) {
    MeasuringSettings settings;
    settings.min_time = milliseconds(1);
    return count_hardware(sides, settings, {seconds(600)}, quick(), warnings);
  }

  std::vector<std::string> available;
};

TEST_F(Hardware, BothSidesHaveOneInvocationARoundInTurns) {
  const ListedProgram both = testkit::listing_of(program_of("counters_allocating"), {"one_new", "nothing"});
  const ListedProgram one = testkit::listing_of(program_of("counters_allocating"), {"one_new"});
  CountedRun baseline, candidate;
  std::vector<std::string> warnings;
  const auto counted = count({{&both, &baseline}, {&one, &candidate}}, warnings);
  ASSERT_TRUE(counted) << counted.error().text();
  EXPECT_TRUE(baseline.failures.empty()) << baseline.failures.front().said;
  EXPECT_THAT(baseline.measurements, SizeIs(2 * available.size()));
  EXPECT_THAT(candidate.measurements, SizeIs(available.size()));
  ASSERT_THAT(candidate.invocations, SizeIs(2));
  EXPECT_EQ(baseline.invocations[0].slot, 0);
  EXPECT_EQ(candidate.invocations[0].slot, 1);
  EXPECT_EQ(baseline.invocations[1].slot, 1);
  EXPECT_EQ(candidate.invocations[1].slot, 0);
  for (const Measurement& measurement : baseline.measurements) {
    EXPECT_THAT(available, Contains(measurement.metric.name));
    EXPECT_THAT(measurement.invocations, SizeIs(2)) << measurement.metric.name;
  }
  EXPECT_THAT(candidate.header.settings["counting.hardware"], HasSubstr("user mode"));
}

// Whatever else the machine does, an iteration takes some time and less than the whole process.
TEST_F(Hardware, TheTaskClockIsThatOfOneIteration) {
  if (std::find(available.begin(), available.end(), "task_clock") == available.end()) GTEST_SKIP() << "no task clock";
  const ListedProgram program = testkit::listing_of(program_of("counters_allocating"), {"one_new"});
  CountedRun run;
  std::vector<std::string> warnings;
  ASSERT_TRUE(count({{&program, &run}}, warnings));
  for (const Measurement& measurement : run.measurements) {
    if (measurement.metric.name != "task_clock") continue;
    for (const InvocationSamples& samples : measurement.invocations) {
      EXPECT_GT(samples.values.front(), 0);
      EXPECT_LT(samples.values.front(), static_cast<double>(run.invocations[samples.invocation].duration_ns) / 100);
    }
  }
}

TEST_F(Hardware, AProgramWithTheLibraryInsideIsAFailureInWords) {
  const ListedProgram program = testkit::listing_of(program_of("counters_unwatched"), {"one_new"});
  CountedRun run;
  std::vector<std::string> warnings;
  ASSERT_TRUE(count({{&program, &run}}, warnings));
  ASSERT_THAT(run.failures, SizeIs(1));
  EXPECT_THAT(run.failures[0].said, HasSubstr("link libbenchmark as a shared library"));
  EXPECT_THAT(run.failures[0].metric, available.front());
}

}  // namespace
}  // namespace steelyard::bench::hardware_count_test

#include <gmock/gmock.h>

#include <cerrno>
#include <cstring>

#include "bench/counting/counters/hardware_count.hpp"
#include "bench/model/metric.hpp"

namespace steelyard::bench::hardware_report_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

int like_a_virtual_machine(const HardwareEvent& event) { return event.type == PERF_TYPE_HARDWARE ? ENOENT : 0; }
int like_a_container(const HardwareEvent&) { return EPERM; }
int like_a_whole_machine(const HardwareEvent&) { return 0; }

TEST(HardwareProbe, AVirtualMachineHasTheKernelsOwnCounters) {
  const HardwareProbe probe = probe_hardware(like_a_virtual_machine, 2);
  EXPECT_THAT(probe.available, ElementsAre("task_clock", "page_faults"));
  EXPECT_THAT(probe.refusals,
              ElementsAre(AllOf(HasSubstr("hardware_cycles, hardware_instructions, hardware_cache_misses, "
                                          "hardware_branch_misses: "),
                                HasSubstr("the machine shows no such counter"))));
}

TEST(HardwareProbe, AWholeMachineRefusesNothing) {
  const HardwareProbe probe = probe_hardware(like_a_whole_machine, 2);
  EXPECT_THAT(probe.available, SizeIs(6));
  EXPECT_THAT(probe.refusals, IsEmpty());
}

TEST(HardwareProbe, PermissionIsExplainedByTheKernelsLevelOrTheContainer) {
  EXPECT_THAT(probe_hardware(like_a_container, 4).refusals,
              ElementsAre(AllOf(HasSubstr("kernel.perf_event_paranoid is 4"), HasSubstr("perf_event_paranoid=2"))));
  EXPECT_THAT(explain_refusal(EACCES, 2), HasSubstr("seccomp"));
  EXPECT_THAT(explain_refusal(EPERM, std::nullopt), AllOf(HasSubstr("seccomp"), Not(HasSubstr("paranoid is"))));
  EXPECT_EQ(explain_refusal(ENOSYS, 2), "this kernel has no perf events");
  EXPECT_THAT(explain_refusal(EMFILE, 2), HasSubstr(std::strerror(EMFILE)));
}

TEST(HardwareProbe, EveryEventIsAKnownNoisyMetricThatGatesOnlyByName) {
  for (const HardwareEvent& event : kHardwareEvents) {
    const auto metric = well_known_metric(event.metric);
    ASSERT_TRUE(metric) << event.metric;
    EXPECT_EQ(metric->kind, MetricKind::noisy);
    EXPECT_FALSE(gates_by_default(*metric));
  }
}

constexpr const char* kReport =
    "pass 10\nhardware_cycles 500 100 100\nend\n"
    "pass 1000\nhardware_cycles 40000 900 900\npage_faults 2 900 900\nend\n"
    "pass 1000\nhardware_cycles 20000 1000 500\npage_faults 0 1000 1000\nend\n";

TEST(HardwareReport, PassesOfTheMostIterationsCountTogether) {
  const auto passes = parse_hardware_report(kReport);
  ASSERT_TRUE(passes);
  ASSERT_THAT(*passes, SizeIs(3));
  const auto values = per_iteration(*passes);
  ASSERT_THAT(values, SizeIs(2));
  // The last pass had its counter for half of the time: 20000 stand for 40000.
  EXPECT_DOUBLE_EQ(values.at("hardware_cycles").per_iteration, 40);
  EXPECT_DOUBLE_EQ(values.at("hardware_cycles").share_counted, 1400.0 / 1900);
  EXPECT_DOUBLE_EQ(values.at("page_faults").per_iteration, 2.0 / 2000);
  EXPECT_EQ(values.at("page_faults").share_counted, 1);
}

TEST(HardwareReport, ACounterThatNeverHadAPlaceIsAbsentAndNotZero) {
  EXPECT_EQ(scaled({0, 1000, 0}), std::nullopt);
  EXPECT_EQ(scaled({7, 1000, 1000}), 7);
  EXPECT_EQ(scaled({7, 1000, 500}), 14);
  EXPECT_EQ(scaled({7, 1000, 1001}), 7) << "the two clocks are read one after the other";
  EXPECT_EQ(scaled({0, 0, 0}), 0) << "the loop was over before the clock moved";
  const auto passes = parse_hardware_report("pass 5\nhardware_cycles 0 1000 0\nend\n");
  ASSERT_TRUE(passes);
  EXPECT_THAT(per_iteration(*passes), IsEmpty());
}

TEST(HardwareReport, WhatIsCutOffOrForeignIsRefused) {
  const std::string text = kReport;
  for (std::size_t length = 1; length < text.size(); ++length) {
    const auto passes = parse_hardware_report(text.substr(0, length));
    const bool ends_with_a_pass = text.substr(0, length).ends_with("end\n");
    EXPECT_EQ(passes.has_value(), ends_with_a_pass) << length;
  }
  EXPECT_EQ(parse_hardware_report("pass x\nend\n"), std::nullopt);
  EXPECT_EQ(parse_hardware_report("pass 1\nhardware_cycles -1 2 3\nend\n"), std::nullopt);
  EXPECT_EQ(parse_hardware_report("pass 1\nhardware_cycles 1 2 3\nhardware_cycles 1 2 3\nend\n"), std::nullopt);
  EXPECT_EQ(parse_hardware_report("pass 99999999999999999999\nend\n"), std::nullopt);
}

TEST(HardwareReport, WithoutPassesThereIsNoValue) {
  const auto passes = parse_hardware_report("");
  ASSERT_TRUE(passes);
  EXPECT_THAT(per_iteration(*passes), IsEmpty());
  EXPECT_THAT(per_iteration({HardwarePass{}}), IsEmpty()) << "no iteration was made";
}

}  // namespace

}  // namespace steelyard::bench::hardware_report_test

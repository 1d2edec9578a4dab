#include "bench/counting/counters/hardware_probe.hpp"

#include <gmock/gmock.h>

#include <cerrno>
#include <cstring>

#include "bench/model/metric.hpp"

namespace steelyard {
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

}  // namespace
}  // namespace steelyard

#include "ci/report/run.hpp"

#include <gtest/gtest.h>

namespace steelyard {
namespace {

using ShownRun = Run;  // inside a test, Run is gtest's own

void add(ShownRun& run, const char* benchmark, const char* metric, double value) {
  Measurement measurement;
  measurement.benchmark.name = benchmark;
  measurement.metric = *well_known_metric(metric);
  measurement.invocations.push_back({0, {value}, {}});
  run.measurements.push_back(measurement);
}

TEST(TerminalCounters, OneLineABenchmarkAndKindAndADashWhereThereIsNone) {
  ShownRun run;
  add(run, "sorts", "real_time", 10);
  add(run, "sorts", "ram_hits", 0);
  add(run, "sorts", "estimated_cycles", 4159);
  add(run, "sorts", "heap_allocations", 7);
  add(run, "joins", "heap_allocations", 1);
  add(run, "joins", "heap_bytes", 100);
  EXPECT_EQ(terminal_counters(run, {false, true, 100}),
            "\ncaches (model)  RAM hits  est. cycles\n"
            "sorts                  0        4,159\n"
            "\nheap   allocations  bytes\n"
            "sorts            7      -\n"
            "joins            1  100 B\n");
}

TEST(TerminalCounters, ARunWithoutCountersHasNoTable) {
  ShownRun run;
  add(run, "sorts", "instructions", 10);
  EXPECT_EQ(terminal_counters(run, {false, true, 100}), "");
}

}  // namespace
}  // namespace steelyard

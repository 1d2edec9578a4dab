#include "bench/environment/program_switches.hpp"

#include <gtest/gtest.h>

namespace steelyard {
namespace {

TEST(ParseProducer, PartsTheCompilerFromItsSwitches) {
  const ProducedBy gcc = parse_producer("GNU C++17 12.2.0 -mtune=generic -march=x86-64 -g -O2");
  EXPECT_EQ(gcc.compiler, "GNU C++17 12.2.0");
  EXPECT_EQ(gcc.switches, "-mtune=generic -march=x86-64 -g -O2");
  const ProducedBy clang = parse_producer("Debian clang version 14.0.6");
  EXPECT_EQ(clang.compiler, "Debian clang version 14.0.6");
  EXPECT_EQ(clang.switches, "");
  const ProducedBy recorded = parse_producer(
      "Debian clang version 14.0.6 /usr/lib/llvm-14/bin/clang --driver-mode=g++ -g -O1 -I include -c a.cpp -o a.o "
      "-grecord-command-line -fno-rtti");
  EXPECT_EQ(recorded.compiler, "Debian clang version 14.0.6");
  EXPECT_EQ(recorded.switches, "-g -O1 -fno-rtti");
  EXPECT_TRUE(parse_producer("GNU AS 2.40").is_assembly);
}

TEST(SummarizeProducers, SaysNothingOfSwitchesThatNobodyRecorded) {
  const ProgramSwitches summary = summarize_producers({{"clang version 14.0.6", 3}, {"GNU AS 2.40", 1}});
  EXPECT_EQ(summary.compiler, "clang version 14.0.6");
  EXPECT_EQ(summary.switches, "");
  EXPECT_EQ(summary.optimization, "");
  EXPECT_EQ(summary.units, 0);
}

TEST(SummarizeProducers, TakesTheLastLevelAndNoneForZero) {
  EXPECT_EQ(summarize_producers({{"GNU C17 12 -g -O2 -O3", 1}}).optimization, "-O3");
  EXPECT_EQ(summarize_producers({{"GNU C17 12 -g -O", 1}}).optimization, "-O1");
  EXPECT_EQ(summarize_producers({{"GNU C17 12 -g -Ofast", 1}}).optimization, "-Ofast");
  const ProgramSwitches none = summarize_producers({{"GNU C17 12 -g", 2}});
  EXPECT_EQ(none.optimization, "-O0");
  EXPECT_EQ(none.unoptimized_units, 2);
}

TEST(SummarizeProducers, CountsUnitsThatDiffer) {
  const ProgramSwitches summary = summarize_producers({{"GNU C++17 12 -O2", 7}, {"GNU C17 12 -g", 3}});
  EXPECT_EQ(summary.compiler, "GNU C++17 12 + GNU C17 12");
  EXPECT_EQ(summary.switches, "-O2 (and 1 other set)");
  EXPECT_EQ(summary.optimization, "-O0 in 3 of 10 units, -O2 in 7");
  EXPECT_EQ(summary.unoptimized_units, 3);
}

}  // namespace
}  // namespace steelyard

#include "regress/calibration/advice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "regress/calibration/observed_rate.hpp"

namespace steelyard {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

CalibratedBenchmark noisy(double floor, double within, double between) {
  CalibratedBenchmark benchmark;
  benchmark.benchmark = "BM_a";
  benchmark.metric = "real_time";
  benchmark.alarms = observed_rate(0, 10);
  benchmark.floor = floor;
  benchmark.within = within;
  benchmark.between = between;
  return benchmark;
}

const NoiseCircumstances kUsual{12, 0.02, 0.01, 3, "100ms", 2};

TEST(Advice, IsSilentWhereTheFloorIsWithinTheMargin) {
  EXPECT_EQ(advice_for(noisy(0.02, 0.1, 0.1), kUsual), "");
  EXPECT_NE(advice_for(noisy(0.0201, 0.1, 0.1), kUsual), "");
}

TEST(Advice, AsksForLongerSamplesWhereTheyDifferMost) {
  EXPECT_EQ(advice_for(noisy(0.04, 0.09, 0.02), kUsual),
            "samples of one process differ by 9 %, processes by 2 %: longer samples (--min-time 100ms) or more of "
            "them (--repetitions 30) help first; --rounds 48 would bring the floor to 2 %");
}

TEST(Advice, NeverAsksForFewerSamplesThanThereAre) {
  NoiseCircumstances many = kUsual;
  many.repetitions = 40;
  const std::string advice = advice_for(noisy(0.04, 0.4, 0.02), many);
  EXPECT_THAT(advice, HasSubstr("longer samples (--min-time 100ms) help first"));
  EXPECT_THAT(advice, Not(HasSubstr("--repetitions")));
}

TEST(Advice, AsksForRoundsWhereProcessesDifferMost) {
  const std::string advice = advice_for(noisy(0.03, 0.01, 0.05), kUsual);
  EXPECT_THAT(advice, HasSubstr("processes differ by 5 % whatever their samples do: only more rounds help"));
  EXPECT_THAT(advice, HasSubstr("--rounds 28 "));
  EXPECT_THAT(advice, Not(HasSubstr("--min-time")));
}

TEST(Advice, NamesRoundsOnlyWhereTheyAreSensible) {
  const std::string advice = advice_for(noisy(0.3, 0.01, 0.05), kUsual);
  EXPECT_THAT(advice, Not(HasSubstr("--rounds")));
  EXPECT_THAT(advice, HasSubstr("--metric instructions"));
}

TEST(Advice, SaysThatThreadsFillTheMachine) {
  CalibratedBenchmark benchmark = noisy(0.05, 0.01, 0.05);
  benchmark.benchmark = "BM_a/threads:2";
  EXPECT_THAT(advice_for(benchmark, kUsual), HasSubstr("it runs 2 threads on 2 cores"));
  NoiseCircumstances many = kUsual;
  many.cores = 8;
  EXPECT_THAT(advice_for(benchmark, many), Not(HasSubstr("threads on")));
  benchmark.benchmark = "BM_a/threads:2000000000";
  EXPECT_THAT(advice_for(benchmark, many), HasSubstr("it runs 2000000000 threads on 8 cores"));
}

TEST(Advice, TellsOfMoreAlarmsThanChanceExplainsWhateverTheFloor) {
  CalibratedBenchmark benchmark = noisy(0.01, 0.01, 0.01);
  benchmark.alarms = observed_rate(3, 10);
  EXPECT_THAT(advice_for(benchmark, kUsual), HasSubstr("p was at most .05 in 3 of 10 gates of equal builds"));
}

TEST(Advice, ReadsThreadsFromTheName) {
  EXPECT_EQ(threads_of("BM_a"), 1);
  EXPECT_EQ(threads_of("BM_a/64/threads:16/real_time"), 16);
  EXPECT_EQ(threads_of("BM_a/threads:x"), 1);
  EXPECT_EQ(threads_of("BM_a/threads:99999999999"), 1);
}

TEST(Advice, AsksForRoundsWhereCopiesOfTheProgramDifferMost) {
  CalibratedBenchmark benchmark = noisy(0.03, 0.09, 0.02);
  benchmark.copies = 0.021;
  benchmark.processes = 0.01;
  const std::string advice = advice_for(benchmark, kUsual);
  EXPECT_THAT(advice,
              HasSubstr("copies of the program differ by 2.1 %, processes of one copy by 1 %: its speed depends "
                        "on which physical pages its code lies in: more rounds help, longer samples do not"));
  EXPECT_THAT(advice, HasSubstr("--rounds 28 "));
  EXPECT_THAT(advice, Not(HasSubstr("--min-time")));
  benchmark.copies = 0.02;  // may be chance
  EXPECT_THAT(advice_for(benchmark, kUsual), Not(HasSubstr("physical pages")));
}

}  // namespace
}  // namespace steelyard

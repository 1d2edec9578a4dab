#include "ci/report/calibration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steelyard {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Calibration of_two_benchmarks() {
  Calibration calibration;
  for (const char* name : {"BM_a", "BM_b"}) {
    CalibratedBenchmark& benchmark = calibration.benchmarks.emplace_back();
    benchmark.benchmark = name;
    benchmark.metric = "real_time";
    benchmark.floor = 0.01;
    benchmark.alarms.tries = 10;
  }
  return calibration;
}

std::string text_of(const Calibration& calibration, const CalibrationCircumstances& circumstances = {}) {
  return terminal_calibration(calibration, circumstances, TerminalStyle{});
}

TEST(CalibrationReport, HasColumnsOfCopiesOnlyWhereTheyAreKnown) {
  Calibration calibration = of_two_benchmarks();
  EXPECT_THAT(text_of(calibration), HasSubstr("within  between  p <= .05\n"));
  EXPECT_THAT(text_of(calibration), Not(HasSubstr("copies")));
  calibration.benchmarks[1].copies = 0.0062;
  calibration.benchmarks[1].processes = 0.0031;
  const std::string text = text_of(calibration);
  EXPECT_THAT(text, HasSubstr("between  copies  processes  p <= .05\n"));
  EXPECT_THAT(text, HasSubstr("     -       -          -   0 of 10\n"));
  EXPECT_THAT(text, HasSubstr("     -  0.62 %     0.31 %   0 of 10\n"));
}

TEST(CalibrationReport, SaysWhyCopiesAreNotKnown) {
  CalibrationCircumstances circumstances;
  circumstances.budget = "10 s";
  circumstances.no_time_for_copies = true;
  circumstances.kept_pages["./bench.sh"] = "a script";
  const std::string text = text_of(of_two_benchmarks(), circumstances);
  EXPECT_THAT(text, HasSubstr("the budget of 10 s left too little time for what copies of the program differ by"));
  EXPECT_THAT(text, HasSubstr("./bench.sh: what copies of it differ by was not measured: a script\n"));
}

}  // namespace
}  // namespace steelyard

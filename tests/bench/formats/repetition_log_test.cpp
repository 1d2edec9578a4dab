#include "bench/formats/repetition_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace steelyard::bench::repetition_log_test {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(PassLog, IsReadByBenchmarkAndOtherLinesArePassedOver) {
  const auto passes = read_pass_log(
      "words of the program\n"
      "-- LOG(2): Running BM_a for 4 words/repeats:2 for 16\n"
      "more words\n"
      "-- LOG(2): Ran in 0.5/0.25\n"
      "-- LOG(3): Next iters: 32, 2\n"
      "-- LOG(2): Running BM_b for 1\n"
      "-- LOG(2): Ran in 1.5e-05/2e-05\n"
      "-- LOG(2): Running BM_a for 4 words/repeats:2 for 16\n"
      "-- LOG(2): Ran in 1/2");
  ASSERT_EQ(passes.size(), 2U);
  const auto& a = passes.at("BM_a for 4 words/repeats:2");
  ASSERT_EQ(a.size(), 2U);
  EXPECT_EQ(a[0].iterations, 16);
  EXPECT_EQ(a[0].cpu_seconds, 0.5);
  EXPECT_EQ(a[0].real_seconds, 0.25);
  EXPECT_EQ(a[1].real_seconds, 2);
  EXPECT_EQ(passes.at("BM_b")[0].cpu_seconds, 1.5e-05);
}

TEST(PassLog, OfCutOrForeignLinesIsNothing) {
  for (const char* text :
       {"", "-- LOG(2): Ran in 1/2\n", "-- LOG(2): Running BM_a for many\n-- LOG(2): Ran in 1/2\n",
        "-- LOG(2): Running BM_a for 1\n", "-- LOG(2): Running BM_a for 1\n-- LOG(2): Ran in 1\n",
        "-- LOG(2): Running BM_a for 1\n-- LOG(2): Ran in 0,5/0,25\n", "Running BM_a for 1\nRan in 1/2\n"}) {
    EXPECT_THAT(read_pass_log(text), IsEmpty()) << text;
  }
}

TEST(RepetitionsByLog, AreScaledToTheMeanWhereTheSpreadAgrees) {
  const double logged[] = {0.001, 0.0011, 0.0012};
  EXPECT_THAT(repetitions_by_log(logged, {1.1, 0.1}),
              ElementsAre(DoubleNear(1, 1e-12), DoubleNear(1.1, 1e-12), DoubleNear(1.2, 1e-12)));
  const double rounded[] = {0.00100001, 0.00109999, 0.0012};
  EXPECT_EQ(repetitions_by_log(rounded, {1.1, 0.1}).size(), 3U) << "six digits are what the log has";
}

TEST(RepetitionsByLog, AreNoneWhereTheLogIsOfSomethingElseOrThereIsNoSpread) {
  const double logged[] = {0.001, 0.0011, 0.0012};
  EXPECT_THAT(repetitions_by_log(logged, {1.1, 0.0999}), IsEmpty());
  EXPECT_THAT(repetitions_by_log(logged, {0, 0}), IsEmpty());
  EXPECT_THAT(repetitions_by_log(logged, {1.1, std::numeric_limits<double>::quiet_NaN()}), IsEmpty());
  EXPECT_THAT(repetitions_by_log(std::vector<double>{}, {1.1, 0}), IsEmpty());
  EXPECT_THAT(repetitions_by_log(std::vector<double>{1}, {1.1, 0}), IsEmpty());
  EXPECT_THAT(repetitions_by_log(std::vector<double>{0, 0}, {1.1, 0}), IsEmpty());
  const double infinite[] = {1, std::numeric_limits<double>::infinity()};
  EXPECT_THAT(repetitions_by_log(infinite, {1.1, 0.1}), IsEmpty());
}

}  // namespace
}  // namespace steelyard::bench::repetition_log_test

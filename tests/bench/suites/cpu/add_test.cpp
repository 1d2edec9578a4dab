#include "bench/suites/cpu/add.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "bench/suites/cpu/agreement.hpp"

namespace steelyard::cpu_suite::add_test {
namespace {

TEST(Add, AgreesWithDoublePrecisionAtEveryLengthAroundAVectors) {
  for (std::size_t n = 0; n <= 70; ++n) {
    const std::vector<float> left = seeded_values(n, 1);
    const std::vector<float> right = seeded_values(n, 2);
    std::vector<float> results(n, 99.0f);
    add(left, right, results);
    EXPECT_EQ(disagreement(results, add_reference(left, right), std::ldexp(1.0, -24)), std::nullopt) << n;
  }
}

TEST(Add, ReferenceOfKnownValues) {
  EXPECT_EQ(add_reference(std::vector<float>{1, -2}, std::vector<float>{0.5f, 2}), (std::vector<double>{1.5, 0}));
}

TEST(Add, DeclaresTwelveBytesForEachOperation) {
  EXPECT_EQ(add_cost(100).flops, Flops(100));
  EXPECT_EQ(add_cost(100).read, Bytes(800));
  EXPECT_EQ(add_cost(100).written, Bytes(400));
}

}  // namespace
}  // namespace steelyard::cpu_suite::add_test

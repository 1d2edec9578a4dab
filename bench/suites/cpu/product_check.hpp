// Whether a large matrix product is right, without a second product: n^2 work in place of n^3.
//
// Two checks. Freivalds (Probabilistic Machines Can Use Less Running Time, 1977): the product times a random vector of
// 1 and -1 is compared with left * (right * vector), all in double, row by row; every value of the product takes part,
// and one that is off by more than twice the tolerance is always found. And a sample of the product's values, each
// against its own dot product in double, to the tighter tolerance that one value deserves.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "bench/suites/cpu/matrix_product.hpp"

namespace steelyard::cpu_suite {

inline constexpr std::size_t kSampledValues = 256;

// Absent where the product of values in [-1, 1] is right; else what is off, in words. The seed chooses vector and
// sample.
std::optional<std::string> product_fault(ProductShape shape, std::span<const float> left, std::span<const float> right,
                                         std::span<const float> product, std::uint32_t seed);

}  // namespace steelyard::cpu_suite

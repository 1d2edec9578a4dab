// Whether a kernel's answer is right: compared, value by value, with one computed plainly in double precision.
//
//     if (const auto fault = disagreement(product, wanted, dot_tolerance(n))) state.SkipWithError(fault->c_str());
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace steelyard::cpu_suite {

// Absent where each |answer - wanted| <= tolerance * max(1, |wanted|); else the first value that is further off, in
// words. A NaN is off, and so is an answer of another length.
std::optional<std::string> disagreement(std::span<const float> answer, std::span<const double> wanted,
                                        double tolerance);

// What rounding to single precision may do to a sum of n products of numbers in [-1, 1], n >= 1: u * sqrt(n) * n with
// u = 2^-24 (Higham and Mary, A New Approach to Probabilistic Rounding Error Analysis, 2019: sqrt(n) u times the sum of
// the magnitudes). One product left out changes the sum by 1/4 on average: far more for every n of this suite.
double dot_tolerance(std::size_t n);

// Inputs of the kernels: the same numbers on every machine, for a seed.

// `count` values evenly spread over [-limit, limit). The engine's bits are mapped here: standard engines agree
// everywhere, standard distributions do not.
std::vector<float> seeded_values(std::size_t count, std::uint32_t seed, float limit = 1.0f);

}  // namespace steelyard::cpu_suite

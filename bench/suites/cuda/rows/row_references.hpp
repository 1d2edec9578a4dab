// The operations on one row in double precision, with the bound that a kernel's answer has to keep at each value.
//
// The bounds count roundings. With u = 2^-24 (single precision) and a chain of k roundings, g(k) = ku / (1 - ku); v is
// the unit roundoff of the values' type, by which the result is rounded once (row_operations.hpp) or once a link
// (row_links.hpp). A sum over a row goes through at most kRowSum roundings.
#pragma once

#include <span>
#include <vector>

#include "bench/suites/cuda/arithmetic/agreement.hpp"
#include "bench/suites/cuda/rows/row_part.hpp"

namespace steelyard::cuda_suite {

// The values that a thread adds one by one, and the tree's steps.
inline constexpr double kRowSum = kRowPacks * 8 + kTreeSteps;

enum class RowForm {
  fused,  // one kernel: values of the given type are read and written, all between is single precision
  chain,  // one kernel a link: each link rounds to the values' type
};

template <class T>
std::vector<Wanted> softmax_wanted(std::span<const double> row, RowForm form = RowForm::fused);
// weights, biases: as long as the row.
template <class T>
std::vector<Wanted> layer_norm_wanted(std::span<const double> row, std::span<const float> weights,
                                      std::span<const float> biases, RowForm form = RowForm::fused);
template <class T>
std::vector<Wanted> rms_norm_wanted(std::span<const double> row, std::span<const float> weights,
                                    RowForm form = RowForm::fused);

}  // namespace steelyard::cuda_suite

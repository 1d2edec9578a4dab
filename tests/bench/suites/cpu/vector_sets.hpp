// The sets of vector instructions that this machine can run, so that a test covers each.
#pragma once

#include <vector>

#include "bench/suites/cpu/vector_set.hpp"

namespace steelyard::cpu_suite {

inline std::vector<VectorSet> vector_sets_here() {
  std::vector<VectorSet> sets{VectorSet::baseline};
  if (widest_vector_set() >= VectorSet::avx2) sets.push_back(VectorSet::avx2);
  if (widest_vector_set() >= VectorSet::avx512) sets.push_back(VectorSet::avx512);
  return sets;
}

}  // namespace steelyard::cpu_suite

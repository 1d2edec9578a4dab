// What the fuzzed program measures, for the test that checks what it says.
#pragma once

#include "bench/harness/fuzz/fuzzer.hpp"

namespace steelyard {

inline FuzzerSpec sum_fuzzer() {
  FuzzerSpec spec;
  spec.seed = 7;
  spec.parameters = {FuzzedParameter::log_uniform("rows", 1, 64), FuzzedParameter::log_uniform("columns", 1, 64)};
  FuzzedTensor x;
  x.name = "x";
  x.sizes = {"rows", "columns"};
  x.min_elements = 16;
  spec.tensors = {x};
  return spec;
}

}  // namespace steelyard

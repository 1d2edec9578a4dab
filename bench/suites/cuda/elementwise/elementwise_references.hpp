// Elementwise operations in double precision, with the bound of a kernel's answer.
#pragma once

#include "bench/suites/cuda/arithmetic/agreement.hpp"

namespace steelyard::cuda_suite {

// One addition in single precision, rounded to T.
template <class T>
Wanted add_wanted(double a, double b);

double gelu_in_double(double x);
// Fused: single precision within, rounded once to T.
template <class T>
Wanted gelu_wanted(double x);
// Nine links, each rounded to T.
template <class T>
Wanted gelu_chain_wanted(double x);

}  // namespace steelyard::cuda_suite

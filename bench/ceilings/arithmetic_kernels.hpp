// Loops that do nothing but arithmetic: as many independent multiply-adds as hide their latency on every unit of a
// core, all operands in registers. Each gives back what its additions sum up to, so that a test can see that the
// operations counted were done.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/ceilings/cpu_identity.hpp"

namespace steelyard::bench {

struct ArithmeticKernel {
  std::string_view how;  // "AVX-512 FMA"
  int instruction_bits = 0;
  bool is_fma = false;                   // of float lanes, so that fma_units() applies
  std::int64_t operations_per_pass = 0;  // a multiply and an add are two
  // All operands are one: half of all operations are additions of one, and their sum comes back (exact while it is
  // small: 2048 additions in f16).
  double (*run)(std::int64_t passes) = nullptr;
};

struct DtypeKernels {
  std::string dtype;
  int element_bits = 0;
  std::vector<ArithmeticKernel> kernels;  // usable here, widest first; which is fastest is measured
  std::string reason;                     // where there is none
};

// f64, f32, f16, bf16, i8, in this order.
std::vector<DtypeKernels> arithmetic_kernels(const CpuIdentity& cpu);

}  // namespace steelyard::bench

// The peaks of narrow types: half precision by AVX512-FP16, dot products of bf16 and of bytes by AVX512-BF16, VNNI and
// AMX tiles. For arithmetic_kernels() only.
#pragma once

#include "bench/ceilings/arithmetic_kernels.hpp"

namespace steelyard::bench {

DtypeKernels f16_kernels(const CpuIdentity& cpu);
DtypeKernels bf16_kernels(const CpuIdentity& cpu);
DtypeKernels i8_kernels(const CpuIdentity& cpu);

}  // namespace steelyard::bench

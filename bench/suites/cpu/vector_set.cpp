#include "bench/suites/cpu/vector_set.hpp"

namespace steelyard::cpu_suite {

std::string_view to_text(VectorSet set) {
  switch (set) {
    case VectorSet::avx512:
      return "avx512";
    case VectorSet::avx2:
      return "avx2";
    case VectorSet::baseline:
      break;
  }
  return "baseline";
}

VectorSet widest_vector_set() {
#if STEELYARD_X86_64
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
    return VectorSet::avx512;
  }
  if (avx2) return VectorSet::avx2;
#endif
  return VectorSet::baseline;
}

bool has_bf16_dot() {
#if STEELYARD_X86_64
  __builtin_cpu_init();
  return widest_vector_set() == VectorSet::avx512 && __builtin_cpu_supports("avx512bf16");
#else
  return false;
#endif
}

}  // namespace steelyard::cpu_suite

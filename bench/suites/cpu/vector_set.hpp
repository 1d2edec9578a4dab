// The vector instructions that the suite's own kernels are compiled for beyond the baseline, and which of them this CPU
// has. A kernel is one body, compiled once for each set; the widest that the CPU has is called.
//
//     template <class Weight> STEELYARD_INLINE void body(...);
//     STEELYARD_AVX2 void body_avx2(...) { body<Bf16>(...); }
#pragma once

#include <string_view>

#if defined(__x86_64__)
#define STEELYARD_X86_64 1
#define STEELYARD_AVX2 [[gnu::target("avx2,fma")]]
#if defined(__clang__)
#define STEELYARD_AVX512 [[gnu::target("avx512f,avx512bw,avx512vl,avx512dq,fma")]]
#else
#define STEELYARD_AVX512 [[gnu::target("avx512f,avx512bw,avx512vl,avx512dq,fma,prefer-vector-width=512")]]
#endif
#else
#define STEELYARD_X86_64 0
#endif
#define STEELYARD_INLINE [[gnu::always_inline]] inline

// Before a loop whose values do not depend on each other, though a result may lie in its operand's place.
#if defined(__clang__)
#define STEELYARD_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define STEELYARD_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace steelyard::cpu_suite {

enum class VectorSet { baseline, avx2, avx512 };  // each has all of those before it
std::string_view to_text(VectorSet set);

// The widest one that this CPU has and this file was compiled for. Under Valgrind it may be a smaller one.
VectorSet widest_vector_set();

// Whether the CPU multiplies bf16 pairs itself (AVX512_BF16).
bool has_bf16_dot();

}  // namespace steelyard::cpu_suite

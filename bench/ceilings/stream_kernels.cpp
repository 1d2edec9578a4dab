// Compiled with -O3 and without the pattern that turns a loop into a call of memcpy or memset.
#include "bench/ceilings/stream_kernels.hpp"

#include <array>

namespace steelyard::bench {
namespace {

// The loops for vectors of any width, instantiated inside functions that are compiled for it. Eight vectors a turn: two
// loads a cycle, each added to a sum of its own that takes four cycles.
// Element is double: a parameter, since g++ 12 takes the attribute of a type that depends on none too early.
template <class Element, std::size_t bytes>
struct Loops {
  typedef Element Vector __attribute__((vector_size(bytes)));
  static constexpr std::size_t kLanes = bytes / sizeof(Element);
  static constexpr std::size_t kVectors = 8;
  static_assert(kStreamBlock % (kLanes * kVectors) == 0);

  [[gnu::always_inline]] static const Vector& at(const double* array, std::size_t i) {
    return *reinterpret_cast<const Vector*>(array + i);
  }
  // Every pass reads and writes memory anew.
  [[gnu::always_inline]] static void forget() { asm volatile("" : : : "memory"); }

  template <bool non_temporal>
  [[gnu::always_inline]] static void store(double* array, std::size_t i, const Vector& value) {
    Vector& target = *reinterpret_cast<Vector*>(array + i);
#if defined(__x86_64__)
    if constexpr (non_temporal && bytes == 16) {
      asm volatile("movntpd %1, %0" : "=m"(target) : "x"(value));
      return;
    } else if constexpr (non_temporal) {
      asm volatile("vmovntpd %1, %0" : "=m"(target) : "v"(value));
      return;
    }
#endif
    target = value;
  }
  // Non-temporal stores are done when the fence has passed.
  template <bool non_temporal>
  [[gnu::always_inline]] static void fence() {
#if defined(__x86_64__)
    if constexpr (non_temporal) asm volatile("sfence" : : : "memory");
#endif
  }

  [[gnu::always_inline]] static double read(const StreamArrays& arrays, std::int64_t passes) {
    const double* const a = arrays.a;
    Vector sums[kVectors] = {};
    for (std::int64_t pass = 0; pass < passes; ++pass) {
      for (std::size_t i = 0; i < arrays.length; i += kLanes * kVectors) {
#pragma GCC unroll 8
        for (std::size_t k = 0; k < kVectors; ++k) sums[k] += at(a, i + k * kLanes);
      }
      forget();
    }
    double sum = 0;
#pragma GCC unroll 8
    for (std::size_t k = 0; k < kVectors; ++k) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) sum += sums[k][lane];
    }
    return sum;
  }

  template <bool non_temporal>
  [[gnu::always_inline]] static double write(const StreamArrays& arrays, std::int64_t passes) {
    double* const a = arrays.a;
    const Vector value = Vector{} + kWritten;
    for (std::int64_t pass = 0; pass < passes; ++pass) {
      for (std::size_t i = 0; i < arrays.length; i += kLanes * kVectors) {
#pragma GCC unroll 8
        for (std::size_t k = 0; k < kVectors; ++k) store<non_temporal>(a, i + k * kLanes, value);
      }
      forget();
    }
    fence<non_temporal>();
    return 0;
  }

  template <bool non_temporal>
  [[gnu::always_inline]] static double copy(const StreamArrays& arrays, std::int64_t passes) {
    double* const a = arrays.a;
    const double* const b = arrays.b;
    for (std::int64_t pass = 0; pass < passes; ++pass) {
      for (std::size_t i = 0; i < arrays.length; i += kLanes * kVectors) {
#pragma GCC unroll 8
        for (std::size_t k = 0; k < kVectors; ++k) store<non_temporal>(a, i + k * kLanes, at(b, i + k * kLanes));
      }
      forget();
    }
    fence<non_temporal>();
    return 0;
  }

  template <bool non_temporal>
  [[gnu::always_inline]] static double triad(const StreamArrays& arrays, std::int64_t passes) {
    double* const a = arrays.a;
    const double* const b = arrays.b;
    const double* const c = arrays.c;
    for (std::int64_t pass = 0; pass < passes; ++pass) {
      for (std::size_t i = 0; i < arrays.length; i += kLanes * kVectors) {
#pragma GCC unroll 8
        for (std::size_t k = 0; k < kVectors; ++k) {
          const std::size_t j = i + k * kLanes;
          store<non_temporal>(a, j, at(b, j) + kTriadFactor * at(c, j));
        }
      }
      forget();
    }
    fence<non_temporal>();
    return 0;
  }
};

// One function an access for the instructions of one width: a macro, since no template parameter can name them.
#define STEELYARD_STREAMS(name, bytes, instructions)                                                            \
  struct name {                                                                                                 \
    using L = Loops<double, bytes>;                                                                             \
    instructions static double read(const StreamArrays& a, std::int64_t n) { return L::read(a, n); }            \
    instructions static double write(const StreamArrays& a, std::int64_t n) { return L::write<false>(a, n); }   \
    instructions static double copy(const StreamArrays& a, std::int64_t n) { return L::copy<false>(a, n); }     \
    instructions static double triad(const StreamArrays& a, std::int64_t n) { return L::triad<false>(a, n); }   \
    instructions static double write_nt(const StreamArrays& a, std::int64_t n) { return L::write<true>(a, n); } \
    instructions static double copy_nt(const StreamArrays& a, std::int64_t n) { return L::copy<true>(a, n); }   \
    instructions static double triad_nt(const StreamArrays& a, std::int64_t n) { return L::triad<true>(a, n); } \
  }

template <class Functions>
constexpr std::array<StreamKernel, 4> kPlain{
    StreamKernel{"read", 1, Functions::read}, StreamKernel{"write", 1, Functions::write},
    StreamKernel{"copy", 2, Functions::copy}, StreamKernel{"triad", 3, Functions::triad}};
template <class Functions>
constexpr std::array<StreamKernel, 3> kNonTemporal{StreamKernel{"write-nt", 1, Functions::write_nt},
                                                   StreamKernel{"copy-nt", 2, Functions::copy_nt},
                                                   StreamKernel{"triad-nt", 3, Functions::triad_nt}};

#if defined(__x86_64__)
STEELYARD_STREAMS(Sse2, 16, [[gnu::target("sse2")]]);
STEELYARD_STREAMS(Avx, 32, [[gnu::target("avx")]]);
STEELYARD_STREAMS(Avx512, 64, [[gnu::target("avx512f")]]);
#else
STEELYARD_STREAMS(Plain, 16, );
#endif
#undef STEELYARD_STREAMS

}  // namespace

StreamKernels stream_kernels(const CpuIdentity& cpu) {
#if defined(__x86_64__)
  if (cpu.avx512) return {"AVX-512", kPlain<Avx512>, kNonTemporal<Avx512>};
  if (cpu.avx) return {"AVX", kPlain<Avx>, kNonTemporal<Avx>};
  return {"SSE2", kPlain<Sse2>, kNonTemporal<Sse2>};
#else
  static_cast<void>(cpu);
  return {"vectors of 128 bits", kPlain<Plain>, {}};
#endif
}

}  // namespace steelyard::bench

// Compiled with -O3 whatever the build type.
#include "bench/ceilings/dot_kernels.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace steelyard::bench {
namespace {

// What stands in the way, in the words of the reason that is printed.
std::string missing(const std::string& extensions, const CpuIdentity& cpu) {
  if (cpu.vendor.empty()) return "only measured on x86 processors so far";
  std::string reason = "the CPU has no " + extensions;
  if (!cpu.avx512_withheld.empty()) reason = cpu.avx512_withheld;
  if (!cpu.amx_withheld.empty()) reason += "; " + cpu.amx_withheld;
  return reason;
}

#if defined(__x86_64__)

// Sums and rounds of a pass, as in float_loops.hpp. Each sum begins with a zero that the compiler cannot know, or it
// would keep one for all of them.
constexpr int kSums = 12;
constexpr int kRounds = 8;
// A dot product of bf16 takes six cycles, and AVX-512 has 32 registers.
constexpr int kWideSums = 24;
constexpr int kWideRounds = 4;
constexpr std::int64_t kVectors = std::int64_t{kSums} * kRounds;  // of a pass
static_assert(kWideSums * kWideRounds == kVectors);

[[gnu::target("avx512f,avx512fp16")]] double f16_avx512(std::int64_t passes) {
  unsigned short bits = 0x3C00;  // 1.0
  asm volatile("" : "+m"(bits));
  const __m512h one = reinterpret_cast<__m512h>(_mm512_set1_epi16(static_cast<short>(bits)));
  __m512h sums[kWideSums];
#pragma GCC unroll 24
  for (int k = 0; k < kWideSums; ++k) {
    sums[k] = _mm512_setzero_ph();
    asm volatile("" : "+v"(sums[k]));
  }
  for (std::int64_t pass = 0; pass < passes; ++pass) {
#pragma GCC unroll 4
    for (int round = 0; round < kWideRounds; ++round) {
#pragma GCC unroll 24
      for (int k = 0; k < kWideSums; ++k) sums[k] = _mm512_fmadd_ph(sums[k], one, one);
    }
  }
  double sum = 0;
#pragma GCC unroll 24
  for (int k = 0; k < kWideSums; ++k) {
    for (int lane = 0; lane < 32; ++lane) sum += static_cast<double>(sums[k][lane]);
  }
  return sum;
}

[[gnu::target("avx512f,avx512bf16")]] double bf16_avx512(std::int64_t passes) {
  unsigned short bits = 0x3F80;  // 1.0
  asm volatile("" : "+m"(bits));
  const __m512bh one = reinterpret_cast<__m512bh>(_mm512_set1_epi32(bits << 16 | bits));
  __m512 sums[kWideSums];
#pragma GCC unroll 24
  for (int k = 0; k < kWideSums; ++k) {
    sums[k] = _mm512_setzero_ps();
    asm volatile("" : "+v"(sums[k]));
  }
  for (std::int64_t pass = 0; pass < passes; ++pass) {
#pragma GCC unroll 4
    for (int round = 0; round < kWideRounds; ++round) {
#pragma GCC unroll 24
      for (int k = 0; k < kWideSums; ++k) sums[k] = _mm512_dpbf16_ps(sums[k], one, one);
    }
  }
  double sum = 0;
#pragma GCC unroll 24
  for (int k = 0; k < kWideSums; ++k) {
    for (int lane = 0; lane < 16; ++lane) sum += static_cast<double>(sums[k][lane]);
  }
  return sum;
}

[[gnu::target("avx512f,avx512vnni")]] double i8_avx512(std::int64_t passes) {
  int bits = 0x01010101;
  asm volatile("" : "+m"(bits));
  const __m512i one = _mm512_set1_epi32(bits);
  __m512i sums[kWideSums];
#pragma GCC unroll 24
  for (int k = 0; k < kWideSums; ++k) {
    sums[k] = _mm512_setzero_si512();
    asm volatile("" : "+v"(sums[k]));
  }
  for (std::int64_t pass = 0; pass < passes; ++pass) {
#pragma GCC unroll 4
    for (int round = 0; round < kWideRounds; ++round) {
#pragma GCC unroll 24
      for (int k = 0; k < kWideSums; ++k) sums[k] = _mm512_dpbusd_epi32(sums[k], one, one);
    }
  }
  double sum = 0;
#pragma GCC unroll 24
  for (int k = 0; k < kWideSums; ++k) {
    alignas(64) int lanes[16];
    _mm512_store_si512(lanes, sums[k]);
    for (const int lane : lanes) sum += lane;
  }
  return sum;
}

[[gnu::target("avx2,avxvnni")]] double i8_avx(std::int64_t passes) {
  int bits = 0x01010101;
  asm volatile("" : "+m"(bits));
  const __m256i one = _mm256_set1_epi32(bits);
  __m256i sums[kSums];
#pragma GCC unroll 12
  for (int k = 0; k < kSums; ++k) {
    sums[k] = _mm256_setzero_si256();
    asm volatile("" : "+v"(sums[k]));
  }
  for (std::int64_t pass = 0; pass < passes; ++pass) {
#pragma GCC unroll 8
    for (int round = 0; round < kRounds; ++round) {
#pragma GCC unroll 12
      for (int k = 0; k < kSums; ++k) sums[k] = _mm256_dpbusd_avx_epi32(sums[k], one, one);
    }
  }
  double sum = 0;
#pragma GCC unroll 12
  for (int k = 0; k < kSums; ++k) {
    alignas(32) int lanes[8];
    _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), sums[k]);
    for (const int lane : lanes) sum += lane;
  }
  return sum;
}

// Palette 1: eight tiles of 16 rows of 64 bytes (Intel SDM volume 1, chapter 18).
struct alignas(64) TileConfiguration {
  unsigned char palette = 1;
  unsigned char start_row = 0;
  unsigned char reserved[14] = {};
  unsigned short columns[16] = {64, 64, 64, 64, 64, 64, 64, 64};  // in bytes
  unsigned char rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

// The compiler does not see that tiles are loaded from memory and stored to it.
[[gnu::always_inline]] inline void show(const void* memory) { asm volatile("" : : "r"(memory) : "memory"); }

// A product of tiles takes 52 cycles and one starts every 16: six sums, tiles 0 to 5, from tiles 6 and 7.
constexpr int kTileSums = 6;
constexpr int kTileRounds = 16;

// Of tiles full of `kOne`, which is 1 in their type. The caller asks whether the processor has tiles of that type.
template <class Sum, auto kOne>
[[gnu::target("amx-tile,amx-bf16,amx-int8")]] double amx_products(std::int64_t passes) {
  constexpr std::size_t kTileBytes = 1024;
  const TileConfiguration configuration;
  alignas(64) decltype(kOne) ones[kTileBytes / sizeof kOne];
  for (auto& one : ones) one = kOne;
  show(&configuration);
  show(ones);
  _tile_loadconfig(&configuration);
  _tile_loadd(6, ones, 64);
  _tile_loadd(7, ones, 64);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_zero(4);
  _tile_zero(5);
  for (std::int64_t round = 0; round < passes * kTileRounds; ++round) {
    if constexpr (std::is_same_v<Sum, float>) {
      _tile_dpbf16ps(0, 6, 7);
      _tile_dpbf16ps(1, 6, 7);
      _tile_dpbf16ps(2, 6, 7);
      _tile_dpbf16ps(3, 6, 7);
      _tile_dpbf16ps(4, 6, 7);
      _tile_dpbf16ps(5, 6, 7);
    } else {
      _tile_dpbssd(0, 6, 7);
      _tile_dpbssd(1, 6, 7);
      _tile_dpbssd(2, 6, 7);
      _tile_dpbssd(3, 6, 7);
      _tile_dpbssd(4, 6, 7);
      _tile_dpbssd(5, 6, 7);
    }
  }
  alignas(64) Sum sums[kTileSums][kTileBytes / sizeof(Sum)];
  _tile_stored(0, sums[0], 64);
  _tile_stored(1, sums[1], 64);
  _tile_stored(2, sums[2], 64);
  _tile_stored(3, sums[3], 64);
  _tile_stored(4, sums[4], 64);
  _tile_stored(5, sums[5], 64);
  show(sums);
  _tile_release();
  double sum = 0;
  for (const auto& tile : sums) {
    for (const Sum value : tile) sum += static_cast<double>(value);
  }
  return sum;
}
constexpr unsigned short kBf16One = 0x3F80;
constexpr signed char kI8One = 1;

constexpr std::int64_t kTiles = std::int64_t{kTileSums} * kTileRounds;

#endif

}  // namespace

#if defined(__x86_64__)

DtypeKernels f16_kernels(const CpuIdentity& cpu) {
  DtypeKernels f16{"f16", 16, {}, ""};
  if (cpu.avx512_fp16) f16.kernels.push_back({"AVX512-FP16 FMA", 512, true, kVectors * 32 * 2, f16_avx512});
  if (f16.kernels.empty()) f16.reason = missing("AVX512-FP16", cpu);
  return f16;
}

DtypeKernels bf16_kernels(const CpuIdentity& cpu) {
  DtypeKernels bf16{"bf16", 16, {}, ""};
  if (cpu.amx_bf16)
    bf16.kernels.push_back({"AMX-BF16 tiles", 512, false, kTiles * 16 * 16 * 32 * 2, amx_products<float, kBf16One>});
  if (cpu.avx512_bf16) bf16.kernels.push_back({"AVX512-BF16 dot product", 512, false, kVectors * 32 * 2, bf16_avx512});
  if (bf16.kernels.empty()) bf16.reason = missing("AVX512-BF16 and no AMX-BF16", cpu);
  return bf16;
}

DtypeKernels i8_kernels(const CpuIdentity& cpu) {
  DtypeKernels i8{"i8", 8, {}, ""};
  if (cpu.amx_int8)
    i8.kernels.push_back({"AMX-INT8 tiles", 512, false, kTiles * 16 * 16 * 64 * 2, amx_products<std::int32_t, kI8One>});
  if (cpu.avx512_vnni) i8.kernels.push_back({"AVX512-VNNI dot product", 512, false, kVectors * 64 * 2, i8_avx512});
  if (cpu.avx_vnni) i8.kernels.push_back({"AVX-VNNI dot product", 256, false, kVectors * 32 * 2, i8_avx});
  if (i8.kernels.empty()) i8.reason = missing("AVX512-VNNI, no AVX-VNNI and no AMX-INT8", cpu);
  return i8;
}

#else

DtypeKernels f16_kernels(const CpuIdentity& cpu) { return {"f16", 16, {}, missing("", cpu)}; }
DtypeKernels bf16_kernels(const CpuIdentity& cpu) { return {"bf16", 16, {}, missing("", cpu)}; }
DtypeKernels i8_kernels(const CpuIdentity& cpu) { return {"i8", 8, {}, missing("", cpu)}; }

#endif

}  // namespace steelyard::bench

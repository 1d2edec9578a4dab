// Sixteen bytes of an array: what one thread of the device reads or writes with one instruction. Kernels move packs and
// compute on the lanes in single precision.
//
// A whole pack needs an address that is a multiple of 16. Where an array's end cuts a pack, or a row of an odd length
// begins anywhere, lanes are moved one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "bench/suites/cuda/arithmetic/narrow_floats.hpp"

namespace steelyard::cuda_suite {

struct alignas(16) Pack {
  std::uint32_t words[4];
};

template <class T>
inline constexpr int kLanes = static_cast<int>(sizeof(Pack) / sizeof(T));

// How a kernel that reads memory once asks for it: past the first cache, and through the path of what no one writes
// while the kernel runs. So its results must lie elsewhere.
STEELYARD_HOST_DEVICE inline Pack load_streaming(const void* address) {
  Pack pack;
#ifdef __CUDA_ARCH__
  // Volatile: stays where it is written, before what waits for other threads.
  asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(pack.words[0]), "=r"(pack.words[1]), "=r"(pack.words[2]), "=r"(pack.words[3])
               : "l"(address));
#else
  std::memcpy(&pack, address, sizeof(pack));
#endif
  return pack;
}

#ifdef __CUDA_ARCH__
// Loads into shared memory, without a register and without waiting: wait_for_copies() does, for the thread's own
// copies. What the thread read of the place before has to be used before (used_before_copies).
__device__ inline void copy_ahead(Pack* to, const void* from) {
  const auto place = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(place), "l"(from) : "memory");
}
__device__ inline void wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }
__device__ inline void used_before_copies(float computed) { asm volatile("" ::"f"(computed) : "memory"); }
#endif

// What other threads read as well: kept in the first cache.
STEELYARD_HOST_DEVICE inline Pack load_shared_by_threads(const void* address) {
  Pack pack;
#ifdef __CUDA_ARCH__
  asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(pack.words[0]), "=r"(pack.words[1]), "=r"(pack.words[2]), "=r"(pack.words[3])
               : "l"(address));
#else
  std::memcpy(&pack, address, sizeof(pack));
#endif
  return pack;
}

// Whatever was computed from the pack before is computed again: the packs of a row are kept over the block's tree, not
// their lanes in single precision, which are twice as many registers.
STEELYARD_HOST_DEVICE inline void forget_lanes(Pack& pack) {
#ifdef __CUDA_ARCH__
  asm volatile("" : "+r"(pack.words[0]), "+r"(pack.words[1]), "+r"(pack.words[2]), "+r"(pack.words[3]));
#else
  static_cast<void>(pack);
#endif
}

STEELYARD_HOST_DEVICE inline void store_pack(void* address, const Pack& pack) {
#ifdef __CUDA_ARCH__
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(address), "r"(pack.words[0]), "r"(pack.words[1]),
               "r"(pack.words[2]), "r"(pack.words[3])
               : "memory");
#else
  std::memcpy(address, &pack, sizeof(pack));
#endif
}

template <class T>
STEELYARD_HOST_DEVICE void unpack(const Pack& pack, float (&values)[kLanes<T>]);

template <>
STEELYARD_HOST_DEVICE inline void unpack<float>(const Pack& pack, float (&values)[4]) {
  STEELYARD_UNROLL
  for (int i = 0; i < 4; ++i) values[i] = float_of_bits(pack.words[i]);
}
template <>
STEELYARD_HOST_DEVICE inline void unpack<Bf16>(const Pack& pack, float (&values)[8]) {
  STEELYARD_UNROLL
  for (int i = 0; i < 4; ++i) {
    values[2 * i] = float_of_bits(pack.words[i] << 16);
    values[2 * i + 1] = float_of_bits(pack.words[i] & 0xffff0000u);
  }
}
template <>
STEELYARD_HOST_DEVICE inline void unpack<F16>(const Pack& pack, float (&values)[8]) {
  STEELYARD_UNROLL
  for (int i = 0; i < 4; ++i) {
    values[2 * i] = widened(F16{static_cast<std::uint16_t>(pack.words[i])});
    values[2 * i + 1] = widened(F16{static_cast<std::uint16_t>(pack.words[i] >> 16)});
  }
}
// Sixteen integers of 8 bits with a sign. Converting each would keep the few units for it busy: instead the byte, made
// positive by 128, becomes the last byte of 2^23, and what was added is subtracted. Exact.
template <>
STEELYARD_HOST_DEVICE inline void unpack<std::int8_t>(const Pack& pack, float (&values)[16]) {
  STEELYARD_UNROLL
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t positive = pack.words[i] ^ 0x80808080u;
    STEELYARD_UNROLL
    for (int byte = 0; byte < 4; ++byte) {
#ifdef __CUDA_ARCH__
      const std::uint32_t bits = __byte_perm(positive, 0x4b000000u, 0x7440u + static_cast<std::uint32_t>(byte));
#else
      const std::uint32_t bits = 0x4b000000u | ((positive >> (8 * byte)) & 0xffu);
#endif
      values[4 * i + byte] = float_of_bits(bits) - 8388736.0f;
    }
  }
}

template <class T>
STEELYARD_HOST_DEVICE Pack packed(const float (&values)[kLanes<T>]) {
  Pack pack;
  STEELYARD_UNROLL
  for (int i = 0; i < 4; ++i) pack.words[i] = narrowed_pair<T>(values[2 * i], values[2 * i + 1]);
  return pack;
}
template <>
STEELYARD_HOST_DEVICE inline Pack packed<float>(const float (&values)[4]) {
  Pack pack;
  STEELYARD_UNROLL
  for (int i = 0; i < 4; ++i) pack.words[i] = bits_of_float(values[i]);
  return pack;
}

// The first `count` lanes, 0 to all, from any address of a T; the others are 0.
template <class T>
STEELYARD_HOST_DEVICE Pack load_lanes(const T* address, int count) {
  float values[kLanes<T>];
  STEELYARD_UNROLL
  for (int i = 0; i < kLanes<T>; ++i) values[i] = i < count ? widened(address[i]) : 0.0f;
  return packed<T>(values);
}
template <class T>
STEELYARD_HOST_DEVICE void store_lanes(T* address, const float (&values)[kLanes<T>], int count) {
  STEELYARD_UNROLL
  for (int i = 0; i < kLanes<T>; ++i) {
    if (i < count) address[i] = narrowed<T>(values[i]);
  }
}

}  // namespace steelyard::cuda_suite

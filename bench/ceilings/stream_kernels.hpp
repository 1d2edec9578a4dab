// Loops that do nothing but move memory: read, write, copy and triad, as STREAM has them (McCalpin, "Memory Bandwidth
// and Machine Balance in Current High Performance Computers", 1995), with the widest vectors of the CPU; and the last
// three once more with non-temporal stores, which go past the caches and fetch no line before it is overwritten.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "bench/ceilings/cpu_identity.hpp"

namespace steelyard::bench {

// The arrays that an access uses, each of `length` doubles, aligned to 64 bytes: read a; write a; copy a = b; triad
// a = b + s * c.
struct StreamArrays {
  double* a = nullptr;
  double* b = nullptr;
  double* c = nullptr;
  std::size_t length = 0;  // a multiple of kStreamBlock
};
inline constexpr std::size_t kStreamBlock = 64;  // doubles: what one turn of every loop moves at least

struct StreamKernel {
  std::string_view access;  // "read", ..., "triad-nt"
  int arrays = 1;           // how many it moves; bytes of a pass are arrays * length * 8, as STREAM counts them
  // Gives back what it read (the sum of a), else 0.
  double (*run)(const StreamArrays& arrays, std::int64_t passes) = nullptr;
};

struct StreamKernels {
  std::string_view how;                        // "AVX-512"
  std::span<const StreamKernel> plain;         // read, write, copy, triad
  std::span<const StreamKernel> non_temporal;  // write-nt, copy-nt, triad-nt; empty where there are none
};
StreamKernels stream_kernels(const CpuIdentity& cpu);

// What the loops store: write 1 into a; triad with s = 3.
inline constexpr double kWritten = 1;
inline constexpr double kTriadFactor = 3;

}  // namespace steelyard::bench

// What one thread does of a pass over the device's memory, for measuring what the memory can do: a few packs of 16
// bytes, all of them asked for before the first is used, so that enough of them are on their way. A block's packs lie
// side by side, and a warp's too.
//
// The same functions run on the CPU in tests, which play every thread of every block.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/suites/cuda/arithmetic/pack.hpp"

struct CUstream_st;

namespace steelyard::cuda_suite {

inline constexpr unsigned kPassThreads = 256;  // of a block
inline constexpr int kPacksInFlight = 4;       // of a thread: 16 KiB a block, of which a multiprocessor holds eight
inline constexpr std::size_t kPacksOfBlock = std::size_t{kPassThreads} * kPacksInFlight;

constexpr std::size_t blocks_for(std::size_t packs) { return (packs + kPacksOfBlock - 1) / kPacksOfBlock; }

struct PassThread {
  std::size_t block = 0;
  unsigned thread = 0;

  STEELYARD_HOST_DEVICE std::size_t pack(int turn) const {
    return block * kPacksOfBlock + static_cast<std::size_t>(turn) * kPassThreads + thread;
  }
};

STEELYARD_HOST_DEVICE inline void load_share(const Pack* source, std::size_t packs, PassThread at,
                                             Pack (&loaded)[kPacksInFlight]) {
  STEELYARD_UNROLL
  for (int turn = 0; turn < kPacksInFlight; ++turn) {
    loaded[turn] = at.pack(turn) < packs ? load_streaming(source + at.pack(turn)) : Pack{};
  }
}

STEELYARD_HOST_DEVICE inline void copy_share(const Pack* source, Pack* target, std::size_t packs, PassThread at) {
  Pack loaded[kPacksInFlight];
  load_share(source, packs, at, loaded);
  STEELYARD_UNROLL
  for (int turn = 0; turn < kPacksInFlight; ++turn) {
    if (at.pack(turn) < packs) store_pack(target + at.pack(turn), loaded[turn]);
  }
}

// All words that the thread reads, by exclusive or: what is read must be used, and the order does not matter.
STEELYARD_HOST_DEVICE inline std::uint32_t read_share(const Pack* source, std::size_t packs, PassThread at) {
  Pack loaded[kPacksInFlight];
  load_share(source, packs, at, loaded);
  std::uint32_t joined = 0;
  STEELYARD_UNROLL
  for (int turn = 0; turn < kPacksInFlight; ++turn) {
    STEELYARD_UNROLL
    for (int word = 0; word < 4; ++word) joined ^= loaded[turn].words[word];
  }
  return joined;
}

// Each word its own number, mixed with the key, so that a pack in the wrong place is seen.
STEELYARD_HOST_DEVICE inline std::uint32_t written_word(std::size_t pack, int word, std::uint32_t key) {
  return (static_cast<std::uint32_t>(pack) * 4u + static_cast<std::uint32_t>(word)) ^ key;
}
STEELYARD_HOST_DEVICE inline void write_share(Pack* target, std::size_t packs, std::uint32_t key, PassThread at) {
  STEELYARD_UNROLL
  for (int turn = 0; turn < kPacksInFlight; ++turn) {
    Pack pack;
    STEELYARD_UNROLL
    for (int word = 0; word < 4; ++word) pack.words[word] = written_word(at.pack(turn), word, key);
    if (at.pack(turn) < packs) store_pack(target + at.pack(turn), pack);
  }
}

// Passes over the device's memory, enqueued. They throw CudaError.

void launch_copy_pass(const Pack* source, Pack* target, std::size_t packs, CUstream_st* stream);
// joined[block] = all words that the block read, by exclusive or: blocks_for(packs) words. A single word for all blocks
// would have them wait for each other.
void launch_read_pass(const Pack* source, std::size_t packs, std::uint32_t* joined, CUstream_st* stream);
void launch_write_pass(Pack* target, std::size_t packs, std::uint32_t key, CUstream_st* stream);

}  // namespace steelyard::cuda_suite

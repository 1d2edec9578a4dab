#include "bench/cuda/cache_flush.hpp"

namespace steelyard::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kBlocksOfMultiprocessor = 8;
constexpr int kTimesTheCache = 2;

// Every byte of the buffer is 1, so that no other bit is ever found; the compiler cannot know, and keeps the reads.
__global__ void read_all(const uint4* words, std::size_t count, unsigned* sink) {
  unsigned mixed = 0;
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    const uint4 word = words[i];
    mixed |= word.x | word.y | word.z | word.w;
  }
  if ((mixed & ~0x01010101U) != 0) *sink = mixed;
}

}  // namespace

CacheFlush::CacheFlush(Bytes l2, int multiprocessors)
    : buffer_(static_cast<std::size_t>(l2.count()) * kTimesTheCache / sizeof(uint4) * sizeof(uint4)),
      sink_(1),
      blocks_(multiprocessors * kBlocksOfMultiprocessor) {
  buffer_.fill(1);
}

void CacheFlush::enqueue(const Stream& stream) {
  if (buffer_.bytes() == 0) return;
  read_all<<<blocks_, kThreads, 0, stream.get()>>>(static_cast<const uint4*>(buffer_.data()),
                                                   buffer_.bytes() / sizeof(uint4), sink_.data());
  check(cudaGetLastError(), "launching the kernel that flushes the cache");
}

}  // namespace steelyard::cuda

// How many sets of inputs a workload takes in turn, so that what one launch read is not in the device's cache when the
// same set's turn comes again.
#pragma once

#include <algorithm>
#include <cstddef>

namespace steelyard::cuda_suite {

// Four times the cache in all; one set where that is enough. More sets than kMostInputSets are not made: a set then is
// so small that its launch is bound by latency.
inline constexpr std::size_t kMostInputSets = 256;
constexpr int input_rotation(std::size_t set_bytes, std::size_t cache_bytes) {
  if (set_bytes == 0) return 1;
  const std::size_t wanted = (4 * cache_bytes + set_bytes - 1) / set_bytes;
  return static_cast<int>(std::clamp<std::size_t>(wanted, 1, kMostInputSets));
}

// Values from one set's begin to the next: every set begins at a multiple of 256 bytes.
constexpr std::size_t set_stride(std::size_t values) { return (values + 255) / 256 * 256; }

}  // namespace steelyard::cuda_suite

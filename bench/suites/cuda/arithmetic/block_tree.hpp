// How the threads of a block make one value of the values that each has: a tree of fixed shape, so that the same input
// gives the same bits whatever the schedule. 32 threads (a warp) exchange with the thread whose number differs in one
// bit, 16 first and 1 last; then the warps' values, up to 32 of them, are joined in the same way. Every thread has the
// result, the same bits, because joining commutes: it has to, to the last bit. The kernels exchange by shuffles and one
// array; tests play the same tree on the CPU (play_block_tree).
#pragma once

#include <cassert>
#include <vector>

namespace steelyard::cuda_suite {

inline constexpr int kWarp = 32;
inline constexpr int kMaxThreads = 1024;  // of a block, on every device
inline constexpr int kMaxWarps = kMaxThreads / kWarp;
// Steps of the tree over 1024 threads: what enters error bounds.
inline constexpr int kTreeSteps = 10;

// Of each thread of one warp, on the CPU.
template <class Value, class Join>
std::vector<Value> play_warp_tree(std::vector<Value> values, Join join) {
  assert(values.size() == kWarp);
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    std::vector<Value> next = values;
    for (int lane = 0; lane < kWarp; ++lane) {
      const auto at = static_cast<std::size_t>(lane);
      next[at] = join(values[at], values[static_cast<std::size_t>(lane ^ distance)]);
    }
    values = next;
  }
  return values;
}

// What each thread of a block has in the end, on the CPU. values: one a thread, whole warps; `neutral` stands for the
// warps that the block does not have.
template <class Value, class Join>
std::vector<Value> play_block_tree(const std::vector<Value>& values, Value neutral, Join join) {
  assert(values.size() % kWarp == 0 && !values.empty() && values.size() <= kMaxThreads);
  std::vector<Value> of_warps(kMaxWarps, neutral);
  for (std::size_t warp = 0; warp < values.size() / kWarp; ++warp) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(warp * kWarp);
    of_warps[warp] = play_warp_tree(std::vector<Value>(begin, begin + kWarp), join).front();
  }
  const std::vector<Value> joined = play_warp_tree(of_warps, join);
  std::vector<Value> results;
  for (std::size_t thread = 0; thread < values.size(); ++thread) results.push_back(joined[thread % kWarp]);
  return results;
}

}  // namespace steelyard::cuda_suite

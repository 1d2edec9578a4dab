// Sizes that a kernel can be asked for, for DeviceBenchmark::needs(): users may give an axis other values.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "bench/harness/axes.hpp"

namespace steelyard::cuda_suite {

// The first of the axes whose size is not 1 to `most`, in words; empty: none.
inline std::string size_need(const AxisPoint& at, std::initializer_list<const char*> axes, std::int64_t most) {
  for (const char* axis : axes) {
    const std::int64_t size = at.integer(axis);
    if (size >= 1 && size <= most) continue;
    return std::string(axis) + " is 1 to " + std::to_string(most) + " here, " + std::to_string(size) + " was asked for";
  }
  return {};
}

// Squares of it are counted in 64 bits, and no device has the memory.
inline constexpr std::int64_t kMostSize = std::int64_t{1} << 30;

}  // namespace steelyard::cuda_suite

// What a dtype asks of a device, for DeviceBenchmark::needs().
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "bench/cuda/device_properties.hpp"
#include "bench/harness/axes.hpp"

namespace steelyard::cuda_suite {

// "f8 needs compute capability 8.9, this device has 8.0"; empty: the device has it. Of the axis "dtype".
std::string dtype_need(const cuda::DeviceProperties& device, const AxisPoint& at);
// Of a dtype's name; one that is not known needs nothing.
std::string dtype_need_of(const cuda::DeviceProperties& device, std::string_view dtype);

// Sizes that a kernel can be asked for, for DeviceBenchmark::needs(): users may give an axis other values.

// The first of the axes whose size is not 1 to `most`, in words; empty: none.
inline std::string size_need(const AxisPoint& at, std::initializer_list<const char*> axes, std::int64_t most) {
  for (const char* axis : axes) {
    const std::int64_t size = at.integer(axis);
    if (size >= 1 && size <= most) continue;
    return std::string(axis) + " is 1 to " + std::to_string(most) + " here, " + std::to_string(size) + " was asked for";
  }
  return {};
}

// Users may give an axis of texts other values, too: the ones that there are; empty: it is one of them.
inline std::string choice_need(const AxisPoint& at, const char* axis, const std::vector<std::string>& choices) {
  std::string listed;
  for (const std::string& choice : choices) {
    if (at.text(axis) == choice) return {};
    listed += (listed.empty() ? "" : ", ") + choice;
  }
  return std::string(axis) + " is " + listed + " here, " + at.text(axis) + " was asked for";
}

// Squares of it are counted in 64 bits, and no device has the memory.
inline constexpr std::int64_t kMaxSize = std::int64_t{1} << 30;

// Of the axis "n" alone.
inline std::string length_need(const cuda::DeviceProperties&, const AxisPoint& at) {
  return size_need(at, {"n"}, kMaxSize);
}

// Of an axis of sizes that needs nothing more.
inline std::size_t size_at(const AxisPoint& at, std::string_view axis) {
  return static_cast<std::size_t>(at.integer(axis));
}

}  // namespace steelyard::cuda_suite

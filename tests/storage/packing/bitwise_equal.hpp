#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "bench/model/measurement.hpp"

namespace steelyard::storage_test {

// NaN payloads and the sign of zero included.
inline bool bitwise_equal(const std::vector<InvocationSamples>& a, const std::vector<InvocationSamples>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].invocation != b[i].invocation || a[i].iterations != b[i].iterations) return false;
    if (a[i].values.size() != b[i].values.size()) return false;
    for (std::size_t k = 0; k < a[i].values.size(); ++k) {
      if (std::bit_cast<std::uint64_t>(a[i].values[k]) != std::bit_cast<std::uint64_t>(b[i].values[k])) return false;
    }
  }
  return true;
}

}  // namespace steelyard::storage_test

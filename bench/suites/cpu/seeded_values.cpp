#include "bench/suites/cpu/seeded_values.hpp"

#include <random>

namespace steelyard::cpu_suite {

std::vector<float> seeded_values(std::size_t count, std::uint32_t seed, float limit) {
  std::mt19937 engine(seed);
  std::vector<float> values(count);
  for (float& value : values) {
    // The upper 24 of 32 bits: each is a float exactly, so nothing rounds, and the mapping reaches -1 but never 1.
    const auto bits = static_cast<std::int32_t>(engine() >> 8);
    value = limit * (static_cast<float>(bits - (1 << 23)) / static_cast<float>(1 << 23));
  }
  return values;
}

}  // namespace steelyard::cpu_suite

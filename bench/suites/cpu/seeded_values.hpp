// Inputs of the kernels: the same numbers on every machine, for a seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace steelyard::cpu_suite {

// `count` values evenly spread over [-limit, limit). The engine's bits are mapped here: standard engines agree
// everywhere, standard distributions do not.
std::vector<float> seeded_values(std::size_t count, std::uint32_t seed, float limit = 1.0f);

}  // namespace steelyard::cpu_suite

// What the workloads' checks share: which elements of a large answer are compared, and that every element was written.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/suites/cuda/arithmetic/agreement.hpp"
#include "bench/suites/cuda/arithmetic/seeded_inputs.hpp"

namespace steelyard::cuda_suite {

// All of `count` indices where they are at most `most`; else `most` of them, ascending and different: the first and the
// last quarter of `most` and, of the seed, some between. Precondition: most >= 4.
inline std::vector<std::size_t> sampled_indices(std::size_t count, std::size_t most, std::uint64_t seed) {
  std::vector<std::size_t> indices;
  const std::size_t edge = count <= most ? count : most / 4;
  for (std::size_t i = 0; i < edge; ++i) indices.push_back(i);
  if (count <= most) return indices;
  // One of each of equal parts of the middle.
  const std::size_t between = most - 2 * edge;
  const std::size_t part = (count - 2 * edge) / between;
  for (std::size_t i = 0; i < between; ++i) indices.push_back(edge + i * part + scrambled(seed, i) % part);
  for (std::size_t i = count - edge; i < count; ++i) indices.push_back(i);
  return indices;
}

// The inputs are numbers, so a value that is none is memory that no thread wrote: answers are filled with 0xFF first.
template <class T>
Result<void> all_written(const std::string& what, const std::vector<T>& answer, std::size_t columns = 1) {
  for (std::size_t i = 0; i < answer.size(); ++i) {
    if (!std::isnan(widened(answer[i]))) continue;
    const std::string place = columns > 1
                                  ? "row " + std::to_string(i / columns) + ", column " + std::to_string(i % columns)
                                  : "element " + std::to_string(i);
    return program_error(what + ", " + place, "no number", "a number in every element",
                         "the kernel left it unwritten, or computed it from what was");
  }
  return {};
}

}  // namespace steelyard::cuda_suite

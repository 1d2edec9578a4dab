// What fuzzed tensors hold: reals even over [0, 1), whole numbers from 1 to 126, truth values by a fair coin. Depends
// on the seed and the position alone, so that no order of making changes it. PyTorch's own content is not reproduced:
// it comes of another generator.
#pragma once

#include <cstdint>

#include "bench/harness/fuzz/fuzzed_tensor.hpp"
#include "bench/harness/fuzz/typed_buffer.hpp"

namespace steelyard {

// The whole storage, what lies between the elements too: memory that nobody has written is not really there. Reals have
// as many random bits as their dtype has, so none is rounded up to 1.
void fill(TypedBuffer& buffer, std::uint64_t seed);

// The cells that have an entry, each as its number in row order of the sparse dimensions. Ascending and none twice,
// unless the plan repeats cells or has more entries than cells.
std::vector<std::int64_t> draw_cells(const TensorPlan::Sparsity& sparsity, std::int64_t cells, std::uint64_t seed);

}  // namespace steelyard

// Ready fuzzers for operators of one or two tensors: PyTorch's op_fuzzers. Where those do not what they say, ours do by
// default; `reference` draws exactly what PyTorch draws, item by item, for comparisons with it (docs/guide/fuzzing.md
// lists the differences).
//
//     STEELYARD_TRY(const FuzzedItems items, take(binary_op_fuzzer(0), 9));
#pragma once

#include <cstdint>

#include "bench/harness/fuzz/fuzzer.hpp"

namespace steelyard {

struct OpFuzzerOptions {
  Dtype dtype = Dtype::f32;
  bool reference = false;
};

// One tensor x of 1 to 3 dimensions, 4 Ki to 32 Mi elements, at most 2 GiB, sometimes strided or permuted. Its sizes
// are the parameters k0, k1, k2: log-uniform from 16 to 16 Mi, one in five a power of two.
FuzzerSpec unary_op_fuzzer(std::uint32_t seed, OpFuzzerOptions options = {});

// Tensors x, as of unary_op_fuzzer(), and y of its sizes, each with probability 0.2 a 1 to be broadcast. y has steps of
// its own; `reference` gives it those of x.
FuzzerSpec binary_op_fuzzer(std::uint32_t seed, OpFuzzerOptions options = {});

// Tensors as of unary_op_fuzzer(), in coordinates: 1 to 3 sparse dimensions, a density of 0.1, 0.05 or 0.01, coalesced
// or not. Entries: density times the cells of the sparse dimensions; `reference`: density times the sum of the sizes.
FuzzerSpec sparse_unary_op_fuzzer(std::uint32_t seed, OpFuzzerOptions options = {});
FuzzerSpec sparse_binary_op_fuzzer(std::uint32_t seed, OpFuzzerOptions options = {});

struct SpectralFuzzerOptions {
  Dtype dtype = Dtype::f64;
  bool reference = false;
  double probability_regular = 1;  // of a size without prime factors above 5, the fast ones of a Fourier transform
};
// One tensor x of 1 to 3 dimensions, sizes from 17 to 16384. Regular sizes are log-uniform; `reference`: each number of
// the list as likely as any other.
FuzzerSpec spectral_op_fuzzer(std::uint32_t seed, SpectralFuzzerOptions options = {});

}  // namespace steelyard

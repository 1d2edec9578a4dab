#include "bench/harness/fuzz/op_fuzzers.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace steelyard {
namespace {

constexpr std::int64_t kSmallestSize = 16;
constexpr std::int64_t kLargestSize = 16 * 1024 * 1024;
constexpr std::int64_t kLargestSpectralSize = 16 * 1024;
constexpr std::int64_t kMinElements = 4 * 1024;
constexpr std::int64_t kMaxElements = 32 * 1024 * 1024;
constexpr std::int64_t kMaxAllocationBytes = std::int64_t{2} * 1024 * 1024 * 1024;
constexpr double kProbabilityContiguous = 0.75;
constexpr int kDimensions = 3;

using Parameters = std::vector<FuzzedParameter>;

std::string numbered(const std::string& stem, int i) { return stem + std::to_string(i); }

FuzzedParameter dimensions_parameter(std::string name) {
  return FuzzedParameter::choice(std::move(name), {{1, 0.3}, {2, 0.4}, {3, 0.3}}).strict().unnamed();
}

// Built in place: g++ 12 takes a moved variant's unused text for uninitialized at -O2.
void add_choice(std::vector<FuzzChoice>& choices, std::int64_t value, double probability) {
  FuzzChoice& choice = choices.emplace_back();
  choice.value = value;
  choice.probability = probability;
}

std::vector<FuzzChoice> equally_likely(const std::vector<std::int64_t>& values) {
  std::vector<FuzzChoice> choices;
  for (const std::int64_t value : values) add_choice(choices, value, 1.0 / static_cast<double>(values.size()));
  return choices;
}

std::vector<std::int64_t> powers_of_two() {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = kSmallestSize; size <= kLargestSize; size *= 2) sizes.push_back(size);
  return sizes;
}

void add_any_sizes(Parameters& parameters, std::int64_t largest) {
  for (int i = 0; i < kDimensions; ++i) {
    parameters.push_back(FuzzedParameter::log_uniform(numbered("k_any_", i), kSmallestSize, largest).unnamed());
  }
}

// k0, k1, k2, and what they are drawn from.
void add_sizes(Parameters& parameters) {
  add_any_sizes(parameters, kLargestSize);
  const std::vector<FuzzChoice> powers = equally_likely(powers_of_two());
  for (int i = 0; i < kDimensions; ++i) {
    parameters.push_back(FuzzedParameter::choice(numbered("k_pow2_", i), powers).unnamed());
  }
  for (int i = 0; i < kDimensions; ++i) {
    parameters.push_back(FuzzedParameter::choice(numbered("k", i), {{FuzzAlias{numbered("k_any_", i)}, 0.8},
                                                                    {FuzzAlias{numbered("k_pow2_", i)}, 0.2}})
                             .strict());
  }
}

FuzzedParameter step_parameter(std::string name) {
  return FuzzedParameter::choice(std::move(name), {{1, 0.8}, {2, 0.06}, {4, 0.06}, {8, 0.04}, {16, 0.04}});
}

FuzzedParameter random_value() {
  return FuzzedParameter::uniform("random_value", 0, (std::int64_t{1} << 32U) - 1).unnamed();
}

std::vector<FuzzExtent> extents(const std::string& stem) {
  std::vector<FuzzExtent> names;
  for (int i = 0; i < kDimensions; ++i) names.emplace_back(numbered(stem, i));
  return names;
}

FuzzedTensor tensor(std::string name, Dtype dtype, const std::string& sizes, std::string dimensions) {
  FuzzedTensor x;
  x.name = std::move(name);
  x.dtype = dtype;
  x.sizes = extents(sizes);
  x.dimensions = std::move(dimensions);
  x.min_elements = kMinElements;
  x.max_elements = kMaxElements;
  return x;
}

FuzzedTensor dense_tensor(std::string name, Dtype dtype, const std::string& sizes, const std::string& steps,
                          std::string dimensions = "dim") {
  FuzzedTensor x = tensor(std::move(name), dtype, sizes, std::move(dimensions));
  x.steps = extents(steps);
  x.probability_contiguous = kProbabilityContiguous;
  x.max_allocation_bytes = kMaxAllocationBytes;
  return x;
}

FuzzedTensor sparse_tensor(std::string name, const OpFuzzerOptions& options, const std::string& sizes) {
  FuzzedTensor x = tensor(std::move(name), options.dtype, sizes, "dim_parameter");
  x.sparsity = FuzzedSparsity{"sparse_dim", "density", "coalesced", options.reference};
  return x;
}

Parameters sparse_parameters() {
  Parameters parameters;
  parameters.push_back(dimensions_parameter("dim_parameter"));
  parameters.push_back(FuzzedParameter::choice("sparse_dim", {{1, 0.4}, {2, 0.4}, {3, 0.2}}).strict());
  add_sizes(parameters);
  return parameters;
}

void add_sparsity(Parameters& parameters) {
  parameters.push_back(FuzzedParameter::choice("density", {{0.1, 0.4}, {0.05, 0.3}, {0.01, 0.3}}));
  parameters.push_back(FuzzedParameter::choice("coalesced", {{1, 0.5}, {0, 0.5}}));
  parameters.push_back(random_value());
}

// Above the smallest size, ascending: no prime factor above 5.
std::vector<std::int64_t> regular_sizes() {
  std::vector<std::int64_t> sizes;
  for (std::int64_t twos = 1; twos <= kLargestSpectralSize; twos *= 2) {
    for (std::int64_t threes = twos; threes <= kLargestSpectralSize; threes *= 3) {
      for (std::int64_t size = threes; size <= kLargestSpectralSize; size *= 5) {
        if (size > kSmallestSize) sizes.push_back(size);
      }
    }
  }
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

// Each size stands for what lies nearer to it than to its neighbours, as ratios: so the sizes are log-uniform.
std::vector<FuzzChoice> log_uniform_choices(const std::vector<std::int64_t>& sizes) {
  const auto log_at = [&](std::size_t i) { return std::log2(static_cast<double>(sizes[i])); };
  const double whole = log_at(sizes.size() - 1) - log_at(0);
  std::vector<FuzzChoice> choices;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double low = i == 0 ? log_at(0) : (log_at(i - 1) + log_at(i)) / 2;
    const double high = i + 1 == sizes.size() ? log_at(i) : (log_at(i) + log_at(i + 1)) / 2;
    add_choice(choices, sizes[i], (high - low) / whole);
  }
  return choices;
}

}  // namespace

FuzzerSpec unary_op_fuzzer(std::uint32_t seed, OpFuzzerOptions options) {
  FuzzerSpec spec;
  spec.seed = seed;
  spec.parameters.push_back(dimensions_parameter("dim"));
  add_sizes(spec.parameters);
  for (int i = 0; i < kDimensions; ++i) spec.parameters.push_back(step_parameter(numbered("x_step_", i)));
  spec.parameters.push_back(random_value());
  spec.tensors.push_back(dense_tensor("x", options.dtype, "k", "x_step_"));
  return spec;
}

FuzzerSpec binary_op_fuzzer(std::uint32_t seed, OpFuzzerOptions options) {
  FuzzerSpec spec;
  spec.seed = seed;
  spec.parameters.push_back(dimensions_parameter("dim"));
  add_sizes(spec.parameters);
  for (int i = 0; i < kDimensions; ++i) {
    spec.parameters.push_back(
        FuzzedParameter::choice(numbered("y_k", i), {{FuzzAlias{numbered("k", i)}, 0.8}, {1, 0.2}}).strict());
  }
  for (int i = 0; i < kDimensions; ++i) {
    for (const char* side : {"x_step_", "y_step_"}) spec.parameters.push_back(step_parameter(numbered(side, i)));
  }
  spec.parameters.push_back(random_value());
  spec.tensors.push_back(dense_tensor("x", options.dtype, "k", "x_step_"));
  FuzzedTensor y = dense_tensor("y", options.dtype, "y_k", options.reference ? "x_step_" : "y_step_");
  // A broadcast y may be as small as one element.
  y.min_elements.reset();
  if (options.reference) y.max_elements.reset();
  spec.tensors.push_back(std::move(y));
  return spec;
}

FuzzerSpec sparse_unary_op_fuzzer(std::uint32_t seed, OpFuzzerOptions options) {
  FuzzerSpec spec;
  spec.seed = seed;
  spec.parameters = sparse_parameters();
  add_sparsity(spec.parameters);
  spec.tensors.push_back(sparse_tensor("x", options, "k"));
  return spec;
}

FuzzerSpec sparse_binary_op_fuzzer(std::uint32_t seed, OpFuzzerOptions options) {
  FuzzerSpec spec;
  spec.seed = seed;
  spec.parameters = sparse_parameters();
  for (int i = 0; i < kDimensions; ++i) {
    spec.parameters.push_back(
        FuzzedParameter::choice(numbered("y_k", i), {{FuzzAlias{numbered("k", i)}, 1.0}}).strict().unnamed());
  }
  add_sparsity(spec.parameters);
  spec.tensors.push_back(sparse_tensor("x", options, "k"));
  spec.tensors.push_back(sparse_tensor("y", options, "y_k"));
  return spec;
}

FuzzerSpec spectral_op_fuzzer(std::uint32_t seed, SpectralFuzzerOptions options) {
  FuzzerSpec spec;
  spec.seed = seed;
  spec.parameters.push_back(dimensions_parameter("ndim"));
  add_any_sizes(spec.parameters, kLargestSpectralSize);
  const std::vector<std::int64_t> regular = regular_sizes();
  const std::vector<FuzzChoice> choices = options.reference ? equally_likely(regular) : log_uniform_choices(regular);
  for (int i = 0; i < kDimensions; ++i) {
    spec.parameters.push_back(FuzzedParameter::choice(numbered("k_regular_", i), choices).unnamed());
  }
  for (int i = 0; i < kDimensions; ++i) {
    spec.parameters.push_back(
        FuzzedParameter::choice(numbered("k", i), {{FuzzAlias{numbered("k_regular_", i)}, options.probability_regular},
                                                   {FuzzAlias{numbered("k_any_", i)}, 1 - options.probability_regular}})
            .strict());
  }
  for (int i = 0; i < kDimensions; ++i) spec.parameters.push_back(step_parameter(numbered("step_", i)));
  spec.tensors.push_back(dense_tensor("x", options.dtype, "k", "step_", "ndim"));
  return spec;
}

}  // namespace steelyard

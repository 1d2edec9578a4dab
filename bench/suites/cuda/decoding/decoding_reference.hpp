// The plain forward pass of a decoding model in double precision, token by token, with a bound for each logit; and the
// token that follows, drawn on the CPU. For models whose weights fit in memory as floats: the tiny ones.
//
//     const DecodingTensors tensors({.model = tiny_llama(), .seed = 1});
//     DecodingReference reference(tensors);
//     const DecodingStep step = reference.step(kPrompt[0]);
//     if (step.is_decided) agreed = agreement("logits", found, step.logits);
//
// Tokens are given to it: what the kernels are compared with does not depend on what they chose before.
//
// The kernels keep the residual stream and all sums in single precision, and round to bf16 each product's normalized
// input, keys and values, the attention's result and the gated one. So does the reference, at the same places. Where a
// value lies so close to the middle of two bf16 that the error of single precision decides, the two go different ways
// and are a whole bf16 apart from there on; a rigorous bound would have to allow this of every value, and would exceed
// the logits after a layer or two. The bound is of first order and statistical instead: each value has the variance of
// what the kernels' one is expected to be off by, carried through every operation with its derivative as if the errors
// of a vector's elements were independent (with weights that have nothing to do with each other they nearly are), and
// the bound is kDeviations standard deviations. Two origins:
// - single precision: a sum of n terms is off by sqrt(n) roundings of its terms, in whatever order they are added
//   (Higham and Mary, A New Approach to Probabilistic Rounding Error Analysis, 2019);
// - rounding to bf16, spaced s there, of a value that is off by d already: off by d on average and by the variance
//   p (1 - p) s^2 about it, p the fraction of d / s, where the middle may lie anywhere.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bench/suites/cuda/arithmetic/answer_check.hpp"
#include "bench/suites/cuda/decoding/decoding_model.hpp"

namespace steelyard::cuda_suite {

// The largest of some hundred thousand logits of disturbed passes is off by 3 to 4: the prediction counts more
// roundings than most orders of a sum make.
inline constexpr double kDeviations = 6;

// All weights of a model as floats, which hold them exactly.
class DecodingTensors {
 public:
  explicit DecodingTensors(const ModelWeights& weights);

  const DecodingModel& model() const { return model_; }
  // `row` of all experts' rows.
  std::span<const float> row(TensorPlace place, std::size_t row) const;

 private:
  DecodingModel model_;
  std::vector<std::vector<float>> tensors_;
};

struct DecodingStep {
  std::vector<Wanted> logits;
  // False: two router logits, one of a chosen expert and one of another, are closer than their errors, in this step or
  // in an earlier one whose keys and values hang on it. The kernels may have taken the other: there is no bound.
  bool is_decided = true;
  // For who looks for the first layer that differs: the residual stream of the token's embedding and after each layer,
  // and the experts that each layer took, the best first.
  std::vector<std::vector<Wanted>> streams;
  std::vector<std::vector<int>> experts;
};

// A value, and the variance of what the kernels' one is expected to be off by.
struct Uncertain {
  double value = 0;
  double variance = 0;
};

class DecodingReference {
 public:
  explicit DecodingReference(const DecodingTensors& tensors);  // kept by reference
  explicit DecodingReference(DecodingTensors&&) = delete;

  // The token at position(), which then is the next one. Precondition: 0 <= token < vocab.
  DecodingStep step(int token);
  std::size_t position() const { return position_; }

 private:
  void add_attention(std::size_t layer, std::vector<Uncertain>& stream);
  std::vector<Uncertain> attended(std::size_t layer, std::span<const Uncertain> queries) const;
  void add_perceptrons(std::size_t layer, std::vector<Uncertain>& stream, DecodingStep& step);

  const DecodingTensors& tensors_;
  std::size_t position_ = 0;
  bool is_decided_ = true;                      // what the caches hold
  std::vector<std::vector<Uncertain>> keys_;    // of a layer: position by position, head by head
  std::vector<std::vector<Uncertain>> values_;  // the same
};

// The token that follows, by decoding_model.hpp's definition. Precondition: logits are numbers, at least one.
int drawn_token(std::span<const float> logits, std::uint64_t seed, int step);

// Whether the winning key leads the next by more than the device's logarithms may be off: by one unit in the last place
// (CUDA C++ Programming Guide, "Mathematical Functions"). Where logits divided by the temperature are below 32.
bool draw_is_decided(std::span<const float> logits, std::uint64_t seed, int step);

}  // namespace steelyard::cuda_suite

// A second writing of the decoding models' forward pass, in single precision as the kernels have it: with sums in one
// of several orders and values disturbed by what the device's functions may be off by, or with one of the mistakes that
// kernels are prone to. What it finds is held against the reference in double precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bench/suites/cuda/decoding/decoding_reference.hpp"

namespace steelyard::cuda_suite {

enum class DecodingMistake : std::uint8_t {
  none,
  rotary_pairs_half_a_head_apart,
  rotary_turns_the_other_way,
  rotary_angle_of_the_position_before,  // of queries alone: what both have is not seen in a score
  values_rotated_too,
  head_of_another_group,
  scores_unscaled,
  own_position_not_attended,
  own_position_from_the_token_before,
  norm_weights_not_applied,
  gate_and_up_exchanged,
  last_columns_not_added,  // 16 of each row of the perceptron's second matrix
  attention_not_added,
  one_row_not_added,  // the last of the perceptron's second matrix
  next_best_expert,
  experts_weighted_over_all,
  experts_weighted_alike,
};

struct FloatPass {
  std::size_t block = 64;  // of a product: columns whose sum is added to the others'
  std::uint64_t seed = 0;  // of disturbances; 0: none
  float roundings = 4;     // to single precision, that a disturbance is at most
  DecodingMistake mistake = DecodingMistake::none;
};

class FloatDecoding {
 public:
  FloatDecoding(const DecodingTensors& tensors, FloatPass pass)
      : tensors_(tensors), model_(tensors.model()), pass_(pass), keys_(model_.layers), values_(model_.layers) {}

  std::vector<double> step(int token) {
    const auto row = tensors_.row({ModelTensor::embedding, 0}, static_cast<std::size_t>(token));
    Floats stream(row.begin(), row.end());
    for (std::size_t layer = 0; layer < model_.layers; ++layer) {
      const Floats result = attention(layer, normal({ModelTensor::attention_norm, layer}, stream));
      if (!is(DecodingMistake::attention_not_added)) add(stream, result, 1.0f);
      perceptrons(layer, stream);
    }
    const Floats logits =
        product({ModelTensor::head, 0}, 0, model_.vocab, normal({ModelTensor::final_norm, 0}, stream));
    ++position_;
    stream_ = stream;
    return {logits.begin(), logits.end()};
  }
  // Residual stream after the last step's last layer.
  const std::vector<float>& stream() const { return stream_; }

 private:
  using Floats = std::vector<float>;

  bool is(DecodingMistake mistake) const { return pass_.mistake == mistake; }

  float disturbed(float value) {
    if (pass_.seed == 0) return value;
    return value * (1.0f + pass_.roundings * 0x1p-24f * seeded_value<float>(pass_.seed, disturbances_++));
  }
  float rounded(float value) { return widened(narrowed<Bf16>(disturbed(value))); }

  float dot(const float* a, const float* b, std::size_t count) const {
    float sum = 0;
    for (std::size_t begin = 0; begin < count; begin += pass_.block) {
      const std::size_t end = std::min(begin + pass_.block, count);
      float parts[4] = {};
      std::size_t i = begin;
      for (; i + 4 <= end; i += 4) {
        parts[0] += a[i] * b[i];
        parts[1] += a[i + 1] * b[i + 1];
        parts[2] += a[i + 2] * b[i + 2];
        parts[3] += a[i + 3] * b[i + 3];
      }
      for (; i < end; ++i) parts[0] += a[i] * b[i];
      sum += (parts[0] + parts[1]) + (parts[2] + parts[3]);
    }
    return sum;
  }

  Floats product(TensorPlace place, std::size_t first, std::size_t rows, const Floats& vector) const {
    Floats products;
    for (std::size_t row = 0; row < rows; ++row) {
      products.push_back(dot(tensors_.row(place, first + row).data(), vector.data(), vector.size()));
    }
    return products;
  }

  Floats normal(TensorPlace place, const Floats& stream) {
    const float mean = dot(stream.data(), stream.data(), stream.size()) / static_cast<float>(stream.size());
    const float scale = disturbed(1.0f / std::sqrt(mean + 1e-5f));
    const auto weights = tensors_.row(place, 0);
    Floats values;
    for (std::size_t i = 0; i < stream.size(); ++i) {
      const float weight = is(DecodingMistake::norm_weights_not_applied) ? 1.0f : weights[i];
      values.push_back(rounded(stream[i] * scale * weight));
    }
    return values;
  }

  void rotate(float* head, std::size_t position) {
    const bool is_split = is(DecodingMistake::rotary_pairs_half_a_head_apart);
    for (std::size_t i = 0; i < kHeadSize / 2; ++i) {
      const float frequency =
          std::exp2(-2.0f * static_cast<float>(i) / static_cast<float>(kHeadSize) * std::log2(model_.rotary_base));
      float angle = disturbed(static_cast<float>(position) * frequency);
      if (is(DecodingMistake::rotary_turns_the_other_way)) angle = -angle;
      float& a = head[is_split ? i : 2 * i];
      float& b = head[is_split ? i + kHeadSize / 2 : 2 * i + 1];
      const float turned = a * std::cos(angle) - b * std::sin(angle);
      b = a * std::sin(angle) + b * std::cos(angle);
      a = turned;
    }
  }

  Floats attention(std::size_t layer, const Floats& input) {
    Floats qkv = product({ModelTensor::qkv, layer}, 0, model_.qkv_rows(), input);
    const bool is_late = is(DecodingMistake::rotary_angle_of_the_position_before) && position_ > 0;
    for (std::size_t head = 0; head < model_.heads + 2 * model_.kv_heads; ++head) {
      const bool is_query = head < model_.heads;
      if (head >= model_.heads + model_.kv_heads && !is(DecodingMistake::values_rotated_too)) break;
      rotate(qkv.data() + head * kHeadSize, is_query && is_late ? position_ - 1 : position_);
    }
    const std::size_t kv = model_.kv_heads * kHeadSize;
    const float* const own = qkv.data() + model_.heads * kHeadSize;
    for (std::size_t i = 0; i < kv; ++i) keys_[layer].push_back(rounded(own[i]));
    for (std::size_t i = 0; i < kv; ++i) values_[layer].push_back(rounded(own[kv + i]));
    Floats results;
    for (std::size_t head = 0; head < model_.heads; ++head) {
      const std::size_t kv_head = is(DecodingMistake::head_of_another_group) ? (head + 1) % model_.kv_heads
                                                                             : head * model_.kv_heads / model_.heads;
      attend(layer, kv_head * kHeadSize, qkv.data() + head * kHeadSize, results);
    }
    return product({ModelTensor::output, layer}, 0, model_.dim, results);
  }

  void attend(std::size_t layer, std::size_t head_begin, const float* query, Floats& results) {
    const std::size_t kv = model_.kv_heads * kHeadSize;
    std::vector<std::size_t> places;
    for (std::size_t position = 0; position <= position_; ++position) places.push_back(position * kv + head_begin);
    if (position_ > 0 && is(DecodingMistake::own_position_not_attended)) places.pop_back();
    if (position_ > 0 && is(DecodingMistake::own_position_from_the_token_before)) places.back() -= kv;
    Floats weights;
    for (const std::size_t place : places) {
      const float score = dot(query, keys_[layer].data() + place, kHeadSize);
      weights.push_back(is(DecodingMistake::scores_unscaled) ? score : score * 0.0883883476f);
    }
    const float largest = *std::max_element(weights.begin(), weights.end());
    float sum = 0;
    for (float& weight : weights) sum += weight = disturbed(std::exp(weight - largest));
    for (std::size_t i = 0; i < kHeadSize; ++i) {
      float mean = 0;
      for (std::size_t t = 0; t < places.size(); ++t) mean += weights[t] * values_[layer][places[t] + i];
      results.push_back(rounded(mean / sum));
    }
  }

  void perceptrons(std::size_t layer, Floats& stream) {
    const Floats input = normal({ModelTensor::mlp_norm, layer}, stream);
    if (model_.experts == 0) return add(stream, perceptron(layer, 0, input), 1.0f);
    const Floats logits = product({ModelTensor::router, layer}, 0, model_.experts, input);
    std::vector<std::pair<float, std::size_t>> best;  // of equal ones the lower first
    for (std::size_t expert = 0; expert < model_.experts; ++expert) best.emplace_back(-logits[expert], expert);
    std::sort(best.begin(), best.end());
    if (is(DecodingMistake::next_best_expert)) std::swap(best[model_.active - 1], best[model_.active]);
    float sum = 0;
    const std::size_t counted = is(DecodingMistake::experts_weighted_over_all) ? model_.experts : model_.active;
    for (std::size_t i = 0; i < counted; ++i) sum += disturbed(std::exp(best[0].first - best[i].first));
    for (std::size_t i = 0; i < model_.active; ++i) {
      float weight = disturbed(std::exp(best[0].first - best[i].first)) / sum;
      if (is(DecodingMistake::experts_weighted_alike)) weight = 1.0f / static_cast<float>(model_.active);
      add(stream, perceptron(layer, best[i].second, input), weight);
    }
  }

  Floats perceptron(std::size_t layer, std::size_t expert, const Floats& input) {
    const std::size_t hidden = model_.hidden;
    const Floats both = product({ModelTensor::gate_up, layer}, expert * 2 * hidden, 2 * hidden, input);
    const bool is_exchanged = is(DecodingMistake::gate_and_up_exchanged);
    Floats values;
    for (std::size_t i = 0; i < hidden; ++i) {
      const float gate = both[2 * i + (is_exchanged ? 1 : 0)];
      const float up = both[2 * i + (is_exchanged ? 0 : 1)];
      values.push_back(rounded(disturbed(gate / (1.0f + std::exp(-gate))) * up));
    }
    if (is(DecodingMistake::last_columns_not_added)) std::fill(values.end() - 16, values.end(), 0.0f);
    Floats products = product({ModelTensor::down, layer}, expert * model_.dim, model_.dim, values);
    if (is(DecodingMistake::one_row_not_added)) products.back() = 0;
    return products;
  }

  static void add(Floats& stream, const Floats& addends, float weight) {
    for (std::size_t i = 0; i < stream.size(); ++i) stream[i] += weight * addends[i];
  }

  const DecodingTensors& tensors_;
  DecodingModel model_;
  FloatPass pass_;
  std::size_t position_ = 0;
  std::uint64_t disturbances_ = 0;
  Floats stream_;
  std::vector<Floats> keys_;
  std::vector<Floats> values_;
};

}  // namespace steelyard::cuda_suite

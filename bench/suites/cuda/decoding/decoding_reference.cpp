#include "bench/suites/cuda/decoding/decoding_reference.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "bench/suites/cuda/arithmetic/approximate_math.hpp"
#include "bench/suites/cuda/decoding/decoding_costs.hpp"
#include "bench/suites/cuda/rows/row_kernels.hpp"

namespace steelyard::cuda_suite {
namespace {

constexpr std::size_t kTensorsOfLayer = static_cast<std::size_t>(ModelTensor::head) + 1;
std::size_t tensor_index(TensorPlace place) {
  return place.layer * kTensorsOfLayer + static_cast<std::size_t>(place.tensor);
}

using Vector = std::vector<Uncertain>;

constexpr double squared(double x) { return x * x; }
// Variance of `roundings` to single precision, relative to the square of the value.
constexpr double float_variance(double roundings) { return roundings * squared(kUnitRoundoff<float>); }

// What the device's functions are off by, in roundings (approximate_math.hpp): the worst of them, squared, because it
// is one error and not many.
constexpr double kFunctionVariance = float_variance(squared(8));
// An angle is the position times 2^(-2i/128 log2(base)), whose argument is up to 20: rounding it costs 14 roundings of
// the power, the rest is the functions'.
constexpr double kAngleVariance = float_variance(squared(24));

Uncertain rounded(const Uncertain& exact) {
  const double value = static_cast<double>(widened(narrowed<Bf16>(static_cast<float>(exact.value))));
  const double spacing = exact.value == 0 ? 0 : std::ldexp(1.0, std::ilogb(exact.value) - 7);
  return {value, exact.variance + std::min(spacing * std::sqrt(exact.variance), squared(spacing) / 4)};
}

// Some rows of a matrix, each times the vector.
struct Rows {
  std::size_t first = 0;
  std::size_t count = 0;
};
Vector product(const DecodingTensors& tensors, TensorPlace place, Rows rows, const Vector& vector) {
  // Of what a weight's square is multiplied by: the element's variance, and its share of the sum's roundings.
  const double roundings = float_variance(static_cast<double>(vector.size()) + 2);
  Vector factors = vector;
  for (Uncertain& x : factors) x.variance += roundings * squared(x.value);
  Vector products;
  products.reserve(rows.count);
  for (std::size_t row = 0; row < rows.count; ++row) {
    const float* weight = tensors.row(place, rows.first + row).data();
    double value = 0;
    double variance = 0;
    for (const Uncertain& x : factors) {
      const auto w = static_cast<double>(*weight++);
      value += w * x.value;
      variance += w * w * x.variance;
    }
    products.push_back({value, variance});
  }
  return products;
}
Vector product(const DecodingTensors& tensors, TensorPlace place, const Vector& vector) {
  return product(tensors, place, {0, extent_of(tensors.model(), place.tensor).rows}, vector);
}

// Root mean square normalization, rounded as the products take it.
Vector rms_normalized(const DecodingTensors& tensors, TensorPlace place, const Vector& stream) {
  const auto n = static_cast<double>(stream.size());
  Uncertain mean{static_cast<double>(kNormEpsilon), 0};
  for (const Uncertain& x : stream) {
    mean.value += squared(x.value) / n;
    mean.variance += squared(2 * x.value / n) * x.variance;
  }
  const double scale = 1 / std::sqrt(mean.value);
  const double scale_variance = mean.variance / squared(mean.value) / 4 + kFunctionVariance;
  const std::span<const float> weights = tensors.row(place, 0);
  Vector normal;
  for (std::size_t i = 0; i < stream.size(); ++i) {
    const double factor = scale * static_cast<double>(weights[i]);
    const double value = stream[i].value * factor;
    normal.push_back(rounded({value, squared(factor) * stream[i].variance + squared(value) * scale_variance}));
  }
  return normal;
}

// One head of queries or of keys, by its position.
void rotate(const DecodingModel& model, std::size_t position, Uncertain* head) {
  for (std::size_t i = 0; i < kHeadSize; i += 2) {
    const double frequency =
        std::pow(static_cast<double>(model.rotary_base), -static_cast<double>(i) / static_cast<double>(kHeadSize));
    const double angle = static_cast<double>(position) * frequency;
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    const Uncertain even = head[i];
    const Uncertain odd = head[i + 1];
    const double turn_variance = squared(angle) * kAngleVariance + kFunctionVariance;
    const double length = squared(even.value) + squared(odd.value);
    head[i] = {even.value * c - odd.value * s, even.variance * c * c + odd.variance * s * s + length * turn_variance};
    head[i + 1] = {even.value * s + odd.value * c,
                   even.variance * s * s + odd.variance * c * c + length * turn_variance};
  }
}

// Weights that add up to 1, of scores.
Vector softmax(const Vector& scores) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const Uncertain& score : scores) largest = std::max(largest, score.value);
  double sum = 0;
  Vector weights;
  for (const Uncertain& score : scores) {
    weights.push_back({std::exp(score.value - largest), 0});
    sum += weights.back().value;
  }
  double shared = 0;  // variance that every weight has of the sum
  for (std::size_t i = 0; i < scores.size(); ++i) {
    weights[i].value /= sum;
    shared += squared(weights[i].value) * scores[i].variance;
  }
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double p = weights[i].value;
    const double own = (1 - 2 * p) * scores[i].variance;  // (1 - p)^2 of its own score, p_j^2 of the others
    weights[i].variance = p * p * (own + shared + kFunctionVariance);
  }
  return weights;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// silu(gate) up, rounded as the product takes it.
Uncertain gated(const Uncertain& gate, const Uncertain& up) {
  const double open = sigmoid(gate.value);
  const double silu = gate.value * open;
  const double slope = open * (1 + gate.value * (1 - open));
  const double value = silu * up.value;
  return rounded({value, squared(slope * up.value) * gate.variance + squared(silu) * up.variance +
                             squared(value) * kFunctionVariance});
}

struct ExpertPlace {
  std::size_t layer = 0;
  std::size_t expert = 0;
};
Vector perceptron(const DecodingTensors& tensors, ExpertPlace place, const Vector& input) {
  const DecodingModel& model = tensors.model();
  const auto [layer, expert] = place;
  const Vector both =
      product(tensors, {ModelTensor::gate_up, layer}, {expert * 2 * model.hidden, 2 * model.hidden}, input);
  Vector hidden;
  for (std::size_t i = 0; i < model.hidden; ++i) hidden.push_back(gated(both[2 * i], both[2 * i + 1]));
  return product(tensors, {ModelTensor::down, layer}, {expert * model.dim, model.dim}, hidden);
}

void add(Vector& stream, const Vector& addends, const Uncertain& weight) {
  for (std::size_t i = 0; i < stream.size(); ++i) {
    stream[i].value += weight.value * addends[i].value;
    stream[i].variance += squared(weight.value) * addends[i].variance + squared(addends[i].value) * weight.variance +
                          float_variance(1) * squared(stream[i].value);
  }
}

bool are_apart(const Uncertain& larger, const Uncertain& smaller) {
  return larger.value - smaller.value > kDeviations * std::sqrt(larger.variance + smaller.variance);
}

std::vector<Wanted> wanted_of(const Vector& values) {
  std::vector<Wanted> wanted;
  for (const Uncertain& x : values) wanted.push_back({x.value, kDeviations * std::sqrt(x.variance)});
  return wanted;
}

// The two best keys of those that are drawn from.
struct Draw {
  int token = -1;
  float best = -kInfinity;
  float next = -kInfinity;
};
Draw draw(std::span<const float> logits, std::uint64_t seed, int step) {
  assert(!logits.empty());
  std::vector<float> largest(logits.begin(), logits.end());
  const std::size_t kept = std::min<std::size_t>(kTopTokens, largest.size());
  const auto least = largest.begin() + static_cast<std::ptrdiff_t>(kept - 1);
  std::nth_element(largest.begin(), least, largest.end(), std::greater<>());
  Draw drawn;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (logits[i] < *least) continue;
    const auto token = static_cast<int>(i);
    const float key = sampling_key(logits[i], exponential_at(seed, step, token));
    if (drawn.token < 0 || key > drawn.best) {
      drawn.next = drawn.best;
      drawn.best = key;
      drawn.token = token;
    } else {
      drawn.next = std::max(drawn.next, key);
    }
  }
  return drawn;
}

}  // namespace

DecodingTensors::DecodingTensors(const ModelWeights& weights) : model_(weights.model) {
  tensors_.resize(model_.layers * kTensorsOfLayer);
  for (std::size_t index = 0; index < tensors_.size(); ++index) {
    const TensorPlace place{static_cast<ModelTensor>(index % kTensorsOfLayer), index / kTensorsOfLayer};
    if (place.layer > 0 && !is_of_layer(place.tensor)) continue;
    const TensorExtent extent = extent_of(model_, place.tensor);
    tensors_[index].reserve(extent.values());
    for (std::size_t row = 0; row < extent.rows; ++row) {
      for (std::size_t column = 0; column < extent.columns; ++column) {
        const double value = weights.value(place, row, column);
        assert(static_cast<double>(static_cast<float>(value)) == value);
        tensors_[index].push_back(static_cast<float>(value));
      }
    }
  }
}

std::span<const float> DecodingTensors::row(TensorPlace place, std::size_t row) const {
  const std::size_t columns = extent_of(model_, place.tensor).columns;
  return std::span<const float>(tensors_[tensor_index(place)]).subspan(row * columns, columns);
}

DecodingReference::DecodingReference(const DecodingTensors& tensors)
    : tensors_(tensors), keys_(tensors.model().layers), values_(tensors.model().layers) {}

DecodingStep DecodingReference::step(int token) {
  DecodingStep step;
  step.is_decided = is_decided_;
  Vector stream;
  for (const float value : tensors_.row({ModelTensor::embedding, 0}, static_cast<std::size_t>(token))) {
    stream.push_back({static_cast<double>(value), 0});
  }
  step.streams.push_back(wanted_of(stream));
  for (std::size_t layer = 0; layer < tensors_.model().layers; ++layer) {
    add_attention(layer, stream);
    add_perceptrons(layer, stream, step);
    step.streams.push_back(wanted_of(stream));
  }
  const Vector normal = rms_normalized(tensors_, {ModelTensor::final_norm, 0}, stream);
  step.logits = wanted_of(product(tensors_, {ModelTensor::head, 0}, normal));
  ++position_;
  return step;
}

void DecodingReference::add_attention(std::size_t layer, Vector& stream) {
  const DecodingModel& model = tensors_.model();
  Vector qkv = product(tensors_, {ModelTensor::qkv, layer},
                       rms_normalized(tensors_, {ModelTensor::attention_norm, layer}, stream));
  for (std::size_t head = 0; head < model.heads + model.kv_heads; ++head) {
    rotate(model, position_, qkv.data() + head * kHeadSize);
  }
  const auto keys = qkv.begin() + static_cast<std::ptrdiff_t>(model.heads * kHeadSize);
  const auto values = keys + static_cast<std::ptrdiff_t>(model.kv_heads * kHeadSize);
  std::transform(keys, values, std::back_inserter(keys_[layer]), [](const Uncertain& x) { return rounded(x); });
  std::transform(values, qkv.end(), std::back_inserter(values_[layer]), [](const Uncertain& x) { return rounded(x); });
  const Vector result = attended(layer, std::span<const Uncertain>(qkv).first(model.heads * kHeadSize));
  add(stream, product(tensors_, {ModelTensor::output, layer}, result), {1, 0});
}

// Of each head of queries, its softmax's mean of the values: rounded as the product takes it.
Vector DecodingReference::attended(std::size_t layer, std::span<const Uncertain> queries) const {
  const DecodingModel& model = tensors_.model();
  const double scale = 1 / std::sqrt(static_cast<double>(kHeadSize));
  Vector results;
  for (std::size_t head = 0; head < model.heads; ++head) {
    const std::size_t kv_head = head / (model.heads / model.kv_heads);
    const auto cached = [&](const Vector& cache, std::size_t position) {
      return std::span<const Uncertain>(cache).subspan((position * model.kv_heads + kv_head) * kHeadSize, kHeadSize);
    };
    const auto query = queries.subspan(head * kHeadSize, kHeadSize);
    Vector scores;
    for (std::size_t position = 0; position <= position_; ++position) {
      const auto key = cached(keys_[layer], position);
      Uncertain dot;
      for (std::size_t i = 0; i < kHeadSize; ++i) {
        dot.value += query[i].value * key[i].value;
        dot.variance += squared(key[i].value) * query[i].variance + squared(query[i].value) * key[i].variance +
                        float_variance(kHeadSize) * squared(query[i].value * key[i].value);
      }
      // The exponential's argument is rounded: by its own size.
      scores.push_back(
          {dot.value * scale, dot.variance * scale * scale + squared(dot.value * scale) * float_variance(4)});
    }
    const Vector weights = softmax(scores);
    for (std::size_t i = 0; i < kHeadSize; ++i) {
      Uncertain mean;
      for (std::size_t position = 0; position <= position_; ++position) {
        mean.value += weights[position].value * cached(values_[layer], position)[i].value;
      }
      for (std::size_t position = 0; position <= position_; ++position) {
        // A score moves the mean by p (v - mean).
        const Uncertain& value = cached(values_[layer], position)[i];
        const double roundings = float_variance(static_cast<double>(position_) + 4) + kFunctionVariance;
        mean.variance += squared(weights[position].value) *
                         (value.variance + squared(value.value - mean.value) * scores[position].variance +
                          squared(value.value) * roundings);
      }
      results.push_back(rounded(mean));
    }
  }
  return results;
}

void DecodingReference::add_perceptrons(std::size_t layer, Vector& stream, DecodingStep& step) {
  const DecodingModel& model = tensors_.model();
  const Vector input = rms_normalized(tensors_, {ModelTensor::mlp_norm, layer}, stream);
  if (model.experts == 0) {
    step.experts.emplace_back();
    return add(stream, perceptron(tensors_, {layer, 0}, input), {1, 0});
  }
  const Vector router = product(tensors_, {ModelTensor::router, layer}, input);
  std::vector<int> order(model.experts);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return router[static_cast<std::size_t>(a)].value > router[static_cast<std::size_t>(b)].value;
  });
  Vector chosen;
  for (std::size_t i = 0; i < model.active; ++i) chosen.push_back(router[static_cast<std::size_t>(order[i])]);
  for (std::size_t i = model.active; i < model.experts; ++i) {
    const Uncertain& other = router[static_cast<std::size_t>(order[i])];
    if (std::all_of(chosen.begin(), chosen.end(), [&](const Uncertain& one) { return are_apart(one, other); }))
      continue;
    step.is_decided = false;
    if (layer + 1 < model.layers) is_decided_ = false;  // the next layer's keys and values hang on it
  }
  const Vector weights = softmax(chosen);
  order.resize(model.active);
  for (std::size_t i = 0; i < order.size(); ++i) {
    add(stream, perceptron(tensors_, {layer, static_cast<std::size_t>(order[i])}, input), weights[i]);
  }
  step.experts.push_back(std::move(order));
}

int drawn_token(std::span<const float> logits, std::uint64_t seed, int step) { return draw(logits, seed, step).token; }

bool draw_is_decided(std::span<const float> logits, std::uint64_t seed, int step) {
  const Draw drawn = draw(logits, seed, step);
  // Each key is a quotient less a logarithm of a logarithm, all below 32 in magnitude and spaced 2^-19 there: either
  // logarithm's last place, and the difference's.
  return drawn.best - drawn.next > 0x1p-16f;
}

}  // namespace steelyard::cuda_suite

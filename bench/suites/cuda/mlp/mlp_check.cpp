#include "bench/suites/cuda/mlp/mlp_check.hpp"

#include <cmath>
#include <numbers>

#include "bench/suites/cuda/elementwise/elementwise_references.hpp"

namespace steelyard::cuda_suite {

std::vector<std::int64_t> MlpSweeps::values(std::size_t base_value) const {
  std::vector<std::int64_t> values;
  for (std::size_t times = 1; times <= kMaxTimes; ++times) {
    values.push_back(static_cast<std::int64_t>(times * base_value));
  }
  return values;
}

bool MlpSweeps::contains(const MlpShape& shape) const {
  for (std::size_t times = 1; times <= kMaxTimes; ++times) {
    MlpShape batch = base;
    batch.batch *= times;
    MlpShape dim = base;
    dim.dim *= times;
    MlpShape layers = base;
    layers.layers *= times;
    MlpShape steps = base;
    steps.steps *= times;
    if (shape == batch || shape == dim || shape == layers || shape == steps) return true;
  }
  return false;
}

namespace {

constexpr double kSteepest = 1.13;      // gelu'(1.46)
constexpr double kGeluError = 0x1p-10;  // relative to |z|
constexpr double kSlopeError = 0x1p-9;  // relative to 1 + |z|

double double_argument(double x) { return 2 * std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x); }

class MlpCheck {
 public:
  MlpCheck(const MlpShape& shape, const ProductType& type, const MlpReaders& readers, std::size_t bands)
      : shape_(shape), type_(type), readers_(readers), bands_(bands), roundoff_(unit_roundoff(type.results)) {}

  Result<void> forward(std::size_t layer, std::uint64_t seed) const {
    const Values biases = readers_.biases[layer].row(0);
    const MatrixReader& inputs = layer == 0 ? readers_.inputs : readers_.activations[layer - 1];
    CheckedProduct product = checked("sums", layer, shape_.batch, shape_.dim, shape_.dim);
    product.left = inputs.row;
    product.right = readers_.weights[layer].row;
    if (!readers_.sums.empty()) {
      product.result = readers_.sums[layer].row;
      product.then = [&](double sum, std::size_t, std::size_t column) {
        return Outcome{.value = sum + biases[column], .error = roundoff_ * std::fabs(sum)};
      };
      STEELYARD_CHECK(check_product(product, seed));
    }
    product.name = named("activations", layer);
    product.result = readers_.activations[layer].row;
    product.then = [&](double sum, std::size_t, std::size_t column) {
      const double z = sum + biases[column];
      return Outcome{.value = gelu_in_double(z),
                     .slope = kSteepest,
                     .error = kSteepest * roundoff_ * (std::fabs(sum) + std::fabs(z)) + kGeluError * std::fabs(z)};
    };
    return check_product(product, seed);
  }

  // The gradient of a layer's sums: of the layer above it, through its weights; of the last layer GELU's slope.
  Result<void> sum_gradient(std::size_t layer, std::uint64_t seed) const {
    const bool is_last = layer + 1 == shape_.layers;
    CheckedProduct product = checked("gradient of the sums", layer, shape_.batch, shape_.dim, is_last ? 1 : shape_.dim);
    const Values one{1};
    product.left = is_last ? [&one](std::size_t) { return one; } : readers_.sum_gradients[layer + 1].row;
    product.right = is_last ? [&one](std::size_t) { return one; } : readers_.weights[layer + 1].column;
    product.result = readers_.sum_gradients[layer].row;
    std::size_t read = shape_.batch;  // none yet
    Values sums;
    product.then = [&](double sum, std::size_t row, std::size_t column) {
      if (row != read) sums = readers_.sums[layer].row(row);
      read = row;
      const double slope = gelu_slope_in_double(sums[column]);
      const double off = kSlopeError * (1 + std::fabs(sums[column])) + roundoff_ * std::fabs(slope);
      return Outcome{.value = slope * sum, .slope = std::fabs(slope), .error = off * std::fabs(sum)};
    };
    return check_product(product, seed);
  }

  Result<void> parameter_gradients(std::size_t layer, std::uint64_t seed) const {
    const MatrixReader& gradients = readers_.sum_gradients[layer];
    CheckedProduct weights = checked("gradient of the weights", layer, shape_.dim, shape_.dim, shape_.batch);
    weights.left = gradients.column;
    weights.right = layer == 0 ? readers_.inputs.column : readers_.activations[layer - 1].column;
    weights.result = readers_.weight_gradients[layer].row;
    weights.then = over_steps();
    STEELYARD_CHECK(check_product(weights, seed));
    CheckedProduct biases = checked("gradient of the biases", layer, shape_.dim, 1, shape_.batch);
    const Values found = readers_.bias_gradients[layer].row(0);
    biases.left = gradients.column;
    biases.right = [&](std::size_t) { return Values(shape_.batch, 1.0); };
    biases.result = [&](std::size_t row) { return Values{found[row]}; };
    biases.then = over_steps();
    return check_product(biases, seed);
  }

  Result<void> input_gradient(std::uint64_t seed) const {
    CheckedProduct product = checked("gradient of the inputs", 0, shape_.batch, shape_.dim, shape_.dim);
    product.left = readers_.sum_gradients[0].row;
    product.right = readers_.weights[0].column;
    product.result = readers_.input_gradient.row;
    product.then = over_steps();
    return check_product(product, seed);
  }

 private:
  static std::string named(const char* what, std::size_t layer) {
    return "layer " + std::to_string(layer) + ", " + what;
  }
  CheckedProduct checked(const char* what, std::size_t layer, std::size_t rows, std::size_t columns,
                         std::size_t inner) const {
    CheckedProduct product;
    product.name = named(what, layer);
    product.type = &type_;
    product.rows = rows;
    product.columns = columns;
    product.inner = inner;
    product.bands = bands_;
    return product;
  }
  // Every step adds the same and rounds once: the weights stay as they are.
  std::function<Outcome(double, std::size_t, std::size_t)> over_steps() const {
    const auto steps = static_cast<double>(shape_.steps);
    return [steps, roundoff = roundoff_](double sum, std::size_t, std::size_t) {
      return Outcome{.value = steps * sum, .slope = steps, .error = steps * roundoff * std::fabs(steps * sum)};
    };
  }

  const MlpShape& shape_;
  const ProductType& type_;
  const MlpReaders& readers_;
  std::size_t bands_;
  double roundoff_;
};

}  // namespace

double gelu_slope_in_double(double x) {
  const double s = 1 / (1 + std::exp(-double_argument(x)));
  const double slope = 2 * std::sqrt(2 / std::numbers::pi) * (1 + 3 * 0.044715 * x * x);
  const double bend = s * (1 - s);
  return bend > 0 ? s + x * bend * slope : s;
}

Result<void> check_mlp(const MlpShape& shape, const ProductType& type, const MlpReaders& readers, std::uint64_t seed,
                       std::size_t bands) {
  const MlpCheck check(shape, type, readers, bands);
  for (std::size_t layer = 0; layer < shape.layers; ++layer) {
    STEELYARD_CHECK(check.forward(layer, seed + 4 * layer));
  }
  if (readers.sum_gradients.empty()) return {};
  for (std::size_t layer = shape.layers; layer-- > 0;) {
    STEELYARD_CHECK(check.sum_gradient(layer, seed + 4 * layer + 1));
    STEELYARD_CHECK(check.parameter_gradients(layer, seed + 4 * layer + 2));
  }
  return check.input_gradient(seed + 3);
}

}  // namespace steelyard::cuda_suite

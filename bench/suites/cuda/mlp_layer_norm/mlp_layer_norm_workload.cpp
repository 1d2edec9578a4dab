#include <memory>

#include "bench/cuda/device_memory.hpp"
#include "bench/suites/cuda/arithmetic/answer_check.hpp"
#include "bench/suites/cuda/arithmetic/current_device.hpp"
#include "bench/suites/cuda/device_needs.hpp"
#include "bench/suites/cuda/gemv/gemv_kernels.hpp"
#include "bench/suites/cuda/gemv/gemv_reference.hpp"
#include "bench/suites/cuda/mlp_layer_norm/mlp_layer_norm_costs.hpp"
#include "bench/suites/cuda/rows/row_kernels.hpp"
#include "bench/suites/cuda/rows/row_references.hpp"
#include "bench/suites/cuda/suite.hpp"

namespace steelyard::cuda_suite {
namespace {

constexpr std::size_t kMaxComparedStageRows = 256;

// Operands' streams of the seed.
enum Operand : std::uint64_t { kInput, kExpand, kReduce, kWideWeights, kWideBiases, kWeights, kBiases };

// One linear layer and the normalization after it.
struct Stage {
  Stage(const MatrixShape& matrix, int sets)
      : shape(matrix),
        stride(set_stride(matrix.rows * matrix.columns)),
        plan(gemv_plan<Bf16>(matrix, 1, multiprocessors())),
        matrices(stride * static_cast<std::size_t>(sets)),
        weights(matrix.rows),
        biases(matrix.rows),
        product(matrix.rows),
        normal(matrix.rows) {}

  void launch(int set, const Bf16* input, cudaStream_t stream) {
    GemvOperands<Bf16> operands;
    operands.shape = shape;
    operands.weights = matrices.data() + stride * static_cast<std::size_t>(set);
    operands.vector = input;
    operands.results = product.data();
    launch_gemv(operands, plan, stream);
    launch_layer_norm<Bf16>({1, shape.rows}, product.data(), {weights.data(), biases.data()}, normal.data(), stream);
  }

  void fill(std::uint64_t seed, Operand matrix_operand, Operand weights_operand, Operand biases_operand) {
    fill_seeded(matrices.data(), matrices.size(), seed_of_operand(seed, matrix_operand), nullptr);
    fill_seeded(weights.data(), weights.size(), seed_of_operand(seed, weights_operand), nullptr);
    fill_seeded(biases.data(), biases.size(), seed_of_operand(seed, biases_operand), nullptr);
  }

  void poison() {
    product.fill_bytes(0xff);
    normal.fill_bytes(0xff);
  }

  MatrixShape shape;
  std::size_t stride;
  GemvPlan plan;
  cuda::DeviceArray<Bf16> matrices;  // one a set
  cuda::DeviceArray<float> weights;
  cuda::DeviceArray<float> biases;
  cuda::DeviceArray<Bf16> product;
  cuda::DeviceArray<Bf16> normal;
};

template <class T>
std::vector<T> copied_back(const cuda::DeviceArray<T>& array) {
  std::vector<T> values(array.size());
  array.download(values);
  return values;
}

class MlpLayerNorm final : public cuda::Workload {
 public:
  explicit MlpLayerNorm(const MlpLayerNormShape& shape)
      : shape_(shape),
        sets_(input_rotation(2 * shape.dim * shape.hidden * sizeof(Bf16), cache_bytes())),
        input_(shape.dim),
        expand_({.rows = shape.hidden, .columns = shape.dim}, sets_),
        reduce_({.rows = shape.dim, .columns = shape.hidden}, sets_) {
    fill(0);
  }

  OperatorCost cost() const override { return mlp_layer_norm_cost(shape_); }
  int input_sets() const override { return sets_; }
  void launch(int input_set, cudaStream_t stream) override {
    expand_.launch(input_set, input_.data(), stream);
    reduce_.launch(input_set, expand_.normal.data(), stream);
  }

  // Stage by stage: each from what the stage before it left on the device, so that each has its own tight bound.
  Result<void> verify(std::uint64_t seed) override {
    fill(seed);
    expand_.poison();
    reduce_.poison();
    const int set = static_cast<int>(seed % static_cast<std::uint64_t>(sets_));
    launch(set, nullptr);
    wait_until_done("computing the perceptron");
    STEELYARD_CHECK(verify_stage("expand", expand_, copied_back(input_), seed, kExpand, set));
    return verify_stage("reduce", reduce_, copied_back(expand_.normal), seed, kReduce, set);
  }

 private:
  static Result<void> verify_stage(const std::string& what, const Stage& stage, const std::vector<Bf16>& input,
                                   std::uint64_t seed, Operand matrix, int set) {
    const std::vector<Bf16> product = copied_back(stage.product);
    const std::vector<Bf16> normal = copied_back(stage.normal);
    STEELYARD_CHECK(all_written(what + "'s product", product));
    STEELYARD_CHECK(all_written(what + "'s normal values", normal));
    const std::vector<double> vector = widened_to_double(std::span<const Bf16>(input));
    const std::size_t first = stage.stride * static_cast<std::size_t>(set);
    for (const std::size_t row : sampled_indices(stage.shape.rows, kMaxComparedStageRows, seed)) {
      const DotExtent extent{stage.shape.columns, kLanes<Bf16>, static_cast<std::size_t>(stage.plan.threads), 1.0};
      const Wanted wanted = dot_wanted(
          extent,
          [&](std::size_t i) {
            const std::size_t at = first + row * stage.shape.columns + i;
            return static_cast<double>(widened(seeded_value<Bf16>(seed_of_operand(seed, matrix), at)));
          },
          [&](std::size_t i) { return vector[i]; });
      const double got = static_cast<double>(widened(product[row]));
      STEELYARD_CHECK(agreement(what + "'s product", {&got, 1}, {&wanted, 1}, {.first = row}));
    }
    return agreement(what + "'s normal values", widened_to_double(std::span<const Bf16>(normal)),
                     layer_norm_wanted<Bf16>(widened_to_double(std::span<const Bf16>(product)),
                                             copied_back(stage.weights), copied_back(stage.biases)));
  }

  void fill(std::uint64_t seed) {
    fill_seeded(input_.data(), input_.size(), seed_of_operand(seed, kInput), nullptr);
    expand_.fill(seed, kExpand, kWideWeights, kWideBiases);
    reduce_.fill(seed, kReduce, kWeights, kBiases);
    wait_until_done("filling the perceptron");
  }

  MlpLayerNormShape shape_;
  int sets_;
  cuda::DeviceArray<Bf16> input_;
  Stage expand_;
  Stage reduce_;
};

// One row, and both normalizations keep theirs whole.
std::string shape_need(const cuda::DeviceProperties&, const AxisPoint& at) {
  const std::string unmet = size_need(at, {"batch"}, 1);
  return unmet.empty() ? size_need(at, {"dim", "hidden"}, static_cast<std::int64_t>(kMaxColumns<Bf16>)) : unmet;
}

}  // namespace

void add_mlp_layer_norm(cuda::DeviceSuite& suite) {
  suite
      .add("mlp_layer_norm",
           [](const AxisPoint& at) -> std::unique_ptr<cuda::Workload> {
             const MlpLayerNormShape shape{static_cast<std::size_t>(at.integer("dim")),
                                           static_cast<std::size_t>(at.integer("hidden"))};
             return std::make_unique<MlpLayerNorm>(shape);
           })
      .integers("batch", {1})
      .integers("dim", {1024, 4096, 8192, 16384})
      .strings("dtype", {"bf16"})
      .integers("hidden", {kMlpHidden})
      .target([](const AxisPoint& at) -> std::string { return at.integer("dim") >= 4096 ? "0.75 of bandwidth" : ""; })
      .needs(dtype_need)
      .needs(shape_need);
}

}  // namespace steelyard::cuda_suite

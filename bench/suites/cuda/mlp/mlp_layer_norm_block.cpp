#include "bench/suites/cuda/mlp/mlp_layer_norm_block.hpp"

#include "bench/suites/cuda/arithmetic/seeded_inputs.hpp"
#include "bench/suites/cuda/products/device_matrix.hpp"
#include "bench/suites/cuda/products/lt_matmul.hpp"
#include "bench/suites/cuda/rows/row_kernels.hpp"
#include "bench/suites/cuda/rows/row_references.hpp"

namespace steelyard::cuda_suite {
namespace {

const ProductType& bf16() { return *find_product_type("bf16"); }

// A normalization's weights and biases, one a column.
struct NormMemory {
  explicit NormMemory(std::size_t columns)
      : weights(NumberFormat::f32, 1, columns), biases(NumberFormat::f32, 1, columns) {}
  void fill(std::uint64_t seed) {
    weights.fill(seed_of_operand(seed, 1));
    biases.fill(seed_of_operand(seed, 2));
  }
  NormParameters parameters() {
    return {.weights = static_cast<const float*>(weights.data()), .biases = static_cast<const float*>(biases.data())};
  }

  MatrixMemory weights;
  MatrixMemory biases;
};

class LayerNormBlock final : public cuda::Workload {
 public:
  explicit LayerNormBlock(const LayerNormBlockShape& shape)
      : shape_(shape),
        library_(std::make_shared<LtLibrary>()),
        expand_(library_, {.type = &bf16(), .rows = shape.rows, .columns = shape.hidden, .inner = shape.dim}),
        reduce_(library_, {.type = &bf16(), .rows = shape.rows, .columns = shape.dim, .inner = shape.hidden}),
        inputs_(NumberFormat::bf16, shape.rows, shape.dim),
        expand_weights_(NumberFormat::bf16, shape.hidden, shape.dim),
        reduce_weights_(NumberFormat::bf16, shape.dim, shape.hidden),
        expanded_(NumberFormat::bf16, shape.rows, shape.hidden),
        hidden_(NumberFormat::bf16, shape.rows, shape.hidden),
        reduced_(NumberFormat::bf16, shape.rows, shape.dim),
        results_(NumberFormat::bf16, shape.rows, shape.dim),
        hidden_norm_(shape.hidden),
        norm_(shape.dim) {
    fill(0);
  }

  OperatorCost cost() const override { return layer_norm_block_cost(shape_); }

  void launch(int, cudaStream_t stream) override {
    expand_.launch({.left = inputs_.data(), .right = expand_weights_.data(), .result = expanded_.data()}, stream);
    normalize(expanded_, hidden_norm_, hidden_, shape_.hidden, stream);
    reduce_.launch({.left = hidden_.data(), .right = reduce_weights_.data(), .result = reduced_.data()}, stream);
    normalize(reduced_, norm_, results_, shape_.dim, stream);
  }

  // Each of the four operators by what lay in its operands.
  Result<void> verify(std::uint64_t seed) override {
    fill(seed);
    for (MatrixMemory* written : {&expanded_, &hidden_, &reduced_, &results_}) written->poison();
    launch(0, nullptr);
    wait_for_device("waiting for the block");
    STEELYARD_CHECK(check_linear("first product", inputs_, expand_weights_, expanded_, seed));
    STEELYARD_CHECK(check_norm("first normalization", expanded_, hidden_norm_, hidden_, seed));
    STEELYARD_CHECK(check_linear("second product", hidden_, reduce_weights_, reduced_, seed));
    return check_norm("second normalization", reduced_, norm_, results_, seed);
  }

  std::int64_t expected_launches() const override { return 4; }
  std::string note() const override { return "products: " + expand_.note() + ", and " + reduce_.note(); }

 private:
  void fill(std::uint64_t seed) {
    inputs_.fill(seed_of_operand(seed, 1));
    expand_weights_.fill(seed_of_operand(seed, 2));
    reduce_weights_.fill(seed_of_operand(seed, 3));
    hidden_norm_.fill(seed_of_operand(seed, 4));
    norm_.fill(seed_of_operand(seed, 5));
    wait_for_device("filling the block's memory");
  }

  void normalize(MatrixMemory& values, NormMemory& norm, MatrixMemory& results, std::size_t columns,
                 cudaStream_t stream) {
    launch_layer_norm<Bf16>({.rows = shape_.rows, .columns = columns}, static_cast<const Bf16*>(values.data()),
                            norm.parameters(), static_cast<Bf16*>(results.data()), stream);
  }

  static Result<void> check_linear(const char* name, const MatrixMemory& left, const MatrixMemory& right,
                                   const MatrixMemory& result, std::uint64_t seed) {
    STEELYARD_CHECK(result.view().all_written(name));
    return check_product({.name = name,
                          .type = &bf16(),
                          .rows = result.view().rows(),
                          .columns = result.view().columns(),
                          .inner = left.view().columns(),
                          .left = [view = left.view()](std::size_t i) { return view.row(i); },
                          .right = [view = right.view()](std::size_t j) { return view.row(j); },
                          .result = [view = result.view()](std::size_t i) { return view.row(i); },
                          .then = {}},
                         seed);
  }

  static Result<void> check_norm(const char* name, const MatrixMemory& values, const NormMemory& norm,
                                 const MatrixMemory& results, std::uint64_t seed) {
    constexpr std::size_t kRows = 8;
    STEELYARD_CHECK(results.view().all_written(name));
    const auto single = [](const Values& wide) { return std::vector<float>(wide.begin(), wide.end()); };
    const std::vector<float> weights = single(norm.weights.view().row(0));
    const std::vector<float> biases = single(norm.biases.view().row(0));
    const std::size_t columns = values.view().columns();
    for (const std::size_t row : banded_indices(values.view().rows(), kRows, seed)) {
      const Values operands = values.view().row(row);
      STEELYARD_CHECK(agreement(name, results.view().row(row), layer_norm_wanted<Bf16>(operands, weights, biases),
                                {.first = row * columns, .columns = columns}));
    }
    return {};
  }

  LayerNormBlockShape shape_;
  std::shared_ptr<LtLibrary> library_;
  LtMatmul expand_;
  LtMatmul reduce_;
  MatrixMemory inputs_;
  MatrixMemory expand_weights_;
  MatrixMemory reduce_weights_;
  MatrixMemory expanded_;
  MatrixMemory hidden_;
  MatrixMemory reduced_;
  MatrixMemory results_;
  NormMemory hidden_norm_;
  NormMemory norm_;
};

}  // namespace

std::unique_ptr<cuda::Workload> make_mlp_layer_norm_block(const LayerNormBlockShape& shape) {
  return std::make_unique<LayerNormBlock>(shape);
}

}  // namespace steelyard::cuda_suite

#include "bench/suites/cuda/mlp/mlp_workload.hpp"

#include <cmath>
#include <optional>

#include "bench/suites/cuda/arithmetic/current_device.hpp"
#include "bench/suites/cuda/arithmetic/seeded_inputs.hpp"
#include "bench/suites/cuda/mlp/gelu_pass.hpp"
#include "bench/suites/cuda/mlp/mlp_kernels.hpp"
#include "bench/suites/cuda/products/lt_matmul.hpp"

namespace steelyard::cuda_suite {
namespace {

MatrixReader reader_of(const DeviceMatrix& matrix) {
  return {[matrix](std::size_t i) { return matrix.row(i); }, [matrix](std::size_t j) { return matrix.column(j); }};
}

}  // namespace

std::vector<MatrixReader> LayeredMemory::readers() const {
  std::vector<MatrixReader> readers;
  for (std::size_t layer = 0; layer < layers_; ++layer)
    readers.push_back(reader_of(memory_.view(layer * rows_, rows_)));
  return readers;
}

MlpMemory::MlpMemory(const MlpShape& shape, NumberFormat format, bool keeps, bool has_way_back)
    : keeps_sums(keeps || has_way_back),
      trains(has_way_back),
      inputs(format, shape.batch, shape.dim),
      weights(format, shape.layers, shape.dim, shape.dim),
      biases(format, shape.layers, 1, shape.dim),
      activations(format, shape.layers, shape.batch, shape.dim) {
  if (keeps_sums) sums = LayeredMemory(format, shape.layers, shape.batch, shape.dim);
  if (!trains) return;
  sum_gradients = LayeredMemory(format, shape.layers, shape.batch, shape.dim);
  weight_gradients = LayeredMemory(format, shape.layers, shape.dim, shape.dim);
  bias_gradients = LayeredMemory(format, shape.layers, 1, shape.dim);
  step_bias_gradients = LayeredMemory(format, shape.layers, 1, shape.dim);
  input_gradient = MatrixMemory(format, shape.batch, shape.dim);
}

void MlpMemory::fill(const MlpShape& shape, std::uint64_t seed) {
  inputs.fill(seed_of_operand(seed, 1));
  weights.all().fill(seed_of_operand(seed, 2), std::sqrt(6.0f / static_cast<float>(shape.dim)));
  biases.all().fill(seed_of_operand(seed, 3), 0.1f);
  wait_for_device("filling the perceptron's memory");
}

void MlpMemory::poison() {
  activations.all().poison();
  if (keeps_sums) sums.all().poison();
  if (!trains) return;
  sum_gradients.all().poison();
  weight_gradients.all().poison();
  bias_gradients.all().poison();
  step_bias_gradients.all().poison();
  input_gradient.poison();
}

MlpReaders MlpMemory::readers() const {
  MlpReaders readers;
  readers.inputs = reader_of(inputs.view());
  readers.weights = weights.readers();
  readers.biases = biases.readers();
  readers.activations = activations.readers();
  if (keeps_sums) readers.sums = sums.readers();
  if (!trains) return readers;
  readers.sum_gradients = sum_gradients.readers();
  readers.weight_gradients = weight_gradients.readers();
  readers.bias_gradients = bias_gradients.readers();
  readers.input_gradient = reader_of(input_gradient.view());
  return readers;
}

Result<void> MlpMemory::all_written() const {
  STEELYARD_CHECK(activations.all().view().all_written("activations of all layers"));
  if (keeps_sums) STEELYARD_CHECK(sums.all().view().all_written("sums of all layers"));
  if (!trains) return {};
  STEELYARD_CHECK(sum_gradients.all().view().all_written("gradients of the sums of all layers"));
  STEELYARD_CHECK(weight_gradients.all().view().all_written("gradients of the weights of all layers"));
  STEELYARD_CHECK(bias_gradients.all().view().all_written("gradients of the biases of all layers"));
  return input_gradient.view().all_written("gradient of the inputs");
}

namespace {

class Mlp final : public cuda::Workload {
 public:
  Mlp(const ProductType& type, const MlpChoice& choice)
      : type_(type),
        shape_(choice.shape),
        form_(choice.form),
        trains_(choice.trains),
        library_(std::make_shared<LtLibrary>()),
        memory_(choice.shape, type.operands, choice.trains || choice.form == MlpForm::chain, choice.trains) {
    const bool fused = form_ == MlpForm::fused;
    if (trains_ && !fused) {
      const std::size_t packs = shape_.dim * size_of(type.operands) / sizeof(Pack);
      slices_ = column_slices(shape_.batch, packs, multiprocessors());
      if (slices_ > 1) column_parts_ = cuda::DeviceArray<float>(slices_ * shape_.dim);
    }
    forward_.emplace(library_, linear(!fused    ? LtEpilogue::none
                                      : trains_ ? LtEpilogue::gelu_bias_keep
                                                : LtEpilogue::gelu_bias));
    if (trains_) {
      weight_gradient_.emplace(library_, weight_gradient(fused, false));
      more_weight_gradient_.emplace(library_, weight_gradient(fused, true));
      hidden_gradient_.emplace(library_, input_gradient(fused ? LtEpilogue::gelu_gradient : LtEpilogue::none, false));
      input_gradient_.emplace(library_, input_gradient(LtEpilogue::none, false));
      more_input_gradient_.emplace(library_, input_gradient(LtEpilogue::none, true));
    }
    memory_.fill(shape_, 0);
  }

  OperatorCost cost() const override {
    const std::size_t value_bytes = size_of(type_.operands);
    return trains_ ? mlp_training_cost(shape_, form_, value_bytes) : mlp_forward_cost(shape_, form_, value_bytes);
  }

  void launch(int, cudaStream_t stream) override {
    for (std::size_t step = 0; step < shape_.steps; ++step) {
      for (std::size_t layer = 0; layer < shape_.layers; ++layer) forward(layer, stream);
      if (trains_) backward(step == 0, stream);
    }
  }

  Result<void> verify(std::uint64_t seed) override {
    memory_.fill(shape_, seed);
    memory_.poison();
    launch(0, nullptr);
    wait_for_device("waiting for the perceptron");
    STEELYARD_CHECK(memory_.all_written());
    return check_mlp(shape_, type_, memory_.readers(), seed);
  }

  std::string note() const override { return "forward: " + forward_->note(); }
  std::int64_t expected_launches() const override {
    return mlp_launches(shape_, form_,
                        {.trains = trains_, .column_sums = slices_ > 1 ? std::size_t{2} : std::size_t{1}});
  }

 private:
  LtProblem linear(LtEpilogue epilogue) const {
    return {.type = &type_, .rows = shape_.batch, .columns = shape_.dim, .inner = shape_.dim, .epilogue = epilogue};
  }
  // transposed(gradient of the sums) * inputs.
  LtProblem weight_gradient(bool fused, bool accumulates) const {
    return {.type = &type_,
            .rows = shape_.dim,
            .columns = shape_.dim,
            .inner = shape_.batch,
            .left_transposed = true,
            .right_by_columns = false,
            .accumulates = accumulates,
            .epilogue = fused ? LtEpilogue::left_row_sums : LtEpilogue::none};
  }
  // gradient of the sums * weights.
  LtProblem input_gradient(LtEpilogue epilogue, bool accumulates) const {
    return {.type = &type_,
            .rows = shape_.batch,
            .columns = shape_.dim,
            .inner = shape_.dim,
            .right_by_columns = false,
            .accumulates = accumulates,
            .epilogue = epilogue};
  }

  MatrixExtent values() const { return {type_.operands, shape_.batch, shape_.dim}; }
  void* layer_inputs(std::size_t layer) {
    return layer == 0 ? memory_.inputs.data() : memory_.activations.of(layer - 1);
  }

  void forward(std::size_t layer, cudaStream_t stream) {
    const LtOperands operands{.left = layer_inputs(layer), .right = memory_.weights.of(layer)};
    if (form_ == MlpForm::fused) {
      LtOperands fused = operands;
      fused.result = memory_.activations.of(layer);
      fused.bias = memory_.biases.of(layer);
      if (trains_) fused.sums = memory_.sums.of(layer);
      forward_->launch(fused, stream);
      return;
    }
    LtOperands plain = operands;
    plain.result = memory_.sums.of(layer);
    forward_->launch(plain, stream);
    launch_bias(values(), memory_.sums.of(layer), memory_.biases.of(layer), stream);
    launch_gelu_pass(values(), memory_.sums.of(layer), memory_.activations.of(layer), stream);
  }

  void backward(bool is_first_step, cudaStream_t stream) {
    const std::size_t last = shape_.layers - 1;
    launch_gelu_gradient(values(), memory_.sums.of(last), nullptr, memory_.sum_gradients.of(last), stream);
    for (std::size_t layer = shape_.layers; layer-- > 0;) {
      parameter_gradients(layer, is_first_step, stream);
      LtOperands operands{.left = memory_.sum_gradients.of(layer), .right = memory_.weights.of(layer)};
      if (layer == 0) {
        operands.result = memory_.input_gradient.data();
        (is_first_step ? input_gradient_ : more_input_gradient_)->launch(operands, stream);
        continue;
      }
      operands.result = memory_.sum_gradients.of(layer - 1);
      operands.sums = memory_.sums.of(layer - 1);
      hidden_gradient_->launch(operands, stream);
      if (form_ == MlpForm::chain) {
        launch_gelu_gradient(values(), operands.sums, operands.result, operands.result, stream);
      }
    }
    // The product's own sums of rows are of this step.
    if (form_ == MlpForm::fused && !is_first_step) {
      launch_accumulate({type_.operands, shape_.layers, shape_.dim}, memory_.bias_gradients.of(0),
                        memory_.step_bias_gradients.of(0), stream);
    }
  }

  void parameter_gradients(std::size_t layer, bool is_first_step, cudaStream_t stream) {
    const LtOperands operands{
        .left = memory_.sum_gradients.of(layer),
        .right = layer_inputs(layer),
        .result = memory_.weight_gradients.of(layer),
        .bias = is_first_step ? memory_.bias_gradients.of(layer) : memory_.step_bias_gradients.of(layer)};
    (is_first_step ? weight_gradient_ : more_weight_gradient_)->launch(operands, stream);
    if (form_ == MlpForm::chain) {
      launch_column_sums(values(), operands.left,
                         {.results = memory_.bias_gradients.of(layer),
                          .accumulates = !is_first_step,
                          .slices = slices_,
                          .parts = column_parts_.data()},
                         stream);
    }
  }

  const ProductType& type_;
  MlpShape shape_;
  MlpForm form_;
  bool trains_;
  std::shared_ptr<LtLibrary> library_;
  MlpMemory memory_;
  std::size_t slices_ = 1;  // of the chain's sums of columns
  cuda::DeviceArray<float> column_parts_;
  std::optional<LtMatmul> forward_;
  std::optional<LtMatmul> weight_gradient_;
  std::optional<LtMatmul> more_weight_gradient_;
  std::optional<LtMatmul> hidden_gradient_;
  std::optional<LtMatmul> input_gradient_;
  std::optional<LtMatmul> more_input_gradient_;
};

}  // namespace

std::unique_ptr<cuda::Workload> make_mlp(const ProductType& type, const MlpChoice& choice) {
  return std::make_unique<Mlp>(type, choice);
}

}  // namespace steelyard::cuda_suite

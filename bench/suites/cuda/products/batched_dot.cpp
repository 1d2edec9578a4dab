#include "bench/suites/cuda/products/batched_dot.hpp"

#include "bench/suites/cuda/arithmetic/seeded_inputs.hpp"
#include "bench/suites/cuda/products/device_matrix.hpp"
#include "bench/suites/cuda/products/dot_kernels.hpp"
#include "bench/suites/cuda/products/lt_matmul.hpp"

namespace steelyard::cuda_suite {
namespace {

class BatchedDot : public cuda::Workload {
 public:
  BatchedDot(const ProductType& type, BatchedDotShape shape)
      : type_(type),
        shape_(shape),
        left_(type.operands, shape.batch, shape.length),
        right_(type.operands, shape.batch, shape.length),
        result_(type.results, shape.batch, 1) {
    fill(0);
    wait_for_device("filling the operands");
  }

  Result<void> verify(std::uint64_t seed) override {
    fill(seed);
    result_.poison();
    launch(0, nullptr);
    wait_for_device("waiting for the dot products");
    STEELYARD_CHECK(result_.view().all_written("batched_dot"));
    return check_dots({.name = "batched_dot",
                       .type = &type_,
                       .batch = shape_.batch,
                       .left = [view = left_.view()](std::size_t pair) { return view.row(pair); },
                       .right = [view = right_.view()](std::size_t pair) { return view.row(pair); },
                       .result = [view = result_.view()](std::size_t pair) { return view.row(pair).front(); },
                       .product_error = product_error()},
                      seed);
  }

 protected:
  virtual double product_error() const = 0;

  void fill(std::uint64_t seed) {
    left_.fill(seed_of_operand(seed, 1));
    right_.fill(seed_of_operand(seed, 2));
  }

  const ProductType& type_;
  BatchedDotShape shape_;
  MatrixMemory left_;
  MatrixMemory right_;
  MatrixMemory result_;
};

class ChainedDot final : public BatchedDot {
 public:
  ChainedDot(const ProductType& type, BatchedDotShape shape)
      : BatchedDot(type, shape), products_(type.operands, shape.batch, shape.length) {}

  OperatorCost cost() const override { return batched_dot_chain_cost(shape_, size_of(type_.operands)); }
  void launch(int, cudaStream_t stream) override {
    launch_multiply(type_.operands, left_.data(), right_.data(), products_.data(), shape_.batch * shape_.length,
                    stream);
    launch_row_sums(type_.operands, products_.data(), result_.data(), shape_.batch, shape_.length, stream);
  }

 private:
  double product_error() const override { return unit_roundoff(type_.operands); }

  MatrixMemory products_;
};

class LibraryDot final : public BatchedDot {
 public:
  LibraryDot(const ProductType& type, BatchedDotShape shape)
      : BatchedDot(type, shape),
        multiply_(std::make_shared<LtLibrary>(),
                  {.type = &type, .batch = shape.batch, .rows = 1, .columns = 1, .inner = shape.length}) {}

  OperatorCost cost() const override { return batched_dot_library_cost(shape_, size_of(type_.operands)); }
  void launch(int, cudaStream_t stream) override {
    multiply_.launch({.left = left_.data(), .right = right_.data(), .result = result_.data()}, stream);
  }
  std::string note() const override { return multiply_.note(); }

 private:
  double product_error() const override { return 0; }

  LtMatmul multiply_;
};

}  // namespace

std::unique_ptr<cuda::Workload> make_batched_dot_chain(const ProductType& type, BatchedDotShape shape) {
  return std::make_unique<ChainedDot>(type, shape);
}

std::unique_ptr<cuda::Workload> make_batched_dot_library(const ProductType& type, BatchedDotShape shape) {
  return std::make_unique<LibraryDot>(type, shape);
}

}  // namespace steelyard::cuda_suite

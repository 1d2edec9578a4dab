#include "bench/suites/cuda/products/matmul.hpp"

#include <algorithm>
#include <vector>

#include "bench/suites/cuda/arithmetic/seeded_inputs.hpp"
#include "bench/suites/cuda/products/device_matrix.hpp"
#include "bench/suites/cuda/products/lt_matmul.hpp"
#include "bench/suites/cuda/products/product_kernels.hpp"

namespace steelyard::cuda_suite {
namespace {

class Matmul final : public cuda::Workload {
 public:
  Matmul(const ProductType& type, std::size_t n, LtChoice choice)
      : type_(type),
        n_(n),
        multiply_(std::make_shared<LtLibrary>(), {.type = &type, .rows = n, .columns = n, .inner = n}),
        result_(type.results, n, n) {
    for (std::size_t set = 0; set < sets_for(type, n); ++set) {
      lefts_.emplace_back(type.operands, n, n);
      rights_.emplace_back(type.operands, n, n);
      lefts_.back().fill(seed_of_operand(set, 1));
      rights_.back().fill(seed_of_operand(set, 2));
    }
    wait_for_device("filling the operands");
    if (choice == LtChoice::fastest) multiply_.choose_fastest(operands(0), nullptr);
  }

  OperatorCost cost() const override { return product_cost(type_, {.rows = n_, .inner = n_, .columns = n_}); }
  int input_sets() const override { return static_cast<int>(lefts_.size()); }
  void launch(int input_set, cudaStream_t stream) override {
    multiply_.launch(operands(static_cast<std::size_t>(input_set)), stream);
  }
  std::string note() const override { return multiply_.note(); }
  std::int64_t expected_launches() const override { return 1; }

  Result<void> verify(std::uint64_t seed) override {
    lefts_.front().fill(seed_of_operand(seed, 1));
    rights_.front().fill(seed_of_operand(seed, 2));
    result_.poison();
    launch(0, nullptr);
    wait_for_device("waiting for the product");
    STEELYARD_CHECK(result_.view().all_written("matmul"));
    return check_product(
        {.name = "matmul",
         .type = &type_,
         .rows = n_,
         .columns = n_,
         .inner = n_,
         .left = [view = lefts_.front().view()](std::size_t i) { return view.row(i); },
         .right = [view = rights_.front().view()](std::size_t j) { return view.row(j); },
         .result = [view = result_.view()](std::size_t i) { return view.row(i); },
         .then = [scale = multiply_.scale()](double sum, std::size_t,
                                             std::size_t) { return Outcome{.value = scale * sum, .slope = scale}; }},
        seed);
  }

 private:
  // Together larger than any cache of a device, but at most four: large matrices pass the cache by themselves.
  static std::size_t sets_for(const ProductType& type, std::size_t n) {
    constexpr std::size_t kLargerThanCaches = std::size_t{256} << 20;
    const std::size_t bytes = 2 * n * n * size_of(type.operands);
    return std::clamp<std::size_t>(kLargerThanCaches / bytes, 1, 4);
  }

  LtOperands operands(std::size_t set) {
    return {.left = lefts_[set].data(), .right = rights_[set].data(), .result = result_.data()};
  }

  const ProductType& type_;
  std::size_t n_;
  LtMatmul multiply_;
  std::vector<MatrixMemory> lefts_;
  std::vector<MatrixMemory> rights_;
  MatrixMemory result_;
};

}  // namespace

std::unique_ptr<cuda::Workload> make_matmul(const ProductType& type, std::size_t n, LtChoice choice) {
  return std::make_unique<Matmul>(type, n, choice);
}

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

// The chain in one kernel of our own: what a compiler makes of it.
class FusedDot final : public BatchedDot {
 public:
  using BatchedDot::BatchedDot;

  OperatorCost cost() const override { return batched_dot_library_cost(shape_, size_of(type_.operands)); }
  void launch(int, cudaStream_t stream) override {
    launch_row_dots(type_.operands, {left_.data(), right_.data(), shape_.batch, shape_.length}, result_.data(), stream);
  }

 private:
  // Products of 16-bit numbers are exact in single precision.
  double product_error() const override {
    return type_.operands == NumberFormat::f32 ? unit_roundoff(NumberFormat::f32) : 0;
  }
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
  std::int64_t expected_launches() const override { return 1; }

 private:
  double product_error() const override { return 0; }

  LtMatmul multiply_;
};

}  // namespace

std::unique_ptr<cuda::Workload> make_batched_dot_chain(const ProductType& type, BatchedDotShape shape) {
  return std::make_unique<ChainedDot>(type, shape);
}

std::unique_ptr<cuda::Workload> make_batched_dot_fused(const ProductType& type, BatchedDotShape shape) {
  return std::make_unique<FusedDot>(type, shape);
}

std::unique_ptr<cuda::Workload> make_batched_dot_library(const ProductType& type, BatchedDotShape shape) {
  return std::make_unique<LibraryDot>(type, shape);
}

}  // namespace steelyard::cuda_suite

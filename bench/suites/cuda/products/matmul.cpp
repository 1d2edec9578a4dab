#include "bench/suites/cuda/products/matmul.hpp"

#include <algorithm>
#include <vector>

#include "bench/suites/cuda/arithmetic/seeded_inputs.hpp"
#include "bench/suites/cuda/products/device_matrix.hpp"
#include "bench/suites/cuda/products/lt_matmul.hpp"

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

}  // namespace steelyard::cuda_suite

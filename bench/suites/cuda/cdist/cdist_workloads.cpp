#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>

#include "bench/cuda/device_memory.hpp"
#include "bench/suites/cuda/arithmetic/answer_check.hpp"
#include "bench/suites/cuda/arithmetic/current_device.hpp"
#include "bench/suites/cuda/cdist/cdist_kernels.hpp"
#include "bench/suites/cuda/cdist/cdist_reference.hpp"
#include "bench/suites/cuda/device_needs.hpp"
#include "bench/suites/cuda/products/lt_matmul.hpp"
#include "bench/suites/cuda/rows/row_kernels.hpp"
#include "bench/suites/cuda/suite.hpp"

namespace steelyard::cuda_suite {
namespace {

constexpr std::size_t kMaxComparedDistances = 4096;

// Sums in single precision, whatever the operands are: norms and products cancel where two rows are close.
template <class T>
ProductType products_of() {
  const std::string_view dtype = std::is_same_v<T, float> ? "f32" : std::is_same_v<T, F16> ? "f16" : "bf16";
  ProductType type = *find_product_type(dtype);
  type.results = NumberFormat::f32;
  return type;
}

// One set of inputs: the arithmetic is the bound, not where the rows come from.
template <class T>
class CdistWorkload final : public cuda::Workload {
 public:
  CdistWorkload(const CdistShape& shape, bool is_chain)
      : shape_(shape),
        is_chain_(is_chain),
        left_(shape.lefts * shape.dim),
        right_(shape.rights * shape.dim),
        results_(shape.lefts * shape.rights),
        left_norms_(is_chain ? shape.lefts : 0),
        right_norms_(is_chain ? shape.rights : 0),
        products_(is_chain ? shape.lefts * shape.rights : 0) {
    if (is_chain) {
      multiply_.emplace(std::make_shared<LtLibrary>(),
                        LtProblem{.type = &type_, .rows = shape.lefts, .columns = shape.rights, .inner = shape.dim});
    }
    fill(0);
  }

  OperatorCost cost() const override {
    return is_chain_ ? cdist_chain_cost(shape_, sizeof(T)) : cdist_cost(shape_, sizeof(T));
  }

  void launch(int, cudaStream_t stream) override {
    if (!is_chain_) return launch_cdist(shape_, left_.data(), right_.data(), results_.data(), stream);
    constexpr RowStatistic kNorm = RowStatistic::sum_of_squares;
    launch_row_statistic(kNorm, {shape_.lefts, shape_.dim}, left_.data(), left_norms_.data(), stream);
    launch_row_statistic(kNorm, {shape_.rights, shape_.dim}, right_.data(), right_norms_.data(), stream);
    multiply_->launch({.left = left_.data(), .right = right_.data(), .result = products_.data()}, stream);
    launch_cdist_roots(shape_, {left_norms_.data(), right_norms_.data()}, products_.data(), results_.data(), stream);
  }

  std::int64_t expected_launches() const override { return is_chain_ ? 4 : 1; }
  std::string note() const override { return is_chain_ ? "products: " + multiply_->note() : std::string(); }

  Result<void> verify(std::uint64_t seed) override {
    fill(seed);
    results_.fill_bytes(0xff);
    products_.fill_bytes(0xff);
    left_norms_.fill_bytes(0xff);
    right_norms_.fill_bytes(0xff);
    launch(0, nullptr);
    wait_until_done("computing distances");
    std::vector<T> answer(results_.size());
    results_.download(answer);
    STEELYARD_CHECK(all_written("cdist", answer, shape_.rights));
    for (const std::size_t i : sampled_indices(answer.size(), kMaxComparedDistances, seed)) {
      const std::vector<double> left = row_of(seed_of_operand(seed, 0), i / shape_.rights);
      const std::vector<double> right = row_of(seed_of_operand(seed, 1), i % shape_.rights);
      const Wanted wanted = is_chain_ ? cdist_chain_wanted<T>(left, right) : cdist_wanted<T>(left, right);
      const double got = static_cast<double>(widened(answer[i]));
      STEELYARD_CHECK(agreement("cdist", {&got, 1}, {&wanted, 1}, {.first = i, .columns = shape_.rights}));
    }
    return {};
  }

 private:
  std::vector<double> row_of(std::uint64_t seed, std::size_t row) const {
    std::vector<double> values;
    for (std::size_t i = 0; i < shape_.dim; ++i) {
      values.push_back(static_cast<double>(widened(seeded_value<T>(seed, row * shape_.dim + i))));
    }
    return values;
  }

  void fill(std::uint64_t seed) {
    fill_seeded(left_.data(), left_.size(), seed_of_operand(seed, 0), nullptr);
    fill_seeded(right_.data(), right_.size(), seed_of_operand(seed, 1), nullptr);
    wait_until_done("filling the rows");
  }

  CdistShape shape_;
  bool is_chain_;
  ProductType type_ = products_of<T>();
  std::optional<LtMatmul> multiply_;  // of the chain
  cuda::DeviceArray<T> left_;
  cuda::DeviceArray<T> right_;
  cuda::DeviceArray<T> results_;
  cuda::DeviceArray<float> left_norms_;
  cuda::DeviceArray<float> right_norms_;
  cuda::DeviceArray<float> products_;
};

std::unique_ptr<cuda::Workload> make_cdist(const AxisPoint& at) {
  const auto n = static_cast<std::size_t>(at.integer("n"));
  const CdistShape shape{.lefts = n, .rights = n, .dim = static_cast<std::size_t>(at.integer("dim"))};
  const bool is_chain = at.text("form") == "chain";
  if (at.text("dtype") == "f32") return std::make_unique<CdistWorkload<float>>(shape, is_chain);
  if (at.text("dtype") == "f16") return std::make_unique<CdistWorkload<F16>>(shape, is_chain);
  return std::make_unique<CdistWorkload<Bf16>>(shape, is_chain);
}

// The norms' kernel keeps a whole row.
std::string cdist_need(const cuda::DeviceProperties&, const AxisPoint& at) {
  const std::string unmet = size_need(at, {"dim"}, static_cast<std::int64_t>(kMaxColumns<float>));
  return unmet.empty() ? size_need(at, {"n"}, kMaxSize) : unmet;
}

}  // namespace

void add_cdist(cuda::DeviceSuite& suite) {
  suite.add("cdist", make_cdist)
      .integers("dim", {64, 256, 2048})
      .strings("dtype", {"f32", "f16", "bf16"})
      .strings("form", {"fused", "chain"})
      .integers("n", {2048})
      .large([](const AxisPoint& at) { return at.integer("dim") != 256; })
      .needs(dtype_need)
      .needs(cdist_need);
}

}  // namespace steelyard::cuda_suite

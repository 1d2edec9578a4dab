// The kernels themselves, at lengths that leave tails: the benchmarks' shapes fill their packs. Each answer is held
// against the bounds that the played kernels keep; and an answer that was not written is no number.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "bench/cuda/device_memory.hpp"
#include "bench/suites/cuda/arithmetic/answer_check.hpp"
#include "bench/suites/cuda/arithmetic/current_device.hpp"
#include "bench/suites/cuda/cdist/cdist_kernels.hpp"
#include "bench/suites/cuda/cdist/cdist_reference.hpp"
#include "bench/suites/cuda/elementwise/elementwise_kernels.hpp"
#include "bench/suites/cuda/elementwise/elementwise_references.hpp"
#include "bench/suites/cuda/gemv/gemv_kernels.hpp"
#include "bench/suites/cuda/gemv/gemv_reference.hpp"
#include "bench/suites/cuda/rows/row_kernels.hpp"
#include "bench/suites/cuda/rows/row_references.hpp"
#include "tests/promised.hpp"

namespace steelyard::cuda_suite::kernels_on_device_test {
namespace {

std::string no_device() {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess) return std::string("no CUDA device: ") + cudaGetErrorString(code);
  return count > 0 ? "" : "no CUDA device";
}

template <class T>
class KernelsOnDevice : public ::testing::Test {
 protected:
  void SetUp() override { STEELYARD_SKIP_WITHOUT("gpu", no_device().empty(), no_device()); }

  static cuda::DeviceArray<T> inputs(std::size_t n, std::uint64_t seed) {
    cuda::DeviceArray<T> array(n);
    fill_seeded(array.data(), n, seed, nullptr);
    return array;
  }
  static cuda::DeviceArray<T> poisoned(std::size_t n) {
    cuda::DeviceArray<T> array(n);
    array.fill_bytes(0xff);
    return array;
  }
  static std::vector<double> answer(const cuda::DeviceArray<T>& results) {
    wait_until_done("computing");
    std::vector<T> values(results.size());
    results.download(values);
    EXPECT_TRUE(all_written("answer", values));
    return widened_to_double(std::span<const T>(values));
  }
  static std::vector<double> values(std::size_t n, std::uint64_t seed, std::size_t first = 0) {
    std::vector<double> wide;
    for (std::size_t i = 0; i < n; ++i) wide.push_back(static_cast<double>(widened(seeded_value<T>(seed, first + i))));
    return wide;
  }
};
using ValueTypes = ::testing::Types<float, F16, Bf16>;
TYPED_TEST_SUITE(KernelsOnDevice, ValueTypes);

void expect_agreement(const std::string& what, const std::vector<double>& got, const std::vector<Wanted>& wanted) {
  const auto agreed = agreement(what, got, wanted);
  EXPECT_TRUE(agreed) << agreed.error().text();
}

TYPED_TEST(KernelsOnDevice, ElementwiseWritesEveryTail) {
  using T = TypeParam;
  for (const std::size_t n : {std::size_t{1}, std::size_t{37}, kTileValues<T>, kTileValues<T> + 3}) {
    const auto left = this->inputs(n, 1);
    const auto right = this->inputs(n, 2);
    auto sums = this->poisoned(n);
    launch_add(left.data(), right.data(), sums.data(), n, nullptr);
    const auto a = this->values(n, 1);
    const auto b = this->values(n, 2);
    std::vector<Wanted> added;
    std::vector<Wanted> gelu;
    for (std::size_t i = 0; i < n; ++i) added.push_back(add_wanted<T>(a[i], b[i]));
    for (std::size_t i = 0; i < n; ++i) gelu.push_back(gelu_wanted<T>(a[i]));
    expect_agreement("add", this->answer(sums), added);
    auto gelus = this->poisoned(n);
    launch_gelu(left.data(), gelus.data(), n, nullptr);
    expect_agreement("gelu", this->answer(gelus), gelu);
  }
}

TYPED_TEST(KernelsOnDevice, RowsOfAnyLengthAreWithinTheirBounds) {
  using T = TypeParam;
  for (const std::size_t columns :
       {std::size_t{1}, std::size_t{33}, std::size_t{1000}, std::size_t{1001}, std::size_t{16384}, kMaxColumns<T>}) {
    // More rows than blocks fit on any device: each block takes some in turn.
    const RowsShape shape{columns < 64 ? std::size_t{9001} : std::size_t{700}, columns};
    const auto x = this->inputs(shape.rows * columns, 3);
    cuda::DeviceArray<float> weights(columns);
    fill_seeded(weights.data(), columns, 4, nullptr);
    auto softmax = this->poisoned(shape.rows * columns);
    auto normal = this->poisoned(shape.rows * columns);
    launch_softmax(shape, x.data(), softmax.data(), nullptr);
    launch_layer_norm(shape, x.data(), {weights.data(), weights.data()}, normal.data(), nullptr);
    const auto soft = this->answer(softmax);
    const auto norm = this->answer(normal);
    std::vector<float> scales;
    for (std::size_t i = 0; i < columns; ++i) scales.push_back(seeded_value<float>(4, i));
    for (const std::size_t row : sampled_indices(shape.rows, 8, columns)) {
      const auto begin = static_cast<std::ptrdiff_t>(row * columns);
      const auto end = begin + static_cast<std::ptrdiff_t>(columns);
      const auto wide = this->values(columns, 3, row * columns);
      expect_agreement("softmax", {soft.begin() + begin, soft.begin() + end}, softmax_wanted<T>(wide));
      expect_agreement("layer_norm", {norm.begin() + begin, norm.begin() + end},
                       layer_norm_wanted<T>(wide, scales, scales));
    }
  }
}

TYPED_TEST(KernelsOnDevice, ClaimedRowsAreWithinTheirBoundsLaunchAfterLaunch) {
  using T = TypeParam;
  if constexpr (kMayClaim<Softmax, T>) {
    // Fewer rows than blocks that fit, more, and as many columns as there may be.
    for (const RowsShape shape : {RowsShape{1, 16384}, RowsShape{1201, 16384}, RowsShape{401, kMaxColumns<T>}}) {
      ASSERT_TRUE((claims_rows<Softmax, T>(shape.columns) && claims_rows<RmsNorm, T>(shape.columns)));
      const auto x = this->inputs(shape.rows * shape.columns, 3);
      cuda::DeviceArray<float> weights(shape.columns);
      fill_seeded(weights.data(), shape.columns, 4, nullptr);
      std::vector<float> scales;
      for (std::size_t i = 0; i < shape.columns; ++i) scales.push_back(seeded_value<float>(4, i));
      auto results = this->poisoned(shape.rows * shape.columns);
      const auto expect_rows = [&](const char* what, const auto& wanted_of) {
        const auto got = this->answer(results);
        for (const std::size_t row : sampled_indices(shape.rows, 8, shape.columns)) {
          const auto begin = got.begin() + static_cast<std::ptrdiff_t>(row * shape.columns);
          expect_agreement(what, {begin, begin + static_cast<std::ptrdiff_t>(shape.columns)},
                           wanted_of(this->values(shape.columns, 3, row * shape.columns)));
        }
        results.fill_bytes(0xff);
      };
      for (int launch = 0; launch < 2; ++launch) {
        launch_rms_norm(shape, x.data(), {weights.data(), nullptr}, results.data(), nullptr);
        expect_rows("rms_norm", [&](const auto& row) { return rms_norm_wanted<T>(row, scales); });
        launch_softmax(shape, x.data(), results.data(), nullptr);
        expect_rows("softmax", [&](const auto& row) { return softmax_wanted<T>(row); });
      }
    }
  }
}

TYPED_TEST(KernelsOnDevice, SoftmaxOfAWideRangeIsWithinItsBound) {
  using T = TypeParam;
  const RowsShape shape{3, 5000};
  constexpr float kLimit = 64.0f;
  cuda::DeviceArray<T> x(shape.rows * shape.columns);
  fill_seeded(x.data(), x.size(), 9, nullptr, kLimit);
  auto results = this->poisoned(x.size());
  launch_softmax(shape, x.data(), results.data(), nullptr);
  const auto got = this->answer(results);
  for (std::size_t row = 0; row < shape.rows; ++row) {
    std::vector<double> wide;
    for (std::size_t i = row * shape.columns; i < (row + 1) * shape.columns; ++i) {
      wide.push_back(static_cast<double>(widened(seeded_value<T>(9, i, kLimit))));
    }
    const auto begin = got.begin() + static_cast<std::ptrdiff_t>(row * shape.columns);
    expect_agreement("softmax", {begin, begin + static_cast<std::ptrdiff_t>(shape.columns)}, softmax_wanted<T>(wide));
  }
}

TYPED_TEST(KernelsOnDevice, DistancesOfTilesWithTailsAreWithinTheirBound) {
  using T = TypeParam;
  const CdistShape shape{70, 65, 37};
  const auto left = this->inputs(shape.lefts * shape.dim, 5);
  const auto right = this->inputs(shape.rights * shape.dim, 6);
  auto results = this->poisoned(shape.lefts * shape.rights);
  launch_cdist(shape, left.data(), right.data(), results.data(), nullptr);
  std::vector<Wanted> wanted;
  for (std::size_t i = 0; i < shape.lefts; ++i) {
    for (std::size_t j = 0; j < shape.rights; ++j) {
      wanted.push_back(
          cdist_wanted<T>(this->values(shape.dim, 5, i * shape.dim), this->values(shape.dim, 6, j * shape.dim)));
    }
  }
  expect_agreement("cdist", this->answer(results), wanted);
}

TYPED_TEST(KernelsOnDevice, ProductsWithAVectorOfAnyLengthAreWithinTheirBound) {
  using T = TypeParam;
  if constexpr (!std::is_same_v<T, F16>) {
    for (const MatrixShape shape : {MatrixShape{1, 1}, MatrixShape{7, 1003}, MatrixShape{4099, 1024},
                                    MatrixShape{133, 5000}, MatrixShape{70, 4096}, MatrixShape{9, 4099}}) {
      const auto weights = this->inputs(shape.rows * shape.columns, 7);
      const auto vector = this->inputs(shape.columns, 8);
      GemvOperands<T> operands;
      operands.shape = shape;
      operands.weights = weights.data();
      operands.vector = vector.data();
      const auto x = this->values(shape.columns, 8);
      const GemvPlan plan = gemv_plan<T>(shape, 1, multiprocessors());
      auto results = this->poisoned(shape.rows);
      operands.results = results.data();
      launch_gemv(operands, plan, nullptr);
      std::vector<Wanted> wanted;
      for (std::size_t row = 0; row < shape.rows; ++row) {
        const auto w = this->values(shape.columns, 7, row * shape.columns);
        wanted.push_back(dot_wanted<T>(
            {shape.columns, kLanes<T>, static_cast<std::size_t>(plan.threads), 1}, [&](std::size_t i) { return w[i]; },
            [&](std::size_t i) { return x[i]; }));
      }
      expect_agreement("gemv", this->answer(results), wanted);
    }
  }
}

}  // namespace
}  // namespace steelyard::cuda_suite::kernels_on_device_test

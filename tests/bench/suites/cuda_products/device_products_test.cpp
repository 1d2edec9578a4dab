// What only a device can show of products, perceptrons and passes: that small ones of every kind prove their answers,
// by themselves and out of a graph. Each test skips in words where there is none.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "bench/cuda/cuda_handles.hpp"
#include "bench/cuda/measure_cases.hpp"
#include "bench/suites/cuda/ceilings/memory_passes.hpp"
#include "bench/suites/cuda/device_needs.hpp"
#include "bench/suites/cuda/mlp/mlp_layer_norm_block.hpp"
#include "bench/suites/cuda/mlp/mlp_workload.hpp"
#include "bench/suites/cuda/products/device_matrix.hpp"
#include "bench/suites/cuda/products/lt_matmul.hpp"
#include "bench/suites/cuda/products/matmul.hpp"
#include "tests/promised.hpp"

namespace steelyard::cuda_suite::device_products_test {
namespace {

class DeviceProducts : public ::testing::Test {
 protected:
  void SetUp() override {
    auto devices = cuda::query_devices();
    STEELYARD_SKIP_WITHOUT("gpu", devices && !devices->empty(), devices ? "no device" : devices.error().text());
    properties_ = devices->front();
  }

  // Verified; then captured into a graph, as hot samples are taken, and replayed.
  static void prove(cuda::Workload& workload, const std::string& what) {
    for (const std::uint64_t seed : {1u, 2u}) {
      const auto right = workload.verify(seed);
      EXPECT_TRUE(right) << what << ": " << (right ? "" : right.error().text());
    }
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    cuda::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
    cuda::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "beginning a graph");
    for (int set = 0; set < workload.input_sets(); ++set) workload.launch(set, stream);
    cuda::check(cudaStreamEndCapture(stream, &graph), "ending a graph");
    cuda::check(cudaGraphInstantiate(&ready, graph, 0), "making a graph ready");
    cuda::check(cudaGraphLaunch(ready, stream), "launching a graph");
    cuda::check(cudaStreamSynchronize(stream), "waiting for a graph");
    cuda::check(cudaGraphExecDestroy(ready), "releasing a graph");
    cuda::check(cudaGraphDestroy(graph), "releasing a graph");
    cuda::check(cudaStreamDestroy(stream), "releasing a stream");
  }

  bool has(const ProductType& type) const { return dtype_need_of(properties_, type.dtype).empty(); }

  cuda::DeviceProperties properties_;
};

TEST_F(DeviceProducts, SquareProductsProveTheirAnswersInEveryDtype) {
  for (const ProductType& type : product_types()) {
    if (!has(type)) continue;
    for (const std::size_t n : {128u, 1024u}) {
      for (const LtChoice choice : {LtChoice::first, LtChoice::fastest}) {
        const auto workload = make_matmul(type, n, choice);
        prove(*workload, std::string(type.dtype) + " " + std::to_string(n) + " " + workload->note());
      }
    }
  }
}

TEST_F(DeviceProducts, BatchedDotProductsProveTheirAnswers) {
  for (const char* dtype : {"f32", "bf16"}) {
    const ProductType& type = *find_product_type(dtype);
    if (!has(type)) continue;
    for (const BatchedDotShape shape : {BatchedDotShape{64, 64}, {10000, 64}, {64, 10000}, {5000, 10000}}) {
      prove(*make_batched_dot_chain(type, shape), std::string(dtype) + " chain");
      prove(*make_batched_dot_fused(type, shape), std::string(dtype) + " fused");
      prove(*make_batched_dot_library(type, shape), std::string(dtype) + " library");
    }
    // Tails, and rows that begin at any address.
    for (const BatchedDotShape shape : {BatchedDotShape{37, 1001}, {4099, 3}}) {
      prove(*make_batched_dot_chain(type, shape), std::string(dtype) + " chain");
      prove(*make_batched_dot_fused(type, shape), std::string(dtype) + " fused");
    }
  }
}

TEST_F(DeviceProducts, PerceptronsProveTheirAnswers) {
  const MlpShape shape{.batch = 64, .dim = 128, .layers = 3, .steps = 2};
  for (const char* dtype : {"bf16", "tf32"}) {
    const ProductType& type = *find_product_type(dtype);
    if (!has(type)) continue;
    for (const MlpForm form : {MlpForm::fused, MlpForm::chain}) {
      const std::string what = std::string(dtype) + (form == MlpForm::fused ? " fused" : " chain");
      prove(*make_mlp(type, {.shape = shape, .form = form}), what + " forward");
      if (form == MlpForm::fused && type.operands == NumberFormat::f32) continue;  // the suite does not offer it
      prove(*make_mlp(type, {.shape = shape, .form = form, .trains = true}), what + " training");
    }
  }
}

TEST_F(DeviceProducts, TheBlockWithLayerNormalizationProvesItsAnswer) {
  if (!has(*find_product_type("bf16"))) GTEST_SKIP() << dtype_need_of(properties_, "bf16");
  prove(*make_mlp_layer_norm_block({.rows = 64, .dim = 256, .hidden = 1024}), "block");
}

TEST_F(DeviceProducts, MemoryPassesProveTheirAnswers) {
  constexpr std::size_t kOddBytes = (std::size_t{1} << 22) + 16 * 77;
  for (const char* access : {"copy", "read", "write"}) prove(*make_memory_pass(access, kOddBytes), access);
}

// What the library computes is held against the formula, so a formula of another product has to fail.
TEST_F(DeviceProducts, ATransposedOperandIsNotTakenForThePlainOne) {
  const ProductType& type = *find_product_type("f32");
  constexpr std::size_t kN = 128;
  MatrixMemory left(NumberFormat::f32, kN, kN);
  MatrixMemory right(NumberFormat::f32, kN, kN);
  MatrixMemory result(NumberFormat::f32, kN, kN);
  left.fill(1);
  right.fill(2);
  const auto library = std::make_shared<LtLibrary>();
  LtMatmul plain(library, {.type = &type, .rows = kN, .columns = kN, .inner = kN, .right_by_columns = false});
  plain.launch({.left = left.data(), .right = right.data(), .result = result.data()}, nullptr);
  wait_for_device("waiting for the product");
  const auto check = [&](bool by_columns) {
    return check_product(
        {.name = "product",
         .type = &type,
         .rows = kN,
         .columns = kN,
         .inner = kN,
         .left = [&](std::size_t i) { return left.view().row(i); },
         .right = [&](std::size_t j) { return by_columns ? right.view().row(j) : right.view().column(j); },
         .result = [&](std::size_t i) { return result.view().row(i); },
         .then = {}},
        3);
  };
  EXPECT_TRUE(check(false));
  EXPECT_FALSE(check(true));
}

}  // namespace
}  // namespace steelyard::cuda_suite::device_products_test

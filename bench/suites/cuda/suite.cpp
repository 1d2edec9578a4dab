#include "bench/suites/cuda/suite.hpp"

#include <algorithm>
#include <initializer_list>

#include "bench/suites/cuda/ceilings/memory_passes.hpp"
#include "bench/suites/cuda/device_needs.hpp"
#include "bench/suites/cuda/mlp/mlp_layer_norm_block.hpp"
#include "bench/suites/cuda/mlp/mlp_workload.hpp"
#include "bench/suites/cuda/products/matmul.hpp"

namespace steelyard::cuda_suite {

cuda::DeviceSuite make_suite() {
  cuda::DeviceSuite suite;
  add_ceilings(suite);
  add_products(suite);
  add_elementwise(suite);
  add_row_kernels(suite);
  add_gemv(suite);
  add_cdist(suite);
  add_mlp_layer_norm(suite);
  add_mlp(suite);
  add_mlp_layer_norm_above_ridge(suite);
  add_decoding(suite);
  return suite;
}

void add_ceilings(cuda::DeviceSuite& suite) {
  // What no time can be below: rows of less than five times it are mostly that.
  suite.add("ceiling/launch", [](const AxisPoint&) { return make_empty_launch(); });
  suite.add("ceiling", [](const AxisPoint& at) { return make_memory_pass(at.text("access")); })
      .strings("access", {"copy", "read", "write"})
      .strings("level", {"DRAM"});
  // Large enough to fill every multiprocessor many times over, and the fastest that the library proposes.
  constexpr std::size_t kLarge = 8192;
  suite
      .add("ceiling",
           [](const AxisPoint& at) {
             return make_matmul(*find_product_type(at.text("dtype")), kLarge, LtChoice::fastest);
           })
      .strings("dtype", {"f32", "tf32", "f16", "bf16", "f8", "i8"})
      .needs(dtype_need);
}

namespace {

const ProductType& type_at(const AxisPoint& at) { return *find_product_type(at.text("dtype")); }

}  // namespace

void add_products(cuda::DeviceSuite& suite) {
  suite.add("matmul", [](const AxisPoint& at) { return make_matmul(type_at(at), size_at(at, "n"), LtChoice::first); })
      .strings("dtype", {"f32", "tf32", "f16", "bf16", "f8", "i8"})
      // 128 runs another kernel than the large ones, which the lecture on profiling looks at.
      .integers("n", {128, 1024, 2048, 4096, 8192, 16384})
      .needs(dtype_need);
  // The library's own order of its proposals is a guess; this is the best of them.
  suite
      .add("matmul_fastest",
           [](const AxisPoint& at) { return make_matmul(type_at(at), size_at(at, "n"), LtChoice::fastest); })
      .strings("dtype", {"tf32", "f16", "bf16", "f8", "i8"})
      .integers("n", {4096, 8192})
      .needs(dtype_need);
  suite
      .add("batched_dot",
           [](const AxisPoint& at) {
             const BatchedDotShape shape{.batch = size_at(at, "batch"), .length = size_at(at, "length")};
             if (at.text("form") == "chain") return make_batched_dot_chain(type_at(at), shape);
             return at.text("form") == "fused" ? make_batched_dot_fused(type_at(at), shape)
                                               : make_batched_dot_library(type_at(at), shape);
           })
      .integers("batch", {64, 1024, 10000})
      .strings("dtype", {"f32", "bf16"})
      .strings("form", {"chain", "library", "fused"})
      .integers("length", {64, 1024, 10000})
      .needs(dtype_need);
}

namespace {

// The lecture's base, and the shape that it profiles.
constexpr MlpSweeps kLecture{{.batch = 256, .dim = 256, .layers = 4, .steps = 2}};
constexpr MlpShape kProfiled{.batch = 128, .dim = 128, .layers = 16, .steps = 5};
// Large enough that a product fills a device: what the exponents are claimed of.
constexpr MlpSweeps kLarge{{.batch = 4096, .dim = 2048, .layers = 4, .steps = 2}};

MlpShape training_shape(const AxisPoint& at) {
  return {.batch = size_at(at, "batch"),
          .dim = size_at(at, "dim"),
          .layers = size_at(at, "layers"),
          .steps = size_at(at, "steps")};
}

MlpForm form_at(const AxisPoint& at) { return at.text("form") == "fused" ? MlpForm::fused : MlpForm::chain; }

std::vector<std::int64_t> with(std::vector<std::int64_t> values,
                               std::initializer_list<std::vector<std::int64_t>> more) {
  for (const auto& others : more) {
    for (const std::int64_t other : others) {
      if (std::find(values.begin(), values.end(), other) == values.end()) values.push_back(other);
    }
  }
  std::sort(values.begin(), values.end());
  return values;
}

template <class Member>
std::vector<std::int64_t> training_axis(Member member) {
  return with(kLecture.values(kLecture.base.*member),
              {{static_cast<std::int64_t>(kProfiled.*member)}, kLarge.values(kLarge.base.*member)});
}

// The library's epilogues that keep or use the sums are for results of 16 bits.
bool exists(const AxisPoint& at) {
  const MlpShape shape = training_shape(at);
  if (at.text("form") == "fused" && at.text("dtype") == "tf32") return false;
  return kLecture.contains(shape) || shape == kProfiled || kLarge.contains(shape);
}

}  // namespace

void add_mlp(cuda::DeviceSuite& suite) {
  suite
      .add("mlp_forward",
           [](const AxisPoint& at) {
             return make_mlp(
                 *find_product_type(at.text("dtype")),
                 {.shape = {.batch = size_at(at, "batch"), .dim = size_at(at, "dim"), .layers = 4, .steps = 1},
                  .form = form_at(at)});
           })
      .integers("batch", {256, 4096})
      .integers("dim", {256, 1024, 4096})
      .strings("dtype", {"bf16", "tf32"})
      .strings("form", {"fused", "chain"})
      .needs(dtype_need);
  suite
      .add("mlp_training",
           [](const AxisPoint& at) {
             return make_mlp(*find_product_type(at.text("dtype")),
                             {.shape = training_shape(at), .form = form_at(at), .trains = true});
           })
      .integers("batch", training_axis(&MlpShape::batch))
      .integers("dim", training_axis(&MlpShape::dim))
      .strings("dtype", {"bf16", "tf32"})
      .strings("form", {"fused", "chain"})
      .integers("layers", training_axis(&MlpShape::layers))
      .integers("steps", training_axis(&MlpShape::steps))
      .filter(exists)
      .large([](const AxisPoint& at) { return kLarge.contains(training_shape(at)); })
      .needs(dtype_need);
}

// Beside the form of one row, which memory bounds: the same benchmark with larger batches.
void add_mlp_layer_norm_above_ridge(cuda::DeviceSuite& suite) {
  suite
      .add("mlp_layer_norm",
           [](const AxisPoint& at) {
             return make_mlp_layer_norm_block(
                 {.rows = size_at(at, "batch"), .dim = size_at(at, "dim"), .hidden = size_at(at, "hidden")});
           })
      .integers("batch", {512, 4096})
      .integers("dim", {1024, 4096, 8192, 16384})
      .strings("dtype", {"bf16"})
      .integers("hidden", {static_cast<std::int64_t>(kBlockHidden)})
      .target([](const AxisPoint& at) { return block_target(size_at(at, "batch"), size_at(at, "dim")); })
      .needs(dtype_need);
}

}  // namespace steelyard::cuda_suite

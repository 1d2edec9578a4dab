#include "bench/suites/cuda/products/product_benchmarks.hpp"

#include "bench/suites/cuda/device_needs.hpp"
#include "bench/suites/cuda/products/batched_dot.hpp"
#include "bench/suites/cuda/products/matmul.hpp"

namespace steelyard::cuda_suite {
namespace {

std::size_t size_at(const AxisPoint& at, std::string_view axis) { return static_cast<std::size_t>(at.integer(axis)); }

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
             return at.text("form") == "chain" ? make_batched_dot_chain(type_at(at), shape)
                                               : make_batched_dot_library(type_at(at), shape);
           })
      .integers("batch", {64, 1024, 10000})
      .strings("dtype", {"f32", "bf16"})
      .strings("form", {"chain", "library"})
      .integers("length", {64, 1024, 10000})
      .needs(dtype_need);
}

}  // namespace steelyard::cuda_suite

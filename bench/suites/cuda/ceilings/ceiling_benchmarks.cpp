#include "bench/suites/cuda/ceilings/ceiling_benchmarks.hpp"

#include "bench/suites/cuda/ceilings/memory_passes.hpp"
#include "bench/suites/cuda/device_needs.hpp"
#include "bench/suites/cuda/products/matmul.hpp"

namespace steelyard::cuda_suite {

void add_ceilings(cuda::DeviceSuite& suite) {
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

}  // namespace steelyard::cuda_suite

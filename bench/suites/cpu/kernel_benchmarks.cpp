#include "bench/suites/cpu/kernel_benchmarks.hpp"

#include "bench/suites/cpu/vector_set.hpp"

namespace steelyard::cpu_suite {

std::vector<std::string> register_kernel_benchmarks(const SuiteOptions& options) {
  SuiteRegistration suite(options);
  add_product_benchmarks(suite);
  add_elementwise_benchmarks(suite);
  add_row_product_benchmarks(suite);
  add_mlp_benchmarks(suite);
  if (options.native && !has_bf16_dot()) {
    return {
        "gemv_dot/bf16 is left out: this CPU does not multiply bf16 itself (AVX512_BF16); gemv/bf16 widens to fp32 "
        "and runs everywhere"};
  }
  return {};
}

}  // namespace steelyard::cpu_suite

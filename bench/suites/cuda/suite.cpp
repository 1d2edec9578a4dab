#include "bench/suites/cuda/suite.hpp"

#include "bench/suites/cuda/ceilings/ceiling_benchmarks.hpp"
#include "bench/suites/cuda/mlp/mlp_benchmarks.hpp"
#include "bench/suites/cuda/own_kernels.hpp"
#include "bench/suites/cuda/products/product_benchmarks.hpp"

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
  return suite;
}

}  // namespace steelyard::cuda_suite

#include "bench/suites/cuda/suite.hpp"

namespace steelyard::cuda_suite {

cuda::DeviceSuite make_suite() {
  cuda::DeviceSuite suite;
  return suite;
}

}  // namespace steelyard::cuda_suite

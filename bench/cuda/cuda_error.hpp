// A CUDA call that did not succeed: which call, what the runtime says, on which device. Thrown inside a workload and
// caught by the harness, which makes a failed row of it.
//
//     check(cudaMemcpyAsync(...), "copying the weights");
//     check(cudaGetLastError(), "launching layer_norm");
#pragma once

#include <driver_types.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace steelyard::cuda {

class CudaError : public std::runtime_error {
 public:
  CudaError(cudaError_t error_code, const std::string& text);

  cudaError_t code;
  // Nothing more can be done in this process: its context is lost, every later call fails too.
  bool is_sticky;
};

// Throws where `code` is no success. `what`: what was being done, for the message.
void check(cudaError_t code, std::string_view what);

// Launch failures, illegal addresses, a lost device, ...: what the context does not survive.
bool is_sticky_error(cudaError_t code);

}  // namespace steelyard::cuda

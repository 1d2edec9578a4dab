// What one iteration of a workload is on the device: the kernels that it launches, by the names the driver has for
// them, read from a captured graph. Nothing runs.
//
//     GraphContents contents = contents_of(capture(workload, stream));
//     // contents.launches == 2, contents.kernels == {"ampere_bf16_s16816gemm_...", "steelyard::cuda::gelu<float>"}
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/cuda/cuda_handles.hpp"
#include "bench/cuda/workload.hpp"

namespace steelyard::cuda {

struct GraphContents {
  std::int64_t launches = 0;         // of kernels
  std::int64_t copies_and_sets = 0;  // of memory
  std::vector<std::string> kernels;  // each name once, in the order of its first launch
};

// `launches` iterations, the input sets in turn from `first_set` on. Throws CudaError where an iteration cannot be
// captured.
Graph capture(Workload& workload, const Stream& stream, std::int64_t launches, int first_set = 0);

GraphContents contents_of(const Graph& graph);

}  // namespace steelyard::cuda

# Our own kernels: their arithmetic and references are host code; the kernels and their workloads need the toolkit.
target_sources(steelyard_cuda_suite_host PRIVATE
  arithmetic/answer_check.cpp
  decoding/decoding_reference.cpp
  elementwise/elementwise_references.cpp
  rows/row_references.cpp)

if(STEELYARD_HAVE_CUDA)
  target_sources(steelyard_cuda_workloads PRIVATE
    arithmetic/current_device.cpp
    arithmetic/device_inputs.cu
    cdist/cdist_kernels.cu
    cdist/cdist_workloads.cpp
    decoding/decoding_check.cpp
    decoding/decoding_kernels.cu
    decoding/decoding_run.cpp
    decoding/decoding_workload.cpp
    elementwise/elementwise_kernels.cu
    elementwise/elementwise_workloads.cpp
    gemv/gemv_kernels.cu
    gemv/gemv_workloads.cpp
    mlp_layer_norm/mlp_layer_norm_workload.cpp
    rows/row_chain_kernels.cu
    rows/row_kernels.cu
    rows/row_workloads.cpp)
endif()

# Products by cuBLASLt, the multilayer perceptron, measured ceilings.
target_sources(steelyard_cuda_suite_host PRIVATE
  mlp/mlp_check.cpp
  products/product_check.cpp
  products/product_type.cpp)

if(STEELYARD_HAVE_CUDA)
  target_sources(steelyard_cuda_workloads PRIVATE
    ceilings/memory_kernels.cu
    ceilings/memory_passes.cpp
    mlp/mlp_kernels.cu
    mlp/mlp_layer_norm_block.cpp
    mlp/mlp_workload.cpp
    products/device_matrix.cpp
    products/lt_matmul.cpp
    products/matmul.cpp
    products/product_kernels.cu
    suite.cpp)
endif()

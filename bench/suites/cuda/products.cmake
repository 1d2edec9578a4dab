# Products by cuBLASLt, the multilayer perceptron, measured ceilings.
target_sources(steelyard_cuda_suite_host PRIVATE
  mlp/mlp_check.cpp
  mlp/mlp_shape.cpp
  products/number_format.cpp
  products/product_check.cpp
  products/product_type.cpp)

if(STEELYARD_HAVE_CUDA)
  target_sources(steelyard_cuda_workloads PRIVATE
    ceilings/ceiling_benchmarks.cpp
    ceilings/memory_passes.cpp
    ceilings/memory_kernels.cu
    mlp/mlp_benchmarks.cpp
    mlp/mlp_kernels.cu
    mlp/mlp_layer_norm_block.cpp
    mlp/mlp_memory.cpp
    mlp/mlp_workload.cpp
    products/batched_dot.cpp
    products/device_matrix.cpp
    products/dot_kernels.cu
    products/lt_matmul.cpp
    products/matmul.cpp
    products/product_benchmarks.cpp
    products/seeded_fill.cu)
endif()

# Products by cuBLASLt, the multilayer perceptron, measured ceilings.
target_sources(steelyard_cuda_suite_host PRIVATE
  products/number_format.cpp
  products/product_check.cpp
  products/product_type.cpp)

if(STEELYARD_HAVE_CUDA)
  target_sources(steelyard_cuda_workloads PRIVATE
    ceilings/ceiling_benchmarks.cpp
    ceilings/memory_passes.cpp
    ceilings/memory_kernels.cu
    products/batched_dot.cpp
    products/device_matrix.cpp
    products/dot_kernels.cu
    products/lt_matmul.cpp
    products/matmul.cpp
    products/product_benchmarks.cpp
    products/seeded_fill.cu)
endif()

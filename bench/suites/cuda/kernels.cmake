# Our own kernels: their references are host code; the kernels and their workloads need the toolkit.
target_sources(steelyard_cuda_suite_host PRIVATE
  arithmetic/agreement.cpp
  elementwise/elementwise_references.cpp
  rows/row_references.cpp)

// A matrix product by cuBLASLt, all of its descriptors made once, so that launching it only enqueues it.
//
//     auto library = std::make_shared<LtLibrary>();
//     LtMatmul multiply(library, {.type = bf16, .rows = n, .columns = n, .inner = n});
//     multiply.launch({.left = x, .right = w, .result = y}, stream);
//
// Matrices here lie row by row; cuBLASLt counts by columns, and so computes the transposed product with the operands
// swapped. Throws CudaError or std::runtime_error, whose text says what was asked for.
#pragma once

#include <cublasLt.h>

#include <memory>
#include <string>
#include <vector>

#include "bench/cuda/device_memory.hpp"
#include "bench/suites/cuda/products/product_type.hpp"

namespace steelyard::cuda_suite {

// A handle and the workspace that all products of a workload share: they follow each other in one stream.
class LtLibrary {
 public:
  LtLibrary();
  ~LtLibrary();
  LtLibrary(const LtLibrary&) = delete;
  LtLibrary& operator=(const LtLibrary&) = delete;

  cublasLtHandle_t handle() const { return handle_; }
  cuda::DeviceArray<std::byte>& workspace() { return workspace_; }

 private:
  cublasLtHandle_t handle_ = nullptr;
  cuda::DeviceArray<std::byte> workspace_;
};

// What is done with a sum before it is stored, in the same kernel.
enum class LtEpilogue {
  none,
  gelu_bias,       // gelu(sum + bias of the column), tanh form
  gelu_bias_keep,  // the same, and sum + bias goes to `sums`
  gelu_gradient,   // sum * gelu'(value of `sums`)
  left_row_sums,   // the sum; and into `bias` the sum of each row of the left operand: a bias's gradient
};

struct LtProblem {
  const ProductType* type = nullptr;
  std::size_t batch = 1;  // products of equal size, one behind the other in memory
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t inner = 0;
  bool left_transposed = false;  // the left operand lies as inner x rows
  bool right_by_columns = true;  // the right operand lies as columns x inner, as frameworks keep weights
  bool accumulates = false;      // adds to what the result holds
  LtEpilogue epilogue = LtEpilogue::none;

  std::string text() const;  // "bf16 product of 512 x 4096 and 4096 x 14336"
};

struct LtOperands {
  const void* left = nullptr;
  const void* right = nullptr;
  void* result = nullptr;
  void* bias = nullptr;
  void* sums = nullptr;  // as large as the result
};

// Descriptors, each with one owner.
struct LtRelease {
  void operator()(cublasLtMatmulDescOpaque_t* operation) const { cublasLtMatmulDescDestroy(operation); }
  void operator()(cublasLtMatrixLayoutOpaque_t* layout) const { cublasLtMatrixLayoutDestroy(layout); }
  void operator()(cublasLtMatmulPreferenceOpaque_t* preference) const { cublasLtMatmulPreferenceDestroy(preference); }
};
using LtOperation = std::unique_ptr<cublasLtMatmulDescOpaque_t, LtRelease>;
using LtLayout = std::unique_ptr<cublasLtMatrixLayoutOpaque_t, LtRelease>;
using LtPreference = std::unique_ptr<cublasLtMatmulPreferenceOpaque_t, LtRelease>;

class LtMatmul {
 public:
  LtMatmul(std::shared_ptr<LtLibrary> library, const LtProblem& problem);

  void launch(const LtOperands& operands, cudaStream_t stream);

  // Without this the library's first proposal is taken, the same in every process. This times each of them on these
  // operands, the median of two rounds of five launches, and takes the fastest: what is chosen may differ from process
  // to process.
  void choose_fastest(const LtOperands& operands, cudaStream_t stream);

  // "first of 8 proposals, algorithm 66".
  std::string note() const;
  // What every sum is multiplied with: f8 operands have scales.
  double scale() const;

 private:
  void describe();
  void ask();
  void point_at(const LtOperands& operands);
  void enqueue(const cublasLtMatmulAlgo_t& algorithm, const LtOperands& operands, cudaStream_t stream);

  std::shared_ptr<LtLibrary> library_;
  LtProblem problem_;
  LtOperation operation_;
  LtLayout left_;
  LtLayout right_;
  LtLayout result_;
  std::vector<cublasLtMatmulHeuristicResult_t> proposals_;
  std::size_t chosen_ = 0;
  bool was_timed_ = false;
  cuda::DeviceArray<float> scales_;
};

}  // namespace steelyard::cuda_suite

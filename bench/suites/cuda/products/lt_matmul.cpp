#include "bench/suites/cuda/products/lt_matmul.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>

#include "bench/cuda/cuda_handles.hpp"

namespace steelyard::cuda_suite {
namespace {

// What NVIDIA advises for sm90 (cuBLAS documentation, "cublasSetWorkspace"); older devices need less.
constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;
constexpr int kMaxProposals = 8;
// Powers of two: the products with them round nowhere.
constexpr float kLeftScale = 0.5f;
constexpr float kRightScale = 0.25f;
// The library refuses a scale that is aligned less than an operand must be.
constexpr std::size_t kScaleStride = 256 / sizeof(float);

void check_lt(cublasStatus_t status, const std::string& what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw std::runtime_error(what + ": cuBLASLt says " + cublasLtGetStatusString(status));
}

cudaDataType_t data_type(NumberFormat format) {
  switch (format) {
    case NumberFormat::f32:
      return CUDA_R_32F;
    case NumberFormat::f16:
      return CUDA_R_16F;
    case NumberFormat::bf16:
      return CUDA_R_16BF;
    case NumberFormat::e4m3:
      return CUDA_R_8F_E4M3;
    case NumberFormat::s8:
      return CUDA_R_8I;
    case NumberFormat::s32:
      return CUDA_R_32I;
  }
  return CUDA_R_32F;
}

bool is_whole(const ProductType& type) { return type.results == NumberFormat::s32; }

cublasComputeType_t compute_type(const ProductType& type) {
  if (is_whole(type)) return CUBLAS_COMPUTE_32I;
  return type.dtype == "tf32" ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

cublasLtEpilogue_t epilogue_of(LtEpilogue epilogue) {
  switch (epilogue) {
    case LtEpilogue::none:
      return CUBLASLT_EPILOGUE_DEFAULT;
    case LtEpilogue::gelu_bias:
      return CUBLASLT_EPILOGUE_GELU_BIAS;
    case LtEpilogue::gelu_bias_keep:
      return CUBLASLT_EPILOGUE_GELU_AUX_BIAS;
    case LtEpilogue::gelu_gradient:
      return CUBLASLT_EPILOGUE_DGELU;
    case LtEpilogue::left_row_sums:
      return CUBLASLT_EPILOGUE_BGRADB;
  }
  return CUBLASLT_EPILOGUE_DEFAULT;
}

template <class Value>
void set(cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t attribute, const Value& value) {
  check_lt(cublasLtMatmulDescSetAttribute(operation, attribute, &value, sizeof(value)), "describing a product");
}

struct Extent {  // as cuBLASLt counts: by columns
  std::size_t rows;
  std::size_t columns;
};

LtLayout layout_of(NumberFormat format, Extent extent, std::size_t batch) {
  cublasLtMatrixLayout_t made = nullptr;
  check_lt(cublasLtMatrixLayoutCreate(&made, data_type(format), extent.rows, extent.columns,
                                      static_cast<std::int64_t>(extent.rows)),
           "describing a matrix");
  LtLayout layout(made);
  if (batch > 1) {
    const auto count = static_cast<std::int32_t>(batch);
    const auto stride = static_cast<std::int64_t>(extent.rows * extent.columns);
    check_lt(cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof(count)),
             "describing a batch");
    check_lt(
        cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof(stride)),
        "describing a batch");
  }
  return layout;
}

struct Event {
  cudaEvent_t event = nullptr;
  Event() { cuda::check(cudaEventCreate(&event), "making an event"); }
  ~Event() { cudaEventDestroy(event); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
};

}  // namespace

LtLibrary::LtLibrary() : workspace_(kWorkspaceBytes) { check_lt(cublasLtCreate(&handle_), "opening cuBLASLt"); }

LtLibrary::~LtLibrary() { cublasLtDestroy(handle_); }

std::string LtProblem::text() const {
  const auto extent = [](std::size_t one, std::size_t other) {
    return std::to_string(one) + " x " + std::to_string(other);
  };
  return (batch > 1 ? std::to_string(batch) + " " : "") + std::string(type->dtype) + " product" +
         (batch > 1 ? "s" : "") + " of " + extent(rows, inner) + " and " + extent(inner, columns);
}

LtMatmul::LtMatmul(std::shared_ptr<LtLibrary> library, const LtProblem& problem)
    : library_(std::move(library)), problem_(problem) {
  const ProductType& type = *problem.type;
  const Extent right =
      problem.right_by_columns ? Extent{problem.inner, problem.columns} : Extent{problem.columns, problem.inner};
  const Extent left =
      problem.left_transposed ? Extent{problem.rows, problem.inner} : Extent{problem.inner, problem.rows};
  left_ = layout_of(type.operands, left, problem.batch);
  right_ = layout_of(type.operands, right, problem.batch);
  result_ = layout_of(type.results, {problem.columns, problem.rows}, problem.batch);
  describe();
  ask();
}

void LtMatmul::describe() {
  const ProductType& type = *problem_.type;
  cublasLtMatmulDesc_t operation = nullptr;
  check_lt(cublasLtMatmulDescCreate(&operation, compute_type(type), is_whole(type) ? CUDA_R_32I : CUDA_R_32F),
           "describing a product");
  operation_.reset(operation);
  // The right operand is the library's first.
  set(operation, CUBLASLT_MATMUL_DESC_TRANSA, problem_.right_by_columns ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(operation, CUBLASLT_MATMUL_DESC_TRANSB, problem_.left_transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(operation, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue_of(problem_.epilogue));
  if (type.operands == NumberFormat::e4m3) {
    std::array<float, 2 * kScaleStride> scales{};
    scales[0] = kRightScale;
    scales[kScaleStride] = kLeftScale;
    scales_ = cuda::DeviceArray<float>(scales.size());
    scales_.upload(scales);
    const void* right = scales_.data();
    const void* left = scales_.data() + kScaleStride;
    set(operation, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, right);
    set(operation, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, left);
    set(operation, CUBLASLT_MATMUL_DESC_FAST_ACCUM, std::int8_t{1});
  }
  if (problem_.epilogue == LtEpilogue::gelu_bias_keep || problem_.epilogue == LtEpilogue::gelu_gradient) {
    set(operation, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, static_cast<std::int64_t>(problem_.columns));
  }
}

void LtMatmul::ask() {
  cublasLtMatmulPreference_t made = nullptr;
  check_lt(cublasLtMatmulPreferenceCreate(&made), "asking cuBLASLt for algorithms");
  const LtPreference preference(made);
  const std::size_t workspace = library_->workspace().size();
  check_lt(cublasLtMatmulPreferenceSetAttribute(made, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace,
                                                sizeof(workspace)),
           "asking cuBLASLt for algorithms");
  // A sum that is computed in parts is joined in single precision, not in the results' type: else it would be rounded
  // once a part, which no bound here allows.
  const std::uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  check_lt(cublasLtMatmulPreferenceSetAttribute(made, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &reductions,
                                                sizeof(reductions)),
           "asking cuBLASLt for algorithms");
  // The pointers' alignment is looked at; here they only have to be as aligned as those of the launches.
  point_at({.bias = library_->workspace().data(), .sums = library_->workspace().data()});
  proposals_.resize(kMaxProposals);
  int found = 0;
  const cublasStatus_t status =
      cublasLtMatmulAlgoGetHeuristic(library_->handle(), operation_.get(), right_.get(), left_.get(), result_.get(),
                                     result_.get(), made, kMaxProposals, proposals_.data(), &found);
  proposals_.resize(static_cast<std::size_t>(found));
  std::erase_if(proposals_, [](const auto& proposal) { return proposal.state != CUBLAS_STATUS_SUCCESS; });
  if (status != CUBLAS_STATUS_SUCCESS || proposals_.empty()) {
    throw std::runtime_error("cuBLASLt has no algorithm on this device for the " + problem_.text() + ": " +
                             cublasLtGetStatusString(status));
  }
}

void LtMatmul::point_at(const LtOperands& operands) {
  if (problem_.epilogue == LtEpilogue::none) return;
  if (problem_.epilogue != LtEpilogue::gelu_gradient) {
    set(operation_.get(), CUBLASLT_MATMUL_DESC_BIAS_POINTER, operands.bias);
  }
  if (problem_.epilogue == LtEpilogue::gelu_bias_keep || problem_.epilogue == LtEpilogue::gelu_gradient) {
    set(operation_.get(), CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, operands.sums);
  }
}

void LtMatmul::enqueue(const cublasLtMatmulAlgo_t& algorithm, const LtOperands& operands, cudaStream_t stream) {
  constexpr float kOne = 1;
  constexpr float kNothing = 0;
  constexpr std::int32_t kWholeOne = 1;
  constexpr std::int32_t kWholeNothing = 0;
  const bool whole = is_whole(*problem_.type);
  const void* one = whole ? static_cast<const void*>(&kWholeOne) : &kOne;
  const void* nothing = whole ? static_cast<const void*>(&kWholeNothing) : &kNothing;
  check_lt(
      cublasLtMatmul(library_->handle(), operation_.get(), one, operands.right, right_.get(), operands.left,
                     left_.get(), problem_.accumulates ? one : nothing, operands.result, result_.get(), operands.result,
                     result_.get(), &algorithm, library_->workspace().data(), library_->workspace().size(), stream),
      "launching the " + problem_.text());
}

void LtMatmul::launch(const LtOperands& operands, cudaStream_t stream) {
  point_at(operands);
  enqueue(proposals_[chosen_].algo, operands, stream);
}

void LtMatmul::choose_fastest(const LtOperands& operands, cudaStream_t stream) {
  // In two rounds, there and back, after a while of work: the clock falls as the device warms, and who comes first
  // would win by it.
  constexpr int kLaunches = 5;
  constexpr std::chrono::milliseconds kWarm{50};
  point_at(operands);
  const auto until = std::chrono::steady_clock::now() + kWarm;
  do {
    // Each once at least, which loads its kernel.
    for (const auto& proposal : proposals_) enqueue(proposal.algo, operands, stream);
    cuda::check(cudaStreamSynchronize(stream), "warming up for the proposals");
  } while (std::chrono::steady_clock::now() < until);
  const Event begin;
  const Event end;
  std::vector<std::vector<float>> times(proposals_.size());
  const auto time = [&](std::size_t i) {
    for (int launch = 0; launch < kLaunches; ++launch) {
      cuda::check(cudaEventRecord(begin.event, stream), "timing a proposal");
      enqueue(proposals_[i].algo, operands, stream);
      cuda::check(cudaEventRecord(end.event, stream), "timing a proposal");
      cuda::check(cudaEventSynchronize(end.event), "timing a proposal");
      times[i].push_back(0);
      cuda::check(cudaEventElapsedTime(&times[i].back(), begin.event, end.event), "timing a proposal");
    }
  };
  for (std::size_t i = 0; i < proposals_.size(); ++i) time(i);
  for (std::size_t i = proposals_.size(); i-- > 0;) time(i);
  std::vector<float> medians;
  for (std::vector<float>& of_one : times) {
    std::nth_element(of_one.begin(), of_one.begin() + kLaunches, of_one.end());
    medians.push_back(of_one[kLaunches]);
  }
  chosen_ = static_cast<std::size_t>(std::min_element(medians.begin(), medians.end()) - medians.begin());
  was_timed_ = true;
}

std::string LtMatmul::note() const {
  int id = 0;
  std::size_t written = 0;
  const bool known = cublasLtMatmulAlgoConfigGetAttribute(&proposals_[chosen_].algo, CUBLASLT_ALGO_CONFIG_ID, &id,
                                                          sizeof(id), &written) == CUBLAS_STATUS_SUCCESS;
  const std::string which = was_timed_ ? "fastest, number " + std::to_string(chosen_ + 1) + "," : "first";
  return which + " of " + std::to_string(proposals_.size()) + " proposals" +
         (known ? ", algorithm " + std::to_string(id) : std::string());
}

double LtMatmul::scale() const {
  return problem_.type->operands == NumberFormat::e4m3 ? static_cast<double>(kLeftScale * kRightScale) : 1;
}

}  // namespace steelyard::cuda_suite

#include <memory>

#include "bench/cuda/device_memory.hpp"
#include "bench/suites/cuda/arithmetic/answer_check.hpp"
#include "bench/suites/cuda/arithmetic/current_device.hpp"
#include "bench/suites/cuda/device_needs.hpp"
#include "bench/suites/cuda/rows/row_kernels.hpp"
#include "bench/suites/cuda/rows/row_references.hpp"
#include "bench/suites/cuda/suite.hpp"

namespace steelyard::cuda_suite {
namespace {

constexpr std::size_t kMaxComparedRows = 16;

enum class RowFunction { softmax, layer_norm, rms_norm };

const char* name_of(RowFunction function) {
  switch (function) {
    case RowFunction::softmax:
      return "softmax";
    case RowFunction::layer_norm:
      return "layer_norm";
    case RowFunction::rms_norm:
      return "rms_norm";
  }
  return "";
}

OperatorCost cost_of(RowFunction function, RowForm form, const RowsShape& shape, std::size_t value_bytes) {
  const bool is_chain = form == RowForm::chain;
  switch (function) {
    case RowFunction::softmax:
      return is_chain ? softmax_chain_cost(shape, value_bytes) : softmax_cost(shape, value_bytes);
    case RowFunction::layer_norm:
      return is_chain ? layer_norm_chain_cost(shape, value_bytes) : layer_norm_cost(shape, value_bytes);
    case RowFunction::rms_norm:
      return is_chain ? rms_norm_chain_cost(shape, value_bytes) : rms_norm_cost(shape, value_bytes);
  }
  return {};
}

template <class T>
class RowWorkload final : public cuda::Workload {
 public:
  RowWorkload(RowFunction function, RowForm form, const RowsShape& shape)
      : function_(function),
        form_(form),
        shape_(shape),
        size_(shape.rows * shape.columns),
        stride_(set_stride(size_)),
        sets_(input_rotation(size_ * sizeof(T), cache_bytes())),
        values_(stride_ * static_cast<std::size_t>(sets_)),
        results_(values_.size()),
        weights_(shape.columns),
        biases_(shape.columns),
        scratch_(form == RowForm::chain ? size_ : 0),
        other_scratch_(form == RowForm::chain ? size_ : 0),
        statistics_(form == RowForm::chain ? shape.rows : 0) {
    fill(0);
  }

  OperatorCost cost() const override { return cost_of(function_, form_, shape_, sizeof(T)); }
  int input_sets() const override { return sets_; }

  void launch(int input_set, cudaStream_t stream) override {
    const std::size_t first = stride_ * static_cast<std::size_t>(input_set);
    const T* values = values_.data() + first;
    T* results = results_.data() + first;
    if (form_ == RowForm::chain) return launch_chain(values, results, stream);
    launch_fused(values, results, stream);
  }

  Result<void> verify(std::uint64_t seed) override {
    fill(seed);
    results_.fill_bytes(0xff);
    scratch_.fill_bytes(0xff);
    other_scratch_.fill_bytes(0xff);
    statistics_.fill_bytes(0xff);
    const int set = static_cast<int>(seed % static_cast<std::uint64_t>(sets_));
    launch(set, nullptr);
    wait_until_done("computing rows");
    std::vector<T> answer(size_);
    results_.download(answer, stride_ * static_cast<std::size_t>(set));
    STEELYARD_CHECK(all_written(name_of(function_), answer, shape_.columns));
    for (const std::size_t row : sampled_indices(shape_.rows, kMaxComparedRows, seed)) {
      STEELYARD_CHECK(verify_row(seed, stride_ * static_cast<std::size_t>(set), row, answer));
    }
    return {};
  }

 private:
  void launch_fused(const T* values, T* results, cudaStream_t stream) {
    const NormParameters parameters{weights_.data(), biases_.data()};
    switch (function_) {
      case RowFunction::softmax:
        return launch_softmax(shape_, values, results, stream);
      case RowFunction::layer_norm:
        return launch_layer_norm(shape_, values, parameters, results, stream);
      case RowFunction::rms_norm:
        return launch_rms_norm(shape_, values, parameters, results, stream);
    }
  }

  void launch_chain(const T* x, T* results, cudaStream_t stream) {
    float* statistics = statistics_.data();
    T* a = scratch_.data();
    T* b = other_scratch_.data();
    const auto statistic = [&](RowStatistic which, const T* of) {
      launch_row_statistic(which, shape_, of, statistics, stream);
    };
    const auto map = [&](RowMap which, const T* from, T* to) {
      const float* others = which == RowMap::times_parameter  ? weights_.data()
                            : which == RowMap::plus_parameter ? biases_.data()
                                                              : statistics;
      launch_row_map(which, shape_, from, others, to, stream);
    };
    switch (function_) {
      case RowFunction::softmax:
        statistic(RowStatistic::largest, x);
        map(RowMap::subtract_statistic, x, a);
        map(RowMap::exp, a, b);
        statistic(RowStatistic::sum, b);
        return map(RowMap::over_statistic, b, results);
      case RowFunction::layer_norm:
        statistic(RowStatistic::mean, x);
        map(RowMap::subtract_statistic, x, a);
        statistic(RowStatistic::inverse_root_of_mean_square, a);
        map(RowMap::times_statistic, a, b);
        map(RowMap::times_parameter, b, a);
        return map(RowMap::plus_parameter, a, results);
      case RowFunction::rms_norm:
        statistic(RowStatistic::inverse_root_of_mean_square, x);
        map(RowMap::times_statistic, x, b);
        return map(RowMap::times_parameter, b, results);
    }
  }

  // first: index of the set's first value.
  Result<void> verify_row(std::uint64_t seed, std::size_t first, std::size_t row, const std::vector<T>& answer) const {
    const std::size_t columns = shape_.columns;
    std::vector<double> values;
    std::vector<float> weights;
    std::vector<float> biases;
    for (std::size_t i = 0; i < columns; ++i) {
      const T x = seeded_value<T>(seed_of_operand(seed, 0), first + row * columns + i);
      values.push_back(static_cast<double>(widened(x)));
      weights.push_back(seeded_value<float>(seed_of_operand(seed, 1), i));
      biases.push_back(seeded_value<float>(seed_of_operand(seed, 2), i));
    }
    std::vector<Wanted> wanted;
    switch (function_) {
      case RowFunction::softmax:
        wanted = softmax_wanted<T>(values, form_);
        break;
      case RowFunction::layer_norm:
        wanted = layer_norm_wanted<T>(values, weights, biases, form_);
        break;
      case RowFunction::rms_norm:
        wanted = rms_norm_wanted<T>(values, weights, form_);
        break;
    }
    const std::span<const T> got = std::span<const T>(answer).subspan(row * columns, columns);
    return agreement(name_of(function_), widened_to_double(got), wanted, {.first = row * columns, .columns = columns});
  }

  void fill(std::uint64_t seed) {
    fill_seeded(values_.data(), values_.size(), seed_of_operand(seed, 0), nullptr);
    fill_seeded(weights_.data(), weights_.size(), seed_of_operand(seed, 1), nullptr);
    fill_seeded(biases_.data(), biases_.size(), seed_of_operand(seed, 2), nullptr);
    wait_until_done("filling the rows");
  }

  RowFunction function_;
  RowForm form_;
  RowsShape shape_;
  std::size_t size_;
  std::size_t stride_;
  int sets_;
  cuda::DeviceArray<T> values_;
  cuda::DeviceArray<T> results_;
  cuda::DeviceArray<float> weights_;
  cuda::DeviceArray<float> biases_;
  cuda::DeviceArray<T> scratch_;
  cuda::DeviceArray<T> other_scratch_;
  cuda::DeviceArray<float> statistics_;
};

std::unique_ptr<cuda::Workload> make_rows(RowFunction function, const AxisPoint& at) {
  const RowForm form = at.text("form") == "chain" ? RowForm::chain : RowForm::fused;
  const RowsShape shape{static_cast<std::size_t>(at.integer("rows")), static_cast<std::size_t>(at.integer("columns"))};
  const std::string& dtype = at.text("dtype");
  if (dtype == "f32") return std::make_unique<RowWorkload<float>>(function, form, shape);
  if (dtype == "f16") return std::make_unique<RowWorkload<F16>>(function, form, shape);
  return std::make_unique<RowWorkload<Bf16>>(function, form, shape);
}

// A block keeps a row whole.
std::string row_need(const cuda::DeviceProperties&, const AxisPoint& at) {
  const std::size_t most = at.text("dtype") == "f32" ? kMaxColumns<float> : kMaxColumns<Bf16>;
  const std::string unmet = size_need(at, {"columns"}, static_cast<std::int64_t>(most));
  return unmet.empty() ? size_need(at, {"rows"}, kMaxSize) : unmet;
}

cuda::DeviceBenchmark& add_rows(cuda::DeviceSuite& suite, RowFunction function) {
  return suite.add(name_of(function), [function](const AxisPoint& at) { return make_rows(function, at); })
      .integers("columns", {1024, 4096, 8192, 16384})
      .strings("dtype", {"f32", "f16", "bf16"})
      .strings("form", {"fused", "chain"})
      .integers("rows", {4096})
      .large([](const AxisPoint& at) {
        const bool is_plain = at.text("dtype") == "bf16" && at.text("form") == "fused";
        return !is_plain && at.integer("columns") != 16384;
      })
      .needs(dtype_need)
      .needs(row_need);
}

}  // namespace

void add_row_kernels(cuda::DeviceSuite& suite) {
  add_rows(suite, RowFunction::softmax);
  // 950 GB/s of an A100's 1555. At 1024 columns a launch is too short for any share of the bandwidth.
  add_rows(suite, RowFunction::layer_norm).target([](const AxisPoint& at) -> std::string {
    const bool is_held = at.text("dtype") == "bf16" && at.text("form") == "fused" && at.integer("columns") >= 4096;
    return is_held ? "0.61 of bandwidth" : "";
  });
  add_rows(suite, RowFunction::rms_norm);
}

}  // namespace steelyard::cuda_suite

#include <array>
#include <memory>

#include "bench/cuda/device_memory.hpp"
#include "bench/suites/cuda/arithmetic/answer_check.hpp"
#include "bench/suites/cuda/arithmetic/current_device.hpp"
#include "bench/suites/cuda/device_needs.hpp"
#include "bench/suites/cuda/gemv/gemv_kernels.hpp"
#include "bench/suites/cuda/gemv/gemv_reference.hpp"
#include "bench/suites/cuda/suite.hpp"

namespace steelyard::cuda_suite {
namespace {

constexpr std::size_t kMaxComparedResults = 256;

// Gathering: two of eight matrices. The first pair is the published one; the others are taken in turn, so that all of
// the stack is read before a pair comes again.
constexpr std::size_t kStack = 8;
constexpr std::size_t kPicked = 2;
constexpr std::array<int, kStack> kPicks{3, 5, 0, 6, 1, 7, 2, 4};
constexpr std::size_t kPairs = kStack / kPicked;

template <class Weight>
class GemvWorkload final : public cuda::Workload {
 public:
  static constexpr bool kScaled = sizeof(Weight) == 1;
  using Value = GemvValue<Weight>;

  GemvWorkload(const MatrixShape& shape, bool gathers)
      : shape_(shape),
        gathers_(gathers),
        products_(gathers ? kPicked : 1),
        sets_(input_rotation(products_ * shape.rows * shape.columns * sizeof(Weight), cache_bytes())),
        matrices_(matrices_of(sets_, gathers)),
        plan_(gemv_plan<Weight>(shape, products_, multiprocessors())),
        weights_(matrices_ * shape.rows * shape.columns),
        scales_(kScaled ? matrices_ * shape.rows : 0),
        vector_(shape.columns),
        results_(products_ * shape.rows),
        picks_(gathers ? kStack : 0) {
    if (gathers) picks_.upload(kPicks);
    fill(0);
  }

  OperatorCost cost() const override {
    if (gathers_) {
      return kScaled ? scaled_gather_gemv_cost(shape_, kPicked) : gather_gemv_cost(shape_, sizeof(Weight), kPicked);
    }
    return kScaled ? scaled_gemv_cost(shape_) : gemv_cost(shape_, sizeof(Weight));
  }
  int input_sets() const override { return sets_; }

  void launch(int input_set, cudaStream_t stream) override {
    const std::size_t first = first_matrix(static_cast<std::size_t>(input_set)) * shape_.rows;
    GemvOperands<Weight> operands;
    operands.shape = shape_;
    operands.weights = weights_.data() + first * shape_.columns;
    operands.scales = kScaled ? scales_.data() + first : nullptr;
    operands.picks = gathers_ ? picks_.data() + pair(static_cast<std::size_t>(input_set)) * kPicked : nullptr;
    operands.products = products_;
    operands.vector = vector_.data();
    operands.results = results_.data();
    launch_gemv(operands, plan_, stream);
  }

  Result<void> verify(std::uint64_t seed) override {
    fill(seed);
    results_.fill_bytes(0xff);
    const std::size_t set = seed % static_cast<std::uint64_t>(sets_);
    launch(static_cast<int>(set), nullptr);
    wait_until_done("multiplying a matrix and a vector");
    std::vector<Value> answer(results_.size());
    results_.download(answer);
    STEELYARD_CHECK(all_written("product", answer, shape_.rows));
    std::vector<double> vector;
    for (std::size_t i = 0; i < shape_.columns; ++i) {
      vector.push_back(static_cast<double>(widened(seeded_value<Value>(seed_of_operand(seed, 1), i))));
    }
    for (const std::size_t result : sampled_indices(answer.size(), kMaxComparedResults, seed)) {
      const Wanted wanted = wanted_of(seed, set, result, vector);
      const double got = static_cast<double>(widened(answer[result]));
      STEELYARD_CHECK(agreement("product", {&got, 1}, {&wanted, 1}, {.first = result, .columns = shape_.rows}));
    }
    return {};
  }

  std::string note() const override {
    return std::to_string(plan_.rows) + " rows and " + std::to_string(plan_.threads) + " threads a block";
  }

 private:
  static std::size_t matrices_of(int sets, bool gathers) {
    const auto count = static_cast<std::size_t>(sets);
    return gathers ? (count + kPairs - 1) / kPairs * kStack : count;
  }
  // Of a set: where its stack or its matrix begins, and which pair of the stack it takes.
  std::size_t first_matrix(std::size_t set) const { return gathers_ ? set / kPairs * kStack : set; }
  static std::size_t pair(std::size_t set) { return set % kPairs; }

  Wanted wanted_of(std::uint64_t seed, std::size_t set, std::size_t result, const std::vector<double>& vector) const {
    const std::size_t product = result / shape_.rows;
    const std::size_t picked =
        gathers_ ? static_cast<std::size_t>(kPicks[pair(set) * kPicked + product]) : std::size_t{0};
    const std::size_t row = (first_matrix(set) + picked) * shape_.rows + result % shape_.rows;
    const std::uint64_t weight_seed = seed_of_operand(seed, 0);
    const DotExtent extent{shape_.columns, kLanes<Weight>, static_cast<std::size_t>(plan_.threads),
                           kScaled ? static_cast<double>(seeded_value<float>(seed_of_operand(seed, 2), row)) : 1.0};
    return dot_wanted<Value>(
        extent,
        [&](std::size_t i) {
          return static_cast<double>(widened(seeded_value<Weight>(weight_seed, row * shape_.columns + i)));
        },
        [&](std::size_t i) { return vector[i]; });
  }

  void fill(std::uint64_t seed) {
    fill_seeded(weights_.data(), weights_.size(), seed_of_operand(seed, 0), nullptr);
    fill_seeded(vector_.data(), vector_.size(), seed_of_operand(seed, 1), nullptr);
    fill_seeded(scales_.data(), scales_.size(), seed_of_operand(seed, 2), nullptr);
    wait_until_done("filling the matrices");
  }

  MatrixShape shape_;
  bool gathers_;
  std::size_t products_;
  int sets_;
  std::size_t matrices_;
  GemvPlan plan_;
  cuda::DeviceArray<Weight> weights_;
  cuda::DeviceArray<float> scales_;
  cuda::DeviceArray<Value> vector_;
  cuda::DeviceArray<Value> results_;
  cuda::DeviceArray<int> picks_;
};

std::unique_ptr<cuda::Workload> make_gemv(const AxisPoint& at, bool gathers) {
  const auto n = static_cast<std::size_t>(at.integer("n"));
  const MatrixShape square{.rows = n, .columns = n};
  if (at.text("dtype") == "f32") return std::make_unique<GemvWorkload<float>>(square, gathers);
  if (at.text("dtype") == "i8") return std::make_unique<GemvWorkload<std::int8_t>>(square, gathers);
  return std::make_unique<GemvWorkload<Bf16>>(square, gathers);
}

// Shares of an A100's 1555 GB/s. At 1024 a launch is too short for any share of the bandwidth; for single precision
// none was published.
std::string gemv_target(const AxisPoint& at, const char* bf16, const char* i8) {
  if (at.integer("n") < 4096 || at.text("dtype") == "f32") return {};
  return at.text("dtype") == "i8" ? i8 : bf16;
}

}  // namespace

void add_gemv(cuda::DeviceSuite& suite) {
  suite.add("gemv", [](const AxisPoint& at) { return make_gemv(at, false); })
      .strings("dtype", {"bf16", "i8", "f32"})
      .integers("n", {1024, 4096, 8192, 16384})
      .target([](const AxisPoint& at) { return gemv_target(at, "0.64 of bandwidth", "0.56 of bandwidth"); })
      .needs(dtype_need)
      .needs([](const cuda::DeviceProperties&, const AxisPoint& at) {
        return choice_need(at, "dtype", {"bf16", "i8", "f32"});
      })
      .needs(length_need);
  suite.add("gather_gemv", [](const AxisPoint& at) { return make_gemv(at, true); })
      .strings("dtype", {"bf16", "i8"})
      .integers("n", {1024, 4096, 8192, 16384})
      .target([](const AxisPoint& at) { return gemv_target(at, "0.68 of bandwidth", "0.64 of bandwidth"); })
      .needs(dtype_need)
      .needs([](const cuda::DeviceProperties&, const AxisPoint& at) {
        return choice_need(at, "dtype", {"bf16", "i8"});
      })
      .needs(length_need);
}

}  // namespace steelyard::cuda_suite

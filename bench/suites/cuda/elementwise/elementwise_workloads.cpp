#include <memory>
#include <utility>

#include "bench/cuda/device_memory.hpp"
#include "bench/suites/cuda/arithmetic/answer_check.hpp"
#include "bench/suites/cuda/arithmetic/current_device.hpp"
#include "bench/suites/cuda/device_needs.hpp"
#include "bench/suites/cuda/elementwise/elementwise_kernels.hpp"
#include "bench/suites/cuda/elementwise/elementwise_references.hpp"
#include "bench/suites/cuda/suite.hpp"

namespace steelyard::cuda_suite {
namespace {

constexpr std::size_t kMaxComparedElements = 1 << 16;
// GELU's inputs: beyond, it is the value itself or nothing.
constexpr float kGeluLimit = 8.0f;

// The answer of n elements, from `first` on, against wanted(i), at some of them; that all were written.
struct AnswerPart {
  std::size_t first = 0;
  std::size_t n = 0;
};
template <class T, class WantedAt>
Result<void> checked(const std::string& what, const cuda::DeviceArray<T>& results, AnswerPart part, std::uint64_t seed,
                     WantedAt wanted_at) {
  const std::size_t n = part.n;
  std::vector<T> answer(n);
  results.download(answer, part.first);
  STEELYARD_CHECK(all_written(what, answer));
  for (const std::size_t i : sampled_indices(n, kMaxComparedElements, seed)) {
    const double got = static_cast<double>(widened(answer[i]));
    const Wanted wanted = wanted_at(i);
    STEELYARD_CHECK(agreement(what, {&got, 1}, {&wanted, 1}, {.first = i}));
  }
  return {};
}

template <class T>
class Add final : public cuda::Workload {
 public:
  explicit Add(std::size_t n)
      : n_(n),
        stride_(set_stride(n)),
        sets_(input_rotation(2 * n * sizeof(T), cache_bytes())),
        left_(stride_ * static_cast<std::size_t>(sets_)),
        right_(stride_ * static_cast<std::size_t>(sets_)),
        results_(left_.size()) {
    fill(0);
  }

  OperatorCost cost() const override { return add_cost(n_, sizeof(T)); }
  int input_sets() const override { return sets_; }
  void launch(int input_set, cudaStream_t stream) override {
    const std::size_t first = stride_ * static_cast<std::size_t>(input_set);
    launch_add(left_.data() + first, right_.data() + first, results_.data() + first, n_, stream);
  }

  Result<void> verify(std::uint64_t seed) override {
    fill(seed);
    results_.fill_bytes(0xff);
    const int set = static_cast<int>(seed % static_cast<std::uint64_t>(sets_));
    launch(set, nullptr);
    wait_until_done("adding");
    const std::size_t first = stride_ * static_cast<std::size_t>(set);
    return checked("add", results_, {first, n_}, seed, [&](std::size_t i) {
      return add_wanted<T>(static_cast<double>(widened(seeded_value<T>(seed_of_operand(seed, 0), first + i))),
                           static_cast<double>(widened(seeded_value<T>(seed_of_operand(seed, 1), first + i))));
    });
  }

 private:
  void fill(std::uint64_t seed) {
    fill_seeded(left_.data(), left_.size(), seed_of_operand(seed, 0), nullptr);
    fill_seeded(right_.data(), right_.size(), seed_of_operand(seed, 1), nullptr);
    wait_until_done("filling the operands");
  }

  std::size_t n_;
  std::size_t stride_;
  int sets_;
  cuda::DeviceArray<T> left_;
  cuda::DeviceArray<T> right_;
  cuda::DeviceArray<T> results_;
};

template <class T>
class GeluWorkload final : public cuda::Workload {
 public:
  GeluWorkload(std::size_t n, bool is_chain)
      : n_(n),
        is_chain_(is_chain),
        stride_(set_stride(n)),
        sets_(input_rotation(n * sizeof(T), cache_bytes())),
        values_(stride_ * static_cast<std::size_t>(sets_)),
        results_(values_.size()),
        scratch_(is_chain ? n : 0),
        other_scratch_(is_chain ? n : 0) {
    fill(0);
  }

  OperatorCost cost() const override { return is_chain_ ? gelu_chain_cost(n_, sizeof(T)) : gelu_cost(n_, sizeof(T)); }
  int input_sets() const override { return sets_; }
  void launch(int input_set, cudaStream_t stream) override {
    const std::size_t first = stride_ * static_cast<std::size_t>(input_set);
    const T* values = values_.data() + first;
    T* results = results_.data() + first;
    if (is_chain_) {
      launch_gelu_chain<T>({values, scratch_.data(), other_scratch_.data(), results}, n_, stream);
    } else {
      launch_gelu(values, results, n_, stream);
    }
  }

  Result<void> verify(std::uint64_t seed) override {
    fill(seed);
    results_.fill_bytes(0xff);
    scratch_.fill_bytes(0xff);
    other_scratch_.fill_bytes(0xff);
    const int set = static_cast<int>(seed % static_cast<std::uint64_t>(sets_));
    launch(set, nullptr);
    wait_until_done("computing GELU");
    const std::size_t first = stride_ * static_cast<std::size_t>(set);
    return checked(is_chain_ ? "gelu chain" : "gelu", results_, {first, n_}, seed, [&](std::size_t i) {
      const double x = static_cast<double>(widened(seeded_value<T>(seed_of_operand(seed, 0), first + i, kGeluLimit)));
      return is_chain_ ? gelu_chain_wanted<T>(x) : gelu_wanted<T>(x);
    });
  }

 private:
  void fill(std::uint64_t seed) {
    fill_seeded(values_.data(), values_.size(), seed_of_operand(seed, 0), nullptr, kGeluLimit);
    wait_until_done("filling the values");
  }

  std::size_t n_;
  bool is_chain_;
  std::size_t stride_;
  int sets_;
  cuda::DeviceArray<T> values_;
  cuda::DeviceArray<T> results_;
  cuda::DeviceArray<T> scratch_;
  cuda::DeviceArray<T> other_scratch_;
};

template <template <class> class Made, class... Arguments>
std::unique_ptr<cuda::Workload> of_dtype(const std::string& dtype, Arguments... arguments) {
  if (dtype == "f32") return std::make_unique<Made<float>>(arguments...);
  if (dtype == "f16") return std::make_unique<Made<F16>>(arguments...);
  return std::make_unique<Made<Bf16>>(arguments...);
}

}  // namespace

void add_elementwise(cuda::DeviceSuite& suite) {
  // 4096 x 16384 values: several times any device's cache.
  constexpr std::int64_t kLarge = 4096 * 16384;
  suite.add("add", [](const AxisPoint& at) { return of_dtype<Add>(at.text("dtype"), size_at(at, "n")); })
      .strings("dtype", {"f32", "f16", "bf16"})
      .integers("n", {kLarge})
      .needs(dtype_need)
      .needs(length_need);
  suite
      .add("gelu",
           [](const AxisPoint& at) {
             return of_dtype<GeluWorkload>(at.text("dtype"), size_at(at, "n"), at.text("form") == "chain");
           })
      .strings("dtype", {"f32", "f16", "bf16"})
      .strings("form", {"fused", "chain"})
      .integers("n", {kLarge})
      .needs(dtype_need)
      .needs(length_need);
}

}  // namespace steelyard::cuda_suite

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "bench/cuda/cuda_handles.hpp"
#include "bench/model/text.hpp"
#include "bench/suites/cuda/arithmetic/answer_check.hpp"
#include "bench/suites/cuda/arithmetic/current_device.hpp"
#include "bench/suites/cuda/decoding/decoding_check.hpp"
#include "bench/suites/cuda/decoding/decoding_costs.hpp"
#include "bench/suites/cuda/decoding/decoding_run.hpp"
#include "bench/suites/cuda/device_needs.hpp"
#include "bench/suites/cuda/suite.hpp"

namespace steelyard::cuda_suite {
namespace {

// Of the whole model, both ways of launching: enough that every kernel has followed every other.
constexpr int kComparedSteps = 24;

// A generation of the published prompt and as many new tokens; one replay is one token.
template <class Weight>
class DecodingWorkload final : public cuda::Workload {
 public:
  DecodingWorkload(const DecodingModel& model, const DecodingModel& tiny, const DecodingPlan& plan)
      : tiny_(tiny),
        plan_(plan),
        run_({.model = model, .seed = kSeed, .is_whole = kIsWhole}, {.positions = kGenerationPositions, .plan = plan}) {
    run_.give(kPrompt);
    run_.restart(nullptr);
    wait_until_done("beginning a generation");
  }

  OperatorCost cost() const override { return generation_cost(run_.model(), {.is_whole = kIsWhole}); }
  std::int64_t replays() const override { return kGenerationSteps; }
  std::int64_t tokens() const override { return kNewTokens; }
  void restart(cudaStream_t stream) override { run_.restart(stream); }
  void launch(int, cudaStream_t stream) override { run_.step(stream); }

  Result<void> verify(std::uint64_t seed) override {
    if (const auto agreed = check_tiny_model<Weight>(tiny_, seed, plan_); !agreed) return agreed;
    return check_order();
  }
  std::string note() const override {
    return "verification is of a model of " + std::to_string(tiny_.layers) + " layers and a width of " +
           std::to_string(tiny_.dim);
  }

 private:
  static constexpr bool kIsWhole = std::is_same_v<Weight, std::int8_t>;
  static constexpr std::uint64_t kSeed = 20261127;
  static constexpr const char* kOrderFix = "kernels that overlap answer otherwise than one after the other";

  struct Generated {
    std::vector<int> tokens;
    std::vector<float> logits;  // of the last step
  };
  Generated generated(const DecodingPlan& plan) {
    const cuda::Stream stream;
    run_.plan() = plan;
    run_.give(kPrompt);
    run_.poison(stream.get());
    run_.poison_cache(stream.get());
    run_.restart(stream.get());
    for (int step = 0; step < kComparedSteps; ++step) run_.step(stream.get());
    stream.wait();
    return {run_.tokens(), run_.logits()};
  }

  // Kernels that overlap and such as follow each other add up in the same order: logits and tokens are equal to the
  // last bit, or something was read before it was written.
  Result<void> check_order() {
    const Generated found = generated(plan_);
    if (const auto written = all_written("decoding, logits of the whole model", found.logits); !written) return written;
    if (!plan_.overlaps) return {};
    DecodingPlan in_turn = plan_;
    in_turn.overlaps = false;
    const Generated wanted = generated(in_turn);
    run_.plan() = plan_;
    for (std::size_t i = 0; i <= kComparedSteps; ++i) {
      if (found.tokens[i] == wanted.tokens[i]) continue;
      return program_error("decoding, token " + std::to_string(i), "token " + std::to_string(found.tokens[i]),
                           "token " + std::to_string(wanted.tokens[i]), kOrderFix);
    }
    for (std::size_t i = 0; i < found.logits.size(); ++i) {
      if (found.logits[i] == wanted.logits[i]) continue;
      return program_error("decoding, logit " + std::to_string(i), shortest_text(found.logits[i]),
                           shortest_text(wanted.logits[i]), kOrderFix);
    }
    return {};
  }

  DecodingModel tiny_;
  DecodingPlan plan_;
  DecodingRun<Weight> run_;
};

// How the kernels follow each other, to be compared on one device with what DecodingPlan chooses.
struct DecodingVariant {
  const char* name;
  DecodingPlan plan;
};
const DecodingVariant kVariants[] = {
    {"in_turn", {.overlaps = false, .prefetched = 0, .after_attention = 0}},
    {"no_prefetch", {.prefetched = 0, .after_attention = 0}},
    {"deep", {.is_deep = true}},
    {"two_blocks", {.blocks = 2}},
};

DecodingPlan plan_of(std::string_view name) {
  for (const DecodingVariant& variant : kVariants) {
    if (name == variant.name) return variant.plan;
  }
  return {};  // refused before (choice_need)
}

std::unique_ptr<cuda::Workload> make_llama(const AxisPoint& at, const DecodingPlan& plan) {
  if (at.text("dtype") == "i8") return std::make_unique<DecodingWorkload<std::int8_t>>(llama_7b(), tiny_llama(), plan);
  return std::make_unique<DecodingWorkload<Bf16>>(llama_7b(), tiny_llama(), plan);
}

std::vector<std::string> variant_names() {
  std::vector<std::string> names;
  for (const DecodingVariant& variant : kVariants) names.emplace_back(variant.name);
  return names;
}

std::string llama_need(const cuda::DeviceProperties&, const AxisPoint& at) {
  return choice_need(at, "dtype", {"bf16", "i8"});
}

}  // namespace

void add_decoding(cuda::DeviceSuite& suite) {
  suite.add("decoding/llama", [](const AxisPoint& at) { return make_llama(at, {}); })
      .strings("dtype", {"bf16", "i8"})
      .target("0.85 of measured read bandwidth")
      .needs(llama_need);
  suite
      .add("decoding/mixtral",
           [](const AxisPoint&) {
             return std::make_unique<DecodingWorkload<std::int8_t>>(mixtral_half(), tiny_mixtral(), DecodingPlan{});
           })
      .strings("dtype", {"i8"})
      .target("0.8 of measured read bandwidth")
      .needs([](const cuda::DeviceProperties&, const AxisPoint& at) { return choice_need(at, "dtype", {"i8"}); });
  suite.add("decoding/llama", [](const AxisPoint& at) { return make_llama(at, plan_of(at.text("variant"))); })
      .strings("dtype", {"bf16", "i8"})
      .strings("variant", variant_names())
      .needs(llama_need)
      .needs([](const cuda::DeviceProperties&, const AxisPoint& at) {
        return choice_need(at, "variant", variant_names());
      });
}

}  // namespace steelyard::cuda_suite

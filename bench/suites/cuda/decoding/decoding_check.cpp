#include "bench/suites/cuda/decoding/decoding_check.hpp"

#include <stdexcept>
#include <type_traits>
#include <vector>

#include "bench/cuda/cuda_handles.hpp"
#include "bench/suites/cuda/decoding/decoding_reference.hpp"
#include "bench/suites/cuda/decoding/decoding_run.hpp"

namespace steelyard::cuda_suite {
namespace {

// Drawn behind the given ones, until a draw is not too close to call.
constexpr std::size_t kMaxDraws = 8;
// Router logits that are too close to call leave their step, and those after it, without a bound: weights of another
// seed are taken where that comes earlier.
constexpr std::size_t kMinDecidedSteps = 8;
constexpr std::uint64_t kMaxSeeds = 32;

struct ForcedSteps {
  ModelWeights weights;
  std::vector<int> tokens;
  std::vector<DecodingStep> wanted;
};

bool is_forced(ForcedSteps& forced) {
  const DecodingTensors tensors(forced.weights);
  DecodingReference reference(tensors);
  forced.wanted.clear();
  for (const int token : forced.tokens) {
    forced.wanted.push_back(reference.step(token));
    if (!forced.wanted.back().is_decided && forced.wanted.size() <= kMinDecidedSteps) return false;
  }
  return true;
}

ForcedSteps forced_steps(const DecodingModel& tiny, bool is_whole, std::uint64_t seed, std::size_t steps) {
  ForcedSteps forced{.weights = {.model = tiny, .seed = seed, .is_whole = is_whole}, .tokens = {}, .wanted = {}};
  for (std::size_t i = 0; i < steps; ++i) {
    forced.tokens.push_back(static_cast<int>(scrambled(seed_of_operand(seed, 1000), i) % tiny.vocab));
  }
  for (std::uint64_t attempt = 0; attempt < kMaxSeeds; ++attempt) {
    if (is_forced(forced)) return forced;
    forced.weights.seed = seed_of_operand(seed, 2000 + attempt);
  }
  throw std::runtime_error("the router of the small model decides in none of " + std::to_string(kMaxSeeds) +
                           " draws of its weights; try another --steelyard_seed");
}

}  // namespace

template <class Weight>
Result<void> check_tiny_model(const DecodingModel& tiny, std::uint64_t seed, const DecodingPlan& plan,
                              std::size_t steps) {
  const ForcedSteps forced = forced_steps(tiny, std::is_same_v<Weight, std::int8_t>, seed, steps);
  DecodingRun<Weight> run(forced.weights, {.positions = steps + kMaxDraws + 1, .draw_seed = seed, .plan = plan});
  const cuda::Stream stream;
  run.give(forced.tokens);
  run.restart(stream.get());
  for (std::size_t step = 0; step < steps + kMaxDraws; ++step) {
    run.poison(stream.get());
    run.step(stream.get());
    stream.wait();
    const std::vector<float> logits = run.logits();
    if (const auto written = all_written("logits", logits); !written) return written;
    if (step < steps && forced.wanted[step].is_decided) {
      const std::vector<double> found(logits.begin(), logits.end());
      const std::string what = "decoding, step " + std::to_string(step) + ", logit";
      if (const auto agreed = agreement(what, found, forced.wanted[step].logits); !agreed) return agreed;
    }
    // The last given step's token is the first that is drawn.
    const int place = static_cast<int>(step);
    if (step + 1 < steps || !draw_is_decided(logits, seed, place)) continue;
    const int drawn = run.tokens()[step + 1];
    const int wanted = drawn_token(logits, seed, place);
    if (drawn == wanted) return {};
    return program_error("decoding, the token drawn at step " + std::to_string(step), std::to_string(drawn),
                         std::to_string(wanted), "the draw of the same logits on the CPU");
  }
  return program_error("decoding, " + std::to_string(kMaxDraws) + " draws", "each too close to call", "one that is not",
                       "the logits are nearly equal");
}

template Result<void> check_tiny_model<Bf16>(const DecodingModel&, std::uint64_t, const DecodingPlan&, std::size_t);
template Result<void> check_tiny_model<std::int8_t>(const DecodingModel&, std::uint64_t, const DecodingPlan&,
                                                    std::size_t);

}  // namespace steelyard::cuda_suite

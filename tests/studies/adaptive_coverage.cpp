// Adaptive stopping on simulated noise, the reference's rule and ours, as a Markdown table:
//     adaptive_coverage [MEASUREMENTS [SEED]]
#include <cstdio>
#include <cstdlib>

#include "tests/studies/adaptive_study.hpp"

namespace steelyard {
namespace {

void print_row(const AdaptiveStudyOptions& options) {
  const AdaptiveStudy study = study_adaptive(options);
  const double n = study.measurements;
  const double covered = study.given == 0 ? 0 : 100.0 * study.covered / study.given;
  std::printf("| %s %.0f %% | %s | %.0f | %.1f %% | %.1f %% | %.0f %% | %.1f %% | %.1f %% |\n",
              options.noise == BlockNoise::normal ? "normal" : "lognormal", 100 * options.spread,
              options.rule == TimerRule::reference ? "reference" : "ours", study.mean_blocks, 100 * study.true_spread,
              100 * study.mean_reported, 100 * study.below_threshold / n, 100 * study.given / n, covered);
}

}  // namespace
}  // namespace steelyard

int main(int argc, char** argv) {
  using namespace steelyard;
  AdaptiveStudyOptions options;
  if (argc > 1) options.measurements = std::atoi(argv[1]);
  if (argc > 2) options.seed = static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10));
  if (argc > 3 || options.measurements < 1) {
    std::fprintf(stderr, "usage: %s [MEASUREMENTS [SEED]], MEASUREMENTS at least 1\n", argv[0]);
    return 3;
  }
  std::printf(
      "| noise of a block | rule | blocks | true IQR | reported IQR | below 10 %% | interval given | it covers |\n");
  std::printf("|---|---|---|---|---|---|---|---|\n");
  for (const BlockNoise noise : {BlockNoise::normal, BlockNoise::lognormal}) {
    for (const double spread : {0.05, 0.1, 0.2}) {
      for (const TimerRule rule : {TimerRule::reference, TimerRule::steelyard}) {
        options.noise = noise;
        options.spread = spread;
        options.rule = rule;
        print_row(options);
      }
    }
  }
  return 0;
}

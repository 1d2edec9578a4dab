// simulate_target_errors [TRIALS]: the table of docs/guide/targets.md, each wrong verdict in per cent of the trials.
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include "tests/regress/targets/target_simulation.hpp"

int main(int count, char** arguments) {
  using namespace steelyard;
  const int trials = count > 1 ? std::atoi(arguments[1]) : 4000;
  if (trials < 1) return std::fprintf(stderr, "usage: simulate_target_errors [TRIALS]\n"), 3;
  std::printf("%d trials; wrongly met / wrongly missed\n", trials);
  std::printf("| invocations | ceiling known within | normal | skewed | bimodal |\n|---:|---:|---:|---:|---:|\n");
  for (const int invocations : {2, 3, 5, 6, 9, 15, 30}) {
    for (const double ceiling_error : {0.0, 0.01}) {
      std::printf("| %d | %s |", invocations, ceiling_error > 0 ? "2 %" : "exactly");
      for (const regress::RateNoise noise :
           {regress::RateNoise::normal, regress::RateNoise::skewed, regress::RateNoise::bimodal}) {
        const regress::TargetErrorRates wrong =
            regress::simulate_targets({noise, invocations, ceiling_error, trials, 1});
        std::printf(" %.1f / %.1f |", 100 * wrong.met, 100 * wrong.missed);
      }
      std::printf("\n");
    }
  }
  return 0;
}

// The table of docs/method/against_history.md.   prediction_error_rates REPETITIONS
#include <cstdio>
#include <cstdlib>

#include "tests/regress/history/occasions.hpp"

int main(int count, char** arguments) {
  using namespace steelyard;
  const int repetitions = count > 1 ? std::atoi(arguments[1]) : 20000;
  std::puts(
      "| between occasions | occasions | p <= .05 | .01 | .001 | finds 5 deviations |\n|---|---:|---:|---:|---:|---:|");
  for (const regress::OccasionNoise& noise : regress::occasion_noises()) {
    for (const int occasions : {8, 12, 20, 40, 100}) {
      const regress::OccasionRates equal = regress::simulate_occasions(noise, occasions, repetitions, 1);
      const regress::OccasionRates changed = regress::simulate_occasions(noise, occasions, repetitions / 10 + 1, 1.1);
      std::printf("| %s | %d | %.3f | %.4f | %.5f | %.2f |\n", noise.name.c_str(), occasions, equal.at_5_percent,
                  equal.at_1_percent, equal.at_1_permille, changed.at_5_percent);
    }
  }
  return 0;
}

// Prints how often the judgement errs and how often it finds what is there, by layout, rounds and slot effect, on
// simulated noise (simulated_runs.hpp). The table of docs/measured/judging_scores.md is its output.
//
//     build/check/bin/simulate_error_rates [REPLICATIONS [SEED]]   default 200, 1; the table of the page: 2000 1
//
// alarm .05 and .01: share of unchanged pairs with p at most that. found: share of pairs changed by 2, 5 and 10 % with
// p at most .05. coverage: share of 95 % intervals that hold the true ratio. judged: share of unchanged pairs with a
// verdict of regression or improvement. Exits with 1 where an alarm rate of a concurrent layout is above what its
// binomial error allows.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "regress/compare_runs.hpp"
#include "tests/regress/simulated_runs.hpp"

namespace steelyard::regress {
namespace {

struct Tally {
  int alarms_05 = 0;
  int alarms_01 = 0;
  int judged = 0;
  int covered = 0;
  int intervals = 0;
  int found[3] = {0, 0, 0};
};

constexpr double kChanges[3] = {1.02, 1.05, 1.10};

bool reaches(const ComparisonRow& row, double level) { return row.p && *row.p <= level; }

Tally simulate(SimulationOptions options, int replications, std::uint64_t seed) {
  Tally tally;
  Simulation simulation(seed);
  const ComparisonPolicy policy;
  options.changed_benchmarks = 1;
  for (int i = 0; i < replications; ++i) {
    for (int change = -1; change < 3; ++change) {
      options.ratio = change < 0 ? 1 : kChanges[change];
      const SimulatedPair pair = simulation.draw(options);
      const ComparisonRow row = compare_runs(pair.baseline, pair.candidate, policy).comparison.rows.front();
      if (row.interval) {
        ++tally.intervals;
        if (row.interval->low <= options.ratio && options.ratio <= row.interval->high) ++tally.covered;
      }
      if (change >= 0) {
        if (reaches(row, 0.05)) ++tally.found[change];
        continue;
      }
      if (reaches(row, 0.05)) ++tally.alarms_05;
      if (reaches(row, 0.01)) ++tally.alarms_01;
      if (is_change(row.verdict)) ++tally.judged;
    }
  }
  return tally;
}

// Five standard errors above the nominal rate: one run in millions fails by chance.
bool is_too_many(int alarms, int replications, double rate) {
  return alarms > replications * rate + 5 * std::sqrt(replications * rate * (1 - rate));
}

bool print_row(const SimulationOptions& options, int replications, std::uint64_t seed) {
  const Tally tally = simulate(options, replications, seed);
  const auto share = [](int count, int of) { return of == 0 ? 0.0 : static_cast<double>(count) / of; };
  std::printf("| %-11s | %6d | %4.0f %% | %.3f | %.4f | %.2f | %.2f | %.2f | %.3f | %.3f |\n",
              std::string(to_text(options.layout)).c_str(), options.rounds, 100 * std::expm1(options.noise.slot_effect),
              share(tally.alarms_05, replications), share(tally.alarms_01, replications),
              share(tally.found[0], replications), share(tally.found[1], replications),
              share(tally.found[2], replications), share(tally.covered, tally.intervals),
              share(tally.judged, replications));
  std::fflush(stdout);
  return !is_concurrent(options.layout) ||
         !(is_too_many(tally.alarms_05, replications, 0.05) || is_too_many(tally.alarms_01, replications, 0.01));
}

int run(int replications, std::uint64_t seed) {
  std::printf("| layout      | rounds |   slot | alarm .05 | .01 | found 2 %% | 5 %% | 10 %% | coverage | judged |\n");
  std::printf("|---|---|---|---|---|---|---|---|---|---|\n");
  bool good = true;
  SimulationOptions options;
  // A round's difference has a standard deviation of about 5 %: the slot effects are 0, 1 and 2 of these.
  for (const double slot : {0.0, 0.05, 0.10}) {
    for (const int rounds : {5, 6, 8, 12, 15, 30}) {
      options.layout = Layout::interleaved;
      options.rounds = rounds;
      options.noise.slot_effect = slot;
      good = print_row(options, replications, seed) && good;
    }
  }
  options.noise.slot_effect = 0;
  options.rounds = 15;
  options.layout = Layout::sequential;
  options.occasion_drift = 0.037;
  good = print_row(options, replications, seed) && good;
  options.layout = Layout::separate;
  options.occasion_drift = 0.10;
  good = print_row(options, replications, seed) && good;
  return good ? 0 : 1;
}

}  // namespace
}  // namespace steelyard::regress

int main(int count, char** arguments) {
  const int replications = count > 1 ? std::atoi(arguments[1]) : 200;
  const int seed = count > 2 ? std::atoi(arguments[2]) : 1;
  if (replications < 1) {
    std::fprintf(stderr, "simulate_error_rates: found \"%s\", wanted a number of replications above 0\n", arguments[1]);
    return 3;
  }
  return steelyard::regress::run(replications, static_cast<std::uint64_t>(seed));
}

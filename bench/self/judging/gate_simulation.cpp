// Prints how often a whole gate of 100 unchanged benchmarks calls a change, and how often it finds a lone one, on
// recorded noise. The table of docs/judging_scores.md is its output.
//
//     build/check/bin/gate_simulation tests/statistics/noise [--gates 1000] [--seed 1] [--benchmarks 100] [--row TEXT]
//
// Exits with 1 where a gate with false regressions was seen more often than the promise allows, within its binomial
// error.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/self/judging/exact_binomial.hpp"
#include "bench/self/judging/gate.hpp"
#include "regress/compare_runs.hpp"

namespace steelyard::judging {
namespace {

struct Options {
  std::string folder;
  std::string row;
  int gates = 1000;
  int seed = 1;
  int benchmarks = 100;
};

struct Row {
  std::string name;
  std::vector<const Recording*> recordings;
  GateOptions gate;
};

std::vector<Row> all_rows(const std::vector<const Recording*>& interleaved, const Recording& duet, int benchmarks) {
  std::vector<Row> rows;
  const auto add = [&](std::string name, std::vector<const Recording*> recordings, double level, bool correlated,
                       double change) {
    GateOptions gate;
    gate.benchmarks = benchmarks;
    gate.false_alarm_rate = level;
    gate.looks = {rounds_needed(level, benchmarks)};
    gate.correlated = correlated;
    gate.lone_change = change;
    gate.most_stretch = change == 1 ? 2 : 1;
    rows.push_back({std::move(name), std::move(recordings), gate});
  };
  for (const double level : {0.05, 0.01}) {
    const std::string strict = level < 0.05 ? ", strict" : "";
    add("interleaved" + strict, interleaved, level, false, 1);
    add("interleaved, correlated" + strict, interleaved, level, true, 1);
    add("duet" + strict, {&duet}, level, false, 1);
    add("duet, correlated" + strict, {&duet}, level, true, 1);
  }
  for (const double change : {1.02, 1.05, 1.10}) {
    const std::string percent = std::to_string(static_cast<int>(100 * change + 0.5) - 100) + " %";
    add("interleaved, quiet, one changed by " + percent, {interleaved.front()}, 0.05, false, change);
    add("duet, one changed by " + percent, {&duet}, 0.05, false, change);
  }
  return rows;
}

// True where the promise holds within what chance explains (one in ten thousand).
bool print_row(const Row& row, const Options& options) {
  const GateTally tally =
      simulate_gates(row.recordings, row.gate, options.gates, static_cast<std::uint64_t>(options.seed));
  const Interval bound = clopper_pearson(tally.with_false_regression, tally.gates);
  std::printf("| %s | %g %% | %lld of %lld | %.1f to %.1f %% | %lld |", row.name.c_str(),
              100 * row.gate.false_alarm_rate, static_cast<long long>(tally.with_false_regression),
              static_cast<long long>(tally.gates), 100 * bound.low, 100 * bound.high,
              static_cast<long long>(tally.with_false_change));
  if (row.gate.lone_change == 1) {
    std::printf("  |  |");
  } else {
    const Interval power = clopper_pearson(tally.found, tally.gates);
    std::printf(" %.1f %% | %.1f to %.1f %% |", 100.0 * static_cast<double>(tally.found) / options.gates,
                100 * power.low, 100 * power.high);
  }
  std::printf(" %.1f | %.0f |\n", tally.mean_rounds, tally.mean_shown_unchanged);
  std::fflush(stdout);
  return binomial_upper_tail(tally.with_false_regression, tally.gates, row.gate.false_alarm_rate) >= 1e-4;
}

int run(const Options& options) {
  std::vector<Recording> recordings;
  for (const char* name : {"interleaved", "neighbour", "later", "duet"}) {
    auto recording = read_recording(options.folder + '/' + name);
    if (!recording) {
      std::fprintf(stderr, "gate_simulation: %s\n", recording.error().text().c_str());
      return 3;
    }
    recordings.push_back(std::move(recording).value());
  }
  std::printf(
      "| gates of %d benchmarks | level | with a false regression | 95 %% | or improvement | found | 95 %% | "
      "rounds | shown unchanged |\n|---|---|---|---|---|---|---|---|---|\n",
      options.benchmarks);
  bool good = true;
  for (const Row& row : all_rows({&recordings[0], &recordings[1], &recordings[2]}, recordings[3], options.benchmarks)) {
    if (row.name.find(options.row) != std::string::npos) good = print_row(row, options) && good;
  }
  return good ? 0 : 1;
}

int usage() {
  std::fprintf(stderr, "usage: gate_simulation FOLDER [--gates 1000] [--seed 1] [--benchmarks 100] [--row TEXT]\n");
  return 3;
}

}  // namespace
}  // namespace steelyard::judging

int main(int count, char** arguments) {
  if (count < 2 || count % 2 != 0) return steelyard::judging::usage();
  steelyard::judging::Options options;
  options.folder = arguments[1];
  for (int i = 2; i < count; i += 2) {
    const std::string name = arguments[i];
    if (name == "--row") {
      options.row = arguments[i + 1];
    } else if (name == "--gates") {
      options.gates = std::atoi(arguments[i + 1]);
    } else if (name == "--seed") {
      options.seed = std::atoi(arguments[i + 1]);
    } else if (name == "--benchmarks") {
      options.benchmarks = std::atoi(arguments[i + 1]);
    } else {
      return steelyard::judging::usage();
    }
  }
  if (options.gates < 1 || options.benchmarks < 2) return steelyard::judging::usage();
  return steelyard::judging::run(options);
}

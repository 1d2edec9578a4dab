// Prints how often a gate of unchanged benchmarks has any adjusted p of .05 or less, and how often a lone change has
// one, by the statistic that step-down maxT goes over. The table of docs/measured/judging_scores.md is its output.
//
//     build/check/bin/joint_statistics tests/statistics/noise [--gates 400] [--seed 1] [--benchmarks 52] [--row TEXT]
//
// 14 rounds, as `--no-early-stop` takes them. Gates are those of gate_simulation from the same seed, and the same for
// every statistic, but p alone decides here: neither the interval nor the direction is asked. --row excludes what
// does not contain the text, as in "medians, ranks, duet".
//
// A statistic that is a t of one value a round is regress::joint_adjusted() with that value in both views. With ranks
// and normal scores t grows with their sum, so that it is Wilcoxon's and van der Waerden's test.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/model/number_text.hpp"
#include "regress/ab/distributions.hpp"
#include "regress/ab/joint.hpp"
#include "regress/ab/sample_scores.hpp"
#include "regress/calibration/calibrate.hpp"
#include "tests/studies/judging/gate.hpp"
#include "tests/studies/judging/mean_ranks.hpp"
#include "tests/studies/judging/study_arguments.hpp"

namespace steelyard::judging {
namespace {

constexpr int kRounds = 14;
constexpr double kLevel = 0.05;
constexpr std::size_t kPermutations = 2000;
constexpr std::array kRatios{1.02, 1.05, 1.10, 1.25, 2.0};

struct Options {
  std::string folder;
  std::string row;
  int gates = 400;
  std::uint64_t seed = 1;
  int benchmarks = 52;
};

// What a benchmark brings, second slot over first.
struct Evidence {
  regress::JointRow own;      // as the judge has it
  regress::JointRow medians;  // the ratios of medians, in both views
};

Evidence evidence_of(const BenchmarkWindow& benchmark) {
  const regress::PairedRounds paired = paired_rounds(benchmark);
  Evidence evidence{regress::joint_evidence(paired, {}, regress::Disturbed::upwards).seen.back().by_slot, {}};
  for (const regress::PairedRound& round : paired.rounds) {
    const bool second = round.candidate.slot > round.baseline.slot;
    const double value = second ? round.difference() : -round.difference();
    evidence.medians.rounds.push_back({round.baseline.round, second, value, value});
  }
  return evidence;
}

std::vector<Evidence> evidence_of_gate(const Window& gate) {
  std::vector<Evidence> evidence;
  for (const BenchmarkWindow& benchmark : gate.benchmarks) evidence.push_back(evidence_of(benchmark));
  return evidence;
}

// Its values' scores, by rank over the number of values and one.
regress::JointRow scored(regress::JointRow row, double (*score)(double)) {
  std::vector<regress::GroupedValue> values;
  for (const regress::JointRound& round : row.rounds) {
    values.push_back({round.level, static_cast<std::uint32_t>(values.size())});
  }
  const std::vector<double> ranks = mean_ranks(values, row.rounds.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    row.rounds[i].level = row.rounds[i].score = score(ranks[i] / static_cast<double>(ranks.size() + 1));
  }
  return row;
}

using Rows = std::vector<regress::JointRow>;

// |t| of the means of both orders, a fifth of each taken off either end, over the winsorized squares (K. K. Yuen, The
// two-sample trimmed t for unequal population variances, Biometrika 61, 1974).
class TrimmedT {
 public:
  explicit TrimmedT(const regress::JointRow& row) {
    for (const regress::JointRound& round : row.rounds) {
      ascending_.emplace_back(round.level, seconds_.size());
      seconds_.push_back(round.candidate_second ? 1 : 0);
    }
    std::sort(ascending_.begin(), ascending_.end());
  }

  // Each round with the order of the one that it takes.
  double of(const std::vector<std::size_t>& taken) const {
    constexpr std::size_t kOrder = kRounds / 2;  // of rounds in balanced slots
    constexpr std::size_t kOff = kOrder / 5;
    constexpr std::size_t kLeft = kOrder - 2 * kOff;
    constexpr double kMinSquares = 1e-22;  // less is the rounding of logarithms
    std::array<std::array<double, kOrder>, 2> orders{};
    std::array<std::size_t, 2> counts{};
    for (const auto& [value, round] : ascending_) {
      const std::size_t order = seconds_[taken[round]];
      orders[order][counts[order]++] = value;
    }
    double difference = 0;
    double squares = kMinSquares;
    for (std::array<double, kOrder>& values : orders) {
      const double sum = std::accumulate(values.begin() + kOff, values.end() - kOff, 0.0);
      difference = sum / kLeft - difference;
      std::fill(values.begin(), values.begin() + kOff, values[kOff]);
      std::fill(values.end() - kOff, values.end(), values[kOrder - 1 - kOff]);
      const double mean = std::accumulate(values.begin(), values.end(), 0.0) / kOrder;
      for (const double value : values) squares += (value - mean) * (value - mean);
    }
    return std::abs(difference) / std::sqrt(squares / (kLeft * (kLeft - 1)));
  }

 private:
  std::vector<std::pair<double, std::size_t>> ascending_;  // with their rounds
  std::vector<std::size_t> seconds_;                       // by round: 1 where the candidate was second
};

// Step-down maxT as joint_adjusted() has it. All rows have as many rounds, and so one scale.
std::vector<double> adjusted_trimmed(const Rows& of, std::uint64_t seed) {
  const std::vector<TrimmedT> rows(of.begin(), of.end());
  std::vector<std::size_t> taken(kRounds);
  std::iota(taken.begin(), taken.end(), std::size_t{0});
  std::vector<std::pair<double, std::size_t>> observed;
  for (const TrimmedT& row : rows) observed.emplace_back(row.of(taken), observed.size());
  std::sort(observed.begin(), observed.end());

  constexpr double kRounding = 1e-9;
  std::vector<int> reached(rows.size(), 1);  // what was observed is one
  Draw draw(seed);
  for (std::size_t permutation = 0; permutation < kPermutations; ++permutation) {
    for (std::size_t i = kRounds - 1; i > 0; --i) {
      std::swap(taken[i], taken[static_cast<std::size_t>(draw.below(static_cast<int>(i) + 1))]);
    }
    double greatest = 0;
    for (const auto& [t, row] : observed) {
      greatest = std::max(greatest, rows[row].of(taken));
      if (greatest >= t * (1 - kRounding)) ++reached[row];
    }
  }
  std::vector<double> p(rows.size());
  int above = 0;
  for (auto one = observed.rbegin(); one != observed.rend(); ++one) {
    above = std::max(above, reached[one->second]);
    p[one->second] = above / static_cast<double>(kPermutations + 1);
  }
  return p;
}

std::vector<double> adjusted_jointly(const Rows& rows, std::uint64_t seed) {
  return regress::joint_adjusted(rows, {.permutations = kPermutations, .seed = seed}).p;
}

struct Statistic {
  std::string_view name;
  std::function<regress::JointRow(const Evidence&)> row;
  std::function<std::vector<double>(const Rows&, std::uint64_t seed)> adjusted = adjusted_jointly;

  std::vector<double> p(const std::vector<Evidence>& gate, std::uint64_t seed) const {
    Rows rows;
    for (const Evidence& one : gate) rows.push_back(row(one));
    return adjusted(rows, seed);
  }
};

std::vector<Statistic> all_statistics() {
  const auto one_view = [](double regress::JointRound::*view) {
    return [view](const Evidence& of) {
      regress::JointRow row = of.own;
      for (regress::JointRound& round : row.rounds) round.level = round.score = round.*view;
      return row;
    };
  };
  const auto medians = [](const Evidence& of) { return of.medians; };
  const auto scored_medians = [](double (*score)(double)) {
    return [score](const Evidence& of) { return scored(of.medians, score); };
  };
  return {{"levels or scores, t", [](const Evidence& of) { return of.own; }},  // the judge's: the first
          {"levels, t", one_view(&regress::JointRound::level)},
          {"scores of samples, t", one_view(&regress::JointRound::score)},
          {"medians, t", medians},
          {"medians, trimmed t", medians, adjusted_trimmed},
          {"medians, normal scores", scored_medians(regress::normal_quantile)},
          {"medians, ranks", scored_medians([](double rank) { return rank; })}};
}

struct Tally {
  int alarms = 0;
  std::array<int, kRatios.size()> found{};
  int alone = 0;   // found by it and not by the judge's, over all ratios
  int missed = 0;  // the other way round
};

void add(const Tally& one, Tally& sum) {
  sum.alarms += one.alarms;
  for (std::size_t i = 0; i < kRatios.size(); ++i) sum.found[i] += one.found[i];
  sum.alone += one.alone;
  sum.missed += one.missed;
}

// By statistic.
std::vector<Tally> tally(const Recording& recording, const std::vector<Statistic>& statistics, const Options& options) {
  GateOptions gates;
  gates.benchmarks = options.benchmarks;
  gates.rounds = kRounds;
  std::vector<Tally> tallies(statistics.size());
  Draw alarms(options.seed);
  Draw changes(options.seed);
  for (int i = 0; i < options.gates; ++i) {
    const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(i);
    gates.max_stretch = GateOptions{}.max_stretch;
    std::vector<Evidence> evidence = evidence_of_gate(draw_gate({&recording}, gates, alarms));
    for (std::size_t s = 0; s < statistics.size(); ++s) {
      const std::vector<double> p = statistics[s].p(evidence, seed);
      tallies[s].alarms += *std::min_element(p.begin(), p.end()) <= kLevel ? 1 : 0;
    }
    gates.max_stretch = 1;
    const Window gate = draw_gate({&recording}, gates, changes);
    evidence = evidence_of_gate(gate);
    for (std::size_t ratio = 0; ratio < kRatios.size(); ++ratio) {
      BenchmarkWindow changed = gate.benchmarks.front();
      slow_down(changed, kRatios[ratio]);
      evidence.front() = evidence_of(changed);
      bool judge_finds = false;
      for (std::size_t s = 0; s < statistics.size(); ++s) {
        const bool finds = statistics[s].p(evidence, seed).front() <= kLevel;
        if (s == 0) judge_finds = finds;
        tallies[s].found[ratio] += finds ? 1 : 0;
        tallies[s].alone += finds && !judge_finds ? 1 : 0;
        tallies[s].missed += judge_finds && !finds ? 1 : 0;
      }
    }
  }
  return tallies;
}

void print_row(const std::string& name, const Tally& tally, int gates) {
  const Interval bound = regress::observed_rate(tally.alarms, gates).interval;
  std::printf("| %s | %d of %d | %.1f to %.1f %%", name.c_str(), tally.alarms, gates, 100 * bound.low,
              100 * bound.high);
  for (const int found : tally.found) {
    std::printf(" | %s", number_text(static_cast<double>(found) / static_cast<double>(gates), "").c_str());
  }
  std::printf(" | %d | %d |\n", tally.alone, tally.missed);
  std::fflush(stdout);
}

int run(const Options& options) {
  const std::vector<Statistic> statistics = all_statistics();
  std::printf(
      "| statistic | with a false change | 95 %% | 2 %% | 5 %% | 10 %% | 25 %% | 100 %% | it alone | not it |\n");
  std::printf("|---|---|---|---|---|---|---|---|---|---|\n");
  std::vector<Tally> sums(statistics.size());
  for (const std::string noise : {"interleaved", "neighbour", "later", "duet"}) {
    const Result<Recording> recording = read_recording(options.folder + '/' + noise);
    if (!recording) {
      std::fprintf(stderr, "joint_statistics: %s\n", recording.error().text().c_str());
      return 3;
    }
    const auto is_asked = [&](const std::string& name) { return name.find(options.row) != std::string::npos; };
    std::vector<std::string> names;
    for (const Statistic& statistic : statistics) names.push_back(std::string(statistic.name) + ", " + noise);
    if (std::none_of(names.begin(), names.end(), is_asked)) continue;
    const std::vector<Tally> tallies = tally(recording.value(), statistics, options);
    for (std::size_t s = 0; s < statistics.size(); ++s) {
      if (is_asked(names[s])) print_row(names[s], tallies[s], options.gates);
      add(tallies[s], sums[s]);
    }
  }
  constexpr int kRecordings = 4;
  for (std::size_t s = 0; options.row.empty() && s < statistics.size(); ++s) {
    print_row(std::string(statistics[s].name) + ", all", sums[s], kRecordings * options.gates);
  }
  return 0;
}

int usage() {
  std::fprintf(stderr, "usage: joint_statistics FOLDER [--gates 400] [--seed 1] [--benchmarks 52] [--row TEXT]\n");
  return 3;
}

}  // namespace
}  // namespace steelyard::judging

int main(int count, char** arguments) {
  using namespace steelyard::judging;
  constexpr std::string_view kKnown[] = {"--row", "--gates", "--seed", "--benchmarks"};
  const auto given = read_study_arguments({arguments + 1, static_cast<std::size_t>(count - 1)}, kKnown);
  if (!given) return usage();
  const Options options{given->folder, given->text("--row"), given->number("--gates", 400),
                        static_cast<std::uint64_t>(given->number("--seed", 1)), given->number("--benchmarks", 52)};
  if (options.gates < 1 || options.seed < 1 || options.benchmarks < 1) return usage();
  return run(options);
}

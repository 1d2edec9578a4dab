// Prints how often a whole gate of 100 unchanged benchmarks calls a change, and how often it finds a lone one, on
// recorded noise. The table of docs/measured/judging_scores.md is its output.
//
//     build/check/bin/gate_simulation tests/statistics/noise [--gates 1000] [--seed 1] [--benchmarks 100] [--row TEXT]
//                                                            [--table gates|numbers] [--rounds N] [--budget N]
//                                                            [--first-share PERCENT]
//
// numbers: the tables by number of benchmarks, of each recording by itself, with q adjusted jointly and by Holm's rule
// as before; --row then reads as in "jointly, duet, 52 benchmarks, fixed, 5 %", before it "alarms: " or "power: ". With
// --rounds it ends in "fixed at 16 rounds" or "looks to 160 rounds", in place of the 12 and the 60 that are usual. With
// --budget there is time for that many rounds of all, as in "looks to 160 rounds in the time of 60". With --first-share
// the first look has so many hundredths of the level in place of those of the usual plan, and the others share what is
// left as they do in it, as in "looks to 60 rounds, first 30 %".
//
// --row leaves out what does not contain the text, as in "alarms: duet, fixed", "alarms: duet, with looks, 1 %" or
// "power: interleaved, quiet, with looks". `checked alone`: what the duet calls changed is held against ten rounds of
// the same kernel in turns, drawn from the interleaved recording. Exits with 1 where a gate with false regressions was
// seen more often than the promise allows, within its binomial error.
#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/model/number_text.hpp"
#include "regress/ab/permutations.hpp"
#include "regress/ab/sequential.hpp"
#include "regress/calibration/calibrate.hpp"
#include "regress/compare_runs.hpp"
#include "tests/studies/judging/exact_binomial.hpp"
#include "tests/studies/judging/gate.hpp"
#include "tests/studies/judging/study_arguments.hpp"

namespace steelyard::judging {
namespace {

struct Options {
  std::string folder;
  std::string row;
  int gates = 1000;
  int seed = 1;
  int benchmarks = 100;
  int rounds = 0;       // of a fixed design, or at most with looks; 0: as many as are usual
  int budget = 0;       // of all benchmarks, with looks; 0: all that they take
  int first_share = 0;  // percent, with looks; 0: as usual
  std::string table = "gates";
};

struct Noise {
  std::string name;
  std::vector<const Recording*> recordings;
  const Recording* alone = nullptr;  // in which what they call changed is checked; null: it is not
};

struct Design {
  double level = 0.05;
  bool sequential = false;
  bool correlated = false;
  regress::Rules rules = regress::kNewestRules;
};

// Before rounds_4 each row was adjusted alone, by Holm's rule.
bool is_joint(const Design& design) { return design.rules >= regress::Rules::rounds_4; }

regress::LookPlan with_first_share(regress::LookPlan plan, double first) {
  const double usual = plan.looks.front().share;
  for (regress::PlannedLook& look : plan.looks) look.share *= (1 - first) / (1 - usual);
  plan.looks.front().share = first;
  return plan;
}

GateOptions gate_options(const Options& options, const Noise& noise, const Design& design) {
  GateOptions gate;
  gate.alone = noise.alone;
  gate.benchmarks = options.benchmarks;
  gate.false_alarm_rate = design.level;
  gate.correlated = design.correlated;
  gate.rules = design.rules;
  if (design.sequential) {
    gate.plan = regress::plan_looks({.max_rounds = options.rounds});
    if (options.first_share > 0) gate.plan = with_first_share(std::move(gate.plan), options.first_share / 100.0);
    gate.budget = options.budget;
  } else {
    gate.rounds = options.rounds > 0 ? options.rounds : regress::rounds_needed(design.level, 1);
  }
  return gate;
}

std::string row_name(const Noise& noise, const Design& design) {
  return noise.name + (design.correlated ? ", correlated" : "") + (design.sequential ? ", with looks" : ", fixed");
}

long long printed(std::int64_t count) { return count; }

// True where the promise holds within what chance explains (one in ten thousand).
bool print_false_alarms(const Noise& noise, const Options& options, const Design& design) {
  const std::string name = row_name(noise, design);
  const std::string level = number_text(100 * design.level, "%");
  if (("alarms: " + name + ", " + level).find(options.row) == std::string::npos) return true;
  const GateTally tally = simulate_gates(noise.recordings, gate_options(options, noise, design), options.gates,
                                         static_cast<std::uint64_t>(options.seed));
  const Interval bound = regress::observed_rate(tally.with_false_regression, tally.gates).interval;
  std::printf("| %s | %s | %lld of %lld | %.1f to %.1f %% | %lld | %.1f | %.0f |\n", name.c_str(), level.c_str(),
              printed(tally.with_false_regression), printed(tally.gates), 100 * bound.low, 100 * bound.high,
              printed(tally.with_false_change), tally.mean_rounds, tally.mean_shown_unchanged);
  std::fflush(stdout);
  return binomial_upper_tail(tally.with_false_regression, tally.gates, design.level) >= 1e-4;
}

void print_power(const Noise& noise, const Options& options, const Design& design, double ratio) {
  const std::string name = row_name(noise, design);
  if (("power: " + name).find(options.row) == std::string::npos) return;
  GateOptions gate = gate_options(options, noise, design);
  gate.max_stretch = 1;
  const LoneChangeTally tally =
      simulate_lone_change(noise.recordings, gate, ratio, options.gates, static_cast<std::uint64_t>(options.seed));
  const Interval bound = regress::observed_rate(tally.found, tally.tries).interval;
  std::printf("| %s | %.0f %% | %lld of %lld | %.1f to %.1f %% | %.1f |\n", name.c_str(), 100 * (ratio - 1),
              printed(tally.found), printed(tally.tries), 100 * bound.low, 100 * bound.high, tally.mean_rounds);
  std::fflush(stdout);
}

bool print_tables(const Options& options, const std::vector<Recording>& recordings) {
  const Noise interleaved{"interleaved", {&recordings[0], &recordings[1], &recordings[2]}};
  const Noise quiet{"interleaved, quiet", {&recordings[0]}};
  const Noise duet{"duet", {&recordings[3]}};
  const Noise checked{"duet, checked alone", {&recordings[3]}, &recordings[0]};
  bool good = true;
  std::printf(
      "| gates of %d benchmarks | level | with a false regression | 95 %% | or improvement | rounds | shown "
      "unchanged |\n|---|---|---|---|---|---|---|\n",
      options.benchmarks);
  for (const double level : {0.05, 0.01}) {
    for (const Noise* noise : {&interleaved, &duet, &checked}) {
      for (const bool correlated : {false, true}) {
        for (const bool sequential : {false, true}) {
          good = print_false_alarms(*noise, options, {level, sequential, correlated}) && good;
        }
      }
    }
  }
  std::printf("\n| one of %d benchmarks slower | by | found | 95 %% | rounds |\n|---|---|---|---|---|\n",
              options.benchmarks);
  for (const Noise* noise : {&quiet, &interleaved, &duet, &checked}) {
    for (const double ratio : {1.02, 1.05, 1.10}) {
      for (const bool sequential : {false, true}) print_power(*noise, options, {0.05, sequential, false}, ratio);
    }
  }
  return good;
}

std::string design_name(const Options& options, const Design& design) {
  if (options.rounds == 0) return design.sequential ? "with looks" : "fixed";
  if (!design.sequential) return "fixed at " + plural_text(options.rounds, "round");
  return "looks to " + plural_text(options.rounds, "round") +
         (options.budget > 0 ? " in the time of " + std::to_string(options.budget) : "") +
         (options.first_share > 0 ? ", first " + number_text(options.first_share, "%") : "");
}

std::string number_name(const Noise& noise, const Options& options, const Design& design) {
  return (is_joint(design) ? "jointly, " : "Holm, ") + noise.name + ", " +
         plural_text(options.benchmarks, "benchmark") + ", " + design_name(options, design);
}

constexpr double kUsualLevel = 0.05;
constexpr double kStrictLevel = 0.01;

// At both levels; of a fixed design the same gates tell both. Result as of print_false_alarms.
bool print_alarms_of_number(const Noise& noise, const Options& options, Design design) {
  std::optional<GateTally> both;
  bool good = true;
  for (const double level : {kUsualLevel, kStrictLevel}) {
    const bool is_strict = level == kStrictLevel;
    design.level = is_strict && !design.sequential ? kUsualLevel : level;
    const std::string name = number_name(noise, options, design);
    const std::string level_text = number_text(100 * level, "%");
    if (("alarms: " + name + ", " + level_text).find(options.row) == std::string::npos) continue;
    if (!both || design.sequential) {
      GateOptions gate = gate_options(options, noise, design);
      gate.stricter_rate = kStrictLevel;
      both = simulate_gates(noise.recordings, gate, options.gates, static_cast<std::uint64_t>(options.seed));
    }
    const GateTally& tally = *both;
    const bool by_stricter = is_strict && !design.sequential;
    const std::int64_t changes = by_stricter ? tally.with_stricter_change : tally.with_false_change;
    const std::int64_t regressions = by_stricter ? tally.with_stricter_regression : tally.with_false_regression;
    const Interval bound = regress::observed_rate(changes, tally.gates).interval;
    std::printf("| %s | %s | %lld of %lld | %.1f to %.1f %% | %lld | %.1f | %.0f |\n", name.c_str(), level_text.c_str(),
                printed(changes), printed(tally.gates), 100 * bound.low, 100 * bound.high, printed(regressions),
                tally.mean_rounds, tally.mean_shown_unchanged);
    std::fflush(stdout);
    good = binomial_upper_tail(changes, tally.gates, level) >= 1e-4 && good;
  }
  return good;
}

void print_power_of_number(const Noise& noise, const Options& options, const Design& design) {
  const std::string name = number_name(noise, options, design);
  if (("power: " + name).find(options.row) == std::string::npos) return;
  GateOptions gate = gate_options(options, noise, design);
  gate.max_stretch = 1;
  std::string cells;
  std::int64_t false_alarms = 0;
  for (const double ratio : {1.02, 1.05, 1.10, 1.25}) {
    const LoneChangeTally tally =
        simulate_lone_change(noise.recordings, gate, ratio, options.gates, static_cast<std::uint64_t>(options.seed));
    cells += " | " + number_text(static_cast<double>(tally.found) / static_cast<double>(tally.tries), "");
    false_alarms += tally.false_alarms;
  }
  std::printf("| %s%s | %lld of %d |\n", name.c_str(), cells.c_str(), printed(false_alarms), 4 * options.gates);
  std::fflush(stdout);
}

// By number of benchmarks; with --benchmarks of that one alone.
bool print_numbers(const Options& given, const std::vector<Recording>& recordings) {
  constexpr std::array kNumbers{1, 13, 52, 150, 200, 500};
  const std::array<Noise, 4> noises{Noise{"interleaved", {&recordings[0]}}, Noise{"neighbour", {&recordings[1]}},
                                    Noise{"later", {&recordings[2]}}, Noise{"duet", {&recordings[3]}}};
  bool good = true;
  const auto each = [&](const auto& print) {
    for (const regress::Rules rules : {regress::kNewestRules, regress::Rules::rounds_3}) {
      for (const bool sequential : {false, true}) {
        for (const Noise& noise : noises) {
          for (const int number : kNumbers) {
            if (given.benchmarks != 0 && given.benchmarks != number) continue;
            Options options = given;
            options.benchmarks = number;
            print(noise, options, Design{0.05, sequential, false, rules});
          }
        }
      }
    }
  };
  std::printf("| gates | level | with a false change | 95 %% | a regression | rounds | shown unchanged |\n");
  std::printf("|---|---|---|---|---|---|---|\n");
  each([&](const Noise& noise, const Options& options, const Design& design) {
    good = print_alarms_of_number(noise, options, design) && good;
  });
  std::printf("\n| one slower | 2 %% | 5 %% | 10 %% | 25 %% | false change among the others |\n");
  std::printf("|---|---|---|---|---|---|\n");
  each([&](const Noise& noise, const Options& options, const Design& design) {
    print_power_of_number(noise, options, design);
  });
  return good;
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
  const bool good = options.table == "numbers" ? print_numbers(options, recordings) : print_tables(options, recordings);
  return good ? 0 : 1;
}

int usage() {
  std::fprintf(stderr,
               "usage: gate_simulation FOLDER [--gates 1000] [--seed 1] [--benchmarks 100] [--row TEXT] "
               "[--table gates|numbers] [--rounds N] [--budget N] [--first-share PERCENT]\n");
  return 3;
}

}  // namespace
}  // namespace steelyard::judging

int main(int count, char** arguments) {
  using namespace steelyard::judging;
  constexpr std::string_view kKnown[] = {"--row",    "--gates",  "--seed",        "--benchmarks",
                                         "--rounds", "--budget", "--first-share", "--table"};
  const auto given = read_study_arguments({arguments + 1, static_cast<std::size_t>(count - 1)}, kKnown);
  if (!given) return usage();
  const bool by_number = given->text("--table") == "numbers";
  if (!by_number && given->values.contains("--table") && given->text("--table") != "gates") return usage();
  const bool any_number = by_number && !given->values.contains("--benchmarks");
  const Options options{given->folder,
                        given->text("--row"),
                        given->number("--gates", 1000),
                        given->number("--seed", 1),
                        any_number ? 0 : given->number("--benchmarks", 100),
                        given->number("--rounds", 0),
                        given->number("--budget", 0),
                        given->number("--first-share", 0),
                        by_number ? "numbers" : "gates"};
  // Rows of the other table, and those of the usual looks, do not name it.
  if (options.budget < 0 || (options.budget > 0 && (!by_number || options.rounds == 0))) return usage();
  if (options.first_share < 0 || options.first_share > 99 || (options.first_share > 0 && options.rounds == 0))
    return usage();
  if (options.gates < 1 || options.seed < 1 || options.rounds % 2 != 0 || (!any_number && options.benchmarks < 1))
    return usage();
  return run(options);
}

// Prints what looking early saves: mean rounds until a decision for no change, 2 % and 5 %, against the fixed number of
// rounds that finds 2 % and 5 % as often, on recorded noise. The tables of docs/method/sequential.md are its output.
//
//     build/check/bin/sequential_study tests/statistics/noise [--windows 60] [--seed 1] [--rounds 60] [--alternatives
//     yes]
//
// --rounds: of the last look that the budget pays for, 60, 100 or 160. The recordings have 60 and 80 rounds: windows of
// more are blocks of rounds in a row, drawn anew.
//
// Exits with 1 where no change is called one more often than the level allows, within its binomial error, or where the
// rounds are on average more than 65 % of the fixed design's.
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "regress/ab/sequential.hpp"
#include "regress/ab/shift_test.hpp"
#include "tests/studies/judging/exact_binomial.hpp"
#include "tests/studies/judging/look_alternatives.hpp"
#include "tests/studies/judging/recording.hpp"
#include "tests/studies/judging/study_arguments.hpp"
#include "tests/studies/judging/window.hpp"

namespace steelyard::judging {
namespace {

constexpr double kLevel = 0.05;
constexpr double kMaxPartOfRounds = 0.65;
constexpr int kUsualRounds = 60;
constexpr int kBlock = 12;  // rounds in a row: at that distance hardly anything is left of what neighbours share
constexpr std::array<double, 4> kEffects{0, 0.01, 0.02, 0.05};

regress::PairedRounds first_rounds(const regress::PairedRounds& paired, int count) {
  return {{paired.rounds.begin(), paired.rounds.begin() + count}, 0};
}

struct Options {
  std::string folder;
  int windows = 60;
  std::uint64_t seed = 1;
  int rounds = kUsualRounds;  // of the last look
  bool alternatives = false;
};

// The same windows for every design; each has all rounds.
std::vector<regress::PairedRounds> draw_windows(const Recording& recording, double effect, const Options& options,
                                                std::uint64_t seed) {
  Draw draw(seed);
  std::vector<regress::PairedRounds> result;
  for (const RecordedBenchmark& benchmark : recording.benchmarks) {
    for (int i = 0; i < options.windows; ++i) {
      const int first = draw.below(recording.rounds());
      const std::vector<int> slots = balanced_slots(options.rounds, draw);
      BenchmarkWindow window = options.rounds > kUsualRounds ? resampled_benchmark(benchmark, kBlock, slots, draw)
                                                             : concurrent_benchmark(benchmark, first, slots);
      slow_down(window, 1 + effect);
      result.push_back(paired_rounds(window));
    }
  }
  return result;
}

struct Sums {
  double changed = 0;
  double unchanged = 0;
  double rounds = 0;
};

// As the gate measures one of `comparisons` benchmarks.
Sums measure_with_looks(const std::vector<regress::PairedRounds>& windows, std::int64_t comparisons, int max_rounds) {
  const regress::LookPlan plan = regress::plan_looks({.affordable_rounds = max_rounds});
  const regress::StopQuestion question{kLevel, static_cast<double>(comparisons)};
  Sums sums;
  for (const regress::PairedRounds& window : windows) {
    for (const regress::PlannedLook& look : plan.looks) {
      const regress::LookedAt seen = regress::effect_of_looks(first_rounds(window, look.rounds), look.rounds, plan, {});
      if (regress::answer_of(seen, plan, question) == regress::LookAnswer::undecided) continue;
      const bool changed = *seen.effect.p * static_cast<double>(comparisons) <= kLevel;
      sums.changed += changed ? 1 : 0;
      sums.unchanged += !changed && seen.effect.within_margin ? 1 : 0;
      sums.rounds += look.rounds;
      break;
    }
  }
  const auto count = static_cast<double>(windows.size());
  return {sums.changed / count, sums.unchanged / count, sums.rounds / count};
}

std::vector<double> p_of_fixed(const std::vector<regress::PairedRounds>& windows, int rounds) {
  std::vector<double> p;
  for (const regress::PairedRounds& window : windows)
    p.push_back(regress::RoundsTest(first_rounds(window, rounds).rounds).p(0));
  return p;
}

double share_at_most(const std::vector<double>& p, double level) {
  double count = 0;
  for (const double value : p) count += value <= level ? 1 : 0;
  return count / static_cast<double>(p.size());
}

// The fixed number of rounds, between even ones by interpolation, that finds the change as often; the last where
// none does.
double equal_fixed_rounds(const std::vector<std::vector<double>>& p_by_rounds, const std::vector<int>& rounds,
                          double power, double level) {
  double before = 0;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    const double now = share_at_most(p_by_rounds[i], level);
    if (now >= power) {
      if (i == 0 || now == before) return rounds[i];
      return rounds[i - 1] + (rounds[i] - rounds[i - 1]) * (power - before) / (now - before);
    }
    before = now;
  }
  return rounds.back();
}

struct Study {
  Recording recording;
  std::array<std::vector<regress::PairedRounds>, kEffects.size()> windows;
  int max_rounds = kUsualRounds;
  std::vector<int> rounds;
  std::array<std::vector<std::vector<double>>, kEffects.size()> p;  // of fixed designs, by rounds
};

Study prepare(Recording recording, const Options& options) {
  Study study{std::move(recording), {}, options.rounds, {}, {}};
  for (int rounds = 8; rounds <= options.rounds; rounds += rounds < 24 ? 2 : 4) study.rounds.push_back(rounds);
  for (std::size_t e = 0; e < kEffects.size(); ++e) {
    study.windows[e] = draw_windows(study.recording, kEffects[e], options, options.seed + e);
    for (const int rounds : study.rounds) study.p[e].push_back(p_of_fixed(study.windows[e], rounds));
  }
  return study;
}

// True where it keeps its level and saves what it should.
bool print_saving(const Study& study, std::int64_t comparisons) {
  const double level = kLevel / static_cast<double>(comparisons);
  std::array<Sums, kEffects.size()> found;
  for (std::size_t e = 0; e < kEffects.size(); ++e)
    found[e] = measure_with_looks(study.windows[e], comparisons, study.max_rounds);
  const double fixed = (equal_fixed_rounds(study.p[2], study.rounds, found[2].changed, level) +
                        equal_fixed_rounds(study.p[3], study.rounds, found[3].changed, level)) /
                       2;
  const double part = (found[0].rounds + found[2].rounds + found[3].rounds) / 3 / fixed;
  std::printf("| %s | %lld | %.4f | %.2f | %.2f / %.2f / %.2f | %.1f / %.1f / %.1f | %.1f | %.0f %% |\n",
              study.recording.name.c_str(), static_cast<long long>(comparisons), found[0].changed, found[0].unchanged,
              found[1].changed, found[2].changed, found[3].changed, found[0].rounds, found[2].rounds, found[3].rounds,
              fixed, 100 * part);
  std::fflush(stdout);
  const auto tries = static_cast<std::int64_t>(study.windows[0].size());
  const auto alarms = static_cast<std::int64_t>(std::lround(found[0].changed * static_cast<double>(tries)));
  return binomial_upper_tail(alarms, tries, level) >= 1e-4 && part <= kMaxPartOfRounds;
}

void print_alternatives(const Study& study, std::uint64_t seed) {
  const regress::LookPlan plan = regress::plan_looks({.affordable_rounds = study.max_rounds});
  for (const std::size_t e : {std::size_t{0}, std::size_t{2}, std::size_t{3}}) {
    Draw draw(seed);
    double by_shares = 0;
    double together = 0;
    double e_process = 0;
    for (const regress::PairedRounds& window : study.windows[e]) {
      const ExchangedSides p = exchange_sides(window.rounds, plan, 999, draw);
      by_shares += p.by_shares <= kLevel ? 1 : 0;
      together += p.together <= kLevel ? 1 : 0;
      e_process += e_process_p(window.rounds).back() <= kLevel ? 1 : 0;
    }
    const auto count = static_cast<double>(study.windows[e].size());
    std::printf("| %s | %g %% | %.3f | %.3f | %.3f |\n", study.recording.name.c_str(), 100 * kEffects[e],
                by_shares / count, together / count, e_process / count);
    std::fflush(stdout);
  }
}

int run(const Options& options) {
  bool good = true;
  std::vector<Study> studies;
  for (const char* name : {"interleaved", "duet"}) {
    Result<Recording> recording = read_recording(options.folder + '/' + name);
    if (!recording) {
      std::fprintf(stderr, "sequential_study: %s\n", recording.error().text().c_str());
      return 3;
    }
    studies.push_back(prepare(std::move(recording).value(), options));
  }
  std::printf(
      "| noise | comparisons | alarms | unchanged shown | found 1 / 2 / 5 %% | rounds at 0 / 2 / 5 %% | equal fixed "
      "rounds | part |\n|---|---|---|---|---|---|---|---|\n");
  for (const Study& study : studies) {
    for (const std::int64_t comparisons : {1, 23, 100}) good = print_saving(study, comparisons) && good;
  }
  if (!options.alternatives) return good ? 0 : 1;
  std::printf("\n| noise | change | shares | permuted together | e-process |\n|---|---|---|---|---|\n");
  for (const Study& study : studies) print_alternatives(study, options.seed);
  return good ? 0 : 1;
}

int usage() {
  std::fprintf(stderr,
               "usage: sequential_study FOLDER [--windows 60] [--seed 1] [--rounds 60|100|160] [--alternatives yes]\n");
  return 3;
}

}  // namespace
}  // namespace steelyard::judging

int main(int count, char** arguments) {
  using namespace steelyard::judging;
  constexpr std::string_view kKnown[] = {"--windows", "--seed", "--rounds", "--alternatives"};
  const auto given = read_study_arguments({arguments + 1, static_cast<std::size_t>(count - 1)}, kKnown);
  if (!given) return usage();
  const Options options{given->folder, given->number("--windows", 60),
                        static_cast<std::uint64_t>(given->number("--seed", 1)), given->number("--rounds", kUsualRounds),
                        given->text("--alternatives") == "yes"};
  const bool known_plan = options.rounds == 60 || options.rounds == 100 || options.rounds == 160;
  if (options.windows < 1 || options.seed < 1 || !known_plan) return usage();
  return run(options);
}

// How long a comparison takes, and how that grows with rounds and with samples: processor time on one core, the least
// of several tries.
//
//     build/release/bin/comparison_speed [COMPARISONS]      default 20000 of 15 + 15 invocations with 10 samples each
//
// A comparison is one row of compare_runs: samples to logarithms, estimate, p, both intervals, verdict. The exponent is
// the slope of log time over log size, by least squares.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "regress/ab/joint.hpp"
#include "regress/ab/sequential.hpp"
#include "regress/compare_runs.hpp"
#include "regress/judge_looks.hpp"
#include "tests/studies/judging/speed_runs.hpp"
#include "tests/studies/judging/window.hpp"

namespace steelyard::judging {
namespace {

constexpr int kBenchmarks = 200;
constexpr int kTries = 3;

// Seconds a comparison, the least of the tries.
double seconds_of(const SpeedShape& shape, int comparisons) {
  const auto [baseline, candidate] = speed_runs(shape);
  double least = HUGE_VAL;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const std::clock_t begin = std::clock();
    std::size_t rows = 0;
    while (rows < static_cast<std::size_t>(comparisons))
      rows += regress::compare_runs(baseline, candidate, {}).comparison.rows.size();
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    least = std::min(least, seconds / static_cast<double>(rows));
  }
  return least;
}

struct Point {
  double size;
  double seconds;
};

double fitted_exponent(const std::vector<Point>& points) {
  double x = 0;
  double y = 0;
  for (const Point& point : points) {
    x += std::log(point.size) / static_cast<double>(points.size());
    y += std::log(point.seconds) / static_cast<double>(points.size());
  }
  double products = 0;
  double squares = 0;
  for (const Point& point : points) {
    products += (std::log(point.size) - x) * (std::log(point.seconds) - y);
    squares += (std::log(point.size) - x) * (std::log(point.size) - x);
  }
  return products / squares;
}

void print_growth(const char* what, const std::vector<SpeedShape>& shapes, bool by_rounds) {
  std::vector<Point> points;
  for (const SpeedShape& shape : shapes) {
    const double seconds = seconds_of(shape, shape.benchmarks);
    points.push_back({static_cast<double>(by_rounds ? shape.rounds : shape.samples), seconds});
    std::printf("| %d | %d | %.1f |\n", shape.rounds, shape.samples, seconds * 1e6);
  }
  std::printf("\n%s: exponent %.2f\n\n", what, fitted_exponent(points));
}

// Rows of noise, all of the same rounds; which side was second in each is drawn for every row, as it is measured, or
// once for all.
std::vector<regress::JointRow> noise_rows(std::size_t count, int rounds, bool have_own_order) {
  std::uint64_t state = 1;
  const auto noise = [&] {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(state >> 40U) * 0x1p-24;
  };
  std::vector<regress::JointRow> rows(count);
  for (regress::JointRow& row : rows) {
    bool second = false;
    for (int round = 0; round < rounds; ++round) {
      const bool usual = round % 4 == 1 || round % 4 == 2;
      second = !have_own_order ? usual : round % 2 == 1 ? !second : noise() < 0.5;
      row.rounds.push_back({round, second, noise(), noise()});
    }
  }
  return rows;
}

// The joint adjustment of a whole gate at each look, the least of the tries.
void print_joint() {
  constexpr std::size_t kRows = 500;
  regress::JointQuestion question;
  std::printf("| rounds | joint adjustment of %zu rows, ms: of one order of the sides | each of its own |\n", kRows);
  std::printf("|---|---|---|\n");
  for (const int rounds : {12, 16, 24, 36, 60, 100, 160}) {
    question.blocks.push_back(rounds);
    std::printf("| %d ", rounds);
    for (const bool have_own_order : {false, true}) {
      const std::vector<regress::JointRow> rows = noise_rows(kRows, rounds, have_own_order);
      double least = HUGE_VAL;
      for (int attempt = 0; attempt < kTries; ++attempt) {
        const std::clock_t begin = std::clock();
        const regress::JointResult joint = regress::joint_adjusted(rows, question);
        const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        if (joint.p.size() == kRows) least = std::min(least, seconds);
      }
      std::printf("| %.0f ", least * 1e3);
    }
    std::printf("|\n");
  }
  std::printf("\n");
}

// Benchmarks that nothing decides: processes 10 % apart, in an order of their own each.
Window noisy_gate(int benchmarks, int rounds) {
  Draw draw(1);
  Window gate;
  for (int i = 0; i < benchmarks; ++i) {
    BenchmarkWindow& benchmark = gate.benchmarks.emplace_back();
    benchmark.name = "benchmark_" + std::to_string(1000 + i);
    const std::vector<int> candidate_slots = balanced_slots(rounds, draw);
    for (int round = 0; round < rounds; ++round) {
      const int slot = candidate_slots[static_cast<std::size_t>(round)];
      for (const bool is_candidate : {false, true}) {
        SideProcess process{round, is_candidate ? slot : 1 - slot, 1e9 + round, {}};
        const double level = 1e3 * std::exp(0.35 * (draw.uniform() - 0.5));
        for (int sample = 0; sample < 3; ++sample) process.values.push_back(level * (1 + 0.02 * draw.uniform()));
        (is_candidate ? benchmark.candidate : benchmark.baseline).push_back(std::move(process));
      }
    }
  }
  return gate;
}

// What a gate's judge takes at each look: all statistics of all rows, and the adjustment.
void print_looks() {
  constexpr int kGate = 500;
  const regress::LookPlan plan = regress::plan_looks({});
  const Window gate = noisy_gate(kGate, plan.max_rounds());
  regress::LookJudge judge({}, kGate);
  std::printf("| rounds | a look of %d benchmarks, ms |\n|---|---|\n", kGate);
  for (const regress::PlannedLook& look : plan.looks) {
    Window seen{gate.layout, {}};
    for (const BenchmarkWindow& whole : gate.benchmarks) seen.benchmarks.push_back(first_rounds(whole, look.rounds));
    auto [baseline, candidate] = to_runs(seen);
    for (Run* run : {&baseline, &candidate}) {
      run->header.settings[std::string(kLooksSetting)] = regress::to_text(plan);
    }
    const std::clock_t begin = std::clock();
    const auto answers = judge.answers(baseline, candidate);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    std::printf("| %d | %.0f |\n", look.rounds, seconds * 1e3);
    if (answers.size() != kGate) std::abort();
  }
  std::printf("\n");
}

int run(int comparisons) {
  print_joint();
  print_looks();
  const double seconds = seconds_of({kBenchmarks, 15, 10}, comparisons);
  std::printf("15 + 15 invocations with 10 samples: %.1f us a comparison, 100000 in %.2f s\n\n", seconds * 1e6,
              seconds * 1e5);
  std::printf("| rounds | samples | us |\n|---|---|---|\n");
  print_growth("rounds", {{100, 12, 10}, {50, 24, 10}, {40, 48, 10}, {20, 96, 10}, {20, 192, 10}, {20, 384, 10}}, true);
  std::printf("| rounds | samples | us |\n|---|---|---|\n");
  print_growth("samples", {{50, 15, 10}, {40, 15, 40}, {20, 15, 160}, {10, 15, 640}, {4, 15, 2560}}, false);
  return 0;
}

}  // namespace
}  // namespace steelyard::judging

int main(int count, char** values) {
  const int comparisons = count > 1 ? std::atoi(values[1]) : 20000;
  if (comparisons < 1) {
    std::fprintf(stderr, "comparison_speed: found \"%s\", wanted a number of comparisons above 0\n", values[1]);
    return 3;
  }
  return steelyard::judging::run(comparisons);
}

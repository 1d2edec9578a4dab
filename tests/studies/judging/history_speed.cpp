// How long the finder of change points takes; prints the table of docs/measured/history_scores.md, "Speed". Needs a
// quiet machine.
//
//     history_speed [SERIES]     SERIES of 100 points for the last line, 100000 if not given
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "regress/history/change_points.hpp"
#include "tests/statistics/histories/histories.hpp"

namespace steelyard {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

Series noisy_series(std::size_t n, std::size_t steps, std::uint64_t seed) {
  Dice dice(seed);
  const std::vector<double> noise = made_up_noise(NoiseKind::resembling, n, dice);
  Series series;
  series.unit = "ns";
  for (std::size_t i = 0; i < n; ++i) {
    const double level = i * (steps + 1) / n % 2 == 1 ? 0.05 : 0;
    series.points.push_back(
        {.values = {1000 * std::exp(level + 0.01 * noise[i])}, .commit = {}, .machine = {}, .run = {}});
  }
  return series;
}

// The least of some tries: what the code costs, not what the machine was doing.
double min_seconds(const Series& series) {
  double least = HUGE_VAL;
  const int tries = series.points.size() > 3000 ? 7 : 25;
  for (int i = 0; i < tries; ++i) {
    const Clock::time_point start = Clock::now();
    const auto changes = regress::find_changes(series);
    least = std::min(least, seconds_since(start));
    if (changes.size() > series.points.size()) std::abort();
  }
  return least;
}

void print_growth(const char* name, std::size_t steps_per_thousand) {
  double sum_x = 0;
  double sum_y = 0;
  double sum_xx = 0;
  double sum_xy = 0;
  double count = 0;
  for (std::size_t n : {100U, 300U, 1000U, 3000U, 10'000U, 30'000U}) {
    const double seconds = min_seconds(noisy_series(n, steps_per_thousand * n / 1000, n));
    std::printf("| %s | %zu | %.3f ms |\n", name, n, 1e3 * seconds);
    const double x = std::log(static_cast<double>(n));
    const double y = std::log(seconds);
    sum_x += x, sum_y += y, sum_xx += x * x, sum_xy += x * y, ++count;
  }
  std::printf("| %s | growth | n^%.2f |\n", name, (count * sum_xy - sum_x * sum_y) / (count * sum_xx - sum_x * sum_x));
}

void print_append() {
  const Series series = noisy_series(10'200, 50, 7);
  regress::OnlineChanges online({.name = {}, .metric = {}, .unit = "ns", .points = {}});
  double longest = 0;
  double sum = 0;
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    const Clock::time_point start = Clock::now();
    online.add(series.points[i]);
    if (i < 10'000) continue;
    const double seconds = seconds_since(start);
    longest = std::max(longest, seconds);
    sum += seconds;
  }
  std::printf("| one more point on 10,000, mean of 200 | | %.3f ms |\n", 1e3 * sum / 200);
  std::printf("| the same, slowest of 200 | | %.3f ms |\n", 1e3 * longest);
}

void print_many(std::size_t count) {
  std::vector<Series> different;
  for (std::uint64_t seed = 0; seed < 100; ++seed) different.push_back(noisy_series(100, seed % 3, seed));
  const Clock::time_point start = Clock::now();
  const auto work = [&](std::size_t first) {
    for (std::size_t i = first; i < count; i += 2) regress::find_changes(different[i % different.size()]);
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  std::printf("| %zu series of 100 points, two cores | | %.2f s |\n", count, seconds_since(start));
}

}  // namespace
}  // namespace steelyard

int main(int argc, char** argv) {
  const std::size_t series = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 100'000;
  std::printf("| what | points | time |\n|---|---|---|\n");
  steelyard::print_growth("no step", 0);
  steelyard::print_growth("10 steps per 1000", 10);
  steelyard::print_append();
  steelyard::print_many(series);
}

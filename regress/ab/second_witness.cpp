#include "regress/ab/second_witness.hpp"

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "bench/model/quantile.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"

namespace steelyard {
namespace {

// Medians of the invocations' medians, by benchmark.
using Levels = std::map<std::string, double, std::less<>>;

Levels levels_of(const Run& run, std::string_view metric) {
  Levels levels;
  for (const Measurement& measurement : run.measurements) {
    if (measurement.metric.name != metric) continue;
    std::vector<double> medians;
    for (const InvocationSamples& samples : measurement.invocations) {
      if (!samples.values.empty()) medians.push_back(median(samples.values));
    }
    if (medians.empty()) continue;
    const double level = median(std::move(medians));
    if (std::isfinite(level) && level > 0) levels[measurement.benchmark.canonical()] = level;
  }
  return levels;
}

struct BothLevels {
  double baseline = 0;
  double candidate = 0;
};
std::optional<BothLevels> both(const Levels& baseline, const Levels& candidate, const std::string& benchmark) {
  const auto b = baseline.find(benchmark);
  const auto c = candidate.find(benchmark);
  if (b == baseline.end() || c == candidate.end()) return std::nullopt;
  return BothLevels{b->second, c->second};
}

std::string clock_text(double hertz) {
  constexpr double kGiga = 1e9;
  return decimals_text(hertz / kGiga, 2) + " GHz";
}

// Less than the smallest change that matters, and less than a quarter of what the time moved by: what is left of such a
// time is the clock's.
bool cycles_stood_still(double cycles_ratio, const ComparisonRow& row) {
  constexpr double kMostOfTime = 0.25;
  const double moved = std::abs(std::log(cycles_ratio));
  return moved <= std::log1p(row.minimum_effect) && moved <= kMostOfTime * std::abs(std::log(*row.ratio));
}

bool is_changed_time(const ComparisonRow& row) {
  return row.metric.name == kRealTime && row.ratio && *row.ratio > 0 &&
         (row.verdict == Verdict::regression || row.verdict == Verdict::improvement);
}

}  // namespace

void ask_second_witness(const Run& baseline, const Run& candidate, std::vector<ComparisonRow>& rows) {
  const Levels baseline_cycles = levels_of(baseline, kDeviceCycles);
  const Levels candidate_cycles = levels_of(candidate, kDeviceCycles);
  if (baseline_cycles.empty() || candidate_cycles.empty()) return;
  const Levels baseline_clock = levels_of(baseline, kSmClock);
  const Levels candidate_clock = levels_of(candidate, kSmClock);
  for (ComparisonRow& row : rows) {
    if (!is_changed_time(row)) continue;
    const auto cycles = both(baseline_cycles, candidate_cycles, row.benchmark);
    if (!cycles) continue;
    const double ratio = cycles->candidate / cycles->baseline;
    const auto clock = both(baseline_clock, candidate_clock, row.benchmark);
    const std::string clocks =
        clock ? ", " + clock_text(clock->baseline) + " before and " + clock_text(clock->candidate) + " now" : "";
    row.reason += cycles_stood_still(ratio, row)
                      ? "; the device's cycles did not change (" + change_text(ratio) + "): its clock did" + clocks
                      : "; the device's cycles changed by " + change_text(ratio) + clocks;
  }
}

}  // namespace steelyard

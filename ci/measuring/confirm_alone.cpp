#include "ci/measuring/confirm_alone.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <utility>

#include "ci/measuring/join_runs.hpp"
#include "regress/ab/solo_check.hpp"

namespace steelyard {
namespace {

using Clock = std::chrono::steady_clock;

// One benchmark to measure again.
struct Found {
  const ListedPair* pair = nullptr;
  const ListedBenchmark* benchmark = nullptr;
  std::set<std::string> metrics = {};  // that changed
};

bool comes_first(const ComparisonRow* a, const ComparisonRow* b) {
  const bool worse_a = a->verdict == Verdict::regression;
  const bool worse_b = b->verdict == Verdict::regression;
  if (worse_a != worse_b) return worse_a;
  return a->q.value_or(1) < b->q.value_or(1);
}

// Of several threads: it was not measured beside anything.
std::optional<Found> find_program(const std::string& canonical, const std::vector<ListedPair>& listed) {
  for (const ListedPair& pair : listed) {
    for (const ListedBenchmark& benchmark : pair.candidate.benchmarks()) {
      if (benchmark.id.canonical() != canonical) continue;
      if (benchmark.has_several_threads()) return std::nullopt;
      return Found{&pair, &benchmark};
    }
  }
  return std::nullopt;
}

std::vector<Found> what_changed(const Comparison& comparison, const std::vector<ListedPair>& listed) {
  std::vector<const ComparisonRow*> rows;
  for (const ComparisonRow& row : comparison.rows) {
    if (is_to_check_alone(row)) rows.push_back(&row);
  }
  std::stable_sort(rows.begin(), rows.end(), comes_first);
  std::vector<Found> changed;
  for (const ComparisonRow* row : rows) {
    std::optional<Found> found = find_program(row->benchmark, listed);
    if (!found) continue;
    auto known = std::find_if(changed.begin(), changed.end(),
                              [&](const Found& other) { return other.benchmark == found->benchmark; });
    if (known == changed.end()) known = changed.insert(changed.end(), std::move(*found));
    known->metrics.insert(row->metric.name);
  }
  return changed;
}

// Nothing else of the program is measured, and no look ends it.
TimingPlan solo_timing(const Found& found, const TimingPlan& duet) {
  TimingPlan timing = duet;
  timing.looks = {};
  timing.samples = found.pair->samples;
  timing.leave_out.clear();
  for (const ListedProgram* side : {&found.pair->baseline, &found.pair->candidate}) {
    for (const ListedBenchmark& other : side->benchmarks()) {
      if (other.name != found.benchmark->name) timing.leave_out.push_back(other.name);
    }
  }
  return timing;
}

// Only what is to be checked, under its own name. Nothing where a metric has too few rounds.
std::optional<Run> samples_to_keep(Run measured, const Found& found) {
  std::vector<Measurement> kept;
  for (Measurement& measurement : measured.measurements) {
    if (!found.metrics.contains(measurement.metric.name)) continue;
    if (measurement.invocations.size() < static_cast<std::size_t>(kLeastSoloRounds)) return std::nullopt;
    kept.push_back(as_alone(std::move(measurement)));
  }
  if (kept.empty()) return std::nullopt;
  measured.measurements = std::move(kept);
  return measured;
}

void add_samples(Run samples, Run& run) {
  samples.header = run.header;
  samples.failures.clear();
  samples.labels.clear();
  join_run(run, std::move(samples));
}

std::string failure_of(const MeasuredPair& pair) {
  for (const Run* run : {&pair.baseline, &pair.candidate}) {
    for (const Failure& failure : run->failures) {
      if (!failure.reason.starts_with(kNotReached)) return failure.reason;
    }
  }
  return "";
}

}  // namespace

Nanoseconds solo_budget(Nanoseconds budget) { return std::min(budget * 0.125, Nanoseconds(seconds(30))); }

void confirm_alone(const std::vector<ListedPair>& listed, const Comparison& seen, const MeasuringSettings& settings,
                   const TimingPlan& timing, const Limits& limits, MeasuredPair& pair,
                   std::vector<std::string>& warnings) {
  if (mutual_layout(pair.baseline.header, pair.candidate.header) != Layout::duet) return;
  const std::vector<Found> changed = what_changed(seen, listed);
  if (changed.empty()) return;
  for (Run* run : {&pair.baseline, &pair.candidate}) {
    run->header.settings[std::string(kSoloSetting)] = std::to_string(kSoloRounds) + " rounds";
  }
  MeasuringSettings alone = settings;
  alone.layout = Layout::interleaved;
  alone.rounds = kSoloRounds;
  alone.seed = settings.seed + 1;  // other orders and paddings than the duet's
  const Clock::time_point begun = Clock::now();
  const auto left = [&] {
    const double spent = std::chrono::duration<double, std::nano>(Clock::now() - begun).count();
    return Nanoseconds(limits.budget.count() - spent);
  };
  Nanoseconds last{};  // what the one before took
  for (const Found& found : changed) {
    if (limits.is_cancelled()) return;
    const Nanoseconds budget = left();
    if (budget.count() <= 0 || budget < last) return;
    Result<MeasuredPair> measured = measure_pair(found.pair->baseline, found.pair->candidate, alone,
                                                 solo_timing(found, timing), {budget, limits.cancelled});
    last = Nanoseconds(budget.count() - left().count());
    const std::string trouble = measured ? failure_of(*measured) : measured.error().text();
    if (!trouble.empty()) {
      warnings.push_back(found.benchmark->id.canonical() + " could not be measured alone: " + trouble);
    }
    if (!measured) continue;
    std::optional<Run> baseline = samples_to_keep(std::move(measured->baseline), found);
    std::optional<Run> candidate = samples_to_keep(std::move(measured->candidate), found);
    if (!baseline || !candidate) continue;
    add_samples(std::move(*baseline), pair.baseline);
    add_samples(std::move(*candidate), pair.candidate);
  }
}

}  // namespace steelyard

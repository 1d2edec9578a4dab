#include "ci/measuring/confirm_alone.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <utility>

#include "ci/measuring/join_runs.hpp"
#include "regress/ab/confirmation.hpp"

namespace steelyard {
namespace {

using Clock = std::chrono::steady_clock;

// One benchmark to measure again.
struct Found {
  std::size_t program = 0;
  std::string name;               // as the program lists it
  std::string benchmark;          // canonical
  std::set<std::string> metrics;  // that changed
};

bool comes_first(const ComparisonRow* a, const ComparisonRow* b) {
  const bool worse_a = a->verdict == Verdict::regression;
  const bool worse_b = b->verdict == Verdict::regression;
  if (worse_a != worse_b) return worse_a;
  return a->q.value_or(1) < b->q.value_or(1);
}

// Of several threads: it was not measured beside anything.
std::optional<Found> find_program(const std::string& benchmark, const std::vector<ProgramPair>& programs,
                                  const std::vector<ListedPair>& listed) {
  for (std::size_t i = 0; i < programs.size(); ++i) {
    for (const std::string& name : listed[i].candidate.benchmarks) {
      BenchmarkId id = parse_google_benchmark_name(name);
      id.suite = programs[i].candidate.suite;
      if (id.canonical() != benchmark) continue;
      if (id.threads.value_or(1) > 1) return std::nullopt;
      return Found{i, name, benchmark, {}};
    }
  }
  return std::nullopt;
}

std::vector<Found> what_changed(const Comparison& comparison, const std::vector<ProgramPair>& programs,
                                const std::vector<ListedPair>& listed) {
  std::vector<const ComparisonRow*> rows;
  for (const ComparisonRow& row : comparison.rows) {
    if (is_to_check_alone(row)) rows.push_back(&row);
  }
  std::stable_sort(rows.begin(), rows.end(), comes_first);
  std::vector<Found> changed;
  for (const ComparisonRow* row : rows) {
    const auto known = std::find_if(changed.begin(), changed.end(),
                                    [&](const Found& found) { return found.benchmark == row->benchmark; });
    if (known != changed.end()) {
      known->metrics.insert(row->metric.name);
    } else if (std::optional<Found> found = find_program(row->benchmark, programs, listed)) {
      found->metrics.insert(row->metric.name);
      changed.push_back(std::move(*found));
    }
  }
  return changed;
}

MeasureOptions solo_options(const Found& found, const ListedPair& listed, const MeasureOptions& duet,
                            Nanoseconds budget) {
  MeasureOptions options = duet;
  options.layout = Layout::interleaved;
  options.looks = {};
  options.rounds = kSoloRounds;
  options.budget = budget;
  options.seed = duet.seed + 1;  // other orders and paddings than the duet's
  options.samples = listed.samples;
  std::set<std::string> others(listed.baseline.benchmarks.begin(), listed.baseline.benchmarks.end());
  others.insert(listed.candidate.benchmarks.begin(), listed.candidate.benchmarks.end());
  others.erase(found.name);
  options.leave_out.assign(others.begin(), others.end());
  return options;
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
      if (failure.kind != FailureKind::not_reached) return failure.reason;
    }
  }
  return "";
}

}  // namespace

Nanoseconds solo_budget(Nanoseconds budget) { return std::min(budget * 0.125, Nanoseconds(seconds(30))); }

void confirm_alone(const std::vector<ProgramPair>& programs, const std::vector<ListedPair>& listed,
                   const Comparison& seen, const MeasureOptions& options, MeasuredPair& pair,
                   std::vector<std::string>& warnings) {
  if (mutual_layout(pair.baseline.header, pair.candidate.header) != Layout::duet) return;
  const std::vector<Found> changed = what_changed(seen, programs, listed);
  if (changed.empty()) return;
  for (Run* run : {&pair.baseline, &pair.candidate}) {
    run->header.settings[std::string(kSoloSetting)] = std::to_string(kSoloRounds) + " rounds";
  }
  const Clock::time_point begun = Clock::now();
  const auto left = [&] {
    const double spent = std::chrono::duration<double, std::nano>(Clock::now() - begun).count();
    return Nanoseconds(options.budget.count() - spent);
  };
  Nanoseconds last{};  // what the one before took
  for (const Found& found : changed) {
    if (options.cancelled != nullptr && options.cancelled->load()) return;
    const Nanoseconds budget = left();
    if (budget.count() <= 0 || budget < last) return;
    Result<MeasuredPair> alone = measure_pair(programs[found.program].baseline, programs[found.program].candidate,
                                              solo_options(found, listed[found.program], options, budget));
    last = Nanoseconds(budget.count() - left().count());
    const std::string trouble = alone ? failure_of(*alone) : alone.error().text();
    if (!trouble.empty()) warnings.push_back(found.benchmark + " could not be measured alone: " + trouble);
    if (!alone) continue;
    std::optional<Run> baseline = samples_to_keep(std::move(alone->baseline), found);
    std::optional<Run> candidate = samples_to_keep(std::move(alone->candidate), found);
    if (!baseline || !candidate) continue;
    add_samples(std::move(*baseline), pair.baseline);
    add_samples(std::move(*candidate), pair.candidate);
  }
}

}  // namespace steelyard

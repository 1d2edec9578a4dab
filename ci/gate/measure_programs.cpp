#include "ci/gate/measure_programs.hpp"

#include <algorithm>

#include "ci/gate/count_programs.hpp"
#include "ci/gate/listed_pair.hpp"
#include "ci/gate/time_programs.hpp"
#include "regress/compare_runs.hpp"

namespace steelyard {
namespace {

// How many noisy metrics are judged of each benchmark: the judgement adjusts for all of them.
std::int64_t noisy_metrics(const PolicySettings& policy) {
  if (policy.metrics.empty()) return 1;
  return std::count_if(policy.metrics.begin(), policy.metrics.end(), [](const std::string& name) {
    const std::optional<Metric> metric = well_known_metric(name);
    return !metric || metric->kind == MetricKind::noisy;
  });
}

MeasureOptions timing_options(const MeasuringPlan& plan, ProgressLine& progress, const std::atomic<bool>* cancelled) {
  MeasureOptions options;
  options.filter = plan.settings.filter;
  options.layout = plan.settings.layout;
  options.rounds = plan.settings.rounds;
  options.repetitions = plan.settings.repetitions;
  options.min_time = plan.settings.min_time;
  options.budget = plan.settings.budget.value_or(plan.budget);
  options.timeout = plan.settings.timeout;
  options.seed = plan.seed;
  options.cancelled = cancelled;
  options.progress = [&progress](const MeasureProgress& now) {
    progress.show(
        "timing " + now.benchmark + ", round " + std::to_string(now.round + 1) + " of " + std::to_string(now.rounds),
        now.done, now.left);
  };
  return options;
}

}  // namespace

Result<MeasuredPrograms> measure_programs(const MeasuringPlan& plan, ProgressLine& progress,
                                          const std::atomic<bool>* cancelled) {
  MeasuredPrograms measured;
  STEELYARD_TRY(const bool counting, counting_wanted(plan.settings, plan.policy, measured.warnings));
  std::vector<ListedPair> listed;
  std::int64_t benchmarks = 0;
  for (const ProgramPair& pair : plan.programs) {
    STEELYARD_TRY(ListedPair list, list_pair(pair, plan.settings, cancelled));
    benchmarks += static_cast<std::int64_t>(list.size());
    listed.push_back(std::move(list));
  }
  MeasureOptions options = timing_options(plan, progress, cancelled);
  if (options.rounds == 0) {
    const ComparisonPolicy policy = comparison_policy(plan.policy);
    options.rounds =
        rounds_needed(policy.false_alarm_rate, std::max<std::int64_t>(1, benchmarks * noisy_metrics(plan.policy)));
  }
  STEELYARD_TRY(measured.pair, time_programs(plan.programs, listed, options));
  if (!counting) return measured;
  std::vector<CountPair> counted;
  for (std::size_t i = 0; i < plan.programs.size(); ++i) {
    counted.push_back({{&plan.programs[i].baseline, listed[i].baseline.benchmarks, &measured.pair.baseline},
                       {&plan.programs[i].candidate, listed[i].candidate.benchmarks, &measured.pair.candidate}});
  }
  count_programs(counted, {options.budget, plan.settings.timeout, plan.seed, cancelled}, progress);
  progress.clear();
  return measured;
}

Result<Run> measure_alone(const Program& program, const MeasuringPlan& plan, ProgressLine& progress,
                          std::vector<std::string>& warnings, const std::atomic<bool>* cancelled) {
  STEELYARD_TRY(const bool counting, counting_wanted(plan.settings, plan.policy, warnings));
  ListedSide listed;
  if (counting) {
    STEELYARD_TRY(listed, list_side(program, plan.settings, cancelled));
  }
  const MeasureOptions options = timing_options(plan, progress, cancelled);
  STEELYARD_TRY(Run run, measure_one(program, options));
  if (counting) {
    count_programs({{{}, {&program, listed.benchmarks, &run}}},
                   {options.budget, plan.settings.timeout, plan.seed, cancelled}, progress);
  }
  progress.clear();
  return run;
}

}  // namespace steelyard

#include "ci/gate/measure_programs.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>

#include "ci/gate/count_programs.hpp"
#include "ci/gate/join_runs.hpp"
#include "regress/compare_runs.hpp"

namespace steelyard {
namespace {

using Clock = std::chrono::steady_clock;

struct Listed {
  std::vector<std::string> baseline;
  std::vector<std::string> candidate;
  std::size_t size() const { return std::max(baseline.size(), candidate.size()); }
};

bool exists(const Program& program) {
  std::error_code ignored;
  return std::filesystem::exists(program.executable, ignored);
}

// A program that only the candidate has is new, not wrong.
bool is_new(const ProgramPair& pair) { return !exists(pair.baseline) && exists(pair.candidate); }

Result<Listed> list_pair(const ProgramPair& pair, const MeasuringSettings& settings) {
  Listed listed;
  STEELYARD_TRY(listed.candidate, list_benchmarks(pair.candidate, settings.filter, settings.timeout));
  if (is_new(pair)) return listed;
  STEELYARD_TRY(listed.baseline, list_benchmarks(pair.baseline, settings.filter, settings.timeout));
  return listed;
}

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

Result<MeasuredPair> time_pair(const ProgramPair& pair, const MeasureOptions& options) {
  if (!is_new(pair)) return measure_pair(pair.baseline, pair.candidate, options);
  STEELYARD_TRY(Run alone, measure_one(pair.candidate, options));
  MeasuredPair measured;
  measured.baseline.header = alone.header;
  measured.baseline.environment = alone.environment;
  measured.candidate = std::move(alone);
  return measured;
}

// Each program gets the share of the budget that is left that its number of benchmarks asks for.
Result<MeasuredPair> time_all(const MeasuringPlan& plan, const std::vector<Listed>& listed, MeasureOptions options,
                              const std::atomic<bool>* cancelled) {
  const auto begun = Clock::now();
  const Nanoseconds budget = options.budget;
  std::size_t ahead = 0;
  for (const Listed& list : listed) ahead += list.size();
  MeasuredPair whole;
  for (std::size_t i = 0; i < plan.programs.size(); ++i) {
    if (i > 0 && cancelled != nullptr && cancelled->load()) break;
    const double spent = i == 0 ? 0 : std::chrono::duration<double, std::nano>(Clock::now() - begun).count();
    const double share = ahead == 0 ? 1 : static_cast<double>(listed[i].size()) / static_cast<double>(ahead);
    options.budget = Nanoseconds(std::max(0.0, budget.count() - spent) * share);
    ahead -= listed[i].size();
    STEELYARD_TRY(MeasuredPair part, time_pair(plan.programs[i], options));
    if (i == 0) {
      whole = std::move(part);
      continue;
    }
    join_run(whole.baseline, std::move(part.baseline));
    join_run(whole.candidate, std::move(part.candidate));
  }
  return whole;
}

}  // namespace

Result<MeasuredPrograms> measure_programs(const MeasuringPlan& plan, ProgressLine& progress,
                                          const std::atomic<bool>* cancelled) {
  MeasuredPrograms measured;
  STEELYARD_TRY(const bool counting, counting_wanted(plan.settings, plan.policy, measured.warnings));
  std::vector<Listed> listed;
  std::int64_t benchmarks = 0;
  for (const ProgramPair& pair : plan.programs) {
    STEELYARD_TRY(Listed list, list_pair(pair, plan.settings));
    benchmarks += static_cast<std::int64_t>(list.size());
    listed.push_back(std::move(list));
  }
  MeasureOptions options = timing_options(plan, progress, cancelled);
  if (options.rounds == 0) {
    const ComparisonPolicy policy = comparison_policy(plan.policy);
    options.rounds =
        rounds_needed(policy.false_alarm_rate, std::max<std::int64_t>(1, benchmarks * noisy_metrics(plan.policy)));
  }
  STEELYARD_TRY(measured.pair, time_all(plan, listed, options, cancelled));
  if (!counting) return measured;
  std::vector<CountJob> jobs;
  for (std::size_t i = 0; i < plan.programs.size(); ++i) {
    jobs.push_back({&plan.programs[i].baseline, listed[i].baseline, &measured.pair.baseline});
    jobs.push_back({&plan.programs[i].candidate, listed[i].candidate, &measured.pair.candidate});
  }
  STEELYARD_CHECK(count_programs(jobs, {options.budget, plan.settings.timeout, cancelled}, progress));
  progress.clear();
  return measured;
}

Result<Run> measure_alone(const Program& program, const MeasuringPlan& plan, ProgressLine& progress,
                          std::vector<std::string>& warnings, const std::atomic<bool>* cancelled) {
  STEELYARD_TRY(const bool counting, counting_wanted(plan.settings, plan.policy, warnings));
  STEELYARD_TRY(const std::vector<std::string> names,
                list_benchmarks(program, plan.settings.filter, plan.settings.timeout));
  const MeasureOptions options = timing_options(plan, progress, cancelled);
  STEELYARD_TRY(Run run, measure_one(program, options));
  if (counting) {
    STEELYARD_CHECK(
        count_programs({{&program, names, &run}}, {options.budget, plan.settings.timeout, cancelled}, progress));
  }
  progress.clear();
  return run;
}

}  // namespace steelyard

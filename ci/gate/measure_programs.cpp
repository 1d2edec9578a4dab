#include "ci/gate/measure_programs.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "bench/environment/read_environment.hpp"
#include "ci/gate/confirm_alone.hpp"
#include "ci/gate/count_programs.hpp"
#include "ci/gate/device_programs.hpp"
#include "ci/gate/hardware_programs.hpp"
#include "ci/gate/join_runs.hpp"
#include "ci/gate/listed_pair.hpp"
#include "ci/gate/time_programs.hpp"
#include "regress/ab/look_plan.hpp"
#include "regress/compare_runs.hpp"
#include "regress/judge_looks.hpp"
#include "storage/store.hpp"

namespace steelyard {
namespace {

// How many noisy metrics are judged of each benchmark: the judgement adjusts for all of them.
std::int64_t noisy_metrics(const PolicySettings& policy) {
  std::set<std::string_view> judged(policy.metrics.begin(), policy.metrics.end());
  if (judged.empty()) judged.insert(kRealTime);
  judged.insert(policy.gates.begin(), policy.gates.end());
  return std::count_if(judged.begin(), judged.end(), [](std::string_view name) {
    const std::optional<Metric> metric = well_known_metric(name);
    return !metric || metric->kind == MetricKind::noisy;
  });
}

// "timing BM_sort, round 17 of up to 60, 5 of 23 decided"
std::string timing_text(const MeasureProgress& now) {
  std::string text = "timing " + now.benchmark + ", round " + std::to_string(now.round + 1) + " of ";
  if (!now.looks) return text + std::to_string(now.rounds);
  text += "up to " + std::to_string(now.rounds);
  if (now.decided == 0) return text;
  return text + ", " + std::to_string(now.decided) + " of " + std::to_string(now.benchmarks) + " decided";
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
  options.progress = [&progress](const MeasureProgress& now) { progress.show(timing_text(now), now.done, now.left); };
  return options;
}

CountLimits count_limits(const MeasuringPlan& plan, const MeasureOptions& options) {
  CountLimits limits;
  limits.budget = options.budget;
  limits.timeout = plan.settings.timeout;
  limits.seed = plan.seed;
  limits.cancelled = options.cancelled;
  limits.counters = plan.settings.counters;
  limits.recount = plan.settings.recount;
  if (!plan.settings.no_count_cache) limits.cache = state_folder() / "counts";
  return limits;
}

// A measurement of all programs: listed first, then timed and counted, one after the other.
class PairMeasuring {
 public:
  PairMeasuring(const MeasuringPlan& plan, ProgressLine& progress, const std::atomic<bool>* cancelled)
      : plan_(plan),
        progress_(progress),
        cancelled_(cancelled),
        options_(timing_options(plan, progress, cancelled)),
        devices_(plan.programs) {}

  Result<MeasuredPrograms> run() && {
    STEELYARD_TRY(const bool counting, counting_wanted(plan_.settings, plan_.policy, measured_.warnings));
    STEELYARD_CHECK(list());
    devices_.tell(counting, measured_.warnings);
    const bool may_skip = plan_.policy.skip_time != SkipTime::never;
    if (may_skip && counting) {
      STEELYARD_CHECK(count_then_time());
    } else {
      if (may_skip)
        measured_.warnings.push_back("everything is timed: what may be skipped shows only when it is counted");
      STEELYARD_CHECK(time());
      read_hardware(pairs_of(measured_.pair), plan_.settings, options_, progress_, measured_.warnings);
      if (counting) count(measured_.pair);
    }
    progress_.clear();
    return std::move(measured_);
  }

 private:
  Result<void> list() {
    std::int64_t benchmarks = 0;
    for (const ProgramPair& pair : plan_.programs) {
      STEELYARD_TRY(ListedPair list, list_pair(pair, plan_.settings, cancelled_));
      benchmarks += static_cast<std::int64_t>(list.size());
      listed_.push_back(std::move(list));
    }
    if (options_.rounds != 0) return {};
    const ComparisonPolicy policy = comparison_policy(plan_.policy);
    const std::int64_t comparisons = std::max<std::int64_t>(1, benchmarks * noisy_metrics(plan_.policy));
    options_.rounds = rounds_needed(policy.false_alarm_rate, comparisons);
    if (!plan_.settings.no_early_stop) look_early(policy, comparisons, affordable_rounds(benchmarks));
    return {};
  }

  // Rounds of all benchmarks that the budget pays for. A sample takes about 1.5 times what was asked for, as Google
  // Benchmark aims above it; alternating sides double that.
  int affordable_rounds(std::int64_t benchmarks) const {
    const bool in_duet = plan_.settings.layout.value_or(Layout::duet) == Layout::duet && !devices_.any();
    const double both = in_duet ? 1 : 2;
    const Nanoseconds round = options_.min_time * (1.5 * both * options_.repetitions * static_cast<double>(benchmarks));
    constexpr double kMost = 10000;
    return round.count() > 0 ? static_cast<int>(std::min(kMost, options_.budget / round)) : 0;
  }

  std::optional<Calibration> calibration_of(const Run& baseline, const Run& candidate) const {
    return plan_.calibration ? plan_.calibration(baseline, candidate) : std::nullopt;
  }

  // Every program has the same plan of looks: the level is shared by all of their comparisons.
  void look_early(const ComparisonPolicy& policy, std::int64_t comparisons, int affordable) {
    const LookPlan looks = plan_looks({policy.false_alarm_rate, comparisons, 0, affordable});
    for (const PlannedLook& look : looks.looks) options_.looks.rounds.push_back(look.rounds);
    options_.looks.text = to_text(looks);
    options_.looks.decided = [this, policy, comparisons](const Run& baseline, const Run& candidate) {
      const std::optional<Calibration> known = calibration_of(baseline, candidate);
      std::set<std::string> decided;
      for (const auto& [name, answer] :
           judge_looks(baseline, candidate, policy, comparisons, known ? &*known : nullptr)) {
        if (answer != LookAnswer::undecided) decided.insert(name);
      }
      return decided;
    };
  }

  Result<void> time() {
    STEELYARD_TRY(measured_.pair, time_programs(plan_.programs, listed_, options_));
    if (plan_.settings.no_solo_check) return {};
    MeasureOptions alone = options_;
    alone.progress = [this](const MeasureProgress& now) {
      progress_.show("alone: " + timing_text(now), now.done, now.left);
    };
    const std::optional<Calibration> known = calibration_of(measured_.pair.baseline, measured_.pair.candidate);
    const Comparison seen = compare_runs(measured_.pair.baseline, measured_.pair.candidate,
                                         comparison_policy(plan_.policy), known ? &*known : nullptr);
    confirm_alone(plan_.programs, listed_, seen, alone, measured_.pair, measured_.warnings);
    return {};
  }

  std::vector<CountPair> pairs_of(MeasuredPair& pair) const {
    std::vector<CountPair> pairs;
    for (std::size_t i = 0; i < plan_.programs.size(); ++i) {
      pairs.push_back({{&plan_.programs[i].baseline, listed_[i].baseline.benchmarks, &pair.baseline},
                       {&plan_.programs[i].candidate, listed_[i].candidate.benchmarks, &pair.candidate}});
    }
    return pairs;
  }

  void count(MeasuredPair& pair) {
    const std::vector<CountPair> countable = devices_.without(pairs_of(pair), plan_.settings.counts);
    measured_.equal = count_programs(countable, count_limits(plan_, options_), progress_, measured_.warnings);
  }

  Result<void> count_then_time();

  const MeasuringPlan& plan_;
  ProgressLine& progress_;
  const std::atomic<bool>* cancelled_;
  MeasureOptions options_;
  DevicePrograms devices_;
  std::vector<ListedPair> listed_;
  MeasuredPrograms measured_;
};

// Counts taken before there is a timed run, added to it: with what they say of the machine.
void add_counted(Run counted, Run& run) {
  for (const Fact& fact : counted.environment.facts) {
    if (fact.name.starts_with("count.")) run.environment.set(fact.name, fact.value, fact.decisive);
  }
  join_run(run, std::move(counted));
}

Result<void> PairMeasuring::count_then_time() {
  MeasuredPair counted;
  counted.baseline.environment = counted.candidate.environment = read_environment();
  count(counted);
  std::string names;
  for (std::size_t i = 0; i < listed_.size(); ++i) {
    for (const std::string& name : listed_[i].candidate.benchmarks) {
      BenchmarkId id = parse_google_benchmark_name(name);
      id.suite = plan_.programs[i].candidate.suite;
      std::string reason = reason_to_skip_time(measured_.equal, id.canonical(), plan_.policy.skip_time);
      if (reason.empty()) continue;
      listed_[i].untimed.push_back(name);
      names += (names.empty() ? "" : "; ") + id.canonical();
      measured_.untimed.emplace(id.canonical(), std::move(reason));
    }
  }
  STEELYARD_CHECK(time());
  read_hardware(pairs_of(measured_.pair), plan_.settings, options_, progress_, measured_.warnings);
  add_counted(std::move(counted.baseline), measured_.pair.baseline);
  add_counted(std::move(counted.candidate), measured_.pair.candidate);
  if (names.empty()) return {};
  for (Run* run : {&measured_.pair.baseline, &measured_.pair.candidate}) run->header.settings["timing.skipped"] = names;
  return {};
}

}  // namespace

Result<MeasuredPrograms> measure_programs(const MeasuringPlan& plan, ProgressLine& progress,
                                          const std::atomic<bool>* cancelled) {
  return PairMeasuring(plan, progress, cancelled).run();
}

Result<Run> measure_alone(const Program& program, const MeasuringPlan& plan, ProgressLine& progress,
                          std::vector<std::string>& warnings, const std::atomic<bool>* cancelled) {
  STEELYARD_TRY(const bool counting, counting_wanted(plan.settings, plan.policy, warnings));
  ListedSide listed;
  if (counting || plan.settings.counters.hardware) {
    STEELYARD_TRY(listed, list_side(program, plan.settings, cancelled));
  }
  const MeasureOptions options = timing_options(plan, progress, cancelled);
  STEELYARD_TRY(Run run, measure_one(program, options));
  const std::vector<CountPair> alone{{{}, {&program, listed.benchmarks, &run}}};
  read_hardware(alone, plan.settings, options, progress, warnings);
  const DevicePrograms devices(program);
  if (counting) {
    devices.tell(true, warnings);
    count_programs(devices.without(alone, plan.settings.counts), count_limits(plan, options), progress, warnings);
  }
  progress.clear();
  return run;
}

}  // namespace steelyard

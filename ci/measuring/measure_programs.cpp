#include "ci/measuring/measure_programs.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <string_view>
#include <thread>

#include "bench/environment/read_environment.hpp"
#include "ci/measuring/confirm_alone.hpp"
#include "ci/measuring/count_programs.hpp"
#include "ci/measuring/device_programs.hpp"
#include "ci/measuring/hardware_programs.hpp"
#include "ci/measuring/join_runs.hpp"
#include "ci/measuring/listed_pair.hpp"
#include "ci/measuring/time_programs.hpp"
#include "regress/ab/sequential.hpp"
#include "regress/compare_runs.hpp"
#include "regress/judge_looks.hpp"
#include "storage/place/store_address.hpp"

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
  if (now.pilot) {
    return "trying " + now.benchmark + ", " + std::to_string(now.round + 1) + " of " + std::to_string(now.benchmarks);
  }
  std::string text = "timing " + now.benchmark + ", round " + std::to_string(now.round + 1) + " of ";
  if (!now.looks) return text + std::to_string(now.rounds);
  text += "up to " + std::to_string(now.rounds);
  if (now.decided == 0) return text;
  return text + ", " + std::to_string(now.decided) + " of " + std::to_string(now.benchmarks) + " decided";
}

Nanoseconds budget_of(const MeasuringPlan& plan) { return plan.settings.budget.value_or(plan.budget); }

// Of everything since `begun`.
class BudgetClock {
 public:
  explicit BudgetClock(Nanoseconds budget) : budget_(budget) {}
  Nanoseconds left() const {
    const double spent = std::chrono::duration<double, std::nano>(Clock::now() - begun_).count();
    return Nanoseconds(std::max(0.0, budget_.count() - spent));
  }
  Nanoseconds counting_share() const { return budget_ * (1.0 / 3); }
  // At least its share, though timing took longer than planned: a count that was not taken says nothing.
  Nanoseconds left_for_counting() const { return std::max(left(), counting_share()); }
  Nanoseconds whole() const { return budget_; }

 private:
  using Clock = std::chrono::steady_clock;
  Nanoseconds budget_;
  Clock::time_point begun_ = Clock::now();
};

MeasureOptions timing_options(const MeasuringPlan& plan, ProgressLine& progress, const std::atomic<bool>* cancelled) {
  MeasureOptions options;
  options.filter = plan.settings.filter;
  options.layout = plan.settings.layout;
  options.rounds = plan.settings.rounds;
  options.repetitions = plan.settings.repetitions.value_or(0);
  options.min_time = plan.settings.min_time.value_or(Nanoseconds(0));
  options.budget = budget_of(plan);
  options.timeout = plan.settings.timeout;
  options.seed = plan.seed;
  options.cancelled = cancelled;
  options.progress = [&progress](const MeasureProgress& now) { progress.show(timing_text(now), now.done, now.left); };
  return options;
}

// How long counting these sides will take, as far as can be told before it began: a process starts about 50 times
// slower under Callgrind (Valgrind manual, "Callgrind"), and each processor has its own.
Nanoseconds counting_estimate(const ListedSide& side) {
  constexpr double kSlowdown = 50;
  constexpr Nanoseconds kValgrindStart = milliseconds(300);
  const double processors = std::max(1U, std::thread::hardware_concurrency());
  return (side.start * kSlowdown + kValgrindStart) * (static_cast<double>(side.benchmarks.size()) / processors);
}

CountLimits count_limits(const MeasuringPlan& plan, const MeasureOptions& options, Nanoseconds budget) {
  CountLimits limits;
  limits.budget = budget;
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
        clock_(budget_of(plan)),
        options_(timing_options(plan, progress, cancelled)),
        devices_(plan.programs) {}

  Result<MeasuredPrograms> run() && {
    STEELYARD_TRY(const bool counting, counting_wanted(plan_.settings, plan_.policy, measured_.warnings));
    if (counting) counting_share_ = clock_.counting_share();
    STEELYARD_CHECK(list());
    devices_.tell(counting, measured_.warnings);
    const bool may_skip = plan_.policy.skip_time != SkipTime::never;
    if (may_skip && counting) {
      STEELYARD_CHECK(count_then_time());
    } else {
      if (may_skip)
        measured_.warnings.push_back("everything is timed: what may be skipped shows only when it is counted");
      STEELYARD_CHECK(time());
      read_hardware(pairs_of(measured_.pair), plan_.settings, hardware_options(), progress_, measured_.warnings);
      if (counting) count(measured_.pair, clock_.left_for_counting());
    }
    progress_.clear();
    return std::move(measured_);
  }

 private:
  Result<void> list() {
    std::int64_t benchmarks = 0;
    Nanoseconds start;  // of all benchmarks' processes
    Nanoseconds counting;
    for (const ProgramPair& pair : plan_.programs) {
      STEELYARD_TRY(ListedPair list, list_pair(pair, plan_.settings, cancelled_));
      benchmarks += static_cast<std::int64_t>(list.size());
      start += std::max(list.baseline.start, list.candidate.start) * static_cast<double>(list.size());
      counting += counting_estimate(list.baseline) + counting_estimate(list.candidate);
      listed_.push_back(std::move(list));
    }
    show_counting_too(counting);
    if (options_.rounds != 0) return {};
    const ComparisonPolicy policy = comparison_policy(plan_.policy);
    const std::int64_t comparisons = std::max<std::int64_t>(1, benchmarks * noisy_metrics(plan_.policy));
    options_.rounds = rounds_needed(policy.false_alarm_rate, comparisons);
    if (!plan_.settings.no_early_stop) look_early(policy, comparisons, affordable_rounds(start, benchmarks));
    return {};
  }

  // What is shown as left is until the end of everything.
  void show_counting_too(Nanoseconds counting) {
    if (counting.count() <= 0) return;
    options_.progress = [this, counting](const MeasureProgress& now) {
      const Nanoseconds later = std::min(counting, counting_share_);  // nothing once it is done
      const double all = (now.elapsed + now.left + later).count();
      progress_.show(timing_text(now), all > 0 ? now.elapsed.count() / all : 0, now.left + later);
    };
  }

  // Rounds of all benchmarks that the budget pays for: samples are as short as that asks for, down to a few
  // milliseconds. Sides that take turns need twice the time.
  int affordable_rounds(Nanoseconds start, std::int64_t benchmarks) const {
    constexpr Nanoseconds kUseful = milliseconds(10);
    const bool in_duet = plan_.settings.layout.value_or(Layout::duet) == Layout::duet && !devices_.any();
    const double both = in_duet ? 1 : 2;
    const Nanoseconds sample =
        options_.min_time.count() > 0 ? options_.min_time * (1.5 * std::max(options_.repetitions, 1)) : kUseful;
    const Nanoseconds round = (start + sample * static_cast<double>(benchmarks)) * both;
    constexpr double kMost = 10000;
    return round.count() > 0 ? static_cast<int>(std::min(kMost, timing_budget() / round)) : 0;
  }

  MeasureOptions hardware_options() const {
    MeasureOptions options = options_;
    options.budget = std::max(Nanoseconds(1), clock_.left() - counting_share_);
    return options;
  }

  // Until counting has begun, what is kept for it is not for timing.
  Nanoseconds timing_budget() const {
    const Nanoseconds alone = plan_.settings.no_solo_check ? Nanoseconds(0) : solo_budget(clock_.whole());
    const double left = (clock_.left() - counting_share_ - alone).count();
    return Nanoseconds(std::max(1.0, left));
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
    options_.budget = timing_budget();
    STEELYARD_TRY(measured_.pair, time_programs(plan_.programs, listed_, options_));
    measured_.samples = listed_.front().samples.usual;
    if (plan_.settings.no_solo_check) return {};
    MeasureOptions alone = options_;
    alone.budget = solo_budget(clock_.whole());
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

  void count(MeasuredPair& pair, Nanoseconds budget) {
    const std::vector<CountPair> countable = devices_.without(pairs_of(pair), plan_.settings.counts);
    measured_.equal = count_programs(countable, count_limits(plan_, options_, budget), progress_, measured_.warnings);
    counting_share_ = Nanoseconds(0);
  }

  Result<void> count_then_time();

  const MeasuringPlan& plan_;
  ProgressLine& progress_;
  const std::atomic<bool>* cancelled_;
  BudgetClock clock_;
  Nanoseconds counting_share_;  // of the budget, that is still kept for counting
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
  count(counted, clock_.counting_share());
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
  read_hardware(pairs_of(measured_.pair), plan_.settings, hardware_options(), progress_, measured_.warnings);
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
  const BudgetClock clock(budget_of(plan));
  MeasureOptions options = timing_options(plan, progress, cancelled);
  if (counting) options.budget = options.budget - clock.counting_share();
  STEELYARD_TRY(Run run, measure_one(program, options));
  const std::vector<CountPair> alone{{{}, {&program, listed.benchmarks, &run}}};
  read_hardware(alone, plan.settings, options, progress, warnings);
  const DevicePrograms devices(program);
  if (counting) {
    devices.tell(true, warnings);
    count_programs(devices.without(alone, plan.settings.counts), count_limits(plan, options, clock.left_for_counting()),
                   progress, warnings);
  }
  progress.clear();
  return run;
}

}  // namespace steelyard

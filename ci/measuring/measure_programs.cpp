#include "ci/measuring/measure_programs.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <thread>

#include "bench/environment/read_environment.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "ci/measuring/budget_clock.hpp"
#include "ci/measuring/count_programs.hpp"
#include "ci/measuring/relink.hpp"
#include "ci/measuring/run_parts.hpp"
#include "ci/measuring/shard.hpp"
#include "ci/measuring/time_programs.hpp"
#include "ci/report/so_far.hpp"
#include "ci/report/warning_text.hpp"
#include "regress/ab/gates.hpp"
#include "regress/ab/permutations.hpp"
#include "regress/ab/rules.hpp"
#include "regress/ab/sequential.hpp"
#include "regress/compare_runs.hpp"
#include "regress/judge_looks.hpp"
#include "regress/policy/pattern_policy.hpp"

namespace steelyard::ci {
namespace {

// How many noisy metrics are judged of each benchmark, at most: the judgement adjusts for all of them.
std::int64_t noisy_metrics(const ComparisonPolicy& policy) {
  return static_cast<std::int64_t>(regress::perhaps_noisy_metrics(policy).size());
}

// "timing BM_sort, round 17 of up to 60, 5 of 23 decided"
std::string timing_text(const bench::MeasureProgress& now) {
  if (now.pilot) {
    return "trying " + now.benchmark + ", " + std::to_string(now.round + 1) + " of " + std::to_string(now.benchmarks);
  }
  std::string text = "timing " + now.benchmark + (now.benchmark.empty() ? "round " : ", round ") +
                     std::to_string(now.round + 1) + " of ";
  if (!now.looks) return text + std::to_string(now.rounds);
  text += "up to " + std::to_string(now.rounds);
  if (now.decided == 0) return text;
  return text + ", " + std::to_string(now.decided) + " of " + std::to_string(now.benchmarks) + " decided";
}

Nanoseconds budget_of(const bench::MeasuringSettings& settings) {
  return settings.budget.value_or(bench::Limits().budget);
}

Nanoseconds counting_share(const BudgetClock& clock) { return clock.whole() * (1.0 / 3); }
// At least its share, though timing took longer than planned: a count that was not taken says nothing.
Nanoseconds left_for_counting(const BudgetClock& clock) { return std::max(clock.left(), counting_share(clock)); }

bench::TimingPlan timing_shown_on(ProgressLine& progress, std::function<Nanoseconds()> later) {
  bench::TimingPlan timing;
  timing.progress = [&progress, later = std::move(later)](const bench::MeasureProgress& now) {
    progress.show_until_end(timing_text(now), now.left + later());
  };
  return timing;
}

// What the policy's tables leave to the timing of their benchmarks, all programs together.
class PatternBudgets {
 public:
  explicit PatternBudgets(const PolicySettings& settings) : policy_(comparison_policy(settings)) {
    const bool any_machine = std::any_of(policy_.patterns.begin(), policy_.patterns.end(),
                                         [](const PatternPolicy& table) { return !table.machine.empty(); });
    if (any_machine) policy_ = regress::on_machine(policy_, regress::machine_names(bench::read_environment()));
    for (const PatternPolicy& table : policy_.patterns) {
      if (table.budget_ns) left_[&table] = nanoseconds(static_cast<double>(*table.budget_ns));
    }
  }

  bool empty() const { return left_.empty(); }
  // False: nothing is left for this benchmark.
  bool spend(const BenchmarkId& benchmark, Nanoseconds time) {
    const PatternPolicy* table = regress::table_for(policy_, benchmark.canonical(), &PatternPolicy::budget_ns);
    if (table == nullptr) return true;
    Nanoseconds& left = left_.at(table);
    left = left - time;
    return left.count() > 0;
  }

  // "the budget of "gemv/*" (steelyard.toml:12), 30 s, was spent: ...", one for each that was.
  void tell(std::vector<std::string>& warnings) const {
    for (const auto& [table, left] : left_) {
      if (left.count() > 0) continue;
      const auto budget = nanoseconds(static_cast<double>(*table->budget_ns));
      warnings.push_back(warning::budget_spent(*table, budget));
    }
  }

 private:
  ComparisonPolicy policy_;
  std::map<const PatternPolicy*, Nanoseconds> left_;
};

// How long counting these sides will take, as far as can be told before it began: a process starts about 50 times
// slower under Callgrind (Valgrind manual, "Callgrind"), and each processor has its own.
Nanoseconds counting_estimate(const bench::ListedProgram& side) {
  constexpr double kSlowdown = 50;
  constexpr Nanoseconds kValgrindStart = milliseconds(300);
  const double processors = std::max(1U, std::thread::hardware_concurrency());
  return (side.listing.start * kSlowdown + kValgrindStart) *
         (static_cast<double>(side.benchmarks().size()) / processors);
}

// A change of what a command does is a smaller part of a time that is mostly that of starting it.
constexpr double kFarAboveStart = 5;  // times what an empty process takes

void append_command_warnings(const std::vector<const bench::ListedProgram*>& sides,
                             const bench::MeasuringSettings& settings, std::vector<std::string>& warnings) {
  const auto takes = [](const bench::ListedProgram& side) {
    return side.listing.process ? side.listing.process->takes : side.listing.start;
  };
  const bench::ListedProgram* shortest = nullptr;
  for (const bench::ListedProgram* side : sides) {
    if (!side->program.command || side->trouble) continue;
    if (shortest == nullptr || takes(*side) < takes(*shortest)) shortest = side;
  }
  if (shortest == nullptr) return;
  const std::string name = shortest->program.executable.filename().string();
  if (settings.counters.heap || settings.counters.hardware) warnings.push_back(warning::counters_not_read(name));
  if (!shortest->listing.process) return;
  const bench::ProcessFacts& facts = *shortest->listing.process;
  if (facts.empty.count() > 0 && facts.takes < facts.empty * kFarAboveStart) {
    warnings.push_back(warning::mostly_starting(name, facts.takes, facts.empty));
  }
}

void limit(bench::TimingPlan& timing, PatternBudgets& budgets) {
  if (budgets.empty()) return;
  timing.spend = [&budgets](const BenchmarkId& benchmark, Nanoseconds time) { return budgets.spend(benchmark, time); };
}

// Of all of them; programs are of one origin wherever there are several.
BuildOrigin origin_of(const std::vector<ProgramPair>& programs) {
  const bool is_one = std::all_of(programs.begin(), programs.end(),
                                  [&](const ProgramPair& pair) { return pair.origin == programs.front().origin; });
  return is_one && !programs.empty() ? programs.front().origin : BuildOrigin::unknown;
}

// A measurement of all programs: listed first, then timed and counted, one after the other.
class PairMeasuring {
 public:
  // `listed`: the programs as they were listed before; empty: they are listed first.
  PairMeasuring(const std::vector<ProgramPair>& programs, std::vector<ListedPair> listed,
                const Configuration& configuration, const CalibrationLookup& calibration, ProgressLine& progress,
                const std::atomic<bool>* cancelled)
      : programs_(programs),
        settings_(configuration.run),
        policy_(configuration.policy),
        skipping_(time_skipping(configuration, origin_of(programs))),
        renames_(configuration.renames),
        calibration_(calibration),
        progress_(progress),
        cancelled_(cancelled),
        clock_(budget_of(settings_)),
        timing_(timing_shown_on(progress, [this] { return counting_left(); })),
        devices_(programs),
        budgets_(policy_),
        listed_(std::move(listed)) {
    limit(timing_, budgets_);
    settings_.budget = clock_.whole();  // what is told of it, whatever part of it is for timing
  }

  Result<MeasuredPrograms> run() && {
    STEELYARD_TRY(const bool counting, counting_wanted(settings_, policy_, measured_.warnings));
    if (counting) counting_share_ = counting_share(clock_);
    STEELYARD_CHECK(list());
    STEELYARD_CHECK(relink_all());
    devices_.tell(counting, measured_.warnings);
    if (counting) prepare_counting();
    watch(comparison_policy(policy_));
    if (counting_ && can_steer()) steer();
    if (!counting && asks_to_skip()) measured_.warnings.push_back(warning::everything_is_timed());
    STEELYARD_CHECK(time());
    read_hardware(pairs_of(measured_.pair), settings_, hardware_limits(), progress_, measured_.warnings);
    if (counting) finish_counting();
    if (!counting) keep_lack_of_counting({&measured_.pair.baseline, &measured_.pair.candidate});
    keep_interruption();
    drop_failed_counts_of_skipped(measured_.pair.baseline);
    drop_failed_counts_of_skipped(measured_.pair.candidate);
    progress_.clear();
    sort_measured();
    return std::move(measured_);
  }

 private:
  void sort_measured() {
    std::vector<const bench::ListedProgram*> baselines;
    std::vector<const bench::ListedProgram*> candidates;
    for (const ListedPair& listed : listed_) {
      baselines.push_back(&listed.baseline);
      candidates.push_back(&listed.candidate);
    }
    sort_as_listed(baselines, measured_.pair.baseline);
    sort_as_listed(candidates, measured_.pair.candidate);
  }

  Result<void> list() {
    while (listed_.size() < programs_.size()) {
      STEELYARD_TRY(ListedPair list, list_pair(programs_[listed_.size()], settings_, cancelled_, renames_));
      listed_.push_back(std::move(list));
    }
    for (const ListedPair& list : listed_) {
      measured_.programs.push_back({list.baseline.program, list.candidate.program, list.origin});
      measured_.earlier_names.insert(list.earlier_names.begin(), list.earlier_names.end());
      for (const bench::ListedProgram* side : {&list.baseline, &list.candidate}) {
        for (const bench::ListedBenchmark& benchmark : side->benchmarks()) {
          const auto own = side->program.own_benchmarks.find(benchmark.name);
          if (own == side->program.own_benchmarks.end()) continue;
          measured_.names_of_builds.emplace(own->second.id.canonical(), benchmark.id.canonical());
        }
      }
    }
    judge_by_earlier_names(measured_.earlier_names, policy_.comparison.patterns);
    std::int64_t benchmarks = 0;
    std::int64_t elsewhere = 0;  // that other machines measure
    Nanoseconds start;           // of all benchmarks' processes
    for (const ListedPair& list : listed_) {
      benchmarks += static_cast<std::int64_t>(list.size());
      elsewhere += static_cast<std::int64_t>(list.elsewhere);
      const auto& command = list.candidate.program.command;
      const std::size_t processes = command && command->format != nullptr ? 1 : list.size();
      start += std::max(list.baseline.listing.start, list.candidate.listing.start) * static_cast<double>(processes);
      counting_estimate_ += counting_estimate(list.baseline) + counting_estimate(list.candidate);
    }
    warn_of_commands();
    const ComparisonPolicy policy = comparison_policy(policy_);
    if (settings_.rounds != 0) return {};
    // Machines that share a suite are judged together, over all of it and by one plan: no budget of one may change it.
    const std::int64_t comparisons = std::max<std::int64_t>(1, (benchmarks + elsewhere) * noisy_metrics(policy));
    // Adjusted jointly a lone change could be called sooner, but of fifty benchmarks seldom is: so many rounds find of
    // fifty what 12 find of a dozen (docs/measured/judging_scores.md).
    settings_.rounds = regress::rounds_needed(policy.false_alarm_rate, comparisons);
    if (settings_.no_early_stop) return {};
    const auto times = [&](Layout layout) {
      return look_times(elsewhere > 0 ? 0 : affordable_rounds(start, benchmarks, layout));
    };
    // Which layout it will be is not known before a trial.
    const bool is_tried = !settings_.layout && !devices_.any();
    static_cast<bench::LookTimes&>(timing_.looks) = times(is_tried ? Layout::duet : layout_asked_for());
    if (is_tried) timing_.looks.in_turns = times(Layout::interleaved);
    look_early(policy, comparisons);
    return {};
  }

  void warn_of_commands() {
    for (const ListedPair& list : listed_) {
      append_command_warnings({&list.baseline, &list.candidate}, settings_, measured_.warnings);
    }
  }

  // As building is, it is no part of the budget.
  Result<void> relink_all() {
    if (settings_.relink.empty()) return {};
    for (ListedPair& pair : listed_) {
      if (pair.candidate.program.command) {
        return input_error("--relink", "a command", "a program whose link order can be drawn", "leave one of them out");
      }
      progress_.show("linking " + pair.candidate.program.executable.filename().string() + " in " +
                         plural_text(settings_.relinks, "order"),
                     0, Nanoseconds(0));
      STEELYARD_TRY(bench::PrivateFolder folder, relink(pair, settings_, cancelled_));
      relinked_.push_back(std::move(folder));
    }
    clock_ = BudgetClock(clock_.whole());
    progress_.begin();
    return {};
  }

  // What is shown as left is until the end of everything. Nothing of it once counting is done.
  Nanoseconds counting_left() const { return std::min(counting_estimate_, counting_share_); }

  // Rounds of all benchmarks that the budget pays for: samples are as short as that asks for, down to a few
  // milliseconds. Sides that take turns need twice the time.
  int affordable_rounds(Nanoseconds start, std::int64_t benchmarks, Layout layout) const {
    constexpr Nanoseconds kUseful = milliseconds(10);
    const double both = layout == Layout::duet ? 1 : 2;
    const Nanoseconds asked = settings_.min_time.value_or(Nanoseconds(0));
    const Nanoseconds sample =
        asked.count() > 0 ? asked * (1.5 * std::max(settings_.repetitions.value_or(0), 1)) : kUseful;
    const Nanoseconds round = (start + sample * static_cast<double>(benchmarks)) * both;
    constexpr double kMax = 10000;
    return round.count() > 0 ? static_cast<int>(std::min(kMax, timing_budget() / round)) : 0;
  }

  Layout layout_asked_for() const {
    return devices_.any() ? Layout::interleaved : settings_.layout.value_or(Layout::duet);
  }

  bench::Limits hardware_limits() const {
    return {std::max(Nanoseconds(1), clock_.left() - counting_share_), cancelled_};
  }

  // Until counting has begun, what is kept for it is not for timing.
  Nanoseconds timing_budget() const {
    const Nanoseconds alone = settings_.no_solo_check ? Nanoseconds(0) : solo_budget(clock_.whole());
    const double left = (clock_.left() - counting_share_ - alone).count();
    return Nanoseconds(std::max(1.0, left));
  }

  const Calibration* calibration_of(const Run& baseline, const Run& candidate) const {
    return calibration_ ? calibration_(baseline, candidate) : nullptr;
  }

  // Every program has the same plan of looks. How many comparisons share the level does not lengthen it: adjusted
  // jointly the least p does not grow with them (regress/ab/joint.hpp).
  static bench::LookTimes look_times(int affordable) {
    const regress::LookPlan looks = regress::plan_looks({.affordable_rounds = affordable});
    bench::LookTimes times{{}, std::max(affordable, regress::kUsualLookRounds), regress::to_text(looks)};
    for (const regress::PlannedLook& look : looks.looks) times.rounds.push_back(look.rounds);
    return times;
  }

  void look_early(const ComparisonPolicy& policy, std::int64_t comparisons) {
    timing_.looks.decided = [this, policy, judge = regress::LookJudge(policy, comparisons)](
                                const Run& baseline, const Run& candidate) mutable {
      show_judged(baseline, candidate, policy, judge);
      std::set<std::string> decided;
      for (const auto& [name, answer] : judge.answers(baseline, candidate, calibration_of(baseline, candidate))) {
        if (answer != regress::LookAnswer::undecided) decided.insert(name);
      }
      return decided;
    };
  }

  // What is plain long before the first look is seen at once, by twice the least change that matters.
  void watch(const ComparisonPolicy& policy) {
    if (!progress_.shows_found()) return;
    timing_.watch = [this, least = 2 * policy.minimum_effect](const Run& baseline, const Run& candidate) {
      plain_ = plain_changes(baseline, candidate, least);
      show_found();
    };
    if (!counting_) return;
    counting_->watch([this, policy](const BenchmarkId& benchmark, double ratio) {
      const std::string name = benchmark.canonical();
      const double least = regress::minimum_effect_of(policy, name, MetricKind::counted);
      if (ratio == 1 || !regress::is_relevant(ratio, least)) {
        counted_changes_.erase(name);
      } else {
        counted_changes_[name] = ratio;
      }
      show_found();
    });
  }

  void show_found() { progress_.found(found_lines(seen_ ? &*seen_ : nullptr, plain_, counted_changes_)); }

  // As the comparison would be if this were the end.
  void show_judged(const Run& baseline, const Run& candidate, const ComparisonPolicy& policy,
                   regress::LookJudge& judge) {
    if (!progress_.shows_found()) return;
    seen_ = regress::compare_runs(baseline, candidate, policy, calibration_of(baseline, candidate),
                                  regress::kNewestRules, &judge.memory())
                .comparison;
    show_found();
  }

  // Samples are planned as if counting still had its whole third: what it does not need is for further rounds of what
  // the looks leave undecided, and nothing takes longer for it.
  Result<void> time() {
    const Nanoseconds planned = timing_budget();
    if (counting_ && !counting_->is_anything_left()) counting_share_ = Nanoseconds(0);
    const Nanoseconds budget = timing_budget();
    timing_.planned_share = std::min(1.0, planned / budget);  // the clock has moved on
    STEELYARD_TRY(measured_.pair, time_programs(listed_, settings_, timing_, {budget, cancelled_}));
    for (const Invocation& invocation : measured_.pair.candidate.invocations) {
      timed_rounds_ = std::max(timed_rounds_, invocation.round + 1);
    }
    measured_.samples = listed_.front().samples.usual;
    budgets_.tell(measured_.warnings);
    for (Run* run : {&measured_.pair.baseline, &measured_.pair.candidate}) {
      if (!code_layouts_of(run->header).empty()) run->header.settings["relink"] = settings_.relink;
    }
    if (settings_.no_solo_check) return {};
    bench::TimingPlan alone = timing_;
    alone.spend = {};  // it has a budget of its own
    alone.watch = {};  // and what it finds is no change of the whole
    alone.progress = [this, all = BudgetClock(solo_budget(clock_.whole()))](const bench::MeasureProgress& now) {
      progress_.show_until_end("alone: " + timing_text(now), std::max(now.left, all.left()) + counting_left());
    };
    bench::MeasuredPair& pair = measured_.pair;
    const Comparison seen = timed_so_far();
    seen_ = seen;
    plain_.clear();
    show_found();
    confirm_alone(listed_, seen, settings_, alone, {solo_budget(clock_.whole()), cancelled_}, pair, measured_.warnings);
    return {};
  }

  Comparison timed_so_far() const {
    const Run& baseline = measured_.pair.baseline;
    const Run& candidate = measured_.pair.candidate;
    return regress::compare_runs(baseline, candidate, comparison_policy(policy_), calibration_of(baseline, candidate))
        .comparison;
  }

  std::vector<CountPair> pairs_of(bench::MeasuredPair& pair) const {
    std::vector<CountPair> pairs;
    for (const ListedPair& listed : listed_) {
      pairs.push_back({{&listed.baseline, &pair.baseline}, {&listed.candidate, &pair.candidate}});
    }
    return pairs;
  }

  // Into runs of their own: those of the timing are not there yet.
  void prepare_counting() {
    counted_.baseline.environment = counted_.candidate.environment = bench::read_environment();
    counting_ = std::make_unique<ProgramCounting>(devices_.without(pairs_of(counted_), bench::CountChoice::automatic),
                                                  settings_, cancelled_, progress_, measured_.warnings);
  }

  // Whether any time hangs on what counting shows: with a fixed number of rounds, or where every benchmark must be
  // decided, only what is left out altogether.
  bool can_steer() const {
    if (skipping_.what != SkipTime::never) return true;
    return !timing_.looks.rounds.empty() && !policy_.demand_decision;
  }

  // What is skipped without anyone's asking disappoints nobody where it is timed after all.
  bool asks_to_skip() const { return skipping_.what != SkipTime::never && skipping_.by == UntimedBy::policy; }

  void steer();
  void finish_counting();
  // An interruption after all rounds, or after the budget was spent, is one as well.
  void keep_interruption() {
    if (cancelled_ == nullptr || !cancelled_->load()) return;
    for (Run* run : {&measured_.pair.baseline, &measured_.pair.candidate}) {
      if (stop_of(run->header) == Stop::interrupted) continue;
      keep_stop(Stop::interrupted, timed_rounds_, run->header.settings);
    }
  }

  const std::vector<ProgramPair>& programs_;
  bench::MeasuringSettings settings_;  // with as many rounds as the judgement needs, where none are asked for
  PolicySettings policy_;
  TimeSkipping skipping_;
  const std::vector<BenchmarkRename>& renames_;
  const CalibrationLookup& calibration_;
  ProgressLine& progress_;
  const std::atomic<bool>* cancelled_;
  BudgetClock clock_;
  Nanoseconds counting_share_;  // of the budget, that is still kept for counting
  Nanoseconds counting_estimate_;
  int timed_rounds_ = 0;
  bench::TimingPlan timing_;
  DevicePrograms devices_;
  PatternBudgets budgets_;
  std::vector<ListedPair> listed_;
  std::vector<bench::PrivateFolder> relinked_;  // with the programs of their layouts
  MeasuredPrograms measured_;
  bench::MeasuredPair counted_;
  std::unique_ptr<ProgramCounting> counting_;  // into counted_; null: nothing is counted
  std::set<std::string> first_look_only_;      // canonical
  std::optional<Comparison> seen_;             // of the last look, for who watches
  std::vector<PlainChange> plain_;             // of the last look, for who watches
  CountedChanges counted_changes_;             // so far, for who watches
};

// Counts taken beside a timed run, added to it: with what they say of the machine.
void add_counted(Run counted, Run& run) {
  for (const Fact& fact : counted.environment.facts) {
    if (fact.name.starts_with("count.")) run.environment.set(fact.name, fact.value, fact.decisive);
  }
  join_run(run, std::move(counted));
}

void PairMeasuring::steer() {
  // Of so many that all differ there is little to gain: timing must not wait for the others.
  constexpr std::size_t kMaxWithoutEqual = 8;
  constexpr double kShareBegun = 0.75;
  // What nobody asked to leave untimed is worth no more of it.
  const bool is_asked = skipping_.what != SkipTime::never && skipping_.by != UntimedBy::equal_builds;
  measured_.untimed_by = skipping_.by;
  // What is kept of the share is for what timing will find changed.
  counting_->begin(counting_share_ * kShareBegun, timing_budget(),
                   is_asked ? std::numeric_limits<std::size_t>::max() : kMaxWithoutEqual);
  counting_share_ = Nanoseconds(std::max(0.0, (counting_share_ - counting_->spent()).count()));
  const bool looks = !timing_.looks.rounds.empty() && !policy_.demand_decision;
  for (ListedPair& listed : listed_) {
    for (const bench::ListedBenchmark& benchmark : listed.candidate.benchmarks()) {
      const std::string canonical = benchmark.id.canonical();
      if (may_skip_time(counting_->equal(), canonical, skipping_.what)) {
        listed.untimed.push_back(benchmark.name);
        measured_.untimed.insert(canonical);
      } else if (looks && counting_->equal().is_proven_equal(canonical)) {
        listed.first_look_only.insert(benchmark.name);
        first_look_only_.insert(canonical);
      }
    }
  }
}

void PairMeasuring::finish_counting() {
  // At least what is left of its share, though timing took longer than planned: a count that was not taken says
  // nothing.
  const Comparison timed = counting_->is_anything_left() ? timed_so_far() : Comparison();
  counting_->finish(std::max(clock_.left(), counting_share_), timed);
  counting_share_ = Nanoseconds(0);
  measured_.equal = counting_->equal();
  devices_.without(pairs_of(measured_.pair), settings_.counts);  // fails what was demanded of them
  add_counted(std::move(counted_.baseline), measured_.pair.baseline);
  add_counted(std::move(counted_.candidate), measured_.pair.candidate);
  const std::string skipped = joined_text(measured_.untimed, "; ");
  for (Run* run : {&measured_.pair.baseline, &measured_.pair.candidate}) {
    if (!skipped.empty()) run->header.settings["timing.skipped"] = skipped;
    keep_first_look_only(first_look_only_, run->header.settings);
  }
}

}  // namespace

Result<MeasuredPrograms> measure_programs(const std::vector<ProgramPair>& programs, const Configuration& configuration,
                                          const CalibrationLookup& calibration, ProgressLine& progress,
                                          const std::atomic<bool>* cancelled) {
  return PairMeasuring(programs, {}, configuration, calibration, progress, cancelled).run();
}

Result<MeasuredPrograms> measure_listed(std::vector<ListedPair> listed, const Configuration& configuration,
                                        const CalibrationLookup& calibration, ProgressLine& progress,
                                        const std::atomic<bool>* cancelled) {
  std::vector<ProgramPair> programs;
  for (const ListedPair& pair : listed) {
    programs.push_back({pair.baseline.program, pair.candidate.program, pair.origin});
  }
  return PairMeasuring(programs, std::move(listed), configuration, calibration, progress, cancelled).run();
}

Result<Run> measure_alone(bench::ListedProgram program, const Configuration& configuration, ProgressLine& progress,
                          std::vector<std::string>& warnings, const std::atomic<bool>* cancelled,
                          const ShardChoice* shard) {
  const bench::MeasuringSettings& settings = configuration.run;
  STEELYARD_TRY(const bool counting, counting_wanted(settings, configuration.policy, warnings));
  std::vector<ListedPair> programs(1);
  programs[0].candidate = std::move(program);
  std::optional<TakenShard> taken;
  if (shard != nullptr) {
    STEELYARD_TRY(taken, take_shard(*shard, programs));
  }
  const bench::ListedProgram& listed = programs[0].candidate;
  append_command_warnings({&listed}, settings, warnings);
  const BudgetClock clock(budget_of(settings));
  const bench::Limits limits{counting ? clock.whole() - counting_share(clock) : clock.whole(), cancelled};
  PatternBudgets budgets(configuration.policy);
  const Nanoseconds later = counting ? std::min(counting_estimate(listed), counting_share(clock)) : Nanoseconds(0);
  bench::TimingPlan timing = timing_shown_on(progress, [later] { return later; });
  limit(timing, budgets);
  STEELYARD_TRY(Run run, bench::measure_one(listed, settings, timing, limits));
  budgets.tell(warnings);
  const std::vector<CountPair> alone{{{}, {&listed, &run}}};
  read_hardware(alone, settings, limits, progress, warnings);
  if (counting) {
    const DevicePrograms devices(listed.program);
    devices.tell(true, warnings);
    count_programs(devices.without(alone, settings.counts), settings, {left_for_counting(clock), cancelled}, progress,
                   warnings);
  }
  if (!counting) keep_lack_of_counting({&run});
  drop_failed_counts_of_skipped(run);
  progress.clear();
  sort_as_listed({&listed}, run);
  if (taken) keep_shard(*taken, run.header.settings);
  return run;
}

}  // namespace steelyard::ci

#include "bench/runner/measure.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>

#include "bench/environment/gpu_facts.hpp"
#include "bench/environment/read_environment.hpp"
#include "bench/model/elapsed.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/run.hpp"
#include "bench/model/text.hpp"
#include "bench/runner/command_program.hpp"
#include "bench/runner/core_choice.hpp"
#include "bench/runner/layout_choice.hpp"
#include "bench/runner/measured_side.hpp"
#include "bench/runner/pilot.hpp"
#include "bench/runner/program_facts.hpp"
#include "bench/runner/round_loop.hpp"
#include "bench/runner/round_plan.hpp"
#include "bench/runner/run_header.hpp"

namespace steelyard::bench {
namespace {

using Clock = std::chrono::steady_clock;

// `share`: of `whole`, the budget of all measuring, that was for this program's timing. Absent: nobody divided any.
std::string budget_spent_text(Nanoseconds share, std::optional<Nanoseconds> whole) {
  const std::string more = "; ask for more time";
  if (!whole || share >= *whole) return "the budget of " + to_text(share) + " was spent" + more;
  if (share < milliseconds(1))
    return "the budget of " + to_text(*whole) + " left no time for timing its program" + more;
  return "the " + to_text(share) + " that the budget of " + to_text(*whole) +
         " left for timing its program were spent" + more;
}

// One program or two, from the first question put to it to its finished run.
class Session {
 public:
  Session(std::vector<const ListedProgram*> programs, const MeasuringSettings& settings, const TimingPlan& timing,
          const Limits& limits)
      : programs_(std::move(programs)), settings_(settings), timing_(timing), limits_(limits) {}

  Result<std::vector<Run>> run();
  const SamplePlan& samples() const { return samples_; }
  std::optional<Layout> tried_layout() const { return tried_ ? std::optional(layout_.layout) : std::nullopt; }

 private:
  Result<void> check() const;
  Result<void> prepare(const PrivateFolder& folder);
  Result<void> check_listings() const;
  std::string names_to_choose_from() const;
  void choose();
  void plan_sizes();
  void plan_processes();
  PilotPlan pilot_plan();
  void choose_layout_by_trial(PilotPlan pilot);
  void measure();
  RoundLoopOutcome loop(const std::vector<MeasuredSide*>& sides, Nanoseconds budget, int rounds);
  bool looks() const { return !is_alone() && is_concurrent(layout_.layout) && !look_times().rounds.empty(); }
  const LookTimes& in_turns() const { return timing_.looks.in_turns ? *timing_.looks.in_turns : timing_.looks; }
  const LookTimes& look_times() const { return layout_.layout == Layout::interleaved ? in_turns() : timing_.looks; }
  std::set<std::string> decided();
  const Run& run_so_far(std::size_t side);
  void name_measurement(RunHeader& header, std::size_t side) const;
  Environment share_device();
  void keep_layouts(const Program& program, std::map<std::string, std::string>& settings) const;
  std::vector<Run> finish();
  bool is_alone() const { return programs_.size() == 1; }
  std::size_t code_layouts() const { return programs_.front()->program.layouts.size(); }
  // 0: as the budget allows.
  int repetitions() const { return settings_.repetitions.value_or(0); }
  Nanoseconds min_time() const { return settings_.min_time.value_or(Nanoseconds(0)); }
  Nanoseconds planned_budget() const { return limits_.budget * timing_.planned_share; }

  std::vector<const ListedProgram*> programs_;
  const MeasuringSettings& settings_;
  const TimingPlan& timing_;
  const Limits& limits_;
  Clock::time_point start_ = Clock::now();
  std::int64_t created_at_unix_ns_ = now_unix_ns();
  Environment environment_;
  SamplePlan samples_;
  bool tried_ = false;      // both layouts
  Nanoseconds pilot_;       // that it took
  std::string device_use_;  // how a program shows that it uses a device; empty: none does
  CoreChoice cores_;
  std::vector<MeasuredSide> sides_;
  std::map<std::string, ListedBenchmark> benchmarks_;  // of both sides, by name as listed
  LayoutChoice layout_;
  int rounds_ = 0;
  RoundLoopOutcome outcome_;
  std::string session_;
};

Result<void> Session::check() const {
  constexpr int kMaxRepetitions = 10000;
  const auto found = [](int value) { return std::to_string(value); };
  if (settings_.rounds < 0 || settings_.rounds > kMaxRoundsAsked) {
    return input_error("rounds", found(settings_.rounds),
                       "0 (for " + found(kUsualRounds) + ") to " + found(kMaxRoundsAsked));
  }
  if (!is_alone() && settings_.rounds % 2 != 0) {
    return input_error("rounds", found(settings_.rounds), "an even number, as rounds come in balanced pairs",
                       "ask for " + found(settings_.rounds + 1));
  }
  for (const LookTimes* times : {static_cast<const LookTimes*>(&timing_.looks), &in_turns()}) {
    int before = 0;
    for (const int rounds : times->rounds) {
      if (rounds <= before || rounds % 2 != 0 || rounds > kMaxRoundsAsked) {
        return input_error("looks", found(rounds),
                           "even numbers of rounds that ascend, up to " + found(kMaxRoundsAsked));
      }
      before = rounds;
    }
  }
  if (repetitions() < 0 || repetitions() > kMaxRepetitions) {
    return input_error("repetitions", found(repetitions()), "0 (as the budget allows) to 10000");
  }
  if (min_time().count() < 0) {
    return input_error("min_time", to_text(min_time()), "a time, or 0 (as the budget allows)");
  }
  if (!(timing_.planned_share > 0 && timing_.planned_share <= 1)) {
    return input_error("planned_share", decimal_text(timing_.planned_share, 3), "above 0, at most 1");
  }
  if (timing_.rounds_per_copy < 1) {
    return input_error("rounds_per_copy", found(timing_.rounds_per_copy), "at least 1");
  }
  if (settings_.timeout.count() <= 0) return input_error("timeout", to_text(settings_.timeout), "a time above 0");
  const bool same_layouts = std::all_of(programs_.begin(), programs_.end(), [this](const ListedProgram* program) {
    return program->program.layouts.size() == code_layouts();
  });
  if (!same_layouts || code_layouts() > kMaxCodeLayouts) {
    return input_error("layouts", found(static_cast<int>(code_layouts())),
                       "as many of both programs, and at most " + std::to_string(kMaxCodeLayouts));
  }
  if (limits_.budget.count() <= 0) return input_error("budget", to_text(limits_.budget), "a time above 0");
  if (!is_alone() && settings_.layout == Layout::separate) {
    return input_error("layout", "separate", "duet, interleaved or sequential",
                       "for separate occasions measure each program on its own");
  }
  return {};
}

Result<void> Session::prepare(const PrivateFolder& folder) {
  environment_ = read_environment();
  cores_ = choose_cores(settings_.layout);
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    const Side side = i == 0 ? Side::baseline : Side::candidate;
    const Program* const other = is_alone() ? nullptr : &programs_[1 - i]->program;
    ListedProgram listed = *programs_[i];
    std::erase_if(listed.listing.benchmarks, [&](const ListedBenchmark& benchmark) {
      return std::find(timing_.excluded.begin(), timing_.excluded.end(), benchmark.name) != timing_.excluded.end();
    });
    if (device_use_.empty()) device_use_ = device_use_of_file(listed.program.executable);
    if (cores_.first() && !listed.trouble && listed.listing.core < 0) {
      cores_ = CoreChoice{};
      cores_.why_not_two = "the system refuses to pin a process to a core";
    }
    STEELYARD_TRY(MeasuredSide prepared,
                  MeasuredSide::prepare(side, listed, other, settings_.timeout, limits_.cancelled, folder));
    sides_.push_back(std::move(prepared));
  }
  // Pages that were written one by one are not pages that a linker wrote: a side of each kind would differ in every
  // round.
  for (const MeasuredSide& one : sides_) {
    if (one.copy().pages() == PagesOf::copied) continue;
    const std::string why = "the other side is not copied: " + one.copy().why();
    for (MeasuredSide& side : sides_) side.copy().run_in_place(why);
    break;
  }
  return {};
}

// One program that cannot even be asked does not keep the other from being measured; with none left there is no run.
Result<void> Session::check_listings() const {
  const bool any_left =
      std::any_of(programs_.begin(), programs_.end(), [](const ListedProgram* program) { return !program->trouble; });
  if (!any_left) return *programs_.front()->trouble;
  const bool any_benchmark =
      std::any_of(sides_.begin(), sides_.end(), [](const MeasuredSide& side) { return !side.benchmarks().empty(); });
  if (any_benchmark || !timing_.excluded.empty()) return {};
  const std::string where = programs_.front()->program.executable.string();
  if (settings_.filter.empty()) return input_error(where, "no benchmark", "at least one", "check its arguments");
  // The programs may lie in work trees that are gone when this is read.
  return input_error("--filter", "no benchmark that matches \"" + settings_.filter + "\"", "at least one",
                     names_to_choose_from());
}

// Of the first program that has any, asked without the filter. No command is run for that: one that is measured from
// outside is known by its name.
std::string Session::names_to_choose_from() const {
  constexpr std::size_t kMaxNamed = 3;
  MeasuringSettings all = settings_;
  all.filter.clear();
  for (const ListedProgram* one : programs_) {
    if (const std::optional<MeasuredCommand>& command = one->program.command) {
      return command->format == nullptr ? "choose " + command->name + ", as the command is called"
                                        : "see the names in what the command writes";
    }
    if (one->trouble) continue;
    const Result<ListedProgram> listed = list_benchmarks(one->program, all, limits_.cancelled);
    if (!listed || listed->benchmarks().empty()) continue;
    return "choose among " + some_joined(listed->benchmarks(), kMaxNamed, ", ", " and ",
                                         [](const ListedBenchmark& benchmark) { return benchmark.name; });
  }
  return "see what the programs have with --benchmark_list_tests=true";
}

void Session::choose() {
  for (const MeasuredSide& side : sides_) {
    for (const ListedBenchmark& benchmark : side.benchmarks()) benchmarks_.emplace(benchmark.name, benchmark);
  }
  const bool all_have_several_threads = std::all_of(
      benchmarks_.begin(), benchmarks_.end(), [](const auto& named) { return named.second.has_several_threads(); });
  if (is_alone()) {
    layout_.layout = Layout::separate;
    layout_.cores = cores_.cores;
    layout_.reason = "one program alone";
  } else {
    layout_ = choose_layout(settings_.layout, cores_, all_have_several_threads, device_use_);
  }
  // A driver has threads of its own: on one core they would wait for the benchmark.
  if (!device_use_.empty()) layout_.cores.clear();
  rounds_ = settings_.rounds > 0 ? settings_.rounds : kUsualRounds;
  if (looks()) rounds_ = look_times().rounds.back();
  if (!is_alone()) session_ = draw_session(settings_.seed, created_at_unix_ns_, std::int64_t{::getpid()});
}

// A device program has its own rule for when a sample is precise, and takes no number of iterations.
void Session::plan_sizes() {
  samples_.usual = {0, repetitions() > 0 ? repetitions() : SampleSize().repetitions,
                    min_time().count() > 0 ? min_time() : SampleSize().min_time};
  constexpr double kSearch = 1.5;  // Google Benchmark aims above what is asked for
  samples_.round =
      samples_.usual.min_time * (kSearch * samples_.usual.repetitions * static_cast<double>(benchmarks_.size()));
  if (!timing_.samples.sizes.empty()) samples_ = timing_.samples;
  if (timing_.samples.sizes.empty() && programs_.front()->program.command) return plan_processes();
  const bool as_asked = repetitions() > 0 && min_time().count() > 0;
  if (as_asked || !device_use_.empty() || !timing_.samples.sizes.empty()) return;
  constexpr double kShareOfPilot = 0.15;
  PilotPlan pilot = pilot_plan();
  if (layout_.layout == Layout::duet && !settings_.layout) choose_layout_by_trial(pilot);
  pilot.at_once = layout_.layout == Layout::duet;
  pilot.limits = {planned_budget() * kShareOfPilot, limits_.cancelled};
  pilot.progress = [&](const std::string& benchmark, int done, int all) {
    if (!timing_.progress) return;
    MeasureProgress progress;
    progress.benchmark = benchmark;
    progress.pilot = true;
    progress.round = done;
    progress.benchmarks = all;
    progress.elapsed = since(start_);
    progress.left = nanoseconds(std::max(0.0, (limits_.budget - progress.elapsed).count()));
    timing_.progress(progress);
  };
  const PilotOutcome outcome = run_pilot(pilot);
  pilot_ = outcome.took;
  if (outcome.costs.empty()) return;
  SamplePlanQuestion question;
  const double unreached = static_cast<double>(benchmarks_.size()) / static_cast<double>(outcome.costs.size());
  question.budget = nanoseconds(std::max(0.0, (planned_budget() - since(start_)).count()) / unreached);
  const int planned_for = looks() ? look_times().planned_for : 0;
  question.rounds = planned_for > 0 ? std::min(planned_for, rounds_) : rounds_;
  question.first_look = looks() ? look_times().rounds.front() : rounds_;
  for (MeasuredSide& side : sides_) {
    question.start = std::max(question.start, side.listing().start);
    side.copy().renew(settings_.seed, kTimedRenewal);
    question.copies += side.copy().spent() * (1.0 / std::max(side.copy().renewals(), 1));
  }
  question.repetitions = repetitions();
  question.min_time = min_time();
  samples_ = plan_samples(outcome.costs, question);
}

PilotPlan Session::pilot_plan() {
  PilotPlan pilot{settings_};
  for (MeasuredSide& side : sides_) pilot.sides.push_back(&side);
  pilot.cores = layout_.cores;
  return pilot;
}

// What a process of a command takes is known since it was listed. One that measures itself is one process a round, and
// is too long to be tried.
void Session::plan_processes() {
  const bool measures_itself = programs_.front()->program.command->format != nullptr;
  if (layout_.layout == Layout::duet && !settings_.layout && !measures_itself) choose_layout_by_trial(pilot_plan());
  Nanoseconds one = nanoseconds(1);
  for (const MeasuredSide& side : sides_) one = std::max(one, side.listing().start);
  const double in_round = !is_alone() && layout_.layout != Layout::duet ? 2 : 1;
  int processes = 1;
  if (!measures_itself) {
    const double affordable = std::max(0.0, (planned_budget() - since(start_)).count()) /
                              (one.count() * in_round * static_cast<double>(rounds_));
    const double useful = std::min(static_cast<double>(kMaxProcesses), kLongestInvocation / one);
    processes = repetitions() > 0 ? repetitions() : static_cast<int>(std::max(1.0, std::min(affordable, useful)));
  }
  samples_.usual = {1, processes, Nanoseconds(0)};
  for (const auto& [name, benchmark] : benchmarks_) samples_.sizes[name] = samples_.usual;
  samples_.group = measures_itself ? std::max<std::size_t>(2, benchmarks_.size()) : 1;
  samples_.round = one * (in_round * processes);
}

void Session::choose_layout_by_trial(PilotPlan pilot) {
  constexpr double kShareOfTrial = 0.04;
  pilot.limits = {planned_budget() * kShareOfTrial, limits_.cancelled};
  const LayoutTrial trial = try_layouts(pilot);
  if (trial.pairs >= kMinTrials) tried_ = true;
  layout_ = choose_layout(std::move(layout_), trial);
  if (looks()) rounds_ = look_times().rounds.back();
}

void Session::name_measurement(RunHeader& header, std::size_t side) const {
  // Both began together. Where runs stand by their time the baseline shall come first.
  header.created_at_unix_ns = created_at_unix_ns_ + static_cast<std::int64_t>(side);
  header.tool = kToolName;
  header.program = program_line(programs_[side]->program);
  header.session = session_;
  header.layout = layout_.layout;
  header.seed = settings_.seed;
}

// Where it lies: a look copies no samples.
const Run& Session::run_so_far(std::size_t side) {
  SideRecord& record = sides_[side].record();
  Run& run = record.so_far();
  run.environment = environment_;
  take_device_facts(record.told(), run.environment);
  name_measurement(run.header, side);
  if (looks()) run.header.settings[std::string(kLooksSetting)] = look_times().text;
  return run;
}

// The decided benchmarks, by the names that the programs list.
std::set<std::string> Session::decided() {
  const std::set<std::string> canonical = timing_.looks.decided(run_so_far(0), run_so_far(1));
  std::set<std::string> names;
  for (const MeasuredSide& side : sides_) {
    for (const ListedBenchmark& benchmark : side.benchmarks()) {
      BenchmarkId id = benchmark.id;
      id.device = side.record().device();
      if (canonical.contains(id.canonical())) names.insert(benchmark.name);
    }
  }
  return names;
}

RoundLoopOutcome Session::loop(const std::vector<MeasuredSide*>& sides, Nanoseconds budget, int rounds) {
  RoundLoopPlan plan{settings_, timing_, {budget, limits_.cancelled}, start_, layout_.layout, layout_.cores, rounds};
  plan.code_layouts = plan_code_layouts(rounds, settings_.seed, code_layouts());
  plan.step = is_alone() ? 1 : 2;
  plan.samples = samples_;
  if (looks()) {
    plan.looks = look_times().rounds;
    plan.decided = [this] { return decided(); };
  }
  const bool is_together = !is_alone() && layout_.layout != Layout::sequential;
  if (is_together && timing_.watch) plan.watch = [this] { timing_.watch(run_so_far(0), run_so_far(1)); };
  return RoundLoop(sides, plan).run();
}

void Session::measure() {
  std::vector<MeasuredSide*> all;
  for (MeasuredSide& side : sides_) all.push_back(&side);
  if (layout_.layout != Layout::sequential) {
    outcome_ = loop(all, limits_.budget, rounds_);
    return;
  }
  // The first side may spend half, so that the second can have as many rounds.
  outcome_ = loop({all[0]}, limits_.budget * 0.5, rounds_);
  if (outcome_.cancelled) return;
  const RoundLoopOutcome second = loop({all[1]}, limits_.budget, std::max(outcome_.rounds, 2));
  outcome_.rounds = std::min(outcome_.rounds, second.rounds);
  outcome_.budget_spent = outcome_.budget_spent || second.budget_spent;
  outcome_.cancelled = second.cancelled;
  outcome_.addresses_refused = outcome_.addresses_refused || second.addresses_refused;
  outcome_.repeated_rounds += second.repeated_rounds;
  outcome_.replaced_rounds += second.replaced_rounds;
  outcome_.disturbed_rounds += second.disturbed_rounds;
  outcome_.measured_rounds += second.measured_rounds;
  outcome_.not_reached.insert(outcome_.not_reached.end(), second.not_reached.begin(), second.not_reached.end());
}

// A side that yielded nothing never said what it would have used. Returns what one of them said.
Environment Session::share_device() {
  Environment told;
  for (MeasuredSide& side : sides_) {
    for (const MeasuredSide& other : sides_) side.record().assume_device(other.record().device());
    if (told.find(kGpuDevice) == nullptr) told = side.record().told();
  }
  return told;
}

void Session::keep_layouts(const Program& program, std::map<std::string, std::string>& settings) const {
  std::vector<std::uint64_t> seeds;
  for (const LinkedLayout& layout : program.layouts) seeds.push_back(layout.seed);
  // Of all rounds that were planned: every program of a run has the same ones, however many of them it reached.
  keep_code_layouts(seeds, plan_code_layouts(rounds_, settings_.seed, seeds.size()), program.suite, settings);
}

std::vector<Run> Session::finish() {
  const Environment device = share_device();
  auto settings = describe_settings(settings_, limits_.budget, layout_, rounds_, outcome_);
  describe_addresses(environment_, outcome_.addresses_refused, settings);
  describe_samples(samples_, pilot_, settings);
  describe_copies(sides_, timing_.rounds_per_copy, settings);
  if (looks()) settings[std::string(kLooksSetting)] = look_times().text;
  std::vector<Run> runs;
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    for (const ListedBenchmark& benchmark : outcome_.not_reached) {
      if (!sides_[i].has(benchmark)) continue;
      sides_[i].record().add_failure(benchmark, budget_spent_text(limits_.budget, settings_.budget),
                                     FailureKind::not_reached);
    }
    if (outcome_.cancelled) sides_[i].record().interrupted(sides_[i].benchmarks());
    Run run = sides_[i].record().take();
    const Environment told = std::move(run.environment);
    run.environment = environment_;
    take_device_facts(run.invocations.empty() ? device : told, run.environment);
    for (const Fact& fact : told.facts) {
      if (!fact.name.starts_with(kGpuFacts)) run.environment.set(fact.name, fact.value, false);
    }
    add_program_facts(programs_[i]->program, run.environment);
    name_measurement(run.header, i);
    run.header.settings = settings;
    describe_command(*programs_[i], run.header.settings);
    keep_left_processes(sides_[i].record().left_processes(), run.header.settings);
    keep_layouts(programs_[i]->program, run.header.settings);
    runs.push_back(std::move(run));
  }
  return runs;
}

Result<std::vector<Run>> Session::run() {
  STEELYARD_CHECK(check());
  STEELYARD_TRY(const PrivateFolder folder, PrivateFolder::create());
  STEELYARD_CHECK(prepare(folder));
  if (!limits_.is_cancelled()) STEELYARD_CHECK(check_listings());
  choose();
  if (limits_.is_cancelled()) {
    outcome_.cancelled = true;
  } else {
    plan_sizes();
    measure();
  }
  if (timing_.progress && !outcome_.cancelled) {
    timing_.progress(
        {"", false, std::max(outcome_.rounds - 1, 0), rounds_, looks(), 0, 0, 1.0, since(start_), seconds(0)});
  }
  return finish();
}

}  // namespace

Result<MeasuredPair> measure_pair(const ListedProgram& baseline, const ListedProgram& candidate,
                                  const MeasuringSettings& settings, const TimingPlan& timing, const Limits& limits) {
  Session session({&baseline, &candidate}, settings, timing, limits);
  STEELYARD_TRY(std::vector<Run> runs, session.run());
  return MeasuredPair{std::move(runs[0]), std::move(runs[1]), session.samples(), session.tried_layout()};
}

Result<Run> measure_one(const ListedProgram& program, const MeasuringSettings& settings, const TimingPlan& timing,
                        const Limits& limits) {
  STEELYARD_TRY(std::vector<Run> runs, Session({&program}, settings, timing, limits).run());
  return std::move(runs[0]);
}

}  // namespace steelyard::bench

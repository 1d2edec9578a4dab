#include "bench/runner/measure.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "bench/environment/cgroup_limits.hpp"
#include "bench/environment/gpu_facts.hpp"
#include "bench/environment/read_environment.hpp"
#include "bench/runner/core_choice.hpp"
#include "bench/runner/measured_side.hpp"
#include "bench/runner/pilot.hpp"
#include "bench/runner/program_facts.hpp"
#include "bench/runner/round_loop.hpp"
#include "bench/runner/round_plan.hpp"
#include "bench/runner/run_header.hpp"

namespace steelyard {
namespace {

using Clock = std::chrono::steady_clock;

// One program or two, from the first question put to it to its finished run.
class Session {
 public:
  Session(std::vector<const Program*> programs, const MeasureOptions& options)
      : programs_(std::move(programs)), options_(options) {}

  Result<std::vector<Run>> run();
  const SamplePlan& samples() const { return samples_; }
  std::optional<Layout> tried_layout() const { return tried_ ? std::optional(layout_.layout) : std::nullopt; }

 private:
  Result<void> check() const;
  Result<void> prepare(const PrivateFolder& folder);
  Result<void> check_listings() const;
  void choose();
  void plan_sizes();
  void choose_layout_by_trial(PilotPlan pilot);
  void measure();
  RoundLoopOutcome loop(const std::vector<MeasuredSide*>& sides, Nanoseconds budget, int rounds);
  bool looks() const { return !is_alone() && is_concurrent(layout_.layout) && !options_.looks.rounds.empty(); }
  std::set<std::string> decided() const;
  Run run_so_far(std::size_t side) const;
  void name_measurement(RunHeader& header, std::size_t side) const;
  Environment share_device();
  std::vector<Run> finish();
  bool is_alone() const { return programs_.size() == 1; }
  bool is_cancelled() const { return options_.cancelled != nullptr && options_.cancelled->load(); }

  std::vector<const Program*> programs_;
  const MeasureOptions& options_;
  Clock::time_point start_ = Clock::now();
  std::int64_t created_at_unix_ns_ =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  Environment environment_;
  SamplePlan samples_;
  bool tried_ = false;      // both layouts
  Nanoseconds pilot_;       // that it took
  std::string device_use_;  // how a program shows that it uses a device; empty: none does
  CoreChoice cores_;
  std::vector<MeasuredSide> sides_;
  std::set<std::string> names_;  // of all benchmarks, as listed
  LayoutChoice layout_;
  int rounds_ = 0;
  RoundLoopOutcome outcome_;
  std::string session_;
};

Result<void> Session::check() const {
  constexpr int kMostRounds = 10000;
  constexpr int kMostRepetitions = 10000;
  const auto found = [](int value) { return std::to_string(value); };
  if (options_.rounds < 0 || options_.rounds > kMostRounds) {
    return input_error("rounds", found(options_.rounds), "0 (for " + found(kUsualRounds) + ") to 10000");
  }
  if (!is_alone() && options_.rounds % 2 != 0) {
    return input_error("rounds", found(options_.rounds), "an even number, as rounds come in balanced pairs",
                       "ask for " + found(options_.rounds + 1));
  }
  for (std::size_t i = 0; i < options_.looks.rounds.size(); ++i) {
    const int rounds = options_.looks.rounds[i];
    const int before = i == 0 ? 0 : options_.looks.rounds[i - 1];
    if (rounds <= before || rounds % 2 != 0 || rounds > kMostRounds) {
      return input_error("looks", found(rounds), "even numbers of rounds that ascend, up to 10000");
    }
  }
  if (options_.repetitions < 0 || options_.repetitions > kMostRepetitions) {
    return input_error("repetitions", found(options_.repetitions), "0 (as the budget allows) to 10000");
  }
  if (options_.min_time.count() < 0) {
    return input_error("min_time", to_text(options_.min_time), "a time, or 0 (as the budget allows)");
  }
  if (options_.rounds_per_copy < 1) {
    return input_error("rounds_per_copy", found(options_.rounds_per_copy), "at least 1");
  }
  if (options_.timeout.count() <= 0) return input_error("timeout", to_text(options_.timeout), "a time above 0");
  if (options_.budget.count() <= 0) return input_error("budget", to_text(options_.budget), "a time above 0");
  if (!is_alone() && options_.layout == Layout::separate) {
    return input_error("layout", "separate", "duet, interleaved or sequential",
                       "for separate occasions measure each program on its own");
  }
  return {};
}

Result<void> Session::prepare(const PrivateFolder& folder) {
  environment_ = read_environment();
  CoreChoiceOptions core_options;
  core_options.quota = read_cgroup_limits().cores;
  core_options.accept_threads_of_one_core = options_.layout == Layout::duet;
  cores_ = choose_cores(read_allowed_cores(), core_options);
  const auto core = cores_.cores.empty() ? std::nullopt : std::optional(cores_.cores.front());
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    const Side side = i == 0 ? Side::baseline : Side::candidate;
    const Program* const other = is_alone() ? nullptr : programs_[1 - i];
    if (device_use_.empty()) device_use_ = device_use_of_file(programs_[i]->executable);
    STEELYARD_TRY(MeasuredSide prepared, MeasuredSide::prepare(side, *programs_[i], other, options_, core, folder));
    if (core && !prepared.listing_error() && prepared.listing().core < 0) {
      cores_ = CoreChoice{};
      cores_.why_not_two = "the system refuses to pin a process to a core";
    }
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
      std::any_of(sides_.begin(), sides_.end(), [](const MeasuredSide& side) { return !side.listing_error(); });
  if (!any_left) return *sides_.front().listing_error();
  const bool any_benchmark = std::any_of(sides_.begin(), sides_.end(),
                                         [](const MeasuredSide& side) { return !side.listing().benchmarks.empty(); });
  if (any_benchmark || !options_.leave_out.empty()) return {};
  const std::string where = programs_.front()->executable.string();
  if (options_.filter.empty()) return input_error(where, "no benchmark", "at least one", "check its arguments");
  return input_error(where, "no benchmark that matches \"" + options_.filter + "\"", "at least one",
                     "see its names with --benchmark_list_tests=true");
}

void Session::choose() {
  for (const MeasuredSide& side : sides_) {
    names_.insert(side.listing().benchmarks.begin(), side.listing().benchmarks.end());
  }
  const bool all_have_several_threads = std::all_of(names_.begin(), names_.end(), [](const std::string& name) {
    return parse_google_benchmark_name(name).threads.value_or(1) > 1;
  });
  if (is_alone()) {
    layout_.layout = Layout::separate;
    layout_.cores = cores_.cores;
    layout_.reason = "one program alone";
  } else {
    layout_ = choose_layout(options_.layout, cores_, all_have_several_threads, device_use_);
  }
  // A driver has threads of its own: on one core they would wait for the benchmark.
  if (!device_use_.empty()) layout_.cores.clear();
  rounds_ = options_.rounds > 0 ? options_.rounds : kUsualRounds;
  if (looks()) rounds_ = options_.looks.rounds.back();
  if (!is_alone()) session_ = draw_session(options_.seed, created_at_unix_ns_, std::int64_t{::getpid()});
}

// A device program has its own rule for when a sample is precise, and takes no number of iterations.
void Session::plan_sizes() {
  samples_.usual = {0, options_.repetitions > 0 ? options_.repetitions : SampleSize().repetitions,
                    options_.min_time.count() > 0 ? options_.min_time : SampleSize().min_time};
  constexpr double kSearch = 1.5;  // Google Benchmark aims above what is asked for
  samples_.round =
      samples_.usual.min_time * (kSearch * samples_.usual.repetitions * static_cast<double>(names_.size()));
  if (!options_.samples.sizes.empty()) samples_ = options_.samples;
  const bool as_asked = options_.repetitions > 0 && options_.min_time.count() > 0;
  if (as_asked || !device_use_.empty() || !options_.samples.sizes.empty()) return;
  constexpr double kShareOfPilot = 0.15;
  const auto spent = [this] {
    return nanoseconds(std::chrono::duration<double, std::nano>(Clock::now() - start_).count());
  };
  PilotPlan pilot;
  for (MeasuredSide& side : sides_) pilot.sides.push_back(&side);
  pilot.cores = layout_.cores;
  pilot.seed = options_.seed;
  pilot.cancelled = options_.cancelled;
  if (layout_.layout == Layout::duet && !options_.layout) choose_layout_by_trial(pilot);
  pilot.at_once = layout_.layout == Layout::duet;
  pilot.limit = options_.budget * kShareOfPilot;
  pilot.progress = [&](const std::string& benchmark, int done, int all) {
    if (!options_.progress) return;
    MeasureProgress progress;
    progress.benchmark = benchmark;
    progress.pilot = true;
    progress.round = done;
    progress.benchmarks = all;
    progress.elapsed = spent();
    progress.left = nanoseconds(std::max(0.0, (options_.budget - progress.elapsed).count()));
    options_.progress(progress);
  };
  const PilotOutcome outcome = run_pilot(pilot);
  pilot_ = outcome.took;
  if (outcome.costs.empty()) return;
  SamplePlanQuestion question;
  const double unreached = static_cast<double>(names_.size()) / static_cast<double>(outcome.costs.size());
  question.budget = nanoseconds(std::max(0.0, (options_.budget - spent()).count()) / unreached);
  question.rounds = rounds_;
  question.first_look = looks() ? options_.looks.rounds.front() : rounds_;
  for (MeasuredSide& side : sides_) {
    question.start = std::max(question.start, side.listing().start);
    side.copy().renew(options_.seed, -3);
    question.copies += side.copy().spent() * (1.0 / std::max(side.copy().renewals(), 1));
  }
  question.repetitions = options_.repetitions;
  question.min_time = options_.min_time;
  samples_ = plan_samples(outcome.costs, question);
}

void Session::choose_layout_by_trial(PilotPlan pilot) {
  constexpr double kShareOfTrial = 0.04;
  pilot.limit = options_.budget * kShareOfTrial;
  const LayoutTrial trial = try_layouts(pilot);
  if (trial.pairs >= kLeastTrials) tried_ = true;
  layout_ = choose_layout(std::move(layout_), trial);
}

void Session::name_measurement(RunHeader& header, std::size_t side) const {
  header.created_at_unix_ns = created_at_unix_ns_;
  header.tool = "steelyard " STEELYARD_VERSION;
  header.program = program_line(*programs_[side]);
  header.session = session_;
  header.layout = layout_.layout;
  header.seed = options_.seed;
}

Run Session::run_so_far(std::size_t side) const {
  Run run = sides_[side].record().so_far();
  const Environment told = std::move(run.environment);
  run.environment = environment_;
  take_device_facts(told, run.environment);
  name_measurement(run.header, side);
  run.header.settings["looks"] = options_.looks.text;
  return run;
}

// As the programs list them.
std::set<std::string> Session::decided() const {
  const std::set<std::string> canonical = options_.looks.decided(run_so_far(0), run_so_far(1));
  std::set<std::string> names;
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    for (const std::string& name : sides_[i].listing().benchmarks) {
      BenchmarkId id = parse_google_benchmark_name(name);
      id.suite = programs_[i]->suite;
      id.device = sides_[i].record().device();
      if (canonical.contains(id.canonical())) names.insert(name);
    }
  }
  return names;
}

RoundLoopOutcome Session::loop(const std::vector<MeasuredSide*>& sides, Nanoseconds budget, int rounds) {
  RoundLoopPlan plan;
  plan.layout = layout_.layout;
  plan.cores = layout_.cores;
  plan.rounds = rounds;
  plan.step = is_alone() ? 1 : 2;
  plan.samples = samples_;
  if (looks()) {
    plan.looks = options_.looks.rounds;
    plan.decided = [this] { return decided(); };
  }
  MeasureOptions options = options_;
  options.budget = budget;
  return RoundLoop(sides, plan, options, start_).run();
}

void Session::measure() {
  std::vector<MeasuredSide*> all;
  for (MeasuredSide& side : sides_) all.push_back(&side);
  if (layout_.layout != Layout::sequential) {
    outcome_ = loop(all, options_.budget, rounds_);
    return;
  }
  // The first side may spend half, so that the second can have as many rounds.
  outcome_ = loop({all[0]}, options_.budget * 0.5, rounds_);
  if (outcome_.cancelled) return;
  const RoundLoopOutcome second = loop({all[1]}, options_.budget, std::max(outcome_.rounds, 2));
  outcome_.rounds = std::min(outcome_.rounds, second.rounds);
  outcome_.budget_spent = outcome_.budget_spent || second.budget_spent;
  outcome_.cancelled = second.cancelled;
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
    if (told.find(kGpuDevice) == nullptr) told = side.record().so_far().environment;
  }
  return told;
}

std::vector<Run> Session::finish() {
  const Environment device = share_device();
  auto settings = describe_settings(options_, layout_, rounds_, outcome_);
  describe_samples(samples_, pilot_, settings);
  describe_copies(sides_, options_.rounds_per_copy, settings);
  if (looks()) settings["looks"] = options_.looks.text;
  std::vector<Run> runs;
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    for (const std::string& name : outcome_.not_reached) {
      if (!sides_[i].has(name)) continue;
      constexpr FailureKind kKind = FailureKind::not_reached;
      sides_[i].record().add_failure(
          name, -1, opening_of(kKind) + "the budget of " + to_text(options_.budget) + " was spent; ask for more time",
          kKind);
    }
    Run run = sides_[i].record().take();
    const Environment told = std::move(run.environment);
    run.environment = environment_;
    take_device_facts(run.invocations.empty() ? device : told, run.environment);
    for (const Fact& fact : told.facts) {
      if (!fact.name.starts_with(kGpuFacts)) run.environment.set(fact.name, fact.value, false);
    }
    add_program_facts(*programs_[i], run.environment);
    name_measurement(run.header, i);
    run.header.settings = settings;
    runs.push_back(std::move(run));
  }
  return runs;
}

Result<std::vector<Run>> Session::run() {
  STEELYARD_CHECK(check());
  STEELYARD_TRY(const PrivateFolder folder, PrivateFolder::create());
  STEELYARD_CHECK(prepare(folder));
  if (!is_cancelled()) STEELYARD_CHECK(check_listings());
  choose();
  if (is_cancelled()) {
    outcome_.cancelled = true;
  } else {
    plan_sizes();
    measure();
  }
  if (options_.progress && !outcome_.cancelled) {
    const auto elapsed = std::chrono::duration<double>(Clock::now() - start_);
    options_.progress({"", false, std::max(outcome_.rounds - 1, 0), rounds_, looks(), 0, 0, 1.0,
                       seconds(elapsed.count()), seconds(0)});
  }
  return finish();
}

}  // namespace

Result<MeasuredPair> measure_pair(const Program& baseline, const Program& candidate, const MeasureOptions& options) {
  Session session({&baseline, &candidate}, options);
  STEELYARD_TRY(std::vector<Run> runs, session.run());
  return MeasuredPair{std::move(runs[0]), std::move(runs[1]), session.samples(), session.tried_layout()};
}

Result<Run> measure_one(const Program& program, const MeasureOptions& options) {
  STEELYARD_TRY(std::vector<Run> runs, Session({&program}, options).run());
  return std::move(runs[0]);
}

}  // namespace steelyard

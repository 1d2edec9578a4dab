#include "ci/measuring/time_programs.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/left_processes.hpp"
#include "bench/runner/command_program.hpp"
#include "ci/measuring/budget_clock.hpp"
#include "ci/measuring/run_parts.hpp"
#include "ci/report/warning_text.hpp"
#include "regress/ab/confirmation.hpp"

namespace steelyard::ci {
namespace {

bool exists(const bench::Program& program) {
  std::error_code ignored;
  return std::filesystem::exists(program.executable, ignored);
}

std::set<std::string> names_listed(const bench::ListedProgram& listed) {
  std::set<std::string> names;
  for (const bench::ListedBenchmark& benchmark : listed.benchmarks()) names.insert(benchmark.id.canonical());
  return names;
}

std::string name_in(const bench::Program& program, BenchmarkId id) {
  id.suite.clear();
  return program.command ? id.canonical() : name_as_given(id.canonical());
}

Result<void> list_by_current_names(const std::vector<BenchmarkRename>& renames, bench::ListedProgram& listed) {
  std::set<std::string> all = names_listed(listed);
  for (bench::ListedBenchmark& benchmark : listed.listing.benchmarks) {
    const std::optional<BenchmarkId> today = current_id(renames, benchmark.id);
    if (!today) continue;
    if (!all.insert(today->canonical()).second) {
      return both_names(listed.program.executable.string(), benchmark.id.canonical(), today->canonical());
    }
    std::string name = name_in(listed.program, *today);
    listed.program.own_benchmarks.emplace(name, benchmark);
    benchmark.id = *today;
    benchmark.name = std::move(name);
  }
  return {};
}

// A filter speaks of today's names, and of what only the candidate's file renames by the earlier ones as well: the
// baseline's file may have it.
Result<void> keep_asked(const std::string& filter, const EarlierNames& earlier, bench::ListedProgram& listed) {
  std::vector<bench::ListedBenchmark>& benchmarks = listed.listing.benchmarks;
  std::vector<bench::ListedBenchmark> by_earlier;
  for (const bench::ListedBenchmark& benchmark : benchmarks) {
    const auto known = earlier.find(benchmark.id.canonical());
    if (known == earlier.end()) continue;
    by_earlier.push_back(benchmark);
    const std::string name = known->second.substr(0, known->second.rfind(" ["));
    by_earlier.back().name = listed.program.command ? name : name_as_given(name);
  }
  STEELYARD_CHECK(bench::keep_matching(filter, by_earlier));
  std::vector<bench::ListedBenchmark> by_today = benchmarks;
  STEELYARD_CHECK(bench::keep_matching(filter, by_today));
  const auto is_in = [](const std::vector<bench::ListedBenchmark>& kept, const bench::ListedBenchmark& benchmark) {
    return std::any_of(kept.begin(), kept.end(), [&](const auto& other) { return other.id == benchmark.id; });
  };
  std::erase_if(benchmarks, [&](const bench::ListedBenchmark& benchmark) {
    return !is_in(by_today, benchmark) && !is_in(by_earlier, benchmark);
  });
  return {};
}

// What each build has, by today's names.
Result<void> list_sides(const ProgramPair& pair, const bench::MeasuringSettings& settings,
                        const std::atomic<bool>* cancelled, const std::vector<BenchmarkRename>& renames,
                        ListedPair& listed) {
  bench::MeasuringSettings asked = settings;
  if (!renames.empty()) asked.filter.clear();
  STEELYARD_TRY(listed.candidate, bench::list_benchmarks(pair.candidate, asked, cancelled));
  listed.baseline.program = pair.baseline;
  if (!listed.is_new) {
    STEELYARD_TRY(listed.baseline, bench::list_benchmarks(pair.baseline, asked, cancelled));
  }
  if (renames.empty()) return {};
  STEELYARD_CHECK(list_by_current_names(renames_that_count(renames, {}, {}), listed.candidate));
  const std::vector<BenchmarkRename> counting =
      renames_that_count(renames, names_listed(listed.baseline), names_listed(listed.candidate));
  STEELYARD_CHECK(list_by_current_names(counting, listed.baseline));
  listed.earlier_names = earlier_names_of(counting);
  STEELYARD_CHECK(keep_asked(settings.filter, listed.earlier_names, listed.candidate));
  return keep_asked(settings.filter, listed.earlier_names, listed.baseline);
}

}  // namespace

Result<ListedPair> list_pair(const ProgramPair& pair, const bench::MeasuringSettings& settings,
                             const std::atomic<bool>* cancelled, const std::vector<BenchmarkRename>& renames) {
  ListedPair listed;
  listed.origin = pair.origin;
  listed.is_new = !exists(pair.baseline) && exists(pair.candidate);
  STEELYARD_CHECK(list_sides(pair, settings, cancelled, renames, listed));
  if (listed.is_new) return listed;
  // What one side cannot tell the other is not held against.
  std::optional<bench::ProcessFacts>& old_one = listed.baseline.listing.process;
  std::optional<bench::ProcessFacts>& new_one = listed.candidate.listing.process;
  if (old_one && new_one)
    old_one->tells_memory = new_one->tells_memory = old_one->tells_memory && new_one->tells_memory;
  // One that uses several cores cannot be held to one, and both sides are run alike.
  for (bench::ListedBenchmark& benchmark : listed.baseline.listing.benchmarks) {
    for (bench::ListedBenchmark& other : listed.candidate.listing.benchmarks) {
      if (benchmark.name != other.name) continue;
      benchmark.uses_several_cores = other.uses_several_cores =
          benchmark.uses_several_cores || other.uses_several_cores;
    }
  }
  return listed;
}

namespace {

// A program that only the candidate has is new, not wrong.
Result<bench::MeasuredPair> time_alone(const bench::ListedProgram& candidate, const bench::MeasuringSettings& settings,
                                       const bench::TimingPlan& timing, const bench::Limits& limits) {
  STEELYARD_TRY(Run alone, bench::measure_one(candidate, settings, timing, limits));
  bench::MeasuredPair measured;
  measured.baseline.header = alone.header;
  measured.baseline.environment = alone.environment;
  measured.candidate = std::move(alone);
  return measured;
}

void append_failures(const Run& from, Run& to) {
  to.failures.insert(to.failures.end(), from.failures.begin(), from.failures.end());
}

class ProgramTimer {
 public:
  ProgramTimer(std::vector<ListedPair>& listed, const bench::MeasuringSettings& settings,
               const bench::TimingPlan& timing, const bench::Limits& limits)
      : listed_(listed), settings_(settings), timing_(timing), limits_(limits) {
    any_to_measure_ = std::any_of(listed.begin(), listed.end(),
                                  [](const ListedPair& pair) { return pair.size() > 0 || pair.any_trouble(); });
  }

  Result<bench::MeasuredPair> run() &&;

 private:
  // Of the budget; 0: nothing to measure. Where no program has a benchmark, each may say so itself.
  std::size_t weight(const ListedPair& pair) const {
    const bool skipped = any_to_measure_ && pair.size() == 0 && !pair.any_trouble();
    const std::size_t timed = pair.size() - std::min(pair.size(), pair.untimed.size());
    return skipped ? 0 : std::max<std::size_t>(1, timed);
  }
  Nanoseconds left() const;
  void time(ListedPair& pair, Nanoseconds budget);
  void keep_one_plan(bench::LookSchedule& looks) const;
  void fail(const ListedPair& pair, const Error& error);
  void not_reached(const ListedPair& pair, const std::string& metric, std::string_view why);

  std::vector<ListedPair>& listed_;
  bench::MeasuringSettings
      settings_;  // with the layout that the first program's trial chose: one for all of a comparison
  const bench::TimingPlan& timing_;
  const bench::Limits& limits_;
  bool any_to_measure_ = false;
  BudgetClock clock_{limits_.budget};
  std::optional<bench::MeasuredPair> whole_;  // of the programs so far; absent: none was measured yet
  bench::MeasuredPair unmeasured_;            // failures only
  std::optional<Error> first_error_;
};

// As long as nothing was measured nothing is spent: a program that hangs when it starts takes no time from the others.
Nanoseconds ProgramTimer::left() const { return whole_ ? clock_.left() : clock_.whole(); }

void ProgramTimer::time(ListedPair& pair, Nanoseconds budget) {
  if (pair.nobody_answered() && !limits_.is_cancelled()) return fail(pair, *pair.candidate.trouble);
  if (!whole_) clock_ = BudgetClock(limits_.budget);
  bench::TimingPlan timing = timing_;
  timing.excluded = pair.untimed;
  timing.first_look_only = pair.first_look_only;
  keep_one_plan(timing.looks);
  if (const Nanoseconds later = left() - budget; timing.progress && later.count() > 0) {
    timing.progress = [this, later](bench::MeasureProgress now) {
      now.left = now.left + later;
      timing_.progress(now);
    };
  }
  const bench::Limits share{budget, limits_.cancelled};
  Result<bench::MeasuredPair> part = pair.is_new
                                         ? time_alone(pair.candidate, settings_, timing, share)
                                         : bench::measure_pair(pair.baseline, pair.candidate, settings_, timing, share);
  if (!part) return fail(pair, part.error());
  pair.samples = std::move(part->samples);
  if (part->tried_layout) settings_.layout = part->tried_layout;
  if (!whole_) {
    whole_ = std::move(part).value();
    return;
  }
  if (!whole_->tried_layout) whole_->tried_layout = part->tried_layout;
  join_run(whole_->baseline, std::move(part->baseline));
  join_run(whole_->candidate, std::move(part->candidate));
}

// All programs are looked at by the plan of the first of them, whatever layout each has.
void ProgramTimer::keep_one_plan(bench::LookSchedule& looks) const {
  if (!whole_ || !looks.in_turns) return;
  const std::map<std::string, std::string>& settings = whole_->candidate.header.settings;
  const auto used = settings.find(std::string(kLooksSetting));
  if (used == settings.end()) return;
  if (used->second == looks.in_turns->text) static_cast<bench::LookTimes&>(looks) = *looks.in_turns;
  looks.in_turns.reset();
}

// An error that names one side's executable is that side's alone.
void ProgramTimer::fail(const ListedPair& pair, const Error& error) {
  if (!first_error_) first_error_ = error;
  const bool same = pair.baseline.program.executable == pair.candidate.program.executable;
  const auto blame = [&](const bench::ListedProgram& side, const bench::ListedProgram& other, Run& run) {
    if (!side.trouble && !same && error.where == other.program.executable.string()) return;
    fail_program(side, {"", (side.trouble ? *side.trouble : error).text()}, run);
  };
  if (!pair.is_new) blame(pair.baseline, pair.candidate, unmeasured_.baseline);
  blame(pair.candidate, pair.baseline, unmeasured_.candidate);
}

// What was to be left untimed is not meant.
void ProgramTimer::not_reached(const ListedPair& pair, const std::string& metric, std::string_view why) {
  const Unmeasured what{metric, std::string(why), FailureKind::not_reached};
  const auto fail_timed = [&](std::vector<bench::ListedBenchmark> benchmarks, Run& run) {
    std::erase_if(benchmarks, [&](const bench::ListedBenchmark& benchmark) {
      return std::find(pair.untimed.begin(), pair.untimed.end(), benchmark.name) != pair.untimed.end();
    });
    fail_benchmarks(benchmarks, what, run);
  };
  fail_timed(pair.baseline.benchmarks(), unmeasured_.baseline);
  fail_timed(pair.candidate.benchmarks(), unmeasured_.candidate);
}

Result<bench::MeasuredPair> ProgramTimer::run() && {
  std::size_t ahead = 0;
  for (const ListedPair& pair : listed_) ahead += weight(pair);
  for (ListedPair& pair : listed_) {
    const std::size_t own = weight(pair);
    if (own == 0) continue;
    if (whole_ && limits_.is_cancelled()) {
      not_reached(pair, std::string(kRealTime), bench::kInterruptedBefore);
      continue;
    }
    const Nanoseconds share = left() * (static_cast<double>(own) / static_cast<double>(ahead));
    ahead -= own;
    if (whole_ && share.count() <= 0) {
      const Nanoseconds whole = settings_.budget.value_or(limits_.budget);
      not_reached(pair, "", "the budget of " + to_text(whole) + " was spent before its program; ask for more time");
    } else {
      time(pair, share);
    }
  }
  if (!whole_) return first_error_ ? *first_error_ : bug_error("time_programs", "no program");
  append_failures(unmeasured_.baseline, whole_->baseline);
  append_failures(unmeasured_.candidate, whole_->candidate);
  return std::move(*whole_);
}

}  // namespace

Result<bench::MeasuredPair> time_programs(std::vector<ListedPair>& listed, const bench::MeasuringSettings& settings,
                                          const bench::TimingPlan& timing, const bench::Limits& limits) {
  return ProgramTimer(listed, settings, timing, limits).run();
}

namespace {

// One benchmark to measure again.
struct Found {
  const ListedPair* pair = nullptr;
  const bench::ListedBenchmark* benchmark = nullptr;
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
    for (const bench::ListedBenchmark& benchmark : pair.candidate.benchmarks()) {
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
    if (regress::is_to_check_alone(row)) rows.push_back(&row);
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
bench::TimingPlan solo_timing(const Found& found, const bench::TimingPlan& duet) {
  bench::TimingPlan timing = duet;
  timing.looks = {};
  timing.samples = found.pair->samples;
  timing.samples.group = 1;  // nothing is left to share its processes with
  timing.excluded.clear();
  for (const bench::ListedProgram* side : {&found.pair->baseline, &found.pair->candidate}) {
    for (const bench::ListedBenchmark& other : side->benchmarks()) {
      if (other.name != found.benchmark->name) timing.excluded.push_back(other.name);
    }
  }
  return timing;
}

// Only what is to be checked, under its own name. Nothing where a metric has too few rounds.
std::optional<Run> samples_to_keep(Run measured, const Found& found) {
  std::vector<Measurement> kept;
  for (Measurement& measurement : measured.measurements) {
    if (!found.metrics.contains(measurement.metric.name)) continue;
    if (measurement.invocations.size() < static_cast<std::size_t>(kMinSoloRounds)) return std::nullopt;
    kept.push_back(regress::as_alone(std::move(measurement)));
  }
  if (kept.empty()) return std::nullopt;
  measured.measurements = std::move(kept);
  return measured;
}

void add_samples(Run samples, Run& run) {
  const LeftProcesses left = left_processes_of(samples.header.settings);
  samples.header = run.header;
  samples.header.settings.clear();  // what the run knows of itself would be added once more
  keep_left_processes(left, samples.header.settings);
  samples.failures.clear();
  samples.labels.clear();
  join_run(run, std::move(samples));
}

std::string failure_of(const bench::MeasuredPair& pair) {
  for (const Run* run : {&pair.baseline, &pair.candidate}) {
    for (const Failure& failure : run->failures) {
      if (failure.kind != FailureKind::not_reached) return to_text(failure);
    }
  }
  return "";
}

}  // namespace

Nanoseconds solo_budget(Nanoseconds budget) { return std::min(budget * 0.125, Nanoseconds(seconds(30))); }

void confirm_alone(const std::vector<ListedPair>& listed, const Comparison& seen,
                   const bench::MeasuringSettings& settings, const bench::TimingPlan& timing,
                   const bench::Limits& limits, bench::MeasuredPair& pair, std::vector<std::string>& warnings) {
  if (regress::mutual_layout(pair.baseline.header, pair.candidate.header) != Layout::duet) return;
  const std::vector<Found> changed = what_changed(seen, listed);
  if (changed.empty()) return;
  for (Run* run : {&pair.baseline, &pair.candidate}) {
    run->header.settings[std::string(regress::kSoloSetting)] = std::to_string(kSoloRounds) + " rounds";
  }
  bench::MeasuringSettings alone = settings;
  alone.layout = Layout::interleaved;
  alone.rounds = kSoloRounds;
  alone.seed = settings.seed + 1;  // other orders and paddings than the duet's
  const BudgetClock clock(limits.budget);
  Nanoseconds last{};  // what the one before took
  for (const Found& found : changed) {
    if (limits.is_cancelled()) return;
    const Nanoseconds budget = clock.left();
    if (budget.count() <= 0 || budget < last) return;
    Result<bench::MeasuredPair> measured = bench::measure_pair(found.pair->baseline, found.pair->candidate, alone,
                                                               solo_timing(found, timing), {budget, limits.cancelled});
    last = budget - clock.left();
    const std::string trouble = measured ? failure_of(*measured) : measured.error().text();
    if (!trouble.empty()) {
      warnings.push_back(warning::not_measured_alone(name_as_given(found.benchmark->id.canonical()), trouble));
    }
    if (!measured) continue;
    std::optional<Run> baseline = samples_to_keep(std::move(measured->baseline), found);
    std::optional<Run> candidate = samples_to_keep(std::move(measured->candidate), found);
    if (!baseline || !candidate) continue;
    add_samples(std::move(*baseline), pair.baseline);
    add_samples(std::move(*candidate), pair.candidate);
  }
}

}  // namespace steelyard::ci

#include "ci/measuring/time_programs.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "ci/measuring/join_runs.hpp"
#include "ci/measuring/unmeasured.hpp"

namespace steelyard {
namespace {

using Clock = std::chrono::steady_clock;

// A program that only the candidate has is new, not wrong.
Result<MeasuredPair> time_alone(const ListedProgram& candidate, const MeasuringSettings& settings,
                                const TimingPlan& timing, const Limits& limits) {
  STEELYARD_TRY(Run alone, measure_one(candidate, settings, timing, limits));
  MeasuredPair measured;
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
  ProgramTimer(std::vector<ListedPair>& listed, const MeasuringSettings& settings, const TimingPlan& timing,
               const Limits& limits)
      : listed_(listed), settings_(settings), timing_(timing), limits_(limits) {
    any_to_measure_ = std::any_of(listed.begin(), listed.end(),
                                  [](const ListedPair& pair) { return pair.size() > 0 || pair.any_trouble(); });
  }

  Result<MeasuredPair> run() &&;

 private:
  // Of the budget; 0: nothing to measure. Where no program has a benchmark, each may say so itself.
  std::size_t weight(const ListedPair& pair) const {
    const bool skipped = any_to_measure_ && pair.size() == 0 && !pair.any_trouble();
    const std::size_t timed = pair.size() - std::min(pair.size(), pair.untimed.size());
    return skipped ? 0 : std::max<std::size_t>(1, timed);
  }
  Nanoseconds left() const;
  void time(ListedPair& pair, Nanoseconds budget);
  void fail(const ListedPair& pair, const Error& error);
  void not_reached(const ListedPair& pair);

  std::vector<ListedPair>& listed_;
  MeasuringSettings settings_;  // with the layout that the first program's trial chose: one for all of a comparison
  const TimingPlan& timing_;
  const Limits& limits_;
  bool any_to_measure_ = false;
  Clock::time_point begun_;
  std::optional<MeasuredPair> whole_;  // of the programs so far; absent: none was measured yet
  MeasuredPair unmeasured_;            // failures only
  std::optional<Error> first_error_;
};

// As long as nothing was measured nothing is spent: a program that hangs when it starts takes no time from the others.
Nanoseconds ProgramTimer::left() const {
  if (!whole_) return limits_.budget;
  const double spent = std::chrono::duration<double, std::nano>(Clock::now() - begun_).count();
  return Nanoseconds(std::max(0.0, limits_.budget.count() - spent));
}

void ProgramTimer::time(ListedPair& pair, Nanoseconds budget) {
  if (pair.nobody_answered() && !limits_.is_cancelled()) return fail(pair, *pair.candidate.trouble);
  if (!whole_) begun_ = Clock::now();
  TimingPlan timing = timing_;
  timing.leave_out = pair.untimed;
  const Limits share{budget, limits_.cancelled};
  Result<MeasuredPair> part = pair.is_new ? time_alone(pair.candidate, settings_, timing, share)
                                          : measure_pair(pair.baseline, pair.candidate, settings_, timing, share);
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

// An error that names one side's executable is that side's alone.
void ProgramTimer::fail(const ListedPair& pair, const Error& error) {
  if (!first_error_) first_error_ = error;
  const bool same = pair.baseline.program.executable == pair.candidate.program.executable;
  const auto blame = [&](const ListedProgram& side, const ListedProgram& other, Run& run) {
    if (!side.trouble && !same && error.where == other.program.executable.string()) return;
    fail_program(side, {"", (side.trouble ? *side.trouble : error).text()}, run);
  };
  if (!pair.is_new) blame(pair.baseline, pair.candidate, unmeasured_.baseline);
  blame(pair.candidate, pair.baseline, unmeasured_.candidate);
}

void ProgramTimer::not_reached(const ListedPair& pair) {
  const Unmeasured what{
      "", std::string(kNotReached) + "the budget was spent; ask for more than " + to_text(limits_.budget)};
  fail_benchmarks(pair.baseline.benchmarks(), what, unmeasured_.baseline);
  fail_benchmarks(pair.candidate.benchmarks(), what, unmeasured_.candidate);
}

Result<MeasuredPair> ProgramTimer::run() && {
  std::size_t ahead = 0;
  for (const ListedPair& pair : listed_) ahead += weight(pair);
  for (ListedPair& pair : listed_) {
    const std::size_t own = weight(pair);
    if (own == 0) continue;
    if (whole_ && limits_.is_cancelled()) break;
    const Nanoseconds share = left() * (static_cast<double>(own) / static_cast<double>(ahead));
    ahead -= own;
    if (whole_ && share.count() <= 0) {
      not_reached(pair);
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

Result<MeasuredPair> time_programs(std::vector<ListedPair>& listed, const MeasuringSettings& settings,
                                   const TimingPlan& timing, const Limits& limits) {
  return ProgramTimer(listed, settings, timing, limits).run();
}

}  // namespace steelyard

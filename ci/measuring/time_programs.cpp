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
Result<MeasuredPair> time_alone(const Program& candidate, const MeasureOptions& options) {
  STEELYARD_TRY(Run alone, measure_one(candidate, options));
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
  ProgramTimer(const std::vector<ProgramPair>& programs, std::vector<ListedPair>& listed, const MeasureOptions& options)
      : programs_(programs), listed_(listed), options_(options) {
    any_to_measure_ = std::any_of(listed.begin(), listed.end(),
                                  [](const ListedPair& pair) { return pair.size() > 0 || pair.any_trouble(); });
  }

  Result<MeasuredPair> run() &&;

 private:
  // Of the budget; 0: nothing to measure. Where no program has a benchmark, each may say so itself.
  std::size_t weight(std::size_t i) const {
    const bool skipped = any_to_measure_ && listed_[i].size() == 0 && !listed_[i].any_trouble();
    const std::size_t timed = listed_[i].size() - std::min(listed_[i].size(), listed_[i].untimed.size());
    return skipped ? 0 : std::max<std::size_t>(1, timed);
  }
  bool is_cancelled() const { return options_.cancelled != nullptr && options_.cancelled->load(); }
  Nanoseconds left() const;
  void time(std::size_t i, Nanoseconds budget);
  void fail(std::size_t i, const Error& error);
  void not_reached(std::size_t i);

  const std::vector<ProgramPair>& programs_;
  std::vector<ListedPair>& listed_;
  const MeasureOptions& options_;
  bool any_to_measure_ = false;
  Clock::time_point begun_;
  std::optional<MeasuredPair> whole_;  // of the programs so far; absent: none was measured yet
  MeasuredPair unmeasured_;            // failures only
  std::optional<Error> first_error_;
  std::optional<Layout> tried_layout_;
};

// As long as nothing was measured nothing is spent: a program that hangs when it starts takes no time from the others.
Nanoseconds ProgramTimer::left() const {
  if (!whole_) return options_.budget;
  const double spent = std::chrono::duration<double, std::nano>(Clock::now() - begun_).count();
  return Nanoseconds(std::max(0.0, options_.budget.count() - spent));
}

void ProgramTimer::time(std::size_t i, Nanoseconds budget) {
  if (listed_[i].nobody_answered() && !is_cancelled()) return fail(i, *listed_[i].candidate.trouble);
  if (!whole_) begun_ = Clock::now();
  MeasureOptions options = options_;
  options.budget = budget;
  options.leave_out = listed_[i].untimed;
  if (tried_layout_) options.layout = tried_layout_;  // one for all programs of a comparison
  Result<MeasuredPair> part = listed_[i].is_new ? time_alone(programs_[i].candidate, options)
                                                : measure_pair(programs_[i].baseline, programs_[i].candidate, options);
  if (!part) return fail(i, part.error());
  listed_[i].samples = std::move(part->samples);
  if (!tried_layout_) tried_layout_ = part->tried_layout;
  if (!whole_) {
    whole_ = std::move(part).value();
    return;
  }
  if (!whole_->tried_layout) whole_->tried_layout = part->tried_layout;
  join_run(whole_->baseline, std::move(part->baseline));
  join_run(whole_->candidate, std::move(part->candidate));
}

// An error that names one side's executable is that side's alone.
void ProgramTimer::fail(std::size_t i, const Error& error) {
  if (!first_error_) first_error_ = error;
  const ProgramPair& pair = programs_[i];
  const ListedPair& listed = listed_[i];
  const bool same = pair.baseline.executable == pair.candidate.executable;
  const auto blame = [&](const ListedSide& side, const Program& program, const Program& other, Run& run) {
    if (!side.trouble && !same && error.where == other.executable.string()) return;
    fail_program(program, side.benchmarks, {"", (side.trouble ? *side.trouble : error).text()}, run);
  };
  if (!listed.is_new) blame(listed.baseline, pair.baseline, pair.candidate, unmeasured_.baseline);
  blame(listed.candidate, pair.candidate, pair.baseline, unmeasured_.candidate);
}

void ProgramTimer::not_reached(std::size_t i) {
  constexpr FailureKind kKind = FailureKind::not_reached;
  const Unmeasured what{"", opening_of(kKind) + "the budget was spent; ask for more than " + to_text(options_.budget),
                        kKind};
  fail_benchmarks(programs_[i].baseline, listed_[i].baseline.benchmarks, what, unmeasured_.baseline);
  fail_benchmarks(programs_[i].candidate, listed_[i].candidate.benchmarks, what, unmeasured_.candidate);
}

Result<MeasuredPair> ProgramTimer::run() && {
  std::size_t ahead = 0;
  for (std::size_t i = 0; i < programs_.size(); ++i) ahead += weight(i);
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    const std::size_t own = weight(i);
    if (own == 0) continue;
    if (whole_ && is_cancelled()) break;
    const Nanoseconds share = left() * (static_cast<double>(own) / static_cast<double>(ahead));
    ahead -= own;
    if (whole_ && share.count() <= 0) {
      not_reached(i);
    } else {
      time(i, share);
    }
  }
  if (!whole_) return first_error_ ? *first_error_ : bug_error("time_programs", "no program");
  append_failures(unmeasured_.baseline, whole_->baseline);
  append_failures(unmeasured_.candidate, whole_->candidate);
  return std::move(*whole_);
}

}  // namespace

Result<MeasuredPair> time_programs(const std::vector<ProgramPair>& programs, std::vector<ListedPair>& listed,
                                   const MeasureOptions& options) {
  return ProgramTimer(programs, listed, options).run();
}

}  // namespace steelyard

// The second half of RoundLoop: rounds with a disturbed process are measured again.
#include <algorithm>
#include <set>
#include <utility>

#include "bench/runner/round_loop.hpp"

namespace steelyard {
namespace {

// Enough for a burst of other people's work; where more is disturbed the machine itself is the matter.
constexpr int kShareRepeated = 4;  // one in four rounds
// Of the time that the measuring has taken: the rest of the budget is for rounds that tell more.
constexpr double kTimeToRepeat = 0.1;

std::vector<Invocation> invocations_at(const SideRecord& record, const std::vector<std::uint32_t>& positions) {
  std::vector<Invocation> invocations;
  for (const std::uint32_t position : positions) invocations.push_back(record.invocation(position));
  return invocations;
}

}  // namespace

// Marks what was disturbed of one benchmark in this batch, whose rounds end before `ended`, and yields the rounds that
// are worth repeating, ascending.
std::vector<int> RoundLoop::mark_disturbed(Planned& planned, int ended) {
  std::set<int> rounds;
  planned.usual.clear();
  for (MeasuredSide* side : planned.sides) {
    const std::vector<std::uint32_t> positions = side->record().invocations_of(planned.name());
    planned.usual.push_back(usual_conditions(invocations_at(side->record(), positions)));
    for (const std::uint32_t position : positions) {
      const Invocation& invocation = side->record().invocation(position);
      if (invocation.round < batch_began_) continue;
      std::vector<std::string> causes = disturbed_by(invocation, planned.usual.back());
      if (causes.empty()) continue;
      rounds.insert(invocation.round);
      side->record().mark(position, std::move(causes));
    }
  }
  std::vector<int> result(rounds.begin(), rounds.end());
  outcome_.disturbed_rounds += static_cast<int>(result.size());
  const auto most = static_cast<std::size_t>(std::max((ended - batch_began_) / kShareRepeated, 1));
  if (result.size() > most) result.resize(most);
  return result;
}

void RoundLoop::repeat_disturbed(int ended) {
  std::vector<std::pair<int, std::size_t>> repetitions;  // nth of its benchmark, so that a small budget reaches all
  std::vector<std::vector<int>> rounds_of;
  const int disturbed_before = outcome_.disturbed_rounds;
  std::int64_t measured = 0;
  for (Planned& planned : benchmarks_) {
    rounds_of.push_back(mark_disturbed(planned, ended));
    if (!planned.reached || planned.done) {
      rounds_of.back().clear();
      continue;
    }
    measured += ended - batch_began_;
    for (std::size_t nth = 0; nth < rounds_of.back().size(); ++nth) {
      repetitions.emplace_back(static_cast<int>(nth), rounds_of.size() - 1);
    }
  }
  const bool mostly = 2 * (outcome_.disturbed_rounds - disturbed_before) > measured;
  if (pairs_done_ == 0 || !plan_.timing.repeat_disturbed || mostly || plan_.samples.group > 1) return;
  std::sort(repetitions.begin(), repetitions.end());
  pairs_left_ = static_cast<std::int64_t>(repetitions.size());
  int pass = 0;
  for (const auto& [nth, index] : repetitions) {
    const Nanoseconds spent = elapsed() - measuring_began_;
    const Nanoseconds one = spent * (1.0 / static_cast<double>(pairs_done_));
    const bool enough = outcome_.repeated_rounds > 0 && repeated_ + one > spent * kTimeToRepeat;
    if (is_cancelled() || enough || elapsed() + one > plan_.limits.budget) return;
    --pairs_left_;
    // Two rounds of one benchmark must not share the luck of one copy.
    if (nth >= pass) renew_copies(ended, pass = nth + 1);
    repeat(index, rounds_of[index][static_cast<std::size_t>(nth)]);
    ++pairs_done_;
    repeated_ += elapsed() - measuring_began_ - spent;
  }
}

void RoundLoop::repeat(std::size_t index, int round) {
  const Planned& planned = benchmarks_[index];
  report(planned.name(), round);
  std::vector<std::size_t> known;  // of each side, before the repetition
  for (MeasuredSide* side : planned.sides) known.push_back(side->record().invocations_of(planned.name()).size());
  repeating_ = true;
  measure({index}, round);
  repeating_ = false;
  ++outcome_.repeated_rounds;

  bool undisturbed = true;
  for (std::size_t i = 0; i < planned.sides.size(); ++i) {
    SideRecord& record = planned.sides[i]->record();
    const std::vector<std::uint32_t> positions = record.invocations_of(planned.name());
    if (positions.size() == known[i]) undisturbed = false;  // it failed, or was cancelled
    for (std::size_t n = known[i]; n < positions.size(); ++n) {
      std::vector<std::string> causes = disturbed_by(record.invocation(positions[n]), planned.usual[i]);
      undisturbed = undisturbed && causes.empty();
      record.mark(positions[n], std::move(causes));
    }
  }
  // What does not count is kept: the first taking, or the repetition.
  for (std::size_t i = 0; i < planned.sides.size(); ++i) {
    SideRecord& record = planned.sides[i]->record();
    const std::vector<std::uint32_t> positions = record.invocations_of(planned.name());
    for (std::size_t n = 0; n < positions.size(); ++n) {
      const bool is_repetition = n >= known[i];
      if (record.invocation(positions[n]).round == round && is_repetition != undisturbed) {
        record.leave_out(positions[n]);
      }
    }
  }
  if (undisturbed) ++outcome_.replaced_rounds;
}

}  // namespace steelyard

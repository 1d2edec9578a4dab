// What the rows of a gate bring to their adjustment, look by look.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "regress/ab/effect.hpp"
#include "regress/ab/joint.hpp"
#include "regress/ab/shift_test.hpp"

namespace steelyard::regress {
namespace {

// Delays only add: the mean of the half of the samples that was disturbed least finds more than the median does
// (docs/method/judgement.md).
double quiet_level(const LogInvocation& invocation, Disturbed disturbed) {
  std::vector<double> logs = invocation.logs;
  sort_values(logs);
  if (disturbed == Disturbed::downwards) std::reverse(logs.begin(), logs.end());
  const std::size_t half = (logs.size() + 1) / 2;
  double sum = 0;
  for (std::size_t i = 0; i < half; ++i) sum += logs[i];
  return sum / static_cast<double>(half);
}

JointSeen seen_by(const Look& look, PairedRounds paired, Disturbed disturbed) {
  JointSeen seen{look, {}, {}};
  if (look.rounds < std::numeric_limits<int>::max()) {
    std::erase_if(paired.rounds, [&](const PairedRound& round) { return round.baseline.round >= look.rounds; });
  }
  if (paired.rounds.size() < static_cast<std::size_t>(kMinRounds)) return seen;
  const RoundsTest test(paired.rounds, disturbed);
  const std::vector<double> by_slot = test.scores_of_equal_sides(true);
  const std::vector<double> by_side = test.scores_of_equal_sides(false);
  for (std::size_t r = 0; r < paired.rounds.size(); ++r) {
    const PairedRound& round = paired.rounds[r];
    const bool second = round.candidate.slot > round.baseline.slot;
    const double sign = second ? 1 : -1;
    const double level = quiet_level(round.candidate, disturbed) - quiet_level(round.baseline, disturbed);
    seen.by_side.rounds.push_back({round.baseline.round, second, level, by_side[r]});
    if (test.knows_slots()) {
      seen.by_slot.rounds.push_back({round.baseline.round, second, sign * level, sign * by_slot[r]});
    }
  }
  return seen;
}

}  // namespace

JointEvidence joint_evidence(const PairedRounds& paired, std::span<const Look> looks, Disturbed disturbed) {
  JointEvidence evidence;
  evidence.at_looks = !looks.empty();
  for (const Look& look : looks) evidence.seen.push_back(seen_by(look, paired, disturbed));
  if (looks.empty()) evidence.seen.push_back(seen_by({std::numeric_limits<int>::max(), 1, 1}, paired, disturbed));
  return evidence;
}

namespace {

// A look of the whole gate.
struct GateLook {
  int rounds = 0;
  double share = 1;
  std::vector<std::size_t> rows;  // that were looked at
};

// The planned looks that any row took part in, and the one of what the budget left.
std::vector<GateLook> looks_of(std::span<const JointEvidence* const> rows, const LookPlan& plan) {
  std::vector<GateLook> looks;
  for (const PlannedLook& planned : plan.looks) looks.push_back({planned.rounds, planned.share, {}});
  GateLook rest{std::numeric_limits<int>::max(), 1, {}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const JointSeen& seen : rows[i]->seen) {
      const auto planned = std::find_if(looks.begin(), looks.end(), [&](const GateLook& one) {
        return rows[i]->at_looks && one.rounds == seen.look.rounds && one.share == seen.look.share;
      });
      (planned != looks.end() ? planned->rows : rest.rows).push_back(i);
    }
  }
  for (const GateLook& look : looks) {
    if (!look.rows.empty()) rest.share -= look.share;
  }
  constexpr double kRoundingOfShares = 1e-9;
  // Where every planned look had its share, nothing is left for what is measured beyond them.
  if (rest.share > kRoundingOfShares) looks.push_back(std::move(rest));
  std::erase_if(looks, [](const GateLook& look) { return look.rows.empty(); });
  return looks;
}

// What a row had by a look of the gate; null: nothing.
const JointSeen* seen_by_then(const JointEvidence& evidence, int rounds) {
  const JointSeen* last = nullptr;
  for (const JointSeen& seen : evidence.seen) {
    if (last == nullptr || seen.look.rounds <= rounds) last = &seen;
  }
  return last;
}

// As many permutations as it takes that the share of the level that a look has lies 20 of them above the least p.
std::size_t permutations_for(double level) {
  constexpr double kMin = 5000;
  constexpr double kMax = 20000;
  return static_cast<std::size_t>(std::clamp(20 / level, kMin, kMax));
}

// Of what the rows had at a look, by slot where that is known of all.
std::vector<JointRow> rows_at(std::span<const JointEvidence* const> rows, const GateLook& look, bool& exchange_sides) {
  std::vector<const JointSeen*> seen;
  std::size_t most = 0;
  exchange_sides = false;
  for (const JointEvidence* row : rows) {
    seen.push_back(seen_by_then(*row, look.rounds));
    if (seen.back() == nullptr || seen.back()->by_side.rounds.empty()) continue;
    exchange_sides = exchange_sides || seen.back()->by_slot.rounds.empty();
    most = std::max(most, seen.back()->by_side.rounds.size());
  }
  exchange_sides = exchange_sides || most < kRoundsForSlots;
  std::vector<JointRow> result;
  for (const JointSeen* row : seen) {
    result.push_back(row == nullptr ? JointRow{} : exchange_sides ? row->by_side : row->by_slot);
  }
  return result;
}

}  // namespace

const JointResult& JointMemory::adjusted(std::vector<JointRow> rows, const JointQuestion& question) {
  constexpr std::size_t kMaxLooks = 16;
  const auto known = std::find_if(known_.begin(), known_.end(),
                                  [&](const Known& one) { return one.question == question && one.rows == rows; });
  if (known != known_.end()) return known->result;
  if (known_.size() == kMaxLooks) known_.erase(known_.begin());
  JointResult result = joint_adjusted(rows, question);
  return known_.emplace_back(Known{std::move(rows), question, std::move(result)}).result;
}

JointAdjustment adjust_jointly(std::span<const JointEvidence* const> rows, const LookPlan& plan,
                               const JointLevel& level, JointMemory* memory) {
  JointMemory own;
  JointAdjustment adjustment;
  adjustment.q.assign(rows.size(), 1);
  JointQuestion question;
  question.seed = level.seed;
  question.every_number = level.every_number;
  for (const PlannedLook& look : plan.looks) question.blocks.push_back(look.rounds);
  for (const GateLook& look : looks_of(rows, plan)) {
    std::vector<JointRow> seen = rows_at(rows, look, question.exchange_sides);
    question.permutations = permutations_for(level.level * look.share);
    const JointResult& joint = (memory != nullptr ? *memory : own).adjusted(std::move(seen), question);
    for (const std::size_t row : look.rows) {
      adjustment.q[row] = std::min(adjustment.q[row], joint.p[row] / look.share);
    }
    adjustment.independent = effective_comparisons(joint, level.level * look.share, rows.size());
  }
  return adjustment;
}

}  // namespace steelyard::regress

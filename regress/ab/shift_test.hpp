// The two permutation tests, as functions of a supposed effect: `p(shift)` is the p-value of the hypothesis that the
// candidate's logarithms lie exactly `shift` above the baseline's. The p of a comparison is p(0); its interval is the
// set of shifts that are not rejected (regress/ab/effect.hpp), so that the two cannot disagree.
//
// Each round (or invocation, where rounds cannot be paired) gets one number from sample_scores.hpp. What is drawn anew
// are labels only, so the level holds whatever the noise (permutations.hpp).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "regress/ab/rounds.hpp"
#include "regress/ab/sample_scores.hpp"

namespace steelyard::regress {

// Where slots matter (an unequal core, a cost of being first) and nobody says which side had which, the slot effect
// shows in the data: differences between the sides lie around two values, effect + slot and effect - slot. What depends
// on those differences only up to their sign may be used without touching the level of a test that exchanges sides.

// With fewer rounds a pattern like these is too often chance.
inline constexpr std::size_t kRoundsForGuessing = 10;
inline constexpr std::size_t kRoundsForPairs = 12;
// From here on the arrangements of slots are so many that p loses nothing by its steps: at 8 rounds, drawing slots
// finds 5 % in 78 % of tries where exchanging sides finds it in 85 %; at 15 rounds both find it in 96 %.
inline constexpr std::size_t kRoundsForSlots = 12;

// `raised[r]`: by how much the candidate's slot raises it over the baseline's in round r, as guessed; above 0 and
// below.
struct GuessedOrder {
  std::vector<double> raised;
};

// Rounds in balanced pairs (AB then BA, or BA then AB): the two differences of a pair lie on opposite sides of the
// effect. Absent where they do not, by more than 1 in 10 of unchanged programs with equal slots would show by chance.
// What is then exchanged is a whole pair: it keeps its pattern. differences: candidate minus baseline, a round each.
std::optional<GuessedOrder> order_of_pairs(std::span<const double> differences);

// In no order: whichever side lies higher is taken to have the slower slot. Absent where the sizes of the differences
// do not keep away from 0.
std::optional<GuessedOrder> order_by_sign(std::span<const double> differences);

// Sums of each pair's two scores; a last round without partner is its own sum.
std::vector<double> sums_of_pairs(std::span<const double> scores);

class ShiftTest {
 public:
  ShiftTest() = default;
  ShiftTest(const ShiftTest&) = delete;
  ShiftTest& operator=(const ShiftTest&) = delete;
  virtual ~ShiftTest() = default;

  // Above 0: the candidate lies higher than `shift` says; falls as shift grows; 0 where shift fits best.
  virtual double statistic(double shift) const = 0;
  virtual double p(double shift) const = 0;
  // The smallest p that complete separation of the sides could give.
  virtual double min_p() const = 0;
  // A first guess of the best shift, and a typical error of it (above 0).
  virtual double start() const = 0;
  virtual double step() const = 0;
};

// Rounds that have both sides. Slots (first or second, core 0 or 1) are not equal.
//
// Where the slots are known and changed about, the labels drawn anew are the slots: within a round, which slot was
// slower does not depend on the labels when the sides are equal, so a slot effect cancels exactly; where it can be seen
// it is taken off before ranking. From kRoundsForSlots rounds on this is always so; with fewer (8 to 11), only where a
// slot effect can be seen, because so few arrangements make coarse steps of p.
//
// Otherwise each round's sides swap: exact when the order was drawn at random, conservative when it was balanced. Where
// slots matter and nobody says which was which, the order is guessed from the data.
class RoundsTest : public ShiftTest {
 public:
  // Precondition: at least one round.
  explicit RoundsTest(std::vector<PairedRound> rounds, Disturbed disturbed = Disturbed::upwards);

  double statistic(double shift) const override;
  double p(double shift) const override;
  double min_p() const override;
  double start() const override { return start_; }
  double step() const override { return step_; }

  // Whether candidate and baseline were both first and both second at some time, so that a slot effect can be told.
  bool knows_slots() const { return knows_slots_; }
  // log of second slot over first, with the candidate moved down by `shift`. Precondition: knows_slots().
  double slot_effect(double shift) const;
  // Whether p(shift) draws the slots anew.
  bool draws_slots(double shift) const { return draws_slots_at(visible_slot_effect(shift)); }
  // Candidate minus baseline, a round each, if there is no effect: which side was which then gives no more than the
  // sign. `less_slots`: a slot effect that is seen is taken off first.
  std::vector<double> scores_of_equal_sides(bool less_slots) const {
    return scores(0, less_slots ? visible_slot_effect(0) : 0);
  }

 private:
  void find_start();
  std::vector<double> second_over_first(double shift) const;  // of levels, a round each
  // The slot effect where it stands out of its own error; else 0.
  double visible_slot_effect(double shift) const;
  // Whether the slots are drawn anew where `slot` is what visible_slot_effect() says.
  bool draws_slots_at(double slot) const;
  // Candidate minus baseline, a round each; of samples less the slot effect `slot` (0: nothing).
  std::vector<double> scores(double shift, double slot) const;
  // `raised[r]` is what the candidate's slot adds in round r: half of it is taken off the candidate, half put on the
  // baseline.
  std::vector<double> scores_with_order(double shift, const std::vector<double>& raised) const;
  double p_with_unknown_slots(double shift) const;
  double statistic_with_unknown_slots(double shift) const;

  std::vector<PairedRound> rounds_;         // samples ascending
  std::vector<double> differences_;         // of levels, a round each
  std::vector<bool> candidate_was_second_;  // a round each
  Disturbed disturbed_;
  std::optional<PooledScores> pooled_;          // lists: baseline, candidate
  std::optional<PooledScores> pooled_by_slot_;  // lists: baseline in the first and second slot, then candidate
  bool knows_slots_ = false;
  bool slots_can_tell_ = false;  // drawing the slots anew can reach 5 %
  double start_ = 0;
  double step_ = 0;
};

// Invocations without rounds: which invocations are the candidate's is drawn anew.
class InvocationsTest : public ShiftTest {
 public:
  // Precondition: at least one invocation a side.
  InvocationsTest(std::vector<LogInvocation> baseline, std::vector<LogInvocation> candidate,
                  Disturbed disturbed = Disturbed::upwards);

  double statistic(double shift) const override;
  double p(double shift) const override;
  double min_p() const override;
  double start() const override { return start_; }
  double step() const override { return step_; }

 private:
  std::vector<double> scores(double shift) const;  // baseline's invocations, then the candidate's

  std::vector<LogInvocation> baseline_;
  std::vector<LogInvocation> candidate_;
  std::vector<bool> is_candidate_;
  std::optional<PooledScores> pooled_;
  double start_ = 0;
  double step_ = 0;
};

}  // namespace steelyard::regress

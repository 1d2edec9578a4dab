// Where slots matter (an unequal core, a cost of being first) and nobody says which side had which, the slot effect
// shows in the data: differences between the sides lie around two values, effect + slot and effect - slot. What depends
// on those differences only up to their sign may be used without touching the level of a test that exchanges sides.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace steelyard {

// With fewer rounds a pattern like these is too often chance.
inline constexpr std::size_t kRoundsForGuessing = 10;
inline constexpr std::size_t kRoundsForPairs = 12;

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

}  // namespace steelyard

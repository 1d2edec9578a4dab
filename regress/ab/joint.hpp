// The adjusted p of all noisy rows of a gate at once: step-down maxT (P. H. Westfall and S. S. Young, Resampling-Based
// Multiple Testing, 1993, algorithm 4.1; Y. Ge, S. Dudoit and T. P. Speed, Resampling-based multiple testing for
// microarray data analysis, TEST 12, 2003, box 4). Every permutation of the rounds is one for all rows, and each row's
// statistic is held against the greatest of those not yet rejected. The least adjusted p does not grow with the number
// of rows, and that the rows share the machine's mood is used instead of feared.
//
// Not for layouts that are not concurrent: without rounds nothing can be permuted for all (bench/model/adjusted_p.hpp).
//
//     JointRow row;                            // of one benchmark and metric
//     row.rounds.push_back({0, true, .01, 1});  // round 0: the candidate was second, and the second 1 % slower
//     const JointResult joint = joint_adjusted(rows, {.blocks = {12, 16}});
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/model/comparison.hpp"
#include "regress/ab/rounds.hpp"
#include "regress/ab/sample_scores.hpp"
#include "regress/ab/sequential.hpp"

namespace steelyard::regress {

// What a round says, second slot over first, in two views. Levels have no bound, so that a large change stands out of
// any number of rows; scores of samples (sample_scores.hpp) know small changes in disturbed rounds.
struct JointRound {
  std::int32_t round = 0;
  bool candidate_second = false;
  double level = 0;  // logarithm of a ratio
  double score = 0;
  bool operator==(const JointRound&) const = default;
};

// Rounds ascend, each at most once; 2j and 2j + 1 are a pair of both orders. A row without two rounds of either order
// (two rounds, where sides are exchanged) has p 1 and takes no part.
struct JointRow {
  std::vector<JointRound> rounds;
  bool operator==(const JointRow&) const = default;
};

struct JointQuestion {
  // Ends of blocks of round numbers, ascending: rounds are permuted inside a block only, so that the rounds of a row
  // that stopped at a block's end are balanced in every permutation. Rounds beyond the last end are one more block.
  std::vector<int> blocks = {};
  // Numbers that no row has are permuted with the others, up to the greatest: as before Rules::rounds_7.
  bool every_number = false;
  // Where nobody knows which side had which slot: the sides of a round are exchanged, and t is that of the mean
  // difference. A round's values then are the candidate over the baseline, and candidate_second says nothing.
  bool exchange_sides = false;
  // Drawn; the observed one is one more. Where there are no more than so many at all, and the rows have the same
  // labels, each is taken once.
  std::size_t permutations = 5000;
  std::uint64_t seed = 0;
  bool operator==(const JointQuestion&) const = default;
};

// The statistic of a row is the greater of both views' |t| of the difference between the rounds in which the candidate
// was second and those in which it was first, with the pooled variance, brought to the scale of a normal value so that
// rows of few rounds and of many can share one greatest:
//
//     z = (8 v + 1) / (8 v + 3) * sqrt(v * log(1 + t^2 / v)),  v = n - 2 degrees of freedom
//
// (D. L. Wallace, Bounds on normal approximations to Student's and the chi-square distributions, Annals of Mathematical
// Statistics 30, 1959). Without spread inside the orders it is bounded by what doubles can tell.
struct JointResult {
  std::vector<double> p;           // adjusted, one a row
  std::vector<double> statistics;  // one a row
  std::vector<double> greatest;    // of all rows, one a permutation, ascending; the observed one is among them
};

// Cost: rows times rounds that are there times permutations, whatever their numbers; 500 rows of 160 rounds take less
// than 0.2 s with AVX2 and 0.3 s without, whatever the order of the sides in each. Of more than a few million values
// fewer permutations are drawn, 999 at the least.
JointResult joint_adjusted(std::span<const JointRow> rows, const JointQuestion& question);

// Adjustments that were made, so that a judge who is asked at every look makes that of each look once: what the rows
// had at an earlier look is the same at all later ones. Remembers the last 16 that differ in what they were asked.
class JointMemory {
 public:
  // Until the next call.
  const JointResult& adjusted(std::vector<JointRow> rows, const JointQuestion& question);

 private:
  struct Known {
    std::vector<JointRow> rows;
    JointQuestion question;
    JointResult result;
  };
  std::vector<Known> known_;
};

// What a row brings to the adjustment of its gate: the rounds that each look saw, the last entry all that count.
struct JointSeen {
  Look look;
  JointRow by_slot;  // second slot over first; empty where slots are not known, or always the same
  JointRow by_side;  // candidate over baseline, in the same rounds
};
struct JointEvidence {
  bool at_looks = false;        // otherwise the number of rounds was fixed beforehand, and there is one entry
  std::vector<JointSeen> seen;  // by look, ascending
};
// `looks`: those that the row took part in; empty: the number of rounds was fixed. A look of fewer than kMinRounds
// rounds saw nothing.
JointEvidence joint_evidence(const PairedRounds& paired, std::span<const Look> looks, Disturbed disturbed);

struct JointLevel {
  double level = 0.05;  // of the whole gate
  std::uint64_t seed = 0;
  bool every_number = false;  // as JointQuestion has it
};

struct JointAdjustment {
  std::vector<double> q;   // one a row
  double independent = 1;  // effective_comparisons() of the last look
};

// Each look of the plan is an adjustment of its own at its share of the level: of all rows, with the rounds that each
// had by then. A row that stopped stays in the greatest with the rounds it has: leaving it out would select the rows
// that are not decided. What the budget left after the last planned look is one more look of all rows, with the share
// that no look had which any row took part in. q is the least over a row's own looks of p / share, and 1 where it has
// fewer than kMinRounds. With less than kRoundsForSlots rounds, and where some row's slots are not known, the sides of
// rounds are exchanged in all.
// `memory`: of the same gate's earlier looks; null: there were none.
JointAdjustment adjust_jointly(std::span<const JointEvidence* const> rows, const LookPlan& plan,
                               const JointLevel& level, JointMemory* memory = nullptr);

// As many comparisons, each independent of the others, as would have the same greatest statistic at `level`: what the
// rows are worth together, at least 1 and at most `rows`.
double effective_comparisons(const JointResult& joint, double level, std::size_t rows);

}  // namespace steelyard::regress

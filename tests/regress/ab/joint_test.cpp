#include "regress/ab/joint.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace steelyard::regress::joint_test {
namespace {

// Six rows of 12 rounds with an effect of a slot; in the first three the candidate is slower. The candidate was second
// in rounds 1, 2, 5, 6, 9 and 10.
constexpr double kRows[6][12] = {
    {-12.8, -0.5, 17.7, -23.9, -2.4, -11.6, 22.0, 1.0, 12.6, 6.0, 15.0, -3.9},
    {-13.4, 17.5, 3.4, -9.5, 1.0, 16.6, 11.9, 15.9, -5.4, 10.1, 17.6, -11.2},
    {-18.9, 21.5, 45.3, -14.8, -13.2, 31.7, 45.2, -17.2, -21.2, 49.7, 10.4, -18.7},
    {11.7, 27.8, -4.5, -19.3, 11.6, -0.2, 1.1, 9.6, 7.2, 7.9, 0.7, 17.9},
    {20.0, 5.3, 0.5, 12.3, 9.8, -5.4, 0.4, 15.5, 4.0, 1.7, 7.1, 4.7},
    {5.0, -14.3, 22.5, 7.0, -3.8, 14.8, 8.1, 5.2, 15.5, 27.6, 10.5, 20.9},
};

std::vector<JointRow> rows() {
  std::vector<JointRow> rows(6);
  for (std::size_t row = 0; row < 6; ++row) {
    for (int round = 0; round < 12; ++round) {
      rows[row].rounds.push_back({round, round % 4 == 1 || round % 4 == 2, kRows[row][round], 0});
    }
  }
  return rows;
}

// mt.maxT(X, label, test = "t.equalvar", side = "abs", B = 0) of multtest 2.54 (K. S. Pollard, S. Dudoit, M. J. van der
// Laan), which enumerates all 924.
TEST(JointAdjustment, GivesTheAdjustedPOfAnIndependentImplementation) {
  constexpr std::array expected{0.290043290, 0.041125541, 0.002164502, 0.900432900, 0.047619048, 0.896103896};
  const JointResult joint = joint_adjusted(rows(), {});
  ASSERT_EQ(joint.p.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(joint.p[i], expected[i], 1e-8) << i;
  EXPECT_EQ(joint.greatest.size(), 924U);
}

// The same with test = "pairt": the sides of rounds are exchanged, 4096 in all.
TEST(JointAdjustment, GivesTheAdjustedPOfPairsWhereNobodyKnowsTheSlots) {
  constexpr std::array expected{0.68701172, 0.45507812, 0.53173828, 0.34570312, 0.06787109, 0.07128906};
  const JointResult joint = joint_adjusted(rows(), {.exchange_sides = true});
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(joint.p[i], expected[i], 1e-8) << i;
}

TEST(JointAdjustment, DrawsWhatIsTooMuchToTakeAllOf) {
  const JointResult all = joint_adjusted(rows(), {});
  constexpr std::size_t kDrawn = 900;
  const JointResult drawn = joint_adjusted(rows(), {.permutations = kDrawn, .seed = 3});
  EXPECT_EQ(drawn.greatest.size(), kDrawn + 1);
  for (std::size_t i = 0; i < all.p.size(); ++i) {
    EXPECT_NEAR(drawn.p[i], all.p[i], 4 * std::sqrt(all.p[i] * (1 - all.p[i]) / kDrawn) + 1.0 / kDrawn) << i;
    EXPECT_GT(drawn.p[i], 0);
  }
}

// In the second row the candidate was first where it was second in the others: the same permutation of round numbers.
TEST(JointAdjustment, OppositeOrdersOfTheSidesChangeNothing) {
  std::vector<JointRow> opposite = rows();
  for (JointRound& round : opposite[1].rounds) round.candidate_second = !round.candidate_second;
  EXPECT_EQ(joint_adjusted(opposite, {}).p, joint_adjusted(rows(), {}).p);
}

TEST(JointAdjustment, TheViewThatTellsMoreIsTheStatistic) {
  std::vector<JointRow> both = rows();
  for (std::size_t round = 0; round < 12; ++round) both[0].rounds[round].score = kRows[2][round];
  const JointResult joint = joint_adjusted(both, {});
  EXPECT_EQ(joint.statistics[0], joint.statistics[2]);
  for (JointRound& round : both[2].rounds) std::swap(round.level, round.score);
  EXPECT_EQ(joint_adjusted(both, {}).p, joint.p);
}

// z of pooled t, by its formula.
double plain_statistic(const std::vector<double>& values, const std::vector<bool>& second) {
  double sums[2] = {0, 0}, counts[2] = {0, 0}, within = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sums[second[i]] += values[i], counts[second[i]] += 1;
  if (counts[0] == 0 || counts[1] == 0) return 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double distance = values[i] - sums[second[i]] / counts[second[i]];
    within += distance * distance;
  }
  const double v = counts[0] + counts[1] - 2;
  const double difference = sums[1] / counts[1] - sums[0] / counts[0];
  const double t_squared = difference * difference / (within / v * (1 / counts[0] + 1 / counts[1]));
  return (8 * v + 1) / (8 * v + 3) * std::sqrt(v * std::log1p(t_squared / v));
}

// All 40,320 permutations of eight rounds; each row has its own order of the sides, and one lacks its last two rounds.
TEST(JointAdjustment, RowsWithOrdersOfTheirOwnAreAsAllPermutationsHaveIt) {
  constexpr std::size_t kRounds = 8;
  constexpr bool kSecond[4][kRounds] = {{0, 1, 1, 0, 0, 1, 1, 0},
                                        {1, 0, 1, 0, 0, 1, 0, 1},
                                        {0, 1, 0, 1, 1, 0, 0, 1},
                                        {1, 0, 0, 1, 1, 0, 0, 1}};  // the last two are what they would have been
  constexpr std::size_t kMeasured[4] = {kRounds, kRounds, kRounds, 6};
  std::vector<JointRow> own(4);
  for (std::size_t row = 0; row < 4; ++row) {
    for (std::size_t round = 0; round < kMeasured[row]; ++round) {
      const double moved = row == 0 && kSecond[row][round] ? 25 : 0;
      own[row].rounds.push_back({static_cast<int>(round), kSecond[row][round], kRows[row + 2][round] + moved, 0});
    }
  }
  std::array<std::size_t, kRounds> taken{0, 1, 2, 3, 4, 5, 6, 7};
  std::array<double, 4> observed{};
  std::array<int, 4> reached{};
  int permutations = 0;
  do {
    std::array<double, 4> statistics{};
    for (std::size_t row = 0; row < 4; ++row) {
      std::vector<double> values;
      std::vector<bool> second;
      for (std::size_t round = 0; round < kMeasured[row]; ++round) {
        values.push_back(own[row].rounds[round].level);
        second.push_back(kSecond[row][taken[round]]);
      }
      statistics[row] = plain_statistic(values, second);
    }
    if (permutations++ == 0) observed = statistics;
    for (std::size_t row = 0; row < 4; ++row) {
      double greatest = 0;
      for (std::size_t other = 0; other < 4; ++other) {
        if (observed[other] <= observed[row]) greatest = std::max(greatest, statistics[other]);
      }
      if (greatest >= observed[row] * (1 - 1e-9)) ++reached[row];
    }
  } while (std::next_permutation(taken.begin(), taken.end()));
  const JointResult joint = joint_adjusted(own, {.permutations = 20000, .seed = 5});
  double above = 0;
  std::array<std::size_t, 4> descending{0, 1, 2, 3};
  std::sort(descending.begin(), descending.end(), [&](auto a, auto b) { return observed[a] > observed[b]; });
  for (const std::size_t row : descending) {
    above = std::max(above, static_cast<double>(reached[row]) / permutations);
    EXPECT_NEAR(joint.statistics[row], observed[row], 1e-9) << row;
    EXPECT_NEAR(joint.p[row], above, 4 * std::sqrt(above * (1 - above) / 20000) + 1e-4) << row;
  }
  EXPECT_LT(joint.p[0], 0.05) << "something is found";
}

TEST(JointAdjustment, LeastPDoesNotGrowWithTheNumberOfRows) {
  std::vector<JointRow> many = rows();
  const JointRow shifted = many[2];
  for (int copy = 0; copy < 200; ++copy) {
    JointRow quiet;
    for (int round = 0; round < 12; ++round) {
      // A different order of the fourth row's values in each: no effect.
      quiet.rounds.push_back({round, round % 4 == 1 || round % 4 == 2,
                              kRows[3][(round * (copy % 5 == 0 ? 1 : 5) + copy) % 12] * (1 + copy % 7), 0});
    }
    many.push_back(quiet);
  }
  for (JointRound& round : many[2].rounds) round.level += round.candidate_second ? 1000 : -1000;
  const JointResult joint = joint_adjusted(many, {});
  EXPECT_NEAR(joint.p[2], 2.0 / 924, 1e-10);
}

TEST(JointAdjustment, AnUnknownScaleOfARowChangesNothing) {
  std::vector<JointRow> scaled = rows();
  for (JointRound& round : scaled[1].rounds) round.level = round.level * 1e-6 + 3;
  EXPECT_EQ(joint_adjusted(rows(), {}).p, joint_adjusted(scaled, {}).p);
}

TEST(JointAdjustment, KeepsARowThatStoppedEarlierInTheGreatest) {
  std::vector<JointRow> stopped(2);
  for (int round = 0; round < 16; ++round) {
    const bool second = round % 4 == 1 || round % 4 == 2;
    stopped[0].rounds.push_back({round, second, kRows[0][round % 12], 0});
    if (round < 12) stopped[1].rounds.push_back({round, second, kRows[2][round], 0});
  }
  const JointQuestion question{.blocks = {12, 16}, .permutations = 20000};
  const JointResult both = joint_adjusted(stopped, question);
  const JointResult alone = joint_adjusted(std::span(stopped).first(1), question);
  EXPECT_NEAR(both.statistics[1], 5, 1.5);
  // Step-down: what is found first no longer weighs on the next.
  EXPECT_NEAR(both.p[0], alone.p[0], 0.02);
  EXPECT_GT(both.greatest[both.greatest.size() / 2], alone.greatest[alone.greatest.size() / 2]);
}

// rows() with other numbers of their rounds.
std::vector<JointRow> numbered(int (*number)(int)) {
  std::vector<JointRow> result = rows();
  for (JointRow& row : result) {
    for (JointRound& round : row.rounds) round.round = number(round.round);
  }
  return result;
}

TEST(JointAdjustment, NumbersThatNoRowHasAreNotPermuted) {
  const JointResult joint = joint_adjusted(rows(), {});
  const JointResult parts = joint_adjusted(numbered([](int round) { return round < 6 ? round : round + 1000; }), {});
  EXPECT_EQ(parts.p, joint.p);
  EXPECT_EQ(parts.greatest, joint.greatest);
  const auto late = [](int round) { return round < 11 ? round : kRoundsLimit - 1; };
  EXPECT_EQ(joint_adjusted(numbered(late), {}).p, joint.p) << "at no more cost than 12 rounds have";
  const auto lost = [](int round) { return round < 6 ? round : round + 2; };
  EXPECT_EQ(joint_adjusted(numbered(lost), {}).greatest.size(), 924U);
  EXPECT_EQ(joint_adjusted(numbered(lost), {.every_number = true}).greatest.size(), 3432U) << "by older rules";
  EXPECT_EQ(joint_adjusted(rows(), {.every_number = true}).p, joint.p) << "nothing is lacking";
}

TEST(JointAdjustment, BlocksEndAtNumbersOfRoundsWhicheverAreThere) {
  const auto number = [](int round) { return round < 6 ? round : round + 1000; };
  for (const int end : {6, 8, 1006}) {
    EXPECT_EQ(joint_adjusted(numbered(number), {.blocks = {end}}).greatest.size(), 400U) << end;
  }
  EXPECT_EQ(joint_adjusted(numbered(number), {.blocks = {6}}).p, joint_adjusted(rows(), {.blocks = {6}}).p);
}

// Of the second row two rounds are lacking, and what they would have been is the opposite of what their partners are.
TEST(JointAdjustment, ALackingRoundIsTheOtherHalfOfItsPairWhateverItsPlace) {
  const auto without = [](std::vector<JointRow> all) {
    std::erase_if(all[1].rounds, [&](const JointRound& round) {
      return round.round == all[0].rounds[7].round || round.round == all[0].rounds[10].round;
    });
    return all;
  };
  const auto number = [](int round) { return round < 6 ? round : round + 1000; };
  const JointResult joint = joint_adjusted(without(rows()), {});
  EXPECT_EQ(joint_adjusted(without(numbered(number)), {}).p, joint.p);
  EXPECT_EQ(joint.greatest.size(), 924U) << "with labels that are those of the others";
  // No row has round 1: in places without it the pairs would be others.
  std::vector<JointRow> first_lost = without(rows());
  for (JointRow& row : first_lost) row.rounds.erase(row.rounds.begin() + 1);
  EXPECT_EQ(joint_adjusted(first_lost, {}).greatest.size(), 462U);
}

TEST(JointAdjustment, SaysNothingOfRowsThatHoldNothing) {
  std::vector<JointRow> odd(4);
  odd[1].rounds = {{0, true, 1, 0}, {1, false, 2, 0}};                                     // one of either order
  odd[2].rounds = {{0, true, 1, 1}, {1, false, 1, 1}, {2, false, 1, 1}, {3, true, 1, 1}};  // no spread
  odd[3].rounds = {{0, true, 2, 0}, {1, false, 1, 0}, {2, false, 1, 0}, {3, true, 2, 0}, {7, false, 1, 0}};  // lacking
  const JointResult joint = joint_adjusted(odd, {});
  EXPECT_EQ(joint.p[0], 1);
  EXPECT_EQ(joint.p[1], 1);
  EXPECT_EQ(joint.p[2], 1);
  EXPECT_LT(joint.p[3], 1);
  EXPECT_TRUE(std::isfinite(joint.statistics[3]));
  EXPECT_TRUE(joint_adjusted({}, {}).p.empty());
}

TEST(JointAdjustment, ReplaysFromItsSeed) {
  const auto greatest = [](std::uint64_t seed) {
    return joint_adjusted(rows(), {.permutations = 500, .seed = seed}).greatest;
  };
  EXPECT_EQ(greatest(5), greatest(5));
  EXPECT_NE(greatest(5), greatest(6));
}

TEST(EffectiveComparisons, OfRowsThatMoveTogetherAreFew) {
  std::vector<JointRow> same(50, rows()[0]);
  std::vector<JointRow> one(same.begin(), same.begin() + 1);
  const JointQuestion question{.permutations = 20000};
  EXPECT_NEAR(effective_comparisons(joint_adjusted(same, question), 0.05, 50),
              effective_comparisons(joint_adjusted(one, question), 0.05, 1), 0.3);
  EXPECT_GT(effective_comparisons(joint_adjusted(rows(), question), 0.05, 6), 2.5);
  EXPECT_EQ(effective_comparisons({}, 0.05, 7), 7);
}

// Rounds of five samples a process, of which the candidate's are all `ratio` times as long.
PairedRounds paired(int rounds, double ratio, int seed, bool swapped = true) {
  PairedRounds result;
  std::uint64_t state = static_cast<std::uint64_t>(seed) * 7919 + 1;
  const auto noise = [&] {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(state >> 40U) * 0x1p-24 * 0.01;
  };
  for (int round = 0; round < rounds; ++round) {
    const bool second = swapped && (round % 4 == 1 || round % 4 == 2);
    PairedRound sides;
    for (const bool is_candidate : {false, true}) {
      LogInvocation& side = is_candidate ? sides.candidate : sides.baseline;
      side.round = round;
      side.slot = is_candidate == second ? 1 : 0;
      for (int sample = 0; sample < 5; ++sample) side.logs.push_back(noise() + (is_candidate ? std::log(ratio) : 0));
      side.level = side.logs.front();
    }
    result.rounds.push_back(std::move(sides));
  }
  return result;
}

JointAdjustment adjusted(const std::vector<JointEvidence>& rows, const LookPlan& plan = {}) {
  std::vector<const JointEvidence*> pointers;
  for (const JointEvidence& row : rows) pointers.push_back(&row);
  return adjust_jointly(pointers, plan, {0.05, 1});
}

TEST(AdjustJointly, AChangeIsFoundAmongAnyNumberOfRows) {
  for (const int count : {2, 60, 400}) {
    std::vector<JointEvidence> rows;
    for (int i = 0; i < count; ++i) {
      rows.push_back(joint_evidence(paired(12, i == 0 ? 1.25 : 1, i), {}, Disturbed::upwards));
    }
    const JointAdjustment joint = adjusted(rows);
    EXPECT_NEAR(joint.q[0], 2.0 / 924, 1e-10) << count;
    EXPECT_GT(*std::min_element(joint.q.begin() + 1, joint.q.end()), 0.01) << count;
    EXPECT_LE(joint.independent, count);
  }
}

TEST(JointMemory, ReckonsAnewWhateverDiffersInRowsOrQuestion) {
  JointMemory memory;
  std::vector<JointRow> other = rows();
  other.back().rounds.back().level += 1;
  for (const auto& asked : {rows(), other, rows()}) {
    for (const std::uint64_t seed : {1, 2, 1}) {
      const JointQuestion question{.permutations = 500, .seed = seed};
      EXPECT_EQ(memory.adjusted(asked, question).greatest, joint_adjusted(asked, question).greatest);
    }
  }
}

TEST(AdjustJointly, ALookSpendsItsShareAndAStoppedRowKeepsItsRounds) {
  const LookPlan plan{{{12, 0.25}, {24, 0.75}}};
  const std::vector<Look> first{{12, 0.5, 0.25}};
  const std::vector<Look> both{{12, 0.5, 0.25}, {24, 0.5, 0.75}};
  std::vector<JointEvidence> rows;
  rows.push_back(joint_evidence(paired(12, 1.25, 0), first, Disturbed::upwards));
  rows.push_back(joint_evidence(paired(24, 1.25, 1), both, Disturbed::upwards));
  rows.push_back(joint_evidence(paired(24, 1, 2), both, Disturbed::upwards));
  const JointAdjustment joint = adjusted(rows, plan);
  EXPECT_NEAR(joint.q[0], 2.0 / 924 / 0.25, 1e-9) << "it took part in the first look alone";
  EXPECT_LT(joint.q[1], joint.q[0]) << "the second look has more rounds and a larger share";
  EXPECT_GT(joint.q[2], 0.05);
  // What the budget left after 14 rounds has what no look had that any row took part in.
  const std::vector<Look> rest{{12, 0.5, 0.25}, {14, 0.5, 0.75}};
  rows[2] = joint_evidence(paired(14, 1.25, 2), rest, Disturbed::upwards);
  EXPECT_NEAR(adjusted(rows, plan).q[2], 2.0 / 924 / 0.25, 1e-9) << "nothing was left: the first look alone counts";
}

TEST(AdjustJointly, RowsOfTooFewRoundsAreNotFoundAndDoNotHinderOthers) {
  std::vector<JointEvidence> rows;
  rows.push_back(joint_evidence(paired(5, 1.25, 0), {}, Disturbed::upwards));
  rows.push_back(joint_evidence(paired(12, 1.25, 1), {}, Disturbed::upwards));
  const JointAdjustment joint = adjusted(rows);
  EXPECT_EQ(joint.q[0], 1);
  EXPECT_NEAR(joint.q[1], 2.0 / 924, 1e-10);
}

TEST(AdjustJointly, WhereTheOrderNeverChangedOrRoundsAreFewSidesAreExchanged) {
  std::vector<JointEvidence> rows;
  rows.push_back(joint_evidence(paired(12, 1.25, 0, false), {}, Disturbed::upwards));
  rows.push_back(joint_evidence(paired(12, 1.25, 1), {}, Disturbed::upwards));
  EXPECT_TRUE(rows[0].seen[0].by_slot.rounds.empty());
  for (const double q : adjusted(rows).q) EXPECT_NEAR(q, 2.0 / 4096, 1e-10);
  rows = {joint_evidence(paired(6, 1.25, 0), {}, Disturbed::upwards),
          joint_evidence(paired(6, 1, 1), {}, Disturbed::upwards)};
  EXPECT_NEAR(adjusted(rows).q[0], 2.0 / 64, 1e-10);
}

}  // namespace
}  // namespace steelyard::regress::joint_test

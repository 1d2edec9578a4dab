#include "regress/history/bisection.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include "tests/regress/simulated_runs.hpp"

namespace steelyard::regress::bisection_test {
namespace {

using Answering = std::function<ProbeAnswer(const BisectionProbe&)>;

struct Searched {
  BisectionConclusion conclusion;
  std::vector<BisectionProbe> probes;
  std::set<std::size_t> places;  // that were measured, as a build each
};

Searched search(std::size_t commits, const Answering& answer, BisectionRules rules = {}) {
  Bisection bisection(commits, rules);
  Searched searched;
  BisectionStep step = bisection.next();
  for (; step.probe; step = bisection.next()) {
    if (searched.probes.size() > 1000) ADD_FAILURE() << "it does not end";
    if (searched.probes.size() > 1000) break;
    searched.probes.push_back(*step.probe);
    searched.places.insert({step.probe->baseline, step.probe->candidate});
    bisection.answer(*step.probe, answer(*step.probe));
  }
  searched.conclusion = step.conclusion;
  return searched;
}

// Of levels: as the good end, or not.
Answering of_levels(std::vector<int> levels) {
  return [levels = std::move(levels)](const BisectionProbe& probe) {
    return levels[probe.candidate] == levels[probe.baseline] ? ProbeAnswer::unchanged : ProbeAnswer::changed;
  };
}
std::vector<int> step_at(std::size_t commits, std::size_t first_bad) {
  std::vector<int> levels(commits, 0);
  for (std::size_t place = first_bad; place < commits; ++place) levels[place] = 1;
  return levels;
}

TEST(Bisection, FindsEveryPlaceOfALineWithTheLogarithmOfItsCommits) {
  constexpr std::size_t kCommits = 65;
  for (std::size_t place = 1; place < kCommits; ++place) {
    const Searched found = search(kCommits, of_levels(step_at(kCommits, place)));
    EXPECT_EQ(found.conclusion.end, BisectionEnd::found);
    EXPECT_EQ(found.conclusion.first_bad, place);
    EXPECT_EQ(found.conclusion.last_good, place - 1);
    EXPECT_TRUE(found.conclusion.between.empty());
    EXPECT_LE(found.places.size(), 8U) << "both ends and six halvings";
    EXPECT_EQ(found.probes.back().purpose, ProbePurpose::check);
    EXPECT_EQ(found.probes.back().baseline, place - 1);
  }
}

TEST(Bisection, OfTwoCommitsChecksTheSecondAnew) {
  const Searched found = search(2, of_levels({0, 1}));
  EXPECT_EQ(found.conclusion.end, BisectionEnd::found);
  ASSERT_EQ(found.probes.size(), 2U);
  EXPECT_EQ(found.probes[0].purpose, ProbePurpose::ends);
  EXPECT_EQ(found.probes[1].purpose, ProbePurpose::check);
}

TEST(Bisection, AsksNothingMoreOfEndsThatAreAlike) {
  const Searched found = search(65, of_levels(std::vector<int>(65, 0)));
  EXPECT_EQ(found.conclusion.end, BisectionEnd::ends_alike);
  EXPECT_EQ(found.probes.size(), 1U);
}

TEST(Bisection, SaysSoWhereTheEndsCannotBeToldOrMeasured) {
  const Searched untold = search(9, [](const BisectionProbe&) { return ProbeAnswer::cannot_tell; });
  EXPECT_EQ(untold.conclusion.end, BisectionEnd::ends_cannot_tell);
  EXPECT_EQ(untold.probes.size(), 3U) << "with more rounds each time";
  EXPECT_EQ(untold.probes.back().attempt, 2);
  const Searched skipped = search(9, [](const BisectionProbe&) { return ProbeAnswer::skipped; });
  EXPECT_EQ(skipped.conclusion.end, BisectionEnd::ends_skipped);
}

TEST(Bisection, StepsAroundACommitThatDoesNotBuild) {
  const Answering levels = of_levels(step_at(65, 20));
  const Searched found = search(
      65, [&](const BisectionProbe& probe) { return probe.candidate == 32 ? ProbeAnswer::skipped : levels(probe); });
  EXPECT_EQ(found.conclusion.end, BisectionEnd::found);
  EXPECT_EQ(found.conclusion.first_bad, 20U);
  EXPECT_LE(found.places.size(), 10U);
}

TEST(Bisection, WidensItsAnswerToWhatCouldNotBeMeasured) {
  const Answering levels = of_levels(step_at(17, 8));
  const Searched found = search(17, [&](const BisectionProbe& probe) {
    const bool is_broken = probe.purpose == ProbePurpose::search && probe.candidate >= 7 && probe.candidate <= 9;
    return is_broken ? ProbeAnswer::skipped : levels(probe);
  });
  EXPECT_EQ(found.conclusion.end, BisectionEnd::range);
  EXPECT_EQ(found.conclusion.last_good, 6U);
  EXPECT_EQ(found.conclusion.first_bad, 10U);
  EXPECT_EQ(found.conclusion.between, (std::vector<std::size_t>{7, 8, 9}));
}

TEST(Bisection, LeavesALongBrokenStretchByItsHalves) {
  const Answering levels = of_levels(step_at(257, 30));
  const Searched found = search(257, [&](const BisectionProbe& probe) {
    return probe.candidate >= 100 && probe.candidate < 200 ? ProbeAnswer::skipped : levels(probe);
  });
  EXPECT_EQ(found.conclusion.first_bad, 30U);
  EXPECT_LE(found.places.size(), 16U) << "not one build for each of the hundred";
}

TEST(Bisection, GivesWhatCannotBeToldMoreRoundsBeforeANeighbour) {
  const Answering levels = of_levels(step_at(33, 5));
  const Searched found = search(33, [&](const BisectionProbe& probe) {
    return probe.candidate == 16 && probe.purpose == ProbePurpose::search && probe.attempt < 2
               ? ProbeAnswer::cannot_tell
               : levels(probe);
  });
  EXPECT_EQ(found.conclusion.first_bad, 5U);
  ASSERT_GE(found.probes.size(), 4U);
  EXPECT_EQ(found.probes[3], (BisectionProbe{ProbePurpose::search, 0, 16, 2}));
}

TEST(Bisection, EndsInARangeWhereNothingCanBeTold) {
  const Searched found = search(129, [](const BisectionProbe& probe) {
    return probe.purpose == ProbePurpose::search ? ProbeAnswer::cannot_tell : ProbeAnswer::changed;
  });
  EXPECT_EQ(found.conclusion.end, BisectionEnd::range);
  EXPECT_EQ(found.conclusion.between.size(), 127U);
  EXPECT_LE(found.places.size(), 5U) << "it does not build them all";
}

TEST(Bisection, ThatWasMisledOnceAsksAgainAndFindsIt) {
  const Answering levels = of_levels(step_at(65, 50));
  const Searched found = search(65, [&](const BisectionProbe& probe) {
    const bool is_false_alarm = probe.purpose == ProbePurpose::search && probe.candidate == 32 && probe.attempt == 0;
    return is_false_alarm ? ProbeAnswer::changed : levels(probe);
  });
  EXPECT_EQ(found.conclusion.end, BisectionEnd::found);
  EXPECT_EQ(found.conclusion.first_bad, 50U);
}

TEST(Bisection, NamesNothingWhereNeighboursDoNotDiffer) {
  // Many small steps: each commit as the one before, the ends far apart.
  const Searched found = search(65, [](const BisectionProbe& probe) {
    return probe.candidate - probe.baseline > 20 ? ProbeAnswer::changed : ProbeAnswer::unchanged;
  });
  EXPECT_EQ(found.conclusion.end, BisectionEnd::not_confirmed);
}

TEST(Bisection, SeesAChangeThereAndBackWhereItIsAskedForTheOrder) {
  std::vector<int> levels = step_at(65, 16);
  for (std::size_t place = 45; place < 55; ++place) levels[place] = 0;
  EXPECT_TRUE(search(65, of_levels(levels)).conclusion.contrary.empty()) << "halving does not come there";
  const Searched found = search(65, of_levels(levels), {.order_probes = 2});
  EXPECT_EQ(found.conclusion.end, BisectionEnd::found);
  EXPECT_EQ(found.conclusion.first_bad, 16U);
  EXPECT_EQ(found.conclusion.contrary, (std::vector<std::size_t>{48}));
}

TEST(Bisection, AsksNoMoreThanItsLevelsAreSharedByAndThenEndsInARange) {
  for (const std::size_t commits : {3U, 9U, 65U, 5000U}) {
    for (const int order : {0, 2}) {
      const BisectionRules rules{.untold = 1000, .order_probes = order};
      std::size_t asked = 0;
      const Searched found = search(
          commits,
          [&](const BisectionProbe& probe) {
            if (probe.purpose == ProbePurpose::check || probe.purpose == ProbePurpose::ends)
              return ProbeAnswer::changed;
            ++asked;
            return ProbeAnswer::cannot_tell;
          },
          rules);
      EXPECT_LE(asked + static_cast<std::size_t>(rules.attempts),
                std::lround(kProbesShare / bisection_levels(commits, 0.05, rules).probe));
      EXPECT_EQ(found.conclusion.end, BisectionEnd::range);
    }
  }
}

TEST(Bisection, CountsNoCommitThatCouldNotBeMeasuredAmongWhatItMayAsk) {
  const Answering levels = of_levels(step_at(257, 30));
  const Searched found = search(257, [&](const BisectionProbe& probe) {
    return probe.candidate >= 40 && probe.purpose == ProbePurpose::search ? ProbeAnswer::skipped : levels(probe);
  });
  EXPECT_EQ(found.conclusion.first_bad, 30U);
}

TEST(Bisection, GoesOnFromAnswersThatWereKept) {
  const Answering levels = of_levels(step_at(65, 23));
  const Searched whole = search(65, levels);
  Bisection resumed(65);
  for (std::size_t i = 0; i < 4; ++i) {
    ASSERT_EQ(resumed.next().probe, whole.probes[i]);
    resumed.answer(whole.probes[i], levels(whole.probes[i]));
  }
  EXPECT_EQ(resumed.next().probe, whole.probes[4]);
}

TEST(BisectionLevels, OfAllProbesAndChecksAddUpToWhatIsStated) {
  for (const std::size_t commits : {2U, 17U, 65U, 5000U}) {
    const BisectionRules rules;
    const BisectionLevels levels = bisection_levels(commits, 0.05, rules);
    const double halvings = std::ceil(std::log2(static_cast<double>(commits)));
    EXPECT_LE(levels.probe * rules.attempts * (1 + halvings + 2 * rules.repeats), kProbesShare * (1 + 1e-12));
    EXPECT_LE(levels.check * rules.attempts * (1 + rules.repeats), 0.05 * (1 + 1e-12));
    EXPECT_DOUBLE_EQ(levels.wrong_commit, 0.005);
  }
}

// Answers that err as often as they may, each at random: false alarms of probes and checks, and what cannot be told.
TEST(BisectionLevels, HoldOverThousandsOfSearches) {
  constexpr int kSearches = 4000;
  const BisectionLevels levels = bisection_levels(65, 0.05);
  Simulation random(7);
  int named_wrongly = 0;
  int named_rightly = 0;
  for (int i = 0; i < kSearches; ++i) {
    const std::size_t place = 1 + static_cast<std::size_t>(random.uniform() * 64);
    const Answering truth = of_levels(step_at(65, place));
    const Searched found = search(65, [&](const BisectionProbe& probe) {
      const ProbeAnswer answer = truth(probe);
      const double level = probe.purpose == ProbePurpose::check ? levels.check : levels.probe;
      if (answer == ProbeAnswer::unchanged && random.uniform() < level) return ProbeAnswer::changed;
      if (answer == ProbeAnswer::changed && random.uniform() < 0.0005) return ProbeAnswer::unchanged;
      return random.uniform() < 0.1 ? ProbeAnswer::cannot_tell : answer;
    });
    if (found.conclusion.end != BisectionEnd::found) continue;
    (found.conclusion.first_bad == place ? named_rightly : named_wrongly) += 1;
  }
  // More than 34 of 4000 have a chance below 1 in 1,000 where each has one of .5 %.
  EXPECT_LE(named_wrongly, 34);
  EXPECT_GE(named_rightly, kSearches * 9 / 10);
}

}  // namespace
}  // namespace steelyard::regress::bisection_test

// The rules of other tools for histories do what their descriptions say, on series where that can be seen by eye.
#include "tests/studies/judging/history_peers.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace steelyard::history_peers_test {
namespace {

constexpr std::size_t kStep = 60;

// `n` values about 100, from kStep on about 100 * ratio; the noise is .4 at most.
std::vector<double> stepped(double ratio, std::size_t n = 120) {
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) {
    const double noise = 0.1 * static_cast<double>(i * 7 % 5);
    values.push_back((100 + noise) * (i < kStep ? 1 : ratio));
  }
  return values;
}

bool has_step(const FoundSteps& steps) { return std::ranges::find(steps, kStep) != steps.end(); }

TEST(HistoryPeers, FindALargeStepAllButTheOneThatSaysNothing) {
  for (const HistoryPeer& peer : history_peers()) {
    EXPECT_EQ(has_step(peer.find(stepped(1.2))), peer.name != "nothing") << peer.name;
    EXPECT_EQ(has_step(peer.find(stepped(0.8))), peer.name != "nothing") << peer.name;
  }
}

TEST(HistoryPeers, FindNothingInEqualValues) {
  for (const HistoryPeer& peer : history_peers()) {
    EXPECT_TRUE(peer.find(std::vector<double>(100, 5)).empty()) << peer.name;
    EXPECT_TRUE(peer.find(std::vector<double>{5}).empty()) << peer.name;
  }
}

TEST(Otava, DropsWhatIsSmallerThanItsMagnitude) {
  EXPECT_EQ(otava_steps(stepped(1.01)), FoundSteps{kStep});
  EXPECT_TRUE(otava_steps(stepped(1.01), 0.02).empty());
}

TEST(Asv, ReportsStepsFromFivePerCentOn) {
  EXPECT_FALSE(has_step(asv_steps(stepped(1.04))));
  EXPECT_TRUE(has_step(asv_steps(stepped(1.06))));
}

TEST(Treeherder, FindsAStepInItsPlaceFromTwelveLaterValuesOn) {
  EXPECT_FALSE(has_step(treeherder_steps(stepped(1.1, kStep + 11))));
  EXPECT_EQ(treeherder_steps(stepped(1.1, kStep + 12)), FoundSteps{kStep});
  EXPECT_TRUE(treeherder_steps(stepped(1.01)).empty());  // below 2 %
}

TEST(Neighbour, ComparesEachValueWithTheOneBeforeIt) {
  EXPECT_EQ(neighbour_steps(std::vector<double>{100, 106, 107, 100}, 0.05), (FoundSteps{1, 3}));
}

}  // namespace
}  // namespace steelyard::history_peers_test

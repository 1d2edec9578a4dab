#include "bench/runner/layout_choice.hpp"

#include <gtest/gtest.h>

namespace steelyard::bench::layout_choice_test {
namespace {

CoreChoice two_cores() {
  CoreChoice choice;
  choice.cores = {2, 3};
  choice.two_equal = true;
  return choice;
}

TEST(ChooseLayout, IsADuetWhereTwoEqualCoresAreThere) {
  EXPECT_EQ(choose_layout(std::nullopt, two_cores(), false).layout, Layout::duet);
  EXPECT_EQ(choose_layout(Layout::duet, two_cores(), false).layout, Layout::duet);
}

TEST(ChooseLayout, InterleavesAndSaysWhyWhereADuetCannotBe) {
  CoreChoice one;
  one.cores = {0};
  one.why_not_two = "only one core is usable";
  for (const std::optional<Layout> wanted : {std::optional<Layout>(), std::optional(Layout::duet)}) {
    const LayoutChoice choice = choose_layout(wanted, one, false);
    EXPECT_EQ(choice.layout, Layout::interleaved);
    EXPECT_EQ(choice.reason, "only one core is usable");
  }
  EXPECT_EQ(choose_layout(std::nullopt, two_cores(), true).layout, Layout::interleaved);
}

TEST(ChooseLayout, ObeysAnotherWish) {
  EXPECT_EQ(choose_layout(Layout::interleaved, two_cores(), false).layout, Layout::interleaved);
  EXPECT_EQ(choose_layout(Layout::sequential, two_cores(), false).layout, Layout::sequential);
}

TEST(ChooseLayout, ADeviceIsNeverSharedByADuet) {
  for (const std::optional<Layout> wanted : {std::optional<Layout>(), std::optional(Layout::duet)}) {
    const LayoutChoice choice = choose_layout(wanted, two_cores(), false, "it links libcudart.so.13");
    EXPECT_EQ(choice.layout, Layout::interleaved);
    EXPECT_EQ(choice.reason,
              "the program uses a device (it links libcudart.so.13), which both sides would share: they take turns");
  }
  EXPECT_EQ(choose_layout(Layout::sequential, two_cores(), false, "x").layout, Layout::sequential);
}

TEST(ChooseLayout, TakesTurnsOnlyWhereATrialShowsThemClearlyWorthTwiceTheTime) {
  const LayoutChoice duet = choose_layout(std::nullopt, two_cores(), false);
  ASSERT_EQ(duet.layout, Layout::duet);
  const LayoutChoice quiet = choose_layout(duet, {0.010, 0.006, 12});
  EXPECT_EQ(quiet.layout, Layout::duet);
  EXPECT_EQ(quiet.reason,
            "two equal cores are there to pin to; of one round against another, 12 tried, the standard deviation is "
            "1 % side by side and 0.6 % in turns");
  EXPECT_EQ(choose_layout(duet, {0.0169, 0.01, 12}).layout, Layout::duet);
  const LayoutChoice apart = choose_layout(duet, {0.12, 0.025, 12});
  EXPECT_EQ(apart.layout, Layout::interleaved);
  EXPECT_EQ(apart.cores, duet.cores);
  EXPECT_TRUE(apart.reason.starts_with("taking turns agrees much better here: ")) << apart.reason;
  EXPECT_EQ(choose_layout(duet, {0.12, 0.025, kMinTrials - 1}).layout, Layout::duet);
}

}  // namespace
}  // namespace steelyard::bench::layout_choice_test

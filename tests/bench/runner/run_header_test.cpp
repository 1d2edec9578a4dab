#include "bench/runner/run_header.hpp"

#include <gtest/gtest.h>

namespace steelyard::bench::run_header_test {
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

TEST(DescribeSettings, SaysWhatWasPlannedAndWhatCameOfIt) {
  LayoutChoice layout = choose_layout(std::nullopt, two_cores(), false);
  RoundLoopOutcome outcome;
  outcome.rounds = 12;
  auto settings = describe_settings({}, seconds(120), layout, 12, outcome);
  EXPECT_EQ(settings["rounds_planned"], "12");
  EXPECT_EQ(settings["rounds"], "12");
  EXPECT_EQ(settings["cores"], "2,3");
  EXPECT_EQ(settings.count("stopped"), 0U);
  outcome.rounds = 4;
  outcome.budget_spent = true;
  settings = describe_settings({}, seconds(120), layout, 12, outcome);
  EXPECT_EQ(settings["stopped"], "budget spent");
  EXPECT_EQ(settings["stopped_after_rounds"], "4");
  layout.cores.clear();
  EXPECT_EQ(describe_settings({}, seconds(120), layout, 12, outcome)["cores"], "not pinned");
}

TEST(DescribeSamples, SaysHowLongTheyAreAndWhoFoundTheirIterations) {
  SamplePlan plan;
  plan.usual = {0, 2, milliseconds(10)};
  std::map<std::string, std::string> settings;
  describe_samples(plan, {}, settings);
  EXPECT_EQ(settings, (std::map<std::string, std::string>{
                          {"iterations", "found by the program"}, {"min_time", "0.01s"}, {"repetitions", "2"}}));
  plan.sizes["BM_a"] = {4096, 2, milliseconds(10)};
  plan.group = 8;
  describe_samples(plan, milliseconds(1250), settings);
  EXPECT_EQ(settings["iterations"], "known before");
  EXPECT_EQ(settings["benchmarks_a_process"], "8");
  EXPECT_EQ(settings["pilot"], "1.25 s");
}

TEST(DrawSession, DiffersWhereAnythingDoes) {
  const std::string session = draw_session(1, 2, 3);
  EXPECT_EQ(session.size(), 16U);
  EXPECT_EQ(session.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(session, draw_session(2, 2, 3));
  EXPECT_NE(session, draw_session(1, 3, 3));
  EXPECT_NE(session, draw_session(1, 2, 4));
}

TEST(ProgramLine, IsWhatTheUserTyped) {
  Program program;
  program.executable = "./bench";
  program.arguments = {"--benchmark_filter=x", "data"};
  EXPECT_EQ(program_line(program), "./bench --benchmark_filter=x data");
}

}  // namespace
}  // namespace steelyard::bench::run_header_test

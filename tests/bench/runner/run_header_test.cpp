#include "bench/runner/run_header.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace steelyard::bench::run_header_test {
namespace {

TEST(DescribeSettings, SaysWhatWasPlannedAndWhatCameOfIt) {
  LayoutChoice layout;
  layout.layout = Layout::duet;
  layout.cores = {2, 3};
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

TEST(DescribeAddresses, AreRandomUnlessTheMachineOrARefusalKeepsThemFixed) {
  const auto described = [](const char* of_machine, bool is_refused) {
    Environment environment;
    if (of_machine != nullptr) environment.set("aslr", of_machine, false);
    std::map<std::string, std::string> settings;
    describe_addresses(environment, is_refused, settings);
    return settings["address_randomization"];
  };
  EXPECT_EQ(described("2", false), "on");
  EXPECT_EQ(described("1", false), "on");
  EXPECT_EQ(described("0", false), "off");
  EXPECT_EQ(described("2", true), "off, as the system refused to switch it on");
  EXPECT_EQ(described(nullptr, false), "on") << "as was asked for, where the system does not tell";
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

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ci/report/charts/text_charts.hpp"
#include "ci/report/run_report.hpp"
#include "tests/ci/report/golden.hpp"

namespace steelyard::ci::run_report_test {
namespace {

using ShownRun = Run;  // inside a test, Run is gtest's own

void add(ShownRun& run, const char* benchmark, const char* metric, double value) {
  Measurement measurement;
  measurement.benchmark.name = benchmark;
  measurement.metric = *well_known_metric(metric);
  measurement.invocations.push_back({0, {value}, {}});
  run.measurements.push_back(measurement);
}

TEST(TerminalCounters, OneLineABenchmarkAndKindAndADashWhereThereIsNone) {
  ShownRun run;
  add(run, "sorts", "real_time", 10);
  add(run, "sorts", "ram_hits", 0);
  add(run, "sorts", "estimated_cycles", 4159);
  add(run, "sorts", "heap_allocations", 7);
  add(run, "joins", "heap_allocations", 1);
  add(run, "joins", "heap_bytes", 100);
  EXPECT_EQ(terminal_counters(run, {false, true, 100}),
            "\ncaches (model)  RAM hits  est. cycles\n"
            "sorts                  0        4,159\n"
            "\nheap   allocations  bytes\n"
            "sorts            7      -\n"
            "joins            1  100 B\n");
}

TEST(TerminalCounters, ARunWithoutCountersHasNoTable) {
  ShownRun run;
  add(run, "sorts", "instructions", 10);
  EXPECT_EQ(terminal_counters(run, {false, true, 100}), "");
}

// The lines that do not begin with the benchmark's name, with one blank between words.
std::vector<std::string> heads_of(const std::string& tables, const std::string& benchmark) {
  std::vector<std::string> heads;
  std::istringstream lines(tables);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.starts_with(benchmark)) continue;
    std::istringstream words(line);
    std::string& head = heads.emplace_back();
    for (std::string word; words >> word;) head += (head.empty() ? "" : " ") + word;
  }
  return heads;
}

TEST(TerminalCounters, EachStandsInTheTableOfItsGroupAndNotInTheMainOne) {
  ShownRun run;
  add(run, "sorts", "real_time", 10);
  for (std::size_t group = 0; group < kCounterGroupCount; ++group) {
    for (const ExtraCounter& counter : extra_counters_of(static_cast<CounterGroup>(group))) {
      add(run, "sorts", std::string(counter.metric).c_str(), 1);
      EXPECT_TRUE(is_extra_counter(counter.metric)) << counter.metric;
      EXPECT_FALSE(gates_by_default(run.measurements.back().metric)) << counter.metric;
    }
  }
  const std::string tables = terminal_counters(run, {false, true, 200});
  EXPECT_THAT(heads_of(tables, "sorts"),
              ::testing::ElementsAre("caches (model) L1 hits LL hits RAM hits est. cycles",
                                     "branches (model) executed mispredicted", "heap allocations bytes peak",
                                     "machine cycles instructions cache misses branch misses task clock page faults",
                                     "device hot cycles clock cold start set-up warm-up replays discarded"));
  const std::string whole = terminal_run(run, {false, true, 200});
  ASSERT_NE(whole.find(tables), std::string::npos);
  const std::string before = whole.substr(0, whole.find(tables));
  EXPECT_NE(before.find("sorts"), std::string::npos);
  EXPECT_EQ(before.find("sorts"), before.rfind("sorts")) << "real_time alone: " << before;
}

steelyard::Run run_of(double overhead, int rounds) {
  steelyard::Run run;
  for (const int n : {16, 64, 256, 1024}) {
    Measurement measurement;
    measurement.benchmark = parse_google_benchmark_name("BM_pairs/n:" + std::to_string(n) + "/dim:3");
    measurement.metric = *well_known_metric(kRealTime);
    for (int round = 0; round < rounds; ++round) {
      const auto index = static_cast<std::uint32_t>(run.invocations.size());
      run.invocations.push_back({.round = round});
      const double wobble = 1 + 0.01 * ((round * 3 + n / 16) % 5);
      measurement.invocations.push_back({index, {(overhead + 2.5 * n * n) * wobble}, {}});
    }
    run.measurements.push_back(std::move(measurement));
  }
  run.header.program = "./bench";
  return run;
}

std::vector<regress::Sweep> sweeps_of(double overhead, int rounds) {
  return *regress::find_sweeps(run_of(overhead, rounds), {});
}

TEST(TerminalRun, SaysThatTheMachineWasBusyThroughout) {
  ShownRun run = run_of(100, 4);
  EXPECT_THAT(terminal_run(run, {}, {}), testing::Not(testing::HasSubstr("other programs")));
  for (Invocation& invocation : run.invocations) {
    invocation.duration_ns = 100'000'000;
    invocation.conditions.other_busy_ns = 60'000'000;
  }
  EXPECT_THAT(terminal_run(run, {}, {}), testing::HasSubstr("other programs had 50 % of the cores' time"));
}

TEST(SweepReport, ShowsTheExponentItsIntervalTheClaimAndThePlot) {
  golden::expect_equal(terminal_sweeps(sweeps_of(0, 6), regress::Claim{2}, {false, true, 100}), "report/sweep_100.out");
  golden::expect_equal(terminal_sweeps(sweeps_of(40'000, 6), regress::Claim{2}, {false, false, 60}),
                       "report/sweep_refuted_ascii_60.out");
  golden::expect_equal(terminal_sweeps(sweeps_of(0, 1), regress::Claim{2, 0.1}, {true, true, 80}),
                       "report/sweep_undecided_color_80.out");
}

TEST(SweepReport, SaysWhatWasLeftOutAndWhatIsNotSure) {
  regress::Sweep sweep = sweeps_of(0, 6).at(0);
  EXPECT_THAT(sweep_warnings(sweep), testing::IsEmpty());
  sweep.sizes_without_logarithm = 1;
  sweep.sizes_without_level = 1;
  sweep.failed_sizes = 1;
  sweep.excluded_rounds = 2;
  EXPECT_THAT(sweep_warnings(sweep), testing::ElementsAre("a size of 0 or less has no logarithm and was excluded",
                                                          "a size without a level above 0 was excluded",
                                                          "1 size yielded nothing: the exponent is that of the others",
                                                          "2 rounds without every size excluded"));
  EXPECT_THAT(sweep_warnings(sweeps_of(0, 1).at(0)), testing::Contains(testing::HasSubstr("one round does not say")));
  EXPECT_THAT(sweep_warnings(sweeps_of(40'000, 6).at(0)),
              testing::Contains(testing::HasSubstr("the line bends upwards")));
  sweep.has_no_whole_round = true;
  EXPECT_THAT(sweep_warnings(sweep), testing::Contains(testing::HasSubstr("no round has every size")));
}

TEST(SweepReport, AClaimHasItsReason) {
  const regress::ScalingFit curved = sweeps_of(40'000, 6).at(0).fit;
  EXPECT_THAT(claim_reason(curved, {2}), testing::HasSubstr("the line is curved"));
  regress::ScalingFit fit = sweeps_of(0, 6).at(0).fit;
  fit.interval = Interval{2, 2};
  EXPECT_THAT(claim_reason(fit, {2, 0.5}), testing::HasSubstr("2 +- 0.5 agrees"));
  EXPECT_THAT(claim_reason(fit, {1}), testing::HasSubstr("lies outside the interval"));
  EXPECT_THAT(claim_reason(sweeps_of(0, 1).at(0).fit, {2}), testing::HasSubstr("one round"));
}

TEST(SweepReport, JsonHoldsEveryNumber) {
  const auto json = nlohmann::json::parse(json_sweeps(run_of(0, 6).header, sweeps_of(0, 6), regress::Claim{2, 0.1}));
  EXPECT_EQ(json["schema"], "steelyard.sweep/1");
  const auto& sweep = json["sweeps"][0];
  EXPECT_EQ(sweep["benchmark"], "BM_pairs/n:*/dim:3");
  EXPECT_EQ(sweep["parameter"], "n");
  EXPECT_EQ(sweep["metric"], "real_time");
  EXPECT_EQ(sweep["sizes"], (std::vector<double>{16, 64, 256, 1024}));
  EXPECT_EQ(sweep["levels"].size(), 4U);
  EXPECT_EQ(sweep["rounds"], 6);
  EXPECT_NEAR(sweep["exponent"], 2, 0.01);
  EXPECT_LT(sweep["interval"][0], sweep["interval"][1]);
  EXPECT_NEAR(sweep["coefficient"], 2.5, 0.1);
  EXPECT_EQ(sweep["curved"], false);
  EXPECT_EQ(sweep["verdict"], "held");
  EXPECT_EQ(sweep["tolerance"], 0.1);
  EXPECT_EQ(nlohmann::json::parse(json_sweeps({}, sweeps_of(9e4, 6), regress::Claim{2}))["sweeps"][0]["curved"], true);
}

TEST(SweepReport, JsonSaysNothingOfWhatThereIsNot) {
  const auto json = nlohmann::json::parse(json_sweeps({}, sweeps_of(0, 1), std::nullopt));
  EXPECT_TRUE(json["sweeps"][0]["interval"].is_null());
  EXPECT_TRUE(json["sweeps"][0]["verdict"].is_null());
}

TEST(LogPlot, PointsLieOnTheirLine) {
  const std::vector<LogPoint> points{{1, 1}, {10, 100}, {100, 10'000}};
  const LogPlot plot = draw_log_plot(points, 1, 2, {11, 11, false});
  ASSERT_EQ(plot.lines.size(), 11U);
  EXPECT_EQ(plot.column_of_point, (std::vector<int>{0, 5, 10}));
  EXPECT_EQ(plot.lines[0], "          o");
  EXPECT_EQ(plot.lines[1], "         .");
  EXPECT_EQ(plot.lines[5], "     o");
  EXPECT_EQ(plot.lines[10], "o");
  EXPECT_EQ(plot.highest, 10'000);
  EXPECT_EQ(plot.lowest, 1);
}

TEST(LogPlot, LevelsThatDoNotVaryLieInTheMiddle) {
  const LogPlot plot = draw_log_plot({{1, 5}, {2, 5}}, 5, 0, {8, 3, false});
  EXPECT_EQ(plot.lines, (std::vector<std::string>{"", "o......o", ""}));
  EXPECT_EQ(draw_log_plot({{1, 5}}, 5, 0, {8, 3, false}).lines[1], "   o");
}

TEST(LogPlot, ALineBeyondThePointsIsCutOff) {
  const LogPlot plot = draw_log_plot({{1, 10}, {100, 10}}, 1e-30, 40, {9, 5, true});
  EXPECT_EQ(plot.lines.size(), 5U);
}

}  // namespace

}  // namespace steelyard::ci::run_report_test

// The whole texts, byte for byte; what a change does to them is seen in the diff of tests/golden.
#include "ci/report/report.hpp"

#include <gtest/gtest.h>

#include "tests/ci/report/golden.hpp"
#include "tests/ci/report/sample_results.hpp"

namespace steelyard {
namespace {

TEST(TerminalReport, ShowsEveryVerdictWorstFirst) {
  golden::expect_equal(terminal_report(sample::comparison_with_every_verdict(), {false, true, 100}),
                       "report/every_verdict_100.out");
}

TEST(TerminalReport, UsesAsciiOnlyWhereTheTerminalHasNoMore) {
  const std::string text = terminal_report(sample::comparison_with_every_verdict(), {false, false, 100});
  EXPECT_EQ(text.find_first_not_of("\n !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`"
                                   "abcdefghijklmnopqrstuvwxyz{|}~"),
            std::string::npos);
  golden::expect_equal(text, "report/every_verdict_ascii.out");
}

TEST(TerminalReport, MarksColourWithoutChangingAWord) {
  golden::expect_equal(terminal_report(sample::comparison_with_every_verdict(), {true, true, 120}),
                       "report/every_verdict_color.out");
}

TEST(MarkdownReport, ShowsEveryVerdictWorstFirst) {
  golden::expect_equal(markdown_report(sample::comparison_with_every_verdict()), "report/every_verdict.md");
}

TEST(JsonReport, ShowsEveryVerdict) {
  golden::expect_equal(json_report(sample::comparison_with_every_verdict()), "report/every_verdict.json");
}

TEST(TerminalHistory, DrawsTheStepOfFourCommits) {
  golden::expect_equal(terminal_history({sample::history_of_four_commits()}, {false, true, 100}),
                       "report/history_100.out");
  golden::expect_equal(terminal_history({sample::history_of_four_commits()}, {false, false, 60}),
                       "report/history_ascii_60.out");
}

TEST(JsonHistory, ShowsTheStepOfFourCommits) {
  golden::expect_equal(json_history({sample::history_of_four_commits()}), "report/history.json");
}

TEST(TerminalRun, ShowsLevelsSpreadsAndFailures) {
  golden::expect_equal(terminal_run(sample::run_with_a_failure(), {false, true, 100}), "report/run_100.out");
}

TEST(JsonRun, ShowsSamplesAndFailures) {
  golden::expect_equal(json_run(sample::run_with_a_failure()), "report/run.json");
}

TEST(Status, ShowsWhatWaits) {
  const StoreStatus status{"embedded", "15.6", 3, 3, 12, 240, 57600, 6, 18'000'000, 2};
  golden::expect_equal(terminal_status(status, {false, true, 100}), "report/status.out");
  golden::expect_equal(json_status(status), "report/status.json");
}

}  // namespace
}  // namespace steelyard

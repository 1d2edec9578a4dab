// The sentences that a terminal and a pull request share: what came out, what it means, how it was measured, what to
// do next. Plain text without markup; names are as the program gave them, so the caller makes them safe to show.
#pragma once

#include <string>
#include <vector>

#include "bench/model/comparison.hpp"
#include "ci/report/row_order.hpp"

namespace steelyard {

// "1 regression, 1 improvement, 8 unchanged, 2 inconclusive": what there is, worst first, unchanged before
// inconclusive.
std::string summary_line(const Comparison& comparison);

// What the verdicts are worth: the promise about the whole gate, and the exactness of counts. Empty without rows.
std::string promise_line(const Comparison& comparison);

// "duet, 24 rounds, seed 7; minimum effect 1 %, intervals at 95 %".
std::string conditions_line(const Comparison& comparison);

// One line per fact that differs, decisive ones first.
std::vector<std::string> environment_lines(const Comparison& comparison);

// Each warning once, in the order of their first mention: both sides may have given rise to the same one.
std::vector<std::string> warning_lines(const Comparison& comparison);

// What time and instructions of one benchmark say together: "instructions +12.1 %, time +9.8 %: real". Empty unless
// both are known, one of them changed, and both ran the same code (a row whose reason speaks of dispatch did not).
std::string fused_story(const RowIndex& index, const std::string& benchmark);

// How a verdict is written beside the mark; the mark in Unicode and in ASCII.
struct VerdictMark {
  const char* unicode;
  const char* ascii;
};
VerdictMark mark_of(Verdict verdict);

// "time" for real_time; other names as they are, underscores opened.
std::string metric_label(const Metric& metric);

// The interval's cell: "[+6.1, +8.3]", "exact", "exact to 0.02 %" (the jitter), or nothing.
std::string interval_cell(const ComparisonRow& row);

// How a function takes part in the change of `row`: its part of the benchmark's cost ("+12.3 %"), where it is
// ("tokenizer.cpp:41") and what happened to it ("each call costs more").
struct FunctionLine {
  std::string name;
  std::string change;
  std::string place;
  std::string what;
};
std::vector<FunctionLine> function_lines(const RowIndex& index, const ComparisonRow& row);

}  // namespace steelyard

// The sentences that a terminal and a pull request share: what came out, what it means, how it was measured, what to
// do next. Plain text without markup; names are as the program gave them, so the caller makes them safe to show.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/comparison.hpp"

namespace steelyard {

// The order in which rows are read: worst first, and the rows of one benchmark with the same verdict side by side.

// All verdicts, worst first.
inline constexpr std::array kWorstFirst{Verdict::regression,   Verdict::failed,       Verdict::missing,
                                        Verdict::incomparable, Verdict::inconclusive, Verdict::improvement,
                                        Verdict::fresh,        Verdict::unchanged};

// Rows of one benchmark that share a verdict. The pointers are into the comparison.
struct RowGroup {
  Verdict verdict = Verdict::unchanged;
  std::string benchmark;
  std::vector<const ComparisonRow*> rows;  // noisy metrics before counted ones, else as in the comparison; at least one
};

// By verdict (kWorstFirst), then by discovery_q, where .001 and less are alike, then by the largest change in the
// group, then by name.
std::vector<RowGroup> worst_first(const Comparison& comparison);

// Finds rows by benchmark and metric. The pointers are into the comparison.
class RowIndex {
 public:
  explicit RowIndex(const Comparison& comparison);
  const ComparisonRow* find(const std::string& benchmark, std::string_view metric) const;  // null: there is none

 private:
  std::map<std::string_view, std::vector<const ComparisonRow*>> rows_by_benchmark_;
};

// How far the row is from "no change", in either direction, on a log scale; 0 where there is no ratio.
double size_of_change(const ComparisonRow& row);

// "2 regressions (1 told, does not gate), 1 improvement, 8 unchanged": what there is, worst first, unchanged before
// inconclusive.
std::string summary_line(const Comparison& comparison);

// A bound on several shares by the largest of them, in hundredths of a per cent upwards: the text is never less than
// it.
std::string at_most_text(double share);

// What all benchmarks of a metric moved by together, where the rows show it: each lies nearer to the common movement
// than half of it, which is no less than the minimum effect and was not taken off. "all 13 benchmarks moved by +4.1 %
// together in real_time, each within 0.7 % of that", where the last figure is that of the row that lies farthest. Empty
// elsewhere.
std::string drift_line(const Comparison& comparison);

// Which rows' levels and change point in opposite directions, and why they may: "levels are medians of each side by
// itself; ...". Empty where none does.
std::string levels_line(const Comparison& comparison);

// "duet, 24 rounds, seed 7; minimum effect 1 %, intervals at 95 %".
std::string conditions_line(const Comparison& comparison);

// "4 of 5 counts not taken again: every loaded section ... is equal"; empty where nothing was found to be equal.
std::string equality_line(const Comparison& comparison);

// One line per fact that differs, decisive ones first.
std::vector<std::string> environment_lines(const Comparison& comparison);

// Each warning once, in the order of their first mention: both sides may have given rise to the same one.
std::vector<std::string> warning_lines(const Comparison& comparison);

// What time and instructions of one benchmark say together: "instructions +12.1 %, time +9.8 %: real"
// (docs/guide/attribution.md has all combinations). Empty unless both are known, one of them changed, and both are of
// the same code: a count of RowNote::other_dispatch is not, nor is one over more than the timed region.
std::string combined_explanation(const RowIndex& index, const std::string& benchmark);

// How a verdict is written beside the mark; the mark in Unicode and in ASCII.
struct VerdictMark {
  const char* unicode;
  const char* ascii;
};
VerdictMark mark_of(Verdict verdict);

// "time" for real_time; other names as they are, underscores opened.
std::string metric_label(const Metric& metric);

// The interval's cell: "[+6.1, +8.3]"; of counts what they are exact to (regress/ab/counted.hpp); or nothing.
std::string interval_cell(const ComparisonRow& row);

// How a function takes part in the change of `row`: what it changed by itself and with what it calls, each as a part of
// the benchmark's instructions in the baseline ("+12.3 %"; without that level, instructions), where it is
// ("tokenizer.cpp:41") and what happened to it ("called 2 times more (+8.0 %), each costs more (+4.3 %)").
struct FunctionLine {
  std::string name;
  std::string self;
  std::string inclusive;
  std::string place;
  std::string what;
};
std::vector<FunctionLine> function_lines(const RowIndex& index, const ComparisonRow& row);

// The names of the row's call path made short, the benchmark's first. Of a long path the middle is one "(31 more)".
std::vector<std::string> call_path_names(const ComparisonRow& row);

// For each regression among `rows` that does not gate, why: "instructions does not gate: ...".
std::vector<std::string> gate_notes(const std::vector<const ComparisonRow*>& rows);

// For each change that was measured again alone, what it is there: "time, alone: +4.80 % (+3.10 % to +6.50 %)".
std::vector<std::string> solo_notes(const std::vector<const ComparisonRow*>& rows);

}  // namespace steelyard

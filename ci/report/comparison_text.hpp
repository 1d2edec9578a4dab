// What every report of a comparison shares: the order of its rows, their marks and cells, and the sentences on what
// they mean and how they were measured. What happened, told once however many rows show it: findings.hpp. Plain text
// without markup; names are as the program gave them, so the caller makes them safe to show.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/comparison.hpp"

namespace steelyard::ci {

// The order in which rows are read: worst first, and the rows of one benchmark with the same verdict side by side.

// All verdicts, worst first.
inline constexpr std::array kWorstFirst{Verdict::regression,   Verdict::failed,       Verdict::missing,
                                        Verdict::incomparable, Verdict::inconclusive, Verdict::improvement,
                                        Verdict::fresh,        Verdict::skipped,      Verdict::unchanged};

std::size_t severity_rank(Verdict verdict);  // its place there
bool any_regression_gates(const Comparison& comparison);
// Both sides were measured and held against each other.
bool is_reported(const ComparisonRow& row);

// Rows of one benchmark that share a verdict. The pointers are into the comparison.
struct RowGroup {
  Verdict verdict = Verdict::unchanged;
  std::string benchmark;
  std::vector<const ComparisonRow*> rows;  // noisy metrics before counted ones, else as in the comparison; at least one
};

// By verdict (kWorstFirst), then by discovery_q, where .001 and less are alike, then by the largest change in the
// group, then by name.
std::vector<RowGroup> worst_first(const Comparison& comparison);

// New because the baseline does not have it: the verdict says it all. Where the baseline left it out, a reason is due.
bool is_plainly_new(const RowGroup& group);

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

// A bound on several shares by the largest of them, in hundredths of a per cent upwards: the text is never less than
// it.
std::string at_most_text(double share);

// What all benchmarks of a metric moved by together, where the rows show it: each lies nearer to the common movement
// than half of it, which is no less than the minimum effect and was not taken off. "all 13 benchmarks moved by +4.1 %
// together in real_time, each within 0.7 % of that", where the last figure is that of the row that lies farthest. Empty
// elsewhere.
std::string drift_line(const Comparison& comparison);

// Which rows' levels and change point in opposite directions, or have levels whose ratio lies outside of the change's
// interval, or within it and off the change by more than the minimum effect, worst first; and why they may: "levels are
// medians of each side by itself, ...". Empty where none does.
std::string levels_line(const Comparison& comparison);

// Of a noisy metric, both sides of which were measured and held against each other: not where one is missing, failed,
// skipped or left untimed.
bool has_compared_times(const ComparisonRow& row);

// "duet, 24 rounds, seed 7; minimum effect 1 %, intervals at 95 %"; empty where no times were compared.
std::string conditions_line(const Comparison& comparison);
// "Measured: duet, 24 rounds, ...."; empty where that is.
std::string measured_sentence(const Comparison& comparison);

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

// Its end alone: "real", "more work for certain, its time not shown".
std::string combined_meaning(const RowIndex& index, const std::string& benchmark);

// "BM_a, BM_b and 3 more": at most `most` names, as their program wrote them, each of at most `columns`. `benchmarks`:
// canonical.
std::string named_benchmarks(const std::vector<std::string>& benchmarks, std::size_t most,
                             std::size_t columns = std::string::npos);

// How a verdict is written beside the mark; the mark in Unicode and in ASCII.
struct VerdictMark {
  const char* unicode;
  const char* ascii;
};
VerdictMark mark_of(Verdict verdict);

// "time" for real_time; other names as they are, underscores opened.
std::string metric_label(const Metric& metric);

// Whether a margin of equivalence has a part in the row's verdict, or would have: a noisy row with an interval that was
// measured together or held against a history.
bool is_held_to_margin(const ComparisonRow& row);

// The interval's cell: "[+6.1, +8.3] %"; of counts what they are exact to (regress/ab/counted.hpp); or nothing. Of a
// row that a margin other than the default decides (unchanged, or why not), or that changed by less, the margin as
// well: "[-0.8, +3.9] %, margin 5 %".
std::string interval_cell(const ComparisonRow& row);

// Whether what is bad about a row is told and fails nothing: a regression that does not gate, or a count that failed
// and was excused, as nobody asked for it (RowNote::not_asked_for). What else failed may fail a job though it
// does not gate: a time is its program's failure, and an option demands counts whatever gates.
bool is_told_only(const ComparisonRow& row);

// For each regression among `rows` what it adds up to with others ("instructions crept by +2.4 % since v1.2 ..."); of
// each that is_told_only() why it does not gate: "instructions does not gate: ...".
std::vector<std::string> gate_notes(const std::vector<const ComparisonRow*>& rows);

// What of these rows was judged by tables for patterns of benchmarks, and whose they are where one fails: "time:
// minimum effect 5 % by the policy of "gemv/*" (steelyard.toml:12); margin 2 % as for all", "owner: ...".
std::vector<std::string> policy_notes(const Comparison& comparison, const std::vector<const ComparisonRow*>& rows);

// "3 of 12 rows by the policy of "gemv/*" (steelyard.toml:12)"; empty where all were judged by what holds for all.
std::string policy_line(const Comparison& comparison);

// For each row whose builds were measured in several layouts of their code, what these make of it: "time, over 4 code
// layouts ...: layout could explain all of it".
std::vector<std::string> code_layout_notes(const std::vector<const ComparisonRow*>& rows);

// For each change that was measured again alone, what it is there: "time, alone: +4.80 % (+3.10 % to +6.50 %), which
// agrees".
std::vector<std::string> solo_notes(const std::vector<const ComparisonRow*>& rows);

}  // namespace steelyard::ci

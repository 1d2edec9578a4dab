// What happened, told once however many rows show it: rows with one cause are one finding. Findings follow from the
// rows of a comparison alone, so that they are never kept and a kept comparison has them too. Rows without a move
// (unchanged, inconclusive) are no finding; reasons.hpp groups those.
//
//     for (const Finding& finding : findings_of(comparison))
//       say(finding.cause, finding.benchmarks.size(), finding.ranges);   // "snappy::Decompress", 29, ...
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/comparison.hpp"
#include "ci/report/comparison_text.hpp"

namespace steelyard::ci {

// By what the rows of a finding belong together.
enum class SharedCause {
  culprit,  // attribution names one function of the project's own for each of its benchmarks
  profile,  // their profiles changed in one direction and shape, and no one function of the project answers for it
  name,     // no profile tells: one direction and size, and names of one pattern
  reason,   // one sentence is the reason of all: failed, incomparable, skipped; missing and new of many unlike names
};
std::string_view to_text(SharedCause shared);  // "culprit", "profile", "name", "reason"

// What the rows of one metric changed by.
struct MetricRange {
  std::string metric;
  Interval ratios;  // the least and the largest, candidate over baseline
  std::size_t benchmarks = 0;
  const ComparisonRow* worst = nullptr;  // that changed most
};

// Pointers are into the comparison.
struct Finding {
  Verdict kind = Verdict::regression;  // never unchanged or inconclusive
  SharedCause shared = SharedCause::name;
  // The short name of the culprit; of a shared profile that of the function whose own cost changed most; else the
  // pattern of the benchmarks' names ("BM_UFlat/0 to /11") or the reason.
  std::string cause;
  std::optional<FunctionChange> culprit;  // as the explained row has it; of SharedCause::culprit alone
  // The benchmark that changed most first; the rows of one benchmark stand together, counted ones first. At least one.
  std::vector<const ComparisonRow*> rows;
  std::vector<std::string> benchmarks;  // canonical texts in the order of the rows, each once
  std::vector<MetricRange> ranges;      // instructions first, then time, then by name; of rows that have a ratio
  const ComparisonRow* worst = nullptr;
  // The row whose functions and call path stand for all: costs an iteration of different benchmarks cannot be added, so
  // it is one benchmark's: that of `worst`, where the cause is named there. Null: no row has functions.
  const ComparisonRow* explained = nullptr;
  bool gates = false;  // a row of it fails the gate, or keeps it from judging

  // What JSON calls functions; empty where none is explained.
  const std::vector<FunctionChange>& functions() const;
};

// Every row that is neither unchanged nor inconclusive is in exactly one finding. Order: by kind (kWorstFirst of
// comparison_text.hpp), those that gate first, then by how much moved in all (the sum of each benchmark's largest
// change, of logarithms), then by cause.
//
// The rows of one benchmark and verdict stay together: time, and whatever else moved the same way, joins the finding of
// its instructions, unless the count was of other code than was timed (RowNote::other_dispatch). Cost: benchmarks times
// findings.
std::vector<Finding> findings_of(const Comparison& comparison);

// What the rows of a finding changed by, for people: "instructions +13.1 to +19.3 %, time +10.2 to +53.4 % in 25 of
// 29"; empty where none has a ratio. How many is told where a metric moved in fewer benchmarks than the finding has.
std::string ranges_text(const Finding& finding);

// What is behind the finding, a sentence each, without markup: what time and instructions say together, what was
// measured alone, what does not gate and why, whose it is. Of several benchmarks how many each holds for.
std::vector<std::string> finding_notes(const Comparison& comparison, const RowIndex& index, const Finding& finding);

// Its cause as people are told it: a function's title (function_lines.hpp).
std::string cause_title(const Finding& finding);

// The finding in one sentence, without markup. Names are as the program gave them: the caller makes them safe to show.
struct FindingWords {
  std::string subject;  // names alone: "snappy::Decompress", "BM_UIOVec/0 to /4", "BM_a, BM_b and 3 more"
  std::string text;   // follows it: ", 29 benchmarks: instructions +13.1 to +19.3 %, time +10.2 to +53.4 % in 25 of 29"
  std::string worst;  // the benchmark that changed most of several; empty: nobody has to be named
};
FindingWords finding_words(const Finding& finding);
// As one text: "snappy::Decompress, 29 benchmarks: ..., worst BM_UValidate/7".
std::string finding_line(const Finding& finding);
std::string joined(const FindingWords& words);

// What a report begins with: the findings, and between them, in the order of kWorstFirst, the rows without an answer,
// those of one reason together.
struct ToldFinding {
  Verdict kind = Verdict::inconclusive;
  std::size_t benchmarks = 0;
  FindingWords words;
  const Finding* finding = nullptr;  // into `findings`; null: rows without an answer
};
std::vector<ToldFinding> told_findings(const Comparison& comparison, const std::vector<Finding>& findings);

// "and 7 more findings: 3 regression (4 benchmarks), 4 new (31 benchmarks)": what those from `first` on are.
std::string excluded_text(const std::vector<ToldFinding>& told, std::size_t first);

// The function that attribution named as the one that answers for the row's change; null: no single one of the
// project's own does. docs/guide/attribution.md, "The culprit".
const FunctionChange* culprit_of(const ComparisonRow& row);

// One text for the benchmarks of a family: "BM_UFlat/0 to /11" where one positional number takes every value between,
// "BM_sort/{8,64,512}" where few differ, "BM_sort/*" elsewhere; a single one as its program wrote it. Of several
// families those of each: "BM_a/0 to /3, BM_b". Suffixes (suite, device, dtype) that all share stand once.
std::string benchmark_pattern(const std::vector<std::string>& benchmarks);

}  // namespace steelyard::ci

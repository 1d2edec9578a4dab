// The order in which rows are read: worst first, and the rows of one benchmark with the same verdict side by side.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/comparison.hpp"

namespace steelyard {

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

}  // namespace steelyard

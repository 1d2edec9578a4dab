#include "ci/judging/explanations.hpp"

#include <algorithm>

#include "ci/config/nearest_name.hpp"

namespace steelyard {

Result<std::vector<Explanation>> explanations_of(const std::string& part, const Run& baseline, const Run& candidate,
                                                 const Comparison& comparison) {
  if (part.empty()) return std::vector<Explanation>{};
  std::vector<Explanation> explanations = explain(baseline, candidate, comparison, part);
  if (!explanations.empty() || comparison.rows.empty()) return explanations;
  std::vector<std::string> names;
  for (const ComparisonRow& row : comparison.rows) names.push_back(row.benchmark);
  const auto nearest = nearest_name(part, names);
  return input_error("--explain", '"' + part + '"', "a part of a benchmark's name, or all",
                     nearest ? "did you mean " + *nearest + "?" : "the first row is of " + names.front());
}

}  // namespace steelyard

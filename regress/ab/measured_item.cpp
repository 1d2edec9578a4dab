#include "regress/ab/measured_item.hpp"

namespace steelyard {
namespace {

std::string item_of(const Run& run, const MatchedSide& side) {
  return side.measurements.empty() ? "" : measured_item(run, side.measurements.front()->benchmark.canonical());
}

}  // namespace

std::string measured_item(const Run& run, const std::string& benchmark) {
  const auto label = run.labels.find(benchmark);
  if (label == run.labels.end()) return "";
  const std::size_t word = label->second.find(kItemWord);
  if (word == std::string::npos) return "";
  const std::size_t begin = word + kItemWord.size();
  return label->second.substr(begin, label->second.find(' ', begin) - begin);
}

std::string item_difference(const Run& baseline, const Run& candidate, const Matched& matched) {
  constexpr std::size_t kShownDigits = 12;
  const std::string b = item_of(baseline, matched.baseline);
  const std::string c = item_of(candidate, matched.candidate);
  if (b.empty() || c.empty() || b == c) return "";
  return "measured on different inputs: item " + b.substr(0, kShownDigits) + " against " + c.substr(0, kShownDigits);
}

}  // namespace steelyard

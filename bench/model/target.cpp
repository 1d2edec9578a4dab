#include "bench/model/target.hpp"

#include "bench/model/fields.hpp"

namespace steelyard {

std::span<const std::string_view> words_of(TargetVerdict) {
  static constexpr std::array<std::string_view, kTargetVerdictCount> kWords{"met", "missed", "undecided"};
  return kWords;
}

std::string_view to_text(TargetVerdict verdict) { return word_of(verdict); }

std::span<const std::string_view> words_of(Target::Of) {
  static constexpr std::array<std::string_view, 4> kWords{"bandwidth", "flops", "roofline", "rate"};
  return kWords;
}

std::array<std::int64_t, kTargetVerdictCount> TargetReport::count_by_verdict() const {
  std::array<std::int64_t, kTargetVerdictCount> counts{};
  for (const TargetRow& row : targets) ++counts.at(static_cast<std::size_t>(row.verdict));
  return counts;
}

}  // namespace steelyard

#include "bench/model/target.hpp"

namespace steelyard {

std::string_view to_text(TargetVerdict verdict) {
  constexpr std::array<std::string_view, kTargetVerdictCount> kTexts{"met", "missed", "undecided"};
  return kTexts.at(static_cast<std::size_t>(verdict));
}

std::array<std::int64_t, kTargetVerdictCount> TargetReport::count_by_verdict() const {
  std::array<std::int64_t, kTargetVerdictCount> counts{};
  for (const TargetRow& row : targets) ++counts.at(static_cast<std::size_t>(row.verdict));
  return counts;
}

}  // namespace steelyard

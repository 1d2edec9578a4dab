#include "bench/model/comparison.hpp"

namespace steelyard {
namespace {
constexpr std::array<std::string_view, kVerdictCount> kVerdictTexts{
    "regression", "improvement", "unchanged", "inconclusive", "missing", "new", "failed", "incomparable"};
constexpr std::array<std::string_view, kWitnessCount> kWitnessTexts{"decided", "either", "time", "instructions",
                                                                    "both"};
}  // namespace

std::string_view to_text(Witness witness) { return kWitnessTexts.at(static_cast<std::size_t>(witness)); }

std::string_view to_text(Verdict verdict) { return kVerdictTexts.at(static_cast<std::size_t>(verdict)); }

std::span<const std::string_view> words_of(Verdict) { return kVerdictTexts; }
std::span<const std::string_view> words_of(Witness) { return kWitnessTexts; }

std::array<std::int64_t, kVerdictCount> Comparison::count_by_verdict() const {
  std::array<std::int64_t, kVerdictCount> counts{};
  for (const ComparisonRow& row : rows) ++counts.at(static_cast<std::size_t>(row.verdict));
  return counts;
}

}  // namespace steelyard

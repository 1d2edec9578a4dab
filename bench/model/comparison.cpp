#include "bench/model/comparison.hpp"

namespace steelyard {
namespace {
constexpr std::array<std::string_view, kVerdictCount> kVerdictTexts{
    "regression", "improvement", "unchanged", "inconclusive", "missing", "new", "failed", "incomparable", "skipped"};
constexpr std::array<std::string_view, kWitnessCount> kWitnessTexts{"decided", "either", "time", "instructions",
                                                                    "both"};
constexpr std::array<std::string_view, kRowNoteCount> kNoteWords{"equal program",       "equal code",
                                                                 "other dispatch",      "not timed",
                                                                 "not confirmed alone", "skipped by the baseline",
                                                                 "contradicted alone",  "drift explains it",
                                                                 "scatter explains it", "drift and scatter explain it",
                                                                 "too noisy",           "equal counts",
                                                                 "first look only",     "not asked for"};
constexpr std::array<std::string_view, 8> kTestWords{
    "none", "rounds", "invocations", "t on log levels", "drift-widened t", "exact", "history", "t on log medians"};
constexpr std::array<std::string_view, 2> kPWords{"fixed", "sequential"};

}  // namespace

std::span<const std::string_view> words_of(RowNote) { return kNoteWords; }

std::string_view to_text(TestKind test) { return kTestWords.at(static_cast<std::size_t>(test)); }
std::span<const std::string_view> words_of(TestKind) { return kTestWords; }
std::span<const std::string_view> words_of(PKind) { return kPWords; }

std::string_view to_text(Witness witness) { return kWitnessTexts.at(static_cast<std::size_t>(witness)); }

std::string_view to_text(Verdict verdict) { return kVerdictTexts.at(static_cast<std::size_t>(verdict)); }

std::span<const std::string_view> words_of(Verdict) { return kVerdictTexts; }
std::span<const std::string_view> words_of(TimeProfileOutcome) {
  static constexpr std::array<std::string_view, 4> kWords{"recorded", "without_spans", "failed", "out_of_time"};
  return kWords;
}
std::span<const std::string_view> words_of(Witness) { return kWitnessTexts; }

std::array<std::int64_t, kVerdictCount> Comparison::count_by_verdict() const {
  std::array<std::int64_t, kVerdictCount> counts{};
  for (const ComparisonRow& row : rows) ++counts.at(static_cast<std::size_t>(row.verdict));
  return counts;
}

}  // namespace steelyard

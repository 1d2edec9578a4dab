#include "bench/model/comparison.hpp"

namespace steelyard {
namespace {
constexpr std::array<std::string_view, kVerdictCount> kVerdictTexts{
    "regression", "improvement", "unchanged", "inconclusive", "missing", "new", "failed", "incomparable", "skipped"};
constexpr std::array<std::string_view, kWitnessCount> kWitnessTexts{"decided", "either", "time", "instructions",
                                                                    "both"};
constexpr std::array<std::string_view, kRowNoteCount> kNoteTexts{
    kEqualProgramProof,
    "the code it executes is equal in both builds; data may differ",
    "library dispatch: ",
    "not timed, as the policy says (skip_time): ",
    "not confirmed alone",
    "the baseline skipped it",
    "contradicted alone: ",
    "drift between the sides could explain ",
    "the scatter of invocations could explain ",
    "drift and the scatter of invocations together could explain ",
    "too noisy: in ",
    "each of its functions costs the same; what sets it up may differ",
    "no rounds beyond the first look: counting has shown both builds to be equal here"};

// As a clause of its own: not within what a refused row quotes of another answer.
bool begins_a_clause(std::string_view reason, std::string_view words) {
  return reason.starts_with(words) || reason.find("; " + std::string(words)) != std::string_view::npos;
}

}  // namespace

std::string_view to_text(RowNote note) { return kNoteTexts.at(static_cast<std::size_t>(note)); }

RowNotes read_notes(std::string_view reason) {
  const auto tells = [&](std::string_view words) { return reason.find(words) != std::string_view::npos; };
  RowNotes notes;
  const bool is_untimed = reason.starts_with(to_text(RowNote::not_timed));
  if (is_untimed) notes.add(RowNote::not_timed);
  const std::string before(is_untimed ? to_text(RowNote::not_timed) : kNotCountedAgain);
  if (tells(before + std::string(kEqualProgramProof))) notes.add(RowNote::equal_program);
  for (const RowNote note :
       {RowNote::equal_code, RowNote::other_dispatch, RowNote::not_confirmed_alone, RowNote::skipped_by_baseline,
        RowNote::contradicted_alone, RowNote::equal_counts, RowNote::first_look_only}) {
    if (tells(to_text(note))) notes.add(note);
  }
  for (const RowNote note :
       {RowNote::drift_explains, RowNote::scatter_explains, RowNote::both_explain, RowNote::too_noisy}) {
    if (begins_a_clause(reason, to_text(note))) notes.add(note);
  }
  return notes;
}

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

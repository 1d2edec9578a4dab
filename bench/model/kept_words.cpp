#include "bench/model/kept_words.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace steelyard {
namespace {

constexpr std::array<std::pair<FailureKind, std::string_view>, 4> kOpenings{
    {{FailureKind::not_reached, "not reached: "},
     {FailureKind::bad_record, "bad record "},
     {FailureKind::skipped, "the benchmark was skipped"},
     {FailureKind::reported_error, "the benchmark skipped itself with an error"}}};

constexpr std::string_view kEqualProgram = "every loaded section of program and libraries is equal";
// Why equal builds were not timed.
constexpr std::array<std::string_view, 3> kNotTimed{
    "not timed, as the policy says (skip_time): ",
    "not timed: the candidate's build is the baseline's, as only documentation changed; ",
    "not timed: both commits build the same program; "};
constexpr std::string_view kNotCountedAgain = "; not counted again: ";
// Why a count that failed did not gate.
constexpr std::string_view kNotAskedFor = "nobody asked for counts, and neither side has one";

using NoteWords = std::pair<RowNote, std::string_view>;
constexpr std::array<NoteWords, 7> kAnywhere{
    {{RowNote::equal_code, "the code it executes is equal in both builds; data may differ"},
     {RowNote::other_dispatch, "library dispatch: "},
     {RowNote::not_confirmed_alone, "not confirmed alone"},
     {RowNote::skipped_by_baseline, "the baseline skipped it"},
     {RowNote::contradicted_alone, "contradicted alone: "},
     {RowNote::equal_counts, "each of its functions costs the same; what sets it up may differ"},
     {RowNote::first_look_only, "no rounds beyond the first look: counting has shown both builds to be equal here"}}};
constexpr std::array<NoteWords, 4> kOpeningAClause{
    {{RowNote::drift_explains, "drift between the sides could explain "},
     {RowNote::scatter_explains, "the scatter of invocations could explain "},
     {RowNote::both_explain, "drift and the scatter of invocations together could explain "},
     {RowNote::too_noisy, "too noisy: in "}}};

bool tells(std::string_view reason, const std::string& words) { return reason.find(words) != std::string_view::npos; }

// As a clause of its own: not within what a refused row quotes of another answer.
bool opens_a_clause(std::string_view reason, std::string_view words) {
  return reason.starts_with(words) || tells(reason, "; " + std::string(words));
}

}  // namespace

void read_failure(std::string_view reason, Failure& failure) {
  failure.kind = FailureKind::failed;
  for (const auto& [kind, opening] : kOpenings) {
    if (!reason.starts_with(opening)) continue;
    const std::string_view rest = reason.substr(opening.size());
    const bool is_whole = !is_skip(kind) || rest.empty() || rest.starts_with(": ");
    if (!is_whole) continue;
    failure.kind = kind;
    reason = is_skip(kind) && !rest.empty() ? rest.substr(2) : rest;
    break;
  }
  failure.said = reason;
}

CountOrigin read_count_origin(std::string_view proof) {
  if (proof.empty()) return CountOrigin::counted;
  return proof.starts_with(kEqualProgram) ? CountOrigin::equal_program : CountOrigin::reused;
}

RowNotes read_notes(std::string_view reason) {
  RowNotes notes;
  const auto why_untimed = std::find_if(kNotTimed.begin(), kNotTimed.end(),
                                        [&](std::string_view words) { return reason.starts_with(words); });
  const bool is_untimed = why_untimed != kNotTimed.end();
  if (is_untimed) notes.add(RowNote::not_timed);
  if (tells(reason, std::string(is_untimed ? *why_untimed : kNotCountedAgain) + std::string(kEqualProgram))) {
    notes.add(RowNote::equal_program);
  }
  for (const auto& [note, words] : kAnywhere) {
    if (tells(reason, std::string(words))) notes.add(note);
  }
  for (const auto& [note, words] : kOpeningAClause) {
    if (opens_a_clause(reason, words)) notes.add(note);
  }
  return notes;
}

void read_gate_note(ComparisonRow& row) {
  const bool is_failed_count = row.verdict == Verdict::failed && row.metric.kind == MetricKind::counted;
  if (is_failed_count && !row.gates && row.gate_note == kNotAskedFor) row.notes.add(RowNote::not_asked_for);
}

bool read_other_code(std::string_view dispatch) { return tells(dispatch, "different code"); }

Stop read_stop(std::string_view setting) {
  return setting.starts_with("interrupted") ? Stop::interrupted : Stop::budget_spent;
}

}  // namespace steelyard

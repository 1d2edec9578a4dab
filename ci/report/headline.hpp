// What a comparison says as a whole, above whatever its rows say: how many have which verdict, and where nothing
// changed whether that was shown or cannot be told. Plain text without markup.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bench/model/comparison.hpp"

namespace steelyard::ci {

// "2 regressions (1 reported, not gating), 8 unchanged, 3 inconclusive": what there is, worst first, unchanged before
// inconclusive.
std::string summary_line(const Comparison& comparison);
// What it counts, where that is not benchmarks: " (15 rows of 8 benchmarks)". Empty where each has one row.
std::string counted_text(const Comparison& comparison);

// The worst verdict that there is, for the mark above a report; regressions that do not gate are no part of it.
Verdict headline_verdict(const Comparison& comparison);

// What is answered where no row changed.
//   nothing_changed  each row that gates and is on both sides is shown unchanged
//   no_change_found  some are, and others undecided
//   cannot_tell      of most benchmarks no row is decided
enum class NoChange { nothing_changed, no_change_found, cannot_tell };
std::string_view to_text(NoChange answer);  // "nothing changed", "no change found", "cannot tell"

struct NoChangeAnswer {
  NoChange answer = NoChange::cannot_tell;
  std::int64_t benchmarks = 0;  // that failed or have a row that gates; of the others nothing is said
  std::int64_t unchanged = 0;   // all of whose rows are shown to be
  std::int64_t in_part = 0;     // some of whose rows are, and others undecided
  std::int64_t undecided = 0;   // none of whose rows is decided
  std::string text;             // "Cannot tell: 48 of 52 benchmarks undecided (4 shown unchanged)"
};
// Of rows that gate, and of those that failed and are not told only; where none gates, of all. Absent where a row
// changed, where nothing was compared, and where a benchmark failed, is missing or cannot be compared, unless most are
// undecided all the same.
std::optional<NoChangeAnswer> no_change_answer(const Comparison& comparison);
// The same where not everything is shown unchanged: what every report begins with. A terminal, a page and JSON have the
// other answer, too; headings count rows in its place.
std::optional<NoChangeAnswer> doubtful_answer(const Comparison& comparison);

}  // namespace steelyard::ci

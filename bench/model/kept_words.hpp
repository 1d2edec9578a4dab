// Facts that older programs kept as sentences alone, taken from these again: those of archives before payload version
// 25, of comparisons without `notes` and of rows of the store before migration 28; of a count that nobody asked for
// those of every comparison until `notes` had a word for it (migration 39). The one place that looks for words
// in a sentence: whoever reads an old archive, document or row of the store asks here, and nobody else. What is written
// now keeps the facts themselves, so nothing here follows a change of wording; the sentences are those of every version
// that has been.
#pragma once

#include <string_view>

#include "bench/model/comparison.hpp"
#include "bench/model/measurement.hpp"
#include "bench/model/run.hpp"

namespace steelyard {

// Of the reason that was kept of a failure: sets kind and said, so that to_text() yields the reason again.
void read_failure(std::string_view reason, Failure& failure);

// Of the proof that was kept of a count.
CountOrigin read_count_origin(std::string_view proof);

// Of the reason that was kept of a row.
RowNotes read_notes(std::string_view reason);

// Of the gate note that was kept of a row: adds to its notes what it alone told. Nothing where they have it.
void read_gate_note(ComparisonRow& row);

// Of the fact "count.dispatch": whether counts and times are of different code.
bool read_other_code(std::string_view dispatch);

// Of the setting "stopped": "interrupted after 14 rounds".
Stop read_stop(std::string_view setting);

}  // namespace steelyard

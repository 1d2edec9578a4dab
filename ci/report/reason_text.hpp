// Why a row of a comparison has its verdict: the one place where the facts of regress/ab/judged.hpp become a sentence.
// What is kept with the row, shown as JSON and held against a replay is this sentence, so that what older rules judged
// is told in their words. Plain text without markup.
//
//     row.reason = reason_text(row, judged.facts[i], judged);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bench/model/comparison.hpp"
#include "regress/ab/judged.hpp"

namespace steelyard::ci {

// Of the facts and of the row's own figures; empty without a fact. `comparison`: that it is of, for what all its rows
// share.
std::string reason_text(const ComparisonRow& row, const regress::RowFacts& facts, const regress::Judged& comparison);

// What the reason of a change ends in: "alone: +4.80 % (+3.10 % to +6.50 %), which agrees" or "too wide to tell", or
// that it was not measured. Empty where there is nothing to tell, and of a row that was contradicted: its reason does.
std::string solo_text(const ComparisonRow& row);

// What a note adds to the reason of its row, or begins it with. Of other_dispatch what follows is the fact
// bench::kDispatchFact, of not_timed why.
std::string note_text(RowNote note);

inline constexpr std::string_view kEqualProgramText = "every loaded section of program and libraries is equal";

// Why two builds are the same program, as far as a benchmark goes.
struct EqualProgram {
  std::string sha256;           // of every loaded section of program and libraries
  std::int64_t files_read = 0;  // that exist, and are the same, too
};

// As CountBasis::proof keeps it: "every loaded section of program and libraries is equal, and so are the 2 files it
// reads (sha256 0123456789ab)".
std::string equal_program_text(const EqualProgram& equal);
// As CountBasis::proof keeps it of a count that was not taken, as it is known.
inline constexpr std::string_view kCountedBeforeText = "counted before on this machine, under the same key";
// The reason of RowNote::not_timed: `program`, or where it is none, that the executed code and its counts are equal.
std::string untimed_text(const std::optional<EqualProgram>& program);

// What each side says of a fact: "Xeon against EPYC", "not recorded against 2".
std::string both_sides_text(const FactDifference& fact);

}  // namespace steelyard::ci

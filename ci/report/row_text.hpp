// What is said of a row of a comparison beside its figures and its reason (reason_text.hpp), among it what a change is
// alone. The report and the chain of --explain say it in the same words. Plain text without markup.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bench/model/comparison.hpp"
#include "regress/ab/judged.hpp"

namespace steelyard::ci {

// Why it does not gate, as a sentence's end; empty where it gates.
std::string gate_note_text(const ComparisonRow& row, const regress::GateNote& note);

// What the row was judged by and which table said it: "minimum effect 5 % by the policy of "gemv/*"
// (steelyard.toml:12); margin 2 % as for all". A margin here is without what a calibration adds to it. Empty where no
// table decided anything of the row.
std::string policy_text(const ComparisonPolicy& policy, const ComparisonRow& row);

// "over 4 code layouts +0.40 % to +6.70 % (95 %), standard deviation between them 1.2 %; layout could explain 3.1 % of
// it": how much, at most, at the row's confidence. Empty where the row has no such component.
std::string code_layout_text(const ComparisonRow& row);

// A minimum detectable effect, "2.1 %"; "over 1,000 %" of rounds so few or so noisy that a figure would only pretend to
// say how little they can see.
std::string detectable_text(double effect);

// What stands in place of an interval: "exact", "exact to 0.02 %", "whole functions, to 0.3 %", "whole program".
std::string exactness_text(CountScope scope, double jitter);

// What a note adds to the reason of its row, or begins it with. Of other_dispatch what follows is the fact
// bench::kDispatchFact, of not_timed why. Nothing of not_asked_for: the gate note says it.
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
// Whose wish it is that equal builds are not timed.
enum class UntimedBy {
  policy,        // skip_time
  one_build,     // nobody's: the candidate's build is a copy of the baseline's
  equal_builds,  // nobody's: both commits build the same program
};
// The reason of RowNote::not_timed: by whom, and why they are equal: `program`, or where it is none, the executed code
// and its counts.
std::string untimed_text(UntimedBy by, const std::optional<EqualProgram>& program);

// A sentence is kept in the words of older programs, whose figures have no factor and at most two digits behind the
// point; a report shows it with the figures that its cells have.
enum class Figures { kept, shown };
std::string change_figure(double ratio, Figures figures);
std::string range_figure(const Interval& ratios, double ratio, Figures figures);

// What a change that was found in a duet is alone: "+4.80 % (+3.10 % to +6.50 %)".
std::string solo_change_text(const SoloCheck& solo, Figures figures);
// What stands before it: "alone: ". What is too wide to tell is no support, as a reader of figures in the same
// direction might think, and is shown as "not confirmed alone: ". Precondition: `row.solo`.
std::string alone_lead(const ComparisonRow& row, Figures figures);
// What the check alone leaves of the answer of a duet, which is `reason`. Before rounds_4 one cause was named of
// several why there is none.
std::string with_alone(const std::string& reason, const ComparisonRow& row, const regress::AloneFact& alone);
// Why a row with RowNote::not_confirmed_alone is not, as a report knows it: its reason says why there is none.
inline constexpr std::string_view kNotHeldAlone = "no measurement alone to hold it against";
// What a report says of a change alone: "alone: +4.80 % (+3.10 % to +6.50 %), which agrees", "not confirmed alone: ...,
// too wide to tell" (a kept reason has "alone: ..." there too), or that it was not measured. Empty where there is
// nothing to tell, and of a row that was contradicted: its reason does.
std::string solo_text(const ComparisonRow& row);

}  // namespace steelyard::ci

// Functions of one origin under one name: recursion levels that Callgrind kept apart (f, f'2) and the copies of a
// function that the compiler made (f [clone .isra.0]). Asked for by who prints; nothing is folded on reading, because a
// change in one clone alone is a finding.
#pragma once

#include <string>
#include <string_view>

#include "bench/counting/reader/callgrind_reader.hpp"
#include "bench/model/counted_profile.hpp"
#include "bench/model/result.hpp"

namespace steelyard::bench {

struct NameFolding {
  bool recursion_levels = true;  // "f'2" -> "f"
  bool clones = true;            // "f(int) [clone .isra.0]" -> "f(int)", "f.isra.0" -> "f"; several in a row too
};

// A name in two: "f'2" is "f" and "'2".
struct RecursionLevel {
  std::string_view rest;
  std::string_view level;  // empty: there is none
};
RecursionLevel recursion_level(std::string_view name);

// The last mark that GCC or LLVM put at the end of a name, without its number: ".isra" of "f(int) [clone .isra.0]" and
// of C's "f.isra.0".
struct CloneMark {
  std::string_view rest;  // the name before it
  std::string_view mark;  // .isra .constprop .lto_priv .llvm .part .cold; empty: there is none
};
CloneMark last_clone_mark(std::string_view name);

std::string fold_name(std::string_view name, const NameFolding& folding);

// The same part with folded names: costs, calls and arcs of functions that now have equal object, file and name are
// added up, and inclusive costs found anew (an arc from f to f'2 becomes one from f to itself, which costs nothing
// more). Self costs add up to the same totals. Error (input): a sum does not fit into 63 bits.
Result<CallgrindPart> fold_names(const CallgrindPart& part, const NameFolding& folding);

// The same for a profile that was kept: recursion levels and the compiler's copies under one name.

// Self costs, calls, arcs and source lines are added up, inclusive costs found anew. A profile in which nothing folds
// stays as it is, to the bit. Error (input): a sum does not fit into 63 bits, costs that are not one for each event, an
// index that points nowhere.
Result<CountedProfile> fold_names(const CountedProfile& profile, const NameFolding& folding);

}  // namespace steelyard::bench

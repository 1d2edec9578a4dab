// Which function of one profile is which of another: two builds of one program, whose compiler made other clones and
// whose author gave functions other names. Before two profiles can be subtracted, this says row by row what to
// subtract.
//
//     for (const FunctionMatch& match : match_functions(baseline, candidate)) {
//       const ProfiledFunction* before = match.baseline ? &baseline.functions[*match.baseline] : nullptr;
//       const ProfiledFunction* after = match.candidate ? &candidate.functions[*match.candidate] : nullptr;
//       show(before, after, name_of(match.how), match.score);
//     }
//
// Not a judgement of costs: two functions of one name are matched however far their costs are apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "bench/model/counted_profile.hpp"

namespace steelyard::bench {

enum class MatchedBy {
  one_side,   // the other profile has nothing like it: new, gone, or inlined elsewhere
  same_name,  // same name in an object of the same file name
  clone,      // the names are equal but for what the compiler appends to a copy: " [clone .isra.0]", ".constprop.1"
  moved,      // same name in another object, or no name and another address: recognized as renamed functions are
  renamed,    // another name, but the same size of body, callers and callees
};

std::string_view name_of(MatchedBy how);  // "one side", "same name", ...

struct FunctionMatch {
  std::optional<std::uint32_t> baseline;   // index into its functions; at least one of the two is there
  std::optional<std::uint32_t> candidate;  // index into the candidate's functions
  MatchedBy how = MatchedBy::one_side;
  double score = 0;  // in [0, 1]; below 1 only where `how` is moved or renamed (see renamed_functions.hpp)
  // For a function of one side: the compiler made this copy beside the function of that match (an index into the
  // list), on this side only. Who wants the function's whole cost adds the two.
  std::optional<std::uint32_t> copy_of = std::nullopt;
  bool operator==(const FunctionMatch&) const = default;
};

struct MatchOptions {
  bool renamed = true;     // look for renamed and moved functions
  double min_score = 0.8;  // of a renamed function, in [0, 1]
};

// Each function of both sides once: first those of the candidate in its order, then what only the baseline has.
//
// Names first, in objects of one file name; a program or library under a new name is known by its functions. Of several
// functions with one name in an object (static functions of several files) those whose files have the most path
// components in common, counted from the end, belong together, so that trees may stand anywhere. Then clones: copies by
// .isra, .constprop, .lto_priv and .llvm are the function itself, while .part and .cold are pieces beside it and only
// match their like; numbers of copies mean nothing. Then what has another name. Functions that are named by their
// address (0x4016d0, in stripped programs) match by name only if the address still seems to be that of the same code.
// Linear in the names; for renamed functions see there.
std::vector<FunctionMatch> match_functions(const CountedProfile& baseline, const CountedProfile& candidate,
                                           const MatchOptions& options = {});

// Path components that two files have in common, counted from the end: 2 of "/a/src/x.h" and "src/x.h".
std::size_t common_components(std::string_view a, std::string_view b);

}  // namespace steelyard::bench

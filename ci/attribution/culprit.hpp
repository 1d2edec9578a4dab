// The one function to name first: docs/guide/attribution.md, "The culprit".
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ci/attribution/profile_difference.hpp"

namespace steelyard::ci {

// On which line of a function its cost changed most, though the lines of the two builds have other numbers: the lines
// are laid over each other in their order, as a text comparison does, by what they cost.

struct LineCost {
  std::int32_t line = 0;
  double cost = 0;  // an iteration
};

// The candidate's line that gained most where the whole gained, or lost most where it lost; of a line that only the
// baseline has, the candidate's next one. Nothing where no line changed or the candidate has none. `baseline` and
// `candidate`: ascending lines of one file. Cost: product of their lengths; above a million, lines are matched by their
// distance from the first instead.
std::optional<std::int32_t> changed_line(const std::vector<LineCost>& baseline, const std::vector<LineCost>& candidate);

// What changed line by line, where the profiles know lines: the line of each function that changed most, and the
// functions that the compiler inlined into others, whose cost runs in those.

// The code of one function that runs inside another.
struct InlinedPiece {
  std::string origin;          // the function that was inlined; "code of FILE" where only its file is known
  std::string file;            // below the project's own sources where it is theirs
  bool own_source = false;     // of the project
  std::uint32_t function = 0;  // index into ProfileDifference::functions: where it runs
  double baseline = 0;         // instructions an iteration
  double candidate = 0;
  std::int32_t line = 0;  // that changed most, of the candidate where it has the piece; 0: unknown

  double change() const { return candidate - baseline; }
};

// Whose the lines are: the function that was inlined, or "code of FILE" where only its file is known; empty: they are
// the function's own.
std::string inlined_origin(const SourceCost& source, const ProfiledFunction& function);

struct SourcePlace {
  std::string file;       // as the lines name it, below the project's own sources where it is theirs; empty: unknown
  std::int32_t line = 0;  // 0: none or unknown
};

struct LineDifference {
  std::vector<SourcePlace> changed;  // one per function of the difference: the line of its own that changed most
  std::vector<InlinedPiece> pieces;  // by function, then origin and file; whether they changed or not
};

// Empty where a profile has no sources. `difference` is of these profiles. `pairs_trees`: as AttributionOptions has it.
LineDifference subtract_lines(const CountedProfile& baseline, const CountedProfile& candidate,
                              const ProfileDifference& difference,
                              const std::vector<std::filesystem::path>& own_sources, bool pairs_trees);

// Without what the compiler appends to the name of a copy: "f [clone .isra.0]" is f.
std::string_view without_clone(std::string_view name);

// The part of the change that a function answers for at least to be named the culprit.
inline constexpr double kCulpritCoverage = 0.9;

struct Culprit {
  std::uint32_t function = 0;        // index into functions; of a piece, where most of it runs
  std::optional<std::size_t> piece;  // index into LineDifference::pieces, where an inlined function is named
  double change = 0;                 // what it answers for, instructions an iteration
};

// The deepest function of the project's own sources that answers for at least kCulpritCoverage of the change. It
// answers for its inclusive change; inside a cycle of calls for its own cost and what it calls outside the cycle; an
// inlined function for its own cost wherever it runs. Only what the change reached through callers counts
// (FunctionStanding). Of two that are equally deep: the one whose inclusive cost is less. Precondition: total_change is
// not 0.
std::optional<Culprit> find_culprit(const ProfileDifference& difference, const std::vector<FunctionStanding>& standings,
                                    const LineDifference& lines, const std::vector<std::filesystem::path>& own_sources);

}  // namespace steelyard::ci

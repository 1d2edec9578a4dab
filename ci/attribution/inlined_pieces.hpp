// What changed line by line, where the profiles know lines: the line of each function that changed most, and the
// functions that the compiler inlined into others, whose cost runs in those.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ci/attribution/changed_line.hpp"
#include "ci/attribution/profile_difference.hpp"

namespace steelyard {

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

struct SourcePlace {
  std::string file;       // as the lines name it, below the project's own sources where it is theirs; empty: unknown
  std::int32_t line = 0;  // 0: none or unknown
};

struct LineDifference {
  std::vector<SourcePlace> changed;  // one per function of the difference: the line of its own that changed most
  std::vector<InlinedPiece> pieces;  // by function, then origin and file; whether they changed or not
};

// Empty where a profile has no sources. `difference` is of these profiles.
LineDifference subtract_lines(const CountedProfile& baseline, const CountedProfile& candidate,
                              const ProfileDifference& difference,
                              const std::vector<std::filesystem::path>& own_sources);

// Without what the compiler appends to the name of a copy: "f [clone .isra.0]" is f.
std::string_view without_clone(std::string_view name);

}  // namespace steelyard

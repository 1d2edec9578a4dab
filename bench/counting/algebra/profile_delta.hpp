// Two profiles laid over each other, function by function: what each cost on both sides, what changed, and whether that
// is more than repeats of one binary change by themselves.
//
//     STEELYARD_TRY(const ProfileDelta delta, profile_delta(baseline, candidate));
//     for (const FunctionDelta& function : delta.functions) show(function);
//
// Nobody's verdict: which function to name first is decided in ci/attribution.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/counting/algebra/function_counts.hpp"
#include "bench/counting/algebra/function_match.hpp"
#include "bench/model/counted_profile.hpp"
#include "bench/model/result.hpp"

namespace steelyard::bench {

// What one side says of a function, for all its iterations.
struct FunctionSide {
  FunctionKey key;
  std::int32_t line = 0;
  std::int64_t calls = 0;
  std::vector<std::int64_t> self;       // one per event
  std::vector<std::int64_t> inclusive;  // one per event
  bool operator==(const FunctionSide&) const = default;
};

struct FunctionDelta {
  std::optional<FunctionSide> baseline;  // absent: only the candidate has it
  std::optional<FunctionSide> candidate;
  MatchedBy how = MatchedBy::one_side;
  double score = 0;                      // see function_match.hpp
  std::optional<std::uint32_t> copy_of;  // index into ProfileDelta::functions; see function_match.hpp
  // Candidate minus baseline in an iteration (in the whole program where the profiles are of whole programs). Exactly 0
  // where both sides cost the same in an iteration, however many each of them ran.
  std::vector<double> self_change;       // one per event
  std::vector<double> inclusive_change;  // one per event
  double calls_change = 0;
  std::vector<double> noise;  // of self, in an iteration; one per event, 0 where nothing was learned
  bool within_noise = false;  // self changed, in no event by more than `noise`

  const FunctionSide& shown() const { return candidate ? *candidate : *baseline; }
};

struct ProfileDelta {
  std::vector<std::string> events;
  bool of_iterations = false;            // changes are of one iteration; else of whole programs
  std::vector<double> total_change;      // in an iteration; one per event
  std::vector<FunctionDelta> functions;  // in the order of match_functions
};

struct ProfileDeltaOptions {
  MatchOptions match;
  // Learned from repeats of each side with the iterations of its profile; null: nothing is known to vary.
  const LearnedNoise* baseline_noise = nullptr;
  const LearnedNoise* candidate_noise = nullptr;
};

// Error (input): other events; a whole program against a number of iterations; noise of inclusive counts or of other
// events; a function with another number of costs than there are events.
Result<ProfileDelta> profile_delta(const CountedProfile& baseline, const CountedProfile& candidate,
                                   const ProfileDeltaOptions& options = {});

}  // namespace steelyard::bench

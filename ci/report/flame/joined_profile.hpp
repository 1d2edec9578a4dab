// One or two counted profiles laid over each other for a picture: functions and call arcs of both sides under common
// indices, one event of them. Costs stay whole numbers over the iterations that each side counted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/model/counted_profile.hpp"
#include "bench/model/result.hpp"

namespace steelyard {

inline constexpr std::size_t kBaselineSide = 0;
inline constexpr std::size_t kCandidateSide = 1;
template <class T>
using BySide = std::array<T, 2>;

struct FunctionCosts {
  bool present = false;  // the side has the function
  std::int64_t self = 0;
  std::int64_t inclusive = 0;
  std::int64_t calls = 0;
};

struct JoinedFunction {
  std::string name;
  std::string file;
  std::string object;
  std::int32_t line = 0;        // 0: unknown
  BySide<FunctionCosts> costs;  // as the profiles state them: exact
  std::string renamed_from;     // its name in the baseline, where the two were matched by shape; empty: the same
};

// "sort.cpp:12, /usr/bin/bench", as far as it is known.
std::string place_text(const JoinedFunction& function);

struct JoinedArc {
  std::uint32_t caller = 0;  // index into functions
  std::uint32_t callee = 0;
  BySide<std::int64_t> inclusive{};
  BySide<std::int64_t> calls{};
};

struct JoinedProfile {
  std::string event;  // "Ir"
  bool has_baseline = false;
  BySide<std::int64_t> iterations{1, 1};  // at least 1; a whole program is one
  BySide<std::int64_t> totals{};          // sums of the self costs that are above 0: what can be drawn
  // Sums of the self costs below 0, which cannot: what a net profile has of functions that cost less in more
  // iterations.
  BySide<std::int64_t> negative{};
  std::vector<JoinedFunction> functions;
  std::vector<JoinedArc> arcs;  // by caller, then callee; one a pair
};

// Parts of one side (threads, dumps) are added up, by object, file and name; the functions of the two sides are matched
// by bench/counting/algebra/function_match.hpp. `event` empty: "Ir", else the first one. An empty `baseline`: no
// difference.
// Errors (input): an event that a part has not (zeros in its place would look like functions that are new or gone),
// sums beyond 63 bits, a side whose parts cover different iterations.
using ProfileParts = std::vector<const CountedProfile*>;
Result<JoinedProfile> join_profiles(const ProfileParts& baseline, const ProfileParts& candidate,
                                    const std::string& event);

}  // namespace steelyard

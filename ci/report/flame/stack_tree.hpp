// A joined profile as call stacks: a tree of frames whose costs are whole numbers that add up exactly. Every function's
// self cost is spread over its frames; what a frame costs in all is the sum of what stands in
// and below it.
//
//     const StackTree tree = unfold(joined, StackLimits{});
//     for (const StackFrame& frame : tree.frames) draw(frame.depth, frame.total);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/model/counted_profile.hpp"
#include "bench/model/result.hpp"

namespace steelyard::ci {

// One or two counted profiles laid over each other for a picture: functions and call arcs of both sides under common
// indices, one event of them. Costs stay whole numbers over the iterations that each side counted.

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
  std::int32_t line = 0;          // 0: unknown
  BySide<FunctionCosts> costs;    // as the profiles state them: exact
  std::string renamed_from;       // its name in the baseline, where the two were matched by shape; empty: the same
  std::string inlined_into = {};  // the function in which this code runs; empty: it is called
  bool is_span = false;           // its name is what a program said, of no function: never shortened as one
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
  bool is_of_a_loop = false;              // of iterations, not of a whole program: pictures begin at the benchmark
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
//
// What the compiler inlined is a function of its own below the one that it runs in, where all parts know their lines:
// flat, as no profile says what was inlined into what. Calls of it are 0, as nothing counts them.
using ProfileParts = std::vector<const CountedProfile*>;
// Lines that may be shifted (bench::has_shifted_lines) say nothing of what was inlined.
enum class KnownPlaces { functions, lines };
Result<JoinedProfile> join_profiles(const ProfileParts& baseline, const ProfileParts& candidate,
                                    const std::string& event, KnownPlaces places = KnownPlaces::lines);

inline constexpr std::uint32_t kAllFunctions = 0xffffffff;    // the function of frame 0, on which all roots stand
inline constexpr std::uint32_t kOtherFunctions = 0xfffffffe;  // of a leaf that stands for what was too small or deep

struct StackFrame {
  std::uint32_t function = kAllFunctions;  // index into JoinedProfile::functions
  std::uint32_t parent = 0;                // index into frames; frame 0 is its own
  std::uint32_t depth = 0;
  BySide<std::int64_t> self{};
  BySide<std::int64_t> total{};
};

struct StackTree {
  // Parents before children, each frame's subtree in one piece, the costlier child first, (other) last. Frames that
  // cost nothing on either side are left out.
  std::vector<StackFrame> frames;
};

struct StackLimits {
  std::size_t max_frames = 10'000;
  std::uint32_t greatest_depth = 500;
  double min_share = 1e-5;  // of a side's total; smaller frames are merged into (other)
  // Depths of all frames together: how many names a file has that writes every stack out.
  std::uint64_t max_names = 20'000'000;
};
// Of files for other tools: who reads stacks there can leave out what is small.
inline constexpr StackLimits kLimitsOfFiles{.max_frames = 100'000, .greatest_depth = 2'000, .min_share = 1e-7};

// For each function and side, the self costs of its frames add up to what the profile says, or to less by what stands
// in the frames of (other); all frames' self costs add up to the profile's total exactly. The largest frames are
// unfolded first, on both sides alike. Of a loop's profile the frames that lead to the benchmark are left out. Cost:
// frames times callees, and their sorting.
StackTree unfold(const JoinedProfile& profile, const StackLimits& limits);

// "(all)", "(other)" or the function's name.
const std::string& frame_name(const JoinedProfile& profile, const StackFrame& frame);

}  // namespace steelyard::ci

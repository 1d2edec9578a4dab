// A joined profile as call stacks: a tree of frames whose costs are whole numbers that add up exactly. Every function's
// self cost is spread over its frames (call_order.hpp says how); what a frame costs in all is the sum of what stands in
// and below it.
//
//     const StackTree tree = unfold(joined, StackLimits{});
//     for (const StackFrame& frame : tree.frames) draw(frame.depth, frame.total);
#pragma once

#include <cstdint>
#include <vector>

#include "ci/report/flame/joined_profile.hpp"

namespace steelyard {

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
  std::size_t most_frames = 10'000;
  std::uint32_t greatest_depth = 500;
  double least_share = 1e-5;  // of a side's total; smaller frames are merged into (other)
  // Depths of all frames together: how many names a file has that writes every stack out.
  std::uint64_t most_names = 20'000'000;
};

// For each function and side, the self costs of its frames add up to what the profile says, or to less by what stands
// in the frames of (other); all frames' self costs add up to the profile's total exactly. The largest frames are
// unfolded first, on both sides alike. Cost: frames times callees, and their sorting.
StackTree unfold(const JoinedProfile& profile, const StackLimits& limits);

// "(all)", "(other)" or the function's name.
const std::string& frame_name(const JoinedProfile& profile, const StackFrame& frame);

}  // namespace steelyard

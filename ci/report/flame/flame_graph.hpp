// A stack tree as a flame graph (Gregg, "The Flame Graph", 2016; here callers stand above): one HTML file that needs
// nothing beside itself, or an SVG that is read without script. Of a difference, red frames grew and blue ones shrank.
// How to read them: docs/guide/profiles.md.
#pragma once

#include <string>

#include "ci/report/flame/stack_tree.hpp"

namespace steelyard {

struct FlameCaption {
  std::string title;          // the benchmark
  std::string baseline_name;  // a run, a file; empty in a picture of one profile
  std::string candidate_name;
};

// Search, zoom, tooltips, keys; width by the candidate or the baseline. At most about 100 bytes a frame and 700 a
// function; names longer than 500 bytes lose their middle.
std::string html_flame_graph(const JoinedProfile& profile, const StackTree& tree, const FlameCaption& caption);

// Frames that are at least half a pixel wide at 1,200 pixels, by the candidate's cost; tooltips are titles. What only
// the baseline has is listed below the picture.
std::string svg_flame_graph(const JoinedProfile& profile, const StackTree& tree, const FlameCaption& caption);

}  // namespace steelyard

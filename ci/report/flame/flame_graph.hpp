// A stack tree as a flame graph (Gregg, "The Flame Graph", 2016; here callers stand above): one HTML file that needs
// nothing beside itself, or an SVG that is read without script. Of a difference, red frames grew and blue ones shrank.
// How to read them: docs/guide/profiles.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/run.hpp"
#include "ci/report/charts/svg_picture.hpp"
#include "ci/report/flame/stack_tree.hpp"

namespace steelyard::ci {

// What colour a frame has in a flame graph, as the name of a class of page/flame_colors.css: of one profile whose code
// it is, of a difference whether it grew or shrank, and how much.

// The classes, in the order of the indices that flame_tone returns.
const std::vector<std::string_view>& flame_tones();

// Of a difference the change of the frame's cost an iteration, over the larger side: "plain" where there is none (or
// only one that sharing out whole numbers could make), "grew-1" or "shrank-1" below 1 %, then below 5 %, 20 %, above,
// and 5 for a frame that one side alone has. Of one profile: "own-0" to "own-2" for functions of the program, "lib-0"
// to "lib-2" for those of shared libraries (the three tell neighbours apart and mean nothing), "other" for the rest.
std::size_t flame_tone(const JoinedProfile& profile, const StackFrame& frame);

// "+5.1 %", "-3 %", "new", "gone"; empty where the tone is plain or the picture is of one profile.
std::string change_mark(const JoinedProfile& profile, const StackFrame& frame);

double cost_an_iteration(const JoinedProfile& profile, std::int64_t cost, std::size_t side);

struct FlameCaption {
  std::string title;          // the benchmark
  std::string baseline_name;  // a run, a file; empty in a picture of one profile
  std::string candidate_name;
};

// Search, zoom, tooltips, keys; width by the candidate or the baseline. At most about 100 bytes a frame and 700 a
// function; names longer than 500 bytes lose their middle.
std::string html_flame_graph(const JoinedProfile& profile, const StackTree& tree, const FlameCaption& caption);

// Frames that are at least half a pixel wide at 1,200 pixels (in a page two), by the candidate's cost; tooltips are
// titles. What only the baseline has is listed below the picture.
std::string svg_flame_graph(const JoinedProfile& profile, const StackTree& tree, const FlameCaption& caption,
                            SvgForm form = SvgForm::document);
// The style of a page with such pictures.
std::string_view flame_style();

// The difference of what both runs counted of a benchmark (canonical text). Absent: a side has no profile of it.
// Errors: as of join_profiles().
Result<std::optional<JoinedProfile>> changed_profile(const std::string& benchmark, const Run& baseline,
                                                     const Run& candidate);
// Of a picture of both sides: the commit, else the program, else which side it is.
FlameCaption change_caption(const std::string& title, const RunHeader& baseline, const RunHeader& candidate);

}  // namespace steelyard::ci

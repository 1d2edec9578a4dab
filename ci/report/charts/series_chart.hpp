// One series with its change points as a picture: in the terminal, and as SVG.
#pragma once

#include <string>
#include <vector>

#include "bench/model/series.hpp"
#include "ci/app/terminal_text.hpp"

namespace steelyard::ci {

// A chart of each machine's points, and below it a mark where each level begins and what changed there.
std::string terminal_series(const Series& series, const std::vector<ChangePoint>& changes, const TerminalStyle& style);

// A document of its own, 960 by 360: values as dots, levels as lines, the range in which each change may have begun as
// a band, what changed in words. Reads in light and dark, without colour, and by a screen reader (title and desc). No
// script, nothing loaded from elsewhere. Bytes that are no UTF-8 are replaced. More values than fit share columns, each
// drawn as its range.
std::string svg_series(const Series& series, const std::vector<ChangePoint>& changes);

}  // namespace steelyard::ci

// A roofline plot as data (Williams, Waterman and Patterson, CACM 52(4), 2009): the ceilings of a device over
// arithmetic intensity, both on logarithmic axes, and each benchmark as a point under them. Drawn as SVG or for a
// terminal.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/model/ceiling.hpp"
#include "bench/model/interval.hpp"
#include "ci/app/terminal_text.hpp"
#include "ci/report/charts/svg_picture.hpp"

namespace steelyard::ci {

struct RooflinePoint {
  std::string label;                 // the benchmark's canonical text
  double intensity = 0;              // flop per byte, above 0
  double rate = 0;                   // flop/s, above 0; as is_rate() has it
  std::optional<Interval> interval;  // of the rate, 95 %
  std::string note;                  // "51 % of DRAM read, bound by memory"; empty: unknown
};

struct Roofline {
  std::string title;
  std::string subtitle;
  // At most one for each dtype and threads; and for each level and threads, the fastest access.
  std::vector<Ceiling> arithmetic;
  std::vector<Ceiling> bandwidth;
  std::vector<RooflinePoint> points;
  std::vector<std::string> excluded;  // benchmarks that report only one of both rates
};

// What both drawings show: decades that hold all points and ridges, with room around them.
struct RooflineFrame {
  LogAxis intensity{0.01, 100};
  LogAxis rate{1e8, 1e12};
};

RooflineFrame frame_of(const Roofline& roofline);

// Self-contained: no script, no font and no picture from elsewhere; light or dark as the reader's system asks. Each
// point has a number, a tooltip and a line in the list below the plot.
std::string svg_roofline(const Roofline& roofline);
// A chart as wide as the style says; points are letters, listed below.
std::string terminal_roofline(const Roofline& roofline, const TerminalStyle& style);

}  // namespace steelyard::ci

// Points and a line through them where both axes are logarithmic, drawn with characters: what a sweep looks like.
#pragma once

#include <string>
#include <vector>

namespace steelyard {

struct LogPlotShape {
  int columns = 60;  // of the drawing without its axes, at least 8
  int lines = 12;    // at least 3
  bool unicode = true;
};

struct LogPlot {
  std::vector<std::string> lines;  // top to bottom, without trailing spaces
  double highest = 0;              // level of the top line and of the bottom line
  double lowest = 0;
  std::vector<int> column_of_point;  // as long as the points
};

struct LogPoint {
  double size = 0;  // above 0
  double level = 0;
};

// points: at least one, by size ascending, all above 0. The line is level = coefficient * size^exponent; a point hides
// it. Nothing is drawn of what lies beyond the highest and the lowest point.
LogPlot draw_log_plot(const std::vector<LogPoint>& points, double coefficient, double exponent,
                      const LogPlotShape& shape);

}  // namespace steelyard

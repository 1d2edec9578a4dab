// A series of levels drawn with box characters: a value axis on the left, time from left to right.
#pragma once

#include <string>
#include <vector>

namespace steelyard {

struct ChartShape {
  int columns = 60;  // of the drawing without its axis, at least 8
  int lines = 8;     // at least 3
  bool unicode = true;
};

struct LineChart {
  std::vector<std::string> lines;    // top to bottom, each at most `columns` wide, without trailing spaces
  std::vector<double> axis;          // the level in the middle of each line
  int columns_per_point = 1;         // 1 or more: the distance of two points; below their number they share columns
  std::vector<int> column_of_point;  // as long as `values`
};

// values: at least one, finite. More values than columns share a column, which then shows their median.
LineChart draw_line_chart(const std::vector<double>& values, const ChartShape& shape);

}  // namespace steelyard

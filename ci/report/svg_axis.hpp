// A linear axis of a picture: its ends, and ticks at round numbers (P. Heckbert, "Nice Numbers for Graph Labels",
// Graphics Gems, 1990: steps of 1, 2 and 5 times a power of ten).
#pragma once

#include <string>
#include <vector>

namespace steelyard {

struct NiceAxis {
  double low = 0;
  double high = 1;
  std::vector<double> ticks;  // ascending, 3 to 7

  double share(double value) const;  // of the way from low to high, 0 to 1
};

// Room for all values and a little more; values that hardly differ fill no whole picture. Finite values; none: 0 to 1.
NiceAxis nice_axis(const std::vector<double>& values);

// In one scale for the whole axis, with the decimals that its steps need: "1.25 us".
std::string axis_label(double tick, const NiceAxis& axis, const std::string& unit);

}  // namespace steelyard

// The axes that charts share: a linear one with ticks at round numbers (P. Heckbert, "Nice Numbers for Graph Labels",
// Graphics Gems, 1990: steps of 1, 2 and 5 times a power of ten), and a logarithmic one.
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

struct LogAxis {
  double low = 1;    // above 0
  double high = 10;  // above low

  double share(double value) const;     // of the way from low to high; beyond them below 0, above 1
  double at(double share) const;        // the way back
  std::vector<double> decades() const;  // whole powers of ten within, ascending
};

}  // namespace steelyard

// A closed interval of real numbers. Which confidence it has, its owner says.
#pragma once

namespace steelyard {

struct Interval {
  double low = 0;
  double high = 0;
  bool operator==(const Interval&) const = default;
};

}  // namespace steelyard

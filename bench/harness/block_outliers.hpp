// How many times lie far from the rest, by Tukey's fences: mild beyond 1.5, severe beyond 3 interquartile ranges from
// the nearer quartile (Tukey, Exploratory Data Analysis, 1977; the classes are criterion's). They are counted and told,
// never removed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace steelyard {

struct BlockOutliers {
  std::size_t mild = 0;
  std::size_t severe = 0;
  std::size_t of = 0;
  bool operator==(const BlockOutliers&) const = default;
};

// Of `times` against the fences of `ascending`; ascending: at least 4 values, else nothing is an outlier.
BlockOutliers count_outliers(const std::vector<double>& ascending, const std::vector<double>& times);

// "none of 40", "2 mild, 1 severe of 40".
std::string to_text(const BlockOutliers& outliers);

}  // namespace steelyard

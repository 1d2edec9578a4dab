// Student's t tests on levels of processes, on the scale of logarithms.
#pragma once

#include <optional>
#include <vector>

namespace steelyard::judging {

struct StudentTest {
  double difference = 0;  // mean of `other` less that of `one`
  double standard_error = 0;
  double degrees = 0;
  double p = 1;  // two-sided
};

// W. S. Gosset (Student), The probable error of a mean, 1908. Absent below two pairs or without spread.
std::optional<StudentTest> paired_t(const std::vector<double>& one, const std::vector<double>& other);
// B. L. Welch, 1947, with F. E. Satterthwaite's degrees of freedom, 1946. Absent below two a side or without spread.
std::optional<StudentTest> welch_t(const std::vector<double>& one, const std::vector<double>& other);

}  // namespace steelyard::judging

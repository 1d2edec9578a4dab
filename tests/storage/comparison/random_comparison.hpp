// Comparisons with any content that a document can hold, for tests of keeping them: texts of any characters, numbers
// of any size, everything that may be absent absent or there. Seeded.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "bench/model/comparison.hpp"

namespace steelyard::storage_test {

class RandomComparison {
 public:
  explicit RandomComparison(std::uint64_t seed) : engine_(seed) {}

  // with_history: with the series that it was held against.
  Comparison draw(bool with_history);
  // With the fields too that came after identities were written down (comparison_identity_test.cpp): another draw would
  // be another comparison. A new field is drawn here.
  Comparison draw_with_later_fields(bool with_history);
  JudgedHistory draw_history();

 private:
  std::uint64_t below(std::uint64_t limit);
  bool coin() { return below(2) == 1; }
  std::int32_t count() { return static_cast<std::int32_t>(below(1000)); }
  std::string text();
  std::vector<std::string> texts();
  double number();  // finite
  std::optional<double> perhaps_number();
  Interval interval() { return {number(), number()}; }
  RunHeader header();
  Calibration calibration();
  FunctionChange function();
  PatternPolicy pattern();
  Creep creep();
  ComparisonRow row();
  void draw_later_fields(ComparisonRow& row);
  ChangePoint change();
  SeriesHistory series();

  std::mt19937_64 engine_;
};

}  // namespace steelyard::storage_test

// How often a table shows a difference: seeded simulation of tables whose cells are samples of known noise, for
// tests/studies/table_errors and for the tests.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tests/studies/median_study.hpp"

namespace steelyard {

struct TableStudy {
  SimulatedNoise noise = SimulatedNoise::normal;
  std::size_t n = 50;  // samples a cell
  int rows = 4;
  int columns = 3;
  double shift = 0;  // of the last column, in deviations of the noise; 0: all cells are equal
  int tables = 500;
  std::uint32_t seed = 1;
};

struct TableErrors {
  int with_difference = 0;        // tables in which any cell is called worse
  int with_naive_difference = 0;  // the same if samples were taken for independent, as a plain test would
};
// Rowwise, against the best, at 5 %.
TableErrors table_errors(const TableStudy& study);

}  // namespace steelyard

// A matrix that is worked on row by row, each row alone.
#pragma once

#include <cstddef>

namespace steelyard::cpu_suite {

struct RowsShape {
  std::size_t rows = 0;
  std::size_t columns = 0;  // at least 1
};

}  // namespace steelyard::cpu_suite

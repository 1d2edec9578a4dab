// A small dense matrix of floats, row by row.
#pragma once

#include <cstddef>
#include <vector>

namespace textkit {

struct Matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<float> values;  // rows * columns

  Matrix(std::size_t row_count, std::size_t column_count)
      : rows(row_count), columns(column_count), values(row_count * column_count) {}
  float& at(std::size_t row, std::size_t column) { return values[row * columns + column]; }
  float at(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
};

// product = left * right. Precondition: the three shapes fit.
void multiply(const Matrix& left, const Matrix& right, Matrix& product);

}  // namespace textkit

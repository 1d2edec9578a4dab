#include "textkit/matrix.hpp"

#include <algorithm>

namespace textkit {

namespace {

// out += factor * in, both of n values.
void add_multiple(float factor, const float* in, float* out, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) out[j] += factor * in[j];
}

}  // namespace

void multiply(const Matrix& left, const Matrix& right, Matrix& product) {
  std::fill(product.values.begin(), product.values.end(), 0.0f);
  for (std::size_t i = 0; i < left.rows; ++i) {
    float* out = &product.values[i * product.columns];
    for (std::size_t k = 0; k < left.columns; ++k) {
      add_multiple(left.at(i, k), &right.values[k * right.columns], out, right.columns);
    }
  }
}

}  // namespace textkit

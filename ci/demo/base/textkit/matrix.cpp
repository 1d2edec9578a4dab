#include "textkit/matrix.hpp"

#include <algorithm>

namespace textkit {

void multiply(const Matrix& left, const Matrix& right, Matrix& product) {
  std::fill(product.values.begin(), product.values.end(), 0.0f);
  for (std::size_t i = 0; i < left.rows; ++i) {
    float* out = &product.values[i * product.columns];
    for (std::size_t k = 0; k < left.columns; ++k) {
      const float factor = left.at(i, k);
      const float* in = &right.values[k * right.columns];
      for (std::size_t j = 0; j < right.columns; ++j) out[j] += factor * in[j];
    }
  }
}

}  // namespace textkit

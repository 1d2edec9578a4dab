#include "bench/profile/operation_flops.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>

namespace steelyard::bench {
namespace {

using Shape = std::vector<double>;

// Takes "[64, 512]" off the beginning.
std::optional<Shape> take_shape(std::string_view& text) {
  if (!text.starts_with('[')) return std::nullopt;
  text.remove_prefix(1);
  Shape shape;
  while (!text.starts_with(']')) {
    if (!shape.empty() && text.starts_with(", ")) text.remove_prefix(2);
    double size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc() || !std::isfinite(size) || size < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    shape.push_back(size);
  }
  text.remove_prefix(1);
  return shape;
}

// Empty where the text is no list of shapes; lists of tensors are none.
std::vector<Shape> shapes_in(std::string_view text) {
  if (!text.starts_with('[')) return {};
  text.remove_prefix(1);
  std::vector<Shape> shapes;
  while (!text.starts_with(']')) {
    if (!shapes.empty() && text.starts_with(", ")) text.remove_prefix(2);
    std::optional<Shape> shape = take_shape(text);
    if (!shape) return {};
    shapes.push_back(std::move(*shape));
  }
  return shapes;
}

// Of matrices, or of as many pairs of them: B, M, K and B, K, N.
std::optional<double> product(const std::vector<Shape>& shapes, std::size_t first, std::size_t dimensions) {
  if (shapes.size() < first + 2) return std::nullopt;
  const Shape &left = shapes[first], &right = shapes[first + 1];
  if (left.size() != dimensions || right.size() != dimensions) return std::nullopt;
  const bool fits = left[dimensions - 1] == right[dimensions - 2] && (dimensions == 2 || left[0] == right[0]);
  if (!fits) return std::nullopt;
  double count = 2 * right.back();
  for (const double size : left) count *= size;
  return count;
}

// "[2, 1]"; of one number for both directions "[2]".
std::optional<std::array<double, 2>> pair_in(const std::vector<std::string>& inputs, std::size_t place) {
  if (place >= inputs.size()) return std::nullopt;
  std::string_view text = inputs[place];
  const std::optional<Shape> numbers = take_shape(text);
  if (!numbers || numbers->empty() || numbers->size() > 2) return std::nullopt;
  return std::array{numbers->front(), numbers->back()};
}

// Of an input N, C, H, W and a filter Cout, C/groups, kh, kw; then a bias, the stride, the padding, the dilation.
std::optional<double> convolution(const std::vector<Shape>& shapes, const std::vector<std::string>& inputs) {
  if (shapes.size() < 2 || shapes[0].size() != 4 || shapes[1].size() != 4) return std::nullopt;
  const auto stride = pair_in(inputs, 3), padding = pair_in(inputs, 4), dilation = pair_in(inputs, 5);
  if (!stride || !padding || !dilation || stride->at(0) == 0 || stride->at(1) == 0) return std::nullopt;
  double count = 2 * shapes[0][0];
  for (const double size : shapes[1]) count *= size;
  for (const std::size_t i : {0U, 1U}) {
    const double reach = dilation->at(i) * (shapes[1][2 + i] - 1) + 1;
    count *= std::max(0.0, std::floor((shapes[0][2 + i] + 2 * padding->at(i) - reach) / stride->at(i)) + 1);
  }
  return count;
}

std::optional<double> count_of(std::string_view name, const std::vector<Shape>& shapes,
                               const std::vector<std::string>& inputs) {
  if (name == "aten::mm") return product(shapes, 0, 2);
  if (name == "aten::addmm") return product(shapes, 1, 2);
  if (name == "aten::bmm") return product(shapes, 0, 3);
  if (name == "aten::baddbmm") return product(shapes, 1, 3);
  if (name == "aten::conv2d") return convolution(shapes, inputs);
  if (shapes.empty()) return std::nullopt;
  // Of a multiplication or an addition, by element. Where the first input is spread over a larger one, PyTorch counts
  // its elements alone, which is less than is done.
  const auto elements = [](const Shape& shape) {
    return std::accumulate(shape.begin(), shape.end(), 1.0, std::multiplies<>());
  };
  const double values = elements(shapes[0]);
  const bool is_spread =
      std::any_of(shapes.begin() + 1, shapes.end(), [&](const Shape& other) { return elements(other) > values; });
  return is_spread ? std::nullopt : std::optional(values);
}

}  // namespace

std::optional<double> flops_of_operation(std::string_view name, std::string_view shapes,
                                         const std::vector<std::string>& inputs) {
  constexpr std::array<std::string_view, 7> kCounted{"aten::mm",     "aten::addmm", "aten::bmm", "aten::baddbmm",
                                                     "aten::conv2d", "aten::mul",   "aten::add"};
  if (std::find(kCounted.begin(), kCounted.end(), name) == kCounted.end()) return std::nullopt;
  const std::optional<double> count = count_of(name, shapes_in(shapes), inputs);
  return count && std::isfinite(*count) ? count : std::nullopt;
}

}  // namespace steelyard::bench

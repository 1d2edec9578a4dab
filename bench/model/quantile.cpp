#include "bench/model/quantile.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>

namespace steelyard {
namespace {

// Up to here the place of each value is counted: no branch depends on the values, which no processor can guess.
constexpr std::size_t kCounted = 16;
// Up to here parts are moved without such a branch; beyond it the library's way, which has a bound for any input.
constexpr std::size_t kPartitioned = 1024;

// The value with `rank` others before it in ascending order.
double counted_value(std::span<const double> values, std::size_t rank) {
  double found = values.front();
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::size_t before = 0;
    for (std::size_t k = 0; k < i; ++k) before += values[k] <= values[i] ? 1U : 0U;
    for (std::size_t k = i + 1; k < values.size(); ++k) before += values[k] < values[i] ? 1U : 0U;
    found = before == rank ? values[i] : found;
  }
  return found;
}

double median_of_three(double a, double b, double c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }

// Moves those for which `goes_first` holds to the front; returns how many.
template <class Predicate>
std::size_t partition_of(std::span<double> values, const Predicate& goes_first) {
  std::size_t front = 0;
  for (double& value : values) {
    const double here = value;
    value = values[front];
    values[front] = here;
    front += goes_first(here) ? 1U : 0U;
  }
  return front;
}

// Puts the value that sorting would put at `rank` there, and those not above it before it (C. A. R. Hoare, Algorithm
// 65: Find, 1961).
void select(std::span<double> values, std::size_t rank) {
  while (values.size() > 1) {
    const double pivot = median_of_three(values.front(), values[values.size() / 2], values.back());
    const std::size_t below = partition_of(values, [pivot](double value) { return value < pivot; });
    if (rank < below) {
      values = values.first(below);
      continue;
    }
    values = values.subspan(below);
    rank -= below;
    const std::size_t equal = partition_of(values, [pivot](double value) { return value == pivot; });
    if (rank < equal || equal == 0) return;  // none equals itself: the caller let a NaN in
    values = values.subspan(equal);
    rank -= equal;
  }
}

}  // namespace

double quantile_of_sorted(std::span<const double> ascending, double p) {
  assert(!ascending.empty() && p >= 0 && p <= 1);
  const double position = static_cast<double>(ascending.size() - 1) * p;
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  return ascending[below] + (position - static_cast<double>(below)) * (ascending[above] - ascending[below]);
}

double median(std::vector<double> values) {
  assert(!values.empty());
  const std::size_t half = values.size() / 2;
  const bool is_odd = values.size() % 2 == 1;
  if (values.size() <= kCounted) {
    const double above = counted_value(values, half);
    return is_odd ? above : 0.5 * counted_value(values, half - 1) + 0.5 * above;  // their sum could overflow
  }
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(half);
  if (values.size() <= kPartitioned) {
    select(values, half);
  } else {
    std::nth_element(values.begin(), middle, values.end());
  }
  return is_odd ? *middle : 0.5 * *std::max_element(values.begin(), middle) + 0.5 * *middle;
}

}  // namespace steelyard

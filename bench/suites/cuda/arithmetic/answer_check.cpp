#include "bench/suites/cuda/arithmetic/answer_check.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

namespace steelyard::cuda_suite {
namespace {

std::string number(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.9g", value);
  return text.data();
}

// Distance over bound; past 1 is a fault.
double excess(double got, const Wanted& wanted) {
  if (std::isnan(wanted.value)) return std::isnan(got) ? 0 : std::numeric_limits<double>::infinity();
  if (std::isnan(got)) return std::numeric_limits<double>::infinity();
  if (got == wanted.value) return 0;
  const double distance = std::fabs(got - wanted.value);
  if (!std::isfinite(distance) || !(wanted.bound > 0)) return std::numeric_limits<double>::infinity();
  return distance / wanted.bound;
}

std::string in_words(std::size_t index, std::size_t columns) {
  if (columns <= 1) return "element " + std::to_string(index);
  return "row " + std::to_string(index / columns) + ", column " + std::to_string(index % columns);
}

}  // namespace

Result<void> agreement(const std::string& what, std::span<const double> got, std::span<const Wanted> wanted,
                       AnswerPlace place) {
  if (got.size() != wanted.size()) {
    return bug_error(
        what, std::to_string(got.size()) + " values where " + std::to_string(wanted.size()) + " are to be compared");
  }
  std::size_t worst = 0;
  std::size_t wrong = 0;
  double most = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double off = excess(got[i], wanted[i]);
    if (off > 1) ++wrong;
    if (off > most) {
      most = off;
      worst = i;
    }
  }
  if (wrong == 0) return {};
  return program_error(
      what + ", " + in_words(place.first + worst, place.columns), number(got[worst]),
      number(wanted[worst].value) + " within " + number(wanted[worst].bound),
      std::to_string(wrong) + " of " + std::to_string(got.size()) + " compared values are wrong, this one most");
}

}  // namespace steelyard::cuda_suite

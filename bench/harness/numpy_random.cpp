#include "bench/harness/numpy_random.hpp"

#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

namespace steelyard {

double NumpyRandom::real() {
  // Two statements: the order of the two draws is part of the stream.
  const auto high = static_cast<double>(engine_() >> 5U);
  const auto low = static_cast<double>(engine_() >> 6U);
  return (high * 67108864.0 + low) / 9007199254740992.0;
}

double NumpyRandom::uniform(double low, double high) { return low + (high - low) * real(); }

double NumpyRandom::normal(double mean, double deviation) {
  if (has_spare_) {
    has_spare_ = false;
    return mean + deviation * std::exchange(spare_, 0.0);
  }
  double x = 0;
  double y = 0;
  double squared = 0;
  do {
    x = 2.0 * real() - 1.0;
    y = 2.0 * real() - 1.0;
    squared = x * x + y * y;
  } while (squared >= 1.0 || squared == 0.0);
  const double factor = std::sqrt(-2.0 * std::log(squared) / squared);
  spare_ = factor * x;
  has_spare_ = true;
  return mean + deviation * (factor * y);
}

std::int64_t NumpyRandom::bits63() {
  constexpr std::uint64_t kMask = std::numeric_limits<std::int64_t>::max();
  const std::uint64_t high = bits32();
  const std::uint64_t low = bits32();
  return static_cast<std::int64_t>(((high << 32U) | low) & kMask);
}

std::uint64_t NumpyRandom::interval(std::uint64_t most) {
  if (most == 0) return 0;
  std::uint64_t mask = most;
  for (unsigned shift = 1; shift <= 32; shift *= 2) mask |= mask >> shift;
  std::uint64_t drawn = 0;
  if (most <= std::numeric_limits<std::uint32_t>::max()) {
    do drawn = bits32() & mask;
    while (drawn > most);
    return drawn;
  }
  do {
    const std::uint64_t high = bits32();
    drawn = ((high << 32U) | bits32()) & mask;
  } while (drawn > most);
  return drawn;
}

std::int64_t NumpyRandom::integer(std::int64_t low, std::int64_t high) {
  assert(low <= high);
  const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + interval(span));
}

std::vector<std::size_t> NumpyRandom::permutation(std::size_t n) {
  std::vector<std::size_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = i;
  for (std::size_t i = n; i-- > 1;) std::swap(order[i], order[interval(i)]);
  return order;
}

std::size_t NumpyRandom::choice(std::span<const double> probabilities) {
  assert(!probabilities.empty());
  double total = 0;
  for (const double probability : probabilities) total += probability;
  const double drawn = real();
  double cumulated = 0;
  for (std::size_t i = 0; i + 1 < probabilities.size(); ++i) {
    cumulated += probabilities[i];
    if (cumulated / total > drawn) return i;
  }
  return probabilities.size() - 1;
}

}  // namespace steelyard

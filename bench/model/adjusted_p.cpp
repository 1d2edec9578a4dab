#include "bench/model/adjusted_p.hpp"

#include <algorithm>
#include <numeric>

namespace steelyard {

std::vector<double> holm_adjusted(std::span<const double> p, std::size_t untested) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> q(p.size());
  double running = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    running = std::max(running, std::min(1.0, static_cast<double>(p.size() + untested - rank) * p[order[rank]]));
    q[order[rank]] = running;
  }
  return q;
}

std::vector<double> discovery_adjusted(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> q(p.size());
  const auto n = static_cast<double>(p.size());
  double running = 1;
  for (std::size_t rank = order.size(); rank > 0; --rank) {
    const std::size_t at = order[rank - 1];
    running = std::min(running, n / static_cast<double>(rank) * p[at]);
    q[at] = running;
  }
  return q;
}

}  // namespace steelyard

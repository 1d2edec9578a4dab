#include "bench/model/holm.hpp"

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

}  // namespace steelyard

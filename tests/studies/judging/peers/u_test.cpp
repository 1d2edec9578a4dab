#include "tests/studies/judging/peers/u_test.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "regress/ab/distributions.hpp"

namespace steelyard::judging {
namespace {

struct Ranked {
  double u = 0;     // pairs in which `one` is larger; ties count half
  double ties = 0;  // sum of t^3 - t over groups of equal values
};

Ranked rank(std::span<const double> one, std::span<const double> other) {
  std::vector<std::pair<double, bool>> all;
  for (const double value : one) all.emplace_back(value, true);
  for (const double value : other) all.emplace_back(value, false);
  std::sort(all.begin(), all.end());
  Ranked ranked;
  double rank_sum = 0;
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin;
    double of_one = 0;
    for (; end < all.size() && all[end].first == all[begin].first; ++end) of_one += all[end].second ? 1 : 0;
    const auto equal = static_cast<double>(end - begin);
    rank_sum += of_one * (static_cast<double>(begin + end) + 1) / 2;
    ranked.ties += equal * equal * equal - equal;
    begin = end;
  }
  const auto n = static_cast<double>(one.size());
  ranked.u = rank_sum - n * (n + 1) / 2;
  return ranked;
}

}  // namespace

double u_test_normal_p(std::span<const double> one, std::span<const double> other) {
  const Ranked ranked = rank(one, other);
  const auto n = static_cast<double>(one.size());
  const auto m = static_cast<double>(other.size());
  const double all = n + m;
  const double variance = n * m / 12 * (all + 1 - ranked.ties / (all * (all - 1)));
  if (variance <= 0) return 1;
  const double distance = std::max(0.0, std::fabs(ranked.u - n * m / 2) - 0.5);
  return regress::normal_two_sided_p(distance / std::sqrt(variance));
}

double u_test_exact_p(std::span<const double> one, std::span<const double> other) {
  const std::size_t n = one.size();
  const std::size_t m = other.size();
  const std::size_t most = n * m;
  // ways[k][u]: how many choices of k ranks among those seen so far give U = u. The value in place v adds v - k to U
  // when it is taken as the k-th (0-based) of `one`.
  std::vector<std::vector<double>> ways(n + 1, std::vector<double>(most + 1, 0));
  ways[0][0] = 1;
  for (std::size_t place = 0; place < n + m; ++place) {
    for (std::size_t k = std::min(n, place + 1); k-- > 0;) {
      if (place - k > m) continue;
      const std::size_t step = place - k;
      for (std::size_t u = most + 1; u-- > step;) ways[k + 1][u] += ways[k][u - step];
    }
  }
  const double u = rank(one, other).u;
  double all = 0;
  double as_far = 0;
  const double middle = static_cast<double>(most) / 2;
  for (std::size_t i = 0; i <= most; ++i) {
    all += ways[n][i];
    if (std::fabs(static_cast<double>(i) - middle) >= std::fabs(u - middle)) as_far += ways[n][i];
  }
  return as_far / all;
}

bool has_ties(std::span<const double> one, std::span<const double> other) {
  std::vector<double> all(one.begin(), one.end());
  all.insert(all.end(), other.begin(), other.end());
  std::sort(all.begin(), all.end());
  return std::adjacent_find(all.begin(), all.end()) != all.end();
}

}  // namespace steelyard::judging

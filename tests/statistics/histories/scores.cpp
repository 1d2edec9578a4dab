#include "tests/statistics/histories/scores.hpp"

#include <algorithm>

namespace steelyard {
namespace {

std::size_t distance(std::size_t a, std::size_t b) { return a > b ? a - b : b - a; }

Points with_start(Points points) {
  points.push_back(0);
  std::ranges::sort(points);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

std::size_t count_matched(const Points& known, const Points& found, std::size_t margin) {
  const std::vector<bool> hits = matched(known, found, margin);
  return static_cast<std::size_t>(std::ranges::count(hits, true));
}

double mean_cover(const Points& known, const Points& found, std::size_t n) {
  double sum = 0;
  for (std::size_t k = 0; k < known.size(); ++k) {
    const std::size_t from = known[k];
    const std::size_t to = k + 1 < known.size() ? known[k + 1] : n;
    double best = 0;
    for (std::size_t j = 0; j < found.size(); ++j) {
      const std::size_t begin = found[j];
      const std::size_t end = j + 1 < found.size() ? found[j + 1] : n;
      const std::size_t low = std::max(from, begin);
      const std::size_t high = std::min(to, end);
      if (low >= high) continue;
      best = std::max(best,
                      static_cast<double>(high - low) / static_cast<double>(std::max(to, end) - std::min(from, begin)));
    }
    sum += best * static_cast<double>(to - from);
  }
  return sum / static_cast<double>(n);
}

}  // namespace

std::vector<bool> matched(const Points& known, const Points& found, std::size_t margin) {
  std::vector<bool> taken(found.size());
  std::vector<bool> hits(known.size());
  for (std::size_t k = 0; k < known.size(); ++k) {
    std::size_t nearest = found.size();
    for (std::size_t j = 0; j < found.size(); ++j) {
      if (taken[j] || distance(found[j], known[k]) > margin) continue;
      if (nearest == found.size() || distance(found[j], known[k]) < distance(found[nearest], known[k])) nearest = j;
    }
    if (nearest == found.size()) continue;
    taken[nearest] = true;
    hits[k] = true;
  }
  return hits;
}

double f1_score(const std::vector<Points>& annotations, const Points& found_points, std::size_t margin) {
  const Points found = with_start(found_points);
  Points all;
  double recall = 0;
  for (const Points& annotation : annotations) {
    const Points known = with_start(annotation);
    all.insert(all.end(), known.begin(), known.end());
    recall += static_cast<double>(count_matched(known, found, margin)) / static_cast<double>(known.size());
  }
  recall /= static_cast<double>(annotations.size());
  const double precision =
      static_cast<double>(count_matched(with_start(all), found, margin)) / static_cast<double>(found.size());
  return precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0;
}

double cover_score(const std::vector<Points>& annotations, const Points& found, std::size_t n) {
  double sum = 0;
  for (const Points& annotation : annotations) sum += mean_cover(with_start(annotation), with_start(found), n);
  return sum / static_cast<double>(annotations.size());
}

}  // namespace steelyard

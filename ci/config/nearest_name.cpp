#include "ci/config/nearest_name.hpp"

#include <algorithm>
#include <array>

namespace steelyard {
namespace {
constexpr std::size_t kMostCharacters = 64;  // no option or key is longer; bounds the table below
}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  a = a.substr(0, kMostCharacters);
  b = b.substr(0, kMostCharacters);
  std::array<std::array<int, kMostCharacters + 1>, kMostCharacters + 1> cost{};
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = static_cast<int>(i);
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

std::optional<std::string> nearest_name(std::string_view name, const std::vector<std::string>& known) {
  if (name.size() > kMostCharacters) return std::nullopt;
  std::optional<std::string> best;
  int best_distance = 0;
  for (const std::string& candidate : known) {
    const int distance = edit_distance(name, candidate);
    const int allowed = std::max(2, static_cast<int>(std::max(name.size(), candidate.size()) / 3));
    if (distance > allowed || (best && distance >= best_distance)) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

}  // namespace steelyard

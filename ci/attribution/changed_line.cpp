#include "ci/attribution/changed_line.hpp"

#include <algorithm>
#include <cmath>

namespace steelyard {
namespace {

constexpr std::size_t kMostCells = 1'000'000;
// Costs of whole instructions over some iterations: less than this is the rounding of the division.
constexpr double kLeastChange = 1e-9;

// A line of the candidate with what changed on it.
struct LineChange {
  std::size_t candidate = 0;
  double change = 0;
};

double sum_of(const std::vector<LineCost>& lines) {
  double sum = 0;
  for (const LineCost& line : lines) sum += line.cost;
  return sum;
}

// Least sum of changes over all ways to match lines in their order (Wagner and Fischer, "The string-to-string
// correction problem", 1974); a line without partner costs what it spends.
class Alignment {
 public:
  Alignment(const std::vector<LineCost>& baseline, const std::vector<LineCost>& candidate)
      : baseline_(baseline), candidate_(candidate), columns_(candidate.size() + 1) {
    constexpr double kDisplaced = 1e-9;
    displaced_ = kDisplaced * (sum_of(baseline) + sum_of(candidate));
    least_.resize((baseline.size() + 1) * columns_, 0);
    for (std::size_t i = 0; i <= baseline.size(); ++i) {
      for (std::size_t k = 0; k <= candidate.size(); ++k) fill(i, k);
    }
  }

  std::vector<LineChange> changes() const {
    std::vector<LineChange> result;
    std::size_t i = baseline_.size();
    std::size_t k = candidate_.size();
    while (i > 0 || k > 0) {
      if (i > 0 && k > 0 && at(i, k) == at(i - 1, k - 1) + matched(i, k)) {
        --i, --k;
        result.push_back({k, candidate_[k].cost - baseline_[i].cost});
      } else if (k > 0 && at(i, k) == at(i, k - 1) + std::fabs(candidate_[k - 1].cost)) {
        --k;
        result.push_back({k, candidate_[k].cost});
      } else {
        --i;
        result.push_back({std::min(k, candidate_.size() - 1), -baseline_[i].cost});
      }
    }
    return result;
  }

 private:
  double at(std::size_t i, std::size_t k) const { return least_[i * columns_ + k]; }
  double matched(std::size_t i, std::size_t k) const {
    // Slightly dearer than it is: a line that is gone between two that are equal is no change of one of them.
    constexpr double kDearer = 1.001;
    const double change = kDearer * std::fabs(baseline_[i - 1].cost - candidate_[k - 1].cost);
    const std::int32_t shift = candidate_.front().line - baseline_.front().line;
    const bool stayed = candidate_[k - 1].line - baseline_[i - 1].line == shift;
    return stayed ? change : change + displaced_;
  }
  void fill(std::size_t i, std::size_t k) {
    if (i == 0 && k == 0) return;
    double least = HUGE_VAL;
    if (i > 0) least = std::min(least, at(i - 1, k) + std::fabs(baseline_[i - 1].cost));
    if (k > 0) least = std::min(least, at(i, k - 1) + std::fabs(candidate_[k - 1].cost));
    if (i > 0 && k > 0) least = std::min(least, at(i - 1, k - 1) + matched(i, k));
    least_[i * columns_ + k] = least;
  }

  const std::vector<LineCost>& baseline_;
  const std::vector<LineCost>& candidate_;
  std::size_t columns_;
  double displaced_;  // what a line costs that did not move with the first: decides between lines of equal cost
  std::vector<double> least_;
};

std::vector<LineChange> by_distance(const std::vector<LineCost>& baseline, const std::vector<LineCost>& candidate) {
  std::vector<LineChange> result;
  std::size_t i = 0;
  for (std::size_t k = 0; k < candidate.size(); ++k) {
    const std::int32_t distance = candidate[k].line - candidate.front().line;
    double change = candidate[k].cost;
    for (; i < baseline.size() && baseline[i].line - baseline.front().line <= distance; ++i) change -= baseline[i].cost;
    result.push_back({k, change});
  }
  return result;
}

}  // namespace

std::optional<std::int32_t> changed_line(const std::vector<LineCost>& baseline,
                                         const std::vector<LineCost>& candidate) {
  if (candidate.empty()) return std::nullopt;
  const bool is_small = (baseline.size() + 1) <= kMostCells / (candidate.size() + 1);
  const std::vector<LineChange> changes =
      is_small ? Alignment(baseline, candidate).changes() : by_distance(baseline, candidate);
  const double sign = sum_of(candidate) < sum_of(baseline) ? -1 : 1;
  const LineChange* most = nullptr;
  for (const LineChange& change : changes) {
    if (sign * change.change > kLeastChange && (!most || sign * change.change > sign * most->change)) most = &change;
  }
  if (!most) return std::nullopt;
  return candidate[most->candidate].line;
}

}  // namespace steelyard

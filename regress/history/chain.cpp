#include "regress/history/chain.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace steelyard::regress {
namespace {

// Steps between the same two commits as one.
struct JoinedStep {
  double log_ratio = 0;
  double variance = 0;
};

using Neighbours = std::vector<std::map<std::size_t, JoinedStep>>;

JoinedStep join_steps(const std::vector<ChainStep>& same) {
  double weights = 0;
  double sum = 0;
  for (const ChainStep& step : same) {
    if (!(step.standard_error > 0)) return {step.log_ratio, 0};
    const double weight = 1 / (step.standard_error * step.standard_error);
    weights += weight;
    sum += weight * step.log_ratio;
  }
  return {sum / weights, 1 / weights};
}

Neighbours neighbours_of(std::size_t places, std::span<const ChainStep> steps) {
  std::map<std::pair<std::size_t, std::size_t>, std::vector<ChainStep>> same;
  for (const ChainStep& step : steps) {
    const bool is_usable = step.before < places && step.after < places && step.before != step.after &&
                           std::isfinite(step.log_ratio) && std::isfinite(step.standard_error);
    if (!is_usable) continue;
    ChainStep forward = step;
    if (forward.before > forward.after) {
      std::swap(forward.before, forward.after);
      forward.log_ratio = -forward.log_ratio;
    }
    same[{forward.before, forward.after}].push_back(forward);
  }
  Neighbours neighbours(places);
  for (const auto& [ends, list] : same) {
    const JoinedStep joined = join_steps(list);
    neighbours[ends.first][ends.second] = joined;
    neighbours[ends.second][ends.first] = {-joined.log_ratio, joined.variance};
  }
  return neighbours;
}

}  // namespace

std::vector<std::optional<ChainedLevel>> chained_levels(std::size_t places, std::span<const ChainStep> steps,
                                                        std::size_t root) {
  struct Reached {
    double variance = std::numeric_limits<double>::infinity();
    std::size_t steps = 0;
    double log_ratio = 0;
    bool done = false;
  };
  std::vector<std::optional<ChainedLevel>> levels(places);
  if (root >= places) return levels;
  const Neighbours neighbours = neighbours_of(places, steps);
  std::vector<Reached> reached(places);
  reached[root].variance = 0;
  std::set<std::tuple<double, std::size_t, std::size_t>> nearest{{0.0, 0, root}};  // variance, steps, place
  while (!nearest.empty()) {
    const std::size_t place = std::get<2>(*nearest.begin());
    nearest.erase(nearest.begin());
    Reached& from = reached[place];
    from.done = true;
    levels[place] = ChainedLevel{from.log_ratio, std::sqrt(from.variance), from.steps};
    for (const auto& [next, step] : neighbours[place]) {
      Reached& to = reached[next];
      const Reached along{from.variance + step.variance, from.steps + 1, from.log_ratio + step.log_ratio};
      if (to.done || std::pair(along.variance, along.steps) >= std::pair(to.variance, to.steps)) continue;
      nearest.erase({to.variance, to.steps, next});
      to = along;
      nearest.emplace(to.variance, to.steps, next);
    }
  }
  return levels;
}

std::optional<std::size_t> next_in_gaps(std::span<const ChainGap> gaps, const std::vector<bool>& open) {
  std::optional<std::size_t> best;
  std::pair<bool, std::size_t> best_rank;
  for (const ChainGap& gap : gaps) {
    const std::pair<bool, std::size_t> rank{gap.suspicion >= kSuspicious, gap.after - gap.before};
    if (best && rank <= best_rank) continue;
    const std::size_t sum = gap.before + gap.after;
    const auto off = [sum](std::size_t place) { return 2 * place > sum ? 2 * place - sum : sum - 2 * place; };
    std::optional<std::size_t> middle;
    for (std::size_t place = gap.before + 1; place < gap.after; ++place) {
      if (open[place] && (!middle || off(place) < off(*middle))) middle = place;
    }
    if (!middle) continue;
    best = middle;
    best_rank = rank;
  }
  return best;
}

}  // namespace steelyard::regress

#include "bench/counting/algebra/renamed_functions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "bench/counting/reader/callgrind_reader.hpp"

namespace steelyard::bench {
namespace {

// How alike the names are settles only what the rest leaves open.
constexpr double kNameBonus = 0.1;
constexpr double kClearDistance = 0.02;
// Below this the score of a pair cannot reach 0.8, whatever its neighbours are.
constexpr double kMinBodyRatio = 0.7;
constexpr std::size_t kMaxPairs = 200'000;
constexpr std::size_t kMaxNameBytes = 256;

// min / max of two amounts of one sign; 1 for two zeros.
double ratio(double a, double b) {
  if (a == b) return 1;
  if (a == 0 || b == 0 || (a < 0) != (b < 0)) return 0;
  return std::min(std::abs(a), std::abs(b)) / std::max(std::abs(a), std::abs(b));
}

// Pairs of letters that two names share, of all pairs they have (Dice, "Measures of the amount of ecologic association
// between species", 1945).
double likeness(std::string_view a, std::string_view b) {
  if (a == b) return 1;
  a = a.substr(0, kMaxNameBytes);
  b = b.substr(0, kMaxNameBytes);
  if (a.size() < 2 || b.size() < 2) return 0;
  std::map<std::string_view, std::pair<int, int>> counts;
  for (std::size_t i = 0; i + 1 < a.size(); ++i) ++counts[a.substr(i, 2)].first;
  for (std::size_t i = 0; i + 1 < b.size(); ++i) ++counts[b.substr(i, 2)].second;
  int common = 0;
  for (const auto& [letters, count] : counts) common += std::min(count.first, count.second);
  return 2.0 * common / static_cast<double>(a.size() + b.size() - 2);
}

// What the search needs to know of one function.
struct Trait {
  double self = 0;  // in an iteration
  double calls = 0;
  std::vector<std::uint32_t> callers;
  std::vector<std::uint32_t> callees;
  std::vector<double> lines;  // costs in an iteration, largest first
};

struct ProfileSide {
  const CountedProfile* profile = nullptr;
  std::vector<Trait> traits;
  std::set<std::string_view> objects;  // file names
};

ProfileSide side_of(const CountedProfile& profile, std::size_t event) {
  ProfileSide side;
  side.profile = &profile;
  const std::size_t n = profile.functions.size();
  side.traits.resize(n);
  const double iterations = static_cast<double>(std::max<std::int64_t>(profile.iterations, 1));
  const auto cost = [&](const std::vector<std::int64_t>& costs) {
    return event < costs.size() ? static_cast<double>(costs[event]) / iterations : 0.0;
  };
  for (std::size_t i = 0; i < n; ++i) {
    side.traits[i].self = cost(profile.functions[i].self);
    side.traits[i].calls = static_cast<double>(profile.functions[i].calls) / iterations;
    side.objects.insert(file_name(profile.functions[i].object));
  }
  for (const CallArc& arc : profile.arcs) {
    if (arc.caller >= n || arc.callee >= n || arc.caller == arc.callee) continue;
    side.traits[arc.caller].callees.push_back(arc.callee);
    side.traits[arc.callee].callers.push_back(arc.caller);
  }
  for (const SourceCost& source : profile.sources) {
    if (source.function < n) side.traits[source.function].lines.push_back(cost(source.self));
  }
  for (Trait& trait : side.traits) std::sort(trait.lines.rbegin(), trait.lines.rend());
  return side;
}

std::size_t instructions_event(const CountedProfile& profile) {
  const auto at = std::find(profile.events.begin(), profile.events.end(), "Ir");
  return at == profile.events.end() ? 0 : static_cast<std::size_t>(at - profile.events.begin());
}

// Sum of weighted parts that are known.
struct Score {
  double sum = 0;
  double weight = 0;
  void add(double part_weight, double part) {
    sum += part_weight * part;
    weight += part_weight;
  }
  double mean() const { return weight > 0 ? sum / weight : 0; }
};

class Search {
 public:
  Search(const CountedProfile& baseline, const CountedProfile& candidate, const MatchOptions& options,
         FunctionPairs& pairs)
      : sides_{side_of(baseline, instructions_event(baseline)), side_of(candidate, instructions_event(candidate))},
        options_(options),
        pairs_(pairs) {}

  std::vector<RenamedFunction> run() {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> open = likely_pairs();
    std::vector<RenamedFunction> found;
    for (bool is_new = true; is_new;) {
      std::erase_if(open, [&](const auto& pair) { return !is_free(pair.first, pair.second); });
      is_new = take_clear_pairs(open, found);
    }
    return found;
  }

 private:
  // The two best scores of one function; which pair has the best.
  struct Best {
    double first = -1;
    double second = -1;
    std::size_t pair = 0;
    void offer(double value, std::size_t index) {
      if (value > first) {
        second = first;
        first = value;
        pair = index;
      } else {
        second = std::max(second, value);
      }
    }
    bool is_clear() const { return first - second >= kClearDistance; }
  };

  bool is_free(std::uint32_t a, std::uint32_t b) const {
    return pairs_.candidate_of[a] == kNoPartner && pairs_.baseline_of[b] == kNoPartner;
  }

  const ProfiledFunction& function(std::size_t side, std::uint32_t i) const {
    return sides_[side].profile->functions[i];
  }

  // For one call; of what is never entered (calls = 0), in an iteration.
  std::pair<double, double> bodies(const Trait& a, const Trait& b) const {
    if (a.calls > 0 && b.calls > 0) return {a.self / a.calls, b.self / b.calls};
    return {a.self, b.self};
  }

  // One object, or two that the other side does not have: the program or a library under another name.
  bool may_share_object(std::uint32_t a, std::uint32_t b) const {
    const std::string_view before = file_name(function(0, a).object);
    const std::string_view after = file_name(function(1, b).object);
    return before == after || (!sides_[0].objects.contains(after) && !sides_[1].objects.contains(before));
  }

  std::vector<std::pair<std::uint32_t, std::uint32_t>> likely_pairs() const {
    std::array<std::vector<std::uint32_t>, 2> free;
    for (std::uint32_t i = 0; i < pairs_.candidate_of.size(); ++i) {
      if (pairs_.candidate_of[i] == kNoPartner) free[0].push_back(i);
    }
    for (std::uint32_t i = 0; i < pairs_.baseline_of.size(); ++i) {
      if (pairs_.baseline_of[i] == kNoPartner) free[1].push_back(i);
    }
    const bool only_equal = free[0].size() > kMaxPairs / std::max<std::size_t>(free[1].size(), 1);
    // By size of body, so that each function meets only those of about its size. A body without calls on one side has
    // another measure: those pairs are few and are found by their whole cost.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    const auto collect = [&](const auto& size_of, const auto& is_wanted) {
      std::vector<std::pair<double, std::uint32_t>> sorted;
      for (const std::uint32_t b : free[1]) sorted.emplace_back(size_of(sides_[1].traits[b]), b);
      std::sort(sorted.begin(), sorted.end());
      for (const std::uint32_t a : free[0]) {
        const double size = size_of(sides_[0].traits[a]);
        const double room = only_equal ? 1 : kMinBodyRatio;
        const double least = std::min(size * room, size / room);
        const double most = std::max(size * room, size / room);
        auto at = std::lower_bound(sorted.begin(), sorted.end(), std::pair<double, std::uint32_t>{least, 0});
        for (; at != sorted.end() && at->first <= most && pairs.size() <= kMaxPairs; ++at) {
          const bool fits = is_wanted(sides_[0].traits[a], sides_[1].traits[at->second]);
          if (fits && may_share_object(a, at->second)) pairs.emplace_back(a, at->second);
        }
      }
    };
    const auto is_called = [](const Trait& trait) { return trait.calls > 0; };
    collect([&](const Trait& trait) { return is_called(trait) ? trait.self / trait.calls : trait.self; },
            [&](const Trait& a, const Trait& b) { return is_called(a) == is_called(b); });
    collect([](const Trait& trait) { return trait.self; },
            [&](const Trait& a, const Trait& b) { return is_called(a) != is_called(b); });
    // A part of the pairs would make one look clear that is not.
    if (pairs.size() > kMaxPairs) pairs.clear();
    return pairs;
  }

  // How far the neighbours of a and b are the same functions; absent where no neighbour is known. `common` counts.
  std::optional<double> agreement(const std::vector<std::uint32_t>& of_a, const std::vector<std::uint32_t>& of_b,
                                  std::size_t& common) const {
    std::set<std::uint32_t> known_b;
    std::size_t unknown_a = 0;
    std::size_t unknown_b = 0;
    for (const std::uint32_t neighbour : of_b) {
      const std::uint32_t partner = pairs_.baseline_of[neighbour];
      if (partner == kNoPartner) {
        ++unknown_b;
      } else {
        known_b.insert(partner);
      }
    }
    std::size_t shared = 0;
    std::size_t against = 0;
    for (const std::uint32_t neighbour : of_a) {
      if (pairs_.candidate_of[neighbour] == kNoPartner) {
        ++unknown_a;
      } else if (known_b.contains(neighbour)) {
        ++shared;
      } else {
        ++against;
      }
    }
    against += known_b.size() - shared + (std::max(unknown_a, unknown_b) - std::min(unknown_a, unknown_b));
    common += shared;
    if (shared + against == 0) return std::nullopt;
    return static_cast<double>(shared) / static_cast<double>(shared + against);
  }

  double line_agreement(const std::vector<double>& a, const std::vector<double>& b) const {
    double sum = 0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) sum += ratio(a[i], b[i]);
    return sum / static_cast<double>(std::max(a.size(), b.size()));
  }

  // The pair's likeness; absent where nothing but numbers speaks for it.
  std::optional<double> score(std::uint32_t a, std::uint32_t b) const {
    const Trait& before = sides_[0].traits[a];
    const Trait& after = sides_[1].traits[b];
    Score score;
    const auto [body_before, body_after] = bodies(before, after);
    // What has no instructions of its own has no body to compare.
    if (body_before != 0 || body_after != 0) {
      score.add(3, std::max(0.0, 1 - 3 * (1 - ratio(body_before, body_after))));
    }
    std::size_t common = 0;
    if (const auto callers = agreement(before.callers, after.callers, common)) score.add(2, *callers);
    if (const auto callees = agreement(before.callees, after.callees, common)) score.add(2, *callees);
    score.add(1, ratio(before.calls, after.calls));
    if (!before.lines.empty() && !after.lines.empty()) score.add(1, line_agreement(before.lines, after.lines));
    const std::string_view file = file_name(function(0, a).file);
    const bool same_file = !file.empty() && file != "???" && file == file_name(function(1, b).file);
    const bool same_address = function(0, a).name == function(1, b).name && function(0, a).name.starts_with("0x");
    const bool has_evidence = common > 0 || same_file || same_address;
    if (!has_evidence) return std::nullopt;
    return score.mean();
  }

  bool take_clear_pairs(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& open,
                        std::vector<RenamedFunction>& found) {
    std::array<std::map<std::uint32_t, Best>, 2> best;
    std::vector<double> scores(open.size(), 0);
    for (std::size_t i = 0; i < open.size(); ++i) {
      const auto [a, b] = open[i];
      const std::optional<double> value = score(a, b);
      if (!value || *value < options_.min_score) continue;
      scores[i] = *value;
      const double rank = *value + kNameBonus * likeness(function(0, a).name, function(1, b).name);
      best[0][a].offer(rank, i);
      best[1][b].offer(rank, i);
    }
    const std::size_t before = found.size();
    for (const auto& [a, own] : best[0]) {
      const std::uint32_t b = open[own.pair].second;
      const Best& others = best[1].at(b);
      if (others.pair != own.pair || !own.is_clear() || !others.is_clear()) continue;
      pairs_.candidate_of[a] = b;
      pairs_.baseline_of[b] = a;
      found.push_back({a, b, scores[own.pair]});
    }
    return found.size() > before;
  }

  std::array<ProfileSide, 2> sides_;
  const MatchOptions& options_;
  FunctionPairs& pairs_;
};

}  // namespace

std::vector<RenamedFunction> find_renamed(const CountedProfile& baseline, const CountedProfile& candidate,
                                          const MatchOptions& options, FunctionPairs& pairs) {
  return Search(baseline, candidate, options, pairs).run();
}

}  // namespace steelyard::bench

#include "ci/attribution/culprit.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/counting/algebra/function_match.hpp"
#include "ci/attribution/own_source.hpp"

namespace steelyard::ci {
namespace {

constexpr std::size_t kMaxCells = 1'000'000;
// Costs of whole instructions over some iterations: less than this is the rounding of the division.
constexpr double kMinChange = 1e-9;

// A line of the candidate with what changed on it.
struct LineChange {
  std::size_t candidate = 0;
  double change = 0;
};

double cost_of_lines(const std::vector<LineCost>& lines) {
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
    displaced_ = kDisplaced * (cost_of_lines(baseline) + cost_of_lines(candidate));
    costs_.resize((baseline.size() + 1) * columns_, 0);
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
  double at(std::size_t i, std::size_t k) const { return costs_[i * columns_ + k]; }
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
    costs_[i * columns_ + k] = least;
  }

  const std::vector<LineCost>& baseline_;
  const std::vector<LineCost>& candidate_;
  std::size_t columns_;
  double displaced_;  // what a line costs that did not move with the first: decides between lines of equal cost
  std::vector<double> costs_;
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
  const bool is_small = (baseline.size() + 1) <= kMaxCells / (candidate.size() + 1);
  const std::vector<LineChange> changes =
      is_small ? Alignment(baseline, candidate).changes() : by_distance(baseline, candidate);
  const double sign = cost_of_lines(candidate) < cost_of_lines(baseline) ? -1 : 1;
  const LineChange* most = nullptr;
  for (const LineChange& change : changes) {
    if (sign * change.change > kMinChange && (!most || sign * change.change > sign * most->change)) most = &change;
  }
  if (!most) return std::nullopt;
  return candidate[most->candidate].line;
}

namespace {

struct PieceKey {
  std::uint32_t function = 0;
  std::string origin;  // empty: the function's own code
  std::string file;
  auto operator<=>(const PieceKey&) const = default;
};

struct PieceLines {
  std::map<std::int32_t, double> baseline;
  std::map<std::int32_t, double> candidate;
  bool own_source = false;
};

std::string file_name(const std::string& file) { return std::filesystem::path(file).filename().string(); }

std::vector<LineCost> in_order(const std::map<std::int32_t, double>& lines) {
  std::vector<LineCost> result;
  for (const auto& [line, cost] : lines) {
    if (line > 0) result.push_back({line, cost});
  }
  return result;
}

double sum_of(const std::map<std::int32_t, double>& lines) {
  double sum = 0;
  for (const auto& [line, cost] : lines) sum += cost;
  return sum;
}

class Collector {
 public:
  explicit Collector(const std::vector<std::filesystem::path>& own_sources) : own_sources_(own_sources) {}

  void add(const CountedProfile& profile, const std::vector<std::uint32_t>& place,
           std::map<std::int32_t, double> PieceLines::*side) {
    const auto at = std::find(profile.events.begin(), profile.events.end(), "Ir");
    if (at == profile.events.end()) return;
    const auto event = static_cast<std::size_t>(at - profile.events.begin());
    const auto iterations = static_cast<double>(std::max<std::int64_t>(profile.iterations, 1));
    for (const SourceCost& source : profile.sources) {
      if (source.function >= place.size() || event >= source.self.size()) continue;
      const ProfiledFunction& function = profile.functions[source.function];
      const PieceKey key{place[source.function], inlined_origin(source, function),
                         path_below(source.file, own_sources_)};
      PieceLines& lines = lines_[key];
      (lines.*side)[source.line] += static_cast<double>(source.self[event]) / iterations;
      ProfiledFunction as_function;
      as_function.object = function.object;
      as_function.file = source.file;
      as_function.name = source.origin;
      lines.own_source = is_own_source(as_function, own_sources_);
    }
  }

  // Lines of one function and origin belong together though the builds lie in trees of which one is unknown here: a
  // file that the baseline alone has is the candidate's whose path ends most alike. What was inlined is the same
  // function in a file of another name, too.
  void pair_files() {
    for (auto begin = lines_.begin(); begin != lines_.end();) {
      auto end = begin;
      std::vector<PieceAt> before;
      std::vector<PieceAt> after;
      for (; end != lines_.end() && is_of_one_function(end->first, begin->first); ++end) {
        if (end->second.candidate.empty()) before.push_back(end);
        if (end->second.baseline.empty()) after.push_back(end);
      }
      pair_by_path(before, after);
      begin = end;
    }
  }

  LineDifference take(const ProfileDifference& difference) const {
    LineDifference result;
    result.changed.resize(difference.functions.size());
    std::vector<Weight> heaviest(difference.functions.size(), Weight(false, -1));
    for (const auto& [key, lines] : lines_) {
      const std::int32_t line = changed_line(in_order(lines.baseline), in_order(lines.candidate)).value_or(0);
      const double change = sum_of(lines.candidate) - sum_of(lines.baseline);
      if (!key.origin.empty()) {
        result.pieces.push_back({key.origin, key.file, lines.own_source, key.function, sum_of(lines.baseline),
                                 sum_of(lines.candidate), line != 0 ? line : first_line(lines)});
      } else if (const Weight weight(lines.own_source && line != 0, std::abs(change));
                 weight > heaviest[key.function]) {
        heaviest[key.function] = weight;
        result.changed[key.function] = {key.file, line};
      }
    }
    return result;
  }

 private:
  // Of a function's own lines those in the project's sources come first: optimized code of its own may stand on lines
  // of a header whose functions it calls.
  using Weight = std::pair<bool, double>;
  using PieceAt = std::map<PieceKey, PieceLines>::iterator;

  static bool is_of_one_function(const PieceKey& a, const PieceKey& b) {
    return a.function == b.function && a.origin == b.origin;
  }

  // Paths with most in common first.
  void pair_by_path(const std::vector<PieceAt>& before, const std::vector<PieceAt>& after) {
    constexpr std::size_t kMaxFiles = 200;  // as of functions of one name
    if (before.size() > kMaxFiles || after.size() > kMaxFiles) return;
    std::vector<std::tuple<std::size_t, std::size_t, std::size_t>> likeness;
    for (std::size_t i = 0; i < before.size(); ++i) {
      for (std::size_t k = 0; k < after.size(); ++k) {
        const std::size_t common = bench::common_components(before[i]->first.file, after[k]->first.file);
        if (common > 0 || !after[k]->first.origin.empty()) likeness.emplace_back(common, i, k);
      }
    }
    std::stable_sort(likeness.begin(), likeness.end(),
                     [](const auto& a, const auto& b) { return std::get<0>(a) > std::get<0>(b); });
    std::vector<bool> is_paired_before(before.size());
    std::vector<bool> is_paired_after(after.size());
    for (const auto& [common, i, k] : likeness) {
      if (is_paired_before[i] || is_paired_after[k]) continue;
      is_paired_before[i] = is_paired_after[k] = true;
      after[k]->second.baseline = std::move(before[i]->second.baseline);
      lines_.erase(before[i]);
    }
  }

  static std::int32_t first_line(const PieceLines& lines) {
    for (const auto* side : {&lines.candidate, &lines.baseline}) {
      for (const auto& [line, cost] : *side) {
        if (line > 0) return line;
      }
    }
    return 0;
  }

  const std::vector<std::filesystem::path>& own_sources_;
  std::map<PieceKey, PieceLines> lines_;
};

}  // namespace

std::string_view without_clone(std::string_view name) {
  for (const std::string_view mark : {" [clone ", ".isra.", ".constprop.", ".part.", ".cold", ".lto_priv."}) {
    const std::size_t at = name.find(mark);
    if (at != std::string_view::npos && at > 0) name = name.substr(0, at);
  }
  return name;
}

std::string inlined_origin(const SourceCost& source, const ProfiledFunction& function) {
  if (source.origin.empty()) {
    const bool is_unknown = source.file.empty() || source.file == "???" || function.file == "???";
    return is_unknown || source.file == function.file ? "" : "code of " + file_name(source.file);
  }
  return without_clone(source.origin) == without_clone(function.name) ? "" : source.origin;
}

LineDifference subtract_lines(const CountedProfile& baseline, const CountedProfile& candidate,
                              const ProfileDifference& difference,
                              const std::vector<std::filesystem::path>& own_sources, bool pairs_trees) {
  const bool has_both = !baseline.sources.empty() && !candidate.sources.empty() && !difference.functions.empty();
  if (!has_both) return {std::vector<SourcePlace>(difference.functions.size()), {}};
  Collector collector(own_sources);
  collector.add(baseline, difference.of_baseline, &PieceLines::baseline);
  collector.add(candidate, difference.of_candidate, &PieceLines::candidate);
  if (pairs_trees) collector.pair_files();
  return collector.take(difference);
}

namespace {

// The larger, the narrower an answer.
using Narrowness = std::tuple<int, bool, int, double>;

struct Suspect {
  Culprit culprit;
  Narrowness narrowness;
};

double inclusive_of(const FunctionDifference& function) {
  return function.is_in_candidate ? function.candidate.inclusive : function.baseline.inclusive;
}

std::optional<Suspect> as_candidate(std::uint32_t i, const ProfileDifference& difference,
                                    const FunctionStanding& standing) {
  const FunctionDifference& function = difference.functions[i];
  const double total = difference.total_change;
  if (!(standing.reached_share >= kCulpritCoverage)) return std::nullopt;
  const bool does_it_itself = standing.is_in_cycle && standing.leaving_change / total >= kCulpritCoverage;
  if (!does_it_itself && !(function.inclusive_change / total >= kCulpritCoverage)) return std::nullopt;
  const double change = does_it_itself ? standing.leaving_change : function.inclusive_change;
  return Suspect{{i, std::nullopt, change}, {standing.depth, does_it_itself, function.depth, -inclusive_of(function)}};
}

// What one origin costs in all functions that it was inlined into.
struct Origin {
  double change = 0;
  double reached_share = 0;
  int depth = 0;
  std::size_t largest = 0;  // index of the piece that changed most
};

std::optional<Suspect> inlined_candidate(const ProfileDifference& difference,
                                         const std::vector<FunctionStanding>& standings, const LineDifference& lines) {
  std::map<std::string, Origin> origins;
  for (std::size_t i = 0; i < lines.pieces.size(); ++i) {
    const InlinedPiece& piece = lines.pieces[i];
    if (!piece.own_source) continue;
    const FunctionStanding& host = standings[piece.function];
    const auto [at, is_new] = origins.try_emplace(piece.origin);
    Origin& origin = at->second;
    if (is_new || std::fabs(piece.change()) > std::fabs(lines.pieces[origin.largest].change())) origin.largest = i;
    origin.change += piece.change();
    origin.reached_share += host.reached_share;
    origin.depth = std::max(origin.depth, host.depth + 1);
  }
  std::optional<Suspect> best;
  for (const auto& [name, origin] : origins) {
    if (!(origin.change / difference.total_change >= kCulpritCoverage) || !(origin.reached_share >= kCulpritCoverage))
      continue;
    const Culprit culprit{lines.pieces[origin.largest].function, origin.largest, origin.change};
    const Suspect candidate{culprit, {origin.depth, false, 0, -std::fabs(origin.change)}};
    if (!best || candidate.narrowness > best->narrowness) best = candidate;
  }
  return best;
}

}  // namespace

std::optional<Culprit> find_culprit(const ProfileDifference& difference, const std::vector<FunctionStanding>& standings,
                                    const LineDifference& lines,
                                    const std::vector<std::filesystem::path>& own_sources) {
  std::optional<Suspect> best = inlined_candidate(difference, standings, lines);
  for (std::uint32_t i = 0; i < difference.functions.size(); ++i) {
    const auto candidate = as_candidate(i, difference, standings[i]);
    if (!candidate || !is_own_source(*difference.functions[i].shown, own_sources)) continue;
    if (!best || candidate->narrowness > best->narrowness) best = candidate;
  }
  if (!best) return std::nullopt;
  return best->culprit;
}

}  // namespace steelyard::ci

#include "ci/attribution/inlined_pieces.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "ci/attribution/own_source.hpp"

namespace steelyard {
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

// Empty: the lines are the function's own.
std::string origin_of(const SourceCost& source, const ProfiledFunction& function) {
  if (source.origin.empty()) {
    const bool is_unknown = source.file.empty() || source.file == "???" || function.file == "???";
    return is_unknown || source.file == function.file ? "" : "code of " + file_name(source.file);
  }
  return without_clone(source.origin) == without_clone(function.name) ? "" : source.origin;
}

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
      const PieceKey key{place[source.function], origin_of(source, function), path_below(source.file, own_sources_)};
      PieceLines& lines = lines_[key];
      (lines.*side)[source.line] += static_cast<double>(source.self[event]) / iterations;
      ProfiledFunction as_function;
      as_function.object = function.object;
      as_function.file = source.file;
      as_function.name = source.origin;
      lines.own_source = is_own_source(as_function, own_sources_);
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

LineDifference subtract_lines(const CountedProfile& baseline, const CountedProfile& candidate,
                              const ProfileDifference& difference,
                              const std::vector<std::filesystem::path>& own_sources) {
  const bool has_both = !baseline.sources.empty() && !candidate.sources.empty() && !difference.functions.empty();
  if (!has_both) return {std::vector<SourcePlace>(difference.functions.size()), {}};
  Collector collector(own_sources);
  collector.add(baseline, difference.of_baseline, &PieceLines::baseline);
  collector.add(candidate, difference.of_candidate, &PieceLines::candidate);
  return collector.take(difference);
}

}  // namespace steelyard

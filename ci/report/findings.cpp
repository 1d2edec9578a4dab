#include "ci/report/findings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/parse_number.hpp"
#include "ci/attribution/culprit.hpp"
#include "ci/attribution/own_source.hpp"
#include "ci/report/comparison_text.hpp"

namespace steelyard::ci {
namespace {

// Taken apart: "BM_sort<int>/n:8/threads:2 [suite=x]" is "BM_sort<int>", {"n:8", "threads:2"}, " [suite=x]".
struct NameParts {
  std::string name;
  std::vector<std::string> parameters;
  std::string suffix;
};

NameParts parts_of(const std::string& benchmark) {
  // Canonical text writes every other " [" out of the way.
  const std::size_t suffix = std::min(benchmark.rfind(" ["), benchmark.size());
  const BenchmarkId id = parse_google_benchmark_name(std::string_view(benchmark).substr(0, suffix));
  NameParts parts{id.name, {}, benchmark.substr(suffix)};
  for (const Parameter& parameter : id.parameters) {
    parts.parameters.push_back((parameter.name.empty() ? "" : parameter.name + ":") + parameter.value);
  }
  if (id.threads) parts.parameters.push_back("threads:" + std::to_string(*id.threads));
  return parts;
}

// What benchmarks of one family have in common: the name without its template's arguments, and the suffix.
std::string family_of(const NameParts& parts) { return parts.name.substr(0, parts.name.find('<')) + parts.suffix; }
std::string family_of(const std::string& benchmark) { return family_of(parts_of(benchmark)); }

std::optional<std::int64_t> number_of(std::string_view text) {
  const auto value = parse_as<std::int64_t>(text);
  return value && std::to_string(*value) == text ? value : std::nullopt;
}

// "0" to "11" as {"n:", 0}, {"n:", 11}: what stands before the number is part of the parameter.
std::pair<std::string, std::string> split_parameter(const std::string& parameter) {
  const std::size_t colon = parameter.find(':');
  if (colon == std::string::npos) return {"", parameter};
  return {parameter.substr(0, colon + 1), parameter.substr(colon + 1)};
}

constexpr std::size_t kMaxValues = 4;  // written out

// The values of one parameter that alone differs, with the slash before it; empty: they have no short form. What would
// follow a range would be read as part of its end.
std::string values_text(const std::vector<std::string>& values, bool is_last) {
  std::set<std::string> names;
  std::vector<std::int64_t> numbers;
  std::string joined;
  for (const std::string& value : values) {
    const auto [name, text] = split_parameter(value);
    names.insert(name);
    joined += (joined.empty() ? "" : ",") + text;
    if (const auto number = number_of(text)) numbers.push_back(*number);
  }
  if (names.size() != 1) return "";
  const std::string lead = "/" + *names.begin();
  if (numbers.size() == values.size()) {
    std::sort(numbers.begin(), numbers.end());
    const bool is_gapless =
        static_cast<std::uint64_t>(numbers.back()) - static_cast<std::uint64_t>(numbers.front()) == numbers.size() - 1;
    if (is_last && is_gapless && numbers.size() > 2) {
      return lead + std::to_string(numbers.front()) + " to " + lead + std::to_string(numbers.back());
    }
    joined.clear();
    for (const std::int64_t number : numbers) joined += (joined.empty() ? "" : ",") + std::to_string(number);
  }
  return values.size() <= kMaxValues ? lead + "{" + joined + "}" : "";
}

// The only place in which the parameters differ; absent: several, or unlike numbers of them.
std::optional<std::size_t> differing_place(const std::vector<NameParts>& family) {
  std::optional<std::size_t> place;
  const NameParts& first = family.front();
  for (const NameParts& parts : family) {
    if (parts.name != first.name || parts.parameters.size() != first.parameters.size()) return std::nullopt;
    for (std::size_t i = 0; i < parts.parameters.size(); ++i) {
      if (parts.parameters[i] == first.parameters[i]) continue;
      if (place && *place != i) return std::nullopt;
      place = i;
    }
  }
  return place;
}

// Of one family, without the suffix. Precondition: two at least, all different.
std::string family_pattern(const std::vector<NameParts>& family) {
  const NameParts& first = family.front();
  if (const std::optional<std::size_t> place = differing_place(family)) {
    std::vector<std::string> values;
    for (const NameParts& parts : family) values.push_back(parts.parameters[*place]);
    const bool is_last = *place + 1 == first.parameters.size();
    std::string text = values_text(values, is_last);
    if (text.empty()) text = "/" + split_parameter(first.parameters[*place]).first + "*";
    std::string pattern = first.name;
    for (std::size_t i = 0; i < first.parameters.size(); ++i) {
      pattern += i == *place ? text : "/" + first.parameters[i];
    }
    return pattern;
  }
  std::string pattern = first.name;
  const bool one_name = std::all_of(family.begin(), family.end(), [&](const auto& p) { return p.name == first.name; });
  if (!one_name) pattern = first.name.substr(0, first.name.find('<')) + "<*>";
  const auto has_parameters = [](const NameParts& parts) { return !parts.parameters.empty(); };
  if (std::none_of(family.begin(), family.end(), has_parameters)) return pattern;
  return pattern + (std::all_of(family.begin(), family.end(), has_parameters) ? "/*" : "[/*]");
}

}  // namespace

std::string benchmark_pattern(const std::vector<std::string>& benchmarks) {
  std::vector<std::pair<std::string, std::vector<NameParts>>> families;  // in the order of their first
  std::set<std::string> seen, suffixes;
  for (const std::string& benchmark : benchmarks) {
    if (!seen.insert(benchmark).second) continue;
    NameParts parts = parts_of(benchmark);
    suffixes.insert(parts.suffix);
    const std::string family = family_of(parts);
    auto at = std::find_if(families.begin(), families.end(), [&](const auto& one) { return one.first == family; });
    if (at == families.end()) at = families.insert(families.end(), {family, {}});
    at->second.push_back(std::move(parts));
  }
  std::string text;
  for (const auto& [name, family] : families) {
    NameParts alone = family.front();
    for (const std::string& parameter : alone.parameters) alone.name += "/" + parameter;
    text += (text.empty() ? "" : ", ") + (family.size() == 1 ? alone.name : family_pattern(family));
    if (suffixes.size() > 1) text += family.front().suffix;
  }
  return name_as_given(suffixes.size() == 1 ? text + *suffixes.begin() : text);
}

namespace {

// What one benchmark did in one direction.
struct Move {
  Verdict kind = Verdict::regression;
  std::string benchmark;
  std::vector<const ComparisonRow*> rows;  // counted ones first
  const ComparisonRow* explained = nullptr;
  double size = 0;  // largest change among the rows
};

// Instructions first, then what else is counted, then time.
int metric_rank(const Metric& metric) {
  if (metric.name == kInstructions) return 0;
  if (metric.kind == MetricKind::counted) return 1;
  return metric.name == kRealTime ? 2 : 3;
}

Move move_of(const RowGroup& group, std::vector<const ComparisonRow*> rows) {
  Move move{group.verdict, group.benchmark, std::move(rows)};
  std::stable_sort(move.rows.begin(), move.rows.end(), [](const ComparisonRow* a, const ComparisonRow* b) {
    return metric_rank(a->metric) < metric_rank(b->metric);
  });
  for (const ComparisonRow* row : move.rows) {
    if (!move.explained && !row->functions.empty()) move.explained = row;
    move.size = std::max(move.size, size_of_change(*row));
  }
  return move;
}

void add_moves(const RowGroup& group, std::vector<Move>& moves) {
  const bool is_other_code = std::any_of(group.rows.begin(), group.rows.end(), [](const ComparisonRow* row) {
    return row->notes.has(RowNote::other_dispatch);
  });
  if (!is_change(group.verdict) || !is_other_code) return moves.push_back(move_of(group, group.rows));
  std::vector<const ComparisonRow*> counted, noisy;
  for (const ComparisonRow* row : group.rows) {
    (row->metric.kind == MetricKind::counted ? counted : noisy).push_back(row);
  }
  if (!counted.empty()) moves.push_back(move_of(group, std::move(counted)));
  if (!noisy.empty()) moves.push_back(move_of(group, std::move(noisy)));
}

// The function's short name without what stands for its template's arguments: all instances are one cause.
std::string cause_name(const std::string& function) {
  std::string name = short_function_name(function);
  if (name.ends_with("<>")) name.resize(name.size() - 2);
  return name;
}

// What each function spends more or less itself.
using Shape = std::map<std::string, double>;

Shape shape_of(const ComparisonRow& row) {
  Shape shape;
  for (const FunctionChange& function : row.functions) {
    shape[cause_name(function.name)] += function.self_change;
  }
  return shape;
}

// The cosine of the angle between two shapes: 1 where they are alike, 0 where nothing is common; 0 of an empty one.
double likeness(const Shape& a, const Shape& b) {
  const auto length = [](const Shape& shape) {
    return std::sqrt(std::accumulate(shape.begin(), shape.end(), 0.0,
                                     [](double sum, const auto& part) { return sum + part.second * part.second; }));
  };
  double product = 0;
  for (const auto& [name, part] : a) {
    const auto at = b.find(name);
    if (at != b.end()) product += part * at->second;
  }
  const double lengths = length(a) * length(b);
  return lengths > 0 ? product / lengths : 0;
}

// Shapes are one from here on: the cosine of an angle of 26 degrees.
constexpr double kAlike = 0.9;
// Without profiles changes of one finding are at most this many times apart, as logarithms.
constexpr double kMaxApart = 10;

// Moves with one cause, while they are gathered.
struct Cluster {
  Verdict kind = Verdict::regression;
  SharedCause shared = SharedCause::name;
  std::string key;
  std::vector<const Move*> moves;  // the first leads: the largest
  Shape shape = {};                // of the first
};

class Clustering {
 public:
  // By size, largest first, so that the leader of a cluster is what a reader looks at.
  std::vector<Cluster> of(std::vector<Move>& moves) {
    std::stable_sort(moves.begin(), moves.end(), [](const Move& a, const Move& b) { return a.size > b.size; });
    std::vector<const Move*> without_culprit;
    for (const Move& move : moves) {
      const FunctionChange* culprit = move.explained ? culprit_of(*move.explained) : nullptr;
      if (culprit) {
        Cluster& cluster = cluster_of(move, SharedCause::culprit, cause_name(culprit->name));
        if (cluster.moves.size() == 1) cluster.shape = shape_of(*move.explained);
      } else {
        without_culprit.push_back(&move);
      }
    }
    for (const Move* move : without_culprit) {
      if (move->explained && is_change(move->kind)) {
        join_by_shape(*move);
      } else if (is_change(move->kind)) {
        join_by_name(*move);
      } else {
        join_by_reason(*move);
      }
    }
    join_unlike_names();
    return std::move(clusters_);
  }

 private:
  // Benchmarks that are there on one side only, in families of so few: more families than this are one finding, or a
  // suite that was renamed would fill the report.
  static constexpr std::size_t kMaxUnlikeFamilies = 4;
  static constexpr std::size_t kFewOfAFamily = 2;

  void join_unlike_names() {
    const auto is_small = [](const Cluster& cluster) {
      return (cluster.kind == Verdict::missing || cluster.kind == Verdict::fresh) &&
             cluster.moves.size() <= kFewOfAFamily;
    };
    const auto key_of = [](const Cluster& cluster) {
      return std::pair(cluster.kind, cluster.moves.front()->rows.front()->reason);
    };
    struct Families {
      std::size_t count = 0;
      std::vector<const Move*> moves;
    };
    std::map<std::pair<Verdict, std::string>, Families> unlike;
    for (const Cluster& cluster : clusters_) {
      if (!is_small(cluster)) continue;
      Families& families = unlike[key_of(cluster)];
      ++families.count;
      families.moves.insert(families.moves.end(), cluster.moves.begin(), cluster.moves.end());
    }
    std::erase_if(unlike, [](const auto& one) { return one.second.count <= kMaxUnlikeFamilies; });
    std::erase_if(clusters_, [&](const Cluster& one) { return is_small(one) && unlike.contains(key_of(one)); });
    for (auto& [key, families] : unlike) {
      clusters_.push_back({key.first, SharedCause::reason, key.second, std::move(families.moves)});
    }
  }

  Cluster& add(const Move& move, SharedCause shared, std::string key) {
    clusters_.push_back({move.kind, shared, std::move(key), {&move}});
    return clusters_.back();
  }

  Cluster& cluster_of(const Move& move, SharedCause shared, const std::string& key) {
    for (Cluster& cluster : clusters_) {
      if (cluster.kind != move.kind || cluster.shared != shared || cluster.key != key) continue;
      cluster.moves.push_back(&move);
      return cluster;
    }
    return add(move, shared, key);
  }

  // What the culprit of a cluster answers for here; its part of the whole change.
  static double part_of(const std::string& culprit, const ComparisonRow& row) {
    double part = 0;
    for (const FunctionChange& function : row.functions) {
      if (cause_name(function.name) == culprit) part = std::max(part, function.share);
    }
    return part;
  }

  void join_by_shape(const Move& move) {
    constexpr double kMinExplained = 0.5;
    const Shape shape = shape_of(*move.explained);
    for (Cluster& cluster : clusters_) {
      if (cluster.kind != move.kind || cluster.shape.empty() || likeness(cluster.shape, shape) < kAlike) continue;
      const bool is_by_culprit = cluster.shared == SharedCause::culprit;
      if (is_by_culprit && part_of(cluster.key, *move.explained) < kMinExplained) continue;
      cluster.moves.push_back(&move);
      return;
    }
    const auto largest = std::max_element(shape.begin(), shape.end(), [](const auto& a, const auto& b) {
      return std::abs(a.second) < std::abs(b.second);
    });
    const std::string name = short_function_name(move.explained->functions.front().name);
    add(move, SharedCause::profile, largest == shape.end() ? name : largest->first).shape = shape;
  }

  void join_by_name(const Move& move) {
    const std::string key = family_of(move.benchmark);
    for (Cluster& cluster : clusters_) {
      const bool is_family = cluster.kind == move.kind && cluster.shared == SharedCause::name && cluster.key == key;
      if (!is_family || cluster.moves.front()->size > kMaxApart * move.size) continue;
      if (metrics_of(*cluster.moves.front()) != metrics_of(move)) continue;
      cluster.moves.push_back(&move);
      return;
    }
    add(move, SharedCause::name, key);
  }

  // Whether a count moved too tells causes apart.
  static bool metrics_of(const Move& move) { return move.rows.front()->metric.kind == MetricKind::counted; }

  void join_by_reason(const Move& move) {
    const std::string& reason = move.rows.front()->reason;
    if (move.kind == Verdict::missing || move.kind == Verdict::fresh) {
      cluster_of(move, SharedCause::name, family_of(move.benchmark) + "\n" + reason);
    } else {
      cluster_of(move, SharedCause::reason, reason);
    }
  }

  std::vector<Cluster> clusters_;
};

bool is_failure(Verdict verdict) {
  constexpr std::array kFailures{Verdict::regression, Verdict::failed, Verdict::missing, Verdict::incomparable};
  return std::find(kFailures.begin(), kFailures.end(), verdict) != kFailures.end();
}

void add_to_ranges(const ComparisonRow& row, std::vector<MetricRange>& ranges) {
  if (!row.ratio || !std::isfinite(*row.ratio)) return;
  auto at = std::find_if(ranges.begin(), ranges.end(),
                         [&](const MetricRange& range) { return range.metric == row.metric.name; });
  if (at == ranges.end()) at = ranges.insert(ranges.end(), {row.metric.name, {*row.ratio, *row.ratio}, 0, &row});
  at->ratios.low = std::min(at->ratios.low, *row.ratio);
  at->ratios.high = std::max(at->ratios.high, *row.ratio);
  ++at->benchmarks;
  if (size_of_change(row) > size_of_change(*at->worst)) at->worst = &row;
}

// Of those that gate where any does.
const ComparisonRow* worst_of(const Finding& finding) {
  const ComparisonRow* worst = nullptr;
  for (const ComparisonRow* row : finding.rows) {
    if (finding.gates && !row->gates) continue;
    if (!worst || size_of_change(*row) > size_of_change(*worst)) worst = row;
  }
  return worst;
}

// The worst benchmark's, where it names the cause.
const ComparisonRow* explained_of(const Cluster& cluster, const std::string& worst) {
  const ComparisonRow* explained = nullptr;
  for (const Move* move : cluster.moves) {
    if (!move->explained) continue;
    if (cluster.shared == SharedCause::culprit && !culprit_of(*move->explained)) continue;
    if (!explained || move->benchmark == worst) explained = move->explained;
  }
  return explained;
}

Finding finding_of(Cluster cluster) {
  Finding finding;
  finding.kind = cluster.kind;
  finding.shared = cluster.shared;
  std::stable_sort(cluster.moves.begin(), cluster.moves.end(),
                   [](const Move* a, const Move* b) { return a->size > b->size; });
  for (const Move* move : cluster.moves) {
    finding.benchmarks.push_back(move->benchmark);
    finding.rows.insert(finding.rows.end(), move->rows.begin(), move->rows.end());
    for (const ComparisonRow* row : move->rows) {
      add_to_ranges(*row, finding.ranges);
      finding.gates = finding.gates || (is_failure(finding.kind) && row->gates);
    }
  }
  std::stable_sort(finding.ranges.begin(), finding.ranges.end(), [](const MetricRange& a, const MetricRange& b) {
    const int rank_a = a.metric == kInstructions ? 0 : a.metric == kRealTime ? 1 : 2;
    const int rank_b = b.metric == kInstructions ? 0 : b.metric == kRealTime ? 1 : 2;
    return std::tie(rank_a, a.metric) < std::tie(rank_b, b.metric);
  });
  finding.worst = worst_of(finding);
  finding.explained = explained_of(cluster, finding.worst->benchmark);
  const bool is_by_name = cluster.shared == SharedCause::name;
  finding.cause = is_by_name ? benchmark_pattern(finding.benchmarks) : cluster.key;
  if (cluster.shared == SharedCause::culprit) finding.culprit = *culprit_of(*finding.explained);
  return finding;
}

double moved_in_all(const Finding& finding) {
  std::map<std::string_view, double> largest;
  for (const ComparisonRow* row : finding.rows) {
    double& size = largest[row->benchmark];
    size = std::max(size, size_of_change(*row));
  }
  return std::accumulate(largest.begin(), largest.end(), 0.0,
                         [](double sum, const auto& one) { return sum + one.second; });
}

}  // namespace

std::string_view to_text(SharedCause shared) {
  switch (shared) {
    case SharedCause::culprit:
      return "culprit";
    case SharedCause::profile:
      return "profile";
    case SharedCause::name:
      return "name";
    case SharedCause::reason:
      return "reason";
  }
  return "name";
}

const std::vector<FunctionChange>& Finding::functions() const {
  static const std::vector<FunctionChange> kNone;
  return explained ? explained->functions : kNone;
}

const FunctionChange* culprit_of(const ComparisonRow& row) {
  if (row.functions.empty()) return nullptr;
  const FunctionChange& first = row.functions.front();
  return first.own_source && first.share >= kCulpritCoverage ? &first : nullptr;
}

std::vector<Finding> findings_of(const Comparison& comparison) {
  std::vector<Move> moves;
  for (const RowGroup& group : worst_first(comparison)) {
    if (group.verdict == Verdict::unchanged || group.verdict == Verdict::inconclusive) continue;
    add_moves(group, moves);
  }
  std::vector<std::pair<double, Finding>> ranked;
  for (Cluster& cluster : Clustering().of(moves)) {
    Finding finding = finding_of(std::move(cluster));
    const double moved = moved_in_all(finding);
    ranked.emplace_back(moved, std::move(finding));
  }
  const auto place = [](Verdict kind) { return std::find(kWorstFirst.begin(), kWorstFirst.end(), kind); };
  std::stable_sort(ranked.begin(), ranked.end(), [&](const auto& a, const auto& b) {
    if (a.second.kind != b.second.kind) return place(a.second.kind) < place(b.second.kind);
    if (a.second.gates != b.second.gates) return a.second.gates;
    return a.first != b.first ? a.first > b.first : a.second.cause < b.second.cause;
  });
  std::vector<Finding> findings;
  findings.reserve(ranked.size());
  for (auto& [moved, finding] : ranked) findings.push_back(std::move(finding));
  return findings;
}

}  // namespace steelyard::ci

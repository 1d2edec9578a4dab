#include "ci/judging/rename_proposals.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "ci/config/written_value.hpp"

namespace steelyard::ci {
namespace {

constexpr std::size_t kMaxNamesOfASide = 200;
constexpr double kMinLikenessOfNames = 0.6;

// What a run knows of one benchmark.
struct KnownBenchmark {
  std::optional<double> count;
  std::optional<double> time;
  std::set<std::string> functions;
};

std::optional<double> middle_value(const Measurement& measurement) {
  std::vector<double> values;
  for (const InvocationSamples& invocation : measurement.invocations) {
    values.insert(values.end(), invocation.values.begin(), invocation.values.end());
  }
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle > 0 && std::isfinite(*middle) ? std::optional(*middle) : std::nullopt;
}

std::map<std::string, KnownBenchmark> benchmarks_of(const Run& run) {
  std::map<std::string, KnownBenchmark> known;
  for (const Measurement& measurement : run.measurements) {
    KnownBenchmark& one = known[measurement.benchmark.canonical()];
    if (measurement.metric.name == kInstructions) one.count = middle_value(measurement);
    if (measurement.metric.name == kRealTime) one.time = middle_value(measurement);
  }
  for (const CountedProfile& profile : run.profiles) {
    const auto found = known.find(profile.benchmark.canonical());
    if (found == known.end()) continue;
    for (const ProfiledFunction& function : profile.functions) found->second.functions.insert(function.name);
  }
  return known;
}

// edit_distance() of names however long: of what they do not begin and end with alike. Where that is longer than it
// compares, all of it.
double distance_of_names(std::string_view a, std::string_view b) {
  constexpr std::size_t kMaxCompared = 64;
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t start = 0;
  while (start < shorter && a[start] == b[start]) ++start;
  a.remove_prefix(start);
  b.remove_prefix(start);
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.remove_suffix(1);
    b.remove_suffix(1);
  }
  const std::size_t longer = std::max(a.size(), b.size());
  return longer > kMaxCompared ? static_cast<double>(longer) : edit_distance(a, b);
}

// The share of the longer one that need not be edited; what only adds parameters is alike.
double likeness_of_names(const std::string& a, const std::string& b) {
  const bool is_axis = b.starts_with(a + '/') || a.starts_with(b + '/');
  if (is_axis) return 0.9;
  const auto longer = static_cast<double>(std::max(a.size(), b.size()));
  return longer > 0 ? std::max(0.0, 1 - distance_of_names(a, b) / longer) : 0;
}

std::optional<double> likeness_of_functions(const std::set<std::string>& a, const std::set<std::string>& b) {
  if (a.empty() || b.empty()) return std::nullopt;
  std::size_t both = 0;
  for (const std::string& name : a) both += b.count(name);
  return static_cast<double>(both) / static_cast<double>(a.size() + b.size() - both);
}

std::optional<double> ratio_of(const std::optional<double>& before, const std::optional<double>& after) {
  return before && after ? std::optional(*after / *before) : std::nullopt;
}

// 1 for equal levels, 0 from a factor of two on.
double likeness_of_levels(double ratio) { return std::max(0.0, 1 - std::fabs(std::log2(ratio))); }

// Counts and code tell most: they do not hang on the machine.
double likeness_of(const RenameProposal& proposal) {
  double weights = 2;
  double sum = 2 * proposal.names;
  const auto add = [&](double weight, double value) {
    weights += weight;
    sum += weight * value;
  };
  if (proposal.functions) add(3, *proposal.functions);
  if (proposal.counts_ratio) add(3, likeness_of_levels(*proposal.counts_ratio));
  if (proposal.time_ratio) add(1, likeness_of_levels(*proposal.time_ratio));
  return sum / weights;
}

using KnownBenchmarks = std::map<std::string, KnownBenchmark>;

// Those of either that the other lacks.
std::pair<KnownBenchmarks, KnownBenchmarks> gone_and_new(const Run& baseline, const Run& candidate) {
  KnownBenchmarks before = benchmarks_of(baseline);
  KnownBenchmarks after = benchmarks_of(candidate);
  for (auto one = before.begin(); one != before.end();) {
    one = after.erase(one->first) > 0 ? before.erase(one) : std::next(one);
  }
  // What failed is neither gone nor new.
  for (const Failure& failure : candidate.failures) before.erase(failure.benchmark.canonical());
  for (const Failure& failure : baseline.failures) after.erase(failure.benchmark.canonical());
  return {std::move(before), std::move(after)};
}

}  // namespace

bool lacks_counts_of_renames(const Run& baseline, const Run& candidate) {
  const auto [before, after] = gone_and_new(baseline, candidate);
  if (before.size() > kMaxNamesOfASide || after.size() > kMaxNamesOfASide) return false;  // then none is proposed
  const auto is_counted = [](const auto& known) { return known.second.count.has_value(); };
  return !before.empty() && !after.empty() &&
         (std::none_of(before.begin(), before.end(), is_counted) ||
          std::none_of(after.begin(), after.end(), is_counted));
}

std::vector<RenameProposal> propose_renames(const Run& baseline, const Run& candidate) {
  const auto [before, after] = gone_and_new(baseline, candidate);
  if (before.size() > kMaxNamesOfASide || after.size() > kMaxNamesOfASide) return {};
  std::vector<RenameProposal> all;
  for (const auto& [from, old_one] : before) {
    for (const auto& [to, new_one] : after) {
      RenameProposal proposal{from, to, likeness_of_names(from, to)};
      proposal.functions = likeness_of_functions(old_one.functions, new_one.functions);
      proposal.counts_ratio = ratio_of(old_one.count, new_one.count);
      proposal.time_ratio = ratio_of(old_one.time, new_one.time);
      if (likeness_of(proposal) >= kMinLikenessOfNames) all.push_back(std::move(proposal));
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const RenameProposal& a, const RenameProposal& b) { return likeness_of(a) > likeness_of(b); });
  std::vector<RenameProposal> chosen;
  std::set<std::string> taken;
  for (RenameProposal& proposal : all) {
    if (taken.contains("-" + proposal.from) || taken.contains("+" + proposal.to)) continue;
    taken.insert({"-" + proposal.from, "+" + proposal.to});
    chosen.push_back(std::move(proposal));
  }
  return chosen;
}

}  // namespace steelyard::ci

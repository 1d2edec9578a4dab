#include "regress/ab/match.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "regress/ab/gates.hpp"
#include "regress/policy/pattern_policy.hpp"

namespace steelyard::regress {
namespace {

struct MatchKey {
  std::string benchmark;
  int metric_rank = 0;
  std::string metric;
  auto operator<=>(const MatchKey&) const = default;
};

int metric_rank(const std::string& name) {
  if (name == kRealTime) return 0;
  if (name == kCpuTime) return 1;
  if (name == kInstructions) return 2;
  return well_known_metric(name) ? 3 : 4;
}

// Set where each side used one device and the two are of different names: what the one measured on its device is then
// held beside what the other measured on its own, where the environments say that this is no comparison.
struct DeviceNames {
  std::string baseline;
  std::string candidate;
};

std::set<std::string> devices_of(const Run& run) {
  std::set<std::string> devices;
  for (const Measurement& measurement : run.measurements) devices.insert(measurement.benchmark.device);
  devices.erase("");
  return devices;
}

DeviceNames different_devices(const Run& baseline, const Run& candidate) {
  const std::set<std::string> b = devices_of(baseline);
  const std::set<std::string> c = devices_of(candidate);
  if (b.size() != 1 || c.size() != 1 || b == c) return {};
  return {*b.begin(), *c.begin()};
}

class Matcher {
 public:
  Matcher(const ComparisonPolicy& policy, DeviceNames devices, Rules rules)
      : policy_(policy), devices_(std::move(devices)), rules_(rules) {}

  void add_measurements(const Run& run, MatchedSide Matched::*side) {
    for (const Measurement& measurement : run.measurements) {
      const std::string benchmark = name_of(measurement.benchmark);
      benchmarks_of(side).insert(benchmark);
      if (!is_judged(policy_, benchmark, measurement.metric.name, measurement.metric.kind)) continue;
      (entry(benchmark, measurement.metric.name).*side).measurements.push_back(&measurement);
    }
  }

  // After the measurements of both sides, because a failure of a whole benchmark touches each of its metrics.
  void add_failures(const Run& run, MatchedSide Matched::*side) {
    for (const Failure& failure : run.failures) {
      if (!failure.benchmark.name.empty()) benchmarks_of(side).insert(name_of(failure.benchmark));
      if (failure.benchmark.name.empty()) {
        add_program_failure(failure, side);
      } else if (!failure.metric.empty()) {
        const auto known = well_known_metric(failure.metric);
        const std::string benchmark = name_of(failure.benchmark);
        if (is_judged(policy_, benchmark, failure.metric, known ? known->kind : MetricKind::counted)) {
          (entry(benchmark, failure.metric).*side).failures.push_back(&failure);
        }
      } else {
        add_benchmark_failure(failure, side);
      }
    }
  }

  std::vector<Matched> take(std::vector<std::string>& undirected) {
    for (const auto& [metric, benchmarks] : drop_undeclared()) {
      if (names_metric(policy_, metric)) {
        entry(kAllBenchmarks, metric).unjudged = why::WithoutDirection{benchmarks};
      } else if (!is_extra_counter(metric)) {
        undirected.push_back(metric);
      }
    }
    add_what_nobody_measured();
    std::vector<Matched> result;
    for (auto& [key, matched] : entries_) {
      for (MatchedSide Matched::*side : {&Matched::baseline, &Matched::candidate}) {
        MatchedSide& own = matched.*side;
        own.has_benchmark = !own.failures.empty() || benchmarks_of(side).contains(key.benchmark);
      }
      result.push_back(std::move(matched));
    }
    return result;
  }

 private:
  std::set<std::string>& benchmarks_of(MatchedSide Matched::*side) {
    return side == &Matched::baseline ? benchmarks_of_baseline_ : benchmarks_of_candidate_;
  }

  Matched& entry(const std::string& benchmark, const std::string& metric) {
    const auto [at, is_new] = entries_.try_emplace(MatchKey{benchmark, metric_rank(metric), metric});
    if (is_new) {
      at->second.benchmark = benchmark;
      at->second.metric = metric;
    }
    return at->second;
  }

  std::string first_metric() const {
    return policy_.metrics.empty() ? std::string(kRealTime) : policy_.metrics.front();
  }

  void add_benchmark_failure(const Failure& failure, MatchedSide Matched::*side) {
    const std::string benchmark = name_of(failure.benchmark);
    bool found = false;
    for (auto at = entries_.lower_bound(MatchKey{benchmark, 0, ""});
         at != entries_.end() && at->first.benchmark == benchmark; ++at) {
      (at->second.*side).failures.push_back(&failure);
      found = true;
    }
    if (!found) (entry(benchmark, first_metric()).*side).failures.push_back(&failure);
  }

  // It explains whatever this side lacks of the program's suite, of every one where it names none or by older rules;
  // where nothing is lacking it is a row of its own.
  void add_program_failure(const Failure& failure, MatchedSide Matched::*side) {
    bool found = false;
    for (auto& [key, matched] : entries_) {
      if (!(matched.*side).measurements.empty()) continue;
      if (!failure.metric.empty() && failure.metric != key.metric) continue;
      if (rules_ >= Rules::rounds_7 && !concerns_row(failure, key.benchmark)) continue;
      (matched.*side).failures.push_back(&failure);
      found = true;
    }
    if (!found) {
      const std::string metric = failure.metric.empty() ? first_metric() : failure.metric;
      (entry(kWholeProgram, metric).*side).failures.push_back(&failure);
    }
  }

  static bool is_undeclared(const Matched& matched) {
    const auto undeclared = [](const Measurement* m) { return m->metric.better == Better::undeclared; };
    const auto& b = matched.baseline.measurements;
    const auto& c = matched.candidate.measurements;
    if (b.empty() && c.empty()) return false;
    return std::all_of(b.begin(), b.end(), undeclared) && std::all_of(c.begin(), c.end(), undeclared);
  }

  // Benchmarks by metric. With a policy that names metrics only named ones got here (is_asked_for).
  std::map<std::string, std::size_t> drop_undeclared() {
    std::map<std::string, std::size_t> dropped;
    for (auto at = entries_.begin(); at != entries_.end();) {
      const bool drop = is_undeclared(at->second);
      if (drop) ++dropped[at->first.metric];
      at = drop ? entries_.erase(at) : std::next(at);
    }
    return dropped;
  }

  void add_what_nobody_measured() {
    std::set<std::string> present;
    std::set<std::string> benchmarks;
    for (const auto& [key, matched] : entries_) {
      present.insert(key.metric);
      benchmarks.insert(key.benchmark);
    }
    for (const auto* named : {&policy_.metrics, &policy_.gates}) {
      for (const std::string& metric : *named) {
        if (present.contains(metric)) continue;
        entry(kAllBenchmarks, metric).unjudged = why::MeasuredByNobody{};
      }
    }
    for (const std::string& benchmark : benchmarks) {
      const PatternPolicy* table = table_for(policy_, benchmark, &PatternPolicy::gates);
      if (table) add_what_nobody_measured(*table);
    }
  }

  // Of a table that gates some of the benchmarks.
  void add_what_nobody_measured(const PatternPolicy& table) {
    for (const std::string& metric : *table.gates) {
      const bool is_measured = std::any_of(entries_.begin(), entries_.end(), [&](const auto& one) {
        return one.first.metric == metric && (one.first.benchmark == kAllBenchmarks ||
                                              table_for(policy_, one.first.benchmark, &PatternPolicy::gates) == &table);
      });
      if (is_measured) continue;
      entry(kAllBenchmarks, metric).unjudged = why::MeasuredByNobody{to_text(table)};
    }
  }

  std::string name_of(BenchmarkId id) const {
    if (!devices_.candidate.empty() && id.device == devices_.baseline) id.device = devices_.candidate;
    return id.canonical();
  }

  const ComparisonPolicy& policy_;
  DeviceNames devices_;
  Rules rules_;
  std::set<std::string> benchmarks_of_baseline_;  // by name_of()
  std::set<std::string> benchmarks_of_candidate_;
  std::map<MatchKey, Matched> entries_;
};

}  // namespace

bool concerns_row(const Failure& whole_program, std::string_view benchmark) {
  const std::string& suite = whole_program.benchmark.suite;
  return suite.empty() || benchmark == kWholeProgram || is_of_suite(benchmark, suite);
}

std::vector<Matched> match_runs(const Run& baseline, const Run& candidate, const ComparisonPolicy& policy,
                                std::vector<std::string>& undirected, Rules rules) {
  Matcher matcher(policy, different_devices(baseline, candidate), rules);
  matcher.add_measurements(baseline, &Matched::baseline);
  matcher.add_measurements(candidate, &Matched::candidate);
  matcher.add_failures(baseline, &Matched::baseline);
  matcher.add_failures(candidate, &Matched::candidate);
  return matcher.take(undirected);
}

}  // namespace steelyard::regress

#include "ci/measuring/count_part.hpp"

#include <map>
#include <utility>

#include "ci/measuring/join_runs.hpp"

namespace steelyard {
namespace {

bool is_count_of(const Measurement& measurement, const BenchmarkId& benchmark) {
  return measurement.metric.kind == MetricKind::counted && !measurement.count_key.empty() &&
         measurement.benchmark == benchmark;
}

// One that came of counting: not of the hardware's counters, which are noisy.
bool is_count_failure_of(const Failure& failure, const BenchmarkId& benchmark) {
  const auto metric = well_known_metric(failure.metric);
  const bool is_counter = is_extra_counter(failure.metric) && metric->kind == MetricKind::counted;
  return (failure.metric == kInstructions || is_counter) && failure.benchmark == benchmark;
}

}  // namespace

Run counts_of(const Run& run, const BenchmarkId& benchmark) {
  Run part;
  std::map<std::uint32_t, std::uint32_t> moved;  // index of the invocation there and here
  for (const Measurement& measurement : run.measurements) {
    if (!is_count_of(measurement, benchmark)) continue;
    Measurement copy = measurement;
    for (InvocationSamples& samples : copy.invocations) {
      const auto here = static_cast<std::uint32_t>(part.invocations.size());
      const auto [at, is_new] = moved.emplace(samples.invocation, here);
      if (is_new) part.invocations.push_back(run.invocations.at(samples.invocation));
      samples.invocation = at->second;
    }
    part.measurements.push_back(std::move(copy));
  }
  if (part.measurements.empty()) return part;
  for (const CountedProfile& profile : run.profiles) {
    if (profile.benchmark == benchmark) part.profiles.push_back(profile);
  }
  for (const Failure& failure : run.failures) {
    if (is_count_failure_of(failure, benchmark)) part.failures.push_back(failure);
  }
  return part;
}

bool has_counts(const Run& part) { return !part.measurements.empty(); }

void set_proof(Run& part, CountOrigin origin, const std::string& proof) {
  for (Measurement& measurement : part.measurements) {
    measurement.count_basis.proof = proof;
    measurement.count_basis.origin = origin;
  }
}

void move_paths(Run& part, const std::string& from, const std::string& to) {
  if (from.size() < 2 || from == to) return;
  const auto move = [&](std::string& path) {
    if (path.size() > from.size() && path.starts_with(from) && path[from.size()] == '/') {
      path.replace(0, from.size(), to);
    }
  };
  for (CountedProfile& profile : part.profiles) {
    for (ProfiledFunction& function : profile.functions) {
      move(function.object);
      move(function.file);
    }
    for (SourceCost& source : profile.sources) move(source.file);
  }
}

void add_counts(Run part, Run& run) { join_run(run, std::move(part)); }

void drop_counts(Run& run, const BenchmarkId& benchmark) {
  // The invocations stay: others are known by their place among them.
  std::erase_if(run.measurements, [&](const Measurement& m) { return is_count_of(m, benchmark); });
  std::erase_if(run.profiles, [&](const CountedProfile& profile) { return profile.benchmark == benchmark; });
  std::erase_if(run.failures, [&](const Failure& failure) { return is_count_failure_of(failure, benchmark); });
}

}  // namespace steelyard

#include "ci/measuring/run_parts.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "bench/counting/count.hpp"
#include "bench/environment/gpu_facts.hpp"
#include "bench/model/left_processes.hpp"
#include "bench/runner/fresh_copy.hpp"

namespace steelyard::ci {
namespace {

template <class Items>
void append_items(Items& to, Items& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

// What is said of a comparison must hold of all its programs.
void keep_worse_pages(const std::map<std::string, std::string>& from, std::map<std::string, std::string>& to) {
  constexpr std::array kWorseLast{bench::PagesOf::copied, bench::PagesOf::reread, bench::PagesOf::kept};
  const auto rank = [&](const std::map<std::string, std::string>& settings) {
    const auto at = settings.find(std::string(bench::kPagesSetting));
    if (at == settings.end()) return std::size_t{0};
    return static_cast<std::size_t>(
        std::find_if(kWorseLast.begin(), kWorseLast.end(),
                     [&](bench::PagesOf pages) { return bench::to_text(pages) == at->second; }) -
        kWorseLast.begin());
  };
  if (rank(from) <= rank(to)) return;
  for (const std::string& name : {std::string(bench::kPagesSetting), std::string("fresh_copies")}) {
    if (const auto at = from.find(name); at != from.end()) to[name] = at->second;
  }
}

}  // namespace

void join_run(Run& whole, Run part) {
  // No setting says of which profiles it is: a part that an earlier reader told makes the whole one that may be
  // shifted.
  const bool has_shifted = bench::has_shifted_lines(whole) || bench::has_shifted_lines(part);
  const auto offset = static_cast<std::uint32_t>(whole.invocations.size());
  for (Measurement& measurement : part.measurements) {
    for (InvocationSamples& samples : measurement.invocations) samples.invocation += offset;
    for (InvocationSamples& samples : measurement.excluded) samples.invocation += offset;
  }
  append_items(whole.invocations, part.invocations);
  append_items(whole.measurements, part.measurements);
  append_items(whole.profiles, part.profiles);
  append_items(whole.failures, part.failures);
  whole.labels.merge(part.labels);
  if (whole.header.session.empty() && !part.header.session.empty()) {
    whole.header.session = part.header.session;
    whole.header.layout = part.header.layout;
    whole.environment = std::move(part.environment);
    whole.header.settings.swap(part.header.settings);
  } else if (whole.header.layout != part.header.layout && is_concurrent(whole.header.layout) &&
             is_concurrent(part.header.layout)) {
    whole.header.layout = Layout::interleaved;
  }
  // The facts of a device that some of the programs use, wherever these stand among the programs.
  if (whole.environment.find(bench::kGpuUuid) == nullptr && part.environment.find(bench::kGpuUuid) != nullptr) {
    bench::take_device_facts(part.environment, whole.environment);
  }
  keep_worse_pages(part.header.settings, whole.header.settings);
  keep_left_processes(left_processes_of(part.header.settings), whole.header.settings);
  for (auto& [name, value] : part.header.settings) whole.header.settings.emplace(name, std::move(value));
  if (has_shifted) whole.header.settings.erase(std::string(bench::kCountReaderSetting));
}

void fail_benchmarks(const std::vector<bench::ListedBenchmark>& benchmarks, const Unmeasured& what, Run& run) {
  for (const bench::ListedBenchmark& benchmark : benchmarks) {
    run.failures.push_back({benchmark.id, what.metric, -1, what.reason, what.kind});
  }
}

void fail_program(const bench::ListedProgram& program, const Unmeasured& what, Run& run) {
  fail_benchmarks(program.benchmarks(), what, run);
  if (!program.benchmarks().empty()) return;
  run.failures.push_back({bench::whole_of(program.program), what.metric, -1, what.reason, what.kind});
}

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
  const auto reader = run.header.settings.find(std::string(bench::kCountReaderSetting));
  if (reader != run.header.settings.end()) part.header.settings.insert(*reader);
  for (const Failure& failure : run.failures) {
    if (is_count_failure_of(failure, benchmark)) part.failures.push_back(failure);
  }
  return part;
}

bool has_counts(const Run& part) { return !part.measurements.empty(); }

bool has_failed_count(const Run& run, const BenchmarkId& benchmark) {
  return std::any_of(run.failures.begin(), run.failures.end(), [&](const Failure& failure) {
    return failure.metric == kInstructions && failure.benchmark == benchmark;
  });
}

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

void drop_failed_counts_of_skipped(Run& run) {
  std::set<std::string> skipped;
  for (const Failure& failure : run.failures) {
    if (is_skip(failure.kind)) skipped.insert(failure.benchmark.canonical());
  }
  if (skipped.empty()) return;
  std::erase_if(run.failures, [&](const Failure& failure) {
    return !is_skip(failure.kind) && is_count_failure_of(failure, failure.benchmark) &&
           skipped.contains(failure.benchmark.canonical());
  });
}

std::string listed_name(BenchmarkId id) {
  id.device.clear();
  return id.canonical();
}

void sort_as_listed(const std::vector<const bench::ListedProgram*>& programs, Run& run) {
  std::map<std::string, std::size_t> places;
  const auto place_of = [&](const BenchmarkId& id) {
    return places.try_emplace(listed_name(id), places.size()).first->second;
  };
  for (const bench::ListedProgram* program : programs) {
    for (const bench::ListedBenchmark& benchmark : program->benchmarks()) place_of(benchmark.id);
  }
  for (const Measurement& measurement : run.measurements) place_of(measurement.benchmark);
  for (const Failure& failure : run.failures) place_of(failure.benchmark);
  const auto by_place = [&](const auto& a, const auto& b) { return place_of(a.benchmark) < place_of(b.benchmark); };
  std::stable_sort(run.measurements.begin(), run.measurements.end(), by_place);
  std::stable_sort(run.failures.begin(), run.failures.end(), by_place);
}

void drop_counts(Run& run, const BenchmarkId& benchmark) {
  // The invocations stay: others are known by their place among them.
  std::erase_if(run.measurements, [&](const Measurement& m) { return is_count_of(m, benchmark); });
  std::erase_if(run.profiles, [&](const CountedProfile& profile) { return profile.benchmark == benchmark; });
  std::erase_if(run.failures, [&](const Failure& failure) { return is_count_failure_of(failure, benchmark); });
}

}  // namespace steelyard::ci

#include "bench/harness/to_run.hpp"

#include <map>
#include <utility>

namespace steelyard {
namespace {

constexpr double kNanosecondsPerSecond = 1e9;
constexpr const char* kMachine = "machine.fingerprint";

std::string on_one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!is_blank) line += c;
    if (is_blank && !line.empty() && line.back() != ' ') line += ' ';
  }
  if (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

BenchmarkId id_of(const TaskSpec& task) {
  BenchmarkId id;
  id.name = on_one_line(task.label.empty() ? task.statement : task.label);
  if (!task.sub_label.empty()) id.parameters.push_back({"sub_label", on_one_line(task.sub_label)});
  if (!task.description.empty()) id.parameters.push_back({"description", on_one_line(task.description)});
  if (task.threads != 1) id.threads = task.threads;
  return id;
}

InvocationSamples samples_of(const TaskMeasurement& measurement, std::uint32_t invocation) {
  InvocationSamples samples;
  samples.invocation = invocation;
  for (const double seconds : measurement.times_in_order()) samples.values.push_back(seconds * kNanosecondsPerSecond);
  samples.iterations = measurement.runs_of_times;
  if (samples.iterations.empty()) samples.iterations.assign(samples.values.size(), measurement.runs_per_time);
  return samples;
}

void append(InvocationSamples& all, const InvocationSamples& more) {
  all.values.insert(all.values.end(), more.values.begin(), more.values.end());
  all.iterations.insert(all.iterations.end(), more.iterations.begin(), more.iterations.end());
}

Result<Environment> environment_of(const std::vector<TaskMeasurement>& measurements, Environment environment) {
  const auto refused = [](const std::string& one, const std::string& other) {
    const auto named = [](const std::string& print) {
      return print.empty() ? "an unknown machine" : "machine " + print;
    };
    return input_error("to_run", "times of " + named(one) + " and of " + named(other), "times of one machine",
                       "make a run for each");
  };
  const std::string first = measurements.empty() ? "" : measurements.front().fingerprint;
  for (const TaskMeasurement& measurement : measurements) {
    if (measurement.fingerprint != first) return refused(first, measurement.fingerprint);
  }
  if (environment.facts.empty() && !first.empty()) {
    environment.set(kMachine, first, true);
  } else if (!first.empty() && environment.fingerprint() != first) {
    return refused(environment.fingerprint(), first);
  }
  return environment;
}

// The run's measurements by task, as they are joined.
class Collector {
 public:
  Collector(Run& run, bool repeats_are_processes) : run_(run), repeats_are_processes_(repeats_are_processes) {}

  Result<void> add(const TaskMeasurement& measurement) {
    const auto where = [&] { return "to_run: \"" + measurement.task.title() + '"'; };
    if (std::string flaw = measurement.flaw(); !flaw.empty()) return input_error(where(), std::move(flaw), "none");
    if (measurement.raw_times.empty()) return input_error(where(), "no time", "at least one");
    const BenchmarkId id = id_of(measurement.task);
    const auto [place, is_new] = tasks_.try_emplace(id, measurement.task, run_.measurements.size());
    const auto& [task, index] = place->second;
    if (task != measurement.task) return same_name(id, task, measurement.task);
    if (is_new) run_.measurements.push_back({id, *well_known_metric(kRealTime), "", {}});
    auto& invocations = run_.measurements[index].invocations;
    const auto round = repeats_are_processes_ ? static_cast<std::uint32_t>(invocations.size()) : 0U;
    while (run_.invocations.size() <= round) {
      Invocation invocation;
      invocation.round = static_cast<std::int32_t>(run_.invocations.size());
      run_.invocations.push_back(invocation);
    }
    InvocationSamples samples = samples_of(measurement, round);
    if (repeats_are_processes_ || is_new) {
      invocations.push_back(std::move(samples));
    } else {
      append(invocations.front(), samples);
    }
    return {};
  }

 private:
  static Error same_name(const BenchmarkId& id, const TaskSpec& first, const TaskSpec& second) {
    const auto told = [](const TaskSpec& task) {
      return '"' + on_one_line(task.statement) + '"' +
             (task.environment.empty() ? "" : " of environment \"" + task.environment + '"');
    };
    return input_error("to_run: " + id.canonical(), told(first) + " and " + told(second) + " by that name", "one task",
                       "tell them apart by sub_label or description, or make a run for each");
  }

  Run& run_;
  bool repeats_are_processes_;
  std::map<BenchmarkId, std::pair<TaskSpec, std::size_t>> tasks_;
};

}  // namespace

Result<Run> to_run(const std::vector<TaskMeasurement>& measurements, const ToRunOptions& options) {
  Run run;
  run.header.created_at_unix_ns = options.created_at_unix_ns;
  run.header.tool = "steelyard harness";
  run.header.project = options.project;
  run.header.program = options.program;
  STEELYARD_TRY(run.environment, environment_of(measurements, options.environment));
  Collector collector(run, options.repeats_are_processes);
  for (const TaskMeasurement& measurement : measurements) STEELYARD_CHECK(collector.add(measurement));
  return run;
}

}  // namespace steelyard

// Reads JMH's JSON (-rf json, 1.0 and newer), in which each fork is a process, and BenchmarkDotNet's (--exporters json:
// the full report), in which each launch is one. Of JMH's mode "sample" there is a histogram of single calls for each
// iteration. Its sample is their mean, as JMH's score is the mean of all calls.
#include <algorithm>
#include <cmath>
#include <map>

#include "bench/formats/import_formats.hpp"
#include "bench/formats/imported_run.hpp"

namespace steelyard::bench {
namespace {

BenchmarkId jmh_benchmark_of(const JsonValue& record) {
  std::vector<Parameter> parameters;
  for (const auto& [name, value] : record.members_of("params")) parameters.push_back({name, value.word()});
  BenchmarkId id = benchmark_named(record.text_of("benchmark"), parameters);
  const double threads = record.number_of("threads").value_or(1);
  if (threads > 1 && threads < 1e6) id.threads = static_cast<int>(threads);
  return id;
}

// "thrpt" is a rate; "avgt", "sample" and "ss" are times for an operation. A benchmark measured in two modes has two
// metrics; in two of the latter, one name would stand for both.
Metric jmh_metric(const std::string& mode, const UnitScale& scale) {
  if (scale.unit == "ns" && mode == "avgt") return time_metric();
  if (scale.unit == "ns") return {mode + "_time", "ns", Better::lower, MetricKind::noisy};
  if (scale.unit == "1/s") return {"throughput", "1/s", Better::higher, MetricKind::noisy};
  return metric_named("score", scale);
}

struct JmhMetric {
  const JsonValue& of;  // primaryMetric, or one of secondaryMetrics
  std::string where;
  Metric metric;
  double factor = 1;
  bool is_secondary = false;  // what a profiler found, of which there may be nothing
};

// What one process yielded, in the metric's unit.
struct ForkSamples {
  std::vector<double> values;
  std::vector<std::int64_t> iterations;
  std::string flaw;
};

ForkSamples scores_of(const JsonValue& fork, double factor) {
  ForkSamples samples;
  samples.values = numbers_at(fork, "", factor, samples.flaw);
  if (!samples.flaw.empty()) samples.flaw = "found " + samples.flaw + ", wanted a list of numbers";
  return samples;
}

// Of one iteration: how many calls took so long, [[0.512, 10], [0.513, 4]]. A call may take less than the clock shows.
ForkSamples calls_of(const JsonValue& fork, double factor) {
  ForkSamples samples;
  bool is_whole = fork.is(JsonValue::Kind::list) && fork.numbers.empty();
  for (const JsonValue& iteration : fork.items) {
    double time = 0, calls = 0;
    is_whole = is_whole && iteration.is(JsonValue::Kind::list) && iteration.numbers.empty();
    for (const JsonValue& pair : iteration.items) {
      const std::vector<double>& both = pair.numbers;
      is_whole = is_whole && both.size() == 2 && both[0] >= 0 && both[1] >= 1 && both[1] == std::trunc(both[1]);
      if (!is_whole) break;
      time += both[0] * both[1];
      calls += both[1];
    }
    is_whole = is_whole && calls < 0x1p62;
    if (!is_whole) break;
    if (calls == 0) continue;  // JMH writes [] where an iteration yielded none
    samples.values.push_back(time / calls * factor);
    samples.iterations.push_back(static_cast<std::int64_t>(calls));
  }
  if (!is_whole) samples.flaw = "found no histogram, wanted a list of [time, calls] for each iteration";
  return samples;
}

void add_jmh_metric(const JmhMetric& one, const BenchmarkId& id, std::vector<std::uint32_t>& forks,
                    ImportedRun& imported) {
  const bool is_histogram = one.of.find("rawDataHistogram") != nullptr;
  const std::string member = is_histogram ? "rawDataHistogram" : "rawData";
  const JsonValue* const raw = one.of.find(member);
  bool has_samples = false;
  if (raw != nullptr && !raw->numbers.empty()) {
    imported.bad(one.where + '.' + member + "[0]", "found a number, wanted a list", id, one.metric.name);
    has_samples = true;
  }
  for (std::size_t fork = 0; raw != nullptr && fork < raw->items.size(); ++fork) {
    const std::string where = one.where + '.' + member + '[' + std::to_string(fork) + ']';
    ForkSamples samples = (is_histogram ? calls_of : scores_of)(raw->items[fork], one.factor);
    if (!samples.flaw.empty()) {
      imported.bad(where, samples.flaw, id, one.metric.name);
      has_samples = true;
      continue;
    }
    if (samples.values.empty()) continue;  // JMH writes [] where an iteration yielded none
    // A fork before this one may have yielded nothing.
    while (forks.size() <= fork) forks.push_back(imported.add_process());
    has_samples = true;
    imported.add({where, id, one.metric, forks[fork], std::move(samples.values), std::move(samples.iterations), false,
                  one.is_secondary});
  }
  if (has_samples) return;
  const auto score = one.of.number_of("score");
  if (!score) return imported.bad(one.where, "found neither rawData nor a score, wanted one", id, one.metric.name);
  if (forks.empty()) forks.push_back(imported.add_process());
  ImportedRun::Samples kept{one.where + ".score",  id, one.metric, forks.front(),
                            {*score * one.factor}, {}, false,      one.is_secondary};
  // By what explains another metric nothing is judged, from however many samples.
  if (one.is_secondary && one.metric.better == Better::undeclared) {
    imported.add(std::move(kept));
  } else {
    imported.add_aggregate(std::move(kept));
  }
}

constexpr std::string_view kJmhMark = "\xc2\xb7";

// "p0.50", in older versions behind a mark, which may have a label before it: "parse:·p0.50".
bool is_percentile(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789";
  const auto take_digits = [&] {
    const std::size_t before = name.find_last_not_of(kDigits) + 1;  // 0 where all are digits
    const bool has_some = before < name.size();
    name.remove_suffix(name.size() - before);
    return has_some;
  };
  const auto take = [&](std::string_view end) {
    const bool is_there = name.ends_with(end);
    if (is_there) name.remove_suffix(end.size());
    return is_there;
  };
  return take_digits() && take(".") && take_digits() && take("p") &&
         (name.empty() || name.ends_with(kJmhMark) || name.ends_with(':'));
}

// "gc.alloc.rate.norm" with a mark before it in older versions ("·gc.alloc.rate.norm").
std::string profiler_metric(std::string name) {
  if (name.starts_with(kJmhMark)) name.erase(0, kJmhMark.size());
  return name == "gc.alloc.rate.norm" ? "bytes_allocated" : name;
}

void add_jmh_record(const JsonValue& record, const std::string& where, ImportedRun& imported) {
  const BenchmarkId id = jmh_benchmark_of(record);
  const JsonValue* const primary = record.find("primaryMetric");
  if (primary == nullptr) return imported.bad(where, "found no primaryMetric, wanted one", id);
  std::vector<std::uint32_t> forks;
  const std::string unit_of_primary = primary->text_of("scoreUnit");
  const UnitScale scale = scale_of(unit_of_primary);
  add_jmh_metric({*primary, where + ".primaryMetric", jmh_metric(record.text_of("mode"), scale), scale.factor}, id,
                 forks, imported);
  const bool has_calls = !primary->items_of("rawDataHistogram").empty();
  for (const auto& [name, secondary] : record.members_of("secondaryMetrics")) {
    const std::string unit = secondary.text_of("scoreUnit");
    // They are in the histogram, whether JMH tells them of each iteration as well (1.37) or not.
    if (has_calls && is_percentile(name) && unit == unit_of_primary) continue;
    const UnitScale of_secondary = scale_of(unit);
    Metric metric = metric_named(profiler_metric(name), of_secondary);
    // What a profiler counts explains a time, and so does the sum of what the collector took ("ms"); only the bytes
    // that an operation allocates, and the time of a part of it ("ns/op"), are good or bad by themselves.
    const bool is_judged = metric.name == "bytes_allocated" || (of_secondary.unit == "ns" && unit.ends_with("/op"));
    if (!is_judged) metric.better = Better::undeclared;
    add_jmh_metric({secondary, where + ".secondaryMetrics." + name, metric, of_secondary.factor, true}, id, forks,
                   imported);
  }
}

// "N=1000, Mode=Fast": the values are printed as they are, so that one with ", " in it is not told apart and all of it
// stays in the name.
BenchmarkId dotnet_benchmark_of(const JsonValue& record) {
  const std::string space = record.text_of("Namespace");
  const std::string type = record.text_of("Type");
  const std::string method = record.text_of("Method");
  if (method.empty()) return benchmark_named(record.text_of("FullName"));
  std::string name = (space.empty() ? "" : space + '.') + (type.empty() ? "" : type + '.') + method;
  const std::string written = record.text_of("Parameters");
  std::vector<Parameter> parameters;
  const std::string_view separator = written.find('&') != std::string::npos ? "&" : ", ";
  for (std::string_view rest = written; !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find(separator));
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) return benchmark_named(name + '(' + written + ')');
    parameters.push_back({std::string(part.substr(0, equals)), std::string(part.substr(equals + 1))});
    rest.remove_prefix(std::min(rest.size(), part.size() + separator.size()));
  }
  return benchmark_named(std::move(name), parameters);
}

struct DotnetLaunch {
  std::vector<double> values;
  std::vector<std::int64_t> iterations;
};

// What the statistics stand on: mode Workload, stage Result, the overhead already taken off; of older versions mode
// Result alone.
bool is_dotnet_result(const JsonValue& measurement) {
  const std::string mode = measurement.text_of("IterationMode");
  return mode == "Result" || (mode == "Workload" && measurement.text_of("IterationStage") == "Result");
}

void add_dotnet_times(const JsonValue& record, const std::string& where, const BenchmarkId& id,
                      std::vector<std::uint32_t>& launches, ImportedRun& imported) {
  std::map<double, DotnetLaunch> by_launch;
  for (const JsonValue& measurement : record.items_of("Measurements")) {
    if (!is_dotnet_result(measurement)) continue;
    const double operations = measurement.number_of("Operations").value_or(0);
    const double nanoseconds = measurement.number_of("Nanoseconds").value_or(-1);
    if (!(operations >= 1 && operations < 0x1p62)) {
      return imported.bad(where + ".Measurements", "found a result without its operations, wanted at least 1", id);
    }
    DotnetLaunch& launch = by_launch[measurement.number_of("LaunchIndex").value_or(0)];
    launch.values.push_back(nanoseconds / operations);
    launch.iterations.push_back(static_cast<std::int64_t>(operations));
  }
  for (auto& [index, launch] : by_launch) {
    launches.push_back(imported.add_process());
    imported.add({where + ".Measurements", id, time_metric(), launches.back(), std::move(launch.values),
                  std::move(launch.iterations)});
  }
  if (!by_launch.empty()) return;
  launches.push_back(imported.add_process());
  std::string flaw;
  std::vector<double> values = numbers_at(record, "Statistics.OriginalValues", 1, flaw);
  if (!values.empty()) {
    imported.add({where + ".Statistics.OriginalValues", id, time_metric(), launches.back(), std::move(values)});
  } else if (const auto mean = record.number_of("Statistics.Mean")) {
    imported.add_aggregate({where + ".Statistics.Mean", id, time_metric(), launches.back(), {*mean}});
  } else {
    imported.failed(id, "BenchmarkDotNet has no statistics of it: it did not run to its end");
  }
}

void add_dotnet_record(const JsonValue& record, const std::string& where, ImportedRun& imported) {
  const BenchmarkId id = dotnet_benchmark_of(record);
  std::vector<std::uint32_t> launches;
  add_dotnet_times(record, where, id, launches, imported);
  const auto allocated = record.number_of("Memory.BytesAllocatedPerOperation");
  if (!allocated || launches.empty()) return;
  imported.add({where + ".Memory.BytesAllocatedPerOperation",
                id,
                metric_named("bytes_allocated", scale_of("bytes")),
                launches.front(),
                {*allocated}});
}

}  // namespace

Result<Run> load_jmh(const std::filesystem::path& path, ImportReading& reading) {
  ImportedRun imported("jmh", path, reading);
  STEELYARD_TRY(const JsonValue rest, read_json(
                                          path, "[]",
                                          [&](JsonValue&& record, const std::string& where) {
                                            if (imported.run().invocations.empty()) {
                                              imported.fact("jvm.name", record.text_of("vmName"));
                                              imported.fact("jvm.version", record.text_of("vmVersion"));
                                              imported.fact("jdk.version", record.text_of("jdkVersion"));
                                              imported.run().header.settings["jmh"] = record.text_of("jmhVersion");
                                            }
                                            add_jmh_record(record, where, imported);
                                            return true;
                                          },
                                          reading));
  return imported.finish("results of JMH as JSON", "write it with java -jar benchmarks.jar -rf json -rff FILE");
}

Result<Run> load_benchmark_dotnet(const std::filesystem::path& path, ImportReading& reading) {
  ImportedRun imported("benchmarkdotnet", path, reading);
  STEELYARD_TRY(const JsonValue rest, read_json(
                                          path, "Benchmarks[]",
                                          [&](JsonValue&& record, const std::string& where) {
                                            add_dotnet_record(record, where, imported);
                                            return true;
                                          },
                                          reading));
  const std::string host = "HostEnvironmentInfo.";
  std::string processor = rest.text_of(host + "ProcessorName");
  if (processor.empty()) processor = rest.text_of(host + "ProcessorName.Value");
  imported.fact("dotnet.cpu", processor, true);
  imported.fact("dotnet.cpu_count", rest.text_of(host + "LogicalCoreCount"), true);
  imported.fact("dotnet.architecture", rest.text_of(host + "Architecture"), true);
  imported.fact("dotnet.os", rest.text_of(host + "OsVersion"));
  imported.fact("dotnet.runtime", rest.text_of(host + "RuntimeVersion"));
  imported.run().header.settings["benchmarkdotnet"] = rest.text_of(host + "BenchmarkDotNetVersion");
  return imported.finish("BenchmarkDotNet's JSON", "write it with --exporters fulljson");
}

}  // namespace steelyard::bench

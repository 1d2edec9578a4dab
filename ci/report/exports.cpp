#include "ci/report/exports.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "bench/formats/google_benchmark.hpp"
#include "bench/formats/import_formats.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "ci/report/annotations.hpp"
#include "ci/report/charts/text_charts.hpp"
#include "ci/report/run_report.hpp"

namespace steelyard::ci {
namespace {

// Name, parameters and threads as a program writes them; suite, device and dtype stand in fields of their own.
std::string bare_name(const BenchmarkId& id) {
  BenchmarkId bare = id;
  bare.suite.clear();
  bare.device.clear();
  bare.dtype.clear();
  return name_as_given(bare.canonical());
}

std::string json_string(std::string_view text) { return json_quoted(printable_line(text, true)); }

// One sample, with the names of sample_fields().
struct SampleRow {
  const Measurement& measurement;
  std::uint32_t process = 0;
  double value = 0;
  std::optional<std::int64_t> iterations;

  std::string text_of(std::string_view field) const {
    const BenchmarkId& id = measurement.benchmark;
    const Metric& metric = measurement.metric;
    if (field == "benchmark") return bare_name(id);
    if (field == "suite") return id.suite;
    if (field == "device") return id.device;
    if (field == "dtype") return id.dtype;
    if (field == "metric") return metric.name;
    if (field == "unit") return metric.unit;
    if (field == "better") return std::string(to_text(metric.better));
    if (field == "process") return std::to_string(process);
    if (field == "iterations") return iterations ? std::to_string(*iterations) : "";
    return shortest_text(value);  // "value"
  }
};

bool is_number_field(std::string_view field) { return field == "process" || field == "iterations" || field == "value"; }

// By benchmark and metric in the order of the run.
void for_each_sample(const Run& run, const auto& take) {
  for (const Measurement& measurement : run.measurements) {
    for (const InvocationSamples& samples : measurement.invocations) {
      for (std::size_t i = 0; i < samples.values.size(); ++i) {
        if (!std::isfinite(samples.values[i])) continue;
        SampleRow row{measurement, samples.invocation, samples.values[i], {}};
        if (i < samples.iterations.size()) row.iterations = samples.iterations[i];
        take(row);
      }
    }
  }
}

std::string csv_of(const Run& run) {
  std::vector<std::string> cells;
  for (const bench::SampleField& field : bench::sample_fields()) cells.emplace_back(field.name);
  std::string text = csv_record(cells);
  for_each_sample(run, [&](const SampleRow& row) {
    cells.clear();
    for (const bench::SampleField& field : bench::sample_fields()) cells.push_back(row.text_of(field.name));
    text += csv_record(cells);
  });
  return text;
}

std::string json_lines_of(const Run& run) {
  std::string text;
  for_each_sample(run, [&](const SampleRow& row) {
    std::string line;
    for (const bench::SampleField& field : bench::sample_fields()) {
      const std::string value = row.text_of(field.name);
      if (value.empty()) continue;
      line += (line.empty() ? "{\"" : ", \"") + std::string(field.name) + "\": ";
      line += is_number_field(field.name) ? value : json_string(value);
    }
    text += line + "}\n";
  });
  return text;
}

// OpenMetrics 1.0: a gauge of each metric, in its base unit, at the moment at which the run was taken
// ------------------

struct OpenMetricsUnit {
  std::string_view unit;
  std::string_view suffix;
  double factor;
};
constexpr std::array kOpenMetricsUnits{OpenMetricsUnit{"ns", "seconds", 1e-9}, OpenMetricsUnit{"bytes", "bytes", 1},
                                       OpenMetricsUnit{"bytes/s", "bytes_per_second", 1},
                                       OpenMetricsUnit{"1/s", "per_second", 1},
                                       OpenMetricsUnit{"flop/s", "flop_per_second", 1}};

// Letters, digits and _; others become _.
std::string metric_word(std::string_view name) {
  std::string word(name);
  std::replace_if(
      word.begin(), word.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return word;
}

struct MetricFamily {
  std::string_view unit;  // its suffix
  std::string samples;
};

std::string open_metrics_of(const Run& run) {
  std::map<std::string, MetricFamily> families;
  for (const Measurement& measurement : run.measurements) {
    const SampleSummary summary = summarize(measurement);
    if (!summary.level) continue;
    const auto known = std::find_if(kOpenMetricsUnits.begin(), kOpenMetricsUnits.end(),
                                    [&](const OpenMetricsUnit& one) { return one.unit == measurement.metric.unit; });
    const bool has_unit = known != kOpenMetricsUnits.end();
    const std::string name =
        "steelyard_" + metric_word(measurement.metric.name) + (has_unit ? '_' + std::string(known->suffix) : "");
    const BenchmarkId& id = measurement.benchmark;
    std::string labels = open_metrics_label("benchmark", bare_name(id));
    const auto add = [&](std::string_view label, const std::string& value) {
      if (!value.empty()) labels += ',' + open_metrics_label(label, value);
    };
    add("suite", id.suite);
    add("device", id.device);
    add("dtype", id.dtype);
    add("project", run.header.project);
    add("commit", run.header.commit.sha);
    add("branch", run.header.commit.branch);
    add("machine", run.environment.fingerprint());
    MetricFamily& family = families[name];
    if (has_unit) family.unit = known->suffix;
    family.samples += name + '{' + labels + "} " + shortest_text(*summary.level * (has_unit ? known->factor : 1));
    if (run.header.created_at_unix_ns > 0) {
      family.samples += ' ' + decimals_text(static_cast<double>(run.header.created_at_unix_ns) * 1e-9, 3);
    }
    family.samples += '\n';
  }
  std::string text;
  for (const auto& [name, family] : families) {
    text += "# TYPE " + name + " gauge\n";
    if (!family.unit.empty()) text += "# UNIT " + name + ' ' + std::string(family.unit) + '\n';
    text += "# HELP " + name + " Median of the processes' medians, per iteration.\n" + family.samples;
  }
  return text + "# EOF\n";
}

// By benchmark: its measurements, in the order of the run.
std::vector<std::pair<std::string, std::vector<const Measurement*>>> measurements_by_name(const Run& run) {
  std::vector<std::pair<std::string, std::vector<const Measurement*>>> benchmarks;
  std::map<std::string, std::size_t> index_by_name;
  for (const Measurement& measurement : run.measurements) {
    const std::string name = measurement.benchmark.canonical();
    const auto [at, is_new] = index_by_name.try_emplace(name, benchmarks.size());
    if (is_new) benchmarks.emplace_back(name, std::vector<const Measurement*>());
    benchmarks[at->second].second.push_back(&measurement);
  }
  return benchmarks;
}

// The samples of several metrics side by side: the i-th of a process of each, where it has as many.
struct SampleLine {
  std::int64_t iterations = 1;
  std::vector<std::pair<const Metric*, double>> values;
};

std::vector<SampleLine> lines_of(const std::vector<const Measurement*>& measurements) {
  std::map<std::pair<std::uint32_t, std::size_t>, SampleLine> lines;
  for (const Measurement* const measurement : measurements) {
    for (const InvocationSamples& samples : measurement->invocations) {
      for (std::size_t i = 0; i < samples.values.size(); ++i) {
        if (!std::isfinite(samples.values[i])) continue;
        SampleLine& line = lines[{samples.invocation, i}];
        if (i < samples.iterations.size()) line.iterations = samples.iterations[i];
        line.values.emplace_back(&measurement->metric, samples.values[i]);
      }
    }
  }
  std::vector<SampleLine> ordered;
  for (auto& [place, line] : lines) ordered.push_back(std::move(line));
  return ordered;
}

// A metric of the name of one of the format's own fields is no such field, and an object has each member once.
std::string google_benchmark_counter(const Metric& metric) {
  const bool is_time = metric.name == kRealTime || metric.name == kCpuTime;
  return (!is_time && bench::is_google_benchmark_field(metric.name) ? "metric_" : "") + metric.name;
}

// Google Benchmark's JSON: every sample a repetition. Its readers want both times of each; one that was not measured is
// 0 there.
std::string google_benchmark_of(const Run& run) {
  const std::string date = time_text(run.header.created_at_unix_ns);
  std::string text = "{\n  \"context\": {\n    \"date\": " + json_string(date) +
                     ",\n    \"executable\": " + json_string(run.header.program) +
                     ",\n    \"num_cpus\": 1,\n    \"mhz_per_cpu\": 0,\n" +
                     "    \"caches\": [],\n    \"load_avg\": [],\n    \"library_build_type\": \"release\"\n  },\n" +
                     "  \"benchmarks\": [";
  bool is_first = true;
  for (const auto& [name, measurements] : measurements_by_name(run)) {
    const std::vector<SampleLine> lines = lines_of(measurements);
    const BenchmarkId& id = measurements.front()->benchmark;
    // Two suites may have a benchmark of one name.
    const std::string shown = json_string(id.suite.empty() ? bare_name(id) : name_as_given(name));
    std::size_t repetition = 0;
    for (const SampleLine& line : lines) {
      std::map<std::string, double> fields{{std::string(kRealTime), 0}, {std::string(kCpuTime), 0}};
      for (const auto& [metric, value] : line.values) fields[google_benchmark_counter(*metric)] = value;
      text += (is_first ? "\n    {" : ",\n    {") + ("\"name\": " + shown) + ", \"run_name\": " + shown +
              ", \"run_type\": \"iteration\", \"repetitions\": " + std::to_string(lines.size()) +
              ", \"repetition_index\": " + std::to_string(repetition++) +
              ", \"threads\": " + std::to_string(id.threads.value_or(1)) +
              ", \"iterations\": " + std::to_string(line.iterations) + ", \"time_unit\": \"ns\"";
      for (const auto& [field, value] : fields) text += ", " + json_string(field) + ": " + shortest_text(value);
      text += '}';
      is_first = false;
    }
  }
  return text + "\n  ]\n}\n";
}

// The text of go test -bench, as benchstat reads it
// ---------------------------------------------------------------------

// "sort/n:1000" as "Benchmark_sort/n=1000": a letter behind "Benchmark" has to be a capital, and blanks end a name.
std::string go_name(const BenchmarkId& id) {
  std::string name = id.name.starts_with("Benchmark") ? id.name.substr(9) : id.name;
  std::string processors;
  if (!name.empty() && std::islower(static_cast<unsigned char>(name.front())) != 0) name.insert(0, "_");
  for (const Parameter& parameter : id.parameters) {
    if (parameter.name == "gomaxprocs" && !parameter.value.empty() && is_decimal(parameter.value)) {
      processors = '-' + parameter.value;
    } else {
      name += '/' + (parameter.name.empty() ? "" : parameter.name + '=') + parameter.value;
    }
  }
  if (id.threads) name += "/threads=" + std::to_string(*id.threads);
  if (!id.device.empty()) name += "/device=" + id.device;
  if (!id.dtype.empty()) name += "/dtype=" + id.dtype;
  name = "Benchmark" + printable_line(name, true) + processors;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

std::string go_value(const Metric& metric, double value) {
  if (metric.name == kRealTime) return shortest_text(value) + " ns/op";
  if (metric.name == "bytes_allocated") return shortest_text(value) + " B/op";
  if (metric.name == "allocations") return shortest_text(value) + " allocs/op";
  if (metric.name == "bytes_per_second") return shortest_text(value * 1e-6) + " MB/s";
  std::string unit = metric.unit == "1" || metric.unit == "count" ? metric.name : metric.name + '-' + metric.unit;
  unit = printable_line(unit, true);
  std::replace(unit.begin(), unit.end(), ' ', '_');
  return shortest_text(value) + ' ' + unit;
}

std::string benchstat_of(const Run& run) {
  std::string text;
  std::string suite;
  for (const auto& [fact, key] : {std::pair("go.os", "goos"), {"go.arch", "goarch"}, {"go.cpu", "cpu"}}) {
    const std::string* const value = run.environment.find(fact);
    if (value != nullptr) text += std::string(key) + ": " + printable_line(*value, true) + '\n';
  }
  for (const auto& [name, measurements] : measurements_by_name(run)) {
    const BenchmarkId& id = measurements.front()->benchmark;
    if (id.suite != suite) text += "pkg: " + printable_line(id.suite, true) + '\n';
    suite = id.suite;
    for (const SampleLine& line : lines_of(measurements)) {
      text += go_name(id) + ' ' + std::to_string(line.iterations);
      for (const auto& [metric, value] : line.values) text += ' ' + go_value(*metric, value);
      text += '\n';
    }
  }
  return text;
}

// Bencher Metric Format: of each measure the level, between its smallest and its largest sample.
std::string bencher_metrics_of(const Run& run) {
  std::string text = "{";
  bool is_first = true;
  for (const auto& [name, measurements] : measurements_by_name(run)) {
    std::string measures;
    for (const Measurement* const measurement : measurements) {
      const SampleSummary summary = summarize(*measurement);
      if (!summary.level) continue;
      double least = *summary.level;
      double most = *summary.level;
      for (const InvocationSamples& samples : measurement->invocations) {
        for (const double value : samples.values) {
          if (!std::isfinite(value)) continue;
          least = std::min(least, value);
          most = std::max(most, value);
        }
      }
      std::string slug = measurement->metric.name == kRealTime ? "latency" : measurement->metric.name;
      std::replace(slug.begin(), slug.end(), '_', '-');
      measures += (measures.empty() ? "" : ", ") + json_string(slug) +
                  ": {\"value\": " + shortest_text(*summary.level) + ", \"lower_value\": " + shortest_text(least) +
                  ", \"upper_value\": " + shortest_text(most) + '}';
    }
    if (measures.empty()) continue;
    text += (is_first ? "\n  " : ",\n  ") + json_string(name_as_given(name)) + ": {" + measures + '}';
    is_first = false;
  }
  return text + "\n}\n";
}

std::string whole_json_of(const Run& run) { return json_run(run); }

}  // namespace

std::string csv_history(const std::vector<storage::HistorySeries>& all) {
  std::string text = csv_record({"project", "benchmark", "metric", "unit", "better", "fingerprint", "branch", "commit",
                                 "subject", "run", "at", "value", "samples", "invocations", "off_branch"});
  for (const storage::HistorySeries& series : all) {
    const Metric& metric = series.metric;
    for (const storage::HistoryPoint& point : series.points) {
      text += csv_record({series.project, series.benchmark, metric.name, metric.unit,
                          std::string(to_text(metric.better)), series.fingerprint, point.branch, point.commit,
                          point.subject, point.run, point.at_unix_ns > 0 ? time_text(point.at_unix_ns) : "",
                          std::isfinite(point.value) ? shortest_text(point.value) : "", std::to_string(point.samples),
                          std::to_string(point.invocations), point.is_off_branch ? "true" : "false"});
    }
  }
  return text;
}

std::span<const ExportFormat> export_formats() {
  static constexpr std::array kFormats{
      ExportFormat{"json", "", "everything that a run holds, schema `steelyard.run/1`", whole_json_of, true},
      ExportFormat{"csv", ".csv", "every sample in a line, as `steelyard import` reads it", csv_of},
      ExportFormat{"json-lines", ".jsonl", "every sample as an object in a line, as `steelyard import` reads it",
                   json_lines_of},
      ExportFormat{"openmetrics", ".om", "the level of each benchmark and metric, for Prometheus and its like",
                   open_metrics_of},
      ExportFormat{"google-benchmark", "", "every sample as a repetition, for Google Benchmark's `compare.py`",
                   google_benchmark_of, true},
      ExportFormat{"benchstat", "", "every sample in a line of `go test -bench`, for `benchstat`", benchstat_of},
      ExportFormat{"bencher-metrics", "", "the level of each benchmark with its extremes, Bencher Metric Format",
                   bencher_metrics_of, true},
  };
  return kFormats;
}

namespace {

constexpr std::size_t kShownOfId = 12;
constexpr std::int64_t kNanosecondsOfASecond = 1'000'000'000;

std::string place_in_store(const TakenRun& run) {
  const std::string& branch = run.header.commit.branch;
  return "project " + run.header.project + (branch.empty() ? ", no branch" : ", branch " + branch);
}

std::vector<const TakenRun*> dated_by(DateFrom date, const ImportOutcome& imported) {
  std::vector<const TakenRun*> found;
  for (const TakenRun& run : imported.runs) {
    if (run.date == date) found.push_back(&run);
  }
  return found;
}

std::string undated_runs_text(const std::vector<const TakenRun*>& runs) {
  if (runs.size() == 1) return runs.front()->path + " has no date: its run";
  return std::to_string(runs.size()) + " runs have no date in their files: each";
}

std::string_view date_word(DateFrom date) {
  switch (date) {
    case DateFrom::file:
      return "file";
    case DateFrom::option:
      return "option";
    case DateFrom::commit:
      return "commit";
    case DateFrom::nobody:
      break;
  }
  return "";
}

std::string json_or_null(std::string_view text) { return text.empty() ? "null" : json_quoted(text); }

}  // namespace

std::string bad_records_text(const TakenRun& run) {
  if (run.bad_records == 0) return "";
  return run.path + ": " + plural_text(run.bad_records, "bad record") + " kept as failed; a gate does not pass with " +
         (run.bad_records == 1 ? "it" : "them");
}

std::string terminal_import(const TakenRun& run, const ImportOutcome& imported) {
  std::string text = "run:" + run.header.id.substr(0, kShownOfId) + "  " + run.path + ", " + std::string(run.format) +
                     ": " + plural_text(run.measurements, "measurement");
  if (run.failures > run.skips) text += ", " + std::to_string(run.failures - run.skips) + " failed";
  if (run.skips > 0) text += ", " + std::to_string(run.skips) + " skipped";
  if (!imported.is_for_store) return text + '\n';
  const char* const became = !run.is_new ? "; for " : *run.is_new ? "; kept in " : "; known already, in ";
  return text + became + place_in_store(run) + '\n';
}

std::string json_imports(const ImportOutcome& imported) {
  std::string text = "{\n  \"schema\": \"steelyard.import/1\",\n  \"runs\": [";
  for (const TakenRun& run : imported.runs) {
    text += (&run == imported.runs.data() ? "\n    {\"path\": " : ",\n    {\"path\": ") + json_quoted(run.path) +
            ", \"format\": " + json_quoted(run.format) + ", \"run\": " + json_quoted(run.header.id) +
            ", \"project\": " + json_quoted(run.header.project) +
            ", \"branch\": " + json_or_null(run.header.commit.branch) + ", \"is_new\": " +
            (!run.is_new   ? "null"
             : *run.is_new ? "true"
                           : "false") +
            ", \"date_from\": " + json_or_null(date_word(run.date)) +
            ", \"measurements\": " + std::to_string(run.measurements) +
            ", \"failures\": " + std::to_string(run.failures) + ", \"skipped\": " + std::to_string(run.skips) +
            ", \"warnings\": " + json_list(run.warnings) + '}';
  }
  return text + "]\n}\n";
}

std::vector<std::string> import_warnings(const ImportOutcome& imported) {
  std::vector<std::string> warnings;
  if (imported.runs.empty()) return warnings;
  const Commit& commit = imported.runs.front().header.commit;
  if (imported.is_unknown_commit) {
    warnings.push_back("git here does not know the commit " + commit.sha + ": no more than its hash is kept of it");
  }
  if (imported.is_without_branch) {
    warnings.push_back("commit " + shown_sha(commit.sha) +
                       " is not the one that is checked out: it is kept under no branch; --branch NAME says which");
  }
  if (const auto by_commit = dated_by(DateFrom::commit, imported); !by_commit.empty()) {
    warnings.push_back(undated_runs_text(by_commit) + " is dated by its commit" +
                       (by_commit.size() > 1
                            ? ""
                            : ", " + date_text(by_commit.front()->header.created_at_unix_ns / kNanosecondsOfASecond)));
  }
  if (const auto undated = dated_by(DateFrom::nobody, imported); !undated.empty()) {
    warnings.push_back(undated_runs_text(undated) +
                       " stands before all others where dates decide; --date 2026-11-21T08:51:57Z says when it was "
                       "measured");
  }
  return warnings;
}

}  // namespace steelyard::ci

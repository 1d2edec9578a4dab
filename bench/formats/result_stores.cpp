// Reads what services and folders keep of many commits, a run for each: github-action-benchmark's data.js, the results
// of asv, Bencher's answers to /perf (and its metric format of one run), Conbench's benchmark results. All but asv and
// Conbench keep one number of a benchmark and commit.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <unordered_map>

#include "bench/formats/import_formats.hpp"
#include "bench/formats/imported_run.hpp"

namespace steelyard::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxStoredRuns = 20'000;
constexpr std::size_t kMaxStoredFiles = 20'000;

// The runs of a history by what tells them apart, each of which is handed on when nothing more can be of it.
class StoredRuns {
 public:
  // `wanted`: "results of asv".
  StoredRuns(std::string_view tool, std::string_view wanted, fs::path path, ImportReading& reading, const TakeRun& take)
      : tool_(tool), wanted_(wanted), path_(std::move(path)), reading_(reading), take_(take) {}

  ImportReading& reading() { return reading_; }
  // Null: there are too many, and what follows need not be read. `file`: that it is of.
  ImportedRun* of(const std::string& key) { return of(key, path_); }
  ImportedRun* of(const std::string& key, const fs::path& file) {
    if (const auto known = runs_.find(key); known != runs_.end()) return known->second.get();
    has_too_many_ = has_too_many_ || begun_ >= kMaxStoredRuns;
    if (has_too_many_) return nullptr;
    ++begun_;
    reading_.shorten_warnings();
    return runs_.emplace(key, std::make_unique<ImportedRun>(tool_, file, reading_)).first->second.get();
  }

  // That run is whole, and what its file has of damage is known.
  Result<void> done(const std::string& key) {
    const auto at = runs_.find(key);
    const std::unique_ptr<ImportedRun> imported = std::move(at->second);
    runs_.erase(at);
    return hand_on(*imported);
  }

  // A commit of which nothing can be used costs itself, not the others of the history. Error (input): none is left.
  Result<void> finish() {
    if (has_too_many_) {
      return input_error(path_.string(), "more than " + std::to_string(kMaxStoredRuns) + " runs",
                         "at most " + std::to_string(kMaxStoredRuns), "import it in several files");
    }
    while (!runs_.empty()) STEELYARD_CHECK(done(runs_.begin()->first));
    // Before the records of which they are made: of a long history only the first warnings are printed.
    reading_.warnings.insert(reading_.warnings.begin(), excluded_.begin(), excluded_.end());
    if (handed_on_ > 0) return {};
    if (!reading_.damages.empty()) return reading_.damages.front();
    return first_bad_ ? *first_bad_ : input_error(path_.string(), "no result", std::string(wanted_));
  }

 private:
  Result<void> hand_on(ImportedRun& imported) {
    if (imported.is_empty()) return {};
    if (imported.is_all_bad()) {
      excluded_.push_back(said_of_excluded(imported.run()));
      if (!first_bad_) first_bad_ = imported.finish(wanted_).error();
      return {};
    }
    STEELYARD_TRY(Run run, imported.finish(wanted_));
    ++handed_on_;
    return take_(std::move(run));
  }

  std::string said_of_excluded(const Run& run) const {
    const std::string& sha = run.header.commit.sha;
    return path_.string() + ": of " + (sha.empty() ? "a commit without a hash" : "commit " + sha) +
           " nothing can be used; it is left out";
  }

  std::string_view tool_;
  std::string_view wanted_;
  fs::path path_;
  ImportReading& reading_;
  const TakeRun& take_;
  std::map<std::string, std::unique_ptr<ImportedRun>> runs_;  // that are not whole
  std::size_t begun_ = 0;
  bool has_too_many_ = false;
  std::size_t handed_on_ = 0;
  std::vector<std::string> excluded_;
  std::optional<Error> first_bad_;
};

// A store's one number has the name of its measure, or of what its unit says.
Metric stored_metric(std::string_view name, const UnitScale& scale) {
  if (scale.unit == "ns" && (name.empty() || name == "latency")) return time_metric();
  if (scale.unit == "1/s" && (name.empty() || name == "throughput")) {
    return {"throughput", "1/s", Better::higher, MetricKind::noisy};
  }
  if (scale.unit == "bytes/s" && name.empty()) return metric_named("bytes_per_second", scale);
  if (scale.unit == "bytes" && name.empty()) return metric_named("bytes", scale);
  return metric_named(name.empty() ? "value" : name, scale);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// github-action-benchmark ---------------------------------------------------------------------------------------------

// Which numbers are better when higher is not in the file. The two custom tools say it of all their numbers; of another
// the unit says it (of go "MB/s" beside "ns/op", of jmh "ops/s"), and the tool where the unit does not.
Better better_in_action(const std::string& tool, const UnitScale& scale) {
  if (tool == "customBiggerIsBetter") return Better::higher;
  if (tool == "customSmallerIsBetter") return Better::lower;
  if (scale.better != Better::undeclared) return scale.better;
  return tool == "benchmarkjs" || tool == "pytest" ? Better::higher : Better::lower;
}

void add_action_entry(const JsonValue& entry, const std::string& where, ImportedRun& imported) {
  const std::string suite = where.substr(8, where.rfind('[') - 8);  // behind "entries."
  Run& run = imported.run();
  run.header.created_at_unix_ns = imported.date_of(entry, "date", where);
  run.header.program = suite;
  run.header.commit.sha = hash_at(entry, "commit.id");
  run.header.commit.subject = first_line(entry.text_of("commit.message"));
  run.header.commit.committed_at_unix_s = unix_ns_of(entry, "commit.timestamp") / 1'000'000'000;
  run.header.settings["github-action-benchmark"] = entry.text_of("tool");
  const std::uint32_t process = imported.add_process(run.header.created_at_unix_ns);
  std::size_t index = 0;
  for (const JsonValue& bench : entry.items_of("benches")) {
    const std::string place = where + ".benches[" + std::to_string(index++) + ']';
    UnitScale scale = scale_of(bench.text_of("unit"));
    scale.better = better_in_action(entry.text_of("tool"), scale);
    BenchmarkId id = parse_google_benchmark_name(bench.text_of("name"));
    if (suite != "Benchmark") id.suite = suite;
    const auto value = bench.number_of("value");
    Metric metric = stored_metric("", scale);
    metric.better = scale.better;
    if (!value) {
      imported.bad(place, "found no value, wanted a number", id);
    } else {
      imported.add_aggregate({place, id, metric, process, {*value * scale.factor}});
    }
  }
}

// asv -----------------------------------------------------------------------------------------------------------------

struct AsvUnit {
  std::string_view prefix;  // of the last part of the benchmark's name
  std::string_view unit;
};
constexpr std::array kAsvUnits{AsvUnit{"timeraw_", "s"}, AsvUnit{"time_", "s"}, AsvUnit{"peakmem_", "bytes"},
                               AsvUnit{"mem_", "bytes"}, AsvUnit{"track_", "1"}};

UnitScale asv_scale(const std::string& name, const JsonValue* about) {
  if (about != nullptr && !about->text_of("unit").empty()) return scale_of(about->text_of("unit"));
  const std::string last = name.substr(name.rfind('.') + 1);
  for (const AsvUnit& one : kAsvUnits) {
    if (last.starts_with(one.prefix)) return scale_of(one.unit);
  }
  return scale_of("1");
}

// What asv keeps of one benchmark: version 2 has a list of columns, version 1 a number or an object.
struct AsvColumns {
  std::vector<JsonValue> result;  // by combination of parameters
  std::vector<JsonValue> params;  // a list of values for each
  std::vector<JsonValue> samples;
  std::vector<JsonValue> numbers;  // passes in a sample
};

AsvColumns asv_columns(const JsonValue& kept, const std::vector<JsonValue>& names) {
  AsvColumns columns;
  const auto list_or_one = [](const JsonValue& value) {
    return value.is(JsonValue::Kind::list) ? value.list_of("") : std::vector<JsonValue>{value};
  };
  if (kept.is(JsonValue::Kind::list)) {
    const std::vector<JsonValue> values = kept.list_of("");
    for (std::size_t i = 0; i < values.size() && i < names.size(); ++i) {
      if (names[i].text == "result") columns.result = list_or_one(values[i]);
      if (names[i].text == "params") columns.params = values[i].list_of("");
      if (names[i].text == "samples") columns.samples = values[i].list_of("");
      if (names[i].text == "stats_number") columns.numbers = values[i].list_of("");
    }
  } else if (kept.is(JsonValue::Kind::object)) {
    if (const JsonValue* const result = kept.find("result")) columns.result = list_or_one(*result);
    columns.params = kept.list_of("params");
    columns.samples = kept.list_of("samples");
  } else {
    columns.result = {kept};
  }
  return columns;
}

// The combination of parameters at an index, the last varying fastest.
std::vector<Parameter> asv_parameters(const AsvColumns& columns, std::size_t index, const JsonValue* about) {
  std::vector<Parameter> parameters(columns.params.size());
  const std::vector<JsonValue> names = about != nullptr ? about->list_of("param_names") : std::vector<JsonValue>{};
  for (std::size_t i = columns.params.size(); i-- > 0;) {
    const std::vector<JsonValue> values = columns.params[i].list_of("");
    if (values.empty()) return {};
    std::string value = values[index % values.size()].word();
    index /= values.size();
    // Python's repr() of a text has quotes.
    if (value.size() >= 2 && value.front() == '\'' && value.back() == '\'') value = value.substr(1, value.size() - 2);
    parameters[i] = {i < names.size() ? names[i].text : "param" + std::to_string(i + 1), std::move(value)};
  }
  return parameters;
}

void add_asv_benchmark(const std::string& name, const AsvColumns& columns, const JsonValue* about,
                       ImportedRun& imported) {
  const UnitScale scale = asv_scale(name, about);
  const Metric metric = stored_metric("", scale);
  if (columns.result.size() == 1 && columns.result[0].is(JsonValue::Kind::null)) {
    return imported.failed(benchmark_named(name), "failed under asv");
  }
  for (std::size_t i = 0; i < columns.result.size(); ++i) {
    const BenchmarkId id = benchmark_named(name, asv_parameters(columns, i, about));
    const std::string where = "results." + name + '[' + std::to_string(i) + ']';
    const JsonValue& result = columns.result[i];
    if (result.is(JsonValue::Kind::null)) {
      imported.failed(id, "failed under asv");
      continue;
    }
    if (result.is(JsonValue::Kind::number) && std::isnan(result.number)) {
      imported.skipped(id, "skipped itself");
      continue;
    }
    std::string flaw;
    std::vector<double> samples;
    if (i < columns.samples.size()) samples = numbers_at(columns.samples[i], "", scale.factor, flaw);
    if (!samples.empty()) {
      std::vector<std::int64_t> iterations;
      if (i < columns.numbers.size() && columns.numbers[i].number >= 1) {
        iterations.assign(samples.size(), static_cast<std::int64_t>(std::min(columns.numbers[i].number, 1e18)));
      }
      imported.add({where + ".samples", id, metric, 0, std::move(samples), std::move(iterations)});
    } else if (result.is(JsonValue::Kind::number)) {
      imported.add_aggregate({where, id, metric, 0, {result.number * scale.factor}});
    } else {
      imported.bad(where, "found " + describe(result) + ", wanted a number", id);
    }
  }
}

// Older files have it in their name alone, behind the beginning of the commit: "11111111-virtualenv-py3.11.json".
std::string asv_environment(const JsonValue& document, const fs::path& file) {
  std::string named = document.text_of("env_name");
  const std::string stem = file.stem().string();
  const std::string begin = document.text_of("commit_hash").substr(0, 8) + '-';
  if (named.empty() && stem.starts_with(begin)) named = stem.substr(begin.size());
  return named;
}

// What benchmarks.json says of them: without it their names and units are guessed by asv's own rules.
struct AsvBenchmarks {
  fs::path file;  // empty: there is none
  JsonValue document;
  std::unordered_map<std::string_view, const JsonValue*> by_name = {};
};

Result<void> add_asv_file(const fs::path& file, const AsvBenchmarks& benchmarks, StoredRuns& runs) {
  // Read twice: what is said of all results may stand behind them, and these are not held for its sake.
  constexpr std::string_view kResults = "results{}";
  ImportReading first{.keeps_readable = runs.reading().keeps_readable};  // its damages are told by the second
  STEELYARD_TRY(const JsonValue document,
                read_json(
                    file, kResults, [](JsonValue&&, const std::string&) { return true; }, first));
  if (document.find("commit_hash") == nullptr || document.find("results") == nullptr) {
    // Cut before either, it is told as that.
    if (!first.damages.empty()) return runs.reading().damaged(first.damages.front());
    return input_error(file.string(), "no commit_hash and results", "a file of asv's results");
  }
  ImportedRun* const imported = runs.of(file.string(), file);
  if (imported == nullptr) return {};
  Run& run = imported->run();
  run.header.commit.sha = hash_at(document, "commit_hash");
  run.header.commit.committed_at_unix_s = unix_ns_of(document, "date") / 1'000'000'000;
  run.header.created_at_unix_ns = imported->date_of(document, "date", "");
  run.header.program = asv_environment(document, file);
  for (const char* fact : {"arch", "cpu", "num_cpu", "os", "ram"}) {
    imported->fact(std::string("asv.") + fact, document.text_of(std::string("params.") + fact), *fact != 'o');
  }
  // Another environment is another Python or another dependency: as asv draws a graph of each, its runs are comparable
  // with those of the same one alone.
  imported->fact("asv.environment", asv_environment(document, file), true);
  imported->fact("asv.machine", document.text_of("params.machine"));
  imported->fact("asv.python", document.text_of("python"));
  imported->add_process();
  imported->described_by(benchmarks.file);
  const std::vector<JsonValue> columns = document.list_of("result_columns");
  const TakeRecord take = [&](JsonValue&& kept, const std::string& where) {
    const std::string name = where.substr(kResults.size() - 1);  // behind "results."
    const auto at = benchmarks.by_name.find(name);
    const JsonValue* const about = at != benchmarks.by_name.end() ? at->second : nullptr;
    // What is cut would be of other parameters, other units or another name.
    const bool is_known = about != nullptr ? !about->is_cut : !benchmarks.document.is_cut;
    if (is_known) add_asv_benchmark(name, asv_columns(kept, columns), about, *imported);
    return true;
  };
  STEELYARD_CHECK(read_json(file, kResults, take, runs.reading()));
  return runs.done(file.string());
}

// Files of results in a folder of a machine (one with machine.json), or in all such folders of it.
Result<std::vector<fs::path>> asv_files(const fs::path& root) {
  std::vector<fs::path> files;
  std::error_code code;
  fs::recursive_directory_iterator entry(root, code);
  for (; !code && entry != fs::recursive_directory_iterator(); entry.increment(code)) {
    if (entry.depth() > 1) entry.disable_recursion_pending();
    const std::string name = entry->path().filename().string();
    if (entry->path().extension() != ".json" || name == "machine.json" || name == "benchmarks.json") continue;
    std::error_code ignored;
    if (!fs::exists(entry->path().parent_path() / "machine.json", ignored)) continue;
    if (files.size() == kMaxStoredFiles) {
      return input_error(root.string(), "more than " + std::to_string(kMaxStoredFiles) + " files", "at most as many",
                         "import the folder of each machine by itself");
    }
    files.push_back(entry->path());
  }
  if (code) return input_error(root.string(), code.message(), "a folder that can be read");
  if (files.empty()) return input_error(root.string(), "no folder with a machine.json", "asv's folder of results");
  std::sort(files.begin(), files.end());
  return files;
}

Result<AsvBenchmarks> asv_benchmarks(const fs::path& folder, ImportReading& reading) {
  std::error_code code;
  for (const fs::path& place : {folder, folder.parent_path()}) {
    fs::path file = place / "benchmarks.json";
    if (!fs::exists(file, code)) continue;
    STEELYARD_TRY(JsonValue document, read_json(file, reading));
    return AsvBenchmarks{std::move(file), std::move(document)};
  }
  return AsvBenchmarks{};
}

// Bencher -------------------------------------------------------------------------------------------------------------

struct BencherMeasure {
  std::string_view slug;
  std::string_view metric;
  std::string_view unit;
  Better better;  // in whatever unit
};
constexpr std::array kBencherMeasures{BencherMeasure{"latency", "real_time", "ns", Better::lower},
                                      BencherMeasure{"throughput", "throughput", "ops/s", Better::higher},
                                      BencherMeasure{"instructions", "instructions", "count", Better::lower},
                                      BencherMeasure{"file-size", "binary_size", "bytes", Better::lower},
                                      BencherMeasure{"total-bytes", "bytes_allocated", "bytes", Better::lower},
                                      BencherMeasure{"total-blocks", "allocations", "count", Better::lower}};

// A measure may be named by its slug or by its name: "Total Bytes".
std::string slug_of(std::string name) {
  for (char& c : name) c = c == ' ' ? '-' : 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return name;
}

// `units`: "nanoseconds (ns)", or nothing.
std::pair<Metric, double> bencher_metric(const std::string& measure, std::string units) {
  const std::size_t open = units.find('(');
  if (open != std::string::npos) units = units.substr(open + 1, units.find(')', open) - open - 1);
  const auto known = std::find_if(kBencherMeasures.begin(), kBencherMeasures.end(),
                                  [slug = slug_of(measure)](const BencherMeasure& one) { return one.slug == slug; });
  if (known == kBencherMeasures.end()) {
    const UnitScale scale = scale_of(units);
    Metric metric = stored_metric(measure, scale);
    return {std::move(metric), scale.factor};
  }
  UnitScale scale = scale_of(units.empty() ? known->unit : std::string_view(units));
  scale.better = known->better;
  return {metric_named(known->metric, scale), scale.factor};
}

// The name may have parameters of its own, those of a variant stand behind them.
BenchmarkId bencher_benchmark(const std::string& name, const std::vector<JsonMember>& of_variant) {
  std::vector<Parameter> parameters;
  for (const auto& [parameter, value] : of_variant) parameters.push_back({parameter, value.word()});
  // In whatever order they are written.
  std::sort(parameters.begin(), parameters.end());
  BenchmarkId id = parse_google_benchmark_name(name);
  BenchmarkId variant = benchmark_named(std::move(id.name), parameters);
  id.name = std::move(variant.name);
  std::move(variant.parameters.begin(), variant.parameters.end(), std::back_inserter(id.parameters));
  return id;
}

// False: there are too many runs.
bool add_bencher_series(const JsonValue& series, const std::string& where, StoredRuns& runs,
                        std::map<std::string, std::uint32_t>& processes) {
  const std::string branch = series.text_of("branch.name");
  const std::string testbed = series.text_of("testbed.name");
  const auto [metric, factor] = bencher_metric(series.text_of("measure.slug"), series.text_of("measure.units"));
  const BenchmarkId id = bencher_benchmark(series.text_of("benchmark.name"), series.members_of("variant.parameters"));
  std::size_t index = 0;
  for (const JsonValue& point : series.items_of("metrics")) {
    const std::string place = where + ".metrics[" + std::to_string(index++) + ']';
    const std::string report = point.text_of("report");
    ImportedRun* const imported = runs.of(report + ' ' + testbed);
    if (imported == nullptr) return false;
    Run& run = imported->run();
    run.header.commit.sha = hash_at(point, "version.hash");
    run.header.commit.branch = branch;
    run.header.created_at_unix_ns = unix_ns_of(point, "start_time");
    run.header.program = testbed;
    imported->fact("bencher.testbed", testbed, true);
    // A report's iterations are repeats of the whole command.
    const std::string key = report + ' ' + testbed + ' ' + point.text_of("iteration");
    const auto [process, is_new] = processes.try_emplace(key, 0);
    if (is_new) process->second = imported->add_process(imported->date_of(point, "start_time", place));
    auto value = point.number_of("metric.value");
    if (!value) value = point.number_of("metrics.value.value");  // of version 1
    if (!value) {
      imported->bad(place, "found no metric.value, wanted a number", id, metric.name);
    } else {
      imported->add_aggregate({place, id, metric, process->second, {*value * factor}});
    }
  }
  return true;
}

void add_bencher_measures(const BenchmarkId& id, const JsonValue& measures, const std::string& where,
                          ImportedRun& imported) {
  if (!measures.is(JsonValue::Kind::object)) {
    return imported.bad(where, "found " + describe(measures) + ", wanted an object with a measure", id);
  }
  for (const auto& [slug, number] : measures.members) {
    const auto [metric, factor] = bencher_metric(slug, "");
    const auto value = number.number_of("value");
    if (!value) {
      imported.bad(where + '.' + slug, "found no value, wanted a number", id, metric.name);
    } else {
      imported.add_aggregate({where + '.' + slug, id, metric, 0, {*value * factor}});
    }
  }
}

// Version 1: a list of variants.
void add_bencher_variants(const std::string& name, const JsonValue& variants, ImportedRun& imported) {
  if (!variants.numbers.empty()) {
    imported.bad(name + "[0]", "found a number, wanted an object with measures", bencher_benchmark(name, {}));
  }
  std::size_t index = 0;
  for (const JsonValue& variant : variants.items) {
    const std::string where = name + '[' + std::to_string(index++) + "].measures";
    const BenchmarkId id = bencher_benchmark(name, variant.members_of("parameters"));
    const JsonValue* const of_variant = variant.find("measures");
    if (of_variant == nullptr) {
      imported.bad(where, "found nothing, wanted measures", id);
    } else {
      add_bencher_measures(id, *of_variant, where, imported);
    }
  }
}

// Conbench ------------------------------------------------------------------------------------------------------------

BenchmarkId conbench_benchmark_of(const JsonValue& result) {
  std::vector<Parameter> parameters;
  for (const auto& [tag, value] : result.members_of("tags")) {
    if (tag == "name" || tag == "id" || value.word().empty()) continue;
    parameters.push_back({tag, value.word()});
  }
  // In whatever order a server writes them.
  std::sort(parameters.begin(), parameters.end());
  return benchmark_named(result.text_of("tags.name"), parameters);
}

void add_conbench_result(const JsonValue& result, const std::string& where, ImportedRun& imported) {
  Run& run = imported.run();
  const std::int64_t taken = imported.date_of(result, "timestamp", where);
  std::int64_t& created = run.header.created_at_unix_ns;
  if (taken > 0) created = created > 0 ? std::min(created, taken) : taken;
  if (run.header.commit.sha.empty()) {
    run.header.commit.sha = hash_at(result, "commit.sha");
    if (run.header.commit.sha.empty()) run.header.commit.sha = hash_at(result, "github.commit");
    run.header.commit.branch = result.text_of("commit.branch");
    run.header.commit.subject = first_line(result.text_of("commit.message"));
    run.header.commit.parent = result.text_of("commit.parent_sha");
    run.header.commit.committed_at_unix_s = unix_ns_of(result, "commit.timestamp") / 1'000'000'000;
    run.header.program = result.text_of("run_name");
  }
  for (const char* machine : {"hardware.", "machine_info."}) {
    imported.fact("conbench.machine", result.text_of(std::string(machine) + "name"), true);
    imported.fact("conbench.cpu", result.text_of(std::string(machine) + "cpu_model_name"), true);
  }
  const BenchmarkId id = conbench_benchmark_of(result);
  const JsonValue* const error = result.find("error");
  if (error != nullptr && !error->is(JsonValue::Kind::null)) return imported.failed(id, "failed under Conbench");
  const std::uint32_t process = imported.add_process(taken);
  const UnitScale scale = scale_of(result.text_of("stats.unit"));
  const Metric metric = stored_metric("", scale);
  std::string flaw;
  std::vector<double> values = numbers_at(result, "stats.data", scale.factor, flaw);
  if (!values.empty()) {
    imported.add({where + ".stats.data", id, metric, process, std::move(values)});
  } else if (const auto mean = result.number_of("stats.mean"); mean && result.find("stats.data") == nullptr) {
    imported.add_aggregate({where + ".stats.mean", id, metric, process, {*mean * scale.factor}});
  } else {
    imported.bad(where + ".stats.data", "found " + (flaw.empty() ? "no number" : flaw) + ", wanted numbers", id);
  }
}

}  // namespace

Result<void> load_github_action_benchmark(const fs::path& path, ImportReading& reading, const TakeRun& take) {
  constexpr std::string_view kEntries = "entries.*[]";
  // Each run of a damaged file says so, and how it ends is known at its end alone.
  ImportReading first{.keeps_readable = true};
  if (reading.keeps_readable) {
    STEELYARD_CHECK(read_json(
        path, kEntries, [](JsonValue&&, const std::string&) { return true; }, first));
  }
  const bool is_whole = first.damages.empty();
  StoredRuns runs("github-action-benchmark", "the data.js of github-action-benchmark", path, reading, take);
  Result<void> handed_on;
  STEELYARD_CHECK(read_json(
      path, kEntries,
      [&](JsonValue&& entry, const std::string& where) {
        ImportedRun* const imported = runs.of(where);
        if (imported == nullptr) return false;
        add_action_entry(entry, where, *imported);
        if (is_whole) handed_on = runs.done(where);
        return bool{handed_on};
      },
      reading));
  STEELYARD_CHECK(handed_on);
  return runs.finish();
}

Result<void> load_asv(const fs::path& path, ImportReading& reading, const TakeRun& take) {
  StoredRuns runs("asv", "results of asv", path, reading, take);
  std::error_code code;
  const bool is_folder = fs::is_directory(path, code);
  STEELYARD_TRY(AsvBenchmarks benchmarks, asv_benchmarks(is_folder ? path : path.parent_path(), reading));
  for (const auto& [name, benchmark] : benchmarks.document.members) benchmarks.by_name.emplace(name, &benchmark);
  std::vector<fs::path> files{path};
  if (is_folder) {
    STEELYARD_TRY(files, asv_files(path));
  }
  for (const fs::path& file : files) STEELYARD_CHECK(add_asv_file(file, benchmarks, runs));
  return runs.finish();
}

// Its results are of one benchmark and all commits each, so that no run is whole before the last.
Result<void> load_bencher(const fs::path& path, ImportReading& reading, const TakeRun& take) {
  StoredRuns runs("bencher", "what Bencher answers to /v0/projects/PROJECT/perf", path, reading, take);
  std::map<std::string, std::uint32_t> processes;
  STEELYARD_CHECK(read_json(
      path, "results[]",
      [&](JsonValue&& series, const std::string& where) { return add_bencher_series(series, where, runs, processes); },
      reading));
  return runs.finish();
}

// Results of many runs may stand there in any order, so that no run is whole before the last.
Result<void> load_conbench(const fs::path& path, ImportReading& reading, const TakeRun& take) {
  StoredRuns runs("conbench", "benchmark results of Conbench", path, reading, take);
  const TakeRecord add = [&](JsonValue&& result, const std::string& where) {
    ImportedRun* const imported = runs.of(result.text_of("run_id"));
    if (imported != nullptr) add_conbench_result(result, where, *imported);
    return imported != nullptr;
  };
  STEELYARD_TRY(const FileHead head, head_of(path));
  STEELYARD_CHECK(read_json(path, head.starts_with("[") ? "[]" : "data[]", add, reading));
  return runs.finish();
}

Result<Run> load_bencher_metrics(const fs::path& path, ImportReading& reading) {
  ImportedRun imported("bencher-metrics", path, reading);
  imported.add_process();
  const TakeRecord take = [&](JsonValue&& measures, const std::string& name) {
    if (measures.is(JsonValue::Kind::list)) {
      add_bencher_variants(name, measures, imported);
    } else {
      add_bencher_measures(bencher_benchmark(name, {}), measures, name, imported);
    }
    return true;
  };
  STEELYARD_CHECK(read_json(path, "{}", take, reading));
  return imported.finish("Bencher's metric format");
}

}  // namespace steelyard::bench

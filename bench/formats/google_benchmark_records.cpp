#include "bench/formats/google_benchmark_records.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "bench/formats/non_finite_tokens.hpp"

namespace steelyard::bench {

struct GoogleBenchmarkRecords::Sample {
  double value = 0;
  std::optional<std::int64_t> iterations;
};

struct GoogleBenchmarkRecords::Aggregates {
  nlohmann::json mean;  // the record; null: there is none
  nlohmann::json stddev;
  std::string where;  // that of the mean
};

GoogleBenchmarkRecords::GoogleBenchmarkRecords(GoogleBenchmarkFile& file, BadRecordList& bad,
                                               std::optional<PassLog> log)
    : file_(file), bad_(bad), log_(log) {}

GoogleBenchmarkRecords::~GoogleBenchmarkRecords() = default;

namespace {

using nlohmann::json;

// Bounds on what one file may make us keep or print.
constexpr std::size_t kMaxBadRecords = 1000;
constexpr std::size_t kLongestName = std::size_t{64}
                                     << 10;  // names with spelled-out template arguments reach kilobytes
constexpr std::size_t kLongestLabel = std::size_t{64} << 10;
constexpr std::size_t kMaxCounters = 1000;  // of one record

struct TimeUnit {
  std::string_view name;
  double nanoseconds;
};
constexpr std::array kTimeUnits{TimeUnit{"ns", 1}, TimeUnit{"us", 1e3}, TimeUnit{"ms", 1e6}, TimeUnit{"s", 1e9}};

// Google Benchmark's own fields, over all versions; every other number of a record is a counter of the program's.
constexpr std::array<std::string_view, 23> kOwnFields{"name",
                                                      "family_index",
                                                      "per_family_instance_index",
                                                      "run_name",
                                                      "run_type",
                                                      "repetitions",
                                                      "threads",
                                                      "aggregate_name",
                                                      "aggregate_unit",
                                                      "repetition_index",
                                                      "label",
                                                      "error_occurred",
                                                      "error_message",
                                                      "skipped",
                                                      "skip_message",
                                                      "iterations",
                                                      "rms",
                                                      "real_time",
                                                      "cpu_coefficient",
                                                      "cpu_time",
                                                      "real_coefficient",
                                                      "time_unit",
                                                      "big_o"};

// What versions before 1.4.1 appended to the name of an aggregate instead of declaring a run_type.
constexpr std::array<std::string_view, 6> kAggregateSuffixes{"_mean", "_median", "_stddev", "_cv", "_BigO", "_RMS"};

std::string text_field(const json& record, const char* key) {
  const auto at = record.find(key);
  return at != record.end() && at->is_string() ? at->get<std::string>() : std::string();
}

bool flag(const json& record, const char* key) {
  const auto at = record.find(key);
  return at != record.end() && at->is_boolean() && at->get<bool>();
}

std::optional<std::int64_t> integer_field(const json& record, const char* key) {
  const auto at = record.find(key);
  if (at == record.end() || !at->is_number_integer()) return std::nullopt;
  if (at->is_number_unsigned() && at->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
  return at->get<std::int64_t>();
}

bool is_aggregate(const json& record, std::string_view name) {
  const std::string run_type = text_field(record, "run_type");
  if (!run_type.empty()) return run_type != "iteration";
  return std::any_of(kAggregateSuffixes.begin(), kAggregateSuffixes.end(),
                     [&](std::string_view suffix) { return name.ends_with(suffix); });
}

std::string name_of(const json& record) {
  const std::string name = text_field(record, "run_name");
  return name.empty() ? text_field(record, "name") : name;
}

bool is_storable(const std::string& name) { return name.size() <= kLongestName && !has_control_character(name); }

// Absent unless the record says that it yielded nothing.
std::optional<Failure> failure_of(const json& record, const BenchmarkId& id) {
  if (flag(record, "error_occurred")) {
    const std::string message = text_field(record, "error_message");
    if (message.starts_with(kBrokenBenchmark)) {
      const std::string why = message.substr(kBrokenBenchmark.size());
      return Failure{id, "", -1, "the benchmark reported an error" + (why.empty() ? "" : ": " + why)};
    }
    return Failure{id, "", -1, message, FailureKind::reported_error};
  }
  if (!flag(record, "skipped")) return std::nullopt;
  return Failure{id, "", -1, text_field(record, "skip_message"), FailureKind::skipped};
}

Metric metric_of_counter(const std::string& name) {
  if (name == "items_per_second") return {name, "1/s", Better::higher, MetricKind::noisy};
  if (name == "bytes_per_second") return {name, "bytes/s", Better::higher, MetricKind::noisy};
  // The memory manager's, where the program registered one.
  if (name == "allocs_per_iter") return {name, "count", Better::lower, MetricKind::noisy};
  if (name == "max_bytes_used" || name == "total_allocated_bytes" || name == "net_heap_growth") {
    return {name, "bytes", Better::lower, MetricKind::noisy};
  }
  if (auto known = well_known_metric(name)) {
    // A plain file does not say under what conditions a count holds, so that it cannot be compared exactly.
    known->kind = MetricKind::noisy;
    return *known;
  }
  return {name, "1", Better::undeclared, MetricKind::noisy};
}

}  // namespace

bool is_google_benchmark_field(std::string_view name) {
  return std::find(kOwnFields.begin(), kOwnFields.end(), name) != kOwnFields.end();
}

std::string describe_json(const json& value) {
  if (value.is_string()) {
    const std::string_view non_finite = unmask_non_finite(value.get_ref<const std::string&>());
    return non_finite.empty() ? "a string" : std::string(non_finite);
  }
  if (value.is_number()) return "a number";
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  if (value.is_boolean()) return "true or false";
  return "null";
}

std::string shorten(const std::string& text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  const auto is_continuation = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U; };
  while (bytes > 0 && is_continuation(bytes)) --bytes;
  return text.substr(0, bytes);
}

bool has_control_character(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

namespace {

// Absent where no loop can have made so many.
std::optional<std::int64_t> of_all_threads(std::int64_t iterations, std::int64_t threads) {
  if (iterations <= 0 || iterations > INT64_MAX / threads) return std::nullopt;
  return iterations * threads;
}

}  // namespace

BenchmarkId benchmark_of_record(const json& record) {
  const std::string name = record.is_object() ? name_of(record) : std::string();
  return is_storable(name) ? parse_google_benchmark_name(name) : BenchmarkId{};
}

std::string metric_of_key(const std::string& key) { return is_storable(key) ? key : std::string(); }

void BadRecordList::add(std::string where, std::string why, const BenchmarkId& benchmark, std::string_view metric) {
  if (records_.size() < kMaxBadRecords) {
    records_.push_back({std::move(where), std::move(why), benchmark, std::string(metric)});
    return;
  }
  ++excluded_;
  records_.back() = {
      "benchmarks", std::to_string(excluded_ + 1) + " more bad records are excluded from this list", {}, ""};
}

void GoogleBenchmarkRecords::add(const json& record, const std::string& where) {
  if (!record.is_object()) return bad_.add(where, "found " + describe_json(record) + ", wanted an object");
  const std::string name = name_of(record);
  if (is_aggregate(record, name)) {
    ++aggregates_;
    return keep_aggregate(record, where, name);
  }
  raw_names_.insert(name);
  if (name.empty()) return bad_.add(where + ".run_name", "found none, wanted the benchmark's name");
  if (!is_storable(name)) {
    return bad_.add(where + ".run_name", "found " + std::to_string(name.size()) +
                                             " bytes, wanted printable text of at most " +
                                             std::to_string(kLongestName));
  }
  const BenchmarkId id = parse_google_benchmark_name(name);
  if (!is_first_of_its_name(record, where, name, id)) return;
  if (auto failure = failure_of(record, id)) {
    // Every repetition repeats it.
    if (file_.failures.empty() || file_.failures.back() != *failure) file_.failures.push_back(std::move(*failure));
    // The record may say what was promised of a benchmark that yielded nothing.
    add_label(record, where, id);
    return;
  }
  add_repetition(record, where, id);
}

void GoogleBenchmarkRecords::add_repetition(const json& record, const std::string& where, const BenchmarkId& id) {
  const std::string unit = text_field(record, "time_unit");
  const auto scale =
      std::find_if(kTimeUnits.begin(), kTimeUnits.end(), [&](const TimeUnit& known) { return known.name == unit; });
  std::optional<std::int64_t> iterations;
  if (record.contains("iterations")) {
    iterations = integer_field(record, "iterations");
    if (!iterations || *iterations <= 0) {
      const std::string found = iterations ? std::to_string(*iterations) : describe_json(record["iterations"]);
      return bad_.add(where + ".iterations", "found " + found + ", wanted a whole number above 0", id);
    }
  }
  for (const std::string_view key : {kRealTime, kCpuTime}) {
    const auto time = number(record, key, where, id);
    if (!time) continue;
    if (scale == kTimeUnits.end()) {
      bad_.add(where + ".time_unit", "found \"" + shorten(unit, 40) + "\", wanted ns, us, ms or s", id);
      break;
    }
    const double in_ns = *time * scale->nanoseconds;
    if (is_time(in_ns, record, key, where, id)) add_sample(id, *well_known_metric(key), {in_ns, iterations});
  }
  add_label(record, where, id);
  add_counters(record, where, id, iterations);
}

// Any text that can be kept is kept as it is: what it means is for others to say.
void GoogleBenchmarkRecords::add_label(const json& record, const std::string& where, const BenchmarkId& id) {
  const auto at = record.find("label");
  if (at == record.end() || !at->is_string()) return;
  const auto& label = at->get_ref<const std::string&>();
  if (label.empty()) return;
  if (label.size() > kLongestLabel) {
    return bad_.add(where + ".label",
                    "found " + std::to_string(label.size()) + " bytes, wanted at most " + std::to_string(kLongestLabel),
                    id, "label");
  }
  file_.labels.try_emplace(id.canonical(), label);
}

void GoogleBenchmarkRecords::add_counters(const json& record, const std::string& where, const BenchmarkId& id,
                                          std::optional<std::int64_t> iterations) {
  std::size_t counters = 0;
  for (const auto& [key, value] : record.items()) {
    if (is_google_benchmark_field(key)) continue;
    const bool non_finite = value.is_string() && !unmask_non_finite(value.get_ref<const std::string&>()).empty();
    // Texts, flags and nested values are fields of a version newer than this reader.
    if (!value.is_number() && !non_finite) continue;
    if (++counters > kMaxCounters || key.empty() || !is_storable(key)) {
      return bad_.add(where,
                      "found the counter \"" + shorten(key, 60) + "\", wanted printable names of at most " +
                          std::to_string(kLongestName) + " bytes and at most " + std::to_string(kMaxCounters) +
                          " counters; the rest of them are excluded",
                      id);
    }
    if (const auto count = number(record, key, where, id)) add_sample(id, metric_of_counter(key), {*count, iterations});
  }
}

std::optional<double> GoogleBenchmarkRecords::number(const json& record, std::string_view key, const std::string& where,
                                                     const BenchmarkId& id) {
  const auto at = record.find(std::string(key));
  if (at != record.end() && at->is_number()) {
    const auto value = at->get<double>();
    if (std::isfinite(value)) return value;
  }
  bad_.add(where + '.' + std::string(key),
           "found " + (at == record.end() ? std::string("none") : describe_json(*at)) + ", wanted a finite number", id,
           key);
  return std::nullopt;
}

bool GoogleBenchmarkRecords::is_time(double in_ns, const json& record, std::string_view key, const std::string& where,
                                     const BenchmarkId& id) {
  if (in_ns >= 0 && std::isfinite(in_ns)) return true;
  bad_.add(where + '.' + std::string(key), "found " + record[std::string(key)].dump() + ", wanted a time of 0 or more",
           id, key);
  return false;
}

// Two registrations under one name cannot be told apart by their identity; samples of the two would mix to nonsense.
bool GoogleBenchmarkRecords::is_first_of_its_name(const json& record, const std::string& where, const std::string& name,
                                                  const BenchmarkId& id) {
  const auto family = integer_field(record, "family_index");
  const auto instance = integer_field(record, "per_family_instance_index");
  if (!family || !instance) return true;
  const auto [at, is_new] = instance_by_name_.try_emplace(name, *family, *instance);
  if (is_new || at->second == std::pair(*family, *instance)) return true;
  if (ambiguous_names_.insert(name).second) {
    bad_.add(
        where + ".run_name",
        "found a second benchmark named \"" + shorten(name, 200) +
            "\", wanted one name for each; rename one of them in the program, as by ->Name(). Only the first was read",
        id);
  }
  return false;
}

void GoogleBenchmarkRecords::add_sample(const BenchmarkId& id, const Metric& metric, const Sample& sample) {
  const auto [at, is_new] =
      measurement_by_name_.try_emplace(std::pair(id.canonical(), metric.name), file_.measurements.size());
  if (is_new) file_.measurements.push_back({id, metric, "", {InvocationSamples{}}});
  InvocationSamples& samples = file_.measurements[at->second].invocations.front();
  samples.values.push_back(sample.value);
  if (sample.iterations) samples.iterations.push_back(*sample.iterations);
}

void GoogleBenchmarkRecords::keep_aggregate(const json& record, const std::string& where, const std::string& name) {
  const std::string kind = text_field(record, "aggregate_name");
  // Repetitions come before their aggregates, so that of most files nothing is kept here.
  if ((kind != "mean" && kind != "stddev") || name.empty() || !is_storable(name) || raw_names_.contains(name)) return;
  if (!is_first_of_its_name(record, where, name, parse_google_benchmark_name(name))) return;
  std::unique_ptr<Aggregates>& kept = aggregates_of_[name];
  if (!kept) kept = std::make_unique<Aggregates>();
  Aggregates& of = *kept;
  (kind == "mean" ? of.mean : of.stddev) = record;
  if (kind == "mean") of.where = where;
}

void GoogleBenchmarkRecords::take_aggregates() {
  const bool has_others = !file_.measurements.empty() || !file_.failures.empty() || !file_.bad_records.empty();
  std::map<std::string, std::vector<LoggedPass>> passes;
  if (log_ && !aggregates_of_.empty()) passes = read_pass_log(log_->text);
  for (const auto& [name, kept] : aggregates_of_) {
    const Aggregates& of = *kept;
    if (of.mean.is_null()) continue;
    if (log_) {
      add_by_aggregates(name, of, passes[name]);
    } else if (has_others) {
      // A file of nothing else is refused as a whole.
      bad_.add(of.where,
               "found only aggregates (mean, median, stddev), wanted the raw repetitions; " +
                   std::string(kHowToGetRepetitions),
               parse_google_benchmark_name(name));
    }
  }
}

// Of a process of ours. Times by its log where that agrees with the aggregates; counters are nowhere but in the mean,
// which is a sample of this process as good as any, as inference counts processes.
void GoogleBenchmarkRecords::add_by_aggregates(const std::string& name, const Aggregates& of,
                                               const std::vector<LoggedPass>& passes) {
  const BenchmarkId id = parse_google_benchmark_name(name);
  const auto scale =
      std::find_if(kTimeUnits.begin(), kTimeUnits.end(),
                   [unit = text_field(of.mean, "time_unit")](const TimeUnit& known) { return known.name == unit; });
  if (scale == kTimeUnits.end()) return bad_.add(of.where + ".time_unit", "wanted ns, us, ms or s", id);
  const auto n = static_cast<std::size_t>(std::max<std::int64_t>(integer_field(of.mean, "repetitions").value_or(0), 0));
  const std::size_t logged = n >= 2 && passes.size() >= n ? n : 0;
  const std::span<const LoggedPass> last = std::span(passes).last(logged);
  const std::int64_t threads = std::max<std::int64_t>(integer_field(of.mean, "threads").value_or(1), 1);
  for (const std::string_view key : {kRealTime, kCpuTime}) {
    const auto mean = number(of.mean, key, of.where, id);
    if (!mean || !is_time(*mean * scale->nanoseconds, of.mean, key, of.where, id)) continue;
    std::vector<double> seconds;
    for (const LoggedPass& pass : last) seconds.push_back(key == kRealTime ? pass.real_seconds : pass.cpu_seconds);
    const auto spread = of.stddev.find(std::string(key));
    const bool has_spread = of.stddev.is_object() && spread != of.stddev.end() && spread->is_number();
    std::vector<double> values;
    if (has_spread) values = repetitions_by_log(seconds, {*mean, spread->get<double>()});
    const auto is_none = [&](double value) { return value < 0 || !std::isfinite(value * scale->nanoseconds); };
    if (values.empty() || std::any_of(values.begin(), values.end(), is_none)) {
      if (key == kRealTime) file_.only_aggregates.push_back(name);
      values = {*mean};
    }
    const bool is_whole = values.size() == last.size();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto iterations = is_whole ? of_all_threads(last[i].iterations, threads) : std::nullopt;
      add_sample(id, *well_known_metric(key), {values[i] * scale->nanoseconds, iterations});
    }
  }
  add_label(of.mean, of.where, id);
  add_counters(of.mean, of.where, id, std::nullopt);
}

void GoogleBenchmarkRecords::finish() {
  take_aggregates();
  for (Measurement& measurement : file_.measurements) {
    for (InvocationSamples& samples : measurement.invocations) {
      if (samples.iterations.size() != samples.values.size()) samples.iterations.clear();
    }
  }
}

}  // namespace steelyard::bench

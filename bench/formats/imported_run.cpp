#include "bench/formats/imported_run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "bench/formats/google_benchmark_context.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"

namespace steelyard::bench {
namespace {

constexpr std::size_t kLongestBenchmark = 2000;
constexpr std::size_t kLongestMetric = 200;
constexpr std::size_t kLongestNote = 1000;
constexpr std::size_t kShownDate = 60;
constexpr std::size_t kMaxMeasurements = 2'000'000;
constexpr std::size_t kMaxSamples = 60'000'000;  // of a run; about what an archive holds
constexpr std::size_t kMaxImportedProcesses = 1'000'000;
constexpr std::size_t kMaxKeptBadRecords = 1000;
constexpr std::size_t kMaxShownBadRecords = 100;
constexpr std::size_t kMaxWarningsOfHistory = 200;
constexpr double kLargestValue = 0x1p62;  // of ns (146 years) and bytes: both are kept in 64 bits elsewhere

struct NamedScale {
  std::string_view name;
  double factor;
};
constexpr std::array kTimesByUnit{
    NamedScale{"ns", 1},          NamedScale{"nsec", 1},        NamedScale{"nanoseconds", 1},
    NamedScale{"nanosecond", 1},  NamedScale{"us", 1e3},        NamedScale{"usec", 1e3},
    NamedScale{"\xc2\xb5s", 1e3}, NamedScale{"\xce\xbcs", 1e3}, NamedScale{"microseconds", 1e3},
    NamedScale{"ms", 1e6},        NamedScale{"msec", 1e6},      NamedScale{"milliseconds", 1e6},
    NamedScale{"s", 1e9},         NamedScale{"sec", 1e9},       NamedScale{"second", 1e9},
    NamedScale{"seconds", 1e9},   NamedScale{"ps", 1e-3},       NamedScale{"min", 60e9}};
constexpr std::array kBytesByUnit{NamedScale{"B", 1},           NamedScale{"byte", 1},   NamedScale{"bytes", 1},
                                  NamedScale{"KB", 1e3},        NamedScale{"kB", 1e3},   NamedScale{"MB", 1e6},
                                  NamedScale{"GB", 1e9},        NamedScale{"KiB", 1024}, NamedScale{"MiB", 1048576},
                                  NamedScale{"GiB", 1073741824}};
constexpr std::array<std::string_view, 14> kOperationUnits{"i",          "operations", "op",    "ops",   "iter",
                                                           "iterations", "iteration",  "iters", "items", "item",
                                                           "elements",   "calls",      "call",  "1"};
constexpr std::array<std::string_view, 5> kCountUnits{"count", "counts", "integer", "#", "allocs"};

template <std::size_t n>
std::optional<double> factor_in(const std::array<NamedScale, n>& table, std::string_view name) {
  const auto at = std::find_if(table.begin(), table.end(), [&](const NamedScale& one) { return one.name == name; });
  return at != table.end() ? std::optional(at->factor) : std::nullopt;
}

template <std::size_t n>
bool is_one_of(const std::array<std::string_view, n>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

UnitScale scale_of_rate(std::string_view amount, double seconds, std::string_view whole) {
  if (is_one_of(kOperationUnits, amount) || amount.empty()) return {"1/s", 1 / seconds, Better::higher};
  if (const auto bytes = factor_in(kBytesByUnit, amount)) return {"bytes/s", *bytes / seconds, Better::higher};
  if (amount == "flop" || amount == "flops") return {"flop/s", 1 / seconds, Better::higher};
  return {std::string(whole), 1, Better::undeclared, false};
}

bool is_printable(std::string_view text, std::size_t longest) {
  if (text.size() > longest) return false;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    if (point.value == kBrokenCodePoint || point.value < 0x20 || point.value == 0x7f) return false;
    at += point.bytes;
  }
  return true;
}

// What is wrong with a value; empty: nothing.
std::string flaw_of_value(double value, const Metric& metric, bool may_be_zero) {
  if (std::isnan(value)) return "NaN or infinity";
  if (std::isinf(value)) return "infinity";
  if (std::abs(value) > kLargestValue) return shortest_text(value) + ", which is beyond what is kept";
  if (value < 0 && metric.better != Better::undeclared) return shortest_text(value);
  if (value == 0 && metric.unit == "ns" && !may_be_zero) return "0";
  return "";
}

// Cut first, as a cut may be in the middle of a character.
std::string kept_note(const std::string& text) { return printable_line(text.substr(0, kLongestNote), true); }

std::string wanted_of(const Metric& metric) {
  if (metric.unit == "ns") return "a time above 0";
  return metric.better == Better::undeclared ? "a finite number" : "a finite number from 0";
}

}  // namespace

UnitScale scale_of(std::string_view unit) {
  if (unit.empty() || unit == "1" || unit == "---") return {"1"};
  if (const auto time = factor_in(kTimesByUnit, unit)) return {"ns", *time, Better::lower};
  if (const auto bytes = factor_in(kBytesByUnit, unit)) return {"bytes", *bytes, Better::lower};
  if (is_one_of(kCountUnits, unit)) return {"count"};
  if (unit == "Hz") return {"1/s"};
  const std::size_t slash = unit.rfind('/');
  if (slash == std::string_view::npos) return {std::string(unit), 1, Better::undeclared, false};
  const std::string_view above = unit.substr(0, slash);
  const std::string_view below = unit.substr(slash + 1);
  if (const auto time = factor_in(kTimesByUnit, below)) return scale_of_rate(above, *time * 1e-9, unit);
  if (!is_one_of(kOperationUnits, below)) return {std::string(unit), 1, Better::undeclared, false};
  return scale_of(above);
}

Metric time_metric() { return *well_known_metric(kRealTime); }

Metric metric_named(std::string_view name, const UnitScale& scale) {
  if (auto known = well_known_metric(name); known && known->unit == scale.unit) {
    known->kind = MetricKind::noisy;
    return *known;
  }
  return {std::string(name), scale.unit, scale.better, MetricKind::noisy};
}

BenchmarkId benchmark_named(std::string name, const std::vector<Parameter>& parameters) {
  BenchmarkId id;
  id.name = std::move(name);
  for (const Parameter& parameter : parameters) {
    const bool can_stand =
        parameter.name.empty() || (can_name_parameter(parameter.name) && parameter.name != "threads");
    if (can_stand) {
      id.parameters.push_back(parameter);
    } else {
      id.name += '(' + parameter.name + '=' + parameter.value + ')';
    }
  }
  return id;
}

void ImportReading::shorten_warnings() {
  if (warnings.size() <= kMaxWarningsOfHistory) return;
  more_warnings += warnings.size() - kMaxWarningsOfHistory;
  warnings.resize(kMaxWarningsOfHistory);
}

ImportedRun::ImportedRun(std::string_view tool, const std::filesystem::path& path, ImportReading& reading)
    : path_(path.has_filename() ? path : path.parent_path()), reading_(reading) {  // "target/criterion/" as without '/'
  run_.header.tool = std::string(tool);
  run_.header.program = path_.filename().string();
}

std::uint32_t ImportedRun::add_process(std::int64_t started_at_unix_ns) {
  if (run_.invocations.size() == kMaxImportedProcesses) {
    beyond_ = RunSize{samples_, run_.measurements.size(), run_.invocations.size() + 1};
    reading_.is_full = true;
    return static_cast<std::uint32_t>(run_.invocations.size() - 1);
  }
  Invocation invocation;
  invocation.round = static_cast<std::int32_t>(run_.invocations.size());
  invocation.started_at_unix_ns = started_at_unix_ns;
  run_.invocations.push_back(std::move(invocation));
  return static_cast<std::uint32_t>(run_.invocations.size() - 1);
}

std::int64_t ImportedRun::date_of(const JsonValue& record, std::string_view path, const std::string& where) {
  const std::int64_t date = unix_ns_of(record, path);
  const std::string word = record.text_of(path);
  if (date > 0 || word.empty() || word == "0" || record.is_cut) return date;
  bad(where + (where.empty() ? "" : ".") + std::string(path),
      "found \"" + shortened(printable_line(word, true), kShownDate, true) + "\", wanted " + kWantedTimestamp);
  return 0;
}

bool ImportedRun::is_storable(const Samples& samples) {
  if (samples.benchmark.name.empty()) {
    bad(samples.where, "found no name, wanted the benchmark's");
  } else if (!is_printable(samples.benchmark.canonical(), kLongestBenchmark)) {
    bad(samples.where, "found a name of " + std::to_string(samples.benchmark.canonical().size()) +
                           " bytes, wanted printable text in UTF-8 of at most " + std::to_string(kLongestBenchmark));
  } else if (samples.metric.name.empty() || !is_printable(samples.metric.name, kLongestMetric) ||
             !is_printable(samples.metric.unit, kLongestMetric)) {
    bad(samples.where, "found no metric that has a name and a unit of printable text, wanted one", samples.benchmark);
  } else if (samples.values.empty()) {
    bad(samples.where, "found no sample, wanted at least one", samples.benchmark, samples.metric.name);
  } else {
    return true;
  }
  return false;
}

bool ImportedRun::add(Samples samples) {
  if (beyond_ || !is_storable(samples)) return false;
  for (std::size_t i = 0; i < samples.values.size(); ++i) {
    const std::string flaw = flaw_of_value(samples.values[i], samples.metric, samples.may_be_zero);
    if (flaw.empty()) continue;
    const std::string place = samples.values.size() > 1 ? '[' + std::to_string(i) + ']' : "";
    bad(samples.where + place, "found " + flaw + ", wanted " + wanted_of(samples.metric), samples.benchmark,
        samples.metric.name);
    return false;
  }
  std::string key = samples.benchmark.canonical();
  key += '\0';
  key += samples.metric.name;
  const auto [at, is_new] = measurement_by_name_.try_emplace(std::move(key), run_.measurements.size());
  samples_ += samples.values.size();
  if (samples_ > kMaxSamples || (is_new && run_.measurements.size() == kMaxMeasurements)) {
    beyond_ = RunSize{samples_, run_.measurements.size() + (is_new ? 1 : 0), run_.invocations.size()};
    reading_.is_full = true;
    return false;
  }
  if (is_new) run_.measurements.push_back({std::move(samples.benchmark), samples.metric, "", {}});
  Measurement& measurement = run_.measurements[at->second];
  if (measurement.metric.unit != samples.metric.unit || measurement.metric.better != samples.metric.better) {
    bad(samples.where,
        "found " + samples.metric.unit + " where " + measurement.metric.unit +
            " was before, wanted one unit and direction for a metric of a benchmark",
        measurement.benchmark, samples.metric.name);
    return false;
  }
  // By process; most files have them in order.
  std::vector<InvocationSamples>& of = measurement.invocations;
  const auto place =
      std::lower_bound(of.begin(), of.end(), samples.process,
                       [](const InvocationSamples& one, std::uint32_t process) { return one.invocation < process; });
  if (place == of.end() || place->invocation != samples.process) {
    of.insert(place, {samples.process, std::move(samples.values), std::move(samples.iterations)});
    return true;
  }
  if (!samples.may_continue) {
    bad(samples.where, "found this benchmark again, wanted it once in a process", measurement.benchmark,
        samples.metric.name);
    return false;
  }
  if (place->iterations.empty() != samples.iterations.empty()) place->iterations = samples.iterations = {};
  place->values.insert(place->values.end(), samples.values.begin(), samples.values.end());
  place->iterations.insert(place->iterations.end(), samples.iterations.begin(), samples.iterations.end());
  return true;
}

bool ImportedRun::add_aggregate(Samples samples) {
  std::string name = samples.benchmark.canonical();
  if (!add(std::move(samples))) return false;
  aggregates_.insert(std::move(name));
  return true;
}

void ImportedRun::bad(const std::string& where, const std::string& why, const BenchmarkId& benchmark,
                      std::string_view metric) {
  // Names no file, so that the same content is the same run whatever it is called.
  const std::string said = kept_note(where + ": " + why);
  if (++bad_records_ <= kMaxShownBadRecords) {
    const bool names_line = where.starts_with("line ");
    const std::string place = names_line ? path_.string() + ':' + where.substr(5) : path_.string() + ": " + where;
    reading_.warnings.push_back(place + ": " + why);
  }
  if (bad_records_ > kMaxKeptBadRecords) return;
  const bool is_kept = is_printable(benchmark.canonical(), kLongestBenchmark);
  run_.failures.push_back({is_kept ? benchmark : BenchmarkId{}, is_kept ? std::string(metric) : std::string(), -1, said,
                           FailureKind::bad_record});
}

void ImportedRun::skipped(const BenchmarkId& benchmark, const std::string& why) {
  add_failure(benchmark, why, FailureKind::skipped);
}

void ImportedRun::failed(const BenchmarkId& benchmark, const std::string& why) {
  add_failure(benchmark, why, FailureKind::failed);
}

// Under no name where that cannot be kept.
void ImportedRun::add_failure(const BenchmarkId& benchmark, const std::string& why, FailureKind kind) {
  if (run_.failures.size() >= kMaxMeasurements) return;
  const std::string name = benchmark.canonical();
  const bool is_kept = is_printable(name, kLongestBenchmark);
  run_.failures.push_back(
      {is_kept ? benchmark : BenchmarkId{}, "", -1, kept_note(is_kept ? why : name + ": " + why), kind});
}

void ImportedRun::fact(const std::string& name, const std::string& value, bool decisive) {
  if (value.empty()) return;
  run_.environment.set(name, kept_note(value), decisive);
}

bool ImportedRun::is_all_bad() const {
  return !is_empty() && run_.measurements.empty() && run_.failures.size() == std::min(bad_records_, kMaxKeptBadRecords);
}

const Error* ImportedRun::damage_of_it() const {
  const auto found = std::find_if(reading_.damages.begin(), reading_.damages.end(),
                                  [this](const Error& damage) { return place_of(damage).has_value(); });
  return found != reading_.damages.end() ? &*found : nullptr;
}

std::optional<std::string> ImportedRun::place_of(const Error& damage) const {
  const auto place_in = [&](const std::filesystem::path& file) -> std::optional<std::string> {
    const std::string& own = file.native();
    if (own.empty() || !damage.where.starts_with(own)) return std::nullopt;
    const std::string rest = damage.where.substr(own.size());
    if (!rest.empty() && rest.front() != ':' && rest.front() != '/') return std::nullopt;
    return rest.substr(std::min(rest.find_first_not_of(":/ "), rest.size()));
  };
  if (auto place = place_in(path_)) return place;
  const auto place = place_in(described_by_);
  return place ? std::optional(described_by_.filename().string() + ':' + *place) : std::nullopt;
}

// Names no file, so that the same content is the same run whatever it is called.
void ImportedRun::tell_damages() {
  const std::string kept = plural_text(samples_, "sample") + " of " +
                           plural_text(run_.measurements.size(), "measurement") +
                           " that can be read are kept, and the rest is missing";
  std::size_t held = 0;
  for (const Error& damage : reading_.damages) {
    const std::optional<std::string> place = place_of(damage);
    if (!place || ++held > kMaxShownBadRecords) continue;
    const bool is_line = !place->empty() && is_decimal(*place);
    std::string said = place->empty() ? "" : (is_line ? "line " : "") + *place + ": ";
    said += "found " + damage.found + ", wanted " + damage.wanted + "; " + kept;
    run_.failures.push_back({{}, "", -1, kept_note(said), FailureKind::bad_record});
  }
  std::size_t all = 0;
  for (const auto& [file, count] : reading_.damages_of) {
    Error damage;
    damage.where = file + ":1";
    if (place_of(damage)) all += count;
  }
  if (all <= kMaxShownBadRecords) return;
  const std::string more = std::to_string(all - kMaxShownBadRecords) + " more damages; " + kept;
  run_.failures.push_back({{}, "", -1, more, FailureKind::bad_record});
}

Result<void> check_size(const RunSize& size, const std::filesystem::path& path) {
  const auto beyond = [&path](std::size_t most, const std::string& what, const std::string& fix) {
    return input_error(path.string(), "more than " + grouped_text(most) + ' ' + what,
                       "no more in a run, which is held whole", fix + ", and import each by itself");
  };
  const char* by_part = "write it in several files, of a part of the benchmarks each";
  if (size.samples > kMaxSamples) return beyond(kMaxSamples, "samples", by_part);
  if (size.measurements > kMaxMeasurements) {
    return beyond(kMaxMeasurements, "benchmarks and metrics of them", by_part);
  }
  if (size.processes > kMaxImportedProcesses) {
    return beyond(kMaxImportedProcesses, "processes", "write it in several files, of fewer processes each");
  }
  return {};
}

Result<Run> ImportedRun::finish(std::string_view wanted, std::string_view fix) {
  if (beyond_) STEELYARD_CHECK(check_size(*beyond_, path_));
  const Error* const damage = damage_of_it();
  if (damage != nullptr && run_.measurements.empty()) return *damage;
  if (is_empty()) return input_error(path_.string(), "no result", std::string(wanted), std::string(fix));
  if (is_all_bad()) {
    return input_error(path_.string(), "nothing that can be used (" + run_.failures.front().said + ")",
                       std::string(wanted), std::string(fix));
  }
  if (bad_records_ > kMaxShownBadRecords) {
    reading_.warnings.push_back(path_.string() + ": " + std::to_string(bad_records_ - kMaxShownBadRecords) +
                                " more bad records");
  }
  if (!aggregates_.empty()) {
    run_.header.settings[kImportedAggregatesSetting] = std::to_string(aggregates_.size());
  }
  run_.header.settings[kImportedFilesSetting] = "1";
  tell_damages();
  return std::move(run_);
}

bool is_hidden_file(const std::filesystem::path& file) { return file.filename().string().starts_with('.'); }

bool ends_in(const std::filesystem::path& file, std::string_view ending) {
  return lower_case(file.extension().string()) == lower_case(ending);
}

void PassedOver::add(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  if (++files == 1 || name < first) first = name;
}

void PassedOver::tell(const std::filesystem::path& folder, std::string_view ending,
                      std::vector<std::string>& warnings) const {
  if (files == 0) return;
  const std::string taken = ending.empty() ? "without an ending" : "in " + std::string(ending);
  warnings.push_back(folder.string() + ": " + plural_text(files, "file") + " beside those " + taken +
                     (files == 1 ? " was not read: " : " were not read, the first ") + first +
                     "; import what it holds by its own name");
}

Environment merged_environment(const std::vector<const Environment*>& of_files) {
  Environment merged;
  std::map<std::string, std::set<std::string>> decisive_values;
  for (const Environment* environment : of_files) {
    for (const Fact& fact : environment->facts) {
      if (fact.decisive) decisive_values[fact.name].insert(fact.value);
      if (merged.find(fact.name) == nullptr) merged.set(fact.name, fact.value, fact.decisive);
    }
  }
  for (const auto& [name, values] : decisive_values) {
    const std::string text = joined_text(values, " and ");
    merged.set(name, text, true);
  }
  return merged;
}

std::vector<double> numbers_at(const JsonValue& record, std::string_view path, double factor, std::string& flaw) {
  const JsonValue* const list = path.empty() ? &record : record.find(path);
  flaw.clear();
  if (list == nullptr || !list->is(JsonValue::Kind::list)) {
    flaw = list == nullptr ? "nothing" : describe(*list);
    return {};
  }
  std::vector<double> values = list->numbers;
  for (const JsonValue& item : list->items) {
    if (!item.is(JsonValue::Kind::number)) {
      flaw = describe(item) + " in the list";
      return {};
    }
    values.push_back(item.number);
  }
  for (double& value : values) value *= factor;
  return values;
}

std::string hash_at(const JsonValue& record, std::string_view path) {
  std::string hash = record.text_of(path);
  return hash.size() >= 7 && is_hex(hash) ? hash : "";
}

std::int64_t unix_ns_of(const JsonValue& record, std::string_view path) {
  if (const auto number = record.number_of(path)) {
    // Milliseconds from 1973 on, seconds until 5138.
    constexpr double kEndOf2261 = 9'214'646'400;
    const double seconds = *number > 1e11 ? *number * 1e-3 : *number;
    return seconds > 0 && seconds < kEndOf2261 ? static_cast<std::int64_t>(seconds * 1e3) * 1'000'000 : 0;
  }
  return parse_timestamp(record.text_of(path)).value_or(0);
}

}  // namespace steelyard::bench

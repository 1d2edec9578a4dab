// Reads samples that anyone can write: CSV with a line of names first, or JSON lines with an object in each, whose
// fields are those of kSampleFields (docs/guide/importing.md). `steelyard export` writes both.
#include <algorithm>
#include <array>
#include <map>

#include "bench/formats/import_formats.hpp"
#include "bench/formats/imported_run.hpp"
#include "bench/model/parse_number.hpp"
#include "bench/model/text.hpp"

namespace steelyard::bench {

std::span<const SampleField> sample_fields() {
  static constexpr std::array kFields{
      SampleField{"benchmark", "its name, parameters behind it: `sort/n:1000`, with threads `sort/n:1000/threads:4`",
                  true},
      SampleField{"value", "one sample, per iteration; a NaN, an infinity or a time that is not above 0 is refused",
                  true},
      SampleField{"unit",
                  "`ns us ms s`, `bytes KiB MB`, `count`, `1`, or any of these for each `s` (`bytes/s`); only a "
                  "metric that Steelyard knows can go without"},
      SampleField{"metric", "`real_time` where there is none"},
      SampleField{"better", "`lower`, `higher` or `undeclared`; else by the unit: times and sizes lower, rates higher"},
      SampleField{"process", "from 0: which process took the sample, 0 where there is none"},
      SampleField{"iterations", "how many iterations the sample is of"},
      SampleField{"suite", "the program's name, where several have a benchmark of one name"},
      SampleField{"device", "what was measured, where it was not the processor"},
      SampleField{"dtype", "`f32`, where the benchmark has several"},
  };
  return kFields;
}

namespace {

constexpr std::size_t kMaxColumns = 100;

struct PlainRow {
  std::string where;
  std::map<std::string, std::string, std::less<>> fields;  // those that are not empty

  std::string_view of(std::string_view name) const {
    const auto at = fields.find(name);
    return at != fields.end() ? std::string_view(at->second) : std::string_view();
  }
};

class PlainReader {
 public:
  explicit PlainReader(ImportedRun& imported) : imported_(imported) {}

  void take(const PlainRow& row) {
    BenchmarkId id = parse_google_benchmark_name(row.of("benchmark"));
    id.suite = row.of("suite");
    id.device = row.of("device");
    id.dtype = row.of("dtype");
    std::string_view metric_name = row.of("metric");
    if (metric_name.empty()) metric_name = kRealTime;
    const auto refuse = [&](const std::string& why) { imported_.bad(row.where, why, id, metric_name); };
    const auto value = parse_as<double>(row.of("value"));
    if (!value) return refuse("value: found \"" + std::string(row.of("value")) + "\", wanted a number");
    const auto known = well_known_metric(metric_name);
    const std::string_view unit = row.of("unit");
    if (unit.empty() && !known) return refuse("unit: found none, wanted that of " + std::string(metric_name));
    const UnitScale scale = unit.empty() ? UnitScale{known->unit, 1, known->better} : scale_of(unit);
    if (known && known->unit != scale.unit) {
      return refuse("unit: found " + std::string(unit) + ", wanted one of " + known->unit + " for " + known->name);
    }
    Metric metric = metric_named(metric_name, scale);
    if (!row.of("better").empty()) {
      const auto better = parse_better(row.of("better"));
      if (!better)
        return refuse("better: found \"" + std::string(row.of("better")) + "\", wanted lower, higher or undeclared");
      metric.better = *better;
    }
    const auto process = parse_as<std::uint32_t>(row.of("process").empty() ? "0" : row.of("process"));
    if (!process) return refuse("process: found \"" + std::string(row.of("process")) + "\", wanted a number from 0");
    std::vector<std::int64_t> iterations;
    if (!row.of("iterations").empty()) {
      const auto count = parse_as<std::int64_t>(row.of("iterations"));
      if (!count || *count <= 0) {
        return refuse("iterations: found \"" + std::string(row.of("iterations")) + "\", wanted a number above 0");
      }
      iterations = {*count};
    }
    imported_.add({row.where,
                   std::move(id),
                   std::move(metric),
                   process_of(*process),
                   {*value * scale.factor},
                   std::move(iterations),
                   true});
  }

 private:
  // In the order in which they come, so that rows of one process stand together for each benchmark and metric.
  std::uint32_t process_of(std::uint32_t written) {
    const auto [at, is_new] = process_by_number_.try_emplace(written, 0);
    if (is_new) at->second = imported_.add_process();
    return at->second;
  }

  ImportedRun& imported_;
  std::map<std::uint32_t, std::uint32_t> process_by_number_;
};

// The fields of a line of RFC 4180 in one line; absent: a quote that does not end.
std::optional<std::vector<std::string>> csv_fields(std::string_view line, char separator) {
  std::vector<std::string> fields(1);
  bool is_quoted = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (is_quoted && c == '"' && at + 1 < line.size() && line[at + 1] == '"') {
      fields.back() += '"';
      ++at;
    } else if (c == '"' && (is_quoted || fields.back().empty())) {
      is_quoted = !is_quoted;
    } else if (c == separator && !is_quoted) {
      if (fields.size() == kMaxColumns) return std::nullopt;
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return is_quoted ? std::nullopt : std::optional(std::move(fields));
}

// An apostrophe keeps a spreadsheet from taking a name for a formula (csv_record()).
void take_formula_guard(std::string& field) {
  if (field.size() > 1 && field[0] == '\'' && std::string_view("=+-@").find(field[1]) != std::string_view::npos) {
    field.erase(0, 1);
  }
}

bool is_sample_field(std::string_view name) {
  const auto fields = sample_fields();
  return std::any_of(fields.begin(), fields.end(), [&](const SampleField& field) { return field.name == name; });
}

std::string sample_field_names() {
  return joined_text(sample_fields(), ", ", [](const SampleField& field) { return field.name; });
}

Result<std::vector<std::string>> csv_columns(ImportLines& lines, char& separator) {
  std::string line;
  lines.next(line);
  separator = line.find(';') != std::string::npos && line.find(',') == std::string::npos ? ';' : ',';
  std::optional<std::vector<std::string>> columns = csv_fields(line, separator);
  if (!columns) columns.emplace();
  for (const std::string& column : *columns) {
    if (std::count(columns->begin(), columns->end(), column) > 1 || !is_sample_field(column)) {
      return input_error(lines.where(), "the column \"" + printable_line(column, true) + '"',
                         "each once of " + sample_field_names());
    }
  }
  for (const SampleField& field : sample_fields()) {
    if (!field.is_needed || std::count(columns->begin(), columns->end(), field.name) == 1) continue;
    return input_error(lines.where(), "no column \"" + std::string(field.name) + '"', "one of that name",
                       "name the columns in the first line: " + sample_field_names());
  }
  return std::move(*columns);
}

}  // namespace

Result<Run> load_csv(const std::filesystem::path& path, ImportReading& reading) {
  STEELYARD_TRY(ImportLines lines, ImportLines::open(path));
  char separator = ',';
  STEELYARD_TRY(const std::vector<std::string> columns, csv_columns(lines, separator));
  ImportedRun imported("csv", path, reading);
  PlainReader reader(imported);
  for (std::string line; !reading.is_full && lines.next(line);) {
    if (line.empty() || is_cut_line(lines, reading)) continue;
    PlainRow row{"line " + std::to_string(lines.number()), {}};
    auto fields = csv_fields(line, separator);
    if (!fields || fields->size() != columns.size()) {
      imported.bad(row.where, fields ? "found " + std::to_string(fields->size()) + " fields, wanted " +
                                           std::to_string(columns.size())
                                     : "found a quote that does not end in its line, wanted whole fields");
      continue;
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      take_formula_guard((*fields)[i]);
      if (!(*fields)[i].empty()) row.fields.emplace(columns[i], std::move((*fields)[i]));
    }
    reader.take(row);
  }
  return imported.finish("samples as CSV", "name the columns in the first line and write a sample a line");
}

Result<Run> load_json_lines(const std::filesystem::path& path, ImportReading& reading) {
  STEELYARD_TRY(ImportLines lines, ImportLines::open(path));
  ImportedRun imported("json-lines", path, reading);
  PlainReader reader(imported);
  for (std::string line; !reading.is_full && lines.next(line);) {
    if (line.find_first_not_of(" \t") == std::string::npos) continue;
    const Result<JsonValue> parsed = parse_json(line, lines.where());
    if (!parsed) {
      STEELYARD_CHECK(reading.damaged(parsed.error()));
      continue;
    }
    const JsonValue& object = *parsed;
    PlainRow row{"line " + std::to_string(lines.number()), {}};
    std::string flaw = object.is(JsonValue::Kind::object) ? "" : "found " + describe(object) + ", wanted an object";
    for (const auto& [name, value] : object.members) {
      if (!is_sample_field(name))
        flaw = "found \"" + printable_line(name, true) + "\", wanted some of " + sample_field_names();
      std::string word = value.word();
      if (word.empty() && !value.is(JsonValue::Kind::null) && !value.is(JsonValue::Kind::text)) {
        flaw = name + ": found " + describe(value) + ", wanted a text or a number";
      }
      if (!word.empty() && !row.fields.emplace(name, std::move(word)).second) flaw = "found \"" + name + "\" twice";
    }
    if (!flaw.empty()) {
      imported.bad(row.where, flaw);
    } else {
      reader.take(row);
    }
  }
  return imported.finish("samples as JSON lines",
                         "write an object a line: {\"benchmark\": \"sort\", \"value\": 812, "
                         "\"unit\": \"ns\"}");
}

}  // namespace steelyard::bench

#include "storage/comparison/comparison_document.hpp"

#include <algorithm>
#include <charconv>

#include "bench/model/kept_words.hpp"
#include "storage/calibration/calibration_document.hpp"
#include "storage/comparison/history_document.hpp"
#include "storage/place/files.hpp"

namespace steelyard::storage {
namespace {

// The fingerprint stands before the settings, which are the last.
class SideWriter : public JsonWriter {
 public:
  explicit SideWriter(const std::string& fingerprint) : fingerprint_(fingerprint) {}
  using JsonWriter::operator();
  void operator()(const char* name, const std::map<std::string, std::string>& settings, const FieldRule& rule) {
    JsonWriter::operator()("fingerprint", fingerprint_, {.null = Null::written});
    JsonWriter::operator()(name, settings, rule);
  }

 private:
  const std::string& fingerprint_;
};

class ComparisonWriter : public JsonWriter {
 public:
  using JsonWriter::operator();
  void operator()(const char* name, const std::optional<Calibration>& calibration, const FieldRule&) {
    calibration ? add(name, calibration_object(*calibration)) : add_null(name);
  }
  void operator()(const char* name, const std::optional<JudgedHistory>& history, const FieldRule&) {
    if (history) add(name, history_object(*history));
  }
};

class ComparisonReader : public JsonReader {
 public:
  using JsonReader::JsonReader;
  using JsonReader::operator();
  void operator()(const char* name, std::optional<Calibration>& calibration, const FieldRule&) {
    const JsonValue found = object().at(name);
    if (!found.is_null()) calibration = read_calibration_value(found);
  }
  void operator()(const char* name, std::optional<JudgedHistory>& history, const FieldRule&) {
    const JsonValue found = object().at(name);
    if (!found.is_null()) history = read_history_value(found);
  }
  void operator()(const char* name, std::vector<ComparisonRow>& rows, const FieldRule& rule) {
    for (const JsonValue& item : object().at(name).items(rule.most)) {
      ComparisonRow& row = rows.emplace_back();
      JsonReader reader(item);
      ComparisonRow::fields(reader, row);
      if (item.at("notes").is_null()) row.notes = read_notes(row.reason);
      read_gate_note(row);
    }
  }
};

void read_side(const JsonValue& value, RunHeader& header, std::string& fingerprint) {
  JsonReader reader(value);
  RunHeader::fields(reader, header);
  fingerprint = value.at("fingerprint").text();
}

Result<Comparison> read_document(const JsonDocument& document) {
  const JsonValue root = document.root();
  Comparison comparison;
  read_side(root.at("baseline"), comparison.baseline, comparison.baseline_fingerprint);
  read_side(root.at("candidate"), comparison.candidate, comparison.candidate_fingerprint);
  ComparisonReader reader(root);
  Comparison::fields(reader, comparison);
  STEELYARD_CHECK(document.check());
  return comparison;
}

}  // namespace

JsonWriter run_header_object(const RunHeader& header, const std::string& fingerprint) {
  SideWriter object(fingerprint);
  RunHeader::fields(object, header);
  return object;
}

JsonWriter comparison_object(const Comparison& comparison) {
  ComparisonWriter object;
  object("schema", kComparisonSchema);
  object.add("baseline", run_header_object(comparison.baseline, comparison.baseline_fingerprint));
  object.add("candidate", run_header_object(comparison.candidate, comparison.candidate_fingerprint));
  Comparison::fields(object, comparison);
  return object;
}

std::string comparison_document(const Comparison& comparison) { return comparison_object(comparison).text(); }

Result<Comparison> parse_comparison(std::string_view text, const std::string& name) {
  STEELYARD_TRY(const JsonDocument document, JsonDocument::parse(text, name, kComparisonSchema));
  return read_document(document);
}

Result<Comparison> read_comparison(const std::filesystem::path& file) {
  STEELYARD_TRY(const std::string text, read_file(file, kMaxComparisonBytes));
  return parse_comparison(text, file.string());
}

Result<Comparison> as_kept(const Comparison& comparison) {
  return read_document(JsonDocument::of(comparison_object(comparison).json(), "the comparison"));
}

int comparison_version(std::string_view beginning) {
  constexpr std::string_view kName = "\"steelyard.comparison/";
  const std::size_t at = beginning.find(kName);
  if (at == std::string_view::npos) return 0;
  int version = 0;
  const char* const digits = beginning.data() + at + kName.size();
  std::from_chars(digits, beginning.data() + beginning.size(), version);
  return std::max(version, 0);
}

}  // namespace steelyard::storage

#include "storage/calibration/calibration_document.hpp"

#include <algorithm>
#include <cstdint>
#include <system_error>
#include <vector>

#include "storage/place/files.hpp"

namespace steelyard::storage {
namespace {

// What the fields do not say by themselves.
void check_rate(const JsonValue& value, const ObservedRate& rate) {
  value.at("count").integer(0, rate.tries);
  const Interval& share = rate.interval;
  const bool in_order = 0 <= share.low && share.low <= share.high && share.high <= 1;
  if (value.at("interval").is_null() || !in_order) {
    value.at("interval").refuse("two shares in order, from 0 to 1");
  }
}

void check_calibration(const JsonValue& value, const Calibration& calibration) {
  const double level = calibration.level;
  if (!(level > 0 && level < 1)) value.at("level").refuse("a number between 0 and 1");
  check_rate(value.at("false_gates"), calibration.false_gates);
  check_rate(value.at("false_alarms"), calibration.false_alarms);
  const std::vector<JsonValue> items = value.at("benchmarks").items(calibration.benchmarks.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    const CalibratedBenchmark& benchmark = calibration.benchmarks[i];
    if (benchmark.benchmark.empty()) items[i].at("benchmark").refuse("the name of a benchmark");
    if (benchmark.metric.empty()) items[i].at("metric").refuse("the name of a metric");
    check_rate(items[i].at("alarms"), benchmark.alarms);
  }
}

}  // namespace

JsonWriter calibration_object(const Calibration& calibration) {
  JsonWriter object;
  object("schema", std::string_view(kCalibrationSchema));
  Calibration::fields(object, calibration);
  return object;
}

std::string calibration_document(const Calibration& calibration) { return calibration_object(calibration).text(); }

Calibration read_calibration_value(const JsonValue& value) {
  Calibration calibration;
  JsonReader reader(value);
  Calibration::fields(reader, calibration);
  check_calibration(value, calibration);
  return calibration;
}

Result<Calibration> parse_calibration(std::string_view text, const std::string& name) {
  STEELYARD_TRY(const JsonDocument document, JsonDocument::parse(text, name, kCalibrationSchema));
  Calibration calibration = read_calibration_value(document.root());
  STEELYARD_CHECK(document.check());
  return calibration;
}

namespace {

constexpr std::int64_t kMaxBytes = std::int64_t{16} << 20;

std::string file_name(const std::string& fingerprint) {
  std::string name = fingerprint;
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  std::replace_if(
      name.begin(), name.end(), [&](char c) { return !is_plain(c); }, '_');
  return name;
}

}  // namespace

std::filesystem::path calibration_file(const std::filesystem::path& state, const std::string& fingerprint,
                                       Layout layout) {
  return state / "calibrations" / (file_name(fingerprint) + '-' + std::string(to_text(layout)) + ".json");
}

Result<void> write_calibration(const std::filesystem::path& file, const Calibration& calibration) {
  std::error_code code;
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), code);
  if (code) return input_error(file.parent_path().string(), code.message(), "a folder for calibrations");
  return write_file(file, calibration_document(calibration));
}

Result<std::filesystem::path> keep_calibration(const std::filesystem::path& state, const Calibration& calibration) {
  if (calibration.fingerprint.empty()) {
    return input_error("calibration", "no fingerprint of the machine", "one", "write it to a file: --output FILE");
  }
  const std::filesystem::path file = calibration_file(state, calibration.fingerprint, calibration.layout);
  STEELYARD_CHECK(write_calibration(file, calibration));
  return file;
}

Result<Calibration> read_calibration(const std::filesystem::path& file) {
  STEELYARD_TRY(const std::string text, read_file(file, kMaxBytes));
  return parse_calibration(text, file.string());
}

Result<std::optional<Calibration>> find_calibration(const std::filesystem::path& state, const std::string& fingerprint,
                                                    Layout layout) {
  if (fingerprint.empty()) return std::optional<Calibration>();
  std::vector<Layout> layouts{layout};
  if (!is_concurrent(layout)) layouts = {layout, Layout::duet, Layout::interleaved};
  for (const Layout wanted : layouts) {
    const std::filesystem::path file = calibration_file(state, fingerprint, wanted);
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) continue;
    STEELYARD_TRY(Calibration calibration, read_calibration(file));
    if (calibration.fingerprint != fingerprint) {
      return input_error(file.string(), "the calibration of machine " + calibration.fingerprint.substr(0, 12),
                         "that of " + fingerprint.substr(0, 12), "remove the file and run steelyard calibrate");
    }
    return std::optional(std::move(calibration));
  }
  return std::optional<Calibration>();
}

}  // namespace steelyard::storage

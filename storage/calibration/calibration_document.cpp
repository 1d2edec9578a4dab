#include "storage/calibration/calibration_document.hpp"

namespace steelyard {
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

}  // namespace steelyard

#include "storage/calibration/calibration_document.hpp"

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

namespace steelyard {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostBenchmarks = 100'000;  // (benchmark, metric) pairs; no program has as many
constexpr std::int64_t kMostTries = INT64_C(1) << 53;
constexpr std::int64_t kMostRounds = 1'000'000;

Json number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json rate_json(const ObservedRate& rate) {
  return {{"count", rate.count}, {"tries", rate.tries}, {"interval", {rate.interval.low, rate.interval.high}}};
}

Json benchmark_json(const CalibratedBenchmark& benchmark) {
  Json json;
  json["benchmark"] = benchmark.benchmark;
  json["metric"] = benchmark.metric;
  json["alarms"] = rate_json(benchmark.alarms);
  json["floor"] = number(benchmark.floor);
  json["minimum_detectable_effect"] = number(benchmark.minimum_detectable_effect);
  json["within"] = number(benchmark.within);
  json["between"] = number(benchmark.between);
  // Only where known: the documents of older calibrations, and what is named by their hash, stay as they are.
  if (benchmark.copies) json["copies"] = number(benchmark.copies);
  if (benchmark.processes) json["processes"] = number(benchmark.processes);
  json["advice"] = text_or_null(benchmark.advice);
  return json;
}

ObservedRate read_rate(const JsonValue& value) {
  ObservedRate rate;
  rate.tries = value.at("tries").integer(0, kMostTries);
  rate.count = value.at("count").integer(0, rate.tries);
  const auto interval = value.at("interval").interval();
  const bool in_order = interval && 0 <= interval->low && interval->low <= interval->high && interval->high <= 1;
  if (!in_order) value.at("interval").refuse("two shares in order, from 0 to 1");
  if (interval) rate.interval = *interval;
  return rate;
}

// A standard deviation or an effect.
std::optional<double> read_spread(const JsonValue& value) {
  const std::optional<double> spread = value.number_or_absent();
  if (spread && *spread < 0) value.refuse("a number not below 0");
  return spread;
}

CalibratedBenchmark read_benchmark(const JsonValue& value) {
  CalibratedBenchmark benchmark;
  benchmark.benchmark = value.at("benchmark").text();
  benchmark.metric = value.at("metric").text();
  if (benchmark.benchmark.empty()) value.at("benchmark").refuse("the name of a benchmark");
  if (benchmark.metric.empty()) value.at("metric").refuse("the name of a metric");
  benchmark.alarms = read_rate(value.at("alarms"));
  benchmark.floor = read_spread(value.at("floor")).value_or(0);
  benchmark.minimum_detectable_effect = read_spread(value.at("minimum_detectable_effect"));
  benchmark.within = read_spread(value.at("within"));
  benchmark.between = read_spread(value.at("between"));
  benchmark.copies = read_spread(value.at("copies"));
  benchmark.processes = read_spread(value.at("processes"));
  benchmark.advice = value.at("advice").text();
  return benchmark;
}

}  // namespace

std::string calibration_document(const Calibration& calibration) {
  Json json;
  json["schema"] = kCalibrationSchema;
  json["fingerprint"] = calibration.fingerprint;
  json["at_unix_s"] = calibration.at_unix_s;
  json["program"] = calibration.program;
  json["layout"] = to_text(calibration.layout);
  json["seed"] = calibration.seed;
  json["rounds"] = calibration.rounds;
  json["level"] = number(calibration.level);
  json["false_gates"] = rate_json(calibration.false_gates);
  json["false_alarms"] = rate_json(calibration.false_alarms);
  json["drift_sequential"] = number(calibration.drift_sequential);
  json["failed"] = calibration.failed;
  json["reason"] = text_or_null(calibration.reason);
  json["benchmarks"] = Json::array();
  for (const CalibratedBenchmark& benchmark : calibration.benchmarks) {
    json["benchmarks"].push_back(benchmark_json(benchmark));
  }
  // Names may hold bytes that are no UTF-8.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Calibration read_calibration_value(const JsonValue& value) {
  Calibration calibration;
  calibration.fingerprint = value.at("fingerprint").text();
  calibration.at_unix_s = value.at("at_unix_s").integer(INT64_MIN, INT64_MAX);
  calibration.program = value.at("program").text();
  const auto layout = parse_layout(value.at("layout").text());
  if (!layout) value.at("layout").refuse("interleaved, duet, sequential or separate");
  calibration.layout = layout.value_or(Layout::separate);
  calibration.seed = value.at("seed").unsigned_integer();
  calibration.rounds = static_cast<std::int32_t>(value.at("rounds").integer(0, kMostRounds));
  calibration.level = value.at("level").number();
  if (!(calibration.level > 0 && calibration.level < 1)) value.at("level").refuse("a number between 0 and 1");
  calibration.false_gates = read_rate(value.at("false_gates"));
  calibration.false_alarms = read_rate(value.at("false_alarms"));
  calibration.drift_sequential = read_spread(value.at("drift_sequential"));
  calibration.failed = value.at("failed").boolean();
  calibration.reason = value.at("reason").text();
  for (const JsonValue& benchmark : value.at("benchmarks").items(kMostBenchmarks)) {
    calibration.benchmarks.push_back(read_benchmark(benchmark));
  }
  return calibration;
}

Result<Calibration> parse_calibration(std::string_view text, const std::string& name) {
  STEELYARD_TRY(const JsonDocument document, JsonDocument::parse(text, name, kCalibrationSchema));
  Calibration calibration = read_calibration_value(document.root());
  STEELYARD_CHECK(document.check());
  return calibration;
}

}  // namespace steelyard

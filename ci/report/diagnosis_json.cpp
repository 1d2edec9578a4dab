#include <array>
#include <charconv>
#include <cmath>

#include "ci/app/terminal_text.hpp"
#include "ci/config/written_value.hpp"
#include "ci/report/diagnosis_report.hpp"

namespace steelyard {
namespace {

// A basic string of TOML is written the same in JSON; broken UTF-8 from a file becomes '?'.
std::string json_text(std::string_view text) { return quoted_for_toml(printable(text, true)); }

std::string flag(bool value) { return value ? "true" : "false"; }

std::string number(double value) {
  if (!std::isfinite(value)) return "null";
  std::array<char, 64> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::string(text.data(), end) : "null";
}

std::string probe_json(const ProbeResult& probe) {
  return "{\"clock_step_ns\": " + number(probe.clock.step_ns) + ", \"clock_read_ns\": " + number(probe.clock.read_ns) +
         ", \"seconds\": " + number(probe.seconds) + ", \"slices\": " + std::to_string(probe.slices.slices) +
         ", \"slice_median_ns\": " + number(probe.slices.median_ns) + ", \"spread\": " + number(probe.slices.spread) +
         ", \"lost\": " + number(probe.slices.lost) + ", \"longest\": " + number(probe.slices.longest) +
         ", \"involuntary_switches\": " + std::to_string(probe.involuntary_switches) +
         ", \"steal\": " + (probe.steal ? number(*probe.steal) : "null") + ", \"throttled_periods\": " +
         (probe.throttled_periods ? std::to_string(*probe.throttled_periods) : std::string("null")) + '}';
}

std::string calibration_json(const Calibration& calibration) {
  const CalibratedBenchmark* largest = largest_copies(calibration);
  return "{\"at_unix_s\": " + std::to_string(calibration.at_unix_s) +
         ", \"layout\": " + json_text(to_text(calibration.layout)) + ", \"failed\": " + flag(calibration.failed) +
         ", \"largest_copies\": " +
         (largest == nullptr ? std::string("null")
                             : "{\"benchmark\": " + json_text(largest->benchmark) + ", \"metric\": " +
                                   json_text(largest->metric) + ", \"deviation\": " + number(*largest->copies) + '}') +
         '}';
}

std::string finding_json(const Finding& finding) {
  return "{\"id\": " + json_text(finding.id) + ", \"severity\": " + json_text(to_text(finding.severity)) +
         ", \"found\": " + json_text(finding.found) + ", \"cost\": " + json_text(finding.cost) +
         ", \"mend\": " + json_text(finding.mend) + ", \"mend_is_command\": " + flag(finding.mend_is_command) +
         ", \"needs_root\": " + flag(finding.needs_root) + ", \"fixable\": " + flag(finding.fixable) + '}';
}

// One element a line.
template <class Item, class Write>
std::string list(const std::vector<Item>& items, Write write) {
  std::string text = "[";
  for (std::size_t i = 0; i < items.size(); ++i) text += (i == 0 ? "\n    " : ",\n    ") + write(items[i]);
  return text + (items.empty() ? "]" : "\n  ]");
}

}  // namespace

std::string json_diagnosis(const DoctorReport& report) {
  const Diagnosis& diagnosis = report.diagnosis;
  const std::string fingerprint = report.environment.fingerprint();
  return "{\n  \"schema\": \"steelyard.doctor/1\",\n  \"fitness\": " + json_text(to_text(diagnosis.fitness)) +
         ",\n  \"program\": " + (report.program.empty() ? std::string("null") : json_text(report.program)) +
         ",\n  \"fingerprint\": " + (fingerprint.empty() ? std::string("null") : json_text(fingerprint)) +
         ",\n  \"probe\": " + (report.probe ? probe_json(*report.probe) : "null") +
         ",\n  \"calibration\": " + (report.calibration ? calibration_json(*report.calibration) : "null") +
         ",\n  \"findings\": " + list(diagnosis.findings, finding_json) + ",\n  \"not_visible\": " +
         list(diagnosis.unseen,
              [](const Unseen& unseen) {
                return "{\"id\": " + json_text(unseen.id) + ", \"why\": " + json_text(unseen.why) + '}';
              }) +
         ",\n  \"facts\": " +
         list(report.environment.facts,
              [](const Fact& fact) {
                return "{\"name\": " + json_text(fact.name) + ", \"value\": " + json_text(fact.value) +
                       ", \"decisive\": " + flag(fact.decisive) + '}';
              }) +
         "\n}\n";
}

}  // namespace steelyard

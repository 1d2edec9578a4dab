// Ceilings as JSON: base units, every digit, every repetition.
#include <nlohmann/json.hpp>

#include "bench/ceilings/repetition_summary.hpp"
#include "ci/report/ceilings_report.hpp"

namespace steelyard {
namespace {

using Json = nlohmann::ordered_json;

std::string document(const Json& json) { return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"; }
Json number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json ceiling_json(const Ceiling& ceiling) {
  Json json;
  const bool is_arithmetic = ceiling.kind == CeilingKind::arithmetic;
  json["kind"] = is_arithmetic ? "arithmetic" : "bandwidth";
  if (is_arithmetic) json["dtype"] = ceiling.dtype;
  if (!is_arithmetic) json["level"] = ceiling.level;
  if (!ceiling.access.empty()) json["access"] = ceiling.access;
  json["threads"] = ceiling.threads == 0 ? Json(nullptr) : Json(ceiling.threads);
  json["unit"] = !is_arithmetic ? "bytes/s" : ceiling.dtype.starts_with('i') ? "op/s" : "flop/s";
  json["value"] = ceiling.value;
  json["source"] = ceiling.source;
  if (ceiling.samples.empty()) return json;
  json["low"] = number(ceiling.low);
  json["high"] = number(ceiling.high);
  const auto summary = summarize_repetitions(ceiling.samples);
  json["best"] = summary ? Json(summary->best) : Json(nullptr);
  if (!ceiling.how.empty()) json["how"] = ceiling.how;
  if (const auto clock = summarize_repetitions(ceiling.clock_samples)) json["clock_hz"] = clock->median;
  if (ceiling.expected_per_cycle > 0) json["expected_per_cycle"] = ceiling.expected_per_cycle;
  json["samples"] = ceiling.samples;
  if (!ceiling.clock_samples.empty()) json["clock_samples_hz"] = ceiling.clock_samples;
  return json;
}

Json device_json(const DeviceCeilings& device) {
  Json json;
  json["device"] = device.device;
  json["fingerprint"] = device.fingerprint.empty() ? Json(nullptr) : Json(device.fingerprint);
  json["ceilings"] = Json::array();
  for (const Ceiling& ceiling : device.ceilings) json["ceilings"].push_back(ceiling_json(ceiling));
  return json;
}

}  // namespace

std::string json_datasheet(std::span<const DatasheetRow* const> rows) {
  Json json;
  json["schema"] = "steelyard.datasheet/1";
  json["devices"] = Json::array();
  for (const DatasheetRow* row : rows) {
    Json device = device_json(datasheet_ceilings(*row));
    device.erase("fingerprint");
    device["ridge_flops_per_byte"] = ridge_flops_per_byte(*row);
    json["devices"].push_back(std::move(device));
  }
  return document(json);
}

std::string json_ceilings(const DeviceCeilings& ceilings) {
  Json json;
  json["schema"] = "steelyard.ceilings/1";
  json.update(device_json(ceilings));
  json["absent"] = Json::array();
  for (const AbsentCeiling& absent : ceilings.absent) {
    json["absent"].push_back({{"what", absent.what}, {"reason", absent.reason}});
  }
  json["notes"] = ceilings.notes;
  return document(json);
}

}  // namespace steelyard

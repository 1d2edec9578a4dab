#include <cmath>
#include <nlohmann/json.hpp>

#include "ci/report/sweep_report.hpp"

namespace steelyard {
namespace {

using Json = nlohmann::ordered_json;

Json number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json sweep_json(const Sweep& sweep, const std::optional<Claim>& claim) {
  const ScalingFit& fit = sweep.fit;
  Json json;
  json["benchmark"] = sweep.benchmark;
  json["parameter"] = sweep.parameter;
  json["metric"] = sweep.metric.name;
  json["unit"] = sweep.metric.unit;
  json["sizes"] = sweep.data.sizes;
  json["levels"] = sweep.levels;
  json["rounds"] = fit.rounds;
  json["inputs"] = fit.inputs;
  json["exponent"] = fit.exponent;
  json["interval"] = fit.interval ? Json{fit.interval->low, fit.interval->high} : Json(nullptr);
  json["confidence"] = fit.confidence;
  json["coefficient"] = number(fit.coefficient);
  json["r_squared"] = number(fit.r_squared);
  json["exponent_at_smallest"] = number(fit.exponent_at_smallest);
  json["exponent_at_largest"] = number(fit.exponent_at_largest);
  json["curved"] = fit.is_curved;
  json["expected"] = claim ? Json(claim->exponent) : Json(nullptr);
  json["tolerance"] = claim ? Json(claim->tolerance) : Json(nullptr);
  json["verdict"] = claim ? Json(to_text(judge_claim(fit, *claim))) : Json(nullptr);
  json["reason"] = claim ? Json(claim_reason(fit, *claim)) : Json(nullptr);
  json["warnings"] = sweep.warnings;
  return json;
}

}  // namespace

std::string json_sweeps(const RunHeader& header, const std::vector<Sweep>& sweeps, const std::optional<Claim>& claim) {
  Json json;
  json["schema"] = "steelyard.sweep/1";
  json["run"] = {{"id", header.id.empty() ? Json(nullptr) : Json(header.id)}, {"program", header.program}};
  json["sweeps"] = Json::array();
  for (const Sweep& sweep : sweeps) json["sweeps"].push_back(sweep_json(sweep, claim));
  // Bytes that are no UTF-8 are replaced: a stranger's benchmark name must not cost the reader the document.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace steelyard

#include "ci/report/json_values.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace steelyard {

Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json json_number(const std::optional<double>& value) { return value ? json_number(*value) : Json(nullptr); }

Json json_text(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json json_interval(const std::optional<Interval>& interval) {
  const bool is_finite = interval && std::isfinite(interval->low) && std::isfinite(interval->high);
  return is_finite ? Json::array({interval->low, interval->high}) : Json(nullptr);
}

std::string json_document(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace steelyard

// The small values that every JSON document of ours has: what is absent or not finite is null, numbers have all digits.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "bench/model/comparison.hpp"

namespace steelyard {

using Json = nlohmann::ordered_json;

Json json_number(double value);
Json json_number(const std::optional<double>& value);
Json json_text(const std::string& text);  // null: empty
Json json_interval(const std::optional<Interval>& interval);

// The whole document, newline at the end. Bytes that are no UTF-8 are replaced: a stranger's benchmark name must not
// cost the reader the document.
std::string json_document(const Json& json, int indent = 1);

}  // namespace steelyard

#include "tests/ci/service/schema_check.hpp"

#include <regex>
#include <set>

namespace steelyard::ci {
namespace {

using nlohmann::json;

bool is_of_type(const std::string& type, const json& value) {
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  return type == "null" && value.is_null();
}

std::string object_fault(const json& document, const json& schema, const json& value, const std::string& place) {
  for (const json& name : schema.value("required", json::array())) {
    if (!value.contains(name.get<std::string>())) return place + ": no " + name.get<std::string>();
  }
  const json properties = schema.value("properties", json::object());
  for (const auto& [name, member] : value.items()) {
    const std::string inside = place + '.' + name;
    if (properties.contains(name)) {
      if (auto fault = schema_fault(document, properties[name], member, inside); !fault.empty()) return fault;
    } else if (schema.value("additionalProperties", json(true)) == json(false)) {
      return inside + ": no member of it";
    }
  }
  return "";
}

}  // namespace

std::string schema_fault(const json& document, const json& schema, const json& value, const std::string& place) {
  static const std::set<std::string> known{"$ref",
                                           "type",
                                           "properties",
                                           "required",
                                           "additionalProperties",
                                           "items",
                                           "enum",
                                           "const",
                                           "pattern",
                                           "description",
                                           "examples",
                                           "minLength",
                                           "maxLength",
                                           "minItems",
                                           "minimum",
                                           "maximum",
                                           "contentMediaType"};
  for (const auto& [word, ignored] : schema.items()) {
    if (!known.contains(word)) return place + ": the schema says " + word + ", which is not checked here";
  }
  if (schema.contains("$ref")) {
    const std::string reference = schema["$ref"];
    return schema_fault(document, document.at(json::json_pointer(reference.substr(1))), value, place);
  }
  if (schema.contains("const") && value != schema["const"]) return place + ": " + value.dump().substr(0, 80);
  if (schema.contains("enum") &&
      std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end()) {
    return place + ": " + value.dump().substr(0, 80) + " is none of " + schema["enum"].dump();
  }
  if (schema.contains("type")) {
    const json types = schema["type"].is_array() ? schema["type"] : json::array({schema["type"]});
    bool fits = false;
    for (const json& type : types) fits = fits || is_of_type(type, value);
    if (!fits) return place + ": " + value.dump().substr(0, 80) + " is no " + types.dump();
  }
  if (value.is_string() && schema.contains("pattern") &&
      !std::regex_search(value.get<std::string>(), std::regex(schema["pattern"].get<std::string>()))) {
    return place + ": " + value.dump().substr(0, 80) + " is not " + schema["pattern"].dump();
  }
  if (value.is_object()) return object_fault(document, schema, value, place);
  if (!value.is_array() || !schema.contains("items")) return "";
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::string fault = schema_fault(document, schema["items"], value[i], place + '[' + std::to_string(i) + ']');
    if (!fault.empty()) return fault;
  }
  return "";
}

std::string answer_fault(const json& document, const std::string& path, const std::string& method, int status,
                         const std::string& type, const std::string& body) {
  const json& responses = document.at("paths").at(path).at(method).at("responses");
  const std::string code = std::to_string(status);
  const json& response = responses.contains(code) ? responses[code] : responses.at("default");
  if (!response.contains("content")) return body.empty() ? "" : "a body, where there is none";
  const std::string plain_type = type.substr(0, type.find(';'));
  if (!response["content"].contains(plain_type)) return "type " + type + " is none of " + response["content"].dump();
  if (!plain_type.ends_with("json")) return "";
  const json value = json::parse(body, nullptr, false);
  if (value.is_discarded()) return "no JSON: " + body.substr(0, 200);
  return schema_fault(document, response["content"][plain_type]["schema"], value);
}

}  // namespace steelyard::ci

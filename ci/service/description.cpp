#include "ci/service/description.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "bench/model/text.hpp"
#include "storage/document/json.hpp"

namespace steelyard::ci {
namespace {

using storage::JsonDocument;
using storage::JsonValue;

constexpr std::size_t kMaxParts = 1000;
constexpr std::string_view kHexPattern = "^[0-9a-f]+$";
constexpr std::string_view kParameterReference = "#/components/parameters/";

std::vector<std::string> path_parts(std::string_view path) {
  std::vector<std::string> parts;
  for (std::size_t at = 1; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    parts.emplace_back(path.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

ApiParameter read_parameter(const JsonValue& root, const JsonValue& given) {
  const std::string reference = given.at("$ref").text();
  const JsonValue value = reference.starts_with(kParameterReference)
                              ? root.at("components").at("parameters").at(reference.substr(kParameterReference.size()))
                              : given;
  ApiParameter parameter;
  parameter.name = value.at("name").text();
  parameter.place = value.at("in").text() == "path" ? ApiParameter::Place::path : ApiParameter::Place::query;
  if (!value.at("required").is_null()) parameter.is_required = value.at("required").boolean();
  const JsonValue schema = value.at("schema");
  parameter.is_whole_number = schema.at("type").text() == "integer";
  parameter.is_number = parameter.is_whole_number || schema.at("type").text() == "number";
  parameter.is_hex = schema.at("pattern").text() == kHexPattern;
  parameter.minimum = schema.at("minimum").number_or_absent();
  parameter.maximum = schema.at("maximum").number_or_absent();
  parameter.below = schema.at("exclusiveMaximum").number_or_absent();
  if (const auto most = schema.at("maxLength").number_or_absent()) parameter.longest = static_cast<std::size_t>(*most);
  if (const auto least = schema.at("minLength").number_or_absent())
    parameter.shortest = static_cast<std::size_t>(*least);
  const JsonValue usual = schema.at("default");
  if (parameter.is_whole_number && !usual.is_null()) {
    parameter.usual = std::to_string(usual.integer(0, INT64_MAX));
  } else {
    parameter.usual = usual.is_null() ? "" : usual.text();
  }
  if (!schema.at("enum").is_null()) parameter.words = schema.at("enum").texts(kMaxParts);
  return parameter;
}

ApiOperation read_operation(const JsonValue& root, const std::string& path, const std::string& method) {
  const JsonValue value = root.at("paths").at(path).at(method);
  ApiOperation operation;
  operation.id = value.at("operationId").text();
  operation.method = method;
  for (char& c : operation.method) c = static_cast<char>(c - 'a' + 'A');
  operation.path = path_parts(path);
  for (const JsonValue& way : value.at("security").items(kMaxParts)) {
    if (!way.at("token").is_null()) operation.scope = way.at("token").texts(1).front();
  }
  for (const JsonValue& parameter : value.at("parameters").items(kMaxParts)) {
    operation.parameters.push_back(read_parameter(root, parameter));
  }
  operation.is_conditional = !value.at("responses").at("304").is_null();
  return operation;
}

Error bad_parameter(const std::string& name, const std::string& found, const std::string& wanted) {
  const std::string shown = found.empty() ? "an empty text" : found.substr(0, 100) + (found.size() > 100 ? "..." : "");
  return input_error(name, shown, wanted, "see /api/v1/openapi.json");
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// A text from a target; absent where it has a "%" that begins no code, a zero byte, or what is no UTF-8. is_query: a
// "+" is a blank.
std::optional<std::string> decoded(std::string_view text, bool is_query) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += is_query && text[i] == '+' ? ' ' : text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex_digit(text[i + 1]);
    const int low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    result += static_cast<char>(high * 16 + low);
    i += 2;
  }
  for (std::size_t at = 0; at < result.size();) {
    const CodePoint point = code_point_at(result, at);
    if (point.value == kBrokenCodePoint || point.value == 0) return std::nullopt;
    at += point.bytes;
  }
  return result;
}

Result<void> check_number(const ApiParameter& parameter, const std::string& text) {
  double number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = std::floor(number) == number && text.find_first_not_of("-0123456789") == text.npos;
  const bool is_one = code == std::errc() && end == text.data() + text.size() && std::isfinite(number) &&
                      (is_whole || !parameter.is_whole_number);
  const bool is_low_enough =
      number <= parameter.maximum.value_or(number) && (!parameter.below || number < *parameter.below);
  if (is_one && is_low_enough && number >= parameter.minimum.value_or(number)) return {};
  std::string wanted = parameter.is_whole_number ? "a whole number" : "a number";
  if (parameter.minimum && parameter.maximum) {
    wanted += " from " + std::to_string(static_cast<std::int64_t>(*parameter.minimum)) + " to " +
              std::to_string(static_cast<std::int64_t>(*parameter.maximum));
  } else if (parameter.minimum && parameter.below) {
    wanted += " from " + shortest_text(*parameter.minimum) + " and below " + shortest_text(*parameter.below);
  }
  return bad_parameter(parameter.name, text, wanted);
}

Result<void> check_value(const ApiParameter& parameter, const std::string& text) {
  if (parameter.is_number) return check_number(parameter, text);
  if (text.size() > parameter.longest || text.size() < parameter.shortest) {
    return bad_parameter(parameter.name, std::to_string(text.size()) + " bytes",
                         std::to_string(parameter.shortest) + " to " + std::to_string(parameter.longest));
  }
  if (parameter.is_hex && !is_hex(text)) {
    return bad_parameter(parameter.name, text, "hexadecimal digits in small letters");
  }
  if (parameter.words.empty()) return {};
  if (std::find(parameter.words.begin(), parameter.words.end(), text) != parameter.words.end()) return {};
  return bad_parameter(parameter.name, text, joined_text(parameter.words, ", "));
}

const ApiParameter* find_parameter(const ApiOperation& operation, std::string_view name, ApiParameter::Place place) {
  for (const ApiParameter& parameter : operation.parameters) {
    if (parameter.name == name && parameter.place == place) return &parameter;
  }
  return nullptr;
}

Error unknown_parameter(const ApiOperation& operation, const std::string& name) {
  std::vector<std::string> known;
  for (const ApiParameter& parameter : operation.parameters) {
    if (parameter.place == ApiParameter::Place::query) known.push_back(parameter.name);
  }
  return bad_parameter("query", '"' + name + '"',
                       known.empty() ? "no parameter here" : "one of " + joined_text(known, ", "));
}

}  // namespace

Result<ApiDescription> ApiDescription::parse(std::string_view text) {
  STEELYARD_TRY(const JsonDocument document, JsonDocument::parse(text, "openapi.json"));
  const JsonValue root = document.root();
  ApiDescription description;
  for (const std::string& path : root.at("paths").names()) {
    for (const std::string& method : root.at("paths").at(path).names()) {
      description.operations_.push_back(read_operation(root, path, method));
    }
  }
  STEELYARD_CHECK(document.check());
  return description;
}

ApiDescription::Match ApiDescription::find(std::string_view method, std::string_view path) const {
  const std::vector<std::string> parts = path_parts(path);
  Match match;
  for (const ApiOperation& operation : operations_) {
    if (operation.path.size() != parts.size()) continue;
    ApiValues values;
    bool fits = true;
    for (std::size_t i = 0; fits && i < parts.size(); ++i) {
      const std::string& part = operation.path[i];
      if (part.starts_with('{')) {
        values[part.substr(1, part.size() - 2)] = parts[i];
      } else {
        fits = part == parts[i];
      }
    }
    if (!fits) continue;
    match.allowed.push_back(operation.method);
    if (operation.method == "GET") match.allowed.emplace_back("HEAD");
    if (operation.method != method && !(operation.method == "GET" && method == "HEAD")) continue;
    match.operation = &operation;
    match.path = std::move(values);
  }
  return match;
}

Result<ApiValues> ApiDescription::read(const ApiOperation& operation, const ApiValues& path, std::string_view query) {
  ApiValues values;
  for (const auto& [name, text] : path) {
    const std::optional<std::string> value = decoded(text, false);
    const ApiParameter* parameter = find_parameter(operation, name, ApiParameter::Place::path);
    if (!value || parameter == nullptr) return bad_parameter(name, text, "UTF-8, percent-encoded");
    STEELYARD_CHECK(check_value(*parameter, *value));
    values[name] = *value;
  }
  for (std::size_t at = 0; at < query.size();) {
    const std::size_t end = std::min(query.find('&', at), query.size());
    const std::string_view pair = query.substr(at, end - at);
    at = end + 1;
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const std::optional<std::string> name = decoded(pair.substr(0, equals), true);
    const std::optional<std::string> value =
        decoded(equals < pair.size() ? pair.substr(equals + 1) : std::string_view{}, true);
    if (!name || !value) return bad_parameter("query", std::string(pair), "UTF-8, percent-encoded");
    const ApiParameter* parameter = find_parameter(operation, *name, ApiParameter::Place::query);
    if (parameter == nullptr) return unknown_parameter(operation, *name);
    if (!values.emplace(*name, *value).second) return bad_parameter(*name, "the parameter twice", "once");
    // Empty is the same as not there, as forms send it.
    if (!value->empty()) STEELYARD_CHECK(check_value(*parameter, *value));
  }
  for (const ApiParameter& parameter : operation.parameters) {
    std::string& value = values[parameter.name];
    if (value.empty()) value = parameter.usual;
    if (value.empty() && parameter.is_required) return bad_parameter(parameter.name, "nothing", "a value");
  }
  return values;
}

}  // namespace steelyard::ci

// Writing JSON, for a program that carries no library for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace steelyard::cuda {

// In quotes; control characters as \u00XX, bytes that are no UTF-8 as the replacement character.
std::string json_text(std::string_view text);
// The shortest text that reads back to the same number. Precondition: finite.
std::string json_number(double value);
std::string json_number(std::int64_t value);

// {"a": 1, "b": "c"}, field by field.
class JsonObject {
 public:
  JsonObject& text(std::string_view key, std::string_view value) { return add(key, json_text(value)); }
  JsonObject& number(std::string_view key, double value) { return add(key, json_number(value)); }
  JsonObject& integer(std::string_view key, std::int64_t value) { return add(key, json_number(value)); }
  JsonObject& flag(std::string_view key, bool value) { return add(key, value ? "true" : "false"); }
  // `json`: a value as it stands.
  JsonObject& add(std::string_view key, std::string_view json);
  std::string str() const { return '{' + fields_ + '}'; }

 private:
  std::string fields_;
};

}  // namespace steelyard::cuda

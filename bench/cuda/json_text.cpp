#include "bench/cuda/json_text.hpp"

#include <cassert>
#include <cmath>

#include "bench/model/text.hpp"

namespace steelyard::cuda {

std::string json_text(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string json = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const CodePoint point = code_point_at(text, i);
    if (byte == '"' || byte == '\\') {
      json += '\\';
      json += text[i];
    } else if (byte < 0x20 || byte == 0x7F) {
      json += "\\u00";
      json += kHex[byte >> 4U];
      json += kHex[byte & 15U];
    } else if (point.value == kBrokenCodePoint) {
      json += "\\ufffd";
    } else {
      json += text.substr(i, point.bytes);
    }
    i += point.bytes;
  }
  return json + '"';
}

std::string json_number(double value) {
  assert(std::isfinite(value));
  return shortest_text(value);
}

std::string json_number(std::int64_t value) { return std::to_string(value); }

JsonObject& JsonObject::add(std::string_view key, std::string_view json) {
  if (!fields_.empty()) fields_ += ", ";
  fields_ += json_text(key) + ": ";
  fields_ += json;
  return *this;
}

}  // namespace steelyard::cuda

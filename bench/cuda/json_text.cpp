#include "bench/cuda/json_text.hpp"

#include <array>
#include <cassert>
#include <charconv>
#include <cmath>

namespace steelyard::cuda {
namespace {

unsigned char byte_at(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
}

// Bytes of the UTF-8 character at `i`; 0: there is none. Overlong forms and halves of surrogates are none.
std::size_t character_bytes(std::string_view text, std::size_t i) {
  const unsigned char first = byte_at(text, i);
  const std::size_t size = first < 0x80   ? 1
                           : first < 0xC2 ? 0
                           : first < 0xE0 ? 2
                           : first < 0xF0 ? 3
                           : first < 0xF5 ? 4
                                          : 0;
  for (std::size_t k = 1; k < size; ++k) {
    if ((byte_at(text, i + k) & 0xC0U) != 0x80U) return 0;
  }
  const unsigned char second = byte_at(text, i + 1);
  if (first == 0xE0 && second < 0xA0) return 0;
  if (first == 0xED && second >= 0xA0) return 0;
  if (first == 0xF0 && second < 0x90) return 0;
  if (first == 0xF4 && second >= 0x90) return 0;
  return size;
}

}  // namespace

std::string json_text(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string json = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const unsigned char byte = byte_at(text, i);
    const std::size_t bytes = character_bytes(text, i);
    if (byte == '"' || byte == '\\') {
      json += '\\';
      json += text[i];
    } else if (byte < 0x20 || byte == 0x7F) {
      json += "\\u00";
      json += kHex[byte >> 4U];
      json += kHex[byte & 15U];
    } else if (bytes == 0) {
      json += "\\ufffd";
    } else {
      json += text.substr(i, bytes);
    }
    i += bytes == 0 ? 1 : bytes;
  }
  return json + '"';
}

std::string json_number(double value) {
  assert(std::isfinite(value));
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::string(text.data(), end) : "0";
}

std::string json_number(std::int64_t value) { return std::to_string(value); }

JsonObject& JsonObject::add(std::string_view key, std::string_view json) {
  if (!fields_.empty()) fields_ += ", ";
  fields_ += json_text(key) + ": ";
  fields_ += json;
  return *this;
}

}  // namespace steelyard::cuda

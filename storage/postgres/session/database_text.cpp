#include "storage/postgres/session/database_text.hpp"

#include <cstddef>
#include <cstdint>

#include "bench/model/text.hpp"

namespace steelyard {
namespace {

// Plane 16 is for private use; this block stays clear of its two noncharacters, U+10FFFE and U+10FFFF.
constexpr std::uint32_t kByteBlock = 0x10F700;

std::uint32_t byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

bool is_escape(CodePoint point) { return point.value >= kByteBlock && point.value <= kByteBlock + 0xFF; }

void append_escape(std::string& text, std::uint32_t byte) {
  const std::uint32_t value = kByteBlock + byte;
  text += static_cast<char>(0xF0U | (value >> 18U));
  text += static_cast<char>(0x80U | ((value >> 12U) & 0x3FU));
  text += static_cast<char>(0x80U | ((value >> 6U) & 0x3FU));
  text += static_cast<char>(0x80U | (value & 0x3FU));
}

}  // namespace

std::string encode_database_text(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const CodePoint point = code_point_at(bytes, at);
    // A code point of our own block is escaped byte by byte too: otherwise it would read back as the byte it stands
    // for.
    const bool as_it_is = point.value != kBrokenCodePoint && point.value != 0 && !is_escape(point);
    const std::size_t length = as_it_is ? point.bytes : 1;
    if (as_it_is) {
      text.append(bytes.substr(at, length));
    } else {
      append_escape(text, byte_at(bytes, at));
    }
    at += length;
  }
  return text;
}

std::string decode_database_text(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    if (is_escape(point)) {
      bytes += static_cast<char>(point.value - kByteBlock);
    } else {
      bytes.append(text.substr(at, point.bytes));
    }
    at += point.bytes;
  }
  return bytes;
}

std::string zero_bytes_for_jsonb(std::string_view json) {
  constexpr std::string_view kZero = "\\u0000";
  std::string text;
  text.reserve(json.size());
  for (std::size_t at = 0; at < json.size();) {
    const bool is_zero = json.substr(at, kZero.size()) == kZero;
    // A backslash takes the next character with it: of "\\\\u0000" the second one begins no escape.
    const std::size_t length = is_zero ? kZero.size() : json[at] == '\\' ? 2 : 1;
    if (is_zero) {
      text += '\0';
    } else {
      text.append(json.substr(at, length));
    }
    at += length;
  }
  return text;
}

std::string zero_bytes_from_jsonb(std::string_view text) {
  std::string json;
  json.reserve(text.size());
  for (const char c : text) {
    if (c == '\0') {
      json += "\\u0000";
    } else {
      json += c;
    }
  }
  return json;
}

}  // namespace steelyard

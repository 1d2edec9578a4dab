#include "bench/harness/measurement_records.hpp"

#include <stdexcept>

#include "bench/model/utf8.hpp"

namespace steelyard::records {
namespace {

constexpr const char* kHexDigits = "0123456789ABCDEF";

unsigned digit_value(char digit) {
  if (digit >= '0' && digit <= '9') return static_cast<unsigned>(digit - '0');
  if (digit >= 'A' && digit <= 'F') return static_cast<unsigned>(digit - 'A' + 10);
  throw std::runtime_error("an escape that is none");
}

}  // namespace

std::string escaped(const std::string& text) {
  const bool keep_high = is_utf8(text);
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_control = byte < 0x20 && c != '\n' && c != '\t';
    if (c == '\\') {
      result += "\\\\";
    } else if (is_control || byte == 0x7F || (byte >= 0x80 && !keep_high)) {
      result += {'\\', 'x', kHexDigits[byte >> 4U], kHexDigits[byte & 0xFU]};
    } else {
      result += c;
    }
  }
  return result;
}

std::string unescaped(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      result += text[i];
    } else if (i + 1 < text.size() && text[i + 1] == '\\') {
      result += '\\';
      ++i;
    } else if (i + 3 < text.size() && text[i + 1] == 'x') {
      result += static_cast<char>(digit_value(text[i + 2]) << 4U | digit_value(text[i + 3]));
      i += 3;
    } else {
      throw std::runtime_error("an escape that is none");
    }
  }
  return result;
}

}  // namespace steelyard::records

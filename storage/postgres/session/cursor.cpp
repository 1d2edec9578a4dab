#include "storage/postgres/session/cursor.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "bench/model/text.hpp"

namespace steelyard::storage {
namespace {

constexpr std::size_t kLongestCursor = 100'000;  // names of benchmarks are long
constexpr std::string_view kCursorDigits = "0123456789abcdef";

std::optional<std::string> bytes_of(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const std::size_t high = kCursorDigits.find(hex[i]);
    const std::size_t low = kCursorDigits.find(hex[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

// What no text of the store can be equal to is refused here, not by the server.
bool is_storable(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    if (point.value == kBrokenCodePoint || point.value == 0) return false;
    at += point.bytes;
  }
  return true;
}

}  // namespace

Error no_cursor(const std::string& after) {
  return input_error("--after", '"' + after.substr(0, 60) + '"', "what the page before said comes next",
                     "begin anew without it");
}

std::string write_cursor(std::string_view kind, const std::vector<std::string>& fields) {
  std::string text(kind);
  for (const std::string& field : fields) text += '-' + hex_text(field);
  return text;
}

Result<std::vector<std::string>> read_cursor(std::string_view kind, std::size_t fields, const std::string& text) {
  if (text.size() > kLongestCursor) return no_cursor(text);
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('-', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (parts.size() != fields + 1 || parts.front() != kind) return no_cursor(text);
  std::vector<std::string> result;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    std::optional<std::string> field = bytes_of(parts[i]);
    if (!field || !is_storable(*field)) return no_cursor(text);
    result.push_back(std::move(*field));
  }
  return result;
}

Result<std::int64_t> number_of_cursor(const std::string& field) {
  std::int64_t value = 0;
  const char* const end = field.data() + field.size();
  const auto [stop, code] = std::from_chars(field.data(), end, value);
  if (code == std::errc() && stop == end) return value;
  return no_cursor(field);
}

}  // namespace steelyard::storage

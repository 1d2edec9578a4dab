#include "storage/postgres/history/cursor.hpp"

#include <cstdint>
#include <optional>

namespace steelyard {
namespace {

constexpr std::size_t kLongestCursor = 100'000;  // names of benchmarks are long
constexpr std::string_view kDigits = "0123456789abcdef";

std::string hex_of(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::optional<std::string> bytes_of(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const std::size_t high = kDigits.find(hex[i]);
    const std::size_t low = kDigits.find(hex[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

}  // namespace

std::string write_cursor(std::string_view kind, const std::vector<std::string>& fields) {
  std::string text(kind);
  for (const std::string& field : fields) text += '-' + hex_of(field);
  return text;
}

Result<std::vector<std::string>> read_cursor(std::string_view kind, std::size_t fields, const std::string& text) {
  const auto refusal = [&] {
    return input_error("--after", '"' + text.substr(0, 60) + '"', "what the page before said comes next",
                       "begin anew without it");
  };
  if (text.size() > kLongestCursor) return refusal();
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('-', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (parts.size() != fields + 1 || parts.front() != kind) return refusal();
  std::vector<std::string> result;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    std::optional<std::string> field = bytes_of(parts[i]);
    if (!field) return refusal();
    result.push_back(std::move(*field));
  }
  return result;
}

}  // namespace steelyard

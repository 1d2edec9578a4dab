#include "storage/postgres/session/sql_values.hpp"

#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "bench/model/text.hpp"

namespace steelyard::storage {
namespace {

// The longest shortest form of a double is 24 characters ("-2.2250738585072014e-308"), of a 64-bit integer 20.
using NumberText = std::array<char, 32>;
constexpr std::string_view kHexDigits = "0123456789abcdef";

template <class Number>
void append_number(std::string& text, Number value) {
  NumberText digits{};
  const auto [end, code] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  assert(code == std::errc());
  text.append(digits.data(), end);
}

void append_double(std::string& text, double value) {
  if (std::isnan(value)) {
    text += "NaN";
  } else if (std::isinf(value)) {
    text += value > 0 ? "Infinity" : "-Infinity";
  } else {
    append_number(text, value);
  }
}

// `value`: as the database has it.
void append_quoted(std::string& text, std::string_view value) {
  text += '"';
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  text += '"';
}

template <class Container, class Append>
std::string array_literal(const Container& values, Append append) {
  std::string text = "{";
  for (const auto& value : values) {
    if (text.size() > 1) text += ',';
    append(text, value);
  }
  return text + '}';
}

template <class Value, class Parse>
std::vector<Value> plain_array(std::string_view literal, Parse parse) {
  assert(literal.size() >= 2 && literal.front() == '{' && literal.back() == '}');
  std::vector<Value> values;
  std::string_view rest = literal.substr(1, literal.size() - 2);
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    values.push_back(parse(rest.substr(0, comma)));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  return values;
}

constexpr std::size_t kNullLength = static_cast<std::size_t>(-1);

}  // namespace

SqlValues& SqlValues::text(std::string_view value) {
  cells_.emplace_back(encode_database_text(value));
  return *this;
}
SqlValues& SqlValues::integer(std::int64_t value) {
  append_number(cells_.emplace_back("").value(), value);
  return *this;
}
SqlValues& SqlValues::integer(const std::optional<std::int64_t>& value) { return value ? integer(*value) : null(); }
SqlValues& SqlValues::unsigned_integer(std::uint64_t value) {
  append_number(cells_.emplace_back("").value(), value);
  return *this;
}
SqlValues& SqlValues::number(double value) {
  append_double(cells_.emplace_back("").value(), value);
  return *this;
}
SqlValues& SqlValues::number(const std::optional<double>& value) { return value ? number(*value) : null(); }
SqlValues& SqlValues::boolean(bool value) {
  cells_.emplace_back(value ? "t" : "f");
  return *this;
}
SqlValues& SqlValues::bytes(std::string_view value) {
  append_bytes_text(cells_.emplace_back("").value(), value);
  return *this;
}
SqlValues& SqlValues::null() {
  cells_.emplace_back(std::nullopt);
  return *this;
}
SqlValues& SqlValues::texts(const std::vector<std::string>& values) {
  cells_.emplace_back(array_literal(
      values, [](std::string& text, std::string_view value) { append_quoted(text, encode_database_text(value)); }));
  return *this;
}
SqlValues& SqlValues::integers(const std::vector<std::int64_t>& values) {
  cells_.emplace_back(array_literal(values, append_number<std::int64_t>));
  return *this;
}
SqlValues& SqlValues::numbers(const std::vector<double>& values) {
  cells_.emplace_back(array_literal(values, append_double));
  return *this;
}
SqlValues& SqlValues::booleans(const std::vector<bool>& values) {
  cells_.emplace_back(array_literal(values, [](std::string& text, bool value) { text += value ? 't' : 'f'; }));
  return *this;
}
SqlValues& SqlValues::arrays(const std::vector<SqlValues>& rows, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    cells_.emplace_back(array_literal(rows, [i](std::string& text, const SqlValues& row) {
      row.cells()[i] ? append_quoted(text, *row.cells()[i]) : void(text += "NULL");
    }));
  }
  return *this;
}

SqlValues& SqlValues::append(const SqlValues& more) {
  cells_.insert(cells_.end(), more.cells_.begin(), more.cells_.end());
  return *this;
}

void append_integer_text(std::string& text, std::int64_t value) { append_number(text, value); }
void append_number_text(std::string& text, double value) { append_double(text, value); }
void append_bytes_text(std::string& text, std::string_view value) {
  text += "\\x";
  std::size_t at = text.size();
  text.resize(at + 2 * value.size());
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    text[at++] = kHexDigits[byte / 16];
    text[at++] = kHexDigits[byte % 16];
  }
}

std::vector<std::string> texts_of_array(std::string_view literal) {
  assert(literal.size() >= 2 && literal.front() == '{' && literal.back() == '}');
  const std::string_view body = literal.substr(1, literal.size() - 2);
  std::vector<std::string> values;
  std::string value;
  bool quoted = false;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] == '"') {
      quoted = !quoted;
    } else if (body[i] == '\\' && i + 1 < body.size()) {
      value += body[++i];
    } else if (body[i] == ',' && !quoted) {
      values.push_back(decode_database_text(value));
      value.clear();
    } else {
      value += body[i];
    }
  }
  // An empty element is written "", so that an empty body means no element at all.
  if (!body.empty()) values.push_back(decode_database_text(value));
  return values;
}

std::vector<std::int64_t> integers_of_array(std::string_view literal) {
  return plain_array<std::int64_t>(literal, integer_of_text);
}
std::vector<double> numbers_of_array(std::string_view literal) { return plain_array<double>(literal, number_of_text); }

std::string bytes_of_text(std::string_view text) {
  assert(text.starts_with("\\x") && text.size() % 2 == 0);
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 2; i + 1 < text.size(); i += 2) {
    bytes += static_cast<char>(digit(text[i]) * 16 + digit(text[i + 1]));
  }
  return bytes;
}

std::int64_t integer_of_text(std::string_view text) {
  std::int64_t value = 0;
  [[maybe_unused]] const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  assert(parsed.ec == std::errc());
  return value;
}

double number_of_text(std::string_view text) {
  double value = 0;
  [[maybe_unused]] const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  assert(parsed.ec == std::errc());
  return value;
}

CopyRow& CopyRow::integer(std::int64_t value) {
  append_integer_text(text_, value);
  finish_cell();
  return *this;
}
CopyRow& CopyRow::integer(const std::optional<std::int64_t>& value) { return value ? integer(*value) : null(); }
CopyRow& CopyRow::number(const std::optional<double>& value) {
  if (!value) return null();
  append_number_text(text_, *value);
  finish_cell();
  return *this;
}
CopyRow& CopyRow::bytes(std::string_view value) {
  append_bytes_text(text_, value);
  finish_cell();
  return *this;
}
CopyRow& CopyRow::null() {
  starts_.push_back(kNullLength);
  return *this;
}

void CopyRow::finish_cell() {
  text_ += '\0';
  starts_.push_back(start_);
  start_ = text_.size();
}

void CopyRow::clear() {
  text_.clear();
  starts_.clear();
  start_ = 0;
}

const std::vector<const char*>& CopyRow::cells() {
  cells_.clear();
  for (const std::size_t start : starts_) cells_.push_back(start == kNullLength ? nullptr : text_.data() + start);
  return cells_;
}

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

std::string quoted_name(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + '"';
}

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

}  // namespace steelyard::storage

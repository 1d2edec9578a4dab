#include "ci/config/written_value.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>

#include "ci/config/nearest_name.hpp"

namespace steelyard {
namespace {

constexpr std::size_t kMostItems = 1000;  // of a list: far above any real one, bounds what a wrong file can ask for

std::string number_text(double number) {
  std::array<char, 32> text{};
  const auto [end, code] = std::to_chars(text.data(), text.data() + text.size(), number);
  return code == std::errc() ? std::string(text.data(), end) : "?";
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<double> parse_number(std::string_view text) {
  double number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

std::optional<std::int64_t> parse_count(std::string_view text) {
  std::int64_t count = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return count;
}

Error refusal(const WrittenValue& value, const std::string& where, std::string wanted, std::string mend = "") {
  return input_error(where, to_text(value), std::move(wanted), std::move(mend));
}

// "0.01" and "1%"; absent where it is neither.
std::optional<double> parse_share(std::string_view text) {
  text = trimmed(text);
  const bool percent = text.ends_with('%');
  if (percent) text = trimmed(text.substr(0, text.size() - 1));
  const std::optional<double> number = parse_number(text);
  if (!number) return std::nullopt;
  return percent ? *number / 100 : *number;
}

}  // namespace

std::string quoted_for_toml(std::string_view text) {
  std::string quoted = "\"";
  for (const char character : text) {
    if (character == '"' || character == '\\') {
      quoted += '\\';
      quoted += character;
    } else if (static_cast<unsigned char>(character) < 0x20 || character == 0x7f) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04X", static_cast<unsigned>(character));
      quoted += escape.data();
    } else {
      quoted += character;
    }
  }
  return quoted + '"';
}

std::string to_text(const WrittenValue& value) {
  struct Writer {
    std::string operator()(const std::string& text) const { return quoted_for_toml(text); }
    std::string operator()(std::int64_t count) const { return std::to_string(count); }
    std::string operator()(double number) const { return number_text(number); }
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(const std::vector<std::string>& items) const {
      std::string list = "[";
      for (const std::string& item : items) list += (list.size() > 1 ? ", " : "") + quoted_for_toml(item);
      return list + ']';
    }
  };
  return std::visit(Writer{}, value.content);
}

Result<std::string> read_text(const WrittenValue& value, const std::string& where) {
  const std::string* text = std::get_if<std::string>(&value.content);
  if (text == nullptr) return refusal(value, where, "text in quotes", "write \"" + to_text(value) + '"');
  return *text;
}

Result<bool> read_flag(const WrittenValue& value, const std::string& where) {
  if (const bool* flag = std::get_if<bool>(&value.content)) return *flag;
  if (value.from_command_line) {
    const std::string& text = std::get<std::string>(value.content);
    if (text == "true" || text == "false") return text == "true";
  }
  return refusal(value, where, "true or false");
}

Result<Nanoseconds> read_duration(const WrittenValue& value, const std::string& where) {
  const std::string* text = std::get_if<std::string>(&value.content);
  if (text == nullptr) {
    return refusal(value, where, "a duration with its unit (ns us ms s m h), in quotes",
                   "write \"" + to_text(value) + "s\" if seconds are meant");
  }
  STEELYARD_TRY(const Nanoseconds duration, parse_duration(*text, where));
  if (duration.count() <= 0) return refusal(value, where, "a duration above 0");
  return duration;
}

Result<std::vector<std::string>> read_list(const WrittenValue& value, const std::string& where) {
  std::vector<std::string> items;
  if (const auto* list = std::get_if<std::vector<std::string>>(&value.content)) {
    items = *list;
  } else if (value.from_command_line) {
    std::string_view rest = std::get<std::string>(value.content);
    while (items.size() <= kMostItems) {
      const std::size_t comma = rest.find(',');
      items.emplace_back(trimmed(rest.substr(0, comma)));
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
  } else {
    return refusal(value, where, "a list of texts", "write [" + to_text(value) + ']');
  }
  if (items.size() > kMostItems) return input_error(where, std::to_string(items.size()) + " items", "at most 1000");
  for (const std::string& item : items) {
    if (trimmed(item).empty()) return refusal(value, where, "a list without empty items");
  }
  return items;
}

Result<std::int64_t> read_count(const WrittenValue& value, const std::string& where, CountRange range) {
  std::optional<std::int64_t> count;
  if (const auto* integer = std::get_if<std::int64_t>(&value.content)) count = *integer;
  if (value.from_command_line) count = parse_count(std::get<std::string>(value.content));
  if (!count || *count < range.least || *count > range.most) {
    return refusal(value, where,
                   "a whole number from " + std::to_string(range.least) + " to " + std::to_string(range.most));
  }
  return *count;
}

Result<double> read_share(const WrittenValue& value, const std::string& where, ShareRange range) {
  std::optional<double> share;
  if (const auto* text = std::get_if<std::string>(&value.content)) share = parse_share(*text);
  if (const auto* integer = std::get_if<std::int64_t>(&value.content)) share = static_cast<double>(*integer);
  if (const auto* number = std::get_if<double>(&value.content)) share = *number;
  const bool in_range = share && (*share > 0 || (*share == 0 && range.zero_allowed)) && *share < range.most;
  if (in_range) return *share;
  const std::string least = range.zero_allowed ? "from 0" : "above 0";
  return refusal(value, where, "a part of one " + least + " and below " + number_text(range.most) + ", or per cent",
                 share && *share >= 1 ? "write \"" + number_text(*share) + "%\" if per cent is meant"
                                      : "write for example 0.02 or \"2%\"");
}

Result<std::size_t> read_word(const WrittenValue& value, const std::string& where,
                              const std::vector<std::string>& words) {
  std::string wanted;
  for (const std::string& word : words) wanted += (wanted.empty() ? "" : ", ") + word;
  wanted = "one of " + wanted;
  const std::string* text = std::get_if<std::string>(&value.content);
  if (text == nullptr) return refusal(value, where, wanted);
  const auto found = std::find(words.begin(), words.end(), *text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  const std::optional<std::string> nearest = nearest_name(*text, words);
  return refusal(value, where, wanted, nearest ? "write \"" + *nearest + '"' : "");
}

}  // namespace steelyard

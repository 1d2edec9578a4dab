#include "ci/config/written_value.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>
#include <regex>

#include "bench/model/extended_expression.hpp"
#include "bench/model/parse_number.hpp"
#include "bench/model/text.hpp"

namespace steelyard::ci {
namespace {

constexpr std::size_t kMaxItems = 1000;  // of a list: far above any real one, bounds what a wrong file can ask for

std::optional<double> parse_number(std::string_view text) {
  const std::optional<double> number = parse_as<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<std::int64_t> parse_count(std::string_view text) { return parse_as<std::int64_t>(text); }

Error refusal(const WrittenValue& value, const std::string& where, std::string wanted, std::string fix = "") {
  return input_error(where, to_text(value), std::move(wanted), std::move(fix));
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
    std::string operator()(double number) const { return shortest_text(number); }
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

namespace {

// Of a filter; behind "-" what is excluded.
std::string expression_of(const std::string& filter) { return filter.substr(filter.starts_with('-') ? 1 : 0); }

bool has_sign(const std::string& expression, const char* text) { return expression.find(text) != std::string::npos; }

// Not compiled: what is long, in which compilers recurse too deep; what counts ("{9}"), of which some take more memory
// than there is; and \Q and \c, which dialects without them take for letters.
bool is_not_tried(const std::string& expression) {
  constexpr std::size_t kLongestTried = 1000;
  return expression.size() > kLongestTried || has_sign(expression, "{") || has_sign(expression, "\\Q") ||
         has_sign(expression, "\\c");
}

// The classes that RE2 alone has, such as [[:word:]] and [[:^alpha:]], by a name that every dialect knows.
std::string with_known_classes(const std::string& expression) {
  if (!has_sign(expression, "[:")) return expression;
  const std::regex of_re2(
      R"(\[:(word|ascii|\^(alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper|word|xdigit)):\])");
  return std::regex_replace(expression, of_re2, "[:alpha:]");
}

// "(?i)" and what else is written so are of RE2 and others, which comment behind "#", escape in ways of their own, and
// take a set from another by "--".
bool has_flags(const std::string& expression) { return has_sign(expression, "(?"); }
bool is_not_tried_with_flags(const std::string& expression) {
  return has_sign(expression, "#") || has_sign(expression, "\\") || has_sign(expression, "--");
}

// With every flag, and every kind of group, as a plain group of its letters.
std::string without_flags(std::string expression) {
  for (std::size_t at = 0; (at = expression.find("(?", at)) != std::string::npos; ++at) expression.erase(at + 1, 1);
  return expression;
}

std::string words_of_open(char sign) {
  if (sign == '\\') return "a backslash at the end";
  return std::string("a ") + sign + " without its " + (sign == '(' ? ')' : ']');
}

bool is_ecmascript(const std::string& expression) {
  try {
    const std::regex compiled(expression);
    return true;
  } catch (const std::regex_error&) {
    return false;
  }
}

}  // namespace

// Which dialect a program was built with, only the program knows: ECMAScript, POSIX extended, RE2.
Result<void> check_filter(const std::string& filter, const std::string& where) {
  const std::string expression = expression_of(filter);
  constexpr const char* kWanted = "one, as Google Benchmark takes it";
  constexpr std::size_t kMaxShown = 200;  // columns, of what may be of any length
  if (is_not_tried(expression) || has_flags(expression)) {
    if (const char open = left_open(expression); open != 0) {
      const std::string shown = '"' + shortened(filter, kMaxShown, false) + '"';
      return input_error(where, shown + ", which is no regular expression (" + words_of_open(open) + ')', kWanted,
                         fix_of_open(open));
    }
    if (is_not_tried(expression) || is_not_tried_with_flags(expression)) return {};
  }
  const std::string tried = with_known_classes(without_flags(expression));
  const Result<ExtendedExpression> posix = ExtendedExpression::compile(tried, where, filter);
  if (posix || is_ecmascript(tried)) return {};
  return input_error(where, posix.error().found, kWanted, posix.error().fix);
}

bool filter_excludes(const std::string& filter, const std::string& benchmark) {
  const std::string expression = expression_of(filter);
  if (filter.empty() || filter == "all" || is_not_tried(expression)) return false;
  const bool is_excluding = filter.starts_with('-');
  const Result<ExtendedExpression> posix = ExtendedExpression::compile(expression, "");
  if (posix && posix->finds_in(benchmark) != is_excluding) return false;
  try {
    return std::regex_search(benchmark, std::regex(expression)) == is_excluding;
  } catch (const std::regex_error&) {
    return static_cast<bool>(posix);
  }
}

Result<std::string> read_filter(const WrittenValue& value, const std::string& where) {
  STEELYARD_TRY(std::string filter, read_text(value, where));
  Result<void> checked = check_filter(filter, where);
  if (checked) return filter;
  Error error = std::move(checked).error();
  // Double quotes have escapes of their own, in which a backslash before a parenthesis is a mistake.
  if (!value.from_command_line && !error.fix.empty()) error.fix += ", between single quotes ('...')";
  return error;
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
    // What is no text has no unit, so that it is none.
    return refusal(value, where, "a duration with its unit (ns us ms s m h), in quotes",
                   parse_duration(to_text(value), where).error().fix);
  }
  STEELYARD_TRY(const Nanoseconds duration, parse_duration(*text, where));
  if (duration.count() <= 0) return refusal(value, where, "a duration above 0");
  return duration;
}

Result<std::string> read_day(const WrittenValue& value, const std::string& where) {
  STEELYARD_TRY(std::string text, read_text(value, where));
  constexpr std::string_view kForm = "dddd-dd-dd";
  const auto fits = [](char form, char c) { return form == 'd' ? c >= '0' && c <= '9' : c == form; };
  const bool is_of_form = std::equal(kForm.begin(), kForm.end(), text.begin(), text.end(), fits);
  const auto part = [&text](std::size_t at, std::size_t count) { return std::stoi(text.substr(at, count)); };
  const bool is_day = is_of_form && std::chrono::year_month_day(std::chrono::year(part(0, 4)),
                                                                std::chrono::month(static_cast<unsigned>(part(5, 2))),
                                                                std::chrono::day(static_cast<unsigned>(part(8, 2))))
                                        .ok();
  if (is_day) return text;
  return input_error(where, '"' + text + '"', "a day as YEAR-MONTH-DAY", "write \"2026-12-31\"");
}

Result<std::vector<std::string>> read_list(const WrittenValue& value, const std::string& where) {
  std::vector<std::string> items;
  if (const auto* list = std::get_if<std::vector<std::string>>(&value.content)) {
    items = *list;
  } else if (value.from_command_line) {
    std::string_view rest = std::get<std::string>(value.content);
    while (items.size() <= kMaxItems) {
      const std::size_t comma = rest.find(',');
      items.emplace_back(trimmed(rest.substr(0, comma)));
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
  } else {
    return refusal(value, where, "a list of texts", "write [" + to_text(value) + ']');
  }
  if (items.size() > kMaxItems) return input_error(where, std::to_string(items.size()) + " items", "at most 1000");
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
  if (in_range) return std::abs(*share);  // -0 is 0
  const std::string least = range.zero_allowed ? "from 0" : "above 0";
  return refusal(value, where, "a part of one " + least + " and below " + shortest_text(range.most) + ", or per cent",
                 share && *share >= 1 ? "write \"" + shortest_text(*share) + "%\" if per cent is meant"
                                      : "write for example 0.02 or \"2%\"");
}

Result<std::size_t> read_word(const WrittenValue& value, const std::string& where,
                              const std::vector<std::string>& words) {
  std::string wanted = joined_text(words, ", ");
  wanted = "one of " + wanted;
  const std::string* text = std::get_if<std::string>(&value.content);
  if (text == nullptr) return refusal(value, where, wanted);
  const auto found = std::find(words.begin(), words.end(), *text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  const std::optional<std::string> nearest = nearest_name(*text, words);
  return refusal(value, where, wanted, nearest ? "write \"" + *nearest + '"' : "");
}

namespace {
constexpr std::size_t kMaxNameCharacters = 64;  // no option or key is longer; bounds the table below
}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  a = a.substr(0, kMaxNameCharacters);
  b = b.substr(0, kMaxNameCharacters);
  std::array<std::array<int, kMaxNameCharacters + 1>, kMaxNameCharacters + 1> cost{};
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = static_cast<int>(i);
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

std::optional<std::string> nearest_name(std::string_view name, const std::vector<std::string>& known) {
  if (name.size() > kMaxNameCharacters) return std::nullopt;
  // The beginning of one name and of no other is meant for that one, however much is missing.
  constexpr std::size_t kMinBeginning = 3;
  const auto begins = [&](const std::string& candidate) { return candidate.starts_with(name); };
  const auto first = std::find_if(known.begin(), known.end(), begins);
  const bool is_one = std::all_of(first, known.end(), [&](const std::string& candidate) {
    return !begins(candidate) || candidate == *first;  // a benchmark may stand there once for each metric
  });
  if (name.size() >= kMinBeginning && first != known.end() && is_one) return *first;
  std::optional<std::string> best;
  int best_distance = 0;
  for (const std::string& candidate : known) {
    const int distance = edit_distance(name, candidate);
    const int allowed = std::max(2, static_cast<int>(std::max(name.size(), candidate.size()) / 3));
    if (distance > allowed || (best && distance >= best_distance)) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

namespace {

bool is_blank(char character) { return character == ' ' || character == '\t' || character == '\n'; }

// The word that starts at `at`, which moves behind it.
Result<std::string> next_word(std::string_view text, std::size_t& at, const std::string& where) {
  std::string word;
  char quote = 0;
  for (; at < text.size() && (quote != 0 || !is_blank(text[at])); ++at) {
    const char character = text[at];
    if (quote != 0 && character == quote) {
      quote = 0;
    } else if (quote == 0 && (character == '\'' || character == '"')) {
      quote = character;
    } else if (character == '\\' && quote != '\'' && at + 1 < text.size()) {
      word += text[++at];
    } else {
      word += character;
    }
  }
  if (quote == 0) return word;
  return input_error(where, std::string("a ") + quote + " that is not closed", "a command", "close it");
}

}  // namespace

Result<std::vector<std::string>> command_words(std::string_view text, const std::string& where) {
  std::vector<std::string> words;
  std::size_t at = 0;
  while (true) {
    while (at < text.size() && is_blank(text[at])) ++at;
    if (at == text.size()) break;
    STEELYARD_TRY(std::string word, next_word(text, at, where));
    words.push_back(std::move(word));
  }
  if (words.empty() || words.front().empty()) return input_error(where, "nothing", "a path and its arguments");
  return words;
}

}  // namespace steelyard::ci

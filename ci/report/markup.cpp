#include "ci/report/markup.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "ci/app/terminal_text.hpp"

namespace steelyard::ci {

Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json json_number(const std::optional<double>& value) { return value ? json_number(*value) : Json(nullptr); }

Json json_text(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json json_interval(const std::optional<Interval>& interval) {
  const bool is_finite = interval && std::isfinite(interval->low) && std::isfinite(interval->high);
  return is_finite ? Json::array({interval->low, interval->high}) : Json(nullptr);
}

std::string json_document(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace steelyard::ci

namespace steelyard::ci::markdown {
namespace {

constexpr std::size_t kLongestSentence = 600;

}  // namespace

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string code(const std::string& name, bool in_table) {
  const std::string text = shortened(printable(name, true), kLongestName, true);
  if (text.empty()) return "";
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  const std::string space = text.front() == '`' || text.back() == '`' ? " " : "";
  return fence + space + (in_table ? replaced(text, "|", "\\|") : text) + space + fence;
}

std::string words(const std::string& sentence) {
  std::string result;
  for (const char c : shortened(printable(sentence, true), kLongestSentence, true)) {
    if (c == '<') {
      result += "&lt;";
    } else if (c == '&') {
      result += "&amp;";
    } else {
      if (std::string_view("\\`*_[]|~$").find(c) != std::string_view::npos) result += '\\';
      result += c;
      // A word joiner keeps a mention, a reference to an issue or an address from becoming a link.
      if (c == '@' || c == '#') result += "\u2060";
    }
  }
  return replaced(replaced(std::move(result), "://", ":\u2060//"), "www.", "www\u2060.");
}

}  // namespace steelyard::ci::markdown

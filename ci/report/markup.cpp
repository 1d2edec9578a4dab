#include "ci/report/markup.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/sha256.hpp"
#include "bench/model/text.hpp"

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

std::string in_shell_quotes(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::string name_in_program(const std::string& benchmark) {
  return name_as_given(benchmark.substr(0, benchmark.find(" [")));
}

}  // namespace steelyard::ci

namespace steelyard::ci::markdown {
namespace {

constexpr std::size_t kLongestSentence = 600;

}  // namespace

// Once through, as pages have megabytes of names.
std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  for (std::size_t at = text.find(from); at != std::string_view::npos; at = text.find(from)) {
    result += text.substr(0, at);
    result += to;
    text.remove_prefix(at + from.size());
  }
  return result += text;
}

std::size_t longest_run_of_backticks(std::string_view text) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

std::string code(const std::string& name, bool in_table) {
  const std::string text = shortened(printable(name, true), kLongestName, true);
  if (text.empty()) return "";
  const std::string fence(longest_run_of_backticks(text) + 1, '`');
  const std::string space = text.front() == '`' || text.back() == '`' ? " " : "";
  return fence + space + (in_table ? replaced(text, "|", "\\|") : text) + space + fence;
}

std::string words(const std::string& sentence) {
  const std::string text = shortened(printable(sentence, true), kLongestSentence, true);
  const auto is_alnum_at = [&text](std::size_t at) {
    return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
  };
  const auto begins_reference = [&](std::size_t at) {
    if (text[at] == '@' || text[at] == '#') return true;
    const bool is_named = is_alnum_at(at + 1);
    if (std::string_view("!%&^").find(text[at]) != std::string_view::npos) {
      return is_named || (at + 1 < text.size() && text[at + 1] == '"');
    }
    // "GH-7"
    const bool is_issue =
        text[at] == '-' && at >= 2 && (text.substr(at - 2, 2) == "GH" || text.substr(at - 2, 2) == "gh");
    return is_issue && is_named && (at == 2 || !is_alnum_at(at - 3));
  };
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '<') {
      result += "&lt;";
    } else if (c == '&') {
      result += "&amp;";
    } else {
      if (std::string_view("\\`*_[]|~$").find(c) != std::string_view::npos) result += '\\';
      result += c;
    }
    // A word joiner keeps a mention, a reference to an issue, a request or a milestone, or an address from becoming a
    // link.
    if (begins_reference(at)) result += "\u2060";
  }
  return replaced(replaced(std::move(result), "://", ":\u2060//"), "www.", "www\u2060.");
}

}  // namespace steelyard::ci::markdown

namespace steelyard::ci::html {

std::string text(std::string_view words, std::size_t longest) {
  return markup_text(shortened(printable_line(words, true), longest, true));
}

std::string element(std::string_view name, const std::string& content, std::string_view style) {
  const std::string attribute = style.empty() ? "" : " class=\"" + std::string(style) + "\"";
  return "<" + std::string(name) + attribute + ">" + content + "</" + std::string(name) + ">";
}

std::string script_text(const Json& json) {
  return markdown::replaced(json.dump(-1, ' ', false, Json::error_handler_t::replace), "<", "\\u003c");
}

std::string filled(std::string_view page, const std::vector<std::pair<std::string_view, std::string>>& texts) {
  std::string result;
  while (!page.empty()) {
    std::size_t first = page.size();
    const std::pair<std::string_view, std::string>* found = nullptr;
    for (const auto& one : texts) {
      const std::size_t at = page.find(one.first);
      if (at < first) first = at, found = &one;
    }
    result += page.substr(0, first);
    if (found == nullptr) break;
    result += found->second;
    page.remove_prefix(first + found->first.size());
  }
  return result;
}

std::string source_hash(std::string_view text) {
  Sha256 hash;
  hash.add(text);
  return "'sha256-" + base64_text(hash.bytes()) + "'";
}

std::string content_security_policy(std::string_view style, std::string_view script) {
  return "default-src 'none'; base-uri 'none'; form-action 'none'; style-src " + source_hash(style) + "; script-src " +
         source_hash(script);
}

}  // namespace steelyard::ci::html

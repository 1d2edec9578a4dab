#include "ci/report/trace_names.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "bench/model/text.hpp"

namespace steelyard::ci {
namespace {

constexpr std::string_view kUnnamedNamespace = "(anonymous namespace)";

bool begins_identifier(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_in_identifier(char c) { return begins_identifier(c) || (c >= '0' && c <= '9'); }

// From behind the last blank before the parameters to them, both outside of every "<". Instances of templates have
// their result before their names; "operator()" is a name. Empty: there are no parameters right behind a name.
std::string_view without_result_and_parameters(std::string_view text) {
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>') --depth;
    if (depth > 0) continue;
    if (text[i] == ' ') begin = i + 1;
    if (text[i] != '(') continue;
    if (text.substr(i).starts_with(kUnnamedNamespace)) {
      i += kUnnamedNamespace.size() - 1;
    } else if (text.substr(0, i).ends_with("operator") && text.substr(i).starts_with("()")) {
      ++i;
    } else {
      return text.substr(begin, i - begin);
    }
  }
  return "";
}

// How much of `text` stands before what it names: "at::" of "at::native::x". "f::{lambda" and "f::operator" name parts
// of f.
std::size_t qualifier_bytes(std::string_view text) {
  std::size_t end = 0;
  if (text.starts_with(kUnnamedNamespace)) {
    end = kUnnamedNamespace.size();
  } else if (begins_identifier(text.front())) {
    while (end < text.size() && is_in_identifier(text[end])) ++end;
  }
  if (end == 0 || !text.substr(end).starts_with("::")) return 0;
  const std::string_view named = text.substr(end + 2);
  const bool is_of_scope = !named.empty() && (begins_identifier(named.front()) || named.starts_with(kUnnamedNamespace));
  return is_of_scope && !named.starts_with("operator") ? end + 2 : 0;
}

}  // namespace

std::string short_kernel_name(const std::string& name) {
  const std::string_view text = without_result_and_parameters(name);
  std::string kept;
  for (std::size_t i = 0; i < text.size();) {
    const bool is_inside = i > 0 && is_in_identifier(text[i - 1]);
    const std::size_t qualifier = is_inside ? 0 : qualifier_bytes(text.substr(i));
    if (qualifier == 0) kept += text[i];
    i += std::max<std::size_t>(qualifier, 1);
  }
  return kept.empty() ? name : kept;
}

std::string cut_right(const std::string& text, std::size_t columns) {
  const std::string line = printable_line(text, true);
  if (columns_of(line) <= columns) return line;
  std::size_t at = 0;
  for (std::size_t kept = 0; kept < columns - 3; ++kept) at += code_point_at(line, at).bytes;
  return line.substr(0, at) + "...";
}

std::string cut_left(const std::string& text, std::size_t columns) {
  const std::string line = printable_line(text, true);
  const std::size_t length = columns_of(line);
  if (length <= columns) return line;
  std::size_t at = 0;
  for (std::size_t skipped = 0; skipped < length - columns + 3; ++skipped) at += code_point_at(line, at).bytes;
  return "..." + line.substr(at);
}

std::vector<std::string> fitted_names(const std::vector<std::string>& names, std::size_t columns) {
  constexpr std::size_t kMaxAlike = 1000;  // what nobody reads row by row is not worth the search
  std::map<std::string, std::set<std::string>> by_cut;
  for (const std::string& name : names) by_cut[cut_right(name, columns)].insert(printable_line(name, true));
  std::map<std::string, std::string> apart;
  for (const auto& [cut, lines] : by_cut) {
    if (lines.size() == 1 || lines.size() > kMaxAlike) continue;
    const std::vector<std::string> alike(lines.begin(), lines.end());
    const std::vector<std::string> told = shortened_apart(alike, columns, false);
    for (std::size_t i = 0; i < alike.size(); ++i) apart.emplace(alike[i], told[i]);
  }
  std::vector<std::string> fitted;
  for (const std::string& name : names) {
    const auto told = apart.find(printable_line(name, true));
    fitted.push_back(told == apart.end() ? cut_right(name, columns) : told->second);
  }
  return fitted;
}

std::vector<std::string> fitted_names(const std::vector<TraceName>& names, std::size_t columns) {
  std::map<std::string, std::set<std::string>> by_short;
  for (const TraceName& one : names) {
    if (one.is_on_device) by_short[short_kernel_name(one.name)].insert(one.name);
  }
  std::vector<std::string> texts;
  for (const TraceName& one : names) {
    const std::string brief = one.is_on_device ? short_kernel_name(one.name) : one.name;
    texts.push_back(one.is_on_device && by_short[brief].size() > 1 ? one.name : brief);
  }
  return fitted_names(texts, columns);
}

}  // namespace steelyard::ci

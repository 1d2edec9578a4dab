#include "storage/postgres/upkeep/script_effects.hpp"

#include <algorithm>
#include <cctype>

namespace steelyard {
namespace {

// The end of what begins at `at`, a comment or a quoted text; `at` where nothing of that kind begins there.
std::size_t end_of_hidden(std::string_view script, std::size_t at) {
  const auto after = [script](std::size_t found, std::size_t size) {
    return found == std::string_view::npos ? script.size() : found + size;
  };
  if (script.substr(at).starts_with("--")) return after(script.find('\n', at), 0);
  if (script[at] == '\'') return after(script.find('\'', at + 1), 1);
  if (script[at] != '$') return at;
  const std::size_t mark = script.find('$', at + 1);
  if (mark == std::string_view::npos) return at;
  const std::string_view tag = script.substr(at, mark + 1 - at);
  const bool is_tag =
      std::all_of(tag.begin() + 1, tag.end() - 1, [](unsigned char c) { return std::isalpha(c) != 0 || c == '_'; });
  return is_tag ? after(script.find(tag, mark + 1), tag.size()) : at;
}

// Statements as lists of words in lower case; a comma or a bracket ends a word.
std::vector<std::vector<std::string>> statements_of(std::string_view script) {
  std::vector<std::vector<std::string>> statements(1);
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) statements.back().push_back(std::move(word));
    word.clear();
  };
  for (std::size_t i = 0; i < script.size(); ++i) {
    if (const std::size_t end = end_of_hidden(script, i); end > i) {
      end_word();
      i = end - 1;
      continue;
    }
    const auto c = static_cast<unsigned char>(script[i]);
    if (std::isalnum(c) != 0 || c == '_' || c == '.' || c == '"') {
      word += static_cast<char>(std::tolower(c));
      continue;
    }
    end_word();
    if (c == ';') statements.emplace_back();
  }
  end_word();
  return statements;
}

std::string without_schema(const std::string& name) { return name.substr(name.rfind('.') + 1); }

void add(std::vector<std::string>& list, const std::string& name) {
  if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
}

// The name after `words`, past "if [not] exists" and "only"; empty: the statement does not begin with them.
std::string named_after(const std::vector<std::string>& statement, const std::vector<std::string>& words) {
  if (statement.size() <= words.size() || !std::equal(words.begin(), words.end(), statement.begin())) return "";
  std::size_t at = words.size();
  while (at < statement.size() &&
         (statement[at] == "if" || statement[at] == "not" || statement[at] == "exists" || statement[at] == "only")) {
    ++at;
  }
  return at == statement.size() ? "" : without_schema(statement[at]);
}

// alter column NAME [set data] type ...
bool changes_a_type(const std::vector<std::string>& statement) {
  for (std::size_t i = 0; i + 3 < statement.size(); ++i) {
    if (statement[i] != "alter" || statement[i + 1] != "column") continue;
    const bool plain = statement[i + 3] == "type";
    const bool long_form = i + 5 < statement.size() && statement[i + 3] == "set" && statement[i + 4] == "data";
    if (plain || long_form) return true;
  }
  return false;
}

}  // namespace

ScriptEffects effects_of_script(std::string_view script) {
  ScriptEffects effects;
  for (const std::vector<std::string>& statement : statements_of(script)) {
    if (const auto made = named_after(statement, {"create", "table"}); !made.empty()) add(effects.creates, made);
    if (const auto gone = named_after(statement, {"drop", "table"}); !gone.empty()) add(effects.drops, gone);
    if (const auto filled = named_after(statement, {"insert", "into"}); !filled.empty()) add(effects.fills, filled);
    if (const auto changed = named_after(statement, {"update"}); !changed.empty()) add(effects.rewrites, changed);
    const auto altered = named_after(statement, {"alter", "table"});
    if (!altered.empty() && changes_a_type(statement)) add(effects.rewrites, altered);
  }
  return effects;
}

}  // namespace steelyard

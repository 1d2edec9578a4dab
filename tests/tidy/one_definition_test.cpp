// One name, one meaning: a class, enumeration or inline variable that two files of a namespace define differently makes
// a program whose behaviour hangs on which of them the linker keeps, and no compiler or linker tells.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "tests/tidy/source_tree.hpp"

namespace steelyard::tidy {
namespace {

using Tokens = std::vector<std::string>;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Behind the literal whose opening quote stands at `at`; `raw`: R"delimiter(...)delimiter".
std::size_t end_of_literal(const std::string& text, std::size_t at, bool raw) {
  if (raw) {
    const std::size_t open = text.find('(', at);
    const std::string closing = ")" + text.substr(at + 1, open - at - 1) + "\"";
    return std::min(text.size(), text.find(closing, open)) + closing.size();
  }
  std::size_t end = at + 1;
  while (end < text.size() && text[end] != text[at]) end += text[end] == '\\' ? 2 : 1;
  return end + 1;
}

std::size_t end_of_directive(const std::string& text, std::size_t at) {
  at = text.find('\n', at);
  while (at != std::string::npos && text[at - 1] == '\\') at = text.find('\n', at + 1);
  return std::min(text.size(), at);
}

// Words, numbers and signs, without comments and directives; a literal is one token of its two quotes.
Tokens tokens_of(const std::string& text) {
  Tokens tokens;
  bool line_is_empty = true;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      line_is_empty = line_is_empty || c == '\n';
      ++at;
      continue;
    }
    if (c == '#' && line_is_empty) {
      at = end_of_directive(text, at);
    } else if (text.compare(at, 2, "//") == 0) {
      at = std::min(text.size(), text.find('\n', at));
    } else if (text.compare(at, 2, "/*") == 0) {
      at = std::min(text.size() - 2, text.find("*/", at)) + 2;
    } else if (c == '"' || c == '\'') {
      const bool raw = c == '"' && at > 0 && text[at - 1] == 'R';
      at = end_of_literal(text, at, raw);
      tokens.push_back(std::string(2, c));
    } else if (is_word(c)) {
      const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0;
      std::size_t end = at;
      while (end < text.size() && (is_word(text[end]) || (number && (text[end] == '\'' || text[end] == '.')))) ++end;
      tokens.push_back(text.substr(at, end - at));
      at = end;
    } else {
      const std::size_t length = text.compare(at, 2, "::") == 0 ? 2 : 1;
      tokens.push_back(text.substr(at, length));
      at += length;
    }
    line_is_empty = false;
  }
  return tokens;
}

// Behind the brackets that open at `at`.
std::size_t end_of_brackets(const Tokens& tokens, std::size_t at) {
  const std::string open = tokens[at];
  const std::string close = open == "<" ? ">" : open == "[" ? "]" : ")";
  for (int depth = 0; at < tokens.size(); ++at) {
    depth += tokens[at] == open ? 1 : tokens[at] == close ? -1 : 0;
    if (depth == 0) return at + 1;
  }
  return at;
}

bool any_is(const Tokens& tokens, const char* wanted) {
  return std::find(tokens.begin(), tokens.end(), wanted) != tokens.end();
}

// "Run" of "class Run final", "Reader::Impl" of "struct Reader::Impl : Base"; empty: a function that returns one.
std::string type_named_by(const Tokens& head, std::size_t at) {
  while (at < head.size() &&
         (head[at] == "class" || head[at] == "struct" || head[at] == "alignas" || head[at] == "[")) {
    at = head[at] == "[" || head[at] == "alignas" ? end_of_brackets(head, head[at] == "[" ? at : at + 1) : at + 1;
  }
  std::string name;
  for (; at < head.size() && head[at] != ":" && head[at] != "final"; ++at) {
    if (head[at] == "(") return "";
    name += head[at];
  }
  return name;
}

// "kMax" of "inline constexpr int kMax[2] = ..."; empty: no inline variable.
std::string variable_named_by(const Tokens& head) {
  const Tokens declared(head.begin(), std::find(head.begin(), head.end(), "="));
  if (!any_is(declared, "inline") || any_is(declared, "(") || any_is(declared, "operator")) return "";
  const auto name = std::find(declared.begin(), declared.end(), "[") - 1;
  return is_word(name->front()) ? *name : "";
}

// What the words before a brace or semicolon define for other files to meet; empty: nothing of this test's concern.
std::string defined_by(const Tokens& words, bool before_brace) {
  std::size_t at = 0;
  while (at < words.size() && (words[at] == "template" || words[at] == "[")) {
    at = end_of_brackets(words, words[at] == "[" ? at : at + 1);
  }
  const Tokens head(words.begin() + static_cast<std::ptrdiff_t>(std::min(at, words.size())), words.end());
  if (head.empty()) return "";
  for (const char* keyword : {"class", "struct", "union", "enum"}) {
    if (head.front() == keyword) return before_brace ? type_named_by(head, 1) : "";
  }
  return variable_named_by(head);
}

// The qualified names of the types and inline variables that a file defines outside anonymous namespaces.
std::set<std::string> definitions_in(const std::string& text) {
  std::set<std::string> names;
  std::vector<std::string> scopes;  // "steelyard::" of a namespace, "{" of any other brace
  Tokens head;
  for (const std::string& token : tokens_of(text)) {
    const bool at_namespace_scope = !any_is(scopes, "{");
    if (token == "{" && at_namespace_scope && any_is(head, "namespace")) {
      std::string scope;
      for (const std::string& word : head) scope += word == "namespace" || word == "inline" ? "" : word;
      scopes.push_back(scope.empty() ? "anonymous" : scope + "::");
    } else if (token == "{" && head == Tokens{"extern", "\"\""}) {
      scopes.emplace_back();
    } else if ((token == "{" || token == ";") && at_namespace_scope) {
      const std::string name = any_is(scopes, "anonymous") ? "" : defined_by(head, token == "{");
      std::string scope;
      for (const std::string& part : scopes) scope += part;
      if (!name.empty()) names.insert(scope + name);
      if (token == "{") scopes.push_back(token);
    } else if (token == "{") {
      scopes.push_back(token);
    } else if (token == "}") {
      if (!scopes.empty()) scopes.pop_back();
    } else if (at_namespace_scope) {
      head.push_back(token);
      continue;
    }
    head.clear();
  }
  return names;
}

TEST(OneDefinition, TypesAndInlineVariablesOfANamespaceAreFound) {
  const std::string text = R"cpp(
#define MACRO(x) \
      struct Macro { \
        x            \
      }
    /* struct Comment {}; */ const char* text = "struct Text {";
    char brace = '{';
    int big = 1'000;
    namespace a::b {
    struct Declared;
    template <class T = int>
    class [[nodiscard]] alignas(8) Kept final : public Base<T> {
      struct Inner {
        int x;
      };
    };
    enum class Colour : int { red };
    struct Kept::Impl {
      int y;
    };
    struct stat state_of(int file) {
      struct Local {};
      return {};
    }
    inline constexpr int kMax[2] = {1, 2}, kMin = 3;
    inline constexpr Colour kColour{Colour::red};
    inline int twice(int x = 2) { return 2 * x; }
    inline bool operator==(Colour, Colour) { return true; }
    constexpr int kOwn = 1;
    namespace {
    struct Hidden {};
    inline int kHidden = 0;
    }  // namespace
    }  // namespace a::b
    extern "C" {
    struct OfC {
      int z;
    };
    }
  )cpp";
  EXPECT_EQ(definitions_in(text), (std::set<std::string>{"OfC", "a::b::Colour", "a::b::Kept", "a::b::Kept::Impl",
                                                         "a::b::kColour", "a::b::kMax"}));
}

TEST(OneDefinition, NoTwoFilesDefineTheSameName) {
  std::map<std::string, std::vector<std::string>> places;
  for (const SourceFile& file : read_source_files({".hpp", ".cpp", ".h", ".cuh", ".cu"})) {
    if (file.path.starts_with("ci/demo/")) continue;  // several versions of one library, each built alone
    std::string text;
    for (const std::string& line : file.lines) text += line + '\n';
    for (const std::string& name : definitions_in(text)) places[name].push_back(file.path);
  }
  ASSERT_GT(places.size(), 500U);
  for (const auto& [name, files] : places) {
    EXPECT_EQ(files.size(), 1U) << name << " is defined in " << files.front() << " and " << files.back()
                                << ": rename one, or put it into an anonymous namespace";
  }
}

}  // namespace
}  // namespace steelyard::tidy

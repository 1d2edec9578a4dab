// One name, one meaning: a class, enumeration or inline variable that two files of a namespace define differently makes
// a program whose behaviour hangs on which of them the linker keeps, and no compiler or linker tells.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>

#include "tests/tidy/source_tree.hpp"

namespace steelyard::tidy::one_definition_test {
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

// What stands at namespace scope before a brace or a semicolon.
struct Statement {
  Tokens words;
  bool before_brace = false;
  std::string scope;       // "steelyard::regress::", without anonymous namespaces
  bool is_hidden = false;  // in an anonymous namespace
};

std::vector<Statement> statements_in(const std::string& text) {
  std::vector<Statement> statements;
  const std::string anonymous = "anonymous";
  std::vector<std::string> scopes;  // "steelyard::" of a namespace, "{" of any other brace
  Tokens head;
  int in_brackets = 0;
  for (const std::string& token : tokens_of(text)) {
    const bool at_namespace_scope = !any_is(scopes, "{");
    if (at_namespace_scope) in_brackets += token == "(" ? 1 : token == ")" ? -1 : 0;
    if (at_namespace_scope && in_brackets > 0) {
      head.push_back(token);  // with the braces and semicolons of default arguments
      continue;
    }
    if (token == "{" && at_namespace_scope && any_is(head, "namespace")) {
      std::string scope;
      const auto name = std::find(head.begin(), head.end(), "namespace") + 1;  // a macro may stand before it
      for (auto word = name; word != head.end(); ++word) scope += *word;
      scopes.push_back(scope.empty() ? anonymous : scope + "::");
    } else if (token == "{" && head == Tokens{"extern", "\"\""}) {
      scopes.emplace_back();
    } else if ((token == "{" || token == ";") && at_namespace_scope) {
      Statement statement{head, token == "{", "", false};
      for (const std::string& part : scopes) {
        if (part == anonymous) statement.is_hidden = true;
        if (part != anonymous) statement.scope += part;
      }
      statements.push_back(std::move(statement));
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
  return statements;
}

// The qualified names of the types and inline variables that a file defines outside anonymous namespaces.
std::set<std::string> definitions_in(const std::string& text) {
  std::set<std::string> names;
  for (const Statement& statement : statements_in(text)) {
    const std::string name = statement.is_hidden ? "" : defined_by(statement.words, statement.before_brace);
    if (!name.empty()) names.insert(statement.scope + name);
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

// What a name stands for in one file: a class or variable, an alias of these words, or functions of these parameters.
struct Meaning {
  bool is_thing = false;
  std::string aliased;
  std::set<Tokens> functions;
};
using Meanings = std::map<std::string, Meaning>;

// Types that one argument may become without a word are one: an overload of another file must not be the better match.
std::string comparable_word(const std::string& word) {
  static const std::set<std::string> texts{"string", "string_view", "char", "path"};
  static const std::set<std::string> numbers{"bool",     "int",      "long",    "unsigned", "double",
                                             "float",    "size_t",   "ssize_t", "int32_t",  "int64_t",
                                             "uint32_t", "uint64_t", "uint8_t", "pid_t"};
  static const std::set<std::string> wrappers{"const",  "optional", "span", "vector", "array",
                                              "Result", "&",        "*",    "<",      ">"};
  if (wrappers.contains(word)) return "";
  return texts.contains(word) ? "text" : numbers.contains(word) ? "number" : word;
}

constexpr const char* kAnyType = "?";

// `placeholders`: the template's own.
std::string comparable_type(Tokens parameter, const Tokens& placeholders) {
  parameter.erase(std::find(parameter.begin(), parameter.end(), "="), parameter.end());
  Tokens type;
  for (const std::string& token : parameter) {
    if (token == "::") {
      if (!type.empty()) type.pop_back();  // one type, qualified or not
    } else {
      type.push_back(token);
    }
  }
  const bool is_named = type.size() > 1 && is_word(type.back().front()) && type[type.size() - 2] != "const";
  if (is_named) type.pop_back();
  std::string text;
  for (const std::string& token : type) {
    if (token == "auto" || any_is(placeholders, token.c_str())) return kAnyType;
    text += comparable_word(token);
  }
  return text;
}

// As a function can be called: with all of its parameters, and without those at the end that have a default. `open`: of
// the bracket before the parameters.
std::set<Tokens> calls_of(const Tokens& head, std::size_t open, const Tokens& placeholders) {
  const std::size_t end = end_of_brackets(head, open) - 1;
  std::set<Tokens> calls;
  Tokens types;
  Tokens parameter;
  int depth = 0;
  for (std::size_t at = open + 1; at <= end && at < head.size(); ++at) {
    const std::string& token = head[at];
    depth += token == "(" || token == "<" ? 1 : at != end && (token == ")" || token == ">") ? -1 : 0;
    if (at == end || (depth == 0 && token == ",")) {
      if (any_is(parameter, "=")) calls.insert(types);
      if (!parameter.empty()) types.push_back(comparable_type(parameter, placeholders));
      parameter.clear();
    } else {
      parameter.push_back(token);
    }
  }
  calls.insert(types);
  return calls;
}

// Of the first bracket that template arguments do not enclose, where no value is given before it.
std::size_t parameters_open(const Tokens& head) {
  int depth = 0;
  for (std::size_t at = 0; at < head.size(); ++at) {
    depth += head[at] == "<" ? 1 : head[at] == ">" ? -1 : 0;
    if (depth == 0 && (head[at] == "=" || head[at] == "[")) return head.size();
    if (depth == 0 && head[at] == "(") return at;
  }
  return head.size();
}

void add_meaning(Tokens head, bool before_brace, const std::string& scope, Meanings& meanings) {
  Tokens placeholders;
  while (!head.empty() && (head.front() == "template" || head.front() == "[")) {
    const std::size_t end = end_of_brackets(head, head.front() == "[" ? 0 : 1);
    for (std::size_t at = 2; head.front() == "template" && at < std::min(end, head.size()); ++at) {
      if (head[at] == "," || head[at] == ">" || head[at] == "=") placeholders.push_back(head[at - 1]);
    }
    head.erase(head.begin(), head.begin() + static_cast<std::ptrdiff_t>(std::min(end, head.size())));
  }
  // Behind a value in braces the rest of it follows.
  if (head.size() < 2 || any_is(head, "operator") || !(is_word(head.front().front()) || head.front() == "::")) return;
  for (const char* other : {"namespace", "friend", "static_assert", "extern", "typedef"}) {
    if (head.front() == other) return;
  }
  const auto add = [&](const std::string& name) -> Meaning& { return meanings[scope + name]; };
  for (const char* keyword : {"class", "struct", "union", "enum"}) {
    if (head.front() != keyword) continue;
    const std::string name = type_named_by(head, 1);
    const bool is_own = before_brace && !name.empty() && name.find("::") == std::string::npos;
    if (is_own) add(name).is_thing = true;
    if (!before_brace || !name.empty()) return;
  }
  if (head.front() == "using") {
    if (head[1] == "namespace" || !any_is(head, "=")) return;
    std::string aliased;
    for (auto word = head.begin() + 2; word != head.end(); ++word) aliased += ' ' + *word;
    add(head[1]).aliased = aliased;
    return;
  }
  const std::size_t open = parameters_open(head);
  const bool is_function = open < head.size();
  if (is_function && !before_brace) return;  // declared; or a variable with brackets, which none of ours has
  const std::size_t end =
      is_function ? open
                  : static_cast<std::size_t>(std::find_if(head.begin(), head.end(),
                                                          [](const std::string& t) { return t == "=" || t == "["; }) -
                                             head.begin());
  if (end < 2 || !is_word(head[end - 1].front()) || head[end - 2] == "::" || head[end - 2] == "~") return;
  Meaning& meaning = add(head[end - 1]);
  meaning.is_thing = meaning.is_thing || !is_function;
  if (is_function) meaning.functions.merge(calls_of(head, open, placeholders));
}

// By qualified name, without anonymous namespaces: what is defined at namespace scope.
Meanings meanings_in(const std::string& text) {
  Meanings meanings;
  for (const Statement& statement : statements_in(text)) {
    add_meaning(statement.words, statement.before_brace, statement.scope, meanings);
  }
  return meanings;
}

// Whether two files that mean these cannot be compiled as one.
bool collide(const Meaning& one, const Meaning& other) {
  if (one.is_thing || other.is_thing) return true;
  if (!one.aliased.empty() || !other.aliased.empty()) return one.aliased != other.aliased;  // twice the same may stand
  const auto alike = [](const std::string& a, const std::string& b) {
    return a == b || a == kAnyType || b == kAnyType;
  };
  for (const Tokens& types : one.functions) {
    for (const Tokens& others : other.functions) {
      if (std::equal(types.begin(), types.end(), others.begin(), others.end(), alike)) return true;
    }
  }
  return false;
}

bool names_collide(const std::string& one, const std::string& other, const std::string& name) {
  const Meanings of_one = meanings_in(one);
  const Meanings of_other = meanings_in(other);
  return of_one.contains(name) && of_other.contains(name) && collide(of_one.at(name), of_other.at(name));
}

TEST(OneDefinition, NamesOfTwoFilesCollideWhereOneFileCouldNotHoldBoth) {
  const std::string own =
      "namespace a { namespace { constexpr int kMax = 3; struct Key { int x; }; "
      "std::string add(const std::vector<Row>& rows, std::string_view name = \"\") { return {}; } } }";
  EXPECT_TRUE(names_collide(own, "namespace a { const double kMax[2] = {1, 2}; }", "a::kMax"));
  EXPECT_TRUE(names_collide(own, "namespace a { using Key = int; }", "a::Key"));
  EXPECT_TRUE(names_collide("using Key = long;", "using Key = int;", "Key"));
  EXPECT_FALSE(names_collide("using Key = b::C<int>;", "using Key = b::C<int>;", "Key"));
  EXPECT_TRUE(names_collide(own, "namespace a { int Key(int x) { return x; } }", "a::Key"));
  EXPECT_TRUE(names_collide(own, "namespace a { void add(b::Row, const std::string& text) {} }", "a::add"));
  EXPECT_TRUE(names_collide(own, "namespace a { template <class T> void add(T x, const char*) {} }", "a::add"));
  EXPECT_TRUE(names_collide(own, "namespace a { template <class T> void add(T x) {} }", "a::add"));
  EXPECT_FALSE(names_collide(own, "namespace a { void add() {} }", "a::add"));
  EXPECT_FALSE(names_collide(own, "namespace a { void add(const Column& column, const char* text) {} }", "a::add"));
  EXPECT_FALSE(names_collide(own, "namespace a { void add(const Row& row); }", "a::add"));
  EXPECT_FALSE(names_collide(own, "namespace a { void Table::add(Row row, std::string text) {} }", "a::add"));
  EXPECT_FALSE(names_collide(own, "namespace b { void add(Row row, std::string text) {} }", "a::add"));
  EXPECT_FALSE(names_collide(own, "namespace a { struct Key; int f() { int kMax = 3; } }", "a::Key"));
}

// Neighbouring sources of these are compiled as one (cmake/layers.cmake). The first that a path begins with is its own.
std::string joined_with(const std::string& path) {
  for (const char* folder :
       {"ci/demo/", "bench/suites/cuda/", "bench/suites/", "bench/counting/counters/", "bench/counting/shim/",
        "bench/cuda/", "bench/harness/", "bench/main/", "bench/model/", "bench/profile/spans/",
        "storage/embedded/keeper/", "bench/", "regress/", "storage/", "ci/"}) {
    if (path.starts_with(folder)) return folder;
  }
  return "";
}

TEST(OneDefinition, NoTwoSourcesOfALibraryUseOneName) {
  const std::set<std::string> apart{"",
                                    "ci/demo/",
                                    "bench/suites/",
                                    "bench/counting/shim/",
                                    "bench/counting/counters/",
                                    "storage/embedded/keeper/"};  // programs and plugins of one file each
  std::map<std::string, std::map<std::string, Meaning>> places;   // by library and name, then by file
  for (const SourceFile& file : read_source_files({".hpp", ".cpp"})) {
    const std::string library = joined_with(file.path);
    const bool is_alternative = std::filesystem::path(file.path).filename().string().starts_with("no_");
    if (apart.contains(library) || is_alternative) continue;
    std::string text;
    for (const std::string& line : file.lines) text += line + '\n';
    for (const auto& [name, meaning] : meanings_in(text)) places[library + ": " + name][file.path] = meaning;
  }
  ASSERT_GT(places.size(), 3000U);
  for (const auto& [name, files] : places) {
    for (auto one = files.begin(); one != files.end(); ++one) {
      const auto other = std::find_if(std::next(one), files.end(),
                                      [&](const auto& file) { return collide(one->second, file.second); });
      if (other == files.end()) continue;
      ADD_FAILURE() << name << " is in " << one->first << " and " << other->first
                    << ": rename one after what it does with its subject";
    }
  }
}

TEST(OneDefinition, EachSourceOfTestsHasANamespaceOfItsOwn) {
  std::size_t found = 0;
  for (const SourceFile& file : read_source_files({".cpp"})) {
    const auto begins = [&](const std::string& start) {
      return std::any_of(file.lines.begin(), file.lines.end(),
                         [&](const auto& line) { return line.starts_with(start); });
    };
    if (!file.path.starts_with("tests/") || !begins("TEST") || !begins("namespace steelyard")) continue;
    ++found;
    const std::string name = std::filesystem::path(file.path).stem().string();
    EXPECT_TRUE(std::any_of(file.lines.begin(), file.lines.end(),
                            [&](const std::string& line) {
                              return line.starts_with("namespace steelyard::") && line.ends_with("::" + name + " {");
                            }))
        << file.path << ": wanted its tests in a namespace that ends in ::" << name;
  }
  EXPECT_GT(found, 400U);
}

}  // namespace
}  // namespace steelyard::tidy::one_definition_test

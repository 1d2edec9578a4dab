#include "textkit/tokenize.hpp"

#include <array>

namespace textkit {
namespace {

enum class CharacterClass : std::uint8_t { punctuation, letter, digit, blank, line_end };

using ClassTable = std::array<CharacterClass, 256>;

constexpr void mark(ClassTable& table, int first, int last, CharacterClass value) {
  for (int c = first; c <= last; ++c) table[c] = value;
}

constexpr ClassTable make_class_table() {
  ClassTable table{};
  mark(table, 'a', 'z', CharacterClass::letter);
  mark(table, 'A', 'Z', CharacterClass::letter);
  mark(table, '_', '_', CharacterClass::letter);
  mark(table, 128, 255, CharacterClass::letter);  // any byte of a longer UTF-8 character
  mark(table, '0', '9', CharacterClass::digit);
  for (const char c : {' ', '\t', '\r'}) mark(table, c, c, CharacterClass::blank);
  mark(table, '\n', '\n', CharacterClass::line_end);
  return table;
}
constexpr ClassTable kClassTable = make_class_table();

CharacterClass class_of(char c) { return kClassTable[static_cast<unsigned char>(c)]; }

// Bytes a token takes in prose, its blank included, and on the safe side: what is reserved too much costs no time, what
// is reserved too little moves every token once more.
constexpr std::size_t kBytesPerToken = 4;

}  // namespace

std::vector<Token> tokenize(std::string_view source) {
  std::vector<Token> tokens;
  tokens.reserve(source.size() / kBytesPerToken + 1);
  std::uint32_t line = 1;
  std::size_t begin = 0;
  while (begin < source.size()) {
    const CharacterClass first = class_of(source[begin]);
    if (first == CharacterClass::blank) {
      ++begin;
      continue;
    }
    if (first == CharacterClass::line_end) {
      ++line;
      ++begin;
      continue;
    }
    std::size_t end = begin + 1;
    TokenKind kind = TokenKind::punctuation;
    if (first == CharacterClass::letter) {
      kind = TokenKind::word;
      while (end < source.size() &&
             (class_of(source[end]) == CharacterClass::letter || class_of(source[end]) == CharacterClass::digit)) {
        ++end;
      }
    } else if (first == CharacterClass::digit) {
      kind = TokenKind::number;
      while (end < source.size() && class_of(source[end]) == CharacterClass::digit) ++end;
    }
    tokens.push_back(Token{source.substr(begin, end - begin), line, kind});
    begin = end;
  }
  return tokens;
}

}  // namespace textkit

#include "textkit/tokenize.hpp"

#include <array>

namespace textkit {
namespace {

enum class CharacterClass : std::uint8_t { punctuation, letter, digit, blank, line_end };

constexpr std::array<CharacterClass, 256> make_character_classes() {
  std::array<CharacterClass, 256> classes{};
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = CharacterClass::letter;
  for (int c = 'A'; c <= 'Z'; ++c) classes[c] = CharacterClass::letter;
  for (int c = 128; c < 256; ++c) classes[c] = CharacterClass::letter;  // any byte of a longer UTF-8 character
  for (int c = '0'; c <= '9'; ++c) classes[c] = CharacterClass::digit;
  classes['_'] = CharacterClass::letter;
  classes[' '] = classes['\t'] = classes['\r'] = CharacterClass::blank;
  classes['\n'] = CharacterClass::line_end;
  return classes;
}
constexpr std::array<CharacterClass, 256> kCharacterClasses = make_character_classes();

CharacterClass class_of(char c) { return kCharacterClasses[static_cast<unsigned char>(c)]; }

// Bytes a token takes in prose, its blank included; a text of shorter ones only costs a reallocation.
constexpr std::size_t kBytesPerToken = 4;

}  // namespace

std::vector<Token> tokenize(std::string_view source) {
  std::vector<Token> tokens;
  tokens.reserve(source.size() / kBytesPerToken + 1);
  std::uint32_t line = 1;
  std::size_t i = 0;
  while (i < source.size()) {
    const CharacterClass first = class_of(source[i]);
    if (first == CharacterClass::blank) {
      ++i;
      continue;
    }
    if (first == CharacterClass::line_end) {
      ++line;
      ++i;
      continue;
    }
    std::size_t end = i + 1;
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
    tokens.push_back(Token{source.substr(i, end - i), line, kind});
    i = end;
  }
  return tokens;
}

}  // namespace textkit

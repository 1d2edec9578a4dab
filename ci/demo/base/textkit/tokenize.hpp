// Splits a text into words, numbers and punctuation.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace textkit {

enum class TokenKind : std::uint8_t { word, number, punctuation };

struct Token {
  std::string_view text;   // a view into the source
  std::uint32_t line = 0;  // 1-based
  TokenKind kind = TokenKind::word;
};

// The tokens of `source` in order. White space separates and is left out; a character that is neither a letter, a
// digit nor white space is a token of its own.
std::vector<Token> tokenize(std::string_view source);

}  // namespace textkit

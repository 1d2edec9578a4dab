#include "bench/formats/non_finite_tokens.hpp"

#include <algorithm>
#include <array>

namespace steelyard::bench {
namespace {

constexpr std::array<std::string_view, 9> kTokens{"NaN", "-NaN", "nan",       "-nan",     "Infinity",
                                                  "inf", "-inf", "-Infinity", "+Infinity"};

bool is_token_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.';
}

// Between the quotes: what is left of the token when two of its characters make room for them.
std::string_view masked_form(std::string_view token) { return token.substr(0, token.size() - 2); }

bool is_non_finite(std::string_view word) { return std::find(kTokens.begin(), kTokens.end(), word) != kTokens.end(); }

}  // namespace

std::string mask_non_finite_tokens(std::string json, char filler) {
  std::size_t at = 0;
  while (at < json.size()) {
    if (json[at] == '"') {
      for (++at; at < json.size() && json[at] != '"'; ++at) {
        if (json[at] == '\\') ++at;
      }
      ++at;
      continue;
    }
    if (!is_token_character(json[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < json.size() && is_token_character(json[end])) ++end;
    if (is_non_finite(std::string_view(json).substr(at, end - at))) {
      for (std::size_t i = end - 2; i > at; --i) json[i] = filler != '\0' ? filler : json[i - 1];
      json[at] = '"';
      json[end - 1] = '"';
    }
    at = end;
  }
  return json;
}

std::string_view unmask_non_finite(std::string_view masked) {
  for (const std::string_view token : kTokens) {
    if (masked == masked_form(token)) return token;
  }
  return "";
}

bool ends_in_cut_non_finite_token(std::string_view json) {
  std::size_t begin = json.size();
  while (begin > 0 && is_token_character(json[begin - 1])) --begin;
  const std::string_view word = json.substr(begin);
  return !word.empty() && std::any_of(kTokens.begin(), kTokens.end(), [&](std::string_view token) {
    return token.size() > word.size() && token.starts_with(word);
  });
}

}  // namespace steelyard::bench

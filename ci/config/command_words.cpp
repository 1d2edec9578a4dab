#include "ci/config/command_words.hpp"

namespace steelyard {
namespace {

bool is_blank(char character) { return character == ' ' || character == '\t' || character == '\n'; }

// The word that starts at `at`, which moves behind it.
Result<std::string> next_word(std::string_view text, std::size_t& at, const std::string& where) {
  std::string word;
  char quote = 0;
  for (; at < text.size() && (quote != 0 || !is_blank(text[at])); ++at) {
    const char character = text[at];
    if (quote != 0 && character == quote) {
      quote = 0;
    } else if (quote == 0 && (character == '\'' || character == '"')) {
      quote = character;
    } else if (character == '\\' && quote != '\'' && at + 1 < text.size()) {
      word += text[++at];
    } else {
      word += character;
    }
  }
  if (quote == 0) return word;
  return input_error(where, std::string("a ") + quote + " that is not closed", "a command", "close it");
}

}  // namespace

Result<std::vector<std::string>> command_words(std::string_view text, const std::string& where) {
  std::vector<std::string> words;
  std::size_t at = 0;
  while (true) {
    while (at < text.size() && is_blank(text[at])) ++at;
    if (at == text.size()) break;
    STEELYARD_TRY(std::string word, next_word(text, at, where));
    words.push_back(std::move(word));
  }
  if (words.empty() || words.front().empty()) return input_error(where, "nothing", "a path and its arguments");
  return words;
}

}  // namespace steelyard

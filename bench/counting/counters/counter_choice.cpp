#include "bench/counting/counters/counter_choice.hpp"

#include <algorithm>
#include <array>

namespace steelyard {
namespace {

struct ChoiceWord {
  std::string_view word;
  bool CounterChoice::*chosen;
};
constexpr std::array kWords{ChoiceWord{"cache", &CounterChoice::cache}, ChoiceWord{"branch", &CounterChoice::branch},
                            ChoiceWord{"heap", &CounterChoice::heap}, ChoiceWord{"hardware", &CounterChoice::hardware}};

}  // namespace

std::vector<std::string> counter_words() {
  std::vector<std::string> words;
  for (const ChoiceWord& known : kWords) words.emplace_back(known.word);
  return words;
}

std::optional<std::size_t> read_counters(const std::vector<std::string>& words, CounterChoice& choice) {
  CounterChoice read;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words.size() == 1 && words[i] == kNoCounters) break;
    const auto known =
        std::find_if(kWords.begin(), kWords.end(), [&](const ChoiceWord& word) { return word.word == words[i]; });
    if (known == kWords.end()) return i;
    read.*(known->chosen) = true;
  }
  choice = read;
  return std::nullopt;
}

std::vector<std::string> to_words(const CounterChoice& choice) {
  std::vector<std::string> words;
  for (const ChoiceWord& known : kWords) {
    if (choice.*(known.chosen)) words.emplace_back(known.word);
  }
  return words;
}

}  // namespace steelyard

#include "textkit/top_words.hpp"

#include <algorithm>

namespace textkit {
namespace {

bool is_more_frequent(const WordCount& a, const WordCount& b) {
  return a.count != b.count ? a.count > b.count : a.word < b.word;
}

}  // namespace

std::vector<WordCount> top_words(const std::vector<std::uint32_t>& words, std::size_t k) {
  if (words.empty() || k == 0) return {};
  std::vector<std::uint32_t> counts(*std::max_element(words.begin(), words.end()) + 1);
  for (const std::uint32_t word : words) ++counts[word];

  // A heap of the best k so far, its worst on top.
  std::vector<WordCount> best;
  best.reserve(k);
  for (std::uint32_t word = 0; word < counts.size(); ++word) {
    if (counts[word] == 0) continue;
    const WordCount candidate{word, counts[word]};
    if (best.size() < k) {
      best.push_back(candidate);
      std::push_heap(best.begin(), best.end(), is_more_frequent);
    } else if (is_more_frequent(candidate, best.front())) {
      std::pop_heap(best.begin(), best.end(), is_more_frequent);
      best.back() = candidate;
      std::push_heap(best.begin(), best.end(), is_more_frequent);
    }
  }
  std::sort_heap(best.begin(), best.end(), is_more_frequent);
  return best;
}

}  // namespace textkit

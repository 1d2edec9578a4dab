#include "textkit/top_words.hpp"

#include <algorithm>

namespace textkit {
namespace {

bool before(const WordCount& a, const WordCount& b) { return a.count != b.count ? a.count > b.count : a.word < b.word; }

}  // namespace

std::vector<WordCount> top_words(const std::vector<std::uint32_t>& words, std::size_t k) {
  if (words.empty() || k == 0) return {};
  std::vector<std::uint32_t> counts(*std::max_element(words.begin(), words.end()) + 1);
  for (const std::uint32_t w : words) ++counts[w];

  // A heap of the best k so far, its worst on top.
  std::vector<WordCount> best;
  best.reserve(k);
  for (std::uint32_t w = 0; w < counts.size(); ++w) {
    if (counts[w] == 0) continue;
    const WordCount c{w, counts[w]};
    if (best.size() < k) {
      best.push_back(c);
      std::push_heap(best.begin(), best.end(), before);
    } else if (before(c, best.front())) {
      std::pop_heap(best.begin(), best.end(), before);
      best.back() = c;
      std::push_heap(best.begin(), best.end(), before);
    }
  }
  std::sort_heap(best.begin(), best.end(), before);
  return best;
}

}  // namespace textkit

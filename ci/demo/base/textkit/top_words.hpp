// The most frequent words of a text whose words are numbered (see Interner).
#pragma once

#include <cstdint>
#include <vector>

namespace textkit {

struct WordCount {
  std::uint32_t word = 0;
  std::uint32_t count = 0;
  bool operator==(const WordCount&) const = default;
};

// The at most `k` most frequent of `words`, most frequent first; of equally frequent ones the smaller number first.
std::vector<WordCount> top_words(const std::vector<std::uint32_t>& words, std::size_t k);

}  // namespace textkit

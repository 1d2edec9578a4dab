// Counted by real_builds_test: a small program whose functions can be given other names, and one more instruction.
//   MIX, SCORE: names of two functions;  EXTRA: work that is added to SCORE
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#ifndef MIX
#define MIX mix_letters
#endif
#ifndef SCORE
#define SCORE score_word
#endif
#ifndef EXTRA
#define EXTRA(x) x
#endif

namespace words {

__attribute__((noinline)) std::uint64_t MIX(std::uint64_t state, unsigned char letter) {
  state ^= letter;
  state *= 1099511628211U;
  return state ^ (state >> 29U);
}

__attribute__((noinline)) std::uint64_t SCORE(const std::string& word) {
  std::uint64_t state = 1469598103934665603U;
  for (const char letter : word) state = EXTRA(MIX(state, static_cast<unsigned char>(letter)));
  return state;
}

__attribute__((noinline)) std::uint64_t count_vowels(const std::string& word) {
  std::uint64_t count = 0;
  for (const char letter : word) count += letter == 'a' || letter == 'e' || letter == 'i' ? 1 : 0;
  return count;
}

__attribute__((noinline)) std::uint64_t read_all(const std::vector<std::string>& all) {
  std::uint64_t sum = 0;
  for (const std::string& word : all) sum += SCORE(word) + count_vowels(word);
  return sum;
}

}  // namespace words

int main() {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < 300; ++i) all.emplace_back(i % 17 + 3, static_cast<char>('a' + i % 26));
  return words::read_all(all) == 0 ? 1 : 0;
}

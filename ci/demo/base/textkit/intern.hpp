// Gives every distinct word a small number, in order of first appearance.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace textkit {

class Interner {
 public:
  Interner();

  // The number of `word`; a new one if it was not seen before.
  std::uint32_t intern(std::string_view word);

  // Precondition: number < size(). The view holds until the next call of intern.
  std::string_view word(std::uint32_t number) const;

  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::uint64_t hash;
    std::uint32_t start;  // in letters_
    std::uint32_t length;
  };
  void grow();

  std::string letters_;               // all words, one after the other
  std::vector<Entry> entries_;        // by number
  std::vector<std::uint32_t> slots_;  // open addressing; number + 1, or 0 where free
};

}  // namespace textkit

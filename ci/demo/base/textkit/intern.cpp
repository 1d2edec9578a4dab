#include "textkit/intern.hpp"

namespace textkit {
namespace {

constexpr std::size_t kFirstSlots = 64;  // a power of two, as every later size

std::uint64_t hash_of(std::string_view word) {
  std::uint64_t h = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : word) {
    h ^= static_cast<unsigned char>(c);
    h *= 0x100000001b3;
  }
  return h ^ (h >> 32);
}

}  // namespace

Interner::Interner() : slots_(kFirstSlots) {}

std::uint32_t Interner::intern(std::string_view word) {
  const std::uint64_t h = hash_of(word);
  std::size_t s = h & (slots_.size() - 1);
  while (slots_[s] != 0) {
    const Entry& e = entries_[slots_[s] - 1];
    if (e.hash == h && std::string_view(letters_).substr(e.start, e.length) == word) return slots_[s] - 1;
    s = (s + 1) & (slots_.size() - 1);
  }
  const auto number = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back(Entry{h, static_cast<std::uint32_t>(letters_.size()), static_cast<std::uint32_t>(word.size())});
  letters_.append(word);
  slots_[s] = number + 1;
  if (entries_.size() * 2 > slots_.size()) grow();
  return number;
}

std::string_view Interner::word(std::uint32_t number) const {
  const Entry& e = entries_[number];
  return std::string_view(letters_).substr(e.start, e.length);
}

void Interner::grow() {
  std::vector<std::uint32_t> slots(slots_.size() * 2);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    std::size_t s = entries_[i].hash & (slots.size() - 1);
    while (slots[s] != 0) s = (s + 1) & (slots.size() - 1);
    slots[s] = static_cast<std::uint32_t>(i) + 1;
  }
  slots_.swap(slots);
}

}  // namespace textkit

#include "textkit/intern.hpp"

namespace textkit {
namespace {

constexpr std::size_t kFirstSlots = 64;  // a power of two, as every later size

std::uint64_t fnv1a_of(std::string_view word) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : word) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  return hash ^ (hash >> 32);
}

}  // namespace

Interner::Interner() : slots_(kFirstSlots) {}

std::string_view Interner::word(std::uint32_t number) const {
  const Entry& entry = entries_[number];
  return std::string_view(letters_).substr(entry.start, entry.length);
}

std::uint32_t Interner::intern(std::string_view word) {
  const std::uint64_t hash = fnv1a_of(word);
  std::size_t slot = hash & (slots_.size() - 1);
  while (slots_[slot] != 0) {
    const Entry& entry = entries_[slots_[slot] - 1];
    if (entry.hash == hash && std::string_view(letters_).substr(entry.start, entry.length) == word)
      return slots_[slot] - 1;
    slot = (slot + 1) & (slots_.size() - 1);
  }
  const auto number = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back(Entry{hash, static_cast<std::uint32_t>(letters_.size()), static_cast<std::uint32_t>(word.size())});
  letters_.append(word);
  slots_[slot] = number + 1;
  if (entries_.size() * 2 > slots_.size()) grow();
  return number;
}

void Interner::grow() {
  std::vector<std::uint32_t> larger(slots_.size() * 2);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    std::size_t slot = entries_[i].hash & (larger.size() - 1);
    while (larger[slot] != 0) slot = (slot + 1) & (larger.size() - 1);
    larger[slot] = static_cast<std::uint32_t>(i) + 1;
  }
  slots_.swap(larger);
}

}  // namespace textkit

// A hash table that holds indices only: the entries themselves, and what makes two of them equal, stay with the caller.
// Eight bytes a slot, where std::unordered_map takes some forty and a visit to memory more for each look.
//
//     const std::uint32_t found = table.find(hash, [&](std::uint32_t i) { return names[i] == name; });
//     if (found == IndexTable::kNone) table.insert(hash, new_index);
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace steelyard {

class IndexTable {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  // The index put in under this hash that `is_equal` accepts; kNone where there is none.
  template <class IsEqual>
  std::uint32_t find(std::uint32_t hash, IsEqual is_equal) const {
    for (std::size_t slot = hash & mask_;; slot = (slot + 1) & mask_) {
      const Slot& here = slots_[slot];
      if (here.index == kNone || (here.hash == hash && is_equal(here.index))) return here.index;
    }
  }

  // Precondition: find() has found none; index is not kNone.
  void insert(std::uint32_t hash, std::uint32_t index) {
    if (++size_ * 4 > slots_.size() * 3) grow();
    put({hash, index});
  }

  std::size_t bytes() const { return slots_.size() * sizeof(Slot); }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t index = kNone;
  };

  void put(const Slot& added) {
    std::size_t slot = added.hash & mask_;
    while (slots_[slot].index != kNone) slot = (slot + 1) & mask_;
    slots_[slot] = added;
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.index != kNone) put(slot);
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(64);
  std::size_t mask_ = 63;
  std::size_t size_ = 0;
};

// Spreads neighbouring numbers over the table (the finalizer of Austin Appleby's MurmurHash3, 64 bits).
inline std::uint32_t spread_hash(std::uint64_t number) {
  number = (number ^ (number >> 33)) * 0xff51afd7ed558ccdu;
  number = (number ^ (number >> 33)) * 0xc4ceb9fe1a85ec53u;
  return static_cast<std::uint32_t>(number ^ (number >> 33));
}

}  // namespace steelyard

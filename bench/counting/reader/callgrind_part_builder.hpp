// Gathers the records of one part of a callgrind.out file into a CallgrindPart: one function per (object, file, name),
// one arc per pair of functions, costs added up and checked. Knows what records mean; how they are written is the
// reader's business.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bench/counting/reader/callgrind_reader.hpp"
#include "bench/model/result.hpp"

namespace steelyard::bench {

// A hash table that holds indices only: the entries themselves, and what makes two of them equal, stay with the caller.
// Eight bytes a slot, where std::unordered_map takes some forty and a visit to memory more for each look.
//
//     const std::uint32_t found = table.find(hash, [&](std::uint32_t i) { return names[i] == name; });
//     if (found == IndexTable::kNone) table.insert(hash, new_index);

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

// The names of one number space of a callgrind.out file (objects, files or functions): "(7) name" defines 7, "(7)"
// refers to it, a name without a number stands for itself. Equal names get one index, however they were written.

class CallgrindNames {
 public:
  CallgrindNames();

  // Index of the name that `text` defines, refers to, or is. Errors carry no place: the caller knows the line.
  Result<std::uint32_t> resolve(std::string_view text);

  std::string_view name(std::uint32_t index) const { return names_[index]; }
  std::size_t size() const { return names_.size(); }
  // About what all names take.
  std::size_t bytes() const { return bytes_; }

  static constexpr std::uint32_t kNone = 0;  // the empty name: nothing was said

 private:
  std::uint32_t index_of(std::string_view name);
  std::string_view keep(std::string_view name);
  std::uint32_t index_of_number(std::uint64_t number) const;
  void define(std::uint64_t number, std::uint32_t index);

  std::vector<std::string_view> names_;          // into the blocks
  std::vector<std::unique_ptr<char[]>> blocks_;  // a string of its own for each name took a tenth of the reader's time
  std::size_t left_ = 0;                         // in the last block, at its end
  char* free_ = nullptr;
  IndexTable index_by_name_;
  std::vector<std::uint32_t> index_by_number_;  // small numbers
  std::unordered_map<std::uint64_t, std::uint32_t> index_by_far_number_;
  std::size_t bytes_ = 0;
};

// The order of PositionCost, and several costs of one place made one.

// Sorts `costs` by function, file, address and line, adds up those that agree in all four, and drops what costs
// nothing. False where a sum does not fit into 63 bits. Cost: n log n. Precondition: all have equally many events.
bool merge_equal_positions(std::vector<PositionCost>& costs);

// Events that a callgrind.out file defines by a formula instead of counting them ("event: CEst = Ir + 10 L1m : cycle
// estimate"). They are evaluated here, never read.

// The definitions of a part are kept in CallgrindPart::event_definitions, as written after "event:". Those with a
// formula whose name is not counted are appended to `events`, and their values to every cost of the part, in the order
// of the file; a formula may use the ones before it. Error (input, without a place): a formula that is none, an event
// it does not know, a value above 63 bits.
Result<void> append_derived_events(CallgrindPart& part);

struct CallgrindFunctionKey {
  std::uint32_t object = CallgrindNames::kNone;
  std::uint32_t file = CallgrindNames::kNone;
  std::uint32_t name = CallgrindNames::kNone;
  bool operator==(const CallgrindFunctionKey&) const = default;
};

// Where a cost was spent: 0 for what the file does not tell.
struct CallgrindPlace {
  std::uint64_t address = 0;
  std::uint64_t line = 0;
};

// The three number spaces of a file; they go on from part to part.
struct CallgrindNameSpaces {
  CallgrindNames objects;
  CallgrindNames files;
  CallgrindNames functions;
};

using CallgrindCost = std::span<const std::int64_t>;  // at most one number per event; the missing ones are 0

class CallgrindPartBuilder {
 public:
  // Precondition: `names` outlives this; part.events are set.
  CallgrindPartBuilder(const CallgrindNameSpaces& names, CallgrindPart part, const CallgrindReadOptions& options);

  std::uint32_t find_or_add(const CallgrindFunctionKey& key);

  // False where a sum does not fit into 63 bits.
  bool add_self(std::uint32_t function, std::uint32_t file, const CallgrindPlace& place, CallgrindCost cost);
  bool add_call(std::uint32_t caller, std::uint32_t callee, std::int64_t calls, std::uint64_t callee_line,
                CallgrindCost cost);

  // About what the part takes, now and after finish().
  std::size_t bytes() const { return bytes_; }

  // Error (input, without a place): the self costs do not add up to `totals`, or a sum does not fit.
  Result<CallgrindPart> finish(const std::vector<std::int64_t>& totals) &&;

 private:
  std::uint32_t inlined_index(std::uint32_t function, std::uint32_t file);
  std::size_t bytes_of_costs() const;
  void sort_inlined();
  bool merge_positions();

  const CallgrindNameSpaces& names_;
  CallgrindPart part_;
  bool keeps_positions_;
  std::size_t bytes_ = sizeof(CallgrindPart);
  std::vector<CallgrindFunctionKey> keys_;  // of each function
  IndexTable function_by_key_;
  IndexTable arc_by_pair_;
  IndexTable inlined_by_pair_;
  std::vector<std::uint32_t> inlined_file_;  // of each inlined piece
  std::uint32_t last_inlined_ = IndexTable::kNone;
};

}  // namespace steelyard::bench

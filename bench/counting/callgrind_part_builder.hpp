// Gathers the records of one part of a callgrind.out file into a CallgrindPart: one function per (object, file, name),
// one arc per pair of functions, costs added up and checked. Knows what records mean; how they are written is the
// reader's business.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bench/counting/callgrind_names.hpp"
#include "bench/counting/callgrind_reader.hpp"
#include "bench/counting/index_table.hpp"

namespace steelyard {

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

  // The function of a record (fn=): costs that follow are its own.
  std::uint32_t begin_record(const CallgrindFunctionKey& key);
  std::uint32_t find_or_add(const CallgrindFunctionKey& key);

  // False where a sum does not fit into 63 bits.
  bool add_self(std::uint32_t function, std::uint32_t file, const CallgrindPlace& place, CallgrindCost cost);
  bool add_call(std::uint32_t caller, std::uint32_t callee, std::int64_t calls, std::uint64_t callee_line,
                CallgrindCost cost);
  void add_jump() { ++part_.jumps; }

  // About what the part takes, now and after finish().
  std::size_t bytes() const { return bytes_; }

  // Error (input, without a place): the self costs do not add up to `totals`, or a sum does not fit.
  Result<CallgrindPart> finish(const std::vector<std::int64_t>& totals) &&;

 private:
  struct Added {
    CallgrindFunctionKey key;
    bool is_recorded = false;  // had a record of its own
  };

  std::uint32_t inlined_index(std::uint32_t function, std::uint32_t file);
  std::size_t bytes_of_costs() const;
  void sort_inlined();
  bool merge_positions();

  const CallgrindNameSpaces& names_;
  CallgrindPart part_;
  bool keeps_positions_;
  std::size_t bytes_ = sizeof(CallgrindPart);
  std::vector<Added> added_;  // of each function
  IndexTable function_by_key_;
  IndexTable arc_by_pair_;
  IndexTable inlined_by_pair_;
  std::vector<std::uint32_t> inlined_file_;  // of each inlined piece
  std::uint32_t last_inlined_ = IndexTable::kNone;
};

}  // namespace steelyard

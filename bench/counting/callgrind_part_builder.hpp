// Gathers the records of one part of a callgrind.out file into a CallgrindPart: one function per (object, file, name),
// one arc per pair of functions, costs added up and checked. Knows what records mean; how they are written is the
// reader's business.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "bench/counting/callgrind_names.hpp"
#include "bench/counting/callgrind_reader.hpp"

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

class CallgrindPartBuilder {
 public:
  // Precondition: `names` outlives this; part.events are set.
  CallgrindPartBuilder(const CallgrindNameSpaces& names, CallgrindPart part, const CallgrindReadOptions& options);

  // The function of a record (fn=): costs that follow are its own.
  std::uint32_t begin_record(const CallgrindFunctionKey& key);
  std::uint32_t find_or_add(const CallgrindFunctionKey& key);

  // Costs: at most one number per event, the missing ones are 0. False where a sum does not fit into 63 bits.
  bool add_self(std::uint32_t function, std::uint32_t file, const CallgrindPlace& place,
                const std::vector<std::int64_t>& cost);
  bool add_call(std::uint32_t caller, std::uint32_t callee, std::int64_t calls, std::uint64_t callee_line,
                const std::vector<std::int64_t>& cost);
  void add_jump() { ++part_.jumps; }

  // Error (input, without a place): the self costs do not add up to `totals`, or a sum does not fit.
  Result<CallgrindPart> finish(const std::vector<std::int64_t>& totals) &&;

 private:
  struct KeyHash {
    std::size_t operator()(const CallgrindFunctionKey& key) const;
  };
  using Pair = std::uint64_t;  // two 32-bit indices

  std::vector<std::int64_t>& inlined_cost(std::uint32_t function, std::uint32_t file);
  void sort_inlined();
  bool merge_positions();

  const CallgrindNameSpaces& names_;
  CallgrindPart part_;
  bool keeps_positions_;
  std::vector<std::uint32_t> file_of_;  // of each function
  std::vector<char> is_recorded_;       // each function: had a record of its own
  std::unordered_map<CallgrindFunctionKey, std::uint32_t, KeyHash> function_by_key_;
  std::unordered_map<Pair, std::uint32_t> arc_by_pair_;
  std::unordered_map<Pair, std::uint32_t> inlined_by_pair_;
};

}  // namespace steelyard

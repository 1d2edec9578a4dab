// Whole numbers that lie close together, in few bytes: the smallest once, then how far each lies above it, in as many
// bits as most of them need; the few that need more have the rest of theirs behind.
//
//   width        1 byte: bits of each distance, 0 to 62; 128 more: with exceptions; 255: eight bytes each, nothing else
//   smallest     signed varint
//   exceptions   varint: how many; only where the width says so
//   distances    count * width bits, the highest bit first, filled up to a whole byte
//   rests        of each exception: varint, how many numbers after the previous one (the first: after none) it stands;
//                varint, the bits above the width
//
// Of more than 4096 numbers each takes at least a bit, so that a few bytes cannot ask for much memory. Of no number
// there is no block. How many there are stands elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "storage/packing/byte_reader.hpp"

namespace steelyard {

// How to write these numbers in the fewest bytes.
struct IntegerBlockPlan {
  bool raw = true;
  unsigned width = 0;
  std::int64_t smallest = 0;
  std::size_t exceptions = 0;
  std::size_t bytes = 0;  // of the whole block
};
IntegerBlockPlan plan_integers(std::span<const std::int64_t> numbers);
void append_integers(std::string& bytes, std::span<const std::int64_t> numbers, const IntegerBlockPlan& plan);
// `count` numbers; on bytes that are no such block the reader fails and they are empty.
std::vector<std::int64_t> read_integers(ByteReader& reader, std::uint64_t count);

}  // namespace steelyard

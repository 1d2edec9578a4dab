// Samples in as few bytes as they take, and back to the last bit. Most of what a clock yields is a whole number of its
// ticks divided by the iterations of the timed block: a few bits a sample once that is known. The smallest of these
// forms wins; its number stands first.
//
//   0  raw       eight bytes each: the double's bits, the highest byte first
//   1  decimal   m / 10^d                               a byte d (0 to 17), block of m
//   2  ticks     t / iterations                         block of t
//   3  near      the double u places after t / iterations   block of t, block of u
//   4  seconds   q / 2^k * 1e9 / iterations, where q = round(t * 2^k / 1e9) + c: a clock that counted whole
//                nanoseconds t and was read in seconds, as a double    a byte k (10 to 62), block of t, block of c
//   5  bits      doubles in their order, as integers    a byte z (0 to 63) of zero bits taken off the end, block
//
// Every operation is one on doubles as IEEE 754 rounds it, so that SQL comes to the same bits. |m|, |t|, |q| and the
// iterations are below 2^53; round() goes to the even one of two. Blocks: below. No sample: nothing at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard::storage {

// Reads bytes of unknown origin: nothing is read past the end, and what was read after a failure is zero. Numbers of
// variable length are seven bits a byte, lowest first, the high bit set on all but the last (LEB128); signed ones fold
// the sign into the lowest bit.

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}
  std::uint8_t byte();
  std::uint64_t varint();
  std::int64_t signed_varint();
  std::string_view take(std::uint64_t count);
  std::size_t left() const { return bytes_.size() - at_; }
  void fail() { failed_ = true; }
  bool failed() const { return failed_; }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

void append_varint(std::string& bytes, std::uint64_t value);
void append_signed_varint(std::string& bytes, std::int64_t value);
std::size_t varint_size(std::uint64_t value);
inline std::uint64_t fold_sign(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63);
}

// Eight bytes, the highest first.
void append_big_endian(std::string& bytes, std::uint64_t value);
std::uint64_t big_endian_at(std::string_view bytes, std::size_t at);

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

// Keeps its memory from one measurement to the next.
class DoublePacker {
 public:
  // iterations: as many as samples, or any other number, which means that they say nothing of these samples.
  void append(std::string& bytes, std::span<const double> samples, std::span<const std::int64_t> iterations);

 private:
  using Integers = std::vector<std::int64_t>;
  // One way to write the samples: at most two blocks.
  struct Candidate {
    std::uint8_t form = 0;
    int parameter = 0;
    Integers first;
    Integers second;
    IntegerBlockPlan first_plan;
    IntegerBlockPlan second_plan;
    std::size_t bytes = 0;
  };
  void keep_if_smaller(std::uint8_t form, int parameter);
  bool try_decimals(std::span<const double> samples);
  void try_ticks(std::span<const double> samples, std::span<const std::int64_t> iterations);
  void try_seconds(std::span<const double> samples, std::span<const std::int64_t> iterations);
  void try_bits(std::span<const double> samples);

  Candidate best_;
  Candidate next_;
};

// On bytes that DoublePacker cannot have made the reader fails.
std::vector<double> read_doubles(ByteReader& reader, std::uint64_t count, std::span<const std::int64_t> iterations);

}  // namespace steelyard::storage

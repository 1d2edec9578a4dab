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
// iterations are below 2^53; round() goes to the even one of two. Blocks: integer_block.hpp. No sample: nothing at all.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "storage/packing/byte_reader.hpp"
#include "storage/packing/integer_block.hpp"

namespace steelyard {

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

}  // namespace steelyard

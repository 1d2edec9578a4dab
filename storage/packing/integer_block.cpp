#include "storage/packing/integer_block.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace steelyard {
namespace {

// In SQL all of it is done in signed 64-bit integers: a wider distance is written as it is.
constexpr unsigned kMostBits = 62;
constexpr unsigned kWithExceptions = 128;
constexpr unsigned kRaw = 255;
constexpr std::uint64_t kMostWithoutBits = 4096;
constexpr std::size_t kNumberBytes = 8;

std::size_t bytes_of_bits(std::uint64_t bits) { return static_cast<std::size_t>((bits + 7) / 8); }

std::uint64_t distance(std::int64_t number, std::int64_t smallest) {
  return static_cast<std::uint64_t>(number) - static_cast<std::uint64_t>(smallest);
}

class BitWriter {
 public:
  BitWriter(std::string& bytes, unsigned width)
      : bytes_(bytes), width_(width), mask_((std::uint64_t{1} << width) - 1) {}
  void add(std::uint64_t value) {
    // At most 7 bits wait here, so that a half of a number has room.
    constexpr unsigned kHalf = 31;
    value &= mask_;
    if (width_ > kHalf) {
      push(value >> kHalf, width_ - kHalf);
      push(value & ((std::uint64_t{1} << kHalf) - 1), kHalf);
    } else {
      push(value, width_);
    }
  }
  void finish() {
    if (waiting_ > 0) push(0, 8 - waiting_);
  }

 private:
  void push(std::uint64_t value, unsigned width) {
    bits_ = bits_ << width | value;
    waiting_ += width;
    for (; waiting_ >= 8; waiting_ -= 8) bytes_ += static_cast<char>((bits_ >> (waiting_ - 8)) & 0xFFU);
  }
  std::string& bytes_;
  unsigned width_;
  std::uint64_t mask_;
  std::uint64_t bits_ = 0;
  unsigned waiting_ = 0;
};

std::uint64_t bits_at(std::string_view bytes, std::uint64_t first_bit, unsigned width) {
  std::uint64_t value = 0;
  for (unsigned left = width; left > 0;) {
    const auto byte = static_cast<unsigned char>(bytes[static_cast<std::size_t>(first_bit / 8)]);
    const unsigned used = static_cast<unsigned>(first_bit % 8);
    const unsigned taken = std::min(left, 8 - used);
    value = value << taken | ((byte >> (8 - used - taken)) & ((1U << taken) - 1U));
    first_bit += taken;
    left -= taken;
  }
  return value;
}

std::size_t rest_bytes(std::span<const std::int64_t> numbers, std::int64_t smallest, unsigned width) {
  std::size_t bytes = 0;
  std::uint64_t gap = 0;
  for (const std::int64_t number : numbers) {
    const std::uint64_t rest = distance(number, smallest) >> width;
    if (rest > 0) bytes += varint_size(gap) + varint_size(rest);
    gap = rest > 0 ? 0 : gap + 1;
  }
  return bytes;
}

// Adds to the numbers what did not fit into the width.
void read_rests(ByteReader& reader, std::vector<std::int64_t>& numbers, std::uint64_t exceptions, unsigned width) {
  std::uint64_t at = 0;
  for (std::uint64_t i = 0; i < exceptions; ++i) {
    const std::uint64_t gap = reader.varint();
    const std::uint64_t rest = reader.varint();
    if (reader.failed() || gap >= numbers.size() || at + gap >= numbers.size()) return reader.fail();
    if (rest > (std::uint64_t{1} << (kMostBits - width)) - 1) return reader.fail();
    at += gap;
    std::int64_t& number = numbers[static_cast<std::size_t>(at++)];
    number = static_cast<std::int64_t>(static_cast<std::uint64_t>(number) + (rest << width));
  }
}

}  // namespace

IntegerBlockPlan plan_integers(std::span<const std::int64_t> numbers) {
  IntegerBlockPlan plan;
  if (numbers.empty()) return plan;
  const auto ends = std::minmax_element(numbers.begin(), numbers.end());
  const std::int64_t smallest = *ends.first;
  const auto widest = static_cast<unsigned>(std::bit_width(distance(*ends.second, smallest)));
  const std::uint64_t count = numbers.size();
  plan.smallest = smallest;
  plan.bytes = 1 + kNumberBytes * numbers.size();
  if (widest > kMostBits) return plan;

  const unsigned narrowest = count > kMostWithoutBits ? 1 : 0;
  const std::size_t head = 1 + varint_size(fold_sign(smallest));
  const auto consider = [&](unsigned width, std::size_t exceptions, std::size_t rests) {
    const std::size_t bytes = head + bytes_of_bits(count * width) + rests;
    if (bytes > plan.bytes || (bytes == plan.bytes && !plan.raw)) return;
    plan = {false, width, smallest, exceptions, bytes};
  };
  consider(std::max(widest, narrowest), 0, 0);
  if (widest <= narrowest) return plan;

  // An exception costs two bytes at least, a bit less of each number saves an eighth of a byte: soon there are too
  // many.
  std::array<std::uint32_t, kMostBits + 1> of_width{};
  for (const std::int64_t number : numbers) {
    ++of_width[static_cast<std::size_t>(std::bit_width(distance(number, smallest)))];
  }
  std::size_t exceptions = 0;
  for (unsigned width = widest; width-- > narrowest;) {
    exceptions += of_width[width + 1];
    if (2 * exceptions > bytes_of_bits(count * (widest - width))) {
      if (exceptions > numbers.size() / 4) break;
      continue;
    }
    const std::size_t rests = varint_size(exceptions) + rest_bytes(numbers, smallest, width);
    consider(width, exceptions, rests);
  }
  return plan;
}

void append_integers(std::string& bytes, std::span<const std::int64_t> numbers, const IntegerBlockPlan& plan) {
  if (numbers.empty()) return;
  if (plan.raw) {
    bytes += static_cast<char>(kRaw);
    for (const std::int64_t number : numbers) append_big_endian(bytes, static_cast<std::uint64_t>(number));
    return;
  }
  bytes += static_cast<char>(plan.width + (plan.exceptions > 0 ? kWithExceptions : 0));
  append_signed_varint(bytes, plan.smallest);
  if (plan.exceptions > 0) append_varint(bytes, plan.exceptions);
  BitWriter bits(bytes, plan.width);
  for (const std::int64_t number : numbers) bits.add(distance(number, plan.smallest));
  bits.finish();
  if (plan.exceptions == 0) return;
  std::uint64_t gap = 0;
  for (const std::int64_t number : numbers) {
    const std::uint64_t rest = distance(number, plan.smallest) >> plan.width;
    if (rest > 0) {
      append_varint(bytes, gap);
      append_varint(bytes, rest);
    }
    gap = rest > 0 ? 0 : gap + 1;
  }
}

std::vector<std::int64_t> read_integers(ByteReader& reader, std::uint64_t count) {
  std::vector<std::int64_t> numbers;
  if (count == 0) return numbers;
  const unsigned head = reader.byte();
  if (head == kRaw) {
    if (count > reader.left() / kNumberBytes) reader.fail();
    const std::string_view taken = reader.take(reader.failed() ? 0 : count * kNumberBytes);
    for (std::size_t at = 0; at < taken.size(); at += kNumberBytes) {
      numbers.push_back(static_cast<std::int64_t>(big_endian_at(taken, at)));
    }
    return numbers;
  }
  const unsigned width = head % kWithExceptions;
  const auto smallest = static_cast<std::uint64_t>(reader.signed_varint());
  const std::uint64_t exceptions = head >= kWithExceptions ? reader.varint() : 0;
  // Before anything is allocated or multiplied: the bytes must be there.
  const bool too_many = width == 0 ? count > kMostWithoutBits : count > std::uint64_t{reader.left()} * 8 / width;
  if (reader.failed() || width > kMostBits || too_many || exceptions > count) {
    reader.fail();
    return numbers;
  }
  const std::string_view packed = reader.take(bytes_of_bits(count * width));
  if (reader.failed()) return numbers;
  numbers.reserve(static_cast<std::size_t>(count));
  for (std::uint64_t i = 0; i < count; ++i) {
    numbers.push_back(static_cast<std::int64_t>(smallest + bits_at(packed, i * width, width)));
  }
  read_rests(reader, numbers, exceptions, width);
  if (reader.failed()) numbers.clear();
  return numbers;
}

}  // namespace steelyard

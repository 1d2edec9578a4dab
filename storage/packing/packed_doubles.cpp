#include "storage/packing/packed_doubles.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace steelyard::storage {
namespace {

constexpr unsigned kBitsPerByte = 7;
constexpr unsigned kMaxShift = 63;  // a tenth byte holds the 64th bit

}  // namespace

std::uint8_t ByteReader::byte() {
  if (failed_ || at_ >= bytes_.size()) {
    failed_ = true;
    return 0;
  }
  return static_cast<std::uint8_t>(bytes_[at_++]);
}

std::uint64_t ByteReader::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift <= kMaxShift; shift += kBitsPerByte) {
    const std::uint8_t next = byte();
    if (failed_ || (shift == kMaxShift && next > 1)) break;
    value |= static_cast<std::uint64_t>(next & 0x7FU) << shift;
    if (next < 0x80U) return value;
  }
  failed_ = true;
  return 0;
}

std::int64_t ByteReader::signed_varint() {
  const std::uint64_t folded = varint();
  return static_cast<std::int64_t>((folded >> 1U) ^ (0U - (folded & 1U)));
}

std::string_view ByteReader::take(std::uint64_t count) {
  if (failed_ || count > left()) {
    failed_ = true;
    return {};
  }
  const std::string_view taken = bytes_.substr(at_, static_cast<std::size_t>(count));
  at_ += static_cast<std::size_t>(count);
  return taken;
}

void append_varint(std::string& bytes, std::uint64_t value) {
  for (; value >= 0x80U; value >>= kBitsPerByte) bytes += static_cast<char>((value & 0x7FU) | 0x80U);
  bytes += static_cast<char>(value);
}
void append_signed_varint(std::string& bytes, std::int64_t value) { append_varint(bytes, fold_sign(value)); }

std::size_t varint_size(std::uint64_t value) {
  std::size_t size = 1;
  for (; value >= 0x80U; value >>= kBitsPerByte) ++size;
  return size;
}

void append_big_endian(std::string& bytes, std::uint64_t value) {
  for (unsigned shift = 64; shift > 0; shift -= 8) bytes += static_cast<char>((value >> (shift - 8)) & 0xFFU);
}

std::uint64_t big_endian_at(std::string_view bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(value); ++i) value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

namespace {

// In SQL all of it is done in signed 64-bit integers: a wider distance is written as it is.
constexpr unsigned kMaxBits = 62;
constexpr unsigned kWithExceptions = 128;
constexpr unsigned kRaw = 255;
constexpr std::uint64_t kMaxWithoutBits = 4096;
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
    if (rest > (std::uint64_t{1} << (kMaxBits - width)) - 1) return reader.fail();
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
  if (widest > kMaxBits) return plan;

  const unsigned narrowest = count > kMaxWithoutBits ? 1 : 0;
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
  std::array<std::uint32_t, kMaxBits + 1> of_width{};
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
  const bool too_many = width == 0 ? count > kMaxWithoutBits : count > std::uint64_t{reader.left()} * 8 / width;
  if (reader.failed() || width > kMaxBits || too_many || exceptions > count) {
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

namespace {

enum Form : std::uint8_t { raw, decimal, ticks, near, seconds, bits };

using Integers = std::vector<std::int64_t>;

constexpr double kWholeNumbers = 9007199254740992;  // 2^53: below it every whole number is a double
constexpr double kNanosecondsPerSecond = 1e9;
constexpr std::array<double, 18> kPowersOfTen{1,   1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,
                                              1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17};
constexpr int kMinSecondBits = 10;
constexpr int kMaxSecondBits = 62;

bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }
bool is_whole(double value) { return std::abs(value) < kWholeNumbers; }  // false for NaN

// To the nearest whole number, of two the even one, as std::nearbyint() does, in two additions: above 2^52 a double has
// no fraction.
double rounded(double value) {
  constexpr double kNoFraction = 4503599627370496;
  if (!(std::abs(value) < kNoFraction)) return value;
  const double shift = std::copysign(kNoFraction, value);
  return value + shift - shift;
}

// Integers in the order of the doubles; -0 right before 0.
std::int64_t rank_of(double value) {
  const auto pattern = std::bit_cast<std::int64_t>(value);
  return pattern >= 0 ? pattern : pattern ^ std::numeric_limits<std::int64_t>::max();
}
double of_rank(std::int64_t rank) {
  return std::bit_cast<double>(rank >= 0 ? rank : rank ^ std::numeric_limits<std::int64_t>::max());
}

double of_ticks(std::int64_t t, std::int64_t iterations) {
  return static_cast<double>(t) / static_cast<double>(iterations);
}
// The clock's own count for t nanoseconds, where it counts 2^k a second.
double quanta_of(std::int64_t t, int k) {
  return rounded(static_cast<double>(t) * std::ldexp(1.0, k) / kNanosecondsPerSecond);
}
double of_quanta(double q, int k, std::int64_t iterations) {
  return q * std::ldexp(1.0, -k) * kNanosecondsPerSecond / static_cast<double>(iterations);
}

std::optional<std::int64_t> decimal_of(double sample, int places) {
  const double power = kPowersOfTen[static_cast<std::size_t>(places)];
  const double m = rounded(sample * power) + 0.0;  // an integer knows no -0
  if (!is_whole(m) || !same(m / power, sample)) return std::nullopt;
  return static_cast<std::int64_t>(m);
}

// The clock's count for a sample; absent where no count at 2^k a second gives it.
std::optional<double> quanta_of_sample(double sample, std::int64_t iterations, int k) {
  const double q = rounded(sample * static_cast<double>(iterations) / kNanosecondsPerSecond * std::ldexp(1.0, k)) + 0.0;
  if (!is_whole(q) || !same(of_quanta(q, k, iterations), sample)) return std::nullopt;
  return q;
}

struct Layout {
  Form form = Form::raw;
  bool has_parameter = false;
  int least = 0;
  int most = 0;
  bool needs_iterations = false;
  bool has_second = false;
};
constexpr std::array<Layout, 6> kLayouts{{{Form::raw, false, 0, 0, false, false},
                                          {Form::decimal, true, 0, 17, false, false},
                                          {Form::ticks, false, 0, 0, true, false},
                                          {Form::near, false, 0, 0, true, true},
                                          {Form::seconds, true, kMinSecondBits, kMaxSecondBits, true, true},
                                          {Form::bits, true, 0, 63, false, false}}};

std::vector<double> read_raw(ByteReader& reader, std::uint64_t count) {
  std::vector<double> samples;
  if (count > reader.left() / kNumberBytes) reader.fail();
  const std::string_view taken = reader.take(reader.failed() ? 0 : count * kNumberBytes);
  for (std::size_t at = 0; at < taken.size(); at += kNumberBytes) {
    samples.push_back(std::bit_cast<double>(big_endian_at(taken, at)));
  }
  return samples;
}

std::int64_t sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

}  // namespace

void DoublePacker::append(std::string& bytes, std::span<const double> samples,
                          std::span<const std::int64_t> iterations) {
  if (samples.empty()) return;
  best_.form = Form::raw;
  best_.bytes = 1 + kNumberBytes * samples.size();
  // Whole numbers are as short as they come.
  if (!try_decimals(samples)) try_ticks(samples, iterations);
  if (best_.form == Form::raw || best_.form == Form::near) try_bits(samples);
  bytes += static_cast<char>(best_.form);
  if (best_.form == Form::raw) {
    for (const double sample : samples) append_big_endian(bytes, std::bit_cast<std::uint64_t>(sample));
    return;
  }
  if (kLayouts[best_.form].has_parameter) bytes += static_cast<char>(best_.parameter);
  append_integers(bytes, best_.first, best_.first_plan);
  if (kLayouts[best_.form].has_second) append_integers(bytes, best_.second, best_.second_plan);
}

void DoublePacker::keep_if_smaller(std::uint8_t form, int parameter) {
  const Layout& layout = kLayouts[form];
  next_.form = form;
  next_.parameter = parameter;
  next_.first_plan = plan_integers(next_.first);
  next_.bytes = 1 + (layout.has_parameter ? 1 : 0) + next_.first_plan.bytes;
  if (layout.has_second) {
    next_.second_plan = plan_integers(next_.second);
    next_.bytes += next_.second_plan.bytes;
  }
  if (next_.bytes < best_.bytes) std::swap(best_, next_);
}

// True where they are whole numbers.
bool DoublePacker::try_decimals(std::span<const double> samples) {
  for (int places = 0; places < static_cast<int>(kPowersOfTen.size()); ++places) {
    // More places need larger numbers; fewer are enough only if they are for the first sample, which nearly always
    // decides.
    if (!is_whole(samples.front() * kPowersOfTen[static_cast<std::size_t>(places)])) return false;
    if (!decimal_of(samples.front(), places)) continue;
    next_.first.clear();
    for (const double sample : samples) {
      const auto number = decimal_of(sample, places);
      if (!number) break;
      next_.first.push_back(*number);
    }
    if (next_.first.size() < samples.size()) continue;
    keep_if_smaller(Form::decimal, places);
    return places == 0;
  }
  return false;
}

void DoublePacker::try_ticks(std::span<const double> samples, std::span<const std::int64_t> iterations) {
  if (samples.size() != iterations.size()) return;
  next_.first.clear();
  next_.second.clear();
  bool exact = true;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto n = static_cast<double>(iterations[i]);
    const double t = rounded(samples[i] * n);
    if (!(n >= 1 && n < kWholeNumbers) || !is_whole(t)) return;
    const auto ticks = static_cast<std::int64_t>(t);
    const auto places = static_cast<std::uint64_t>(rank_of(samples[i])) -
                        static_cast<std::uint64_t>(rank_of(of_ticks(ticks, iterations[i])));
    exact = exact && places == 0;
    next_.first.push_back(ticks);
    next_.second.push_back(static_cast<std::int64_t>(places));
  }
  if (exact) return keep_if_smaller(Form::ticks, 0);
  const Integers ticks = next_.first;
  keep_if_smaller(Form::near, 0);
  next_.first = ticks;
  try_seconds(samples, iterations);
}

// Precondition: next_.first has the ticks.
void DoublePacker::try_seconds(std::span<const double> samples, std::span<const std::int64_t> iterations) {
  for (int k = kMinSecondBits; k <= kMaxSecondBits; ++k) {
    if (!quanta_of_sample(samples.front(), iterations.front(), k)) continue;
    next_.second.clear();
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const auto q = quanta_of_sample(samples[i], iterations[i], k);
      const double expected = quanta_of(next_.first[i], k);
      if (!q || !is_whole(expected)) break;
      next_.second.push_back(static_cast<std::int64_t>(*q) - static_cast<std::int64_t>(expected));
    }
    if (next_.second.size() == samples.size()) return keep_if_smaller(Form::seconds, k);
  }
}

void DoublePacker::try_bits(std::span<const double> samples) {
  next_.first.clear();
  std::uint64_t all = 0;
  for (const double sample : samples) {
    next_.first.push_back(rank_of(sample));
    all |= static_cast<std::uint64_t>(next_.first.back());
  }
  const int zeros = all == 0 ? 0 : std::countr_zero(all);
  for (std::int64_t& rank : next_.first) rank >>= zeros;
  keep_if_smaller(Form::bits, zeros);
}

std::vector<double> read_doubles(ByteReader& reader, std::uint64_t count, std::span<const std::int64_t> iterations) {
  if (count == 0) return {};
  const std::uint8_t form = reader.byte();
  if (reader.failed() || form >= kLayouts.size()) return reader.fail(), std::vector<double>();
  if (form == Form::raw) return read_raw(reader, count);
  const Layout& layout = kLayouts[form];
  const int parameter = layout.has_parameter ? reader.byte() : 0;
  if (parameter < layout.least || parameter > layout.most) reader.fail();
  if (layout.needs_iterations && iterations.size() != count) reader.fail();
  const Integers first = read_integers(reader, reader.failed() ? 0 : count);
  const Integers second = read_integers(reader, layout.has_second && !reader.failed() ? count : 0);
  if (reader.failed()) return {};
  std::vector<double> samples;
  samples.reserve(first.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    switch (layout.form) {
      case Form::raw:
        break;
      case Form::decimal:
        samples.push_back(static_cast<double>(first[i]) / kPowersOfTen[static_cast<std::size_t>(parameter)]);
        break;
      case Form::ticks:
        samples.push_back(of_ticks(first[i], iterations[i]));
        break;
      case Form::near:
        samples.push_back(of_rank(sum(rank_of(of_ticks(first[i], iterations[i])), second[i])));
        break;
      case Form::seconds:
        samples.push_back(
            of_quanta(quanta_of(first[i], parameter) + static_cast<double>(second[i]), parameter, iterations[i]));
        break;
      case Form::bits:
        samples.push_back(of_rank(static_cast<std::int64_t>(static_cast<std::uint64_t>(first[i]) << parameter)));
        break;
    }
  }
  return samples;
}

}  // namespace steelyard::storage

#include "storage/packing/packed_doubles.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace steelyard {
namespace {

enum Form : std::uint8_t { raw, decimal, ticks, near, seconds, bits };

using Integers = std::vector<std::int64_t>;

constexpr double kWholeNumbers = 9007199254740992;  // 2^53: below it every whole number is a double
constexpr double kNanosecondsPerSecond = 1e9;
constexpr std::array<double, 18> kPowersOfTen{1,   1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,
                                              1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17};
constexpr int kLeastSecondBits = 10;
constexpr int kMostSecondBits = 62;
constexpr std::size_t kNumberBytes = 8;

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
                                          {Form::seconds, true, kLeastSecondBits, kMostSecondBits, true, true},
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
  for (int k = kLeastSecondBits; k <= kMostSecondBits; ++k) {
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

}  // namespace steelyard

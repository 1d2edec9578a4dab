// Strong types for what has a unit. Built by name, no implicit double; base units are stored, scaling is for printing.
//
//     Nanoseconds budget = seconds(2);
//     FlopsPerSecond achieved = Flops(2 * n * n * n) / elapsed;
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "bench/model/result.hpp"

namespace steelyard {

template <class Tag, class Representation>
class Quantity {
 public:
  using Value = Representation;
  constexpr Quantity() = default;
  constexpr explicit Quantity(Representation count) : count_(count) {}
  constexpr Representation count() const { return count_; }
  constexpr auto operator<=>(const Quantity&) const = default;

  constexpr Quantity operator+(Quantity other) const { return Quantity(count_ + other.count_); }
  constexpr Quantity operator-(Quantity other) const { return Quantity(count_ - other.count_); }
  constexpr Quantity operator*(Representation factor) const { return Quantity(count_ * factor); }
  constexpr Quantity& operator+=(Quantity other) { return count_ += other.count_, *this; }
  // Ratio of two like quantities: a plain number.
  constexpr double operator/(Quantity other) const {
    return static_cast<double>(count_) / static_cast<double>(other.count_);
  }

 private:
  Representation count_ = 0;
};

using Nanoseconds = Quantity<struct NanosecondsTag, double>;
using Bytes = Quantity<struct BytesTag, std::int64_t>;
using Flops = Quantity<struct FlopsTag, std::int64_t>;  // floating-point operations; a multiply-add counts as two
using Instructions = Quantity<struct InstructionsTag, std::int64_t>;
using BytesPerSecond = Quantity<struct BytesPerSecondTag, double>;
using FlopsPerSecond = Quantity<struct FlopsPerSecondTag, double>;

constexpr Nanoseconds nanoseconds(double count) { return Nanoseconds(count); }
constexpr Nanoseconds microseconds(double count) { return Nanoseconds(count * 1e3); }
constexpr Nanoseconds milliseconds(double count) { return Nanoseconds(count * 1e6); }
constexpr Nanoseconds seconds(double count) { return Nanoseconds(count * 1e9); }
constexpr double in_seconds(Nanoseconds duration) { return duration.count() * 1e-9; }

// Rates. Precondition: the duration is above 0.
constexpr BytesPerSecond operator/(Bytes amount, Nanoseconds duration) {
  return BytesPerSecond(static_cast<double>(amount.count()) / in_seconds(duration));
}
constexpr FlopsPerSecond operator/(Flops amount, Nanoseconds duration) {
  return FlopsPerSecond(static_cast<double>(amount.count()) / in_seconds(duration));
}

// "250ms", "2s", "1.5us", "10ns", "3m" (minutes), "1h". A number without its unit, a negative one, one that is not
// finite or a duration above 366 days is an error; `where` names the option or line the text came from.
Result<Nanoseconds> parse_duration(std::string_view text, std::string_view where);

// For people: three significant digits and the unit that keeps the number between 1 and 1000, e.g. "812 ns", "1.07 ms".
std::string to_text(Nanoseconds duration);
std::string to_text(Bytes amount);

}  // namespace steelyard

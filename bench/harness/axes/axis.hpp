// A parameter axis: a name and the values that a benchmark is run with. Six kinds: whole numbers, powers of two, real
// numbers, texts, types and threads. A value is part of the benchmark's identity, by its text.
//
//     Result<Axis> bytes = power_of_two_axis("bytes", {.first = 10, .last = 20, .step = 2});  // 1024 4096 ... 1048576
//     Result<Axis> rows = integer_axis("rows", std::vector<std::int64_t>{1, 10, 100});
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/result.hpp"

namespace steelyard {

enum class AxisKind { integer, power_of_two, real, text, type, threads };

struct AxisValue {
  std::string text;          // as the identity shows it, before its separators are written out of the way
  std::int64_t integer = 0;  // integer, power_of_two, threads: the number; type: which of the declared types, 0-based
  double real = 0;           // integer, power_of_two, threads and real: the number
  bool operator==(const AxisValue&) const = default;
};

struct Axis {
  std::string name;
  AxisKind kind = AxisKind::integer;
  std::vector<AxisValue> values;  // at least one, no two of equal text
  bool operator==(const Axis&) const = default;
};

// Both ends are taken; the last where the steps meet it.
struct IntegerRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t step = 1;
};

// Each refuses (input): a name that is no name or that Google Benchmark uses for a suffix of its own, no values, two
// equal values, a range that ends before it begins, a step below 1, and more values than kMostAxisValues.
inline constexpr std::size_t kMostAxisValues = 10'000;
Result<Axis> integer_axis(std::string name, const std::vector<std::int64_t>& values);
Result<Axis> integer_range_axis(std::string name, IntegerRange range);
// Of exponents, 0 to 62; the values are the powers.
Result<Axis> power_of_two_axis(std::string name, IntegerRange exponents);
// Finite. The text is the shortest that reads back to the same number: 0.1, 2, 1e+30.
Result<Axis> real_axis(std::string name, const std::vector<double>& values);
Result<Axis> text_axis(std::string name, const std::vector<std::string>& values);
Result<Axis> type_axis(std::string name, const std::vector<std::string>& type_names);
// Of the name "threads"; each at least 1.
Result<Axis> threads_axis(const std::vector<std::int64_t>& counts);
inline constexpr std::string_view kThreadsAxis = "threads";

// "integer", "power of two", ...: for messages.
std::string_view to_text(AxisKind kind);

// The value as a part of a name: what would end the part (a slash, an unpaired bracket), a blank or a control character
// is written %2F. Injective: % is written %25.
std::string written_in_name(std::string_view text);

}  // namespace steelyard

#include "bench/harness/axes/axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>
#include <utility>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/text.hpp"

namespace steelyard {
namespace {

constexpr std::array<std::string_view, 6> kKindTexts{"integer", "power of two", "real", "text", "type", "threads"};
constexpr std::int64_t kLargestExponent = 62;
constexpr std::size_t kLongestText = 1000;

std::string where(const std::string& name) { return "axis \"" + name + '"'; }

std::string decimal(std::int64_t number) { return std::to_string(number); }

Result<void> check_name(const std::string& name, AxisKind kind) {
  if (!can_name_parameter(name)) {
    return input_error("axis", '"' + name + '"', "a name of letters, digits and _ . -, a letter first");
  }
  if (kind == AxisKind::threads) return {};
  if (is_measuring_word(name)) {
    return input_error(where(name), "a name that Google Benchmark gives a meaning of its own", "another name",
                       name == kThreadsAxis ? "declare threads with threads({1, 2})" : "");
  }
  return {};
}

Result<Axis> checked(Axis axis) {
  STEELYARD_CHECK(check_name(axis.name, axis.kind));
  if (axis.values.empty()) return input_error(where(axis.name), "no value", "at least one");
  std::set<std::string_view> seen;
  for (const AxisValue& value : axis.values) {
    if (value.text.size() > kLongestText) {
      return input_error(where(axis.name), "a value of " + std::to_string(value.text.size()) + " bytes",
                         "at most " + std::to_string(kLongestText));
    }
    if (!seen.insert(value.text).second) {
      return input_error(where(axis.name), "the value " + value.text + " twice", "each value once");
    }
  }
  return axis;
}

Result<std::vector<std::int64_t>> values_of(const std::string& name, IntegerRange range) {
  const std::string found = '[' + decimal(range.first) + ':' + decimal(range.last) + ':' + decimal(range.step) + ']';
  if (range.step < 1) return input_error(where(name), found, "a step of at least 1");
  if (range.last < range.first) {
    return input_error(where(name), found + ", which is empty", "a last value that is not below the first");
  }
  // Unsigned: the distance of two signed numbers may be no signed number.
  const std::uint64_t distance = static_cast<std::uint64_t>(range.last) - static_cast<std::uint64_t>(range.first);
  const std::uint64_t steps = distance / static_cast<std::uint64_t>(range.step);
  if (steps >= kMostAxisValues) {
    return input_error(where(name), found + ", which has more values than " + std::to_string(kMostAxisValues),
                       "a larger step");
  }
  std::vector<std::int64_t> values;
  for (std::uint64_t i = 0; i <= steps; ++i) {
    values.push_back(range.first + static_cast<std::int64_t>(i * static_cast<std::uint64_t>(range.step)));
  }
  return values;
}

Axis axis_of_numbers(std::string name, AxisKind kind, const std::vector<std::int64_t>& numbers) {
  Axis axis{std::move(name), kind, {}};
  for (const std::int64_t number : numbers) {
    axis.values.push_back({decimal(number), number, static_cast<double>(number)});
  }
  return axis;
}

bool brackets_are_paired(std::string_view text) {
  std::string open;
  for (const char c : text) {
    if (c == '<' || c == '(') open += c;
    if (c != '>' && c != ')') continue;
    if (open.empty() || open.back() != (c == '>' ? '<' : '(')) return false;
    open.pop_back();
  }
  return open.empty();
}

}  // namespace

Result<Axis> integer_axis(std::string name, const std::vector<std::int64_t>& values) {
  if (values.size() > kMostAxisValues) {
    return input_error(where(name), std::to_string(values.size()) + " values",
                       "at most " + std::to_string(kMostAxisValues));
  }
  return checked(axis_of_numbers(std::move(name), AxisKind::integer, values));
}

Result<Axis> integer_range_axis(std::string name, IntegerRange range) {
  STEELYARD_TRY(const std::vector<std::int64_t> values, values_of(name, range));
  return integer_axis(std::move(name), values);
}

Result<Axis> power_of_two_axis(std::string name, IntegerRange exponents) {
  if (exponents.first < 0 || exponents.last > kLargestExponent) {
    return input_error(where(name), "the exponents " + decimal(exponents.first) + " to " + decimal(exponents.last),
                       "exponents from 0 to 62");
  }
  STEELYARD_TRY(std::vector<std::int64_t> values, values_of(name, exponents));
  for (std::int64_t& value : values) value = std::int64_t{1} << value;
  return checked(axis_of_numbers(std::move(name), AxisKind::power_of_two, values));
}

Result<Axis> real_axis(std::string name, const std::vector<double>& values) {
  Axis axis{std::move(name), AxisKind::real, {}};
  for (const double value : values) {
    if (!std::isfinite(value)) return input_error(where(axis.name), "a value that is not finite", "finite numbers");
    axis.values.push_back({shortest_text(value == 0 ? 0.0 : value), 0, value});
  }
  return checked(std::move(axis));
}

Result<Axis> text_axis(std::string name, const std::vector<std::string>& values) {
  Axis axis{std::move(name), AxisKind::text, {}};
  for (const std::string& value : values) axis.values.push_back({value});
  return checked(std::move(axis));
}

Result<Axis> type_axis(std::string name, const std::vector<std::string>& type_names) {
  Axis axis{std::move(name), AxisKind::type, {}};
  for (const std::string& type : type_names) {
    axis.values.push_back({type, static_cast<std::int64_t>(axis.values.size())});
  }
  return checked(std::move(axis));
}

Result<Axis> threads_axis(const std::vector<std::int64_t>& counts) {
  for (const std::int64_t count : counts) {
    if (count < 1 || count > 10'000) {
      return input_error(where(std::string(kThreadsAxis)), decimal(count), "from 1 to 10000 threads");
    }
  }
  return checked(axis_of_numbers(std::string(kThreadsAxis), AxisKind::threads, counts));
}

std::string_view to_text(AxisKind kind) { return kKindTexts.at(static_cast<std::size_t>(kind)); }

std::string written_in_name(std::string_view text) {
  const bool keeps_brackets = brackets_are_paired(text);
  std::string written;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_bracket = c == '<' || c == '>' || c == '(' || c == ')';
    // A colon at the start would read as the "::" of a qualified name.
    const bool ends_part = c == '/' || c == '%' || static_cast<unsigned char>(c) <= ' ' || c == '\x7f' ||
                           (c == ':' && i == 0) || (is_bracket && !keeps_brackets);
    if (!ends_part) {
      written += c;
      continue;
    }
    std::array<char, 4> code{};
    std::snprintf(code.data(), code.size(), "%%%02X", static_cast<unsigned>(static_cast<unsigned char>(c)));
    written += code.data();
  }
  return written;
}

}  // namespace steelyard

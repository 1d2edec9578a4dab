#include "bench/harness/axes/axis_override.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace steelyard {
namespace {

constexpr std::string_view kOption = "--steelyard_axis";
constexpr std::string_view kForms = "NAME=[FIRST:LAST:STEP], NAME=[A,B,C] or NAME=A";

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <class Number>
std::optional<Number> number_of(const std::string& text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Error unusable(const AxisOverride& given, std::string wanted) {
  return input_error(std::string(kOption) + '=' + given.axis, '"' + given.text + '"', std::move(wanted));
}

Result<std::vector<std::int64_t>> whole_numbers(const AxisOverride& given) {
  std::vector<std::int64_t> numbers;
  for (const std::string& item : given.items) {
    const auto number = number_of<std::int64_t>(item);
    if (!number) return unusable(given, "whole numbers");
    numbers.push_back(*number);
  }
  return numbers;
}

Result<Axis> powers(const Axis& declared, const AxisOverride& given) {
  if (given.range) return power_of_two_axis(declared.name, *given.range);
  STEELYARD_TRY(const std::vector<std::int64_t> exponents, whole_numbers(given));
  Axis axis{declared.name, AxisKind::power_of_two, {}};
  for (const std::int64_t exponent : exponents) {
    STEELYARD_TRY(const Axis one, power_of_two_axis(declared.name, {exponent, exponent}));
    const AxisValue& value = one.values.front();
    if (std::find(axis.values.begin(), axis.values.end(), value) != axis.values.end()) {
      return unusable(given, "each exponent once");
    }
    axis.values.push_back(value);
  }
  return axis;
}

Result<Axis> chosen_types(const Axis& declared, const AxisOverride& given) {
  Axis axis{declared.name, AxisKind::type, {}};
  for (const std::string& item : given.items) {
    const auto at = std::find_if(declared.values.begin(), declared.values.end(),
                                 [&](const AxisValue& value) { return value.text == item; });
    if (at == declared.values.end()) {
      std::string known;
      for (const AxisValue& value : declared.values) known += (known.empty() ? "" : ", ") + value.text;
      return unusable(given, "types from: " + known);
    }
    if (std::find(axis.values.begin(), axis.values.end(), *at) != axis.values.end()) {
      return unusable(given, "each type once");
    }
    axis.values.push_back(*at);
  }
  return axis;
}

Result<Axis> reals(const Axis& declared, const AxisOverride& given) {
  std::vector<double> numbers;
  for (const std::string& item : given.items) {
    const auto number = number_of<double>(item);
    if (!number || !std::isfinite(*number)) return unusable(given, "finite numbers");
    numbers.push_back(*number);
  }
  return real_axis(declared.name, numbers);
}

}  // namespace

Result<AxisOverride> parse_axis_override(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return input_error(std::string(kOption), '"' + std::string(text) + '"', std::string(kForms));
  }
  AxisOverride given;
  given.axis = std::string(text.substr(0, equals));
  std::string_view values = text.substr(equals + 1);
  given.text = std::string(values);
  if (!values.starts_with('[')) {
    if (values.empty()) return unusable(given, "at least one value");
    given.items.emplace_back(values);
    return given;
  }
  if (!values.ends_with(']')) return unusable(given, "a closing bracket: " + std::string(kForms));
  values = values.substr(1, values.size() - 2);
  if (values.empty()) return unusable(given, "at least one value");
  const std::vector<std::string> ends = split(values, ':');
  // A text may hold "::", as in a type; a range has nothing but numbers between its colons.
  const bool is_range = (ends.size() == 2 || ends.size() == 3) && values.find(',') == std::string_view::npos &&
                        values.find("::") == std::string_view::npos;
  if (!is_range) {
    given.items = split(values, ',');
    return given;
  }
  std::vector<std::int64_t> numbers;
  for (const std::string& end : ends) {
    const auto number = number_of<std::int64_t>(end);
    if (!number) return unusable(given, "whole numbers in a range");
    numbers.push_back(*number);
  }
  given.range = IntegerRange{numbers[0], numbers[1], numbers.size() == 3 ? numbers[2] : 1};
  return given;
}

Result<Axis> overridden(const Axis& declared, const AxisOverride& given) {
  const bool is_whole = declared.kind == AxisKind::integer || declared.kind == AxisKind::power_of_two ||
                        declared.kind == AxisKind::threads;
  if (given.range && !is_whole) {
    return unusable(given, "a list, as this axis is of the kind " + std::string(to_text(declared.kind)));
  }
  switch (declared.kind) {
    case AxisKind::integer:
    case AxisKind::threads: {
      std::vector<std::int64_t> numbers;
      if (given.range) {
        STEELYARD_TRY(const Axis range, integer_range_axis("values", *given.range));
        for (const AxisValue& value : range.values) numbers.push_back(value.integer);
      } else {
        STEELYARD_TRY(numbers, whole_numbers(given));
      }
      return declared.kind == AxisKind::threads ? threads_axis(numbers) : integer_axis(declared.name, numbers);
    }
    case AxisKind::power_of_two:
      return powers(declared, given);
    case AxisKind::real:
      return reals(declared, given);
    case AxisKind::text:
      return text_axis(declared.name, given.items);
    case AxisKind::type:
      return chosen_types(declared, given);
  }
  return bug_error("axis", "an unknown kind");
}

Result<void> check_is_known(const AxisOverride& given, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), given.axis) != known.end()) return {};
  std::string names;
  for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
  return input_error(std::string(kOption), "no axis named \"" + given.axis + '"',
                     names.empty() ? "a program with axes" : "one of: " + names);
}

}  // namespace steelyard

#include "bench/harness/axes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <set>
#include <stdexcept>
#include <utility>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/parse_number.hpp"
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
  if (steps >= kMaxAxisValues) {
    return input_error(where(name), found + ", which has more values than " + std::to_string(kMaxAxisValues),
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
  if (values.size() > kMaxAxisValues) {
    return input_error(where(name), std::to_string(values.size()) + " values",
                       "at most " + std::to_string(kMaxAxisValues));
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

AxisPoint::AxisPoint(std::shared_ptr<const std::vector<Axis>> axes, std::vector<std::size_t> choice)
    : axes_(std::move(axes)), choice_(std::move(choice)) {}

std::int64_t AxisPoint::integer(std::string_view axis) const {
  return value(axis, {AxisKind::integer, AxisKind::power_of_two, AxisKind::threads}).integer;
}

double AxisPoint::real(std::string_view axis) const {
  return value(axis, {AxisKind::integer, AxisKind::power_of_two, AxisKind::threads, AxisKind::real}).real;
}

const std::string& AxisPoint::text(std::string_view axis) const { return value(axis, {}).text; }

std::size_t AxisPoint::type_index(std::string_view axis) const {
  return static_cast<std::size_t>(value(axis, {AxisKind::type}).integer);
}

std::int64_t AxisPoint::threads() const { return has_threads() ? integer(kThreadsAxis) : 1; }

bool AxisPoint::has_threads() const {
  AxisKind kind{};
  return find(kThreadsAxis, kind) != nullptr;
}

std::string AxisPoint::name(std::string_view benchmark) const {
  std::string text(benchmark);
  for (std::size_t i = 0; i < choice_.size(); ++i) {
    const Axis& axis = (*axes_)[i];
    if (axis.kind != AxisKind::threads) text += '/' + axis.name + ':' + written_in_name(axis.values[choice_[i]].text);
  }
  return text;
}

const AxisValue& AxisPoint::value(std::string_view axis, std::initializer_list<AxisKind> kinds) const {
  AxisKind kind{};
  const AxisValue* found = find(axis, kind);
  if (found == nullptr) {
    throw std::out_of_range("found no axis \"" + std::string(axis) + "\", wanted one of: " + names());
  }
  if (kinds.size() > 0 && std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
    throw std::out_of_range("axis \"" + std::string(axis) + "\": found one of the kind " + std::string(to_text(kind)) +
                            ", wanted " + std::string(to_text(*kinds.begin())));
  }
  return *found;
}

const AxisValue* AxisPoint::find(std::string_view axis, AxisKind& kind) const {
  for (std::size_t i = 0; i < choice_.size(); ++i) {
    if ((*axes_)[i].name != axis) continue;
    kind = (*axes_)[i].kind;
    return &(*axes_)[i].values[choice_[i]];
  }
  return nullptr;
}

std::string AxisPoint::names() const {
  std::string text;
  for (std::size_t i = 0; i < choice_.size(); ++i) text += (i == 0 ? "" : ", ") + (*axes_)[i].name;
  return text.empty() ? "none" : text;
}

namespace {

// A getter with a wrong name throws, in a filter too.
Result<bool> passes(const AxisFilter& filter, const AxisPoint& point) {
  if (!filter) return true;
  std::string thrown = "an exception that is no std::exception";
  try {
    return filter(point);
  } catch (const std::exception& exception) {
    thrown = exception.what();
  } catch (...) {
  }
  return input_error("axes", "a filter that threw: " + thrown, "one that says true or false");
}

}  // namespace

Result<std::vector<AxisPoint>> points_of(std::vector<Axis> axes, const AxisFilter& filter) {
  std::sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.name < b.name; });
  std::size_t combinations = 1;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (i > 0 && axes[i].name == axes[i - 1].name) {
      return input_error("axis \"" + axes[i].name + '"', "two axes of this name", "one of each name");
    }
    combinations *= axes[i].values.size();  // at most kMaxAxisPoints times kMaxAxisValues: no overflow
    if (combinations > kMaxAxisPoints) {
      return input_error("axes", "more than " + std::to_string(kMaxAxisPoints) + " combinations", "fewer values");
    }
  }
  const auto shared = std::make_shared<const std::vector<Axis>>(std::move(axes));
  std::vector<AxisPoint> points;
  std::vector<std::size_t> choice(shared->size(), 0);
  for (std::size_t i = 0; i < combinations; ++i) {
    AxisPoint point(shared, choice);
    STEELYARD_TRY(const bool is_run, passes(filter, point));
    if (is_run) points.push_back(std::move(point));
    for (std::size_t digit = choice.size(); digit-- > 0;) {
      if (++choice[digit] < (*shared)[digit].values.size()) break;
      choice[digit] = 0;
    }
  }
  if (points.empty()) {
    return input_error("axes", "a filter that leaves none of " + std::to_string(combinations) + " combinations",
                       "at least one");
  }
  return points;
}

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

Error unusable(const AxisOverride& given, std::string wanted) {
  return input_error(std::string(kOption) + ('=' + given.axis), '"' + given.text + '"', std::move(wanted));
}

Result<std::vector<std::int64_t>> whole_numbers(const AxisOverride& given) {
  std::vector<std::int64_t> numbers;
  for (const std::string& item : given.items) {
    const auto number = parse_as<std::int64_t>(item);
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
      return unusable(given, "types from: " +
                                 joined_text(declared.values, ", ", [](const AxisValue& value) { return value.text; }));
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
    const auto number = parse_as<double>(item);
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
    const auto number = parse_as<std::int64_t>(end);
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
  const std::string names = joined_text(known, ", ");
  return input_error(std::string(kOption), "no axis named \"" + given.axis + '"',
                     names.empty() ? "a program with axes" : "one of: " + names);
}

}  // namespace steelyard

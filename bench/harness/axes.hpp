// A parameter axis: a name and the values that a benchmark is run with. Six kinds: whole numbers, powers of two, real
// numbers, texts, types and threads. A value is part of the benchmark's identity, by its text.
//
//     Result<Axis> bytes = power_of_two_axis("bytes", {.first = 10, .last = 20, .step = 2});  // 1024 4096 ... 1048576
//     Result<Axis> rows = integer_axis("rows", std::vector<std::int64_t>{1, 10, 100});
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
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
// equal values, a range that ends before it begins, a step below 1, and more values than kMaxAxisValues.
inline constexpr std::size_t kMaxAxisValues = 10'000;
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

// All combinations of the values of some axes, less those that a filter leaves out, and what each is called.
//
//     Result<std::vector<AxisPoint>> points = points_of({bytes, pattern}, filter);
//     for (const AxisPoint& point : *points) run(point.name("copy"), point.integer("bytes"), point.text("pattern"));
//
// A name lists the axes in the order of their own names, so that neither the order in which axes were declared nor that
// in which benchmarks were registered is part of an identity: "copy/bytes:1024/pattern:forward". Threads are not in it:
// Google Benchmark appends "/threads:2" itself.

// One value of each axis. The getters throw std::out_of_range, whose text names the axes there are, for a name that is
// none or that is of another kind: a benchmark is user code whose exceptions end in a failed row (bench/main), and a
// Result at each use would hide what is measured.
class AxisPoint {
 public:
  AxisPoint() = default;
  // `axes` sorted by name; `choice`: an index into the values of each.
  AxisPoint(std::shared_ptr<const std::vector<Axis>> axes, std::vector<std::size_t> choice);

  std::int64_t integer(std::string_view axis) const;     // integer, power of two, threads
  double real(std::string_view axis) const;              // any number
  const std::string& text(std::string_view axis) const;  // any kind
  std::size_t type_index(std::string_view axis) const;   // of the declared types
  // 1 without an axis of threads.
  std::int64_t threads() const;
  bool has_threads() const;

  std::string name(std::string_view benchmark) const;

 private:
  const AxisValue& value(std::string_view axis, std::initializer_list<AxisKind> kinds) const;
  const AxisValue* find(std::string_view axis, AxisKind& kind) const;
  std::string names() const;

  std::shared_ptr<const std::vector<Axis>> axes_;
  std::vector<std::size_t> choice_;
};

using AxisFilter = std::function<bool(const AxisPoint&)>;  // true: is run
inline constexpr std::size_t kMaxAxisPoints = 100'000;

// In the order of the axes' names, the last varying fastest, values as declared. No axes: one point. Error (input): two
// axes of one name, a filter that leaves none or throws, more than kMaxAxisPoints.
Result<std::vector<AxisPoint>> points_of(std::vector<Axis> axes, const AxisFilter& filter = {});

// What the command line says in place of an axis's own values: --steelyard_axis=bytes=[10:20:2], =[1,5,9] or =4. A
// range has both ends; numbers are what the declaration takes, so exponents for a power of two. Types can only be
// chosen from the declared ones.
//
//     Result<AxisOverride> given = parse_axis_override("bytes=[10:20:2]");
//     Result<Axis> axis = overridden(declared, *given);

struct AxisOverride {
  std::string axis;
  std::string text;                // as given, for messages
  std::vector<std::string> items;  // of a list or a single value
  std::optional<IntegerRange> range;
};

// Error (input): no "=", no name, no value, an open bracket, a range whose parts are no whole numbers.
Result<AxisOverride> parse_axis_override(std::string_view text);

// The declared axis with the values of the override, in the order given. Errors (input) as those of the axis itself;
// a range for texts, reals or types; a type that was not declared.
Result<Axis> overridden(const Axis& declared, const AxisOverride& given);

// Error (input), which lists `known`, where the override names an axis that no benchmark has.
Result<void> check_is_known(const AxisOverride& given, const std::vector<std::string>& known);

}  // namespace steelyard

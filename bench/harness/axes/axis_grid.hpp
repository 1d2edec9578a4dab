// All combinations of the values of some axes, less those that a filter leaves out, and what each is called.
//
//     Result<std::vector<AxisPoint>> points = points_of({bytes, pattern}, filter);
//     for (const AxisPoint& point : *points) run(point.name("copy"), point.integer("bytes"), point.text("pattern"));
//
// A name lists the axes in the order of their own names, so that neither the order in which axes were declared nor that
// in which benchmarks were registered is part of an identity: "copy/bytes:1024/pattern:forward". Threads are not in it:
// Google Benchmark appends "/threads:2" itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/axes/axis.hpp"

namespace steelyard {

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
inline constexpr std::size_t kMostAxisPoints = 100'000;

// In the order of the axes' names, the last varying fastest, values as declared. No axes: one point. Error (input): two
// axes of one name, a filter that leaves none or throws, more than kMostAxisPoints.
Result<std::vector<AxisPoint>> points_of(std::vector<Axis> axes, const AxisFilter& filter = {});

}  // namespace steelyard

// What the command line says in place of an axis's own values: --steelyard_axis=bytes=[10:20:2], =[1,5,9] or =4. A
// range has both ends; numbers are what the declaration takes, so exponents for a power of two. Types can only be
// chosen from the declared ones.
//
//     Result<AxisOverride> given = parse_axis_override("bytes=[10:20:2]");
//     Result<Axis> axis = overridden(declared, *given);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/axes/axis.hpp"

namespace steelyard {

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

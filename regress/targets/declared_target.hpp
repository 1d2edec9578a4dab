// Which targets a benchmark has: those of steelyard.toml whose pattern its name matches, and the one that the program
// declares beside it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/model/target.hpp"

namespace steelyard {

struct DeclaredTarget {
  std::string benchmark;  // a pattern: '*' any characters, '?' one
  Target target;
  bool operator==(const DeclaredTarget&) const = default;
};

// The whole name, or the name without its "[suite=...]". Linear in practice: a '*' is tried again only at its last
// place.
bool matches_pattern(std::string_view pattern, std::string_view benchmark);

// Whether the target is for a device with one of these names, whatever the case: its own and the datasheet's. Without
// names (the CPU) it is for none, unless it is for all.
bool is_for_device(const Target& target, const std::vector<std::string>& device_names);

// Of each kind (bandwidth, flops, roofline, a rate of either metric) the first that matches: what the project's file
// says comes before what the program says. `of_program` names its benchmarks, so "BM<float*>" there is no pattern.
// Targets for other devices than the benchmark's are none of its.
std::vector<Target> targets_of(std::string_view benchmark, const std::vector<DeclaredTarget>& configured,
                               const std::vector<DeclaredTarget>& of_program,
                               const std::vector<std::string>& device_names = {});

}  // namespace steelyard

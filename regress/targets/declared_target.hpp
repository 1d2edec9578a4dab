// Which targets a benchmark has: those of steelyard.toml whose pattern its name matches, and the one that the program
// declares beside it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/model/target.hpp"

namespace steelyard::regress {

struct DeclaredTarget {
  std::string benchmark;  // a pattern: '*' any characters, '?' one
  Target target;
  bool operator==(const DeclaredTarget&) const = default;
};

// Whether the target is for a device with one of these names, whatever the case: its own and the datasheet's. Without
// names (the CPU) it is for none, unless it is for all.
bool is_for_device(const Target& target, const std::vector<std::string>& device_names);

// Of each kind (bandwidth, flops, roofline, a rate of either metric) the first that matches: what the project's file
// says comes before what the program says. `of_program` names its benchmarks, so "BM<float*>" there is no pattern.
// Targets for other devices than the benchmark's are none of its.
std::vector<Target> targets_of(std::string_view benchmark, const std::vector<DeclaredTarget>& configured,
                               const std::vector<DeclaredTarget>& of_program,
                               const std::vector<std::string>& device_names = {});

// Reads a target as people write it, in steelyard.toml or in the label of a benchmark:
//
//     0.6 of bandwidth        60 % of flops        0.5 of roofline
//     0.6 of L2 bandwidth     60 % of bf16 flops   at least 12 GB/s      40 Gflop/s
//     0.9 of measured bandwidth                    0.6 of datasheet bf16 flops

// A share is above 0 and at most 1 (100 %); a rate is above 0 and finite. `where` names the line or the option, for
// messages and for Target::where. Error (input): anything else, with the forms that are taken.
Result<Target> parse_target(std::string_view text, const std::string& where);

// The target of a label "target: 0.6 of bandwidth"; several parts of a label are separated by ';'. Absent where no part
// is a target.
std::optional<Result<Target>> target_of_label(std::string_view label, const std::string& where);

// Checks the words that choose a ceiling. Empty ones are fine. A dtype is brought to our name of it.
Result<void> check_ceiling_choice(Target& target, const std::string& where);

}  // namespace steelyard::regress

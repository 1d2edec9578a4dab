// Stacks as one line each, "main;parse;next_token 1234": the format of Brendan Gregg's stackcollapse scripts, which
// flamegraph.pl, inferno and speedscope read. Of a difference each line has two numbers, baseline and candidate, as
// difffolded.pl writes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "ci/report/flame/stack_tree.hpp"

namespace steelyard::ci {

// One line for each frame with self cost, outermost function first. In names ';' and line breaks, which the format
// keeps for itself, become ':' and blanks. Costs are those of the iterations counted; where the two sides counted
// different numbers of them, both are scaled to a common multiple, so that the two numbers compare.
// Error (input): the scaled costs exceed 63 bits.
Result<std::string> folded_stacks(const JoinedProfile& profile, const StackTree& tree);

// Stacks as a file that speedscope (https://www.speedscope.app) opens: its own JSON format, profiles of type "sampled"
// with one sample for each frame that has self cost. Of a difference the file holds two profiles, baseline and
// candidate, and opens with the candidate.

// Schema: https://www.speedscope.app/file-format-schema.json. Costs are those of the iterations counted; JSON readers
// in browsers keep 53 bits of a number.
std::string speedscope_json(const JoinedProfile& profile, const StackTree& tree, const std::string& title);

// Stacks as a file for pprof (github.com/google/pprof, proto/profile.proto), not yet packed: a sample for each frame
// with self cost, of the candidate. Bytes of names that are no UTF-8 become U+FFFD.
std::string pprof_profile(const JoinedProfile& profile, const StackTree& tree, std::int64_t start_unix_ns);

// As a file of Callgrind's format (valgrind.org, "Callgrind Format Specification"), for KCachegrind and
// callgrind_annotate: functions, and the calls from one to another, of the candidate. `calls`: of each frame. Of calls
// within the same call again, deeper in the stack, the outer one has the cost. In names line breaks become blanks.
std::string callgrind_file(const JoinedProfile& profile, const StackTree& tree, const std::vector<std::int64_t>& calls,
                           const std::string& title);

}  // namespace steelyard::ci

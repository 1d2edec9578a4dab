// What counting found out about the two builds of a comparison, and what the report says of it.
#pragma once

#include <map>
#include <set>
#include <string>

#include "bench/model/comparison.hpp"
#include "ci/config/configuration.hpp"

namespace steelyard::ci {

struct EqualBuilds {
  // By the benchmark's canonical text.
  std::map<std::string, std::string> same_program;  // the proof: "every loaded section is equal ..."
  std::set<std::string> same_code;                  // programs that differ, but not in the code that it executes
};

// Why the policy lets this benchmark go untimed; empty: it is timed.
std::string reason_to_skip_time(const EqualBuilds& builds, const std::string& benchmark, SkipTime policy);

// Says of a count that the executed code is equal, though the programs differ.
void note_equal_code(ComparisonRow& row);

// Says of counted rows that the executed code is equal, and adds a row for each metric of time that was not measured
// on such grounds: unchanged, test "none", with the reason. Where all were left untimed, such a metric is no longer
// missing in all of them. `untimed`: reasons by benchmark.
void annotate_equal_builds(const EqualBuilds& builds, const std::map<std::string, std::string>& untimed,
                           Comparison& comparison);

}  // namespace steelyard::ci

// Computes a kept comparison again from its two runs and holds it against what was kept, bit for bit: every judged
// field of every row, the drifts, and the change points of the history it was held against. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"

namespace steelyard {

struct FieldDifference {
  std::string benchmark;
  std::string metric;
  std::string field;
  std::string kept;        // empty: absent
  std::string recomputed;  // likewise
  bool operator==(const FieldDifference&) const = default;
};

struct Replay {
  std::string rule_version;                  // of this program's engine
  std::vector<FieldDifference> differences;  // by row
  std::int64_t rows = 0;                     // compared
  std::int64_t untimed = 0;  // rows that counting decided: equal builds; they follow from no run and are not compared
};

// With the engine, the policy, the seed, the calibration and the history that `comparison`, the kept one, has. Of a
// reason that says what counting found out about the two builds (equal_builds.hpp), the rest is compared. `baseline`:
// of what was held against a history, the newest run of it; no measurements: there was none.
Replay replay(const Comparison& comparison, const Run& baseline, const Run& candidate);

// Every judged field of a row with its value, exactly as its JSON has it. "absent" where it has none.
std::vector<std::pair<std::string, std::string>> judged_fields(const ComparisonRow& row);

}  // namespace steelyard

// From two runs to what the tests of one (benchmark, metric) take: the invocations of each side as logarithms of their
// samples, and the rounds in which both sides have one. Logarithms, because an effect is a ratio and noise grows with
// the level.
//
// A round that lacks a side is dropped and counted. Values that have no logarithm are a defect with a sentence; nothing
// is left out in silence.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "bench/model/run.hpp"

namespace steelyard {

struct LogInvocation {
  std::int32_t round = 0;
  std::int32_t slot = 0;
  std::vector<double> logs;  // of its samples, at least one
  double level = 0;          // their median
};

// Why a side cannot be judged, e.g. "round 3 has the value 0 ns, which has no logarithm".
struct Defect {
  std::string text;
};

// All invocations of a side, by round. `measurements` are those of one benchmark and metric (one, unless the run has
// them in pieces). Invocations that are not in the run, or of an impossible round, are a defect.
std::variant<std::vector<LogInvocation>, Defect> log_invocations(const Run& run,
                                                                 std::span<const Measurement* const> measurements);

struct PairedRound {
  LogInvocation baseline;
  LogInvocation candidate;
  double difference() const { return candidate.level - baseline.level; }
};
struct PairedRounds {
  std::vector<PairedRound> rounds;
  int dropped = 0;  // rounds that only one side has
};
// Several invocations of a side in one round count as one: their samples are put together.
PairedRounds pair_rounds(std::span<const LogInvocation> baseline, std::span<const LogInvocation> candidate);

// The layout two runs have towards each other: what their headers say, the less trusted of the two, where they are of
// one session or neither names one; otherwise separate.
Layout mutual_layout(const RunHeader& baseline, const RunHeader& candidate);

}  // namespace steelyard

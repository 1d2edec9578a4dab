// What recording a device costs: passes of one benchmark with and without it, in turns, for --steelyard_profile. Host
// code; what a pass does is handed in.
//
//     const RecordingCost cost = recording_cost(options.profile_iterations, [&](const ProfilePass& pass) { ... });
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace steelyard::cuda {

// Iterations, one launched after the other.
struct ProfilePass {
  std::int64_t iterations = 1;
  bool is_recorded = false;
  bool is_timed = false;  // false: it warms up, and is in no figure
};
// Nanoseconds of the pass, from its first launch until the device is done.
using RunPass = std::function<double(const ProfilePass&)>;

struct RecordingCost {
  struct Round {
    double plain_ns = 0, recorded_ns = 0;  // of an iteration
    double ratio() const { return recorded_ns / plain_ns; }
  };
  std::int64_t iterations = 0;  // of a pass
  std::vector<Round> rounds;    // at least one

  double plain_ns() const;  // of an iteration, the median over the rounds
  double recorded_ns() const;
};

// Plain passes of 1, 2, 4, ... iterations until one takes some milliseconds, which a hiccup of the host does not
// decide; `iterations` other than 0: one pass of so many. Then one that is recorded, as the first pays for what the
// recording makes; both kinds are in no figure. Then rounds of both kinds, A B B A, no more when they have taken two
// seconds.
RecordingCost recording_cost(std::int64_t iterations, const RunPass& run_pass);

struct ProfiledCase {
  std::string name;
  RecordingCost cost = {};
  std::string failure = {};  // empty: it ran
  bool is_skipped = false;   // by what `failure` says
};
// Both medians, their ratio, and the least and the largest of one round.
std::string profile_table(const std::vector<ProfiledCase>& cases);

}  // namespace steelyard::cuda

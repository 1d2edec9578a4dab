// Where the counted instructions of one benchmark went: cost per function and per call arc, for a stated number of
// iterations. Costs are 64-bit integers as counted; dividing by iterations is left to who prints or compares.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/model/benchmark_id.hpp"

namespace steelyard {

struct ProfiledFunction {
  std::string object;  // the executable or library; empty or "???" where unknown
  std::string file;    // source file; "???" where unknown
  std::string name;
  std::int32_t line = 0;                // where it was first seen; 0: unknown
  std::int64_t calls = 0;               // times it was entered
  std::vector<std::int64_t> self;       // one per event
  std::vector<std::int64_t> inclusive;  // one per event
  bool operator==(const ProfiledFunction&) const = default;
};

struct CallArc {
  std::uint32_t caller = 0;  // index into functions
  std::uint32_t callee = 0;
  std::int64_t calls = 0;
  std::vector<std::int64_t> inclusive;  // cost spent below this arc, one per event
  bool operator==(const CallArc&) const = default;
};

// A piece of one function's self cost: what was spent on one line of one file. Where the compiler inlined another
// function, file and origin are that one's and not the function's own.
struct SourceCost {
  std::uint32_t function = 0;  // index into functions: the one it ran in, whose self includes this
  std::string file;
  std::string origin;              // the function whose line it is; empty: unknown
  std::int32_t line = 0;           // 0: unknown
  std::vector<std::int64_t> self;  // one per event
  bool operator==(const SourceCost&) const = default;
};

struct CountedProfile {
  BenchmarkId benchmark;
  std::int64_t iterations = 0;       // that the costs below cover; 0: a whole program
  std::vector<std::string> events;   // "Ir", ...
  std::vector<std::int64_t> totals;  // one per event
  std::vector<ProfiledFunction> functions;
  std::vector<CallArc> arcs;
  // By function, file, line, origin. Empty: not asked for; otherwise those of each function add up to its self.
  std::vector<SourceCost> sources = {};
  bool operator==(const CountedProfile&) const = default;
};

// What a reader of the profile may not rely on, as "a call of a function that is not there": costs of another number of
// events, positions beyond its functions. Empty where it is whole.
std::string flaw_of(const CountedProfile& profile);

}  // namespace steelyard

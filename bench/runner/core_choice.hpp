// Which cores measured programs are pinned to: two equal ones for a duet, and what stands in the way where there are
// not two.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/model/run.hpp"

namespace steelyard::bench {

// One hardware thread that this process may run on.
struct Core {
  int number = 0;
  int package = 0;
  int physical = 0;           // within the package; threads of one core share it
  std::int64_t capacity = 0;  // relative speed, 0: not said
  std::int64_t max_khz = 0;   // 0: not said
};

struct CoreChoice {
  std::vector<int> cores;     // to pin to: two equal ones, or the only one, or none where nothing is known
  bool two_equal = false;     // a duet is possible
  bool one_physical = false;  // the two are threads of one core; only where that was accepted
  std::string why_not_two;    // empty where two_equal
  std::optional<int> first() const { return cores.empty() ? std::nullopt : std::optional(cores.front()); }
};

struct CoreChoiceOptions {
  std::optional<double> quota;              // processor time that the control group allows, in cores; absent: unlimited
  bool accept_threads_of_one_core = false;  // they slow each other in ways that depend on the code: only if asked for
};

// Pure. Equal: of one package, capacity and highest frequency. Prefers the largest class of equal cores, then the
// fastest; within it the last two, as the first core serves most interrupts.
CoreChoice choose_cores(const std::vector<Core>& allowed, const CoreChoiceOptions& options);

// Of this machine, for what is measured in this layout.
CoreChoice choose_cores(std::optional<Layout> wanted);

// The threads in this process's affinity mask, ascending. `root` is "/" but in tests.
std::vector<Core> read_allowed_cores(const std::filesystem::path& root = "/");

}  // namespace steelyard::bench

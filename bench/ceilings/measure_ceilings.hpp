// Measures what this machine can reach: arithmetic peaks per dtype, on one core and on all, and the bandwidth of each
// level of the memory. Nothing of it is looked up: what the CPU cannot do, or what cannot be told apart here, is absent
// with its reason.
//
//     CeilingOptions options;
//     Result<DeviceCeilings> ceilings = measure_ceilings(options);
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>

#include "bench/model/ceiling.hpp"
#include "bench/model/quantity.hpp"
#include "bench/model/result.hpp"

namespace steelyard {

struct CeilingOptions {
  // Of measuring. All ceilings are repeated in rounds, so that what drifts shows in each one's spread and not between
  // them: until the budget is spent, but seven times (three, where that would take twice the budget).
  Nanoseconds budget = seconds(18);
  bool huge_pages = true;            // false: as programs get them that do not ask
  std::string only;                  // "f64", "DRAM", "triad" or "DRAM/triad"; empty: all
  std::filesystem::path root = "/";  // of /proc and /sys; another in tests
  std::string fingerprint;           // goes into the result
  const std::atomic<bool>* cancelled = nullptr;
  std::function<void(const std::string& what, double done)> progress;  // done from 0 to 1
};

// Errors (program): cancelled; no thread; no memory for the working sets. (input): `only` means no ceiling that can be
// measured here; where it is absent for a reason, the error says it.
Result<DeviceCeilings> measure_ceilings(const CeilingOptions& options);

}  // namespace steelyard

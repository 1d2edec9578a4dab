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
#include <optional>
#include <string>
#include <vector>

#include "bench/model/ceiling.hpp"
#include "bench/model/quantity.hpp"
#include "bench/model/result.hpp"

namespace steelyard::bench {

// What the repetitions of one ceiling come to. The ceiling is their median: what the machine sustains, a rate that half
// of the repetitions reached. The best of them is told beside it, since a machine that others disturb, or whose clock
// rises for moments, can be passed; it is no ceiling, because nobody can rely on it.

struct RepetitionSummary {
  double median = 0;
  double best = 0;
  // Order statistics that hold the median of further repetitions at 95 % or more (Conover, Practical Nonparametric
  // Statistics, 3rd ed., section 3.2); absent below six, which cannot say that much.
  std::optional<double> low;
  std::optional<double> high;
};

// No summary: there are no samples.
std::optional<RepetitionSummary> summarize_repetitions(std::vector<double> samples);

// Sets value, low and high from the samples; without samples the ceiling stays as it is.
void settle(Ceiling& ceiling);

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

}  // namespace steelyard::bench

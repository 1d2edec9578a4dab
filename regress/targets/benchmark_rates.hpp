// The rates that a run holds, benchmark by benchmark: operations and bytes a second, one number for each invocation.
// They come from the metrics `flops` and `bandwidth`, or from Google Benchmark's `bytes_per_second`
// (state.SetBytesProcessed) and a counter that calls itself FLOPS, flop/s or flops_per_second.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/model/run.hpp"

namespace steelyard::regress {

struct BenchmarkRates {
  BenchmarkId id;
  std::string benchmark;              // canonical text
  std::vector<double> flops;          // flop/s: the median of each invocation; empty: not reported
  std::vector<double> bandwidth;      // bytes/s, the same
  std::optional<double> intensity{};  // flop per byte: the median over invocations that report both
  std::string failure{};              // of a benchmark that yielded nothing: why
  // Of one iteration, the rate times real_time: what weighs a benchmark among others. Absent where either is not there.
  std::optional<double> flop_count{};
  std::optional<double> byte_count{};
  std::optional<double> clock_hz{};  // of a device's multiprocessors, the median of sm_clock
};

// From 1e-9 to 1e24 a second. What is outside is no rate of any machine: a counter that is none, or a damaged file; and
// the quotient of any two within has a logarithm.
bool is_rate(double value);

// By canonical text; every benchmark of the run, also those without rates or that failed. Values that are no rates are
// excluded.
std::vector<BenchmarkRates> rates_of(const Run& run);

}  // namespace steelyard::regress

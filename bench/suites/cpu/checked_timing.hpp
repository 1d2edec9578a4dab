// One benchmark of a kernel: its answer is checked, then it is timed, and its declared cost is reported as rates.
// Here and not in each benchmark, so that none can forget the check. The memory of the answer is filled with NaN before
// the kernel runs: one that leaves part of its answer unwritten is wrong, whatever was there before.
//
//     time_checked(state, gemv_cost, result, [&] { gemv(shape, matrix, vector, result); },
//                  [&] { return disagreement(result, wanted, tolerance); });
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "bench/harness/operator_cost.hpp"
#include "bench/model/run.hpp"
#include "bench/profile/spans/span.hpp"

namespace steelyard::cpu_suite {

// The benchmark that this thread runs, by the name that Google Benchmark reports: a state tells it only since 1.8.
const std::string& current_benchmark();

// A span of each iteration, a repeat that recordings are compared by. A loop of its own, so that the one that is timed
// stays as it is.
template <class Kernel>
[[gnu::noinline]] void run_recorded(benchmark::State& state, const OperatorCost& cost, Kernel& kernel) {
  const SpanName name(current_benchmark(), 1);
  for (auto _ : state) {
    Span span(name);
    span.say({.flops = static_cast<double>(cost.flops.count()), .bytes = static_cast<double>(cost.traffic().count())});
    kernel();
    benchmark::ClobberMemory();
  }
}

// answer: what the kernel writes and the check reads. kernel: () -> void. check: () -> std::optional<std::string>,
// called after one run of the kernel; a fault in words makes a failed benchmark, which has no time. The counters are
// `flops` (a rate, operations a second) and `bandwidth` (bytes a second), as Google Benchmark computes them from its
// iterations and real or CPU time.
template <class Kernel, class Check>
void time_checked(benchmark::State& state, const OperatorCost& cost, std::span<float> answer, Kernel&& kernel,
                  Check&& check) {
  std::fill(answer.begin(), answer.end(), std::numeric_limits<float>::quiet_NaN());
  kernel();
  if (const std::optional<std::string> fault = check()) {
    std::string text(kBrokenBenchmark);
    text += "wrong answer: " + *fault;
    state.SkipWithError(text.c_str());
    return;
  }
  if (Span::are_wanted()) {
    run_recorded(state, cost, kernel);
  } else {
    for (auto _ : state) {
      kernel();
      benchmark::ClobberMemory();
    }
  }
  const auto rate = [](auto amount) {
    return benchmark::Counter(static_cast<double>(amount.count()), benchmark::Counter::kIsIterationInvariantRate);
  };
  state.counters["flops"] = rate(cost.flops);
  state.counters["bandwidth"] = rate(cost.traffic());
}

}  // namespace steelyard::cpu_suite

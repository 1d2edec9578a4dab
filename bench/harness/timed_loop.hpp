// The loop that is timed: runs a statement so often, and neither hoists, merges nor drops a run.
//
//     TimedLoop loop = timed_loop([&] { return std::accumulate(values.begin(), values.end(), 0.0); });
//     loop(1000);
//
// In each run what the statement captured, and all memory that it can reach, counts as changed since the run before;
// what it returns goes to do_not_optimize. A result that it stores in a local variable of its own is its own affair.
// The loop costs no more instructions than that of Google Benchmark (docs/guide/harness.md).
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "bench/harness/do_not_optimize.hpp"

namespace steelyard {

// runs: at least 0. Throws what the statement throws.
using TimedLoop = std::function<void(std::int64_t runs)>;

template <std::invocable Statement>
void run_repeatedly(Statement& statement, std::int64_t runs) {
  // Others know of the statement's captures from here on, so that clobber_memory() reaches them.
  asm volatile("" : : "r"(&statement) : "memory");
  for (std::int64_t left = runs; left != 0; --left) {
    if constexpr (std::is_void_v<std::invoke_result_t<Statement&>>) {
      statement();
    } else {
      do_not_optimize(statement());
    }
    clobber_memory();
  }
}

template <std::invocable Statement>
TimedLoop timed_loop(Statement statement) {
  // Shared, since a std::function is copied and a statement may be of a kind that cannot be.
  return [held = std::make_shared<Statement>(std::move(statement))](std::int64_t runs) { run_repeatedly(*held, runs); };
}

}  // namespace steelyard

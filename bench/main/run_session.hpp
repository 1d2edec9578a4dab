// What one run of the program needs to know in places that Google Benchmark calls back: how repetitions are split, and
// which benchmark is running. It is one object for the process (Google Benchmark's list of benchmarks is one, too).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "bench/main/block_budget.hpp"

namespace steelyard {

// A record with this message is a block that was left out, not a failure.
inline constexpr const char* kLeftOut = "steelyard: this block was left out";

class RunSession {
 public:
  static RunSession& current();

  void begin(BlockOrder order);
  void end();
  bool is_running() const { return is_running_; }
  pid_t process() const { return process_; }

  // Of every thread of a pass before its work; see BlockBudget.
  bool leaves_out_next(std::int64_t iterations, bool fixes_length);
  // Of one thread of a pass after its work.
  void add_pass(std::int64_t iterations, Nanoseconds took);
  void begin_next_benchmark();

  // For messages about a program that ends in the middle; thread 0's.
  void set_benchmark(const std::string& name);
  std::string benchmark();

 private:
  std::mutex mutex_;
  std::optional<BlockBudget> budget_;
  std::string benchmark_;
  bool is_running_ = false;
  pid_t process_ = 0;
};

}  // namespace steelyard

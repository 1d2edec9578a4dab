// What one run of the program needs to know in places that Google Benchmark calls back: how repetitions are split, and
// which benchmark is running. It is one object for the process (Google Benchmark's list of benchmarks is one, too).
#pragma once

#include <benchmark/benchmark.h>
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/model/quantity.hpp"

namespace steelyard {

// How a repetition is split into blocks. Google Benchmark calls the benchmark once for each repetition and keeps one
// time of it; with B blocks it is asked for B times as many repetitions of 1/B of the time, so that each block is a
// record of its own. Where one block takes longer than that (a slow benchmark, a costly setup), the rest of them would
// only cost time: once as many blocks are done as there were to be repetitions and their time is spent, the others are
// skipped. So a run with blocks never takes much longer than one without.

struct BlockOrder {
  int repetitions = 1;   // that the user asked for
  int blocks = 1;        // of each
  Nanoseconds min_time;  // of one repetition
};

class BlockBudget {
 public:
  explicit BlockBudget(BlockOrder order) : order_(order) {}

  // Whether the next call of the benchmark is skipped. Never the first of so many iterations: a number other than the
  // last call's means that Google Benchmark is still looking for it. `fixes_length`: the benchmark sets its own time or
  // iterations, which the split does not reach, so that only as many calls are made as there were to be repetitions.
  bool skips(std::int64_t iterations, bool fixes_length) const;
  // A call of so many iterations has taken so long, with its setup.
  void add(std::int64_t iterations, Nanoseconds took);
  void begin_next_benchmark();

 private:
  BlockOrder order_;
  std::int64_t iterations_ = 0;
  int calls_ = 0;
  Nanoseconds spent_;
};

// How many lone iterations (lone_iteration.hpp) a benchmark makes beside its loops, where spans are recorded: up to a
// thousand, in a quarter of the time of the loops so far, but one at least; and none behind one that failed.
class LoneBudget {
 public:
  bool allows_another() const { return !has_ended_ && made_ < kMaxMade && spent_ < of_loops_ * kShare; }
  void add_loop(Nanoseconds took) { of_loops_ += took; }
  void add(Nanoseconds took) {
    ++made_;
    spent_ += took;
  }
  // For good. Whether it had not ended before.
  bool end() { return !std::exchange(has_ended_, true); }

 private:
  static constexpr int kMaxMade = 1000;
  static constexpr double kShare = 0.25;
  int made_ = 0;
  bool has_ended_ = false;
  Nanoseconds spent_, of_loops_;
};

// A record with this message is a block that was skipped, not a failure.
inline constexpr const char* kSkippedBlock = "steelyard: this block was left out";

// Whether the benchmark skipped itself, or was skipped: by the names until Google Benchmark 1.7, and since 1.8.
template <class State>
bool has_failed(const State& state) {
  if constexpr (requires { state.skipped(); }) {
    return state.skipped();
  } else {
    return state.error_occurred();
  }
}

class RunSession {
 public:
  static RunSession& current();

  void begin(BlockOrder order);
  void end();
  bool is_running() const { return is_running_; }
  pid_t process() const { return process_; }

  // Of every thread of a pass before its work; see BlockBudget.
  bool skips_next(std::int64_t iterations, bool fixes_length);
  // Of one thread of a pass after its work.
  void add_pass(std::int64_t iterations, Nanoseconds took);
  void begin_next_benchmark();

  // Spans are recorded, of lone iterations too (lone_iteration.hpp), of whose time the budget is; asked by one thread
  // at a time.
  // `beside_devices`: these are recorded too.
  void record_iterations(bool beside_devices) {
    records_iterations_ = true;
    records_devices_ = beside_devices;
  }
  bool records_iterations() const { return records_iterations_; }
  bool records_devices() const { return records_devices_; }
  LoneBudget& lone_budget(const std::string& benchmark) { return lone_budgets_[benchmark]; }
  // As LoneBudget's, of any thread while it makes one.
  bool end_lone_iterations(const std::string& benchmark);

  // For messages about a program that ends in the middle; thread 0's.
  void set_benchmark(const std::string& name);
  std::string benchmark();

 private:
  std::mutex mutex_;
  std::optional<BlockBudget> budget_;
  std::string benchmark_;
  bool is_running_ = false;
  bool records_iterations_ = false, records_devices_ = false;
  std::map<std::string, LoneBudget> lone_budgets_;
  pid_t process_ = 0;
};

// What the calling thread runs, by its name in the report: of its spans.
void set_benchmark_of_thread(std::string name);
const std::string& benchmark_of_thread();

// Stands between Google Benchmark and one of its reporters: takes out the records of blocks that were skipped, and, for
// a display, joins the blocks of a repetition into one line, as it would read without them. Files keep every block.

class BlockReporter : public benchmark::BenchmarkReporter {
 public:
  // `inner` writes to this reporter's streams. `joins`: one line a repetition.
  BlockReporter(benchmark::BenchmarkReporter& inner, BlockOrder order, bool joins)
      : inner_(inner), order_(order), joins_(joins && order.blocks > 1) {}

  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  benchmark::BenchmarkReporter& inner_;
  BlockOrder order_;
  bool joins_;
  std::string raw_of_;  // the benchmark whose repetitions came last
};

using ReportedRuns = std::vector<benchmark::BenchmarkReporter::Run>;

// Without the blocks that were skipped; those that stay say how many they are.
ReportedRuns without_skipped(const ReportedRuns& runs);
// At most `repetitions` groups of neighbours, each as one run: iterations and times added, counters averaged (rates
// over the time). A group with a failed block is that block. Aggregates stay where there are several repetitions.
ReportedRuns joined(const ReportedRuns& runs, int repetitions);

}  // namespace steelyard

// An iteration of a benchmark that is made alone, for a span of its own. Nothing is called between two iterations of
// `for (auto _ : state)`: the loop is compiled into the program. So the benchmark's function is called once more for
// each, with a copy of its state that makes one iteration: the row, with its times, counters, label and failures, stays
// that of whole loops. What the function sets up it sets up each time, so that they are made on request
// (--steelyard_single).
//
//     while (const auto together = meeting.next(threads, has_failed, decide)) {  // of each thread
//       benchmark::State state = unbegun;
//       const LoneIteration lone(state, *together, 1);
//       benchmark.Run(state);
//     }
#pragma once

#include <benchmark/benchmark.h>

#include <barrier>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "bench/profile/spans/span.hpp"
#include "bench/profile/spans/span_recording.hpp"

namespace steelyard {

// Google Benchmark offers no other way to a number that also holds for a benchmark with a MinTime of its own; the loop
// reads the member only once it begins.
inline void set_iterations(benchmark::State& state, std::int64_t iterations) {
  const_cast<benchmark::IterationCount&>(state.max_iterations) = iterations;
}

// Where the threads of a benchmark agree whether each makes another one.
class LoneMeeting {
 public:
  // Of each of `threads`, once its loop has ended and after each lone iteration; the last to come decides. Null: there
  // is no further one, as `decide` says, or as one of them has failed, which waits for no other.
  std::shared_ptr<std::barrier<>> next(int threads, bool has_failed, const std::function<bool()>& decide);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int arrived_ = 0;
  bool has_failed_ = false;
  unsigned round_ = 0;
  std::shared_ptr<std::barrier<>> together_;
};

// While it lives the loop of this thread over `state`, a copy of one that no loop was made of, is one iteration, which
// begins and ends with those of the other threads `together`, as loops do: what one of them sets up is for all. Outside
// of that loop this thread records nothing: it was all recorded around the whole loop. What it starts on devices is
// recorded, in a span of its own by which readers know it (kAroundSingleIterations).
class LoneIteration {
 public:
  // `iterations`: that it turned out to be the last time, as a batch of KeepRunningBatch() is several; 1 at first.
  LoneIteration(benchmark::State& state, std::barrier<>& together, std::int64_t iterations);
  ~LoneIteration();
  LoneIteration(const LoneIteration&) = delete;
  LoneIteration& operator=(const LoneIteration&) = delete;

  // Of the calling thread; nullptr: its loop over that state is another.
  static LoneIteration* of(const benchmark::State* state) {
    return current != nullptr && &current->state_ == state ? current : nullptr;
  }
  // Where its loop begins and ends (timed_region.cpp).
  void start();
  void finish();
  void wait();  // for the other threads, once behind each
  void record(bool is_wanted);
  // The program says so of the copy, which is then as failed, or skipped, for it too; its row is not. None follows, and
  // `message` is told once of a benchmark.
  void fail(const char* message);
  void skip(const char* message);
  std::int64_t iterations() const { return iterations_; }

 private:
  void end(const char* how, const char* message);

  static constinit thread_local LoneIteration* current;
  benchmark::State& state_;
  std::barrier<>& together_;
  const std::int64_t iterations_;
  int waits_left_ = 2;
  // Declared so that the span ends last.
  std::optional<Span> around_;
  std::optional<ThreadPause> pause_;
};

}  // namespace steelyard

// Threads that stay pinned to their cores and do one job at a time together: all start at once, and the time runs from
// the first start to the last end. Asleep between jobs.
//
//     STEELYARD_TRY(auto team, WorkerTeam::start({2, 3}));
//     TeamTiming timing = team->run([&](int thread) { work(thread); });
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "bench/model/ceiling.hpp"
#include "bench/model/quantity.hpp"
#include "bench/model/result.hpp"

namespace steelyard::bench {

struct TeamTiming {
  Nanoseconds elapsed;
  Nanoseconds worked;  // for which the busiest thread had its core
  // Of the elapsed time that the least served thread had its core; below one, others ran in between.
  double on_core = 1;
};

class WorkerTeam {
 public:
  // Error (program): a thread could not be started. A core that cannot be pinned to is left to the scheduler; see
  // pinned().
  static Result<std::unique_ptr<WorkerTeam>> start(const std::vector<int>& cores);
  ~WorkerTeam();
  WorkerTeam(const WorkerTeam&) = delete;
  WorkerTeam& operator=(const WorkerTeam&) = delete;

  int size() const { return static_cast<int>(threads_.size()); }
  bool pinned() const { return unpinned_.load() == 0; }
  // job(thread), thread from 0 to size() - 1, in each of them. It must not throw.
  TeamTiming run(const std::function<void(int)>& job);

 private:
  explicit WorkerTeam(std::size_t size) : times_(size) {}
  void work(int thread, int core);
  void do_job(int thread);

  // One line of the cache for each thread: their times are written while others still run.
  struct alignas(64) Times {
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;
    std::int64_t on_core_ns = 0;
  };
  const std::function<void(int)>* job_ = nullptr;  // empty: the threads end
  std::atomic<std::uint32_t> jobs_{0};             // threads sleep on its change
  std::atomic<std::uint32_t> ready_{0};            // of the current job
  std::atomic<std::uint32_t> done_{0};
  std::atomic<std::uint32_t> unpinned_{0};
  std::vector<Times> times_;
  std::vector<std::thread> threads_;
};

// One ceiling on its way to be measured: what a pass does, on which threads, and how many passes make a repetition.

struct CeilingItem {
  Ceiling ceiling;
  WorkerTeam* team = nullptr;
  std::function<void(int thread, std::int64_t passes)> work;
  double amount_per_pass = 0;  // operations or bytes, of all threads together
  bool is_warmed_up = true;    // by a part of a repetition before each: caches are filled again, units woken
  std::int64_t passes = 0;     // of a repetition; 0: not yet known
};

// How many passes take `repetition` where every thread has its core; one at least.
void calibrate(CeilingItem& item, Nanoseconds repetition);

// One repetition into the ceiling's samples; for arithmetic with the clock before and after it. Gives back the part of
// the time for which the least served thread had its core.
double repeat(CeilingItem& item);

}  // namespace steelyard::bench

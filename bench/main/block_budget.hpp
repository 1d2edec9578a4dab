// How a repetition is split into blocks. Google Benchmark calls the benchmark once for each repetition and keeps one
// time of it; with B blocks it is asked for B times as many repetitions of 1/B of the time, so that each block is a
// record of its own. Where one block takes longer than that (a slow benchmark, a costly setup), the rest of them would
// only cost time: once as many blocks are done as there were to be repetitions and their time is spent, the others are
// left out. So a run with blocks never takes much longer than one without.
#pragma once

#include <cstdint>

#include "bench/model/quantity.hpp"

namespace steelyard {

struct BlockOrder {
  int repetitions = 1;   // that the user asked for
  int blocks = 1;        // of each
  Nanoseconds min_time;  // of one repetition
};

class BlockBudget {
 public:
  explicit BlockBudget(BlockOrder order) : order_(order) {}

  // Whether the next call of the benchmark is left out. Never the first of so many iterations: a number other than the
  // last call's means that Google Benchmark is still looking for it. `fixes_length`: the benchmark sets its own time or
  // iterations, which the split does not reach, so that only as many calls are made as there were to be repetitions.
  bool leaves_out(std::int64_t iterations, bool fixes_length) const;
  // A call of so many iterations has taken so long, with its setup.
  void add(std::int64_t iterations, Nanoseconds took);
  void begin_next_benchmark();

 private:
  BlockOrder order_;
  std::int64_t iterations_ = 0;
  int calls_ = 0;
  Nanoseconds spent_;
};

}  // namespace steelyard

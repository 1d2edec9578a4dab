// One ceiling on its way to be measured: what a pass does, on which threads, and how many passes make a repetition.
#pragma once

#include <cstdint>
#include <functional>

#include "bench/ceilings/worker_team.hpp"
#include "bench/model/ceiling.hpp"
#include "bench/model/quantity.hpp"

namespace steelyard {

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

}  // namespace steelyard

// What is left of a budget of time, that runs from when the clock was made.
#pragma once

#include <algorithm>
#include <chrono>

#include "bench/model/elapsed.hpp"
#include "bench/model/quantity.hpp"

namespace steelyard::ci {

class BudgetClock {
 public:
  explicit BudgetClock(Nanoseconds budget) : budget_(budget) {}
  Nanoseconds whole() const { return budget_; }
  Nanoseconds spent() const { return since(begun_); }
  Nanoseconds left() const { return left_of(budget_); }
  // Of another budget that runs as long.
  Nanoseconds left_of(Nanoseconds budget) const { return std::max(Nanoseconds(0), budget - spent()); }

 private:
  Nanoseconds budget_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace steelyard::ci

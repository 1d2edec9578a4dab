// The judge that a measurement asks between its rounds: which benchmarks are decided by now. It sees the rounds of a
// plan (regress/ab/sequential.hpp) that are there, with the same statistics as compare_runs, so that what it calls
// decided the comparison decides as well. Pure, like all of regress.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"
#include "regress/ab/row.hpp"
#include "regress/ab/rules.hpp"
#include "regress/ab/sequential.hpp"
#include "regress/compare_runs.hpp"

namespace steelyard::regress {

// Asked again at each look of one gate, it reckons and adjusts what an earlier look had only once.
class LookJudge {
 public:
  // `comparisons`: noisy ones of the whole gate, where the runs are a part of it.
  LookJudge(ComparisonPolicy policy, std::int64_t comparisons, Rules rules = kNewestRules);

  // By benchmark, canonical. Of several noisy metrics the least decided one speaks; what has no noisy metric to judge,
  // or cannot be judged at all, is decided. `calibration`: as for compare_runs; where it failed, no rounds lead to a
  // verdict and all are futile.
  std::map<std::string, LookAnswer> answers(const Run& baseline, const Run& candidate,
                                            const Calibration* calibration = nullptr);
  // For the comparison of what was looked at (compare_runs).
  GateMemory& memory() { return memory_; }

 private:
  ComparisonPolicy policy_;
  std::int64_t comparisons_;
  Rules rules_;
  GateMemory memory_;
};

}  // namespace steelyard::regress

// A machine that exists only on paper: a run costs `run_seconds`, reading the clock `read_seconds`, each with 5 % of
// normal noise, drawn as numpy draws it. The clock of PyTorch's own tests of its Timer.
#pragma once

#include <algorithm>
#include <memory>

#include "bench/harness/numpy_random.hpp"
#include "bench/harness/timer.hpp"

namespace steelyard {

class MockClock : public RunClock {
 public:
  explicit MockClock(double run_seconds, double read_seconds = 100e-9, std::uint32_t seed = 0)
      : run_seconds_(run_seconds), read_seconds_(read_seconds), random_(seed) {}

  double seconds_of(std::int64_t runs, const TimedLoop&) override {
    // Three statements: the order of the draws is part of the stream.
    double elapsed = noisy(read_seconds_);
    elapsed += noisy(run_seconds_ * static_cast<double>(runs));
    elapsed += noisy(read_seconds_);
    return elapsed;
  }
  std::string name() const override { return "mock"; }

 private:
  double noisy(double mean) { return std::max(random_.normal(mean, 0.05 * mean), 5e-9); }

  double run_seconds_;
  double read_seconds_;
  NumpyRandom random_;
};

}  // namespace steelyard

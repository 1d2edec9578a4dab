#include "bench/main/block_budget.hpp"

namespace steelyard {
namespace {

// Google Benchmark aims 1.4 times above the time that was asked for; a quarter more for noise.
constexpr double kOvershoot = 1.75;

}  // namespace

bool BlockBudget::leaves_out(std::int64_t iterations, bool fixes_length) const {
  if (order_.blocks <= 1 || iterations != iterations_ || calls_ < order_.repetitions) return false;
  if (fixes_length) return true;
  const Nanoseconds next = spent_ * (1.0 / calls_);
  return spent_ + next > order_.min_time * (kOvershoot * order_.repetitions);
}

void BlockBudget::add(std::int64_t iterations, Nanoseconds took) {
  if (iterations != iterations_) begin_next_benchmark();
  iterations_ = iterations;
  ++calls_;
  spent_ += took;
}

void BlockBudget::begin_next_benchmark() {
  iterations_ = 0;
  calls_ = 0;
  spent_ = Nanoseconds(0);
}

}  // namespace steelyard

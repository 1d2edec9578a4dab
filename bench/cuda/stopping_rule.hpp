// When enough samples of a noisy time have been taken, and which rule said so. Pure: times in, an answer out.
//
//     StoppingRule rule({});
//     while (!rule.reached(elapsed)) rule.add(take_sample());
//     report(to_text(*rule.reached(elapsed)));
//
// The rules, in the order of their judgement (as NVIDIA's nvbench has them, its "stdrel" criterion):
//   precise   the samples' relative standard deviation is below 0.5 %, after 0.5 s and 10 samples;
//   settled   more samples would not make it more precise: the relative standard deviation itself, over the last 512
//             samples, deviates by less than 5 % of its mean; asked from 64 of its values on, at every 16th sample;
//   samples   as many as are kept;
//   time      the time is up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/quantity.hpp"

namespace steelyard::cuda {

enum class StopReason { precise, settled, samples, time };
// "relative standard deviation below the limit", ...
std::string_view to_text(StopReason reason);

struct StoppingLimits {
  double precise_deviation = 0.005;
  Nanoseconds least_time = seconds(0.5);  // of sampling, by the host's clock, before a measurement is called precise
  std::int64_t least_samples = 10;        // whatever the rules; only the time bound may end below it, from 2 on
  std::int64_t most_samples = 1000;
  Nanoseconds most_time = seconds(15);
  double settled_deviation = 0.05;  // of the noise, as a share of its mean
  std::size_t ring = 512;
  std::size_t settled_from = 64;
  std::int64_t settled_every = 16;
};

class StoppingRule {
 public:
  explicit StoppingRule(const StoppingLimits& limits) : limits_(limits) {}

  // Precondition: above 0.
  void add(Nanoseconds sample);
  // `elapsed`: since sampling began.
  std::optional<StopReason> reached(Nanoseconds elapsed) const;

  std::int64_t samples() const { return n_; }
  // Standard deviation (n - 1) over mean; absent below 2 samples.
  std::optional<double> relative_deviation() const;

 private:
  bool is_settled() const;

  StoppingLimits limits_;
  std::int64_t n_ = 0;
  double mean_ = 0;
  double squares_ = 0;         // sum of squared deviations from the mean, by running update
  std::vector<double> noise_;  // ring of the last relative deviations
  std::size_t oldest_ = 0;     // where the next one goes once the ring is full
};

}  // namespace steelyard::cuda

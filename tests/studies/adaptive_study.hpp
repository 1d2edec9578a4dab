// What adaptive stopping does to the figures that it reports, simulated: each measurement is one adaptive_autorange of
// a Timer whose clock draws a block's time from a known distribution.
#pragma once

#include <cstdint>
#include <string_view>

#include "bench/harness/timer.hpp"

namespace steelyard {

// Of one block's time over its median: what the machine adds, whatever the block's runs.
enum class BlockNoise { normal, lognormal };

struct AdaptiveStudyOptions {
  TimerRule rule = TimerRule::steelyard;
  BlockNoise noise = BlockNoise::normal;
  double spread = 0.05;     // standard deviation, of the logarithm for lognormal
  double precision = 0.02;  // that ours aims at; the reference's rule has its threshold of 0.1
  int measurements = 2000;
  std::uint32_t seed = 1;
};

struct AdaptiveStudy {
  int measurements = 0;
  double mean_blocks = 0;
  double true_spread = 0;    // interquartile range over median
  double mean_reported = 0;  // of the measurements' own, the same
  int below_threshold = 0;   // reported below the reference's threshold of 0.1
  int given = 0;             // had a 95 % interval of the median
  int covered = 0;           // and it held the true median
  int stopped_early = 0;     // before max_run_time
};

AdaptiveStudy study_adaptive(const AdaptiveStudyOptions& options);

}  // namespace steelyard

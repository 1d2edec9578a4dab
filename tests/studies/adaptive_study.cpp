#include "tests/studies/adaptive_study.hpp"

#include <cmath>
#include <memory>

#include "bench/harness/median_interval.hpp"
#include "bench/harness/numpy_random.hpp"

namespace steelyard {
namespace {

constexpr double kRunSeconds = 10e-3;                    // a block is one run, and min_run_time is no more than that
constexpr double kNormalQuartile = 0.67448975019608171;  // of the standard normal
constexpr double kLimitSeconds = 3;                      // of one measurement: about 300 blocks

class NoisyClock : public RunClock {
 public:
  NoisyClock(const AdaptiveStudyOptions& options, std::uint32_t seed) : options_(options), random_(seed) {}

  double seconds_of(std::int64_t runs, const TimedLoop&) override {
    const double drawn = random_.normal(0, options_.spread);
    const double factor = options_.noise == BlockNoise::normal ? 1 + drawn : std::exp(drawn);
    return static_cast<double>(runs) * kRunSeconds * factor;
  }
  std::string name() const override { return "simulated"; }

 private:
  AdaptiveStudyOptions options_;
  NumpyRandom random_;
};

double true_spread(const AdaptiveStudyOptions& options) {
  const double quartile = kNormalQuartile * options.spread;
  return options.noise == BlockNoise::normal ? 2 * quartile : std::exp(quartile) - std::exp(-quartile);
}

}  // namespace

AdaptiveStudy study_adaptive(const AdaptiveStudyOptions& options) {
  AdaptiveStudy study;
  study.true_spread = true_spread(options);
  for (int i = 0; i < options.measurements; ++i) {
    TimerOptions timer;
    timer.rule = options.rule;
    timer.clock = std::make_shared<NoisyClock>(options, options.seed + static_cast<std::uint32_t>(i));
    timer.thread_counts = std::vector<ThreadCount>{};
    const auto measured =
        Timer([] {}, std::move(timer))
            .adaptive_autorange({.precision = options.precision, .max_run_time = seconds(kLimitSeconds)});
    if (!measured) continue;
    ++study.measurements;
    study.mean_blocks += static_cast<double>(measured->raw_times.size());
    const double reported = *measured->interquartile_range() / *measured->median();
    study.mean_reported += reported;
    if (reported < 0.1) ++study.below_threshold;
    if (measured->metadata.at("stopped_by") != "max_run_time") ++study.stopped_early;
    const auto bounds = median_interval(measured->times_in_order()).bounds;
    if (!bounds) continue;
    ++study.given;
    if (bounds->low <= kRunSeconds && kRunSeconds <= bounds->high) ++study.covered;
  }
  study.mean_blocks /= study.measurements;
  study.mean_reported /= study.measurements;
  return study;
}

}  // namespace steelyard

#include "tests/studies/judging/speed_runs.hpp"

#include <cstdint>
#include <string>

#include "bench/model/random.hpp"

namespace steelyard::judging {
namespace {

// A number in (0, 1); the same everywhere.
class Numbers {
 public:
  double next() { return (static_cast<double>(next_split_mix(state_) >> 11U) + 0.5) * 0x1p-53; }

 private:
  std::uint64_t state_ = 7;
};

// One process: a level of its own, samples that are delayed now and then.
std::vector<double> samples_of(Numbers& numbers, int count, double level) {
  const double own = level * (1 + 0.03 * (numbers.next() + numbers.next() - 1));
  std::vector<double> samples;
  for (int i = 0; i < count; ++i) {
    const double delay = numbers.next() < 0.1 ? 0.2 * numbers.next() : 0;
    samples.push_back(own * (1 + 0.02 * numbers.next() + delay));
  }
  return samples;
}

}  // namespace

std::pair<Run, Run> speed_runs(const SpeedShape& shape) {
  std::pair<Run, Run> runs;
  for (Run* run : {&runs.first, &runs.second}) {
    run->header.layout = Layout::interleaved;
    run->header.session = "speed";
    for (int round = 0; round < shape.rounds; ++round) {
      Invocation invocation;
      invocation.round = round;
      invocation.slot = (run == &runs.first) == (round % 2 == 0) ? 0 : 1;
      run->invocations.push_back(invocation);
    }
  }
  Numbers numbers;
  for (int b = 0; b < shape.benchmarks; ++b) {
    for (Run* run : {&runs.first, &runs.second}) {
      Measurement measurement;
      measurement.benchmark.name = "BM_" + std::to_string(b);
      measurement.metric = *well_known_metric("real_time");
      const double level = 1000 * (run == &runs.second && b % 4 == 0 ? 1.02 : 1);
      for (int round = 0; round < shape.rounds; ++round) {
        InvocationSamples of_invocation;
        of_invocation.invocation = static_cast<std::uint32_t>(round);
        of_invocation.values = samples_of(numbers, shape.samples, level);
        measurement.invocations.push_back(std::move(of_invocation));
      }
      run->measurements.push_back(std::move(measurement));
    }
  }
  return runs;
}

}  // namespace steelyard::judging

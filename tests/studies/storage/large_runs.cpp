#include "tests/studies/storage/large_runs.hpp"

#include <cmath>
#include <random>
#include <string>

#include "storage/archive/archive.hpp"

namespace steelyard::storage_study {
namespace {

constexpr std::int64_t kFirstTime = 1'700'000'000'000'000'000;
constexpr std::int64_t kHour = 3'600'000'000'000;

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  double unit() { return static_cast<double>(engine_() >> 11U) * 0x1p-53; }
  double normal() {
    double sum = -6;  // of twelve uniform ones, which every machine draws alike
    for (int i = 0; i < 12; ++i) sum += unit();
    return sum;
  }

 private:
  std::mt19937_64 engine_;
};

BenchmarkId benchmark(int number) {
  BenchmarkId id;
  id.suite = "suite_" + std::to_string(number % 20);
  id.name = "BM_operation_" + std::to_string(number / 8);
  id.parameters = {{"size", std::to_string(1 << (number % 8 + 4))}};
  return id;
}

}  // namespace

Run large_run(const LargeRuns& wanted, int number) {
  Draw draw(static_cast<std::uint64_t>(number) + 1);
  Run run;
  run.header.created_at_unix_ns = kFirstTime + number * kHour;
  run.header.tool = "large_runs";
  run.header.project = "large";
  run.header.program = "./bench";
  run.header.commit.sha = "c0ffee" + std::to_string(1'000'000 + number);
  run.header.commit.branch = "main";
  run.header.commit.committed_at_unix_s = run.header.created_at_unix_ns / 1'000'000'000;
  run.environment.facts = {{"cpu.model", "any", true}};
  for (std::uint32_t i = 0; i < wanted.invocations; ++i) {
    run.invocations.push_back({static_cast<std::int32_t>(i), 0, 0, run.header.created_at_unix_ns, 1'000'000'000});
  }
  for (int i = 0; i < wanted.measurements; ++i) {
    Measurement measurement;
    measurement.benchmark = benchmark(i);
    measurement.metric = *well_known_metric(kRealTime);
    const auto iterations = static_cast<std::int64_t>(1000 + 37 * (i % 1000));
    for (std::uint32_t k = 0; k < wanted.invocations; ++k) {
      InvocationSamples samples{k, {}, {}};
      for (int s = 0; s < wanted.samples_each; ++s) {
        const double ns = std::nearbyint(wanted.sample_ns * (1 + wanted.noise * draw.normal()));
        samples.values.push_back(ns / static_cast<double>(iterations));
        samples.iterations.push_back(iterations);
      }
      measurement.invocations.push_back(std::move(samples));
    }
    run.measurements.push_back(std::move(measurement));
  }
  storage::seal(run);
  return run;
}

}  // namespace steelyard::storage_study

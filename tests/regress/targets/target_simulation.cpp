#include "tests/regress/targets/target_simulation.hpp"

#include <cmath>
#include <numbers>
#include <random>

#include "regress/targets/declared_target.hpp"
#include "regress/targets/judge_targets.hpp"
#include "tests/regress/targets/sample_ceilings.hpp"

namespace steelyard::regress {
namespace {

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : engine_(seed) {}
  // In (0, 1), from 53 bits.
  double uniform() { return (static_cast<double>(engine_() >> 11U) + 0.5) * 0x1p-53; }
  double normal() {
    const double length = std::sqrt(-2 * std::log(uniform()));
    return length * std::cos(2 * std::numbers::pi * uniform());
  }

  // A rate whose median over all invocations is 1.
  double rate(RateNoise noise) {
    switch (noise) {
      case RateNoise::normal:
        return std::exp(0.03 * normal());
      case RateNoise::skewed:
        return (1 + 0.05 * std::numbers::ln2) / (1 - 0.05 * std::log(uniform()));
      case RateNoise::bimodal: {
        const double placement = uniform() < 0.5 ? -0.05 : 0.05;
        return std::exp(placement + 0.01 * normal());
      }
    }
    return 1;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace

TargetErrorRates simulate_targets(const TargetSimulation& simulation) {
  Draws draws(simulation.seed);
  const Target target = parse_target("0.6 of bandwidth", "").value();
  TargetErrorRates wrong;
  for (int trial = 0; trial < simulation.trials; ++trial) {
    BenchmarkRates rates;
    for (int i = 0; i < simulation.invocations; ++i) rates.bandwidth.push_back(0.6e9 * draws.rate(simulation.noise));
    // The true ceiling is 1 GB/s.
    Ceiling ceiling = sample::bandwidth("DRAM", "read", 1, 1e9 * std::exp(simulation.ceiling_error * draws.normal()));
    const double reach = std::exp(1.959964 * simulation.ceiling_error);
    ceiling.low = ceiling.value / reach;
    ceiling.high = ceiling.value * reach;
    DeviceCeilings device;
    device.device = "CPU";
    device.ceilings = {ceiling};
    const TargetRow row = judge_target(rates, target, {}, {device});
    if (row.verdict == TargetVerdict::met) wrong.met += 1.0 / simulation.trials;
    if (row.verdict == TargetVerdict::missed) wrong.missed += 1.0 / simulation.trials;
  }
  return wrong;
}

}  // namespace steelyard::regress

// Seeded histories with known steps: one value per commit, as continuous integration would have recorded them. The
// noise is of many kinds, made up or taken from recorded processes of one unchanged program.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "bench/model/result.hpp"

namespace steelyard {

struct InjectedStep {
  std::size_t begin = 0;  // first index at the new level
  double in_noise = 0;    // size over the standard deviation of the noise, always positive
};

struct History {
  std::string name;
  std::vector<double> values;
  std::vector<InjectedStep> steps;  // none: unchanged
};

enum class NoiseKind { normal, resembling, heavy_tailed, spiky, two_modes, drifting, coarse, skewed };
inline constexpr NoiseKind kNoiseKinds[] = {NoiseKind::normal, NoiseKind::resembling, NoiseKind::heavy_tailed,
                                            NoiseKind::spiky,  NoiseKind::two_modes,  NoiseKind::drifting,
                                            NoiseKind::coarse, NoiseKind::skewed};
const char* to_text(NoiseKind kind);

// Uniform and normal numbers of our own making: the same on every machine.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  double uniform();  // 0 <= x < 1
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(uniform() * static_cast<double>(n)); }
  double normal();

 private:
  std::mt19937_64 engine_;
};

// n values of mean about 0 and standard deviation about 1 (spikes not counted).
std::vector<double> made_up_noise(NoiseKind kind, std::size_t n, Dice& dice);

// Noise that wanders, of standard deviation 1 as it was drawn: what a level is taken for where distant values are
// thought independent. slow: fades by 2 to 20 % a value; slow_and_white: 30 to 80 % of the variance is so, the rest is
// not; walk: white, on a random walk of steps of .05 to .4 of it; pink: the sum of six speeds, each half of the one
// before.
enum class DriftKind { slow, slow_and_white, walk, pink };
inline constexpr DriftKind kDrifts[] = {DriftKind::slow, DriftKind::slow_and_white, DriftKind::walk, DriftKind::pink};
const char* to_text(DriftKind drift);
std::vector<double> drifting_noise(DriftKind drift, std::size_t n, Dice& dice);

// Histories of 40 to 300 commits as those of make_histories, of one kind of noise each.
std::vector<History> make_white_histories(std::size_t count, bool changed, std::uint64_t seed);
std::vector<History> make_drifting_histories(DriftKind drift, std::size_t count, bool changed, std::uint64_t seed);
std::vector<History> make_recorded_histories(std::size_t count, bool changed, std::uint64_t seed,
                                             std::span<const std::vector<double>> traces);

// `count` histories of 40 to 300 commits. Half of the noise is made up, half is from `traces` if there are any (values
// of one unchanged program in time order; a stretch of one, turned round or not). With `changed`, 1 to 4 steps of 1 to
// 8 times the noise, at least 10 commits apart; else none.
std::vector<History> make_histories(std::size_t count, bool changed, std::uint64_t seed,
                                    std::span<const std::vector<double>> traces);

// Medians of the processes of a recording (tests/studies/noise/record_noise.py) in time order, one trace a benchmark.
Result<std::vector<std::vector<double>>> read_traces(const std::string& folder);

}  // namespace steelyard

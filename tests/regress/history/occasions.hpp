// Simulated occasions on which an unchanged program was measured: what lies between them has many shapes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace steelyard::regress {

inline constexpr double kOccasionSpread = 0.02;  // standard deviation of the normal part, of logarithms

struct OccasionNoise {
  enum class Kind { normal, heavy, spikes, two_modes, walk, rounded };
  std::string name;
  Kind kind = Kind::normal;
  double resemblance = 0;  // of neighbours (AR(1))
};
std::vector<OccasionNoise> occasion_noises();

class Occasions {
 public:
  Occasions(OccasionNoise noise, std::uint64_t seed) : noise_(noise), state_(seed * 2 + 1) {}
  std::vector<double> series(int count);  // levels around 100

 private:
  double uniform();
  double normal();
  double draw();
  OccasionNoise noise_;
  std::uint64_t state_;
};

struct OccasionRates {
  double at_5_percent = 0;  // share of p at most .05
  double at_1_percent = 0;
  double at_1_permille = 0;
  double coverage = 0;  // of the 95 % interval, for the true ratio
};
// The last of count + 1 occasions, times `ratio`, against those before it.
OccasionRates simulate_occasions(const OccasionNoise& noise, int count, int repetitions, double ratio);

}  // namespace steelyard::regress

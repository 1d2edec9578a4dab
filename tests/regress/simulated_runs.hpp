// Pairs of runs with known truth, for tests of error rates: noise as processes on shared machines have it (levels that
// drift from round to round and hang together, heavy-tailed differences between processes, delays inside a process
// that only add), an effect of the slot, and a true ratio. Seeded; engine bits become numbers by our own code, because
// standard distributions differ between libraries.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "bench/model/run.hpp"

namespace steelyard::regress {

struct NoiseModel {
  double drift = 0.05;             // standard deviation of the level that both sides of a round share
  double drift_correlation = 0.6;  // of neighbouring rounds
  double process = 0.03;           // between processes
  double sample = 0.02;            // inside a process, only upwards
  double slot_effect = 0;          // log of second slot over first
  double burst_chance = 0.05;      // of a process that a neighbour disturbs
  double burst = 0.3;              // by how much at most, log
};

struct SimulatedPair {
  Run baseline;
  Run candidate;
};

struct SimulationOptions {
  Layout layout = Layout::interleaved;
  int rounds = 15;
  int samples = 5;  // per invocation
  int benchmarks = 1;
  int changed_benchmarks = 0;  // the first ones have the true ratio, the others 1
  double ratio = 1;
  double occasion_drift = 0;  // sequential: standard deviation of what moves between the sides, each benchmark alone
  double shared_drift = 0;    // sequential: standard deviation of what moves all benchmarks together
  NoiseModel noise;
};

class Simulation {
 public:
  explicit Simulation(std::uint64_t seed) : engine_(seed) {}

  // Benchmarks are named BM_0, BM_1, ...; times around 1000 ns; slots in seeded pairs (AB, BA).
  SimulatedPair draw(const SimulationOptions& options);

  double uniform();       // in (0, 1)
  double normal();        // Marsaglia's polar method
  double heavy_tailed();  // Student's t with 3 degrees of freedom, scaled to standard deviation 1

 private:
  void add_benchmark(int index, const SimulationOptions& options, double shared_drift, SimulatedPair& pair);
  std::vector<double> draw_samples(double log_level, const SimulationOptions& options);

  std::mt19937_64 engine_;
};

}  // namespace steelyard::regress

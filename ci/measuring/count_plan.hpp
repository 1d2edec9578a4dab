// What is to be counted, benchmark by benchmark, with both sides of each beside each other: for which the baseline's
// count also holds for the candidate, because the two programs are the same to whoever runs them.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/counting/count.hpp"
#include "bench/counting/equal/counted_inputs.hpp"
#include "bench/counting/equal/loaded_program.hpp"
#include "bench/model/run.hpp"

namespace steelyard {

struct CountPair {
  CountSide baseline;
  CountSide candidate;
};

// One side of one benchmark.
struct SideCount {
  const CountSide* side = nullptr;        // null: it does not have the benchmark
  const LoadedProgram* loaded = nullptr;  // null: its loaded sections are not known
  CountedInputs inputs;                   // filled when it is counted
};
struct BenchmarkCounts {
  ListedBenchmark benchmark;
  SideCount baseline;
  SideCount candidate;
  bool equal_programs = false;  // loaded sections, arguments and environment of both sides are equal

  const BenchmarkId& id() const { return benchmark.id; }
};

// What each program and its libraries are, asked once.
class CountPlan {
 public:
  // Benchmarks of all programs in one order, drawn from the seed and the candidates' programs: over successive gates
  // every benchmark comes to the front, also where somebody fixes the seed, and what a budget does not reach today it
  // reaches another day. The same seed and programs give the same order.
  CountPlan(const std::vector<CountPair>& pairs, std::uint64_t seed, const std::atomic<bool>* cancelled);
  CountPlan(const CountPlan&) = delete;
  CountPlan& operator=(const CountPlan&) = delete;

  std::vector<BenchmarkCounts>& benchmarks() { return benchmarks_; }

 private:
  struct LoadedPair {
    std::optional<LoadedProgram> baseline;
    std::optional<LoadedProgram> candidate;
    bool equal = false;
  };
  std::vector<LoadedPair> loaded_;  // one for each pair
  std::vector<BenchmarkCounts> benchmarks_;
};

// Why the baseline's count holds for the candidate too ("every loaded section of program and libraries is equal, and so
// are the 2 files it read (sha256 0123456789ab)"); empty: it need not, because the programs or what they read differ.
std::string proof_of_equality(const BenchmarkCounts& counts);

}  // namespace steelyard

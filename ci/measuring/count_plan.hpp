// Which benchmarks of a gate's programs are to be counted, and in which order.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "bench/counting/count.hpp"
#include "bench/counting/equal/counted_inputs.hpp"
#include "bench/model/comparison.hpp"
#include "bench/runner/program.hpp"
#include "ci/report/row_text.hpp"

namespace steelyard::ci {

// What is to be counted, benchmark by benchmark, with both sides of each beside each other: for which the baseline's
// count also holds for the candidate, because the two programs are the same to whoever runs them.
struct CountPair {
  bench::CountSide baseline;
  bench::CountSide candidate;
};

// One side of one benchmark.
struct SideCount {
  const bench::CountSide* side = nullptr;        // null: it does not have the benchmark
  const bench::LoadedProgram* loaded = nullptr;  // null: its loaded sections are not known
  bench::CountedInputs inputs;                   // filled when it is counted
  bool settled = false;                          // counted, taken over, or a failure
};
struct BenchmarkCounts {
  bench::ListedBenchmark benchmark;
  SideCount baseline;
  SideCount candidate;
  bool equal_programs = false;  // loaded sections, arguments and environment of both sides are equal
  bool lacks_a_side = false;    // there are two programs, and one of them does not have it

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
  // The same in another order, for a budget that may not reach all of them: first what timing called changed, then what
  // it left open, that which looks changed by the minimum effect before the rest of it, then what it showed unchanged.
  // Every fourth place has the next of those as drawn, whatever timing says of it.
  std::vector<BenchmarkCounts*> by_need(const Comparison& timed);

 private:
  struct LoadedPair {
    std::optional<bench::LoadedProgram> baseline;
    std::optional<bench::LoadedProgram> candidate;
    bool equal = false;
  };
  std::vector<LoadedPair> loaded_;  // one for each pair
  std::vector<BenchmarkCounts> benchmarks_;
};

// Why the baseline's count holds for the candidate too; absent: it need not, because the programs or what they read
// differ.
std::optional<EqualProgram> proof_of_equality(const BenchmarkCounts& counts);

}  // namespace steelyard::ci

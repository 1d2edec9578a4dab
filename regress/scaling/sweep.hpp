// Finds the sweeps of a run: benchmarks that differ in one numeric parameter only, in order of it, with their fit.
// Pure; what is asked and found goes in and out as values.
#pragma once

#include <string>
#include <vector>

#include "bench/model/run.hpp"
#include "regress/scaling/scaling_fit.hpp"

namespace steelyard::regress {

struct SweepChoice {
  // A parameter's name; a number: the position among those without a name, from 1; "threads"; kElements: those of the
  // inputs. Empty: every numeric parameter that at least three benchmarks differ in, threads and the "draw" of fuzzed
  // benchmarks aside.
  std::string over = {};
  std::string metric = std::string(kRealTime);
  std::string benchmark = {};  // a part of the name; empty: all
  double confidence = 0.95;
};

struct Sweep {
  std::string benchmark;  // canonical, with a * in place of the size: "mlp/batch:*/dim:256"
  std::string parameter;  // "batch", "argument 1", "threads"
  Metric metric;
  ScalingData data;              // the rounds that have every size
  std::vector<double> levels;    // of each size: median over all of its invocations' medians
  std::size_t failed_sizes = 0;  // that were to be measured and were not
  // Excluded: of 0 or less; measured without a level above 0; rounds that lack a size.
  std::size_t sizes_without_logarithm = 0;
  std::size_t sizes_without_level = 0;
  std::size_t excluded_rounds = 0;
  bool has_no_whole_round = false;  // the fit is that of the sizes' medians
  ScalingFit fit;
};

// By benchmark, then parameter. Error (input): there is none; the message names the parameters that there are.
Result<std::vector<Sweep>> find_sweeps(const Run& run, const SweepChoice& choice);

// Sweeps over the size of what benchmarks were given: the items of a fuzzed benchmark differ in several parameters, and
// their labels say how many elements they have (Run::labels, kElementsWord).

// SweepChoice::over where it means the elements of the inputs.
inline constexpr std::string_view kElements = "elements";

// Benchmarks of one name, whatever their parameters, are one sweep. At least three of different sizes. Error (input):
// there is none.
Result<std::vector<Sweep>> find_input_sweeps(const Run& run, const SweepChoice& choice);

}  // namespace steelyard::regress

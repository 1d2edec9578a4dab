// A/A gates of a user's own benchmarks: each program against itself, measured and judged by the path that gate takes,
// again and again, until there are as many as were asked for or the budget is spent. A quarter of the budget is kept
// for measuring each program alone, with two processes a copy of it, for what copies differ by.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "bench/model/comparison.hpp"
#include "ci/app/progress.hpp"
#include "ci/measuring/measure_programs.hpp"

namespace steelyard::ci {

struct GatesPlan {
  std::vector<bench::Program> programs;  // suites differ where there are several
  Configuration configuration;  // how a gate measures and judges, with a budget of everything; nothing is counted
  int gates = 10;
  bool drift = false;  // measure as many pairs whose sides follow each other
  std::function<void(int gate, const Comparison& comparison)> after_gate;  // may be empty; gate from 0
};

// A program that is not measured alone, because its copies would not differ.
struct KeptPages {
  std::string program;
  std::string why;
};

struct MeasuredGates {
  std::vector<Comparison> gates;
  std::vector<Comparison> sequential;  // as many as gates where drift was asked for
  bench::SampleSize samples;           // of a gate, as planned
  std::vector<std::string> failures;   // "BM_x: exit status 1", each once
  bool budget_spent = false;           // fewer gates than asked for
  std::vector<Run> alone;              // kRoundsOfCopy rounds a copy (regress/ab/rounds.hpp)
  std::vector<KeptPages> kept_pages;
  bool no_time_for_copies = false;  // of some program: none, or too few to tell what they differ by
};

// A gate is begun only where the longest of those before would fit into what is left; the first always is. The seed of
// each gate follows from the plan's. Cancelled: what was measured until then. Error: as measure_listed; a program
// that cannot be measured alone after its gates could is told in kept_pages.
Result<MeasuredGates> measure_gates(const GatesPlan& plan, ProgressLine& progress, const std::atomic<bool>* cancelled);

}  // namespace steelyard::ci

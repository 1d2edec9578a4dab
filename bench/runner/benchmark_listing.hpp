// What a Google Benchmark program has to offer, found out once, before anything is measured: its benchmarks, and which
// form of --benchmark_min_time it takes (a plain number until 1.7, "0.02s" since 1.8).
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/quantity.hpp"
#include "bench/model/result.hpp"
#include "bench/runner/program.hpp"
#include "bench/runner/settings.hpp"

namespace steelyard::bench {

// Of a command whose processes are measured from outside, what was seen when it was first run.
struct ProcessFacts {
  Nanoseconds takes;          // from its start to its end, once
  Nanoseconds empty;          // the same of a process that does nothing, started in the same way; 0: not known
  bool tells_memory = false;  // its peak is above what a process has by having been forked from ours
};

struct ProgramListing {
  std::vector<ListedBenchmark> benchmarks;  // in the program's order, each once; may be empty
  bool min_time_takes_unit = false;
  int core = -1;      // that the program was pinned to while it was asked; -1: not asked for, or refused
  Nanoseconds start;  // what a process takes that measures nothing; of a command, what one takes
  std::optional<ProcessFacts> process = {};
  std::string openblas_core = {};  // whose kernels OpenBLAS chose; empty where the program has no OpenBLAS
};

// A program with its answer.
struct ListedProgram {
  Program program;
  ProgramListing listing = {};
  std::optional<Error> trouble = {};  // it crashed or hung when it was asked; then there are no benchmarks
  const std::vector<ListedBenchmark>& benchmarks() const { return listing.benchmarks; }
};

// Asks the program for what matches the settings' filter, pinned to a core as it will be measured; a command is run
// (command_program.hpp). Error (input): no executable, or no Google Benchmark program; one that is to record spans or
// devices meanwhile. One that crashes, hangs or is cancelled is no error here.
Result<ListedProgram> list_benchmarks(const Program& program, const MeasuringSettings& settings,
                                      const std::atomic<bool>* cancelled = nullptr);

// "Haswell" of the line "Core: Haswell" that OpenBLAS writes with OPENBLAS_VERBOSE=2; empty where there is none.
std::string openblas_core_of(std::string_view error_output);

// The regular expression that matches these names and no other, in every dialect that Google Benchmark is built with
// (ECMAScript, POSIX extended, RE2).
std::string exact_filter(const std::vector<std::string>& names);

}  // namespace steelyard::bench

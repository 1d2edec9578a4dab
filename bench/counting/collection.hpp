// One collection: one process of the program under Callgrind, with one benchmark and a set number of iterations.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/counting/callgrind_reader.hpp"
#include "bench/counting/collection_files.hpp"
#include "bench/counting/counters/counter_choice.hpp"
#include "bench/counting/counting_environment.hpp"
#include "bench/counting/counting_tools.hpp"
#include "bench/counting/equal/counted_inputs.hpp"
#include "bench/counting/lines/origin_resolver.hpp"
#include "bench/counting/shim_report.hpp"
#include "bench/model/quantity.hpp"
#include "bench/model/result.hpp"
#include "bench/runner/child_process.hpp"
#include "bench/runner/program.hpp"

namespace steelyard {

// Where collections of one program are made. The folder is private to them.
struct CollectionPlace {
  const CountingTools* tools = nullptr;
  const Program* program = nullptr;
  std::filesystem::path link;       // to the program, under a path of fixed length
  std::filesystem::path shim_link;  // to the preload library, likewise
  std::filesystem::path folder;
  const std::atomic<bool>* cancelled = nullptr;
  OriginResolver* origins = nullptr;  // tells whose the lines of profiles are; null: not asked for
  CounterChoice counters;             // what Callgrind simulates beside counting
};

struct CollectionOrder {
  std::string benchmark;  // as the program lists it
  std::int64_t iterations = 1;
  Nanoseconds timeout;
  int number = 0;            // no other collection in the folder has it
  bool trace_files = false;  // have Valgrind log the files that the program opens
};

struct Collection {
  ShimReport report;
  CallgrindPart part;  // without the preload library's own functions
  // Why nothing was collected though the program ran: there is nothing in it that could be wrapped. Absent: it was.
  std::optional<Error> nothing_wrapped;
  std::string openblas_core;  // whose kernels OpenBLAS chose; empty where the program has no OpenBLAS
  CountedInputs inputs;       // where they were traced
  std::int64_t started_at_unix_ns = 0;
  std::int64_t duration_ns = 0;

  std::int64_t instructions() const { return part.totals.empty() ? 0 : part.totals.front(); }
};

// What one process under Callgrind is to do beyond what all of them do.
struct CallgrindCall {
  std::vector<std::string> options;            // of Callgrind: when to collect
  std::vector<std::string> program_arguments;  // after the user's own
  CountingEnvironment environment;
  Nanoseconds timeout;
};
ChildCommand callgrind_command(const CollectionPlace& place, const CollectionFiles& files, const CallgrindCall& call);

// Error (program): nothing was collected; `found` says why and `mend` what to do. Cancellation is one too; the caller
// knows that it cancelled. Files of its own are removed.
Result<Collection> collect(const CollectionPlace& place, const CollectionOrder& order);

// "Haswell" of the line "Core: Haswell" that OpenBLAS writes with OPENBLAS_VERBOSE=2; empty where there is none.
std::string openblas_core_of(std::string_view error_output);

}  // namespace steelyard

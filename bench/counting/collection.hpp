// One collection: one process of the program under Callgrind, with one benchmark and a set number of iterations.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/counting/count.hpp"
#include "bench/counting/counters/counter_choice.hpp"
#include "bench/counting/equal/counted_inputs.hpp"
#include "bench/counting/lines/origin_resolver.hpp"
#include "bench/counting/reader/callgrind_reader.hpp"
#include "bench/model/quantity.hpp"
#include "bench/model/result.hpp"
#include "bench/runner/child_process.hpp"
#include "bench/runner/program.hpp"

namespace steelyard::bench {

// The environment of a counted program: short, fixed, and always of the same size. Its size moves the stack, and with
// it the path that string and vector routines take through unaligned data; the caller's variables must not reach a
// count.

struct CountingEnvironment {
  std::filesystem::path shim;    // empty: nothing is preloaded
  std::filesystem::path report;  // that the shim is to write
  std::int64_t iterations = 1;
};

// Of the caller's variables only LD_LIBRARY_PATH, HOME and TMPDIR, without which programs do not start; then what keeps
// a count the same from run to run; then program.environment, which wins; then what the counting needs. Padded so that
// it makes up whole pages of the stack together with `arguments` (the first of them the path of the program).
std::map<std::string, std::string> counting_environment(const Program& program, const CountingEnvironment& counting,
                                                        const std::vector<std::string>& arguments);

// The files of one collection, in the folder private to the collections of a program: removed at its end, and named so
// that every name has the same length, because the program sees some of them.

// Valgrind's log and the report are some lines; nobody can make us read more.
inline constexpr std::size_t kMaximumTextBytes = std::size_t{1} << 20;

class CollectionFiles {
 public:
  CollectionFiles(const std::filesystem::path& folder, int number);
  CollectionFiles(const CollectionFiles&) = delete;
  CollectionFiles& operator=(const CollectionFiles&) = delete;
  ~CollectionFiles();

  std::filesystem::path report() const;   // of the preloaded library
  std::filesystem::path log() const;      // of Valgrind
  std::filesystem::path results() const;  // of the program: --benchmark_out
  // A forked child of the program writes a profile of its own; the process number keeps them apart.
  std::string profile(const std::string& process) const;

 private:
  std::filesystem::path folder_;
  std::string digits_;
};

// At most its first MiB; empty where it cannot be read.
std::string read_beginning(const std::filesystem::path& file);
// At most the last MiB of a file: a trace of system calls can be longer, and why a program ended stands at its end.
std::string read_ending(const std::filesystem::path& file);

// What the preload library (shim/count_shim.cpp) saw inside the counted program, and why nothing was counted if nothing
// was.

struct ShimReport {
  std::int64_t process = 0;  // pid of the counted program
  std::int64_t forced = 0;   // iterations each State was made with
  // How often each wrapped function was called in the counted pass.
  std::int64_t constructed = 0;
  std::int64_t started = 0;
  std::int64_t finished = 0;
  std::int64_t skipped = 0;
  std::int64_t iterations = 0;  // made by all threads together; -1: State is laid out in a way we do not know
  // CPU time while the clock ran, in us: of the loop's thread, and of others (0 where the benchmark itself has
  // several).
  std::int64_t own_us = 0;
  std::int64_t others_us = 0;
  // Of a hidden clock: reads of it whose purpose is not known (shim/clock_shim.cpp).
  std::int64_t reads_elsewhere = 0;
  std::string libc;             // version, e.g. "2.36"
  std::string libc_build;       // its build id, 16 digits; "-": none
  std::string allocator;        // the file malloc comes from
  std::string allocator_build;  // the build id of that
  std::string dispatch;         // which routines libc chose, as a number in 16 digits
  std::string cpu;              // features as Valgrind shows them
};

// Absent where the text is no whole report.
std::optional<ShimReport> parse_shim_report(std::string_view text);

// Whether the program ran and the preload library saw nothing of it, or too little: Google Benchmark is in it without
// its symbols, or the compiler has inlined what is wrapped. Then whole functions or the whole program may still be
// counted.
bool hides_its_clock(const ShimReport& report, std::string_view output);

// Whether threads other than the benchmark's own worked while its clock ran: more than 1 ms under Valgrind, which is
// some 20 us without, and 1 % of the loop. Their instructions were not collected.
bool has_work_in_other_threads(const ShimReport& report);

// Why a collection with this report is of no use, and what to do about it; empty where it is of use. `output` is what
// the program printed: it says why a benchmark skipped itself.
std::string what_is_wrong(const ShimReport& report, std::string_view output);

// What the collections of one benchmark showed of the whole program, so that its other benchmarks, of which several may
// be counted at once, need not find it out again.
class ProgramFindings {
 public:
  struct HiddenClock {
    Error why;        // and how to fix that
    ShimReport seen;  // what the preloaded library reported; empty where it was not loaded
  };

  // Nothing of the program can be wrapped, whichever benchmark runs.
  std::optional<HiddenClock> hidden_clock() const { return get(hidden_clock_); }
  void set_hidden_clock(HiddenClock found) { set(hidden_clock_, std::move(found)); }
  // No function of the program runs a benchmark under a name that collection could be switched by.
  bool has_no_named_function() const { return get(has_no_named_function_).value_or(false); }
  void set_no_named_function() { set(has_no_named_function_, true); }
  // conditions_outside() (unwrapped_count.hpp).
  std::optional<ShimReport> conditions_outside() const { return get(conditions_outside_); }
  void set_conditions_outside(ShimReport found) { set(conditions_outside_, std::move(found)); }

 private:
  template <class T>
  std::optional<T> get(const std::optional<T>& finding) const {
    const std::lock_guard lock(mutex_);
    return finding;
  }
  template <class T>
  void set(std::optional<T>& finding, T found) {
    const std::lock_guard lock(mutex_);
    finding = std::move(found);
  }

  mutable std::mutex mutex_;
  std::optional<HiddenClock> hidden_clock_;
  std::optional<bool> has_no_named_function_;
  std::optional<ShimReport> conditions_outside_;
};

// How long collections may take.
struct CollectionLimits {
  Nanoseconds timeout = seconds(120);                                                             // of one process
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();  // of all
  const std::atomic<bool>* cancelled = nullptr;

  // Of a process that begins now. Error (budget): the deadline is past.
  Result<Nanoseconds> time_for_one() const;
  // `error` of a process, or, where the deadline is past, that one.
  Error unless_late(const Error& error) const;
};
// The errors of what an interruption and a deadline kept from being counted.
Error counting_interrupted();
Error counting_budget_spent();

// Where collections of one program are made. The folder is private to them.
struct CollectionPlace {
  const CountingTools* tools = nullptr;
  const Program* program = nullptr;
  bool takes_iterations = false;    // it can be told how many to make: Google Benchmark from 1.8 on
  std::filesystem::path link;       // to the program, under a path of fixed length
  std::filesystem::path shim_link;  // to the preload library, under a path of fixed length
  std::filesystem::path folder;
  OriginResolver* origins = nullptr;    // tells whose the lines of profiles are; null: not asked for
  ProgramFindings* findings = nullptr;  // null: each benchmark finds out for itself
  CounterChoice counters;               // what Callgrind simulates beside counting
  CollectionLimits limits;
};

// Why a library that was to be preloaded reported nothing: no space is left for its report, or the program is linked
// statically, which its file tells. What it is for stands in `what`: "the counting library". `fix`: for a static one.
Error why_not_loaded(const CollectionPlace& place, const std::string& what, const std::string& fix);

struct CollectionRequest {
  std::string benchmark;  // as the program lists it
  std::int64_t iterations = 1;
  int number = 0;            // no other collection in the folder has it
  bool trace_files = false;  // have Valgrind log the files that the program opens
  // Switch by the clock that the program reads, where benchmark::State hides in it (shim/clock_shim.cpp). Only for
  // programs that take a number of iterations (CollectionPlace::takes_iterations).
  bool by_clock = false;
};

struct Collection {
  ShimReport report;
  CallgrindPart part;            // without the preload library's own functions
  std::int64_t repetitions = 0;  // that the program reported; 0 where it was not asked
  // Why nothing was collected though the program ran: there is nothing in it that could be wrapped. Absent: it was.
  std::optional<Error> nothing_wrapped;
  std::string openblas_core;  // whose kernels OpenBLAS chose; empty where the program has no OpenBLAS
  CountedInputs inputs;       // where they were traced
  std::int64_t started_at_unix_ns = 0;
  std::int64_t duration_ns = 0;

  std::int64_t instructions() const { return part.totals.empty() ? 0 : part.totals.front(); }
};

// What makes a program do one benchmark so often, and write how often it did.
struct WorkRequest {
  std::string benchmark;
  std::string min_time = "0";  // --benchmark_min_time: "100x" where the program takes that
  int repetitions = 1;
};
std::vector<std::string> arguments_with_results(const CollectionFiles& files, const WorkRequest& work);

// What the results of a program say that was made; `log` is what it wrote to stderr. Error (program): there are none,
// or the benchmark failed or skipped itself.
struct ReportedWork {
  std::int64_t iterations = 0;  // of all repetitions together
  std::int64_t repetitions = 0;
};
Result<ReportedWork> read_work(const CollectionFiles& files, const std::string& log);

// What one process under Callgrind is to do beyond what all of them do.
struct CallgrindCall {
  std::vector<std::string> options;            // of Callgrind: when to collect
  std::vector<std::string> program_arguments;  // after the user's own
  CountingEnvironment environment;
};
// Error (budget): the place's deadline is past.
Result<ChildCommand> callgrind_command(const CollectionPlace& place, const CollectionFiles& files,
                                       const CallgrindCall& call);

// Error (program): nothing was collected; `found` says why and `fix` what to do. Cancellation is one too; the caller
// knows that it cancelled. Files of its own are removed.
Result<Collection> collect(const CollectionPlace& place, const CollectionRequest& request);

// Why a program that was run under Callgrind did not come to a good end, in words for the benchmark's row.

// `log` is Valgrind's (--log-file), `valgrind_version` "valgrind-3.19.0". Error (program): `found` and `fix`. An
// instruction that Valgrind does not know is named by its bytes and the function it is in.
Error explain_end(const ChildResult& child, std::string_view log, const std::string& valgrind_version);

// "62 f1 fd 48 6f 07 in scale_wide (scale.c:1)": the first instruction of the log that Valgrind could not translate,
// with what follows it, and where it is; empty where the log has none.
std::string unknown_instruction(std::string_view log);

}  // namespace steelyard::bench

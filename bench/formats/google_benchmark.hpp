// Reads the JSON that Google Benchmark writes (1.5 to 1.9): raw repetitions, never its aggregates beside them. One file
// is one invocation.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/model/run.hpp"

namespace steelyard::bench {

// A record of the file that could not be used, and why ("benchmarks[3].real_time: found NaN, wanted a finite number").
struct BadRecord {
  std::string where;
  std::string why;
  BenchmarkId benchmark{};  // name empty: it cannot be told, or the record is of none
  std::string metric{};     // empty: all of the benchmark's
};

// Where files become runs, each bad record becomes a Failure (FailureKind::bad_record), so that archives keep it and
// what it spoils is neither new nor unchanged. A benchmark that left itself out ("f8 needs compute capability 8.9, this
// device has 8.0") yields nothing: FailureKind::skipped, or reported_error where the library calls it an error.

// What one file holds, metric by metric. Times in ns whatever time_unit says. User counters become metrics of
// undeclared direction; items_per_second and bytes_per_second are "higher". Every Measurement has one
// InvocationSamples, index 0.
struct GoogleBenchmarkFile {
  // From its context: names under "google.", host facts decisive where known; and those of its device, "gpu.", which
  // is then the device of every benchmark.
  Environment environment;
  std::int64_t taken_at_unix_ns = 0;  // context.date; 0 where absent
  std::optional<Layout> layout;       // context.steelyard_layout
  std::optional<int> round;           // context.steelyard_round
  std::optional<int> order;           // context.steelyard_order: 0 this file's process ran first in its round, 1 second
  // context.steelyard_allocation_key, which steelyard::bench_main writes: the conditions under which its counts of
  // allocations hold. With it they are counted metrics, else noisy ones like every number of an unknown origin.
  std::string allocation_key;
  std::optional<bool> baseline_first;  // the same, written for both sides at once: "AB" or "BA"
  std::vector<Measurement> measurements;
  // What programs say of a benchmark in words (State::SetLabel), such as the hash of its input or its target; verbatim,
  // by canonical name, the first of each.
  std::map<std::string, std::string> labels;
  std::vector<Failure> failures;       // error_occurred, skipped
  std::vector<BadRecord> bad_records;  // the rest of the file was read
  std::optional<Error> damage;         // where what is readable was asked for: behind these records the file is none
  // By name as the program lists it: of these only the mean of the repetitions could be had (PassLog), and is the one
  // sample.
  std::vector<std::string> only_aggregates;
};

// What a program wrote to stderr, of which its passes are read where it was told to log them (repetition_log.hpp).
struct PassLog {
  std::string_view text;
};

// `name` is for messages. `log`: of the process that wrote it, where it was ours. With it, a benchmark of which the
// file has only aggregates yields its repetitions as they were logged, or else the mean as one sample of this process;
// without it such a benchmark is a bad record, for what is read of strangers' files is raw. Error (input): not JSON
// (with the offset), not a Google Benchmark file, nothing but aggregates and no log, above 256 MiB.
Result<GoogleBenchmarkFile> parse_google_benchmark(std::string_view json, std::string_view name,
                                                   std::optional<PassLog> log = std::nullopt);
// The same of a file of up to 4 GiB, of which one record at a time is held.
// `keeps_readable`: of a damaged one the records before the damage.
Result<GoogleBenchmarkFile> read_google_benchmark(const std::filesystem::path& path, bool keeps_readable = false);

// Whether a member of a record is a field of Google Benchmark's own, of whatever version, and so no counter's name.
bool is_google_benchmark_field(std::string_view name);

// From the first to the last moment at which a process of a side began.
struct SideTimes {
  std::int64_t first_unix_ns = 0;
  std::int64_t last_unix_ns = 0;
};
// How two sides lie in time that do not say it themselves: disjoint and more than an hour apart separate, else
// sequential. Where that is not known, as of files without a date, a warning that ends in `advice`.
Layout layout_by_dates(const std::optional<SideTimes>& one, const std::optional<SideTimes>& other,
                       std::string_view advice, std::vector<std::string>& warnings);

// Two sides as `compare` takes them. Each path is a file, or a folder with one file per invocation. Files of the same
// name in two folders are one round and are paired. Layout: the context keys, else the dates (disjoint in time:
// sequential; more than an hour apart: separate), else sequential.
struct LoadedPair {
  Run baseline;
  Run candidate;
  std::vector<std::string> warnings;  // "one invocation a side", "taken as one machine", bad records
  std::int64_t bad_records = 0;       // of both sides, each a Failure of its run; a gate with one does not pass
};
Result<LoadedPair> load_google_benchmark_pair(const std::filesystem::path& baseline,
                                              const std::filesystem::path& candidate);

// One side alone, as `import` takes it: a file or a folder. Bad records are failures of the run, and warnings.
Result<Run> load_google_benchmark(const std::filesystem::path& path, std::vector<std::string>& warnings);
struct ImportReading;  // import_document.hpp
Result<Run> load_google_benchmark(const std::filesystem::path& path, ImportReading& reading);

}  // namespace steelyard::bench

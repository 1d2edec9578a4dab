// Makes a run of what another tool wrote: names and units as the rest of Steelyard has them, and one place that refuses
// what cannot be kept (a time below zero, NaN, a benchmark that stands there twice). Internal to bench/formats.
//
//     ImportedRun imported("jmh", path, reading);
//     const auto process = imported.add_process();
//     imported.add({"[0].primaryMetric", id, time_metric(), process, {812.5, 815.0}});
//     return imported.finish("results of JMH");
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "bench/formats/import_document.hpp"
#include "bench/model/result.hpp"
#include "bench/model/run.hpp"

namespace steelyard::bench {

// A unit as tools write it, in base units: "us" is 1000 "ns", "ops/ms" 1000 "1/s", "KiB" 1024 "bytes", "ns/op" 1 "ns".
struct UnitScale {
  std::string unit;
  double factor = 1;  // of a value in that unit to one in base units
  Better better = Better::undeclared;
  bool is_known = true;  // else `unit` is the tool's own word
};
UnitScale scale_of(std::string_view unit);

Metric time_metric();  // real_time
// A metric of a tool's own name. A name that every layer knows has its unit and direction, yet is noisy: a plain file
// does not say under what conditions a count holds.
Metric metric_named(std::string_view name, const UnitScale& scale);

// A benchmark whose name stays whole, slashes and all, with the parameters that can stand behind a name; the others are
// part of the name: "tests/test_sort.py::test_sort/n:1000".
BenchmarkId benchmark_named(std::string name, const std::vector<Parameter>& parameters = {});

// How much of it there is.
struct RunSize {
  std::size_t samples = 0;
  std::size_t measurements = 0;
  std::size_t processes = 0;
};
// Error (input): more than a run may have; it says of what, and how to go on.
Result<void> check_size(const RunSize& size, const std::filesystem::path& path);

// The setting of a run of whose benchmarks some have an aggregate and no samples: how many.
inline constexpr const char* kImportedAggregatesSetting = "imported_aggregates";

class ImportedRun {
 public:
  ImportedRun(std::string_view tool, const std::filesystem::path& path, ImportReading& reading);
  ImportedRun(const ImportedRun&) = delete;
  ImportedRun& operator=(const ImportedRun&) = delete;

  Run& run() { return run_; }
  // A file beside its own that says what the results mean: its damages are of this run, too.
  void described_by(std::filesystem::path file) { described_by_ = std::move(file); }
  // A process of the measured program, in the order of time. `started`: 0 where the tool does not say.
  std::uint32_t add_process(std::int64_t started_at_unix_ns = 0);

  struct Samples {
    std::string where;  // in the file: "benchmarks[3].stats.data"
    BenchmarkId benchmark;
    Metric metric;
    std::uint32_t process = 0;
    std::vector<double> values;  // per iteration, in the metric's unit
    std::vector<std::int64_t> iterations = {};
    bool may_continue = false;  // more samples of the same process may follow, as where each stands in a line
    bool may_be_zero = false;   // a time that something took part of, and at times none: of a garbage collector
  };
  // False: a bad record, which is kept as a failure.
  bool add(Samples samples);
  // The one number that a tool kept of many: said of the run, since nothing can be judged by it alone.
  bool add_aggregate(Samples samples);
  void bad(const std::string& where, const std::string& why, const BenchmarkId& benchmark = {},
           std::string_view metric = {});
  // unix_ns_of(); a bad record where something else stands there. `where`: of the record in the file, empty: it is all
  // of it.
  std::int64_t date_of(const JsonValue& record, std::string_view path, const std::string& where);
  void skipped(const BenchmarkId& benchmark, const std::string& why);
  void failed(const BenchmarkId& benchmark, const std::string& why);
  // A fact of the machine: those that are decisive make two runs comparable or not. Nothing where it is empty.
  void fact(const std::string& name, const std::string& value, bool decisive = false);

  bool is_empty() const { return run_.measurements.empty() && run_.failures.empty(); }
  // It has bad records and nothing else.
  bool is_all_bad() const;
  // What the reading found damaged of its file, or of files in its folder, is a failure of the run that says how much
  // is kept. Error (input): nothing was found or nothing that can be used ("results of JMH" were wanted), or too much.
  Result<Run> finish(std::string_view wanted, std::string_view fix = "");

 private:
  bool is_storable(const Samples& samples);
  void add_failure(const BenchmarkId& benchmark, const std::string& why, FailureKind kind);

  std::filesystem::path path_;
  std::filesystem::path described_by_;
  // Where in its file, or in its folder; absent: the damage is of another.
  std::optional<std::string> place_of(const Error& damage) const;
  const Error* damage_of_it() const;  // null: its file is whole
  void tell_damages();

  ImportReading& reading_;
  Run run_;
  std::unordered_map<std::string, std::size_t> measurement_by_name_;  // canonical name and metric
  std::unordered_set<std::string> aggregates_;                        // canonical names
  std::size_t samples_ = 0;
  std::size_t bad_records_ = 0;
  std::optional<RunSize> beyond_;  // what it would have with what did not fit
};

// Files of a folder beside those that are read. Hidden ones are nobody's results.
bool is_hidden_file(const std::filesystem::path& file);
bool ends_in(const std::filesystem::path& file, std::string_view ending);  // in capitals or not
struct PassedOver {
  std::size_t files = 0;
  std::string first;  // by name
  void add(const std::filesystem::path& file);
  // A warning, where there are any. `ending`: of those that are read.
  void tell(const std::filesystem::path& folder, std::string_view ending, std::vector<std::string>& warnings) const;
};

// What the files of one folder say of their machine. Facts that vary from process to process are kept as the first file
// has them; decisive ones with all their values ("8 and 16"), so that files of two machines in one folder are seen.
Environment merged_environment(const std::vector<const Environment*>& of_files);

// The numbers of a list, each times `factor`; empty where it is none, or `flaw` says which one is no number.
std::vector<double> numbers_at(const JsonValue& record, std::string_view path, double factor, std::string& flaw);

// The text of a member that is the hash of a commit; empty where it is another word ("unversioned").
std::string hash_at(const JsonValue& record, std::string_view path);

// ISO 8601, or seconds or milliseconds since 1970 as a number; 0 where it is neither.
std::int64_t unix_ns_of(const JsonValue& record, std::string_view path);

}  // namespace steelyard::bench

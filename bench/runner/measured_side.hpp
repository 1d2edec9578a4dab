// One program made ready to be measured: copied into the private folder, with the command that runs one of its
// benchmarks alone, or a few of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bench/formats/google_benchmark.hpp"
#include "bench/model/left_processes.hpp"
#include "bench/model/run.hpp"
#include "bench/runner/benchmark_listing.hpp"
#include "bench/runner/child_process.hpp"
#include "bench/runner/cut_short.hpp"
#include "bench/runner/fresh_copy.hpp"
#include "bench/runner/program.hpp"
#include "bench/runner/sample_plan.hpp"

namespace steelyard::bench {

struct Attempt {
  ListedBenchmark benchmark;
  std::int32_t round = 0;
  std::int32_t slot = 0;
  InvocationConditions conditions = {};
};

// What a process left that ended well.
using ResultReader = std::function<Result<GoogleBenchmarkFile>(const ChildResult& child)>;

// What one side has yielded so far. Takes the end of each process, good or bad, and grows into a Run: samples grouped
// by invocation, and a Failure for everything that should have been measured and was not.
class SideRecord {
 public:
  // Reads what the process left, if it ended well. A cancelled process leaves no trace.
  void add(const Attempt& attempt, const Result<ChildResult>& child, const ResultReader& read);
  // Of a process that ended well and measured these benchmarks: one invocation of all of them.
  void take(const Attempt& attempt, const std::vector<ListedBenchmark>& benchmarks, const ChildResult& child,
            GoogleBenchmarkFile file);
  // A failure without a process of its own.
  void add_failure(const ListedBenchmark& benchmark, std::string reason, FailureKind kind = FailureKind::failed);
  // Of the program as a whole.
  void add_failure(const Program& program, std::string reason);
  // Of every benchmark without a sample: its time is not lacking on this side. What counting knows of it is another
  // question, so that the failure names its metric.
  void interrupted(const std::vector<ListedBenchmark>& benchmarks);

  // Tried three times and failed, or twice past its time limit: not worth another try.
  bool has_given_up(const std::string& benchmark) const;

  // By name as listed. Positions in the run of this benchmark's invocations, in the order they were taken.
  std::vector<std::uint32_t> invocations_of(const std::string& benchmark) const;
  const Invocation& invocation(std::uint32_t position) const { return run_.invocations[position]; }
  // Adds what is not known of it yet: benchmarks that shared the process each bring their own.
  void mark(std::uint32_t position, std::vector<std::string> disturbed_by);
  // Its samples are kept, and judged no more.
  void exclude(std::uint32_t position);
  // What counts of the benchmark, in the order taken; of programs that do not say their iterations nothing.
  // `repetitions`: that a process was asked for, each of which may have left several records
  // (docs/guide/bench_main.md).
  std::vector<SearchedProcess> searched(const ListedBenchmark& benchmark, int repetitions) const;

  // The device that the program says it used; empty: it says none, or has yielded nothing yet. Part of the identity of
  // its benchmarks, failures included, so that a side that yielded nothing has to be told the other's.
  const std::string& device() const { return device_; }
  void assume_device(const std::string& device) { device_ = device_.empty() ? device : device_; }

  // What the program's own output said of its environment, never decisive but for the facts of its device.
  const Environment& told() const { return reported_; }
  // What there is by now, to be looked at where it lies; header and environment are the caller's to fill in.
  Run& so_far();
  // Everything but the header; the environment is told().
  Run take();

  // Of processes that ended by themselves. `benchmarks`: that the process measured.
  void note_left(const std::vector<ListedBenchmark>& benchmarks, const ChildResult& child);
  LeftProcesses left_processes() const;

 private:
  bool take_one(const Attempt& attempt, bool alone, const ChildResult& child, GoogleBenchmarkFile& file);
  void fail(const Attempt& attempt, std::string reason, int weight, FailureKind kind = FailureKind::failed);
  BenchmarkId id_of(const ListedBenchmark& benchmark) const;
  void append(Measurement&& measurement, std::uint32_t invocation);
  void keep_facts(const Environment& environment);
  std::string device_change(const Environment& environment) const;

  std::string device_;
  Environment reported_;
  Run run_;
  std::map<std::pair<std::string, std::string>, std::size_t> measurement_at_;  // by canonical name and metric
  std::map<std::string, std::vector<std::uint32_t>> invocations_of_;           // by benchmark as the program lists it
  std::map<std::string, int> failure_weight_;
  std::map<std::string, std::pair<ListedBenchmark, LeftProcesses::Count>> left_;  // by name as listed; empty: shared
};

// What a process left that ended well. Error (program): no result file, or one that cannot be read, with the last line
// that the process wrote to stderr.
Result<GoogleBenchmarkFile> read_result(const ChildResult& child, const std::filesystem::path& output_file);

class MeasuredSide {
 public:
  // `other`: the program of the other side; null where there is none. `timeout`: of one process. Error (input): it is
  // gone since it was listed, or cannot be placed. Its trouble at being listed is a Failure of the record, unless it
  // was cancelled.
  static Result<MeasuredSide> prepare(Side side, const ListedProgram& program, const Program* other,
                                      Nanoseconds timeout, const std::atomic<bool>* cancelled,
                                      const PrivateFolder& folder);

  Side side() const { return side_; }
  const ProgramListing& listing() const { return listing_; }
  const std::vector<ListedBenchmark>& benchmarks() const { return listing_.benchmarks; }
  bool has(const ListedBenchmark& benchmark) const;
  // Every process measures all of its benchmarks: a command that measures itself.
  bool is_whole() const { return of_.command && of_.command->format != nullptr; }

  // One process that measures these benchmarks, at least one, and the place of its result. `padding`: bytes by which
  // its environment is made longer.
  ChildCommand command(const std::vector<ListedBenchmark>& benchmarks, const SampleSize& size, std::optional<int> core,
                       std::size_t padding = 0) const;
  // What the last process wrote. Error (program): nothing that can be used.
  Result<GoogleBenchmarkFile> read(const ChildResult& child) const;
  void add(const Attempt& attempt, const Result<ChildResult>& child);
  // Adds a process that measures all its benchmarks whatever it is asked, of which these are wanted.
  void add_whole(const Attempt& attempt, const std::vector<ListedBenchmark>& benchmarks,
                 const Result<ChildResult>& child);
  // Adds a process that measured several benchmarks, whose result was read.
  void add(const Attempt& attempt, const std::vector<ListedBenchmark>& benchmarks, const ChildResult& child,
           GoogleBenchmarkFile file);

  FreshCopy& copy() { return copy_; }
  const FreshCopy& copy() const { return copy_; }
  // Whether a process ended well and left a sample of anything.
  bool yielded(const Result<ChildResult>& child) const;
  // Whether a process left only aggregates of something, as its source asks for, and was not told to log: it is told so
  // from now on, and the process is to be run again. True once for each benchmark.
  bool wants_log(const Result<ChildResult>& child);
  // Whether a process that yielded nothing as a copy does so again, and yields where the program lies. A hang says
  // nothing. Tried once in a measurement.
  bool may_try_in_place(const Result<ChildResult>& failed) const;
  bool runs_only_in_place(ChildCommand command, const Result<ChildResult>& failed, const std::atomic<bool>* cancelled);
  SideRecord& record() { return record_; }
  const SideRecord& record() const { return record_; }

 private:
  MeasuredSide(Side side, const Program& program, FreshCopy copy) : side_(side), of_(program), copy_(std::move(copy)) {}
  void call_by_todays_names(GoogleBenchmarkFile& file) const;

  Side side_;
  Program of_;
  std::map<std::string, BenchmarkId> today_;  // of its own_benchmarks, by what its file calls them
  FreshCopy copy_;
  bool tried_in_place_ = false;
  std::set<std::string> logged_;  // names of benchmarks that are run with Google Benchmark's log
  ProgramListing listing_;
  ChildCommand command_;
  std::filesystem::path output_file_;
  SideRecord record_;
};

// "0.02": the shortest decimal that reads back the same.
std::string in_seconds_text(Nanoseconds duration);

}  // namespace steelyard::bench

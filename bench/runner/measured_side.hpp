// One program made ready to be measured: asked for its benchmarks, copied into the private folder, with the command
// that runs one of its benchmarks alone, or a few of them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/runner/benchmark_listing.hpp"
#include "bench/runner/child_process.hpp"
#include "bench/runner/fresh_copy.hpp"
#include "bench/runner/measure.hpp"
#include "bench/runner/private_folder.hpp"
#include "bench/runner/sample_plan.hpp"
#include "bench/runner/side_record.hpp"

namespace steelyard {

class MeasuredSide {
 public:
  // Runs the program to list its benchmarks, pinned to `core` where one is given. `other`: the program of the other
  // side; null where there is none. Error (input): as list_program, or it cannot be placed. A program that crashes or
  // hangs over it is a Failure of the record, and has no benchmarks.
  static Result<MeasuredSide> prepare(Side side, const Program& program, const Program* other,
                                      const MeasureOptions& options, std::optional<int> core,
                                      const PrivateFolder& folder);

  Side side() const { return side_; }
  const ProgramListing& listing() const { return listing_; }
  const std::optional<Error>& listing_error() const { return listing_error_; }
  bool has(const std::string& benchmark) const;

  // One process that measures these benchmarks, at least one, and the place of its result. `padding`: bytes by which
  // its environment is made longer.
  ChildCommand command(const std::vector<std::string>& benchmarks, const SampleSize& size, std::optional<int> core,
                       std::size_t padding = 0) const;
  // What the last process wrote. Error (program): nothing that can be used.
  Result<GoogleBenchmarkFile> read(const ChildResult& child) const;
  void add(const Attempt& attempt, const Result<ChildResult>& child);
  // The same of a process that measured several benchmarks, whose result was read.
  void add(const Attempt& attempt, const std::vector<std::string>& benchmarks, const ChildResult& child,
           GoogleBenchmarkFile file);

  FreshCopy& copy() { return copy_; }
  const FreshCopy& copy() const { return copy_; }
  // Whether a process ended well and left a sample of anything.
  bool yielded(const Result<ChildResult>& child) const;
  // Whether a process that yielded nothing as a copy does so again, and yields where the program lies. A hang says
  // nothing. Tried once in a measurement.
  bool runs_only_in_place(ChildCommand command, const Result<ChildResult>& failed, const std::atomic<bool>* cancelled);
  SideRecord& record() { return record_; }
  const SideRecord& record() const { return record_; }

 private:
  MeasuredSide(Side side, const Program& program, FreshCopy copy)
      : side_(side), program_(program.executable), copy_(std::move(copy)), record_(program.suite) {}

  Side side_;
  std::filesystem::path program_;  // where it lies
  FreshCopy copy_;
  bool tried_in_place_ = false;
  ProgramListing listing_;
  std::optional<Error> listing_error_;
  ChildCommand command_;
  std::filesystem::path output_file_;
  SideRecord record_;
};

// "0.02": the shortest decimal that reads back the same.
std::string in_seconds_text(Nanoseconds duration);

}  // namespace steelyard

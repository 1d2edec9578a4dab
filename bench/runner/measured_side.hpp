// One program made ready to be measured: copied into the private folder, with the command that runs one of its
// benchmarks alone, or a few of them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/runner/benchmark_listing.hpp"
#include "bench/runner/child_process.hpp"
#include "bench/runner/fresh_copy.hpp"
#include "bench/runner/private_folder.hpp"
#include "bench/runner/sample_plan.hpp"
#include "bench/runner/side_record.hpp"

namespace steelyard {

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

  // One process that measures these benchmarks, at least one, and the place of its result. `padding`: bytes by which
  // its environment is made longer.
  ChildCommand command(const std::vector<ListedBenchmark>& benchmarks, const SampleSize& size, std::optional<int> core,
                       std::size_t padding = 0) const;
  // What the last process wrote. Error (program): nothing that can be used.
  Result<GoogleBenchmarkFile> read(const ChildResult& child) const;
  void add(const Attempt& attempt, const Result<ChildResult>& child);
  // The same of a process that measured several benchmarks, whose result was read.
  void add(const Attempt& attempt, const std::vector<ListedBenchmark>& benchmarks, const ChildResult& child,
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
      : side_(side), program_(program.executable), copy_(std::move(copy)) {}

  Side side_;
  std::filesystem::path program_;  // where it lies
  FreshCopy copy_;
  bool tried_in_place_ = false;
  ProgramListing listing_;
  ChildCommand command_;
  std::filesystem::path output_file_;
  SideRecord record_;
};

// "0.02": the shortest decimal that reads back the same.
std::string in_seconds_text(Nanoseconds duration);

}  // namespace steelyard

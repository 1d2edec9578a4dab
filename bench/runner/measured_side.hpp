// One program made ready to be measured: asked for its benchmarks, linked into the private folder, with the command
// that runs one of its benchmarks alone.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "bench/runner/benchmark_listing.hpp"
#include "bench/runner/child_process.hpp"
#include "bench/runner/measure.hpp"
#include "bench/runner/private_folder.hpp"
#include "bench/runner/side_record.hpp"

namespace steelyard {

class MeasuredSide {
 public:
  // Runs the program to list its benchmarks, pinned to `core` where one is given. Error (input): as list_program, or it
  // cannot be linked. A program that crashes or hangs over it is a Failure of the record, and has no benchmarks.
  static Result<MeasuredSide> prepare(Side side, const Program& program, const MeasureOptions& options,
                                      std::optional<int> core, const PrivateFolder& folder);

  Side side() const { return side_; }
  const ProgramListing& listing() const { return listing_; }
  const std::optional<Error>& listing_error() const { return listing_error_; }
  bool has(const std::string& benchmark) const;

  // One process that measures this benchmark alone, and the place of its result. `padding`: bytes by which its
  // environment is made longer.
  ChildCommand command(const std::string& benchmark, std::optional<int> core, std::size_t padding = 0) const;
  void add(const Attempt& attempt, const Result<ChildResult>& child);
  SideRecord& record() { return record_; }
  const SideRecord& record() const { return record_; }

 private:
  MeasuredSide(Side side, const Program& program) : side_(side), record_(program.suite) {}

  Side side_;
  ProgramListing listing_;
  std::optional<Error> listing_error_;
  ChildCommand command_;
  std::filesystem::path output_file_;
  SideRecord record_;
};

// "0.02": the shortest decimal that reads back the same.
std::string in_seconds_text(Nanoseconds duration);

}  // namespace steelyard

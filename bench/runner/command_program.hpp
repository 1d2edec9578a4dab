// Commands that are no Google Benchmark programs. Without a format a command is one benchmark, measured from outside:
// wall time from the moment that it replaced ours to its end, CPU time of it and of what it waited for, and its peak
// memory. With a format it measures itself, and a reader of another tool's results (bench/formats) reads what each of
// its processes leaves: one process yields samples of all its benchmarks.
//
//     program.command = MeasuredCommand{.name = "sort"};
//     STEELYARD_TRY(const ListedProgram listed, list_benchmarks(program, settings));   // runs it
//
// An invocation of a short command is several of its processes, one after the other, each of them a sample: what one
// start takes, more than what it does, is what differs between them.
//
// Peak memory is the kernel's mark (getrusage(2)), which counts from what a process had before it was executed: that is
// a copy of ours. Below the mark of a process that does nothing it is not told.
//
// Not for counting: see bench/counting/command_count.hpp.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>

#include "bench/formats/google_benchmark.hpp"
#include "bench/model/result.hpp"
#include "bench/runner/benchmark_listing.hpp"
#include "bench/runner/child_process.hpp"
#include "bench/runner/program.hpp"
#include "bench/runner/settings.hpp"

namespace steelyard::bench {

// Processes that one invocation of a short command is, at most, and what they take together.
inline constexpr int kMaxProcesses = 32;
inline constexpr Nanoseconds kLongestInvocation = milliseconds(500);

// Runs it as often as it is to be warmed up, not pinned, to see whether it uses several cores, and a process that does
// nothing on `core`. Benchmarks have no suite. Precondition: program.command. Error (input): cannot be executed;
// (program): it fails, hangs, or leaves no results that its format knows.
Result<ProgramListing> list_command(const Program& program, std::optional<int> core, const MeasuringSettings& settings,
                                    const std::atomic<bool>* cancelled);

// Leaves those whose name matches, as Google Benchmark's programs choose by it: an extended regular expression, behind
// a "-" those that do not match; all of them where it is empty or "all". Error (input): it is none.
Result<void> keep_matching(const std::string& filter, std::vector<ListedBenchmark>& benchmarks);

// One invocation of it, whose results go to `output_file`.
ChildCommand invocation_of(const Program& program, const std::filesystem::path& output_file);

// What an invocation yielded that succeeded. Error (program): nothing that its format knows.
Result<GoogleBenchmarkFile> read_invocation(const Program& program, const ProgramListing& listing,
                                            const ChildResult& child, const std::filesystem::path& output_file);

}  // namespace steelyard::bench

// A benchmark program as it is to be run, and a benchmark as it lists it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/model/benchmark_id.hpp"
#include "bench/runner/confinement.hpp"

namespace steelyard::bench {

// The same code linked in another order; by which seed, is kept with the result.
struct LinkedLayout {
  std::uint64_t seed = 0;
  std::filesystem::path executable;
};

struct ImportFormat;  // bench/formats/import_formats.hpp

// How a program is measured that is not Google Benchmark's: from outside, a process at a time, or by what it writes.
struct MeasuredCommand {
  std::string name;                      // of its one benchmark, where it is measured from outside
  const ImportFormat* format = nullptr;  // reads what a process of it leaves; null: the process itself is measured
  std::string prepare;                   // line for /bin/sh, run before each process and not timed; empty: nothing
  int warmup = 1;                        // processes before the first that is measured; at least 1, which shows it runs
  bool ignore_failure = false;           // one that exits with another status than 0 is measured as well
};
// Stands in its arguments for the path of the file that its results are to go to; without it they are its output.
inline constexpr std::string_view kOutputMark = "{output}";

// Made where a program is listed, and handed on from there: no name is taken apart twice.
struct ListedBenchmark {
  BenchmarkId id;                   // with the program's suite, without a device
  std::string name;                 // as the program lists it, for its filter
  bool uses_several_cores = false;  // as was seen of a command: nobody lists its threads
  bool has_several_threads() const { return uses_several_cores || id.threads.value_or(1) > 1; }
  bool operator==(const ListedBenchmark&) const = default;
};

struct Program {
  std::filesystem::path executable;
  std::vector<std::string> arguments;              // the user's own, e.g. --benchmark_filter=X
  std::filesystem::path working_directory;         // empty: the current one
  std::map<std::string, std::string> environment;  // beyond the allow-list
  std::string suite;                               // becomes BenchmarkId::suite
  std::vector<LinkedLayout> layouts = {};          // that rounds draw from; empty: the executable as it was built
  SharedConfinement confinement = {};              // what its processes do not see; null: they see everything
  std::optional<MeasuredCommand> command = {};     // absent: a Google Benchmark program
  // Of benchmarks that its project calls otherwise by now: by today's name as listed, what the program itself lists.
  std::map<std::string, ListedBenchmark> own_benchmarks = {};

  // What its filter knows a listed benchmark by.
  const std::string& own_name(const std::string& name) const {
    const auto renamed = own_benchmarks.find(name);
    return renamed == own_benchmarks.end() ? name : renamed->second.name;
  }
};

// What a failure of all of the program is told of: its suite and no name, or the one benchmark that a command is.
inline BenchmarkId whole_of(const Program& program) {
  BenchmarkId id;
  id.suite = program.suite;
  if (program.command && program.command->format == nullptr) id.name = program.command->name;
  return id;
}

inline ListedBenchmark listed_benchmark(std::string name, const std::string& suite) {
  ListedBenchmark listed{parse_google_benchmark_name(name), std::move(name)};
  listed.id.suite = suite;
  return listed;
}

}  // namespace steelyard::bench

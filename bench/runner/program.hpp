// A benchmark program as it is to be run, and a benchmark as it lists it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
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

struct Program {
  std::filesystem::path executable;
  std::vector<std::string> arguments;              // the user's own, e.g. --benchmark_filter=X
  std::filesystem::path working_directory;         // empty: the current one
  std::map<std::string, std::string> environment;  // beyond the allow-list
  std::string suite;                               // becomes BenchmarkId::suite
  std::vector<LinkedLayout> layouts = {};          // that rounds draw from; empty: the executable as it was built
  SharedConfinement confinement = {};              // what its processes do not see; null: they see everything
};

// Made where a program is listed, and handed on from there: no name is taken apart twice.
struct ListedBenchmark {
  BenchmarkId id;    // with the program's suite, without a device
  std::string name;  // as the program lists it, for its filter
  bool has_several_threads() const { return id.threads.value_or(1) > 1; }
  bool operator==(const ListedBenchmark&) const = default;
};

inline ListedBenchmark listed_benchmark(std::string name, const std::string& suite) {
  ListedBenchmark listed{parse_google_benchmark_name(name), std::move(name)};
  listed.id.suite = suite;
  return listed;
}

}  // namespace steelyard::bench

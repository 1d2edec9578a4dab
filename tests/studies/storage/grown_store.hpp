// What the store that `generate` fills looks like, for it and for the programs and tests that ask it.
#pragma once

#include <cstdint>
#include <string>

#include "bench/model/benchmark_id.hpp"

namespace steelyard::storage_study {

inline constexpr const char* kProject = "grown";
inline constexpr const char* kMachine = "the first machine";  // fact cpu.model
inline constexpr const char* kOtherMachine = "the second machine";
inline constexpr int kMainCommits = 10'000;     // one run each on the first machine
inline constexpr int kComparedResults = 3'500;  // of each of the newest runs
inline constexpr std::int64_t kFirstCommitUnixS = 1'700'000'000;

struct GrownStore {
  std::uint64_t seed = 1;
  int main_commits = kMainCommits;
  int compared_runs = 102;  // newest of main
  int results = 0;          // of each other run
};
// With about so many measurements: at least 500,000, and five for each commit.
GrownStore grown_store(std::int64_t measurements, std::uint64_t seed, int main_commits = kMainCommits);
// A grown store with fewer commits, for tests: `commits` of main, the newest `compared` of them with kComparedResults.
GrownStore small_store(int commits, int compared, int results);

BenchmarkId benchmark_number(int number);  // "BM_sort/size:1024/draw:3", ...
std::string commit_number(int number);     // of main, from 1: full hash

// Commits, their parents and all runs, with payloads at generator.payloads and the two machines' first runs there.
std::string runs_script(const GrownStore& shape);
int partitions(const GrownStore& shape);  // of steelyard.measurements that the runs are in, two at least
// All measurements of the runs in one of them, which is replaced.
std::string partition_script(const GrownStore& shape, int partition);

}  // namespace steelyard::storage_study

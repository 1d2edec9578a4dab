// Recorded noise: what tests/studies/noise/record_noise.py wrote of one unchanged program, process by process. The
// scores of the judgement are taken on it. A recording is a folder with one file for each benchmark; nothing in it may
// be missing: a score over fewer rounds or benchmarks than one thinks is worth nothing.
//
//     STEELYARD_TRY(const Recording recording, read_recording("tests/statistics/noise/interleaved"));
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/model/run.hpp"

namespace steelyard::judging {

struct RecordedProcess {
  int core = -1;
  double started_unix_s = 0;
  std::vector<double> values;  // real_time in ns, in the order in which they were taken
};
using RecordedRound = std::array<RecordedProcess, 2>;  // by slot

struct RecordedBenchmark {
  std::string name;
  std::vector<RecordedRound> rounds;
};

struct Recording {
  std::string name;  // of its folder
  Layout layout = Layout::interleaved;
  std::vector<RecordedBenchmark> benchmarks;  // by name; all with the same number of rounds
  int rounds() const { return benchmarks.empty() ? 0 : static_cast<int>(benchmarks.front().rounds.size()); }
};

// Every *.txt of the folder. An error names the file and the line: a round that lacks a process, a value that is no
// positive number, benchmarks of unequal length, a folder without files.
Result<Recording> read_recording(const std::filesystem::path& folder);

}  // namespace steelyard::judging

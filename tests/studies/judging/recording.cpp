#include "tests/studies/judging/recording.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>

namespace steelyard::judging {
namespace {

namespace fs = std::filesystem;

// What stands after `word` in the first line, up to a comma.
std::string header_field(const std::string& line, const std::string& word) {
  const std::size_t at = line.find(word);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + word.size();
  return line.substr(begin, line.find(',', begin) - begin);
}

struct ProcessLine {
  int round = 0;
  int slot = 0;
  RecordedProcess process;
};

std::optional<ProcessLine> parse_line(const std::string& text) {
  std::istringstream line(text);
  ProcessLine parsed;
  std::string side;
  line >> parsed.round >> side >> parsed.slot >> parsed.process.core >> parsed.process.started_unix_s;
  if (!line || (side != "a" && side != "b") || parsed.slot < 0 || parsed.slot > 1) return std::nullopt;
  double value = 0;
  while (line >> value) {
    if (!std::isfinite(value) || value <= 0) return std::nullopt;
    parsed.process.values.push_back(value);
  }
  if (!line.eof() || parsed.process.values.empty()) return std::nullopt;
  return parsed;
}

Result<RecordedBenchmark> read_benchmark(const fs::path& path, Layout& layout) {
  std::ifstream file(path);
  std::string text;
  std::getline(file, text);
  RecordedBenchmark benchmark;
  benchmark.name = header_field(text, "benchmark ");
  const auto parsed_layout = parse_layout(header_field(text, "layout "));
  if (!text.starts_with("# noise 1,") || benchmark.name.empty() || !parsed_layout) {
    return input_error(path.string() + ":1", '"' + text + '"', "\"# noise 1, benchmark NAME, layout LAYOUT, ...\"");
  }
  layout = *parsed_layout;
  for (int number = 2; std::getline(file, text); ++number) {
    auto line = parse_line(text);
    // Both slots of a round stand next to each other, and the rounds in order.
    const int expected_round = (number - 2) / 2;
    const int expected_slot = (number - 2) % 2;
    if (!line || line->round != expected_round || line->slot != expected_slot) {
      return input_error(path.string() + ':' + std::to_string(number), '"' + text.substr(0, 60) + '"',
                         "round " + std::to_string(expected_round) + ", slot " + std::to_string(expected_slot) +
                             ": round side slot core started_unix_s values above 0");
    }
    if (line->slot == 0) benchmark.rounds.emplace_back();
    benchmark.rounds.back()[static_cast<std::size_t>(line->slot)] = std::move(line->process);
  }
  if (benchmark.rounds.empty() || benchmark.rounds.back()[1].values.empty()) {
    return input_error(path.string(), "a last round without its second process", "whole rounds");
  }
  return benchmark;
}

}  // namespace

Result<Recording> read_recording(const fs::path& folder) {
  std::error_code failed;
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    if (entry.path().extension() == ".txt") paths.push_back(entry.path());
  }
  if (paths.empty()) {
    return input_error(folder.string(), failed ? failed.message() : "no *.txt file", "a recording of noise",
                       "record one with tests/studies/noise/record_noise.py");
  }
  std::sort(paths.begin(), paths.end());
  Recording recording;
  recording.name = folder.filename().string();
  for (const fs::path& path : paths) {
    Layout layout = Layout::interleaved;
    STEELYARD_TRY(RecordedBenchmark benchmark, read_benchmark(path, layout));
    const bool is_first = recording.benchmarks.empty();
    if (is_first) recording.layout = layout;
    if (layout != recording.layout) return input_error(path.string(), "another layout than the files before it has");
    if (!is_first && benchmark.rounds.size() != recording.benchmarks.front().rounds.size()) {
      return input_error(path.string(), std::to_string(benchmark.rounds.size()) + " rounds",
                         std::to_string(recording.rounds()) + " as the files before it have");
    }
    recording.benchmarks.push_back(std::move(benchmark));
  }
  std::sort(recording.benchmarks.begin(), recording.benchmarks.end(),
            [](const RecordedBenchmark& a, const RecordedBenchmark& b) { return a.name < b.name; });
  return recording;
}

}  // namespace steelyard::judging

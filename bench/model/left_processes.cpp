#include "bench/model/left_processes.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "bench/model/parse_number.hpp"

namespace steelyard {
namespace {

constexpr std::string_view kBuild = "build";
constexpr std::string_view kBenchmark = "benchmark";
constexpr std::int64_t kMax = 1'000'000'000;  // far above what a machine can have; keeps sums in range

std::string_view take_word(std::string_view& text) {
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(std::min(text.size(), word.size() + 1));
  return word;
}

std::optional<std::int64_t> take_number(std::string_view& text) {
  const std::string_view word = take_word(text);
  const auto number = parse_as<std::int64_t>(word);
  return number && *number >= 0 && *number <= kMax ? number : std::nullopt;
}

void read_line(std::string_view line, LeftProcesses& left) {
  const std::string_view whose = take_word(line);
  const std::optional<std::int64_t> ended = take_number(line);
  const std::optional<std::int64_t> running = take_number(line);
  if (!ended || !running) return;
  if (whose == kBuild) left.build += {*ended, *running};
  if (whose == kBenchmark) left.benchmarks[std::string(line)] += {*ended, *running};
}

void write_line(std::string_view whose, const LeftProcesses::Count& count, std::string_view name, std::string& text) {
  if (!count.any()) return;
  if (!text.empty()) text += '\n';
  text.append(whose).append(" ").append(std::to_string(count.ended)).append(" ").append(std::to_string(count.running));
  if (!name.empty()) text.append(" ").append(name);
}

}  // namespace

LeftProcesses::Count& LeftProcesses::Count::operator+=(const Count& other) {
  ended = std::min(ended + other.ended, kMax);
  running = std::min(running + other.running, kMax);
  return *this;
}

LeftProcesses::Count LeftProcesses::all() const {
  Count sum = build;
  for (const auto& [benchmark, count] : benchmarks) sum += count;
  return sum;
}

bool LeftProcesses::any() const { return all().any(); }

void keep_left_processes(const LeftProcesses& left, std::map<std::string, std::string>& settings) {
  LeftProcesses sum = left_processes_of(settings);
  sum.build += left.build;
  for (const auto& [benchmark, count] : left.benchmarks) sum.benchmarks[benchmark] += count;
  std::string text;
  write_line(kBuild, sum.build, "", text);
  for (const auto& [benchmark, count] : sum.benchmarks) write_line(kBenchmark, count, benchmark, text);
  if (!text.empty()) settings[kLeftProcessesSetting] = std::move(text);
}

LeftProcesses left_processes_of(const std::map<std::string, std::string>& settings) {
  LeftProcesses left;
  const auto setting = settings.find(kLeftProcessesSetting);
  if (setting == settings.end()) return left;
  for (std::string_view rest = setting->second; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    read_line(line, left);
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  return left;
}

}  // namespace steelyard

#include "bench/environment/program_switches.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace steelyard {
namespace {

using Counts = std::map<std::string, std::int64_t>;

constexpr std::size_t kMostNamed = 4;

std::vector<std::pair<std::string, std::int64_t>> by_falling_count(const Counts& counts) {
  std::vector<std::pair<std::string, std::int64_t>> rows(counts.begin(), counts.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return rows;
}

std::string others_text(std::size_t others, std::string_view noun) {
  if (others == 0) return "";
  return " (and " + std::to_string(others) + " other " + std::string(noun) + (others > 1 ? "s" : "") + ")";
}

// The last -O of the line holds. A line that records switches and has none is not optimized: that is the compilers'
// default.
std::string optimization_of(std::string_view switches) {
  std::string found = "-O0";
  while (!switches.empty()) {
    const std::size_t end = std::min(switches.find(' '), switches.size());
    const std::string_view word = switches.substr(0, end);
    if (word.starts_with("-O")) found = word == "-O" ? "-O1" : std::string(word);
    switches.remove_prefix(std::min(end + 1, switches.size()));
  }
  return found;
}

// Clang records the whole line: names of files, which differ from unit to unit, and what decides where output goes.
std::string without_files(std::string_view line) {
  std::string kept;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    bool dropped = !word.starts_with('-');
    for (const std::string_view name : {"-o", "-c", "-MD", "-MMD", "-MT", "-MF", "-I", "-isystem", "-include"}) {
      dropped = dropped || word == name;
    }
    dropped = dropped || word.starts_with("--driver-mode") || word.starts_with("-I") || word == "-grecord-command-line";
    if (!dropped) kept.append(kept.empty() ? "" : " ").append(word);
  }
  return kept;
}

}  // namespace

ProducedBy parse_producer(std::string_view producer) {
  ProducedBy produced;
  // GCC: "GNU C++17 12.2.0 -mtune=generic -O2"; Clang with recorded command line: "clang version 14 /usr/bin/clang
  // -O2".
  const std::size_t dash = producer.find(" -");
  const std::string_view compiler = producer.substr(0, dash);
  produced.compiler = std::string(compiler.substr(0, compiler.find(" /")));
  if (dash != std::string_view::npos) {
    const std::string_view line = producer.substr(dash + 1);
    produced.switches = compiler.find("clang") == std::string_view::npos ? std::string(line) : without_files(line);
  }
  produced.is_assembly = producer.starts_with("GNU AS");
  return produced;
}

ProgramSwitches summarize_producers(const std::map<std::string, std::int64_t>& producers) {
  Counts compilers;
  Counts switches;
  Counts optimizations;
  ProgramSwitches summary;
  for (const auto& [text, units] : producers) {
    const ProducedBy produced = parse_producer(text);
    if (produced.is_assembly) continue;
    compilers[produced.compiler] += units;
    if (produced.switches.empty()) continue;
    switches[produced.switches] += units;
    const std::string optimization = optimization_of(produced.switches);
    optimizations[optimization] += units;
    summary.units += units;
    if (optimization == "-O0") summary.unoptimized_units += units;
  }
  const auto named = by_falling_count(compilers);
  for (std::size_t i = 0; i < named.size() && i < kMostNamed; ++i) {
    summary.compiler += (i == 0 ? "" : " + ") + named[i].first;
  }
  if (named.size() > kMostNamed) summary.compiler += others_text(named.size() - kMostNamed, "compiler");
  if (!switches.empty()) {
    summary.switches = by_falling_count(switches).front().first + others_text(switches.size() - 1, "set");
  }
  if (optimizations.size() == 1) summary.optimization = optimizations.begin()->first;
  if (optimizations.size() > 1) {
    for (const auto& [level, units] : optimizations) {
      const bool first = summary.optimization.empty();
      summary.optimization += (first ? "" : ", ") + level + " in " + std::to_string(units) +
                              (first ? " of " + std::to_string(summary.units) + " units" : "");
    }
  }
  return summary;
}

}  // namespace steelyard

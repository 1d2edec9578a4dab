#include "ci/measuring/count_plan.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "bench/runner/round_plan.hpp"

namespace steelyard {
namespace {

const std::vector<ListedBenchmark>& benchmarks_of(const CountSide& side) {
  static const std::vector<ListedBenchmark> none;
  return side.program == nullptr ? none : side.program->benchmarks();
}

bool has(const CountSide& side, const ListedBenchmark& benchmark) {
  const std::vector<ListedBenchmark>& own = benchmarks_of(side);
  return std::any_of(own.begin(), own.end(), [&](const ListedBenchmark& one) { return one.name == benchmark.name; });
}

std::optional<LoadedProgram> loaded_of(const CountSide& side, const std::atomic<bool>* cancelled) {
  if (benchmarks_of(side).empty()) return std::nullopt;
  Result<LoadedProgram> loaded = read_loaded_program(side.program->program, cancelled);
  if (!loaded) return std::nullopt;
  return std::move(loaded).value();
}

// The first 64 bits of a hash.
std::uint64_t bits_of(const std::string& sha256) {
  constexpr std::size_t kDigits = 16;
  std::uint64_t bits = 0;
  std::from_chars(sha256.data(), sha256.data() + std::min(kDigits, sha256.size()), bits, 16);
  return bits;
}

}  // namespace

CountPlan::CountPlan(const std::vector<CountPair>& pairs, std::uint64_t seed, const std::atomic<bool>* cancelled) {
  struct Item {
    std::size_t pair;
    const ListedBenchmark* benchmark;
  };
  std::vector<Item> items;
  loaded_.reserve(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto& [baseline, candidate] = pairs[i];
    LoadedPair loaded{loaded_of(baseline, cancelled), loaded_of(candidate, cancelled), false};
    loaded.equal = loaded.baseline && loaded.candidate && loaded.baseline->sha256 == loaded.candidate->sha256 &&
                   baseline.program->program.arguments == candidate.program->program.arguments &&
                   baseline.program->program.environment == candidate.program->program.environment;
    if (loaded.candidate) seed ^= bits_of(loaded.candidate->sha256);
    loaded_.push_back(std::move(loaded));
    for (const ListedBenchmark& benchmark : benchmarks_of(baseline)) items.push_back({i, &benchmark});
    for (const ListedBenchmark& benchmark : benchmarks_of(candidate)) {
      if (!has(baseline, benchmark)) items.push_back({i, &benchmark});
    }
  }
  for (const std::size_t i : shuffled_order(items.size(), seed, 0)) {
    const CountPair& pair = pairs[items[i].pair];
    const LoadedPair& loaded = loaded_[items[i].pair];
    BenchmarkCounts counts;
    counts.benchmark = *items[i].benchmark;
    if (has(pair.baseline, counts.benchmark)) {
      counts.baseline.side = &pair.baseline;
      counts.baseline.loaded = loaded.baseline ? &*loaded.baseline : nullptr;
    }
    if (has(pair.candidate, counts.benchmark)) {
      counts.candidate.side = &pair.candidate;
      counts.candidate.loaded = loaded.candidate ? &*loaded.candidate : nullptr;
    }
    counts.equal_programs = loaded.equal && counts.baseline.side != nullptr && counts.candidate.side != nullptr;
    benchmarks_.push_back(std::move(counts));
  }
}

std::string proof_of_equality(const BenchmarkCounts& counts) {
  if (!counts.equal_programs) return "";
  const SideCount& baseline = counts.baseline;
  const auto of_baseline = hash_inputs(baseline.inputs, baseline.side->program->program, *baseline.loaded);
  const auto of_candidate =
      hash_inputs(baseline.inputs, counts.candidate.side->program->program, *counts.candidate.loaded);
  if (!of_baseline || !of_candidate || *of_baseline != *of_candidate) return "";
  constexpr std::size_t kShownDigits = 12;
  std::string proof = "every loaded section of program and libraries is equal";
  const auto files = std::count_if(of_baseline->begin(), of_baseline->end(),
                                   [](const auto& file) { return file.second != kAbsentFile; });
  if (files == 1) proof += ", and so is the file it reads";
  if (files > 1) proof += ", and so are the " + std::to_string(files) + " files it reads";
  return proof + " (sha256 " + baseline.loaded->sha256.substr(0, kShownDigits) + ')';
}

}  // namespace steelyard

#include "ci/measuring/count_plan.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "bench/runner/round_plan.hpp"

namespace steelyard {
namespace {

bool has(const CountSide& side, const std::string& benchmark) {
  return std::find(side.benchmarks.begin(), side.benchmarks.end(), benchmark) != side.benchmarks.end();
}

std::optional<LoadedProgram> loaded_of(const CountSide& side, const std::atomic<bool>* cancelled) {
  if (side.program == nullptr || side.benchmarks.empty()) return std::nullopt;
  Result<LoadedProgram> loaded = read_loaded_program(*side.program, cancelled);
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

BenchmarkId BenchmarkCounts::id() const {
  BenchmarkId id = parse_google_benchmark_name(benchmark);
  const CountSide* side = candidate.side != nullptr ? candidate.side : baseline.side;
  if (side != nullptr) id.suite = side->program->suite;
  return id;
}

CountPlan::CountPlan(const std::vector<CountPair>& pairs, std::uint64_t seed, const std::atomic<bool>* cancelled) {
  struct Item {
    std::size_t pair;
    const std::string* benchmark;
  };
  std::vector<Item> items;
  loaded_.reserve(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto& [baseline, candidate] = pairs[i];
    LoadedPair loaded{loaded_of(baseline, cancelled), loaded_of(candidate, cancelled), false};
    loaded.equal = loaded.baseline && loaded.candidate && loaded.baseline->sha256 == loaded.candidate->sha256 &&
                   baseline.program->arguments == candidate.program->arguments &&
                   baseline.program->environment == candidate.program->environment;
    if (loaded.candidate) seed ^= bits_of(loaded.candidate->sha256);
    loaded_.push_back(std::move(loaded));
    for (const std::string& name : baseline.benchmarks) items.push_back({i, &name});
    for (const std::string& name : candidate.benchmarks) {
      if (!has(baseline, name)) items.push_back({i, &name});
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
  const auto of_baseline = hash_inputs(baseline.inputs, *baseline.side->program, *baseline.loaded);
  const auto of_candidate = hash_inputs(baseline.inputs, *counts.candidate.side->program, *counts.candidate.loaded);
  if (!of_baseline || !of_candidate || *of_baseline != *of_candidate) return "";
  constexpr std::size_t kShownDigits = 12;
  std::string proof(kEqualProgramProof);
  const auto files = std::count_if(of_baseline->begin(), of_baseline->end(),
                                   [](const auto& file) { return file.second != kAbsentFile; });
  if (files == 1) proof += ", and so is the file it reads";
  if (files > 1) proof += ", and so are the " + std::to_string(files) + " files it reads";
  return proof + " (sha256 " + baseline.loaded->sha256.substr(0, kShownDigits) + ')';
}

}  // namespace steelyard

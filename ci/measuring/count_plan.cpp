#include "ci/measuring/count_plan.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "bench/runner/round_plan.hpp"
#include "regress/ab/rules.hpp"

namespace steelyard::ci {
namespace {

const std::vector<bench::ListedBenchmark>& benchmarks_of(const bench::CountSide& side) {
  static const std::vector<bench::ListedBenchmark> none;
  return side.program == nullptr ? none : side.program->benchmarks();
}

bool has(const bench::CountSide& side, const bench::ListedBenchmark& benchmark) {
  const std::vector<bench::ListedBenchmark>& own = benchmarks_of(side);
  return std::any_of(own.begin(), own.end(),
                     [&](const bench::ListedBenchmark& one) { return one.name == benchmark.name; });
}

std::optional<bench::LoadedProgram> loaded_of(const bench::CountSide& side, const std::atomic<bool>* cancelled) {
  // What the words of a command name may differ where its program does not: nothing proves two of them equal.
  if (benchmarks_of(side).empty() || side.program->program.command) return std::nullopt;
  Result<bench::LoadedProgram> loaded = bench::read_loaded_program(side.program->program, cancelled);
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
    const bench::ListedBenchmark* benchmark;
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
    for (const bench::ListedBenchmark& benchmark : benchmarks_of(baseline)) items.push_back({i, &benchmark});
    for (const bench::ListedBenchmark& benchmark : benchmarks_of(candidate)) {
      if (!has(baseline, benchmark)) items.push_back({i, &benchmark});
    }
  }
  for (const std::size_t i : bench::shuffled_order(items.size(), seed, 0)) {
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
    const bool has_both_sides = counts.baseline.side != nullptr && counts.candidate.side != nullptr;
    counts.equal_programs = loaded.equal && has_both_sides;
    counts.lacks_a_side = !has_both_sides && pair.baseline.program != nullptr && pair.candidate.program != nullptr;
    benchmarks_.push_back(std::move(counts));
  }
}

namespace {

// The less the sooner; what timing says nothing of may be anything.
enum class Need { regression, improvement, looks_changed, open, unchanged };

Need need_of(const ComparisonRow& row) {
  if (row.verdict == Verdict::regression) return Need::regression;
  if (row.verdict == Verdict::improvement) return Need::improvement;
  if (row.verdict == Verdict::unchanged) return Need::unchanged;
  return row.ratio && regress::is_relevant(*row.ratio, row.minimum_effect) ? Need::looks_changed : Need::open;
}

// Every fourth place has the next of those as drawn: where the budget is always short, what timing shows unchanged
// would never be counted otherwise.
std::vector<BenchmarkCounts*> with_every_fourth(const std::vector<BenchmarkCounts*>& needed,
                                                const std::vector<BenchmarkCounts*>& drawn) {
  constexpr std::size_t kFourth = 4;
  std::vector<BenchmarkCounts*> ordered;
  std::set<const BenchmarkCounts*> taken;
  auto of_needed = needed.begin();
  auto of_drawn = drawn.begin();
  while (ordered.size() < needed.size()) {
    auto& next = ordered.size() % kFourth == kFourth - 1 ? of_drawn : of_needed;
    if (taken.insert(*next).second) ordered.push_back(*next);
    ++next;
  }
  return ordered;
}

}  // namespace

std::vector<BenchmarkCounts*> CountPlan::by_need(const Comparison& timed) {
  std::map<std::string, Need> needs;
  for (const ComparisonRow& row : timed.rows) {
    if (row.metric.kind != MetricKind::noisy) continue;
    Need& need = needs.try_emplace(row.benchmark, need_of(row)).first->second;
    need = std::min(need, need_of(row));
  }
  // What was counted before, and what nothing can be held against, takes nobody's place.
  std::vector<BenchmarkCounts*> drawn, last;
  for (BenchmarkCounts& counts : benchmarks_) {
    const bool is_due = !counts.lacks_a_side && !(counts.baseline.settled && counts.candidate.settled);
    (is_due ? drawn : last).push_back(&counts);
  }
  std::vector<BenchmarkCounts*> needed = drawn;
  std::ranges::stable_sort(needed, {}, [&](const BenchmarkCounts* counts) {
    const auto at = needs.find(counts->id().canonical());
    return at == needs.end() ? Need::open : at->second;
  });
  std::vector<BenchmarkCounts*> ordered = with_every_fourth(needed, drawn);
  ordered.insert(ordered.end(), last.begin(), last.end());
  return ordered;
}

std::optional<EqualProgram> proof_of_equality(const BenchmarkCounts& counts) {
  if (!counts.equal_programs) return std::nullopt;
  const SideCount& baseline = counts.baseline;
  const auto of_baseline = bench::hash_inputs(baseline.inputs, baseline.side->program->program, *baseline.loaded);
  const auto of_candidate =
      bench::hash_inputs(baseline.inputs, counts.candidate.side->program->program, *counts.candidate.loaded);
  if (!of_baseline || !of_candidate || *of_baseline != *of_candidate) return std::nullopt;
  const auto files = std::count_if(of_baseline->begin(), of_baseline->end(),
                                   [](const auto& file) { return file.second != bench::kAbsentFile; });
  return EqualProgram{baseline.loaded->sha256, files};
}

}  // namespace steelyard::ci

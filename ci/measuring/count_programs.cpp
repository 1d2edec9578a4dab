#include "ci/measuring/count_programs.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "bench/counting/counters/counter_measurements.hpp"
#include "bench/counting/counters/heap_collection.hpp"
#include "bench/counting/counting_tools.hpp"
#include "bench/counting/equal/executed_code.hpp"
#include "bench/environment/mapped_file.hpp"
#include "bench/model/sha256.hpp"
#include "ci/measuring/count_cache.hpp"
#include "ci/measuring/count_part.hpp"
#include "ci/measuring/unmeasured.hpp"
#include "ci/report/number_text.hpp"
#include "regress/ab/gates.hpp"
#include "storage/place/store_address.hpp"

namespace steelyard {
namespace {

using Clock = std::chrono::steady_clock;

// Callgrind runs a program about 50 times slower (Valgrind manual, "Callgrind"), but takes few iterations of it; what
// dominates is its start. Twice the native limit has room for both.
constexpr double kTimeoutFactor = 2;

// All that decides how a count is taken, beside the program and the machine: this very program, the preload library,
// Valgrind, what is counted beside the instructions, and the variables of the caller that are passed on. Empty: it
// cannot be told, and nothing is kept.
std::string method_text(const CounterChoice& counters) {
  const Result<CountingTools> tools = find_counting_tools(CountOptions{});
  if (!tools) return "";
  std::string text = tools->valgrind_version;
  std::vector<std::filesystem::path> files = {"/proc/self/exe", tools->shim};
  if (counters.heap) files.push_back(tools->shim.parent_path() / kHeapLibrary);
  for (const std::string& word : to_words(counters)) text += ' ' + word;
  for (const std::filesystem::path& path : files) {
    const Result<MappedFile> file = MappedFile::open(path);
    if (!file) return "";
    text += ' ' + sha256_hex(file->bytes());
  }
  for (const char* name : {"LD_LIBRARY_PATH", "HOME", "TMPDIR"}) {
    const char* value = std::getenv(name);
    text += std::string("\n") + name + '=' + (value == nullptr ? "" : value);
  }
  return text;
}

class ProgramCounting {
 public:
  ProgramCounting(const std::vector<CountPair>& pairs, const MeasuringSettings& settings, const Limits& limits,
                  ProgressLine& progress, std::vector<std::string>& warnings)
      : pairs_(pairs),
        plan_(pairs, settings.seed, limits.cancelled),
        settings_(settings),
        limits_(limits),
        progress_(progress),
        warnings_(warnings),
        cache_(state_folder() / "counts"),
        method_(settings.no_count_cache ? "" : method_text(settings.counters)) {}

  EqualBuilds run() && {
    std::vector<CountOrder> orders;
    for (BenchmarkCounts& counts : plan_.benchmarks()) {
      if (settings_.recount) counts.equal_programs = false;
      const bool is_known = counts.baseline.side != nullptr && take_known(counts);
      if (counts.baseline.side != nullptr && !is_known) orders.push_back(order_of(counts, counts.baseline));
      if (counts.candidate.side != nullptr && !counts.equal_programs) {
        orders.push_back(order_of(counts, counts.candidate));
      }
    }
    count(orders);
    keep(orders);
    // What the first pass showed not to hold: programs that are equal and read different files, and baselines that
    // were counted under another key.
    std::vector<CountOrder> again;
    for (BenchmarkCounts& counts : plan_.benchmarks()) {
      if (counts.equal_programs && !take_equal(counts)) again.push_back(order_of(counts, counts.candidate));
      if (is_of_another_key(counts)) {
        drop_counts(*counts.baseline.side->run, counts.id());
        again.push_back(order_of(counts, counts.baseline));
      }
    }
    count(again);
    keep(again);
    compare_code();
    say_how_long();
    return std::move(equal_);
  }

 private:
  CountOrder order_of(const BenchmarkCounts& counts, SideCount& side) {
    const Program& program = side.side->program->program;
    side_of_[{&program, counts.benchmark.name}] = &side;
    return {&program, counts.benchmark, side.side->run, &side.inputs};
  }

  void count(const std::vector<CountOrder>& orders);
  void keep(const std::vector<CountOrder>& orders);
  bool take_known(BenchmarkCounts& counts);
  bool take_equal(BenchmarkCounts& counts);
  bool is_of_another_key(const BenchmarkCounts& counts) const;
  void compare_code();
  void say_how_long() const;
  std::string name_in_cache(const ListedBenchmark& benchmark, const SideCount& side) const;

  const std::vector<CountPair>& pairs_;
  CountPlan plan_;
  const MeasuringSettings& settings_;
  const Limits& limits_;
  ProgressLine& progress_;
  std::vector<std::string>& warnings_;
  CountCache cache_;
  std::string method_;  // empty: no cache
  std::map<std::pair<const Program*, std::string>, SideCount*> side_of_;
  std::set<const BenchmarkCounts*> known_;  // whose baseline's count is a kept one
  Clock::time_point begun_ = Clock::now();
  int done_ = 0;  // counted before this pass
  EqualBuilds equal_;
};

void ProgramCounting::count(const std::vector<CountOrder>& orders) {
  if (orders.empty()) return;
  const auto spent = [this] { return std::chrono::duration<double, std::nano>(Clock::now() - begun_).count(); };
  const double budget = limits_.budget.count();
  CountOptions options;
  options.timeout = settings_.timeout * kTimeoutFactor;
  options.budget = Nanoseconds(std::max(0.0, budget - spent()));
  options.cancelled = limits_.cancelled;
  options.counters = settings_.counters;
  options.progress = [&](const CountProgress& now) {
    const double share = static_cast<double>(done_ + now.done) / static_cast<double>(done_ + now.total);
    const double most = std::max(0.0, budget - spent());
    progress_.show("counting " + now.benchmark, share,
                   Nanoseconds(share > 0 ? std::min(most, spent() * (1 - share) / share) : 0));
  };
  const Result<void> counted = count_instructions(orders, options);
  done_ += static_cast<int>(orders.size());
  if (counted) return;
  for (const CountOrder& order : orders) {
    fail_benchmarks({order.benchmark}, {std::string(kInstructions), counted.error().text()}, *order.run);
  }
}

std::string ProgramCounting::name_in_cache(const ListedBenchmark& benchmark, const SideCount& side) const {
  if (method_.empty() || side.loaded == nullptr) return "";
  const Program& program = side.side->program->program;
  const std::string machine = side.side->run->environment.fingerprint();
  if (machine.empty()) return "";
  return name_of(
      {side.loaded->sha256, program.arguments, program.environment, program.suite, benchmark.name, method_, machine});
}

void ProgramCounting::keep(const std::vector<CountOrder>& orders) {
  for (const CountOrder& order : orders) {
    const SideCount& side = *side_of_.at({order.program, order.benchmark.name});
    const std::string name = name_in_cache(order.benchmark, side);
    if (name.empty()) continue;
    Run part = counts_of(*order.run, order.benchmark.id);
    if (!has_counts(part)) continue;
    const Result<InputHashes> hashes = hash_inputs(side.inputs, *order.program, *side.loaded);
    if (!hashes) continue;
    cache_.keep(name, {std::move(part), *hashes, order.program->working_directory.string()}, warnings_);
  }
}

bool ProgramCounting::take_known(BenchmarkCounts& counts) {
  SideCount& baseline = counts.baseline;
  const std::string name = name_in_cache(counts.benchmark, baseline);
  if (name.empty() || settings_.recount) return false;
  const auto hash_now = [&](const CountedInputs& inputs) {
    return hash_inputs(inputs, baseline.side->program->program, *baseline.loaded);
  };
  std::optional<CountCache::Kept> known = cache_.find(name, hash_now, warnings_);
  if (!known || !has_counts(counts_of(known->part, counts.id()))) return false;
  baseline.inputs.unknown.clear();
  for (const auto& [file, hash] : known->inputs) baseline.inputs.files.push_back(file);
  move_paths(known->part, known->folder, baseline.side->program->program.working_directory.string());
  set_proof(known->part, "counted before on this machine, under the same key");
  add_counts(std::move(known->part), *baseline.side->run);
  known_.insert(&counts);
  return true;
}

// False where the candidate has to be counted after all. So it is where the baseline failed: it may lack a file that
// the candidate has.
bool ProgramCounting::take_equal(BenchmarkCounts& counts) {
  Run part = counts_of(*counts.baseline.side->run, counts.id());
  Run& candidate = *counts.candidate.side->run;
  if (!has_counts(part)) {
    const auto is_not_reached = [&](const Failure& failure) {
      return failure.metric == kInstructions && failure.benchmark == counts.id() &&
             failure.reason.starts_with(kNotReached);
    };
    const std::vector<Failure>& failures = counts.baseline.side->run->failures;
    const auto at = std::find_if(failures.begin(), failures.end(), is_not_reached);
    if (at == failures.end()) return false;
    candidate.failures.push_back(*at);
    return true;
  }
  const std::string proof = proof_of_equality(counts);
  if (proof.empty()) return false;
  set_proof(part, proof);
  equal_.same_program.emplace(counts.id().canonical(), proof);
  add_counts(std::move(part), candidate);
  return true;
}

// Of programs that differ: whether they differ in what each benchmark executes. By the baseline's profile.
void ProgramCounting::compare_code() {
  std::map<std::pair<const LoadedProgram*, const LoadedProgram*>, std::unique_ptr<ExecutedCode>> codes;
  for (const BenchmarkCounts& counts : plan_.benchmarks()) {
    const SideCount& baseline = counts.baseline;
    const SideCount& candidate = counts.candidate;
    const bool is_same = equal_.same_program.count(counts.id().canonical()) > 0;
    if (is_same || baseline.loaded == nullptr || candidate.loaded == nullptr) continue;
    const Run part = counts_of(*baseline.side->run, counts.id());
    if (part.profiles.empty() || !has_counts(counts_of(*candidate.side->run, counts.id()))) continue;
    std::unique_ptr<ExecutedCode>& code = codes[{baseline.loaded, candidate.loaded}];
    if (!code) code = std::make_unique<ExecutedCode>(*baseline.loaded, *candidate.loaded);
    if (code->difference(part.profiles.front()).empty()) equal_.same_code.insert(counts.id().canonical());
  }
}

void ProgramCounting::say_how_long() const {
  const double seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
  const std::string text = decimal_text(seconds, 2) + " s, both sides together";
  for (const CountPair& pair : pairs_) {
    for (const CountSide* side : {&pair.baseline, &pair.candidate}) {
      if (side->program == nullptr || side->program->benchmarks().empty()) continue;
      side->run->header.settings["counting.wall"] = text;
      record_cache_model(settings_.counters, *side->run);  // of taken counts too
    }
  }
}

bool ProgramCounting::is_of_another_key(const BenchmarkCounts& counts) const {
  if (known_.count(&counts) == 0 || counts.candidate.side == nullptr || counts.equal_programs) return false;
  const Run baseline = counts_of(*counts.baseline.side->run, counts.id());
  const Run candidate = counts_of(*counts.candidate.side->run, counts.id());
  return has_counts(candidate) && baseline.measurements.front().count_key != candidate.measurements.front().count_key;
}

}  // namespace

Result<bool> counting_wanted(const MeasuringSettings& settings, const PolicySettings& policy,
                             std::vector<std::string>& warnings) {
  if (settings.counts == CountChoice::never) {
    if (!settings.counters.is_counted()) return false;
    return input_error("--counters", "cache, branch or heap with counts \"never\"", "counts \"auto\" or \"always\"",
                       "these are counted together with the instructions");
  }
  const bool judged =
      settings.counters.is_counted() || is_judged(comparison_policy(policy), kInstructions, MetricKind::counted);
  if (settings.counts == CountChoice::automatic && !judged) return false;
  const std::optional<std::string> unavailable = counting_unavailable(CountOptions{});
  if (!unavailable) return true;
  if (settings.counts == CountChoice::always) return input_error("--counts", *unavailable);
  warnings.push_back("instructions were not counted: " + *unavailable);
  return false;
}

EqualBuilds count_programs(const std::vector<CountPair>& pairs, const MeasuringSettings& settings, const Limits& limits,
                           ProgressLine& progress, std::vector<std::string>& warnings) {
  return ProgramCounting(pairs, settings, limits, progress, warnings).run();
}

}  // namespace steelyard

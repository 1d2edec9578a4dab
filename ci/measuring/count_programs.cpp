#include "ci/measuring/count_programs.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "bench/counting/benchmark_count.hpp"
#include "bench/counting/count.hpp"
#include "bench/counting/counters/hardware_count.hpp"
#include "bench/counting/counters/heap_count.hpp"
#include "bench/counting/equal/executed_code.hpp"
#include "bench/counting/net_profile.hpp"
#include "bench/environment/elf_file.hpp"
#include "bench/environment/gpu_facts.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/sha256.hpp"
#include "ci/measuring/budget_clock.hpp"
#include "ci/measuring/count_cache.hpp"
#include "ci/measuring/run_parts.hpp"
#include "ci/report/warning_text.hpp"
#include "regress/ab/gates.hpp"
#include "storage/place/store_address.hpp"

namespace steelyard::ci {
namespace {

// Callgrind runs a program about 50 times slower (Valgrind manual, "Callgrind"), but takes few iterations of it; what
// dominates is its start. Twice the native limit has room for both.
constexpr double kTimeoutFactor = 2;

// All that decides how a count is taken, beside the program and the machine: this very program, the preload libraries,
// Valgrind, what is counted beside the instructions, and the variables of the caller that are passed on. Empty: it
// cannot be told, and nothing is kept.
std::string method_text(const bench::CounterChoice& counters) {
  const Result<bench::CountingTools> tools = bench::find_counting_tools(bench::CountOptions{});
  if (!tools) return "";
  std::string text = tools->valgrind_version;
  std::vector<std::filesystem::path> files = {"/proc/self/exe", tools->shim,
                                              tools->shim.parent_path() / bench::kClockShimFile};
  if (counters.heap) files.push_back(tools->shim.parent_path() / bench::kHeapLibrary);
  for (const std::string& word : bench::to_words(counters)) text += ' ' + word;
  for (const std::filesystem::path& path : files) {
    const Result<bench::MappedFile> file = bench::MappedFile::open(path);
    if (!file) return "";
    text += ' ' + sha256_hex(file->bytes());
  }
  for (const char* name : {"LD_LIBRARY_PATH", "HOME", "TMPDIR"}) {
    const char* value = std::getenv(name);
    text += std::string("\n") + name + '=' + (value == nullptr ? "" : value);
  }
  return text;
}

}  // namespace

class ProgramCounting::CountingWork {
 public:
  CountingWork(std::vector<CountPair> pairs, const bench::MeasuringSettings& settings,
               const std::atomic<bool>* cancelled, ProgressLine& progress, std::vector<std::string>& warnings)
      : pairs_(std::move(pairs)),
        plan_(pairs_, settings.seed, cancelled),
        settings_(settings),
        cancelled_(cancelled),
        progress_(progress),
        warnings_(warnings),
        cache_(storage::state_folder() / "counts"),
        method_(settings.no_count_cache ? "" : method_text(settings.counters)) {
    if (!settings.recount) return;
    for (BenchmarkCounts& counts : plan_.benchmarks()) counts.equal_programs = false;
  }

  void watch(Watch watch) { watch_ = std::move(watch); }

  void begin(Nanoseconds budget, Nanoseconds later, std::size_t most_without_equal) {
    start(budget, true);
    later_ = later;
    std::vector<BenchmarkCounts*> tried, others;
    // One program of several that is the same on both sides comes first: its counts prove most.
    for (const bool is_equal : {true, false}) {
      for (BenchmarkCounts& counts : plan_.benchmarks()) {
        if (counts.equal_programs != is_equal || !may_be_equal(counts)) continue;
        (tried.size() < most_without_equal ? tried : others).push_back(&counts);
      }
    }
    count(tried);
    // Their order is random, so that they speak for the others.
    const bool any_equal = std::any_of(tried.begin(), tried.end(), [this](const BenchmarkCounts* counts) {
      return equal_.is_proven_equal(counts->id().canonical());
    });
    if (any_equal) count(others);
    end();
  }

  void finish(Nanoseconds budget, const Comparison& timed) {
    start(budget, false);
    std::vector<BenchmarkCounts*> compared, others;
    for (BenchmarkCounts* counts : plan_.by_need(timed)) (counts->lacks_a_side ? others : compared).push_back(counts);
    count(compared);
    leave_rest_ = true;
    count(others);
    for (BenchmarkCounts* counts : others) counts->baseline.settled = counts->candidate.settled = true;
    end();
  }

  const EqualBuilds& equal() const { return equal_; }
  Nanoseconds spent() const { return spent_; }
  bool is_anything_left() {
    const std::vector<BenchmarkCounts>& all = plan_.benchmarks();
    return std::any_of(all.begin(), all.end(),
                       [](const BenchmarkCounts& one) { return is_due(one.baseline) || is_due(one.candidate); });
  }

 private:
  void start(Nanoseconds budget, bool leave_rest) {
    clock_ = BudgetClock(budget);
    leave_rest_ = leave_rest;
    later_ = Nanoseconds(0);
    done_ = 0;
  }

  void end() {
    spent_ += clock_.spent();
    record_wall_time();
  }

  void count(const std::vector<BenchmarkCounts*>& wanted);
  void ask_cache(BenchmarkCounts& counts) {
    if (counts.baseline.side != nullptr && asked_cache_.insert(&counts).second) {
      counts.baseline.settled = reuse_cached(counts);
    }
  }
  static bool is_due(const SideCount& side) { return side.side != nullptr && !side.settled; }
  bench::CountRequest order_of(const BenchmarkCounts& counts, SideCount& side) {
    side_of_[{side.side->program, counts.benchmark.name}] = &side;
    if (watch_) counts_of_side_[&side] = &counts;
    return {side.side->program, counts.benchmark, side.side->run, &side.inputs};
  }

  void take(const std::vector<bench::CountRequest>& orders);
  void tell_watcher(const SideCount& side, double instructions);
  void keep(const std::vector<bench::CountRequest>& orders);
  bool reuse_cached(BenchmarkCounts& counts);
  bool reuse_equal(BenchmarkCounts& counts);
  bool is_of_another_key(const BenchmarkCounts& counts) const;
  bool may_be_equal(BenchmarkCounts& counts);
  bench::ExecutedCode& code_of(const BenchmarkCounts& counts);
  void compare_code();
  void record_wall_time() const;
  std::string name_in_cache(const bench::ListedBenchmark& benchmark, const SideCount& side) const;

  const std::vector<CountPair> pairs_;
  CountPlan plan_;
  const bench::MeasuringSettings& settings_;
  const std::atomic<bool>* cancelled_;
  ProgressLine& progress_;
  std::vector<std::string>& warnings_;
  CountCache cache_;
  std::string method_;  // empty: no cache
  std::map<std::pair<const bench::ListedProgram*, std::string>, SideCount*> side_of_;
  Watch watch_;
  std::map<const SideCount*, const BenchmarkCounts*> counts_of_side_;  // of what was ordered since somebody watches
  std::map<const SideCount*, double> instructions_;                    // an iteration, of what was counted since then
  std::set<const BenchmarkCounts*> known_;                             // whose baseline's count is a kept one
  std::set<const BenchmarkCounts*> asked_cache_;                       // for its baseline's
  std::set<const BenchmarkCounts*> compared_;                          // both sides' profiles
  using ProgramsCompared = std::pair<const bench::LoadedProgram*, const bench::LoadedProgram*>;
  std::map<ProgramsCompared, std::unique_ptr<bench::ExecutedCode>> codes_;
  BudgetClock clock_{Nanoseconds(0)};  // of this part of it
  Nanoseconds later_;                  // what follows it takes
  bool leave_rest_ = false;
  Nanoseconds spent_;
  int done_ = 0;  // counted before this pass
  EqualBuilds equal_;
};

void ProgramCounting::CountingWork::count(const std::vector<BenchmarkCounts*>& wanted) {
  std::vector<bench::CountRequest> orders;
  for (BenchmarkCounts* counts : wanted) {
    ask_cache(*counts);
    SideCount& baseline = counts->baseline;
    SideCount& candidate = counts->candidate;
    if (is_due(baseline)) orders.push_back(order_of(*counts, baseline));
    if (is_due(candidate) && !counts->equal_programs) orders.push_back(order_of(*counts, candidate));
  }
  take(orders);
  // What the first pass showed not to hold: programs that are equal and read different files, and baselines that were
  // counted under another key.
  std::vector<bench::CountRequest> again;
  for (BenchmarkCounts* counts : wanted) {
    if (counts->equal_programs && counts->baseline.settled && is_due(counts->candidate)) {
      counts->candidate.settled = counts->equal_programs = reuse_equal(*counts);
      if (!counts->equal_programs) again.push_back(order_of(*counts, counts->candidate));
    }
    if (is_of_another_key(*counts)) {
      known_.erase(counts);
      drop_counts(*counts->baseline.side->run, counts->id());
      counts->baseline.settled = false;
      again.push_back(order_of(*counts, counts->baseline));
    }
  }
  take(again);
  compare_code();
}

void ProgramCounting::CountingWork::take(const std::vector<bench::CountRequest>& orders) {
  if (orders.empty()) return;
  bench::CountOptions options;
  options.timeout = settings_.timeout * kTimeoutFactor;
  options.limits = {clock_.left(), cancelled_};
  options.leave_rest = leave_rest_;
  options.counters = settings_.counters;
  options.progress = [&](const bench::CountProgress& now) {
    const double share = static_cast<double>(done_ + now.done) / static_cast<double>(done_ + now.total);
    const Nanoseconds most = clock_.left();
    const Nanoseconds left = share > 0 ? std::min(most, clock_.spent() * ((1 - share) / share)) : most;
    progress_.show_until_end("counting " + now.benchmark, left + later_);
  };
  options.counted = [this](const bench::CountRequest& order, double instructions) {
    tell_watcher(*side_of_.at({order.program, order.benchmark.name}), instructions);
  };
  const Result<void> counted = bench::count_instructions(orders, options);
  done_ += static_cast<int>(orders.size());
  if (!counted) {
    for (const bench::CountRequest& order : orders) {
      fail_benchmarks({order.benchmark}, {std::string(kInstructions), counted.error().text()}, *order.run);
    }
  }
  for (const bench::CountRequest& order : orders) {
    SideCount& side = *side_of_.at({order.program, order.benchmark.name});
    side.settled = !leave_rest_ || has_counts(counts_of(*order.run, order.benchmark.id)) ||
                   has_failed_count(*order.run, order.benchmark.id);
  }
  keep(orders);
}

void ProgramCounting::CountingWork::tell_watcher(const SideCount& side, double instructions) {
  if (!watch_) return;
  instructions_[&side] = instructions;
  const BenchmarkCounts& counts = *counts_of_side_.at(&side);
  if (counts.lacks_a_side) return;
  const auto counted = [&](const SideCount& one) -> double {
    if (const auto at = instructions_.find(&one); at != instructions_.end()) return at->second;
    for (const Measurement& kept : one.side->run->measurements) {
      if (kept.metric.name != kInstructions || kept.benchmark != counts.id()) continue;
      for (const InvocationSamples& samples : kept.invocations) {
        if (!samples.values.empty()) return samples.values.front();
      }
    }
    return 0;
  };
  const double baseline = counted(counts.baseline);
  const double candidate = counted(counts.candidate);
  if (baseline > 0 && candidate > 0) watch_(counts.id(), candidate / baseline);
}

// Whether its counts can show that the builds are equal: of programs that differ the code is compared by name, and
// where the baseline was counted before, already now.
bool ProgramCounting::CountingWork::may_be_equal(BenchmarkCounts& counts) {
  if (counts.baseline.side == nullptr || counts.candidate.side == nullptr) return false;
  if (counts.equal_programs) return true;
  if (counts.baseline.loaded == nullptr || counts.candidate.loaded == nullptr) return false;
  bench::ExecutedCode& code = code_of(counts);
  if (!code.obstacle().empty()) return false;
  ask_cache(counts);
  if (!known_.contains(&counts)) return true;
  const Run part = counts_of(*counts.baseline.side->run, counts.id());
  return !part.profiles.empty() && code.difference(part.profiles.front()).empty();
}

bench::ExecutedCode& ProgramCounting::CountingWork::code_of(const BenchmarkCounts& counts) {
  std::unique_ptr<bench::ExecutedCode>& code = codes_[{counts.baseline.loaded, counts.candidate.loaded}];
  if (!code) code = std::make_unique<bench::ExecutedCode>(*counts.baseline.loaded, *counts.candidate.loaded);
  return *code;
}

std::string ProgramCounting::CountingWork::name_in_cache(const bench::ListedBenchmark& benchmark,
                                                         const SideCount& side) const {
  if (method_.empty() || side.loaded == nullptr) return "";
  const bench::Program& program = side.side->program->program;
  const std::string machine = side.side->run->environment.fingerprint();
  if (machine.empty()) return "";
  return name_of(
      {side.loaded->sha256, program.arguments, program.environment, program.suite, benchmark.name, method_, machine});
}

void ProgramCounting::CountingWork::keep(const std::vector<bench::CountRequest>& orders) {
  for (const bench::CountRequest& order : orders) {
    const SideCount& side = *side_of_.at({order.program, order.benchmark.name});
    const std::string name = name_in_cache(order.benchmark, side);
    if (name.empty()) continue;
    Run part = counts_of(*order.run, order.benchmark.id);
    if (!has_counts(part)) continue;
    const bench::Program& program = order.program->program;
    const Result<bench::InputHashes> hashes = bench::hash_inputs(side.inputs, program, *side.loaded);
    if (!hashes) continue;
    cache_.keep(name, {std::move(part), *hashes, program.working_directory.string()}, warnings_);
  }
}

bool ProgramCounting::CountingWork::reuse_cached(BenchmarkCounts& counts) {
  SideCount& baseline = counts.baseline;
  const std::string name = name_in_cache(counts.benchmark, baseline);
  if (name.empty() || settings_.recount) return false;
  const auto hash_now = [&](const bench::CountedInputs& inputs) {
    return bench::hash_inputs(inputs, baseline.side->program->program, *baseline.loaded);
  };
  std::optional<CountCache::Kept> known = cache_.find(name, hash_now, warnings_);
  if (!known || !has_counts(counts_of(known->part, counts.id()))) return false;
  baseline.inputs.unknown.clear();
  for (const auto& [file, hash] : known->inputs) baseline.inputs.files.push_back(file);
  move_paths(known->part, known->folder, baseline.side->program->program.working_directory.string());
  set_proof(known->part, CountOrigin::reused, std::string(kCountedBeforeText));
  add_counts(std::move(known->part), *baseline.side->run);
  known_.insert(&counts);
  return true;
}

// False where the candidate has to be counted after all. So it is where the baseline failed: it may lack a file that
// the candidate has.
bool ProgramCounting::CountingWork::reuse_equal(BenchmarkCounts& counts) {
  Run part = counts_of(*counts.baseline.side->run, counts.id());
  Run& candidate = *counts.candidate.side->run;
  if (!has_counts(part)) {
    const auto is_not_reached = [&](const Failure& failure) {
      return failure.metric == kInstructions && failure.benchmark == counts.id() &&
             failure.kind == FailureKind::not_reached;
    };
    const std::vector<Failure>& failures = counts.baseline.side->run->failures;
    const auto at = std::find_if(failures.begin(), failures.end(), is_not_reached);
    if (at == failures.end()) return false;
    candidate.failures.push_back(*at);
    return true;
  }
  const std::optional<EqualProgram> proof = proof_of_equality(counts);
  if (!proof) return false;
  set_proof(part, CountOrigin::equal_program, equal_program_text(*proof));
  equal_.same_program.emplace(counts.id().canonical(), *proof);
  add_counts(std::move(part), candidate);
  return true;
}

// Of programs that differ: whether they differ in what each benchmark executes, by the baseline's profile, and in what
// each function of it costs.
void ProgramCounting::CountingWork::compare_code() {
  for (const BenchmarkCounts& counts : plan_.benchmarks()) {
    const SideCount& baseline = counts.baseline;
    const SideCount& candidate = counts.candidate;
    const std::string name = counts.id().canonical();
    if (equal_.same_program.contains(name) || baseline.loaded == nullptr || candidate.loaded == nullptr) continue;
    if (!baseline.settled || !candidate.settled || !compared_.insert(&counts).second) continue;
    const Run of_baseline = counts_of(*baseline.side->run, counts.id());
    const Run of_candidate = counts_of(*candidate.side->run, counts.id());
    if (of_baseline.profiles.empty() || !has_counts(of_candidate)) continue;
    const CountedProfile& profile = of_baseline.profiles.front();
    if (!code_of(counts).difference(profile).empty()) continue;
    equal_.same_code.insert(name);
    if (of_candidate.profiles.empty()) continue;
    if (bench::count_difference(profile, of_candidate.profiles.front()).empty()) equal_.same_counts.insert(name);
  }
}

void ProgramCounting::CountingWork::record_wall_time() const {
  const std::string text = decimal_text(spent_ / seconds(1), 2) + " s, both sides together";
  for (const CountPair& pair : pairs_) {
    for (const bench::CountSide* side : {&pair.baseline, &pair.candidate}) {
      if (side->program == nullptr || side->program->benchmarks().empty()) continue;
      side->run->header.settings["counting.wall"] = text;
      bench::record_cache_model(settings_.counters, *side->run);  // of taken counts too
    }
  }
}

bool ProgramCounting::CountingWork::is_of_another_key(const BenchmarkCounts& counts) const {
  if (known_.count(&counts) == 0 || counts.candidate.side == nullptr || counts.equal_programs) return false;
  const Run baseline = counts_of(*counts.baseline.side->run, counts.id());
  const Run candidate = counts_of(*counts.candidate.side->run, counts.id());
  return has_counts(candidate) && baseline.measurements.front().count_key != candidate.measurements.front().count_key;
}

ProgramCounting::ProgramCounting(std::vector<CountPair> pairs, const bench::MeasuringSettings& settings,
                                 const std::atomic<bool>* cancelled, ProgressLine& progress,
                                 std::vector<std::string>& warnings)
    : work_(std::make_unique<CountingWork>(std::move(pairs), settings, cancelled, progress, warnings)) {}

ProgramCounting::~ProgramCounting() = default;
void ProgramCounting::watch(Watch watch) { work_->watch(std::move(watch)); }
void ProgramCounting::begin(Nanoseconds budget, Nanoseconds later, std::size_t most_without_equal) {
  work_->begin(budget, later, most_without_equal);
}
void ProgramCounting::finish(Nanoseconds budget, const Comparison& timed) { work_->finish(budget, timed); }
const EqualBuilds& ProgramCounting::equal() const { return work_->equal(); }
Nanoseconds ProgramCounting::spent() const { return work_->spent(); }
bool ProgramCounting::is_anything_left() const { return work_->is_anything_left(); }

Result<bool> counting_wanted(const bench::MeasuringSettings& settings, const PolicySettings& policy,
                             std::vector<std::string>& warnings) {
  if (settings.counts == bench::CountChoice::never) {
    if (!settings.counters.is_counted()) return false;
    return input_error("--counters", "cache, branch or heap with counts \"never\"", "counts \"auto\" or \"always\"",
                       "these are counted together with the instructions");
  }
  const bool judged = settings.counters.is_counted() ||
                      regress::is_judged(comparison_policy(policy), kInstructions, MetricKind::counted);
  if (settings.counts == bench::CountChoice::automatic && !judged) return false;
  const std::optional<std::string> unavailable = bench::counting_unavailable(bench::CountOptions{});
  if (!unavailable) return true;
  if (settings.counts == bench::CountChoice::always) return input_error("--counts", *unavailable);
  warnings.push_back(warning::instructions_not_counted(*unavailable));
  return false;
}

void keep_lack_of_counting(const std::vector<Run*>& runs) {
  const std::optional<std::string> lack = bench::counting_unavailable(bench::CountOptions{});
  if (!lack) return;
  for (Run* run : runs) run->header.settings[bench::kCountLackSetting] = *lack;
}

EqualBuilds count_programs(std::vector<CountPair> pairs, const bench::MeasuringSettings& settings,
                           const bench::Limits& limits, ProgressLine& progress, std::vector<std::string>& warnings) {
  ProgramCounting counting(std::move(pairs), settings, limits.cancelled, progress, warnings);
  counting.finish(limits.budget);
  return counting.equal();
}

namespace {

constexpr const char* kNotCounted =
    "instructions are not counted: the program uses a device, which Callgrind cannot run";
constexpr const char* kNotToldApart =
    "instructions are not counted: the command measures itself, and which of them are a benchmark's is not known";

bool measures_itself(const bench::Program& program) { return program.command && program.command->format != nullptr; }

void fail_counts(const bench::CountSide& side, const char* why) {
  if (side.program == nullptr || side.run == nullptr) return;
  const std::size_t before = side.run->failures.size();
  fail_benchmarks(side.program->benchmarks(), {std::string(kInstructions), why}, *side.run);
  const std::string* const device = side.run->environment.find(bench::kGpuDevice);
  if (device == nullptr) return;
  for (std::size_t i = before; i < side.run->failures.size(); ++i) side.run->failures[i].benchmark.device = *device;
}

}  // namespace

DevicePrograms::DevicePrograms(const std::vector<ProgramPair>& programs) {
  for (const ProgramPair& pair : programs) {
    std::string how = bench::device_use_of_file(pair.candidate.executable);
    if (how.empty()) how = bench::device_use_of_file(pair.baseline.executable);
    uses_.push_back({pair.candidate.executable.filename().string(), std::move(how), measures_itself(pair.candidate)});
  }
}

DevicePrograms::DevicePrograms(const bench::Program& alone) : is_alone_(true) {
  uses_.push_back(
      {alone.executable.filename().string(), bench::device_use_of_file(alone.executable), measures_itself(alone)});
}

bool DevicePrograms::any() const {
  return std::any_of(uses_.begin(), uses_.end(), [](const Use& use) { return !use.how.empty(); });
}

void DevicePrograms::tell(bool counting, std::vector<std::string>& warnings) const {
  for (const Use& use : uses_) {
    if (use.measures_itself && counting) warnings.push_back(warning::not_countable(use.program));
    if (use.how.empty()) continue;
    if (is_alone_ && !counting) continue;
    warnings.push_back(warning::device_used({use.program, use.how, !is_alone_, counting}));
  }
}

std::vector<CountPair> DevicePrograms::without(std::vector<CountPair> pairs, bench::CountChoice counts) const {
  std::vector<CountPair> kept;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (i >= uses_.size() || (uses_[i].how.empty() && !uses_[i].measures_itself)) {
      kept.push_back(std::move(pairs[i]));
    } else if (counts == bench::CountChoice::always) {
      const char* const why = uses_[i].measures_itself ? kNotToldApart : kNotCounted;
      fail_counts(pairs[i].baseline, why);
      fail_counts(pairs[i].candidate, why);
    }
  }
  return kept;
}

void read_hardware(const std::vector<CountPair>& pairs, const bench::MeasuringSettings& settings,
                   const bench::Limits& limits, ProgressLine& progress, std::vector<std::string>& warnings) {
  if (!settings.counters.hardware) return;
  bench::HardwareOptions options;
  options.progress = [&progress](const std::string& benchmark, double done) {
    progress.show("reading counters of " + benchmark, done, Nanoseconds(0));
  };
  for (const CountPair& pair : pairs) {
    std::vector<bench::CountSide> sides;
    for (const bench::CountSide* side : {&pair.baseline, &pair.candidate}) {
      if (side->program == nullptr || side->program->program.command) continue;
      if (!side->program->benchmarks().empty()) sides.push_back(*side);
    }
    if (sides.empty()) continue;
    std::vector<std::string> more;
    if (const auto counted = bench::count_hardware(sides, settings, limits, options, more); !counted)
      more.push_back(counted.error().text());
    for (std::string& warning : more) {
      if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end())
        warnings.push_back(std::move(warning));
    }
  }
  progress.clear();
}

}  // namespace steelyard::ci

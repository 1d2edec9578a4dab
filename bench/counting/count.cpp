#include "bench/counting/count.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "bench/counting/benchmark_count.hpp"
#include "bench/counting/command_count.hpp"
#include "bench/counting/counters/heap_count.hpp"
#include "bench/counting/net_profile.hpp"
#include "bench/model/kept_words.hpp"
#include "bench/model/text.hpp"
#include "bench/runner/child_process.hpp"
#include "bench/runner/fresh_copy.hpp"

namespace steelyard::bench {
namespace {

constexpr std::string_view kEqualCode = "equal";
constexpr std::string_view kOtherCode = "other";

constexpr std::size_t kMaxNamesShown = 20;
// Longer budgets are no limits; keeps the arithmetic of the clock in range.
constexpr Nanoseconds kLongestBudget = seconds(86400.0 * 365);

std::chrono::nanoseconds bounded_budget(Nanoseconds budget) {
  return std::chrono::nanoseconds(static_cast<std::int64_t>(std::clamp(budget.count(), 0.0, kLongestBudget.count())));
}

using Outcome = std::optional<Result<BenchmarkCount>>;  // absent: not counted, because of the budget or a cancellation
using HeapOutcome = std::optional<Result<HeapCount>>;   // absent: not asked for, or no count to go with

// Counts the benchmarks on several threads; each waits for one process at a time.
class CountingPool {
 public:
  struct Job {
    const CollectionPlace* place = nullptr;
    const CountRequest* request = nullptr;
    const ListedBenchmark& benchmark() const { return request->benchmark; }
  };

  CountingPool(const std::vector<Job>& jobs, const CountOptions& options, const CollectionLimits& limits)
      : jobs_(jobs), options_(options), limits_(limits), outcomes_(jobs.size()), heaps_(jobs.size()) {}

  struct Outcomes {
    std::vector<Outcome> counts;  // as the jobs
    std::vector<HeapOutcome> heaps;
  };

  Outcomes run() && {
    const auto cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    const int wanted = options_.parallel > 0 ? options_.parallel : cores;
    const int workers = std::min(wanted, static_cast<int>(jobs_.size()));
    std::vector<std::jthread> threads;
    for (int i = 1; i < workers; ++i) threads.emplace_back([this] { work(); });
    work();
    threads.clear();  // joins
    return {std::move(outcomes_), std::move(heaps_)};
  }

 private:
  bool must_stop() const {
    const auto next = options_.leave_rest ? std::chrono::nanoseconds(longest_.load()) : std::chrono::nanoseconds(0);
    return options_.limits.is_cancelled() || std::chrono::steady_clock::now() + next >= limits_.deadline;
  }

  void work() {
    for (std::size_t i = next_++; i < jobs_.size() && !must_stop(); i = next_++) {
      report(jobs_[i].benchmark().name, 0);
      const auto begun = std::chrono::steady_clock::now();
      Result<BenchmarkCount> count = count_one(jobs_[i]);
      const bool is_cancelled = options_.limits.is_cancelled();
      if (count) tell(*jobs_[i].request, *count);
      if (count && options_.counters.heap && !jobs_[i].place->program->command)
        heaps_[i] = count_heap_beside(jobs_[i], *count);
      if (count || !is_cancelled) outcomes_[i] = std::move(count);
      took(std::chrono::steady_clock::now() - begun);
      report(jobs_[i].benchmark().name, 1);
    }
  }

  void tell(const CountRequest& request, const BenchmarkCount& count) {
    const std::lock_guard lock(progress_mutex_);
    if (options_.counted && !count.values.empty()) options_.counted(request, count.values.front());
  }

  void took(std::chrono::nanoseconds time) {
    std::int64_t longest = longest_.load();
    while (longest < time.count() && !longest_.compare_exchange_weak(longest, time.count())) {
    }
  }

  BenchmarkCountOptions options_of(const Job& job) {
    BenchmarkCountOptions options;
    options.repeats = std::max(1, options_.repeats);
    options.threads = job.benchmark().id.threads.value_or(1);
    options.next_number = [this] { return number_++; };
    return options;
  }

  Result<BenchmarkCount> count_one(const Job& job) {
    BenchmarkCountOptions options = options_of(job);
    // Misses of the first iterations are no part of a line through three collections: repeats show what is exact.
    if (options_.counters.is_simulated()) options.repeats = std::max(2, options.repeats);
    if (job.place->program->command) return count_command(*job.place, options);
    return count_benchmark(*job.place, job.place->program->own_name(job.benchmark().name), options);
  }

  // Of as many iterations as the instructions were counted of.
  Result<HeapCount> count_heap_beside(const Job& job, const BenchmarkCount& count) {
    const BenchmarkCountOptions options = options_of(job);
    return count_heap(*job.place, job.place->program->own_name(job.benchmark().name),
                      std::max<std::int64_t>(1, count.iterations / options.threads), options);
  }

  void report(const std::string& benchmark, int more_done) {
    const std::lock_guard lock(progress_mutex_);
    done_ += more_done;
    if (options_.progress) options_.progress({benchmark, done_, static_cast<int>(jobs_.size())});
  }

  const std::vector<Job>& jobs_;
  const CountOptions& options_;
  const CollectionLimits& limits_;
  std::vector<Outcome> outcomes_;  // each written by one thread
  std::vector<HeapOutcome> heaps_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<int> number_ = 0;
  std::atomic<std::int64_t> longest_ = 0;  // ns, of one benchmark
  std::mutex progress_mutex_;
  int done_ = 0;
};

// The dynamic loader takes a colon or a blank in LD_PRELOAD for the end of a name, so the library is loaded by a link
// in the private folder, wherever steelyard is installed.
Result<std::filesystem::path> link_shim(const std::filesystem::path& shim, const std::filesystem::path& folder) {
  const std::filesystem::path link = folder / kShimFile;
  if (link.string().find_first_of(": ") != std::string::npos) {
    return input_error("TMPDIR", link.parent_path().string(), "a path without blanks and colons", "set another TMPDIR");
  }
  std::error_code failure;
  std::filesystem::create_symlink(shim, link, failure);
  if (failure) return input_error(link.string(), failure.message(), "a link to " + shim.string());
  return link;
}

// Of a library that lies beside the counting one. Where it is missing programs run without it, and their rows say so.
void link_companion(std::string_view file, const std::filesystem::path& shim, const std::filesystem::path& folder) {
  std::error_code ignored;
  std::filesystem::create_symlink(shim.parent_path() / file, folder / file, ignored);
}

void add_count(const BenchmarkId& benchmark, const CounterChoice& counters, BenchmarkCount count,
               const HeapOutcome& heap, Run& run) {
  Invocation invocation;
  invocation.started_at_unix_ns = count.started_at_unix_ns;
  invocation.duration_ns = count.duration_ns;
  const auto index = static_cast<std::uint32_t>(run.invocations.size());
  run.invocations.push_back(invocation);

  Measurement measurement;
  measurement.benchmark = benchmark;
  measurement.metric = *well_known_metric(kInstructions);
  measurement.count_key = std::move(count.count_key);
  measurement.count_basis = std::move(count.basis);
  const std::vector<std::int64_t> iterations(count.values.size(), count.iterations);
  measurement.invocations.push_back({index, std::move(count.values), iterations});
  count.profile.benchmark = measurement.benchmark;
  run.measurements.push_back(measurement);
  add_simulated(count, counters, measurement, run);
  if (heap) add_heap(*heap, measurement, run);
  run.profiles.push_back(std::move(count.profile));
}

void add_failure(const BenchmarkId& benchmark, const Error& error, Run& run) {
  std::string reason = error.where.empty() ? error.found : error.text();
  if (error.where.empty() && !error.fix.empty()) reason += "; " + error.fix;
  run.failures.push_back({benchmark, std::string(kInstructions), -1, std::move(reason), failure_kind_of(error)});
}

// Several programs are counted into one run, and what one of them had to say must stay.
void add_text(const std::string& more, std::string& text) {
  constexpr std::string_view kBetween = "; ";
  const auto enclosed = [&](std::string part) {
    return std::string(kBetween) + std::move(part) + std::string(kBetween);
  };
  if (enclosed(text).find(enclosed(more)) == std::string::npos) text += (text.empty() ? "" : "; ") + more;
}

void add_fact(std::string_view name, const std::string& more, Run& run) {
  const std::string* known = run.environment.find(name);
  std::string text = known == nullptr ? "" : *known;
  add_text(more, text);
  run.environment.set(name, std::move(text), false);
}

// OpenBLAS chooses by the CPU, and Valgrind shows it another one than it has natively.
void record_dispatch(const ListedProgram& program, const std::set<std::string>& cores, Run& run) {
  if (cores.empty()) return;
  const std::string counted = joined_text(cores, ", ");
  const std::string& native = program.listing.openblas_core;
  const bool is_same = cores.size() == 1 && native == counted;
  add_fact(kDispatchFact,
           (program.program.suite.empty() ? "" : program.program.suite + ": ") + "OpenBLAS " + counted +
               " under Valgrind, " + (native.empty() ? "unknown" : native) + " natively" +
               (is_same ? "" : ": counts and times are of different code"),
           run);
  const bool is_other = !is_same || counted_other_code(run);
  run.environment.set(kDispatchCodeFact, std::string(is_other ? kOtherCode : kEqualCode), false);
}

std::string listed(const std::vector<std::string>& names) { return some_joined(names, kMaxNamesShown, "; ", "; and "); }

// What has to be said of a whole run, gathered from its counts.
struct RunConditions {
  std::vector<std::string> with_state, with_jitter, with_others;
  std::map<const ListedProgram*, std::set<std::string>> cores;  // that OpenBLAS chose
  bool only_commands = true;

  void add(const CountRequest& request, const BenchmarkCount& count) {
    only_commands = only_commands && request.program->program.command.has_value();
    if (!count.openblas_core.empty()) cores[request.program].insert(count.openblas_core);
    if (count.keeps_state) with_state.push_back(request.benchmark.name);
    if (count.has_work_in_other_threads) with_others.push_back(request.benchmark.name);
    if (count.basis.jitter != 0.0) with_jitter.push_back(request.benchmark.name + ": " + count.basis.jitter_from);
  }

  void record(const CountingTools& tools, Run& run) const {
    run.header.settings["counting"] =
        tools.valgrind_version + (only_commands ? ", whole processes" : ", the difference of n and 2n iterations");
    run.header.settings[std::string(kCountReaderSetting)] = std::to_string(kCountReader);
    if (!with_jitter.empty()) add_text(listed(with_jitter), run.header.settings["counting.learned_jitter"]);
    if (!with_state.empty()) {
      add_fact("count.keeps_state", listed(with_state) + ": the count of an iteration depends on how many came before",
               run);
    }
    if (!with_others.empty()) {
      add_fact("count.other_threads",
               listed(with_others) + ": work that it handed to threads of its own is not in the count", run);
    }
    for (const auto& [program, of_program] : cores) record_dispatch(*program, of_program, run);
  }
};

// The programs of all requests, each linked into a private folder of its own when it is first asked for.
class PreparedPrograms {
 public:
  PreparedPrograms(const CountingTools& tools, const CountOptions& options, const CollectionLimits& limits)
      : tools_(tools), options_(options), limits_(limits) {}

  Result<const CollectionPlace*> place_of(const ListedProgram& listed) {
    const auto known = places_.find(&listed);
    if (known != places_.end()) return &known->second.place;
    STEELYARD_TRY(PrivateFolder folder, PrivateFolder::create());
    const Program& program = listed.program;
    CollectionPlace place;
    place.tools = &tools_;
    place.program = &program;
    place.takes_iterations = listed.listing.min_time_takes_unit;
    if (program.command) {  // it may find by its own path what it needs
      std::error_code ignored;
      place.link = std::filesystem::absolute(program.executable, ignored);
    } else {
      STEELYARD_TRY(place.link, folder.place(Side::baseline, program.executable));
    }
    place.folder = folder.output_file(Side::baseline).parent_path();
    STEELYARD_TRY(place.shim_link, link_shim(tools_.shim, place.folder));
    link_companion(kClockShimFile, tools_.shim, place.folder);
    if (options_.counters.heap) link_companion(kHeapLibrary, tools_.shim, place.folder);
    place.origins = &origins_;
    place.counters = options_.counters;
    place.limits = limits_;
    auto findings = std::make_unique<ProgramFindings>();
    place.findings = findings.get();
    Prepared prepared{std::move(folder), std::move(findings), std::move(place)};
    return &places_.emplace(&listed, std::move(prepared)).first->second.place;
  }

  OriginResolver& origins() { return origins_; }

 private:
  struct Prepared {
    PrivateFolder folder;
    std::unique_ptr<ProgramFindings> findings;
    CollectionPlace place;
  };
  const CountingTools& tools_;
  const CountOptions& options_;
  const CollectionLimits& limits_;
  std::map<const ListedProgram*, Prepared> places_;
  OriginResolver origins_;
};

// Keeps kCountLinesSetting of the program itself: of libraries nobody expects that their lines say it.
void record_lines(const Program& program, OriginResolver& origins, Run& run) {
  if (program.command) return;  // whose addresses are not kept
  std::error_code failure;
  const std::string executable = std::filesystem::canonical(program.executable, failure).string();
  const bool has_own_code = std::any_of(run.profiles.begin(), run.profiles.end(), [&](const CountedProfile& profile) {
    return std::any_of(profile.functions.begin(), profile.functions.end(),
                       [&](const ProfiledFunction& function) { return function.object == executable; });
  });
  if (!has_own_code) return;
  const std::string unknown = origins.why_unknown(executable);
  if (!unknown.empty()) add_text(unknown, run.header.settings[kCountLinesSetting]);
}

}  // namespace

std::optional<std::string> counting_unavailable(const CountOptions& options) {
  const Result<CountingTools> tools = find_counting_tools(options);
  if (tools) return std::nullopt;
  return tools.error().text();
}

Result<void> count_instructions(const ListedProgram& program, const std::vector<std::string>& benchmarks,
                                const CountOptions& options, Run& run) {
  std::vector<CountRequest> requests;
  for (const std::string& name : benchmarks)
    requests.push_back({&program, listed_benchmark(name, program.program.suite), &run});
  return count_instructions(requests, options);
}

Result<void> count_instructions(const std::vector<CountRequest>& requests, const CountOptions& options) {
  STEELYARD_TRY(const CountingTools tools, find_counting_tools(options));
  const CollectionLimits limits{options.timeout,
                                std::chrono::steady_clock::now() + bounded_budget(options.limits.budget),
                                options.limits.cancelled};
  PreparedPrograms programs(tools, options, limits);
  std::vector<CountingPool::Job> jobs;
  for (const CountRequest& request : requests) {
    const Result<const CollectionPlace*> place = programs.place_of(*request.program);
    if (!place) {
      add_failure(request.benchmark.id, place.error(), *request.run);
      continue;
    }
    jobs.push_back({*place, &request});
  }
  auto [outcomes, heaps] = CountingPool(jobs, options, limits).run();
  const bool is_cancelled = options.limits.is_cancelled();
  std::map<Run*, RunConditions> conditions;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const CountRequest& request = *jobs[i].request;
    RunConditions& of_run = conditions[request.run];
    if (outcomes[i] && *outcomes[i]) {
      of_run.add(request, outcomes[i]->value());
      if (request.inputs != nullptr) *request.inputs = std::move(outcomes[i]->value().inputs);
      add_count(request.benchmark.id, options.counters, std::move(*outcomes[i]).value(), heaps[i], *request.run);
    } else if (options.leave_rest && (!outcomes[i] || outcomes[i]->error().kind == ErrorKind::budget)) {
      continue;
    } else if (outcomes[i]) {
      add_failure(request.benchmark.id, outcomes[i]->error(), *request.run);
    } else {
      add_failure(request.benchmark.id, is_cancelled ? counting_interrupted() : counting_budget_spent(), *request.run);
    }
  }
  for (auto& [run, of_run] : conditions) {
    of_run.record(tools, *run);
    record_cache_model(options.counters, *run);
  }
  std::set<std::pair<const ListedProgram*, Run*>> counted;
  for (const CountingPool::Job& job : jobs) counted.emplace(job.request->program, job.request->run);
  for (const auto& [program, run] : counted) record_lines(program->program, programs.origins(), *run);
  return {};
}

namespace {

// The options that make a count what it is: --fair-sched came with 3.8.0 (August 2012), the others before it.
constexpr std::array<int, 2> kMinValgrind = {3, 8};

constexpr Nanoseconds kVersionTimeout = seconds(20);  // a loaded machine included

std::filesystem::path default_shim() {
  std::error_code ignored;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  return self.parent_path().parent_path() / "lib" / "steelyard" / kShimFile;
}

// Debian's `valgrind` is a script that adds variables to the environment (a folder of debug libraries among them) and
// then runs valgrind.bin beside it; the environment has to be ours alone.
std::filesystem::path without_wrapper(const std::filesystem::path& valgrind) {
  std::filesystem::path binary = valgrind;
  binary += ".bin";
  std::error_code ignored;
  return std::filesystem::is_regular_file(binary, ignored) ? binary : valgrind;
}

}  // namespace

bool is_old_valgrind(const std::string& version) {
  std::array<int, 2> numbers{};
  if (std::sscanf(version.c_str(), "valgrind-%d.%d", &numbers[0], &numbers[1]) != 2) return false;
  return numbers < kMinValgrind;
}

Result<CountingTools> find_counting_tools(const CountOptions& options) {
  CountingTools tools;
  const auto found = find_in_path("valgrind");
  if (!found)
    return input_error("", "valgrind was not found", "", "install the package valgrind to count instructions");
  tools.valgrind = without_wrapper(*found);
  std::error_code ignored;
  tools.shim = options.shim.empty() ? default_shim() : std::filesystem::absolute(options.shim, ignored);
  if (!std::filesystem::is_regular_file(tools.shim, ignored)) {
    return input_error("", "the counting library " + tools.shim.string() + " is missing", "",
                       "it is looked for in ../lib/steelyard/ beside the program: move the whole installation, or link "
                       "to the program where it is; a steelyard that was built without Valgrind's headers has none, so "
                       "install the package valgrind and build it again");
  }
  ChildCommand command;
  command.executable = tools.valgrind;
  command.arguments = {"--version"};
  command.timeout = kVersionTimeout;
  const Result<ChildResult> child = run_child(command);
  if (!child) return child.error();
  if (!child->succeeded()) return input_error("", "valgrind --version " + child->describe());
  tools.valgrind_version = last_line(child->output);
  if (is_old_valgrind(tools.valgrind_version)) {
    return input_error("", tools.valgrind.string() + " is " + tools.valgrind_version, "valgrind-3.8 or newer",
                       "install a newer Valgrind to count instructions");
  }
  return tools;
}

bool has_shifted_lines(const Run& run) {
  if (run.header.settings.contains(std::string(kCountReaderSetting))) return false;
  return std::any_of(run.profiles.begin(), run.profiles.end(), [](const CountedProfile& profile) {
    return !profile.sources.empty() || std::any_of(profile.functions.begin(), profile.functions.end(),
                                                   [](const ProfiledFunction& function) { return function.line > 0; });
  });
}

bool counted_other_code(const Run& run) {
  if (const std::string* code = run.environment.find(kDispatchCodeFact)) return *code == kOtherCode;
  const std::string* dispatch = run.environment.find(kDispatchFact);
  return dispatch != nullptr && read_other_code(*dispatch);
}

}  // namespace steelyard::bench

#include "bench/counting/benchmark_count.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "bench/counting/net_profile.hpp"
#include "bench/counting/unwrapped_count.hpp"
#include "bench/model/quantile.hpp"

namespace steelyard::bench {
namespace {

// Valgrind's start costs some 0.3 s; Callgrind does 20 to 50 million instructions a second. 3 + 6 million cost about as
// much as the start of the two processes.
constexpr std::int64_t kMaxInstructions = 3'000'000;
constexpr std::int64_t kMaxIterations = 10'000;

constexpr double kLargestFixedInstructions = 4000;
constexpr double kLargestFixedShare = 0.05;
constexpr double kLargestBend = 0.01;
constexpr double kLargestBendInstructions = 1000;

}  // namespace

std::int64_t choose_iterations(std::int64_t instructions_of_one) {
  std::int64_t n = 1;
  while (n < kMaxIterations && n * 10 * std::max<std::int64_t>(instructions_of_one, 1) <= kMaxInstructions) n *= 10;
  return n;
}

double instructions_per_iteration(const CountedPair& pair) {
  return static_cast<double>(pair.more_instructions - pair.instructions) /
         static_cast<double>(pair.more_iterations - pair.iterations);
}

bool looks_disproportionate(const CountedPair& pair) {
  const double all = static_cast<double>(pair.instructions);
  const double fixed = std::fabs(all - instructions_per_iteration(pair) * static_cast<double>(pair.iterations));
  return fixed > kLargestFixedInstructions && fixed > kLargestFixedShare * all;
}

bool keeps_state(const CountedPair& pair, std::int64_t third_iterations, std::int64_t third_instructions) {
  const double growth = instructions_per_iteration(pair) * static_cast<double>(third_iterations - pair.more_iterations);
  const double bend = std::fabs(static_cast<double>(third_instructions - pair.more_instructions) - growth);
  return bend > kLargestBendInstructions && bend > kLargestBend * std::fabs(growth);
}

namespace {

// a / b == c / d in whole numbers; b, d > 0.
bool are_equal_ratios(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
  // The remainders are below b and d, which are numbers of iterations: their products are in range.
  return a / b == c / d && (a % b) * d == (c % d) * b;
}

std::string threads_text(std::int64_t threads) {
  return threads == 1 ? std::string("one thread") : std::to_string(threads) + " threads";
}

}  // namespace

bool is_linear(const CountedPair& pair, std::int64_t iterations, std::int64_t instructions) {
  if (iterations >= pair.iterations || pair.iterations >= pair.more_iterations) return false;
  return are_equal_ratios(pair.more_instructions - pair.instructions, pair.more_iterations - pair.iterations,
                          pair.instructions - instructions, pair.iterations - iterations);
}

CountBasis basis_of_linear_counts(const CountedPair& pair, std::int64_t iterations) {
  CountBasis basis;
  basis.jitter = 0;
  basis.jitter_from = "one thread, timed region: " + std::to_string(iterations) + ", " +
                      std::to_string(pair.iterations) + " and " + std::to_string(pair.more_iterations) +
                      " iterations lie on one line to the last instruction";
  return basis;
}

CountBasis basis_of_equal_collections(const CountedPair& pair) {
  CountBasis basis;
  basis.jitter = 0;
  basis.jitter_from =
      "one thread, timed region: 2 of 2 collections of " + std::to_string(pair.iterations) + " iterations equal";
  return basis;
}

CountBasis basis_of_repeats(const CountRepeats& repeats) {
  CountBasis basis;
  basis.scope = repeats.scope;
  const auto [low, high] = std::minmax_element(repeats.values.begin(), repeats.values.end());
  const std::string count = std::to_string(repeats.repeats > 0 ? repeats.repeats : repeats.values.size());
  const std::string what = threads_text(repeats.threads) + ", " + std::string(to_text(repeats.scope));
  if (*low == *high && repeats.threads == 1 && repeats.scope == CountScope::timed_region) {
    basis.jitter = 0;
    basis.jitter_from = what + ": " + count + " of " + count + " equal";
    return basis;
  }
  const double middle = median(repeats.values);
  basis.jitter = std::max(kMinLearnedJitter, middle > 0 ? (*high - *low) / middle : 0);
  basis.jitter_from = what + ": learned from " + count + " repeats" + (*low == *high ? ", all equal" : "");
  return basis;
}

namespace {

// Libraries of the system are a condition; those that a project builds are what is measured, and differ in every build.
bool is_of_the_system(const std::string& file) { return file.starts_with("/usr/") || file.starts_with("/lib"); }

std::string with_build(const std::string& name, const std::string& build) {
  return build.empty() || build == "-" ? name : name + " " + build;
}

std::string allocator_text(const ShimReport& report, const std::filesystem::path& link) {
  const std::filesystem::path file = report.allocator;
  if (file == link) return "malloc of the program";
  const std::string name = "malloc " + file.filename().string();
  return is_of_the_system(report.allocator) ? with_build(name, report.allocator_build) : name;
}

}  // namespace

std::string count_key(const std::string& valgrind_version, const Collection& collection,
                      const std::filesystem::path& link) {
  const ShimReport& report = collection.report;
  std::string key = valgrind_version;
  if (!report.libc.empty()) key += ";" + with_build("glibc " + report.libc, report.libc_build);
  if (!report.allocator.empty()) key += ";" + allocator_text(report, link);
  if (!report.cpu.empty()) key += ";cpu " + report.cpu;
  // Which are plain x86-64's, whatever the host (counting_environment).
  if (!report.dispatch.empty()) key += ";libc routines " + report.dispatch;
  if (!collection.openblas_core.empty()) key += ";OpenBLAS " + collection.openblas_core;
  return key;
}

namespace {

// A third collection has four times the iterations: far enough off for a bend to show.
constexpr std::int64_t kThirdFactor = 4;

// KeepRunningBatch makes a whole batch when it is asked for one iteration, so n must not be less: then 2n would be the
// same batch. A larger one is none that ends under Callgrind.
constexpr std::int64_t kLargestBatch = 1'000'000'000;

class BenchmarkCounting {
 public:
  BenchmarkCounting(const CollectionPlace& place, const std::string& benchmark, const BenchmarkCountOptions& options)
      : place_(place), benchmark_(benchmark), options_(options) {}

  Result<BenchmarkCount> run() {
    auto hidden = place_.findings != nullptr ? place_.findings->hidden_clock() : std::nullopt;
    if (!hidden) {
      STEELYARD_TRY(Collection first, collect_iterations(1));
      if (!first.nothing_wrapped) return count_from(std::move(first));
      hidden = ProgramFindings::HiddenClock{*first.nothing_wrapped, first.report};
      // Another benchmark may be wrapped where this one ended early, but not where there is nothing to wrap.
      if (place_.findings != nullptr && has_no_names_of_google_benchmark(*place_.program)) {
        place_.findings->set_hidden_clock(*hidden);
      }
    }
    // Not where no library can be loaded.
    if (!hidden->seen.libc.empty() && place_.takes_iterations) {
      Result<BenchmarkCount> by_clock = count_by_clock();
      if (by_clock || by_clock.error().kind == ErrorKind::budget) return by_clock;
    }
    return count_unwrapped(place_, benchmark_, options_, hidden->why, hidden->seen);
  }

 private:
  Result<BenchmarkCount> count_by_clock() {
    by_clock_ = true;
    STEELYARD_TRY(Collection first, collect_iterations(1));
    if (first.nothing_wrapped) return *first.nothing_wrapped;
    STEELYARD_TRY(BenchmarkCount count, count_from(std::move(first)));
    // What a paused part costs between the clock's reads is in it, which a wrapped clock leaves out.
    count.count_key += ";switched by reads of the CPU clock";
    count.basis.jitter_from += "; switched by reads of the CPU clock";
    return count;
  }

  Result<BenchmarkCount> count_from(Collection first) {
    count_.started_at_unix_ns = first.started_at_unix_ns;
    count_.count_key = count_key(place_.tools->valgrind_version, first, place_.link);
    count_.openblas_core = first.openblas_core;
    count_.inputs = std::move(first.inputs);
    const std::int64_t iterations_of_one = first.report.iterations, instructions_of_one = first.instructions();
    const std::int64_t batch = iterations_of_one / std::max<std::int64_t>(first.report.constructed, 1);
    n_ = std::max(choose_iterations(instructions_of_one / iterations_of_one), std::min(batch, kLargestBatch));
    // The collection that chose n serves as the first of one iteration.
    STEELYARD_CHECK(n_ == 1 ? add_repeat(std::move(first)) : add_repeat());
    if (options_.repeats <= 1 && options_.threads == 1) {
      if (is_linear(pair_, iterations_of_one, instructions_of_one)) {
        count_.basis = basis_of_linear_counts(pair_, iterations_of_one);
        return std::move(count_);
      }
      STEELYARD_TRY(const Collection again, collect_iterations(n_));
      if (again.report.iterations == pair_.iterations && again.instructions() == pair_.instructions) {
        count_.basis = basis_of_equal_collections(pair_);
        return std::move(count_);
      }
    }
    STEELYARD_CHECK(repeat_until(options_.repeats));
    const bool shows_exactness = options_.threads == 1 && options_.repeats > 1 && values_are_equal();
    if (!shows_exactness) STEELYARD_CHECK(repeat_until(kLearningRepeats));
    count_.basis = basis_of_repeats({CountScope::timed_region, options_.threads, count_.values});
    return std::move(count_);
  }

  bool values_are_equal() const {
    return std::all_of(count_.values.begin(), count_.values.end(),
                       [this](double value) { return value == count_.values.front(); });
  }

  Result<void> repeat_until(int values) {
    while (static_cast<int>(count_.values.size()) < values) STEELYARD_CHECK(add_repeat());
    return {};
  }

  Result<Collection> collect_iterations(std::int64_t iterations) {
    CollectionRequest request;
    request.benchmark = benchmark_;
    request.iterations = iterations;
    request.number = options_.next_number();
    // Once is enough, and the first is the shortest.
    request.trace_files = count_.started_at_unix_ns == 0;
    request.by_clock = by_clock_;
    Result<Collection> collection = collect(place_, request);
    if (!collection) return place_.limits.unless_late(collection.error());
    count_.duration_ns += collection->duration_ns;
    return collection;
  }

  // How often the loop was entered by the clock's reads, all threads together: pauses start the clock again with the
  // number of iterations, passes whatever it is. More than are reported are a warm-up's, a memory manager's, a
  // profiler's.
  static double passes(const Collection& smaller, const Collection& larger) {
    const auto few = static_cast<double>(smaller.report.iterations);
    const auto many = static_cast<double>(larger.report.iterations);
    return (static_cast<double>(smaller.report.started) * many - static_cast<double>(larger.report.started) * few) /
           (many - few);
  }

  Result<void> add_repeat() {
    STEELYARD_TRY(Collection smaller, collect_iterations(n_));
    return add_repeat(std::move(smaller));
  }

  Result<void> add_repeat(Collection smaller) {
    STEELYARD_TRY(const Collection larger, collect_iterations(2 * n_));
    const CountedPair pair{smaller.report.iterations, smaller.instructions(), larger.report.iterations,
                           larger.instructions()};
    if (pair.more_iterations <= pair.iterations || pair.more_instructions <= pair.instructions) {
      return program_error("", "twice the iterations did not cost more instructions", "",
                           "let every iteration do the same work");
    }
    if (by_clock_ && passes(smaller, larger) > 1.5 * static_cast<double>(options_.threads * larger.repetitions)) {
      return program_error("", "it makes passes through its loop that it does not report", "", "");
    }
    count_.values.push_back(instructions_per_iteration(pair));
    count_.net_totals.push_back(net_totals(larger.part, smaller.part));
    if (count_.values.size() > 1) return {};
    pair_ = pair;
    count_.has_work_in_other_threads = has_work_in_other_threads(larger.report);
    count_.iterations = pair.more_iterations - pair.iterations;
    STEELYARD_TRY(count_.profile, subtract(larger.part, smaller.part, place_.origins));
    count_.profile.iterations = count_.iterations;
    if (looks_disproportionate(pair)) {
      STEELYARD_TRY(const Collection third, collect_iterations(kThirdFactor * n_));
      count_.keeps_state = keeps_state(pair, third.report.iterations, third.instructions());
    }
    return {};
  }

  const CollectionPlace& place_;
  const std::string& benchmark_;
  const BenchmarkCountOptions& options_;
  bool by_clock_ = false;  // nothing can be wrapped
  std::int64_t n_ = 1;
  CountedPair pair_;  // of the first repeat
  BenchmarkCount count_;
};

}  // namespace

std::vector<std::int64_t> net_totals(const CallgrindPart& larger, const CallgrindPart& smaller) {
  std::vector<std::int64_t> net = larger.totals;
  for (std::size_t event = 0; event < std::min(net.size(), smaller.totals.size()); ++event) {
    net[event] -= smaller.totals[event];
  }
  return net;
}

Result<BenchmarkCount> count_benchmark(const CollectionPlace& place, const std::string& benchmark,
                                       const BenchmarkCountOptions& options) {
  Result<BenchmarkCount> count = BenchmarkCounting(place, benchmark, options).run();
  if (count && count->has_work_in_other_threads) {
    count->basis.jitter_from += "; threads of the benchmark's own worked meanwhile and are not in it";
  }
  return count;
}

namespace {

// Whatever the values: what the predictor remembers goes back to the start of the process. Of 20 counts of one
// benchmark there were six different ones within 0.02 % (docs/guide/counters.md), and two can be equal.
constexpr std::string_view kNeverExact = "branch_mispredictions";

// One value says nothing of its exactness.
CountBasis basis_of(std::string_view metric, const std::vector<double>& values, const Measurement& instructions) {
  if (values.size() > 1) {
    CountBasis basis =
        basis_of_repeats({instructions.count_basis.scope, instructions.benchmark.threads.value_or(1), values});
    if (metric == kNeverExact && *basis.jitter < kMinLearnedJitter) {
      basis.jitter = kMinLearnedJitter;
      basis.jitter_from += "; the branch predictor's history is that of the whole process";
    }
    return basis;
  }
  CountBasis basis;
  basis.scope = instructions.count_basis.scope;
  return basis;
}

}  // namespace

void add_simulated(const BenchmarkCount& count, const CounterChoice& choice, const Measurement& instructions,
                   Run& run) {
  if (!choice.is_simulated() || instructions.invocations.empty() || count.iterations <= 0) return;
  std::map<std::string_view, std::vector<double>> values_of;
  std::vector<std::string_view> order;
  for (const std::vector<std::int64_t>& totals : count.net_totals) {
    for (const SimulatedCount& simulated : simulated_counts(count.profile.events, totals)) {
      std::vector<double>& values = values_of[simulated.metric];
      if (values.empty()) order.push_back(simulated.metric);
      values.push_back(static_cast<double>(simulated.count) / static_cast<double>(count.iterations));
    }
  }
  const InvocationSamples& samples = instructions.invocations.front();
  for (const std::string_view metric : order) {
    std::vector<double>& values = values_of[metric];
    if (std::any_of(values.begin(), values.end(), [](double value) { return value < 0; })) {
      run.failures.push_back({instructions.benchmark, std::string(metric), -1,
                              "twice the iterations had fewer of them; let every iteration do the same work"});
      continue;
    }
    Measurement measurement;
    measurement.benchmark = instructions.benchmark;
    measurement.metric = *well_known_metric(metric);
    const std::string caches = cache_key(choice);
    measurement.count_key = instructions.count_key + (caches.empty() ? "" : ";" + caches);
    measurement.count_basis = basis_of(metric, values, instructions);
    const std::vector<std::int64_t> iterations(values.size(), count.iterations);
    measurement.invocations.push_back({samples.invocation, std::move(values), iterations});
    run.measurements.push_back(std::move(measurement));
  }
}

void record_cache_model(const CounterChoice& choice, Run& run) {
  if (choice.cache) run.header.settings["counting.cache_model"] = cache_model_text();
  if (choice.branch) {
    run.header.settings["counting.branch_model"] = "Callgrind's: branches = Bc + Bi, branch_mispredictions = Bcm + Bim";
  }
}

}  // namespace steelyard::bench

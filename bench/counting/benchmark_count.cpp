#include "bench/counting/benchmark_count.hpp"

#include <algorithm>
#include <utility>

#include "bench/counting/count_key.hpp"
#include "bench/counting/exactness.hpp"
#include "bench/counting/iteration_choice.hpp"
#include "bench/counting/net_profile.hpp"
#include "bench/counting/unwrapped_count.hpp"

namespace steelyard {
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
    STEELYARD_TRY(Collection first, collect_iterations(1));
    if (first.nothing_wrapped) {
      return count_unwrapped(place_, benchmark_, options_, *first.nothing_wrapped, first.report);
    }
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
      if (lies_on_line(pair_, iterations_of_one, instructions_of_one)) {
        count_.basis = basis_of_line(pair_, iterations_of_one);
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

 private:
  bool values_are_equal() const {
    return std::all_of(count_.values.begin(), count_.values.end(),
                       [this](double value) { return value == count_.values.front(); });
  }

  Result<void> repeat_until(int values) {
    while (static_cast<int>(count_.values.size()) < values) STEELYARD_CHECK(add_repeat());
    return {};
  }

  Result<Collection> collect_iterations(std::int64_t iterations) {
    CollectionOrder order;
    order.benchmark = benchmark_;
    order.iterations = iterations;
    STEELYARD_TRY(order.timeout, time_for_one(options_));
    order.number = options_.next_number();
    // Once is enough, and the first is the shortest.
    order.trace_files = count_.started_at_unix_ns == 0;
    Result<Collection> collection = collect(place_, order);
    if (!collection) return unless_late(options_, collection.error());
    count_.duration_ns += collection->duration_ns;
    return collection;
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
  std::int64_t n_ = 1;
  CountedPair pair_;  // of the first repeat
  BenchmarkCount count_;
};

}  // namespace

Error counting_budget_spent() {
  return budget_error("", opening_of(FailureKind::not_reached) + "the budget for counting was spent", "",
                      "raise it, or count fewer benchmarks");
}

Result<Nanoseconds> time_for_one(const BenchmarkCountOptions& options) {
  const std::chrono::duration<double, std::nano> left = options.deadline - std::chrono::steady_clock::now();
  if (left.count() <= 0) {
    return counting_budget_spent();
  }
  return std::min(options.timeout, Nanoseconds(left.count()));
}

Error unless_late(const BenchmarkCountOptions& options, const Error& error) {
  const Result<Nanoseconds> left = time_for_one(options);
  return left ? error : left.error();
}

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

}  // namespace steelyard

#include "bench/counting/benchmark_count.hpp"

#include <algorithm>
#include <utility>

#include "bench/counting/count_key.hpp"
#include "bench/counting/iteration_choice.hpp"
#include "bench/counting/net_profile.hpp"

namespace steelyard {
namespace {

// A third collection has four times the iterations: far enough off for a bend to show.
constexpr std::int64_t kThirdFactor = 4;

class BenchmarkCounting {
 public:
  BenchmarkCounting(const CollectionPlace& place, const std::string& benchmark, const BenchmarkCountOptions& options)
      : place_(place), benchmark_(benchmark), options_(options) {}

  Result<BenchmarkCount> run() {
    STEELYARD_TRY(Collection first, collect_iterations(1));
    count_.started_at_unix_ns = first.started_at_unix_ns;
    count_.count_key = count_key(place_.tools->valgrind_version, first, place_.link);
    count_.openblas_core = first.openblas_core;
    n_ = choose_iterations(first.instructions() / first.report.iterations);
    for (int repeat = 0; repeat < options_.repeats; ++repeat) {
      // The collection that chose n serves as the first of one iteration.
      const bool is_here = n_ == 1 && repeat == 0;
      Result<Collection> smaller = is_here ? Result<Collection>(std::move(first)) : collect_iterations(n_);
      if (!smaller) return smaller.error();
      STEELYARD_TRY(const Collection larger, collect_iterations(2 * n_));
      STEELYARD_CHECK(add_pair(*smaller, larger, repeat == 0));
    }
    return std::move(count_);
  }

 private:
  Result<Collection> collect_iterations(std::int64_t iterations) {
    const std::chrono::duration<double, std::nano> left = options_.deadline - std::chrono::steady_clock::now();
    if (left.count() <= 0) return budget_spent();
    CollectionOrder order;
    order.benchmark = benchmark_;
    order.iterations = iterations;
    order.timeout = std::min(options_.timeout, Nanoseconds(left.count()));
    order.number = options_.next_number();
    Result<Collection> collection = collect(place_, order);
    if (!collection) {
      const bool is_late = std::chrono::steady_clock::now() >= options_.deadline;
      return is_late ? budget_spent() : collection.error();
    }
    count_.duration_ns += collection->duration_ns;
    return collection;
  }

  static Error budget_spent() {
    return program_error("", "the budget for counting was spent", "", "raise it, or count fewer benchmarks");
  }

  Result<void> add_pair(const Collection& smaller, const Collection& larger, bool is_first) {
    const CountedPair pair{smaller.report.iterations, smaller.instructions(), larger.report.iterations,
                           larger.instructions()};
    if (pair.more_iterations <= pair.iterations || pair.more_instructions <= pair.instructions) {
      return program_error("", "twice the iterations did not cost more instructions", "",
                           "let every iteration do the same work");
    }
    count_.values.push_back(instructions_per_iteration(pair));
    if (!is_first) return {};
    count_.iterations = pair.more_iterations - pair.iterations;
    STEELYARD_TRY(count_.profile, subtract(larger.part, smaller.part));
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
  BenchmarkCount count_;
};

}  // namespace

Result<BenchmarkCount> count_benchmark(const CollectionPlace& place, const std::string& benchmark,
                                       const BenchmarkCountOptions& options) {
  return BenchmarkCounting(place, benchmark, options).run();
}

}  // namespace steelyard

#include "bench/runner/sample_plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace steelyard::bench {
namespace {

// Of all samples of one process together. Above 60 ms more rounds are the better use of time; below 3 ms the clock, the
// first touch of memory and the kernel's ticks show.
constexpr std::array kTogether{milliseconds(60), milliseconds(45), milliseconds(30), milliseconds(20), milliseconds(15),
                               milliseconds(10), milliseconds(7),  milliseconds(5),  milliseconds(3)};
constexpr Nanoseconds kUsefulAlone = milliseconds(5);  // rather share processes than take less
// A program's own search ends where a try took five times its time on the clock (benchmark_runner.cc,
// ShouldReportIterationResults), whoever had the core: that is to be longer than one turn of another process.
constexpr Nanoseconds kUsefulSearched = milliseconds(10);
constexpr std::array<std::size_t, 6> kGroups{1, 2, 4, 8, 16, 32};
constexpr double kShareOfFirstLook = 0.4;
constexpr double kShareOfAll = 0.95;
// Google Benchmark's search for the number of iterations: it grows tenfold until a tenth of the time is seen, then aims
// 40 % above it (benchmark_runner.cc, PredictNumItersNeeded), and each sample is as long as the last of the search.
constexpr double kSearch = 0.6;
constexpr double kAim = 1.4;
constexpr double kSearchCalls = 3;
// One of three samples may be spoilt without the process being lost.
constexpr int kRepetitions = 3;

std::int64_t rounded(double iterations, double base) {
  constexpr double kMax = 1e12;
  if (!(iterations > 1)) return 1;
  const double power = std::round(std::log2(std::min(iterations, kMax)) / std::log2(base));
  return static_cast<std::int64_t>(std::llround(std::pow(base, power)));
}

// A plan with all samples of one process taking about `together`.
class Draft {
 public:
  Draft(const SamplePlanQuestion& question, Nanoseconds together, std::size_t group)
      : question_(&question), together_(together), group_(group) {}

  SampleSize usual() const {
    SampleSize size;
    size.repetitions = question_->repetitions > 0 ? question_->repetitions : kRepetitions;
    size.min_time = question_->min_time.count() > 0 ? question_->min_time : together_ * (1.0 / size.repetitions);
    return size;
  }

  SampleSize size(const ProcessCost& cost) const {
    SampleSize size = usual();
    // Where an iteration is longer than a sample, or setting up takes longer, as many as the time is for.
    if (question_->repetitions == 0) {
      const Nanoseconds least = std::max(cost.iteration, cost.setup);
      if (least > size.min_time) size.repetitions = std::clamp(static_cast<int>(together_ / least), 1, kRepetitions);
    }
    if (cost.exact_iterations && question_->min_time.count() == 0) {
      size.iterations = rounded(size.min_time / cost.iteration, group_ > 1 ? 4 : 2);
    }
    return size;
  }

  // Of a round of this benchmark, both sides.
  Nanoseconds of(const ProcessCost& cost) const {
    const SampleSize chosen = size(cost);
    double sample = static_cast<double>(chosen.iterations) * cost.iteration.count();
    // Warming up begins with as many iterations as a sample has.
    double search = std::max(sample, (1 + kSearch) * kWarmUp.count());
    if (chosen.iterations == 0) {
      sample = std::max(cost.iteration.count(), kAim * chosen.min_time.count());
      search = kSearch * sample;
    }
    const double calls = chosen.repetitions + (chosen.iterations > 0 ? 1 : kSearchCalls);
    const double shared = question_->start.count() + cost.once.count();
    const double fixed = shared / static_cast<double>(group_) + cost.setup.count() * calls;
    return Nanoseconds(cost.processes * (fixed + cost.overhead * (chosen.repetitions * sample + search)));
  }

  std::size_t group() const { return group_; }

 private:
  const SamplePlanQuestion* question_;
  Nanoseconds together_;
  std::size_t group_;
};

Nanoseconds round_of(const std::map<std::string, ProcessCost>& costs, const SamplePlanQuestion& question,
                     const Draft& draft) {
  Nanoseconds sum = question.copies;
  for (const auto& [name, cost] : costs) sum += draft.of(cost);
  return sum;
}

// The longest samples with which all rounds fit; else the shortest of one's own process with which the first look comes
// in time; else shared processes. Where most benchmarks search, processes are shared before samples are short.
Draft choose(const std::map<std::string, ProcessCost>& costs, const SamplePlanQuestion& question) {
  const Nanoseconds all = question.budget * (kShareOfAll / std::max(question.rounds, 1));
  const Nanoseconds first = question.budget * (kShareOfFirstLook / std::max(question.first_look, 1));
  const Nanoseconds limit = std::min(all, first);
  const auto searching = std::ranges::count_if(costs, [](const auto& one) { return !one.second.exact_iterations; });
  const bool mostly_search = 2 * static_cast<std::size_t>(searching) > costs.size();
  const Nanoseconds useful = mostly_search ? kUsefulSearched : kUsefulAlone;
  for (const Nanoseconds together : kTogether) {
    if (together < useful) break;
    const Draft draft(question, together, 1);
    if (round_of(costs, question, draft) <= limit) return draft;
  }
  const bool as_asked = question.repetitions > 0 && question.min_time.count() > 0;
  std::optional<Draft> cheapest;
  for (const Nanoseconds together : {useful, kUsefulAlone, kTogether.back()}) {
    for (const std::size_t group : kGroups) {
      if (as_asked && group > 1) break;
      const Draft draft(question, together, group);
      if (round_of(costs, question, draft) <= std::max(first, all)) return draft;
      if (!cheapest || round_of(costs, question, draft) < round_of(costs, question, *cheapest)) cheapest = draft;
    }
  }
  return *cheapest;
}

}  // namespace

SamplePlan plan_samples(const std::map<std::string, ProcessCost>& costs, const SamplePlanQuestion& question) {
  const Draft draft = choose(costs, question);
  SamplePlan plan;
  plan.group = draft.group();
  plan.round = round_of(costs, question, draft);
  plan.usual = draft.usual();
  for (const auto& [name, cost] : costs) plan.sizes.emplace(name, draft.size(cost));
  return plan;
}

const SampleSize& SamplePlan::size_of(const std::string& benchmark) const {
  const auto at = sizes.find(benchmark);
  return at == sizes.end() ? usual : at->second;
}

}  // namespace steelyard::bench

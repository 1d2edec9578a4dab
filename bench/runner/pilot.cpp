#include "bench/runner/pilot.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "bench/model/elapsed.hpp"
#include "bench/model/quantile.hpp"
#include "bench/runner/round_plan.hpp"

namespace steelyard::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Nanoseconds kSample = milliseconds(2);
// A time so short that one iteration is enough, on every version; programs that take "1x" need it only to say so.
constexpr Nanoseconds kOneIteration = nanoseconds(1000);
// What the search for the number of iterations takes, in samples (see sample_plan.cpp), the sample included.
constexpr double kWithSearch = 1.6;
constexpr Nanoseconds kMinPilotTimeout = seconds(2);  // of one process, whatever is left of the limit
// Above it a process is looked at twice, to tell what is fixed from what grows with the iterations.
constexpr Nanoseconds kUnexplained = milliseconds(3);

// One process: how long it lived, and its first sample.
struct Look {
  Nanoseconds wall;
  Nanoseconds iteration;
  std::int64_t iterations = 0;
  int repetitions = 1;
  Nanoseconds computed;  // processor time
};

// That something else has the core for.
constexpr Nanoseconds kLongestBreak = milliseconds(200);
constexpr double kMissing = 0.5;  // of an iteration's time, in which the process did not compute

class Pilot {
 public:
  explicit Pilot(const PilotPlan& plan) : plan_(plan) {}

  // Of one sample each, by side; absent: the side lacks it or failed.
  std::vector<std::optional<Look>> take(const ListedBenchmark& benchmark, const SampleSize& size, bool at_once);

  PilotOutcome run() && {
    std::vector<ListedBenchmark> all;
    for (const MeasuredSide* side : plan_.sides) {
      for (const ListedBenchmark& benchmark : side->benchmarks()) {
        if (std::find(all.begin(), all.end(), benchmark) == all.end()) all.push_back(benchmark);
      }
    }
    int done = 0;
    for (const std::size_t i : shuffled_order(all.size(), plan_.settings.seed, 0)) {
      if (plan_.limits.is_cancelled() || since(begun_) > plan_.limits.budget) break;
      if (plan_.progress) plan_.progress(all[i].name, done++, static_cast<int>(all.size()));
      look_at(all[i]);
    }
    // How many iterations each of several threads takes is the program's to share out.
    for (auto& [name, cost] : outcome_.costs) cost.exact_iterations = takes_iterations_ && cost.exact_iterations;
    outcome_.took = since(begun_);
    return std::move(outcome_);
  }

 private:
  void look_at(const ListedBenchmark& benchmark);
  void look_again(const ListedBenchmark& benchmark, std::vector<std::optional<Look>>& looks);
  void try_iterations(const ListedBenchmark& benchmark, Nanoseconds iteration);
  ProcessCost cost_of(const ListedBenchmark& benchmark, const MeasuredSide& side, const Look& look,
                      const std::optional<Look>& single) const;

  const PilotPlan& plan_;
  Clock::time_point begun_ = Clock::now();
  bool takes_iterations_ = false;  // as far as was tried
  int iteration_tries_ = 0;
  PilotOutcome outcome_;
};

std::vector<std::optional<Look>> Pilot::take(const ListedBenchmark& benchmark, const SampleSize& size, bool at_once) {
  std::vector<MeasuredSide*> sides;
  std::vector<ChildCommand> commands;
  const bool pinned = !plan_.cores.empty() && !benchmark.has_several_threads();
  for (MeasuredSide* side : plan_.sides) {
    if (!side->has(benchmark)) continue;
    const std::size_t core = at_once ? sides.size() % std::max<std::size_t>(plan_.cores.size(), 1) : 0;
    sides.push_back(side);
    commands.push_back(side->command({benchmark}, size, pinned ? std::optional(plan_.cores[core]) : std::nullopt));
    // A hang must not take what the rounds need.
    commands.back().rest_of_budget = std::max(kMinPilotTimeout, plan_.limits.budget - since(begun_));
  }
  std::vector<Result<ChildResult>> children;
  if (at_once) {
    children = run_invocations(commands, plan_.limits.cancelled);
  } else {
    for (const ChildCommand& command : commands) {
      children.push_back(run_invocations({command}, plan_.limits.cancelled).front());
    }
  }
  bool wants_log = false;
  for (std::size_t i = 0; i < sides.size(); ++i) wants_log = sides[i]->wants_log(children[i]) || wants_log;
  if (wants_log) return take(benchmark, size, at_once);
  std::vector<std::optional<Look>> looks;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    looks.emplace_back();
    if (!sides[i]->yielded(children[i])) {
      if (plan_.limits.is_cancelled()) continue;
      if (!sides[i]->runs_only_in_place(commands[i], children[i], plan_.limits.cancelled)) continue;
      for (MeasuredSide* side : plan_.sides) side->copy().run_in_place(kOnlyInPlace);
      return take(benchmark, size, at_once);
    }
    const Result<GoogleBenchmarkFile> file = sides[i]->read(*children[i]);
    if (!file) continue;
    for (const Measurement& measurement : file->measurements) {
      if (measurement.metric.name != kRealTime || measurement.invocations.empty()) continue;
      const InvocationSamples& samples = measurement.invocations.front();
      if (samples.values.empty() || samples.iterations.empty() || samples.values.front() <= 0) continue;
      looks.back() =
          Look{nanoseconds(static_cast<double>(children[i]->duration_ns)), nanoseconds(samples.values.front()),
               samples.iterations.front(), size.repetitions, children[i]->use.user_time + children[i]->use.system_time};
    }
  }
  return looks;
}

// Since 1.8 Google Benchmark takes "Nx"; a main of one's own may not, and a benchmark may have a number of its own.
void Pilot::try_iterations(const ListedBenchmark& benchmark, Nanoseconds iteration) {
  constexpr Nanoseconds kShort = milliseconds(50);  // it is run six times: Google Benchmark warms up with as many
  constexpr int kMaxTries = 3;
  if (takes_iterations_ || iteration_tries_ == kMaxTries || iteration > kShort) return;
  ++iteration_tries_;
  const bool all_new = std::all_of(plan_.sides.begin(), plan_.sides.end(),
                                   [](const MeasuredSide* side) { return side->listing().min_time_takes_unit; });
  if (!all_new) return;
  const auto looks = take(benchmark, {3, 1, kSample}, plan_.at_once);
  takes_iterations_ = !looks.empty() && std::all_of(looks.begin(), looks.end(),
                                                    [](const auto& look) { return look && look->iterations == 3; });
}

// Of the benchmark's function, in a process that searches for its number of iterations (see sample_plan.cpp).
int search_calls(const Look& look, Nanoseconds sample) {
  constexpr double kSeen = 0.1;
  if (look.iteration >= sample) return look.repetitions;
  int calls = 1 + look.repetitions;
  for (double iterations = 1; look.iteration.count() * iterations < kSeen * sample.count(); iterations *= 10) ++calls;
  return calls;
}

ProcessCost Pilot::cost_of(const ListedBenchmark& benchmark, const MeasuredSide& side, const Look& look,
                           const std::optional<Look>& single) const {
  ProcessCost cost;
  cost.iteration = look.iteration;
  const double start = side.listing().start.count();
  const double timed = kWithSearch * look.iteration.count() * static_cast<double>(look.iterations);
  const int calls = search_calls(look, kSample);
  if (!single) {
    cost.setup = nanoseconds(std::max(0.0, (look.wall.count() - timed - start) / calls));
  } else if (calls == 1) {  // then `single` is of two samples, and the second was a call more
    const double call = std::max(0.0, single->wall.count() - look.wall.count());
    cost.setup = nanoseconds(std::max(0.0, call - look.iteration.count()));
    cost.once = nanoseconds(std::max(0.0, look.wall.count() - start - call));
  } else {
    const int single_calls = search_calls(*single, kOneIteration);
    const double fixed = single->wall.count() - start;
    const double grown = look.wall.count() - start - calls * fixed / single_calls;
    cost.overhead = std::max(1.0, grown / timed);
    // What more calls do not make longer was there before the first.
    const double more = (look.wall.count() - timed - single->wall.count()) / std::max(1, calls - single_calls);
    const double setup = grown < 0 ? std::max(0.0, more) : fixed / single_calls;
    cost.setup = nanoseconds(std::max(0.0, std::min(setup, fixed / single_calls)));
    cost.once = nanoseconds(std::max(0.0, fixed - cost.setup.count() * single_calls));
  }
  const bool several_threads = benchmark.has_several_threads();
  cost.processes = plan_.sides.size() > 1 && (!plan_.at_once || several_threads) ? 2 : 1;
  cost.exact_iterations = !several_threads;
  return cost;
}

// One iteration of some milliseconds may be the benchmark's, or what something else on its core took meanwhile and the
// search took for it: then the process did not compute for as long as it lasted, and another finds more.
void Pilot::look_again(const ListedBenchmark& benchmark, std::vector<std::optional<Look>>& looks) {
  const bool may_be_cut = std::any_of(looks.begin(), looks.end(), [](const std::optional<Look>& look) {
    return look && look->iterations == 1 && look->iteration >= kSample && look->iteration < kLongestBreak &&
           look->computed < look->wall - look->iteration * kMissing;
  });
  if (!may_be_cut || plan_.limits.is_cancelled()) return;
  const auto again = take(benchmark, {0, 1, kSample}, plan_.at_once);
  for (std::size_t i = 0; i < std::min(looks.size(), again.size()); ++i) {
    if (looks[i] && again[i] && again[i]->iterations > looks[i]->iterations) looks[i] = again[i];
  }
}

void Pilot::look_at(const ListedBenchmark& benchmark) {
  auto looks = take(benchmark, {0, 1, kSample}, plan_.at_once);
  look_again(benchmark, looks);
  if (!benchmark.has_several_threads() && !looks.empty() && looks.front())
    try_iterations(benchmark, looks.front()->iteration);
  std::vector<const MeasuredSide*> sides;
  for (const MeasuredSide* side : plan_.sides) {
    if (side->has(benchmark)) sides.push_back(side);
  }
  const bool unexplained = std::any_of(looks.begin(), looks.end(), [&](const std::optional<Look>& look) {
    if (!look) return false;
    const double timed = kWithSearch * look->iteration.count() * static_cast<double>(look->iterations);
    return look->wall.count() - timed - sides.front()->listing().start.count() > kUnexplained.count();
  });
  // Of an iteration that is longer than the sample there is none shorter to be had, but one more.
  const bool is_long = std::any_of(looks.begin(), looks.end(),
                                   [](const std::optional<Look>& look) { return look && look->iteration >= kSample; });
  const auto singles = unexplained ? take(benchmark, {0, is_long ? 2 : 1, kOneIteration}, plan_.at_once)
                                   : std::vector<std::optional<Look>>(looks.size());
  for (std::size_t i = 0; i < looks.size(); ++i) {
    if (!looks[i]) continue;
    const ProcessCost cost = cost_of(benchmark, *sides[i], *looks[i], singles[i]);
    const auto [at, is_new] = outcome_.costs.emplace(benchmark.name, cost);
    if (is_new) continue;
    at->second.once = std::max(at->second.once, cost.once);
    at->second.setup = std::max(at->second.setup, cost.setup);
    at->second.iteration = std::max(at->second.iteration, cost.iteration);
    at->second.overhead = std::max(at->second.overhead, cost.overhead);
  }
}

}  // namespace

LayoutTrial try_layouts(const PilotPlan& plan) {
  constexpr std::size_t kPairs = 16;
  constexpr Nanoseconds kTrialSample = milliseconds(5);
  std::vector<ListedBenchmark> common;
  for (const ListedBenchmark& benchmark : plan.sides[0]->benchmarks()) {
    if (plan.sides[1]->has(benchmark) && !benchmark.has_several_threads()) common.push_back(benchmark);
  }
  LayoutTrial trial;
  if (common.empty()) return trial;
  const std::vector<std::size_t> order = shuffled_order(common.size(), plan.settings.seed, 1);
  const Clock::time_point begun = Clock::now();
  Pilot pilot(plan);
  std::vector<double> apart[2];  // by layout
  std::vector<std::optional<double>> first[2];
  for (const std::size_t round : {0U, 1U}) {
    for (MeasuredSide* side : plan.sides) side->copy().renew(plan.settings.seed, kTrialRounds.at(round));
    for (std::size_t i = 0; i < kPairs; ++i) {
      for (const int layout : {0, 1}) {
        const bool in_time = !plan.limits.is_cancelled() && since(begun) < plan.limits.budget * (round == 0 ? 0.5 : 1);
        std::vector<std::optional<Look>> looks;
        if (in_time) looks = pilot.take(common[order[i % order.size()]], {0, 1, kTrialSample}, layout == 0);
        std::optional<double> change;
        if (looks.size() == 2 && looks[0] && looks[1]) {
          change = std::log(looks[1]->iteration.count() / looks[0]->iteration.count());
        }
        if (round == 0) first[layout].push_back(change);
        if (round == 1 && change && first[layout][i]) apart[layout].push_back(std::fabs(*change - *first[layout][i]));
      }
    }
  }
  trial.pairs = static_cast<int>(std::min(apart[0].size(), apart[1].size()));
  if (trial.pairs < kMinTrials) return trial;
  trial.at_once = median(std::move(apart[0])) / kMedianOfPairs;
  trial.in_turn = median(std::move(apart[1])) / kMedianOfPairs;
  return trial;
}

bool turns_are_worth_it(const LayoutTrial& trial) {
  constexpr double kClearly = 1.2;
  return trial.pairs >= kMinTrials && trial.at_once > kClearly * std::sqrt(2.0) * trial.in_turn;
}

PilotOutcome run_pilot(const PilotPlan& plan) { return Pilot(plan).run(); }

}  // namespace steelyard::bench

#include "ci/measuring/measure_gates.hpp"

#include <algorithm>
#include <chrono>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/elapsed.hpp"
#include "bench/model/random.hpp"
#include "bench/runner/fresh_copy.hpp"
#include "ci/measuring/budget_clock.hpp"
#include "regress/ab/rounds.hpp"
#include "regress/compare_runs.hpp"

namespace steelyard::ci {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kShareOfCopies = 0.25;  // of the budget
constexpr int kCopies = 12;              // of each program

class GatesMeasuring {
 public:
  GatesMeasuring(const GatesPlan& plan, ProgressLine& progress, const std::atomic<bool>* cancelled)
      : plan_(plan),
        settings_(plan.configuration.run),
        clock_(settings_.budget.value_or(bench::Limits().budget)),
        progress_(progress),
        cancelled_(cancelled) {}

  Result<MeasuredGates> run() && {
    for (const bench::Program& program : plan_.programs) {
      STEELYARD_TRY(const bench::ListedProgram listed, bench::list_benchmarks(program, settings_, cancelled_));
      ListedPair pair;
      pair.baseline = pair.candidate = listed;
      listed_.push_back(std::move(pair));
    }
    Nanoseconds longest;
    for (int i = 0; i < plan_.gates && !is_cancelled(); ++i) {
      if (i > 0 && left_for_gates() < longest) {
        measured_.budget_spent = true;
        break;
      }
      const Clock::time_point begun = Clock::now();
      STEELYARD_CHECK(one(i));
      longest = std::max(longest, since(begun));
    }
    measure_copies();
    return std::move(measured_);
  }

 private:
  bool is_cancelled() const { return cancelled_ != nullptr && cancelled_->load(); }
  Nanoseconds left_for_gates() const { return clock_.left_of(clock_.whole() * (1 - kShareOfCopies)); }

  Result<void> one(int index) {
    STEELYARD_TRY(Comparison gate, judged(index, false));
    if (is_cancelled()) return {};
    std::optional<Comparison> sequential;
    if (plan_.drift) {
      STEELYARD_TRY(sequential, judged(index, true));
      if (is_cancelled()) return {};
      measured_.sequential.push_back(std::move(*sequential));
    }
    measured_.gates.push_back(std::move(gate));
    if (plan_.after_gate) plan_.after_gate(index, measured_.gates.back());
    return {};
  }

  Result<Comparison> judged(int index, bool sequential) {
    Configuration configuration = plan_.configuration;
    bench::MeasuringSettings& settings = configuration.run;
    settings.counts = bench::CountChoice::never;
    settings.counters = {};
    settings.no_solo_check = true;
    // Every gate has the same budget, as samples are planned by it: what differs in that is not one noise.
    const Nanoseconds all = clock_.whole() * ((1 - kShareOfCopies) / (plan_.drift ? 2 : 1));
    settings.budget = all * (1.0 / plan_.gates);
    if (tried_layout_) settings.layout = tried_layout_;
    if (sequential) settings.layout = Layout::sequential;
    configuration.policy.skip_time = SkipTime::never;
    const auto number = static_cast<std::uint64_t>(index);
    settings.seed = split_mix_at(settings_.seed, 2 * number + (sequential ? 1 : 0));
    const double share = (1 - kShareOfCopies) / plan_.gates;
    progress_.within({"gate " + std::to_string(index + 1) + " of " + std::to_string(plan_.gates), index * share,
                      (index + 1) * share});
    STEELYARD_TRY(MeasuredPrograms measured, measure_listed(listed_, configuration, {}, progress_, cancelled_));
    if (!sequential && measured.pair.tried_layout) tried_layout_ = measured.pair.tried_layout;
    if (!sequential) measured_.samples = measured.samples;
    ComparisonPolicy policy = comparison_policy(configuration.policy);
    policy.seed = settings.seed;
    for (Run* run : {&measured.pair.baseline, &measured.pair.candidate}) {
      run->header.seed = settings.seed;
      note_failures(*run);
    }
    // Without a calibration: an earlier one must not decide what this one sees.
    return regress::compare_runs(measured.pair.baseline, measured.pair.candidate, policy).comparison;
  }

  void measure_copies() {
    progress_.within({"copies", 1 - kShareOfCopies, 1});
    for (std::size_t i = 0; i < plan_.programs.size() && !is_cancelled(); ++i) {
      const bench::Program& program = plan_.programs[i];
      const double programs_left = static_cast<double>(plan_.programs.size() - i);
      const Nanoseconds budget = std::min(clock_.left(), clock_.whole() * kShareOfCopies) * (1 / programs_left);
      if (budget.count() <= 0) {
        measured_.no_time_for_copies = true;
        return;
      }
      const Result<bench::PageRenewal> renewal = bench::try_renewal(program, cancelled_);
      if (!renewal || renewal->pages == bench::PagesOf::kept) {
        measured_.kept_pages.push_back({program.executable.string(), renewal ? renewal->why : renewal.error().text()});
        continue;
      }
      Result<Run> run = measure_copies_of(i, budget);
      if (!run) {
        measured_.kept_pages.push_back({program.executable.string(), run.error().text()});
        continue;
      }
      std::int32_t rounds = 0;
      for (const Invocation& invocation : run->invocations) rounds = std::max(rounds, invocation.round + 1);
      const bool stopped = stop_of(run->header) != Stop::none;
      const bool too_few = rounds < regress::kRoundsOfCopy * static_cast<int>(regress::kMinCopies);
      measured_.no_time_for_copies = measured_.no_time_for_copies || (stopped && too_few);
      measured_.alone.push_back(std::move(run).value());
    }
  }

  Result<Run> measure_copies_of(std::size_t index, Nanoseconds budget) {
    bench::MeasuringSettings settings = settings_;
    settings.layout.reset();
    settings.rounds = kCopies * regress::kRoundsOfCopy;
    settings.seed = split_mix_at(settings_.seed, 2 * static_cast<std::uint64_t>(plan_.gates) + index);
    bench::TimingPlan timing;
    timing.rounds_per_copy = regress::kRoundsOfCopy;
    timing.repeat_disturbed = false;  // a repetition would have a copy of its own
    timing.progress = [this](const bench::MeasureProgress& now) {
      const std::string round = ", round " + std::to_string(now.round + 1) + " of " + std::to_string(now.rounds);
      progress_.show((now.pilot ? "trying " : "timing ") + now.benchmark + (now.pilot ? "" : round), now.done,
                     now.left);
    };
    return bench::measure_one(listed_[index].candidate, settings, timing, {budget, cancelled_});
  }

  void note_failures(const Run& run) {
    for (const Failure& failure : run.failures) {
      const std::string name =
          failure.benchmark.name.empty() ? "the program" : name_as_given(failure.benchmark.canonical());
      const std::string text = name + ": " + to_text(failure);
      const bool is_known =
          std::find(measured_.failures.begin(), measured_.failures.end(), text) != measured_.failures.end();
      const bool is_failure = failure.kind != FailureKind::not_reached && !is_skip(failure.kind);
      if (!is_known && is_failure) measured_.failures.push_back(text);
    }
  }

  const GatesPlan& plan_;
  const bench::MeasuringSettings& settings_;
  BudgetClock clock_;  // of everything
  ProgressLine& progress_;
  const std::atomic<bool>* cancelled_;
  std::vector<ListedPair> listed_;      // one a program, the same on both sides
  std::optional<Layout> tried_layout_;  // by the first gate, for all
  MeasuredGates measured_;
};

}  // namespace

Result<MeasuredGates> measure_gates(const GatesPlan& plan, ProgressLine& progress, const std::atomic<bool>* cancelled) {
  return GatesMeasuring(plan, progress, cancelled).run();
}

}  // namespace steelyard::ci

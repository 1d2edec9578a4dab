#include "ci/calibrate/measure_gates.hpp"

#include <algorithm>
#include <chrono>

#include "regress/compare_runs.hpp"

namespace steelyard {
namespace {

using Clock = std::chrono::steady_clock;

Nanoseconds since(Clock::time_point begun) {
  return Nanoseconds(std::chrono::duration<double, std::nano>(Clock::now() - begun).count());
}

// Neighbouring seeds must not give related orders (G. L. Steele, D. Lea and C. H. Flood, Fast splittable pseudorandom
// number generators, 2014: the finalizer of SplitMix64).
std::uint64_t seed_of(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

class GatesMeasuring {
 public:
  GatesMeasuring(const GatesPlan& plan, ProgressLine& progress, const std::atomic<bool>* cancelled)
      : plan_(plan), progress_(progress), cancelled_(cancelled), begun_(Clock::now()) {}

  Result<MeasuredGates> run() && {
    Nanoseconds longest;
    for (int i = 0; i < plan_.gates && !is_cancelled(); ++i) {
      if (i > 0 && left() < longest) {
        measured_.budget_spent = true;
        break;
      }
      const Clock::time_point begun = Clock::now();
      STEELYARD_CHECK(one(i));
      longest = std::max(longest, since(begun));
    }
    return std::move(measured_);
  }

 private:
  bool is_cancelled() const { return cancelled_ != nullptr && cancelled_->load(); }
  Nanoseconds left() const { return Nanoseconds(std::max(0.0, plan_.budget.count() - since(begun_).count())); }

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
    MeasuringPlan plan;
    for (const Program& program : plan_.programs) plan.programs.push_back({program, program});
    plan.settings = plan_.configuration.run;
    plan.settings.counts = CountChoice::never;
    plan.settings.counters = {};
    plan.settings.no_solo_check = true;
    plan.settings.budget = plan.budget = left();
    if (sequential) plan.settings.layout = Layout::sequential;
    plan.policy = plan_.configuration.policy;
    plan.policy.skip_time = SkipTime::never;
    const auto number = static_cast<std::uint64_t>(index);
    plan.seed = seed_of(plan_.seed, 2 * number + (sequential ? 1 : 0));
    const double gates = plan_.gates;
    progress_.within({"gate " + std::to_string(index + 1) + " of " + std::to_string(plan_.gates), index / gates,
                      (index + 1) / gates});
    STEELYARD_TRY(MeasuredPrograms measured, measure_programs(plan, progress_, cancelled_));
    ComparisonPolicy policy = comparison_policy(plan.policy);
    policy.seed = plan.seed;
    for (Run* run : {&measured.pair.baseline, &measured.pair.candidate}) {
      run->header.seed = plan.seed;
      note_failures(*run);
    }
    // Without a calibration: an earlier one must not decide what this one sees.
    return compare_runs(measured.pair.baseline, measured.pair.candidate, policy);
  }

  void note_failures(const Run& run) {
    for (const Failure& failure : run.failures) {
      const std::string name = failure.benchmark.name.empty() ? "the program" : failure.benchmark.canonical();
      const std::string text = name + ": " + failure.reason;
      const bool is_known =
          std::find(measured_.failures.begin(), measured_.failures.end(), text) != measured_.failures.end();
      if (!is_known && !failure.reason.starts_with(kNotReached)) measured_.failures.push_back(text);
    }
  }

  const GatesPlan& plan_;
  ProgressLine& progress_;
  const std::atomic<bool>* cancelled_;
  Clock::time_point begun_;
  MeasuredGates measured_;
};

}  // namespace

Result<MeasuredGates> measure_gates(const GatesPlan& plan, ProgressLine& progress, const std::atomic<bool>* cancelled) {
  return GatesMeasuring(plan, progress, cancelled).run();
}

}  // namespace steelyard

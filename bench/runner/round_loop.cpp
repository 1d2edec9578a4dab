#include "bench/runner/round_loop.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "bench/runner/conditions_watch.hpp"
#include "bench/runner/round_plan.hpp"

namespace steelyard {
namespace {

std::int32_t slot_of(Side side, std::int32_t baseline_slot) {
  return side == Side::baseline ? baseline_slot : 1 - baseline_slot;
}

}  // namespace

RoundLoop::RoundLoop(std::vector<MeasuredSide*> sides, const RoundLoopPlan& plan, const MeasureOptions& options,
                     std::chrono::steady_clock::time_point start)
    : plan_(plan), options_(options), start_(start) {
  collect(sides);
}

void RoundLoop::collect(const std::vector<MeasuredSide*>& sides) {
  std::map<std::string, std::size_t> position;
  for (MeasuredSide* side : sides) {
    for (const std::string& name : side->listing().benchmarks) {
      const auto [at, is_new] = position.emplace(name, benchmarks_.size());
      if (is_new) {
        Planned planned;
        planned.name = name;
        planned.several_threads = parse_google_benchmark_name(name).threads.value_or(1) > 1;
        planned.baseline_slots = plan_baseline_slots(plan_.rounds + plan_.rounds % 2, options_.seed, name);
        if (planned.several_threads && plan_.layout == Layout::duet) outcome_.unpaired.push_back(name);
        benchmarks_.push_back(std::move(planned));
      }
      benchmarks_[at->second].sides.push_back(side);
    }
  }
}

Nanoseconds RoundLoop::elapsed() const {
  const auto passed = std::chrono::steady_clock::now() - start_;
  return nanoseconds(static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count()));
}

RoundLoopOutcome RoundLoop::run() {
  measuring_began_ = elapsed();
  Nanoseconds step_began = measuring_began_;
  for (int round = 0; round < plan_.rounds; ++round) {
    if (round % plan_.step == 0) {
      step_began = elapsed();
      if (!has_time_for_more(round)) {
        outcome_.budget_spent = true;
        break;
      }
      drop_given_up();
    }
    if (!run_round(round)) {
      outcome_.cancelled = true;
      break;
    }
    outcome_.rounds = round + 1;
    if (outcome_.rounds % plan_.step == 0) last_step_ = elapsed() - step_began;
    if (std::find(plan_.looks.begin(), plan_.looks.end(), round + 1) == plan_.looks.end()) continue;
    end_batch(round + 1);
    if (round + 1 < plan_.rounds) look();
    if (benchmarks_left() == 0) break;
  }
  end_batch(outcome_.rounds);
  for (const Planned& planned : benchmarks_) {
    if (!planned.reached) outcome_.not_reached.push_back(planned.name);
  }
  outcome_.budget_spent = outcome_.budget_spent || !outcome_.not_reached.empty();
  return outcome_;
}

void RoundLoop::end_batch(int rounds) {
  if (rounds > batch_began_) repeat_disturbed(rounds);
  batch_began_ = rounds;
}

void RoundLoop::look() {
  if (is_cancelled()) return;
  const std::set<std::string> decided = plan_.decided();
  const std::int64_t before = benchmarks_left();
  for (Planned& planned : benchmarks_) {
    if (planned.done || !decided.contains(planned.name)) continue;
    planned.done = true;
    ++decided_;
  }
  // Those that are left take about their part of the time.
  if (before > 0) last_step_ = last_step_ * (static_cast<double>(benchmarks_left()) / static_cast<double>(before));
}

std::int64_t RoundLoop::benchmarks_left() const {
  return std::count_if(benchmarks_.begin(), benchmarks_.end(),
                       [](const Planned& planned) { return planned.reached && !planned.done; });
}

// Before the first round nothing is known of its length; it is cut short inside run_round instead.
bool RoundLoop::has_time_for_more(int round) const { return round == 0 || elapsed() + last_step_ <= options_.budget; }

// Where one side has nothing more to give, the other's further rounds would have no partner.
void RoundLoop::drop_given_up() {
  for (Planned& planned : benchmarks_) {
    planned.done = planned.done || std::any_of(planned.sides.begin(), planned.sides.end(), [&](MeasuredSide* side) {
                     return side->record().has_given_up(planned.name);
                   });
  }
}

// False where it was cancelled.
bool RoundLoop::run_round(int round) {
  pairs_left_ = benchmarks_left() * (plan_.rounds - round);
  for (const std::size_t index : shuffled_benchmarks(benchmarks_.size(), options_.seed, round)) {
    if (is_cancelled()) return false;
    Planned& planned = benchmarks_[index];
    if (round == 0 && elapsed() > options_.budget && pairs_done_ > 0) planned.reached = false;
    if (!planned.reached || planned.done) continue;
    --pairs_left_;
    report(planned.name, round);
    measure(planned, round);
    ++pairs_done_;
  }
  return !is_cancelled();
}

void RoundLoop::measure(const Planned& planned, int round) {
  std::vector<MeasuredSide*> in_order;
  for (MeasuredSide* side : planned.sides) {
    if (!side->record().has_given_up(planned.name)) in_order.push_back(side);
  }
  const std::int32_t baseline_slot = planned.baseline_slots[static_cast<std::size_t>(round)];
  std::sort(in_order.begin(), in_order.end(), [&](const MeasuredSide* a, const MeasuredSide* b) {
    return slot_of(a->side(), baseline_slot) < slot_of(b->side(), baseline_slot);
  });
  if (plan_.layout == Layout::duet && !planned.several_threads) {
    measure_at_once(planned, round, in_order);
  } else {
    measure_in_turn(planned, round, in_order);
  }
}

void RoundLoop::measure_at_once(const Planned& planned, int round, const std::vector<MeasuredSide*>& in_order) {
  const std::int32_t baseline_slot = planned.baseline_slots[static_cast<std::size_t>(round)];
  std::vector<ChildCommand> commands;
  for (const MeasuredSide* side : in_order) {
    const auto core = plan_.cores[static_cast<std::size_t>(slot_of(side->side(), baseline_slot))];
    commands.push_back(side->command(planned.name, core, padding_for(planned, round, *side)));
  }
  std::vector<std::optional<int>> cores;
  for (const ChildCommand& command : commands) cores.push_back(command.core);
  ConditionsWatch watch(std::move(cores));
  const auto children = run_children(commands, options_.cancelled);
  const auto conditions = watch.finish(children);
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    const std::int32_t slot = slot_of(in_order[i]->side(), baseline_slot);
    in_order[i]->add({planned.name, round, slot, conditions[i]}, children[i]);
  }
}

void RoundLoop::measure_in_turn(const Planned& planned, int round, const std::vector<MeasuredSide*>& in_order) {
  const std::int32_t baseline_slot = planned.baseline_slots[static_cast<std::size_t>(round)];
  for (MeasuredSide* side : in_order) {
    if (is_cancelled()) return;
    // Alone, or all of one side first: there is one slot a side, whatever the plan drew.
    const bool alternates = is_concurrent(plan_.layout);
    const std::int32_t slot = alternates ? slot_of(side->side(), baseline_slot) : slot_of(side->side(), 0);
    const std::optional<int> core = core_for(planned, round);
    ConditionsWatch watch({core});
    const auto children =
        run_children({side->command(planned.name, core, padding_for(planned, round, *side))}, options_.cancelled);
    side->add({planned.name, round, slot, watch.finish(children).front()}, children.front());
  }
}

std::size_t RoundLoop::padding_for(const Planned& planned, int round, const MeasuredSide& side) const {
  return draw_padding(options_.seed, {planned.name, round, side.side() == Side::baseline ? 0 : 1, repeating_ ? 1 : 0});
}

// One core for both sides of a pair of rounds, another for the next pair, so that no verdict hangs on one core.
std::optional<int> RoundLoop::core_for(const Planned& planned, int round) const {
  if (plan_.cores.empty() || planned.several_threads) return std::nullopt;
  return plan_.cores[static_cast<std::size_t>(round / 2) % plan_.cores.size()];
}

void RoundLoop::report(const std::string& benchmark, int round) {
  if (!options_.progress) return;
  MeasureProgress progress;
  progress.benchmark = benchmark;
  progress.round = round;
  progress.rounds = plan_.rounds;
  progress.looks = !plan_.looks.empty();
  progress.benchmarks = static_cast<int>(benchmarks_.size());
  progress.decided = decided_;
  progress.elapsed = elapsed();
  const Nanoseconds budget_left = nanoseconds(std::max(0.0, (options_.budget - progress.elapsed).count()));
  // Until one pair is done: its samples take about 1.5 times what was asked for, as Google Benchmark aims above it.
  Nanoseconds per_pair = options_.min_time * (1.5 * options_.repetitions);
  if (pairs_done_ > 0) per_pair = (progress.elapsed - measuring_began_) * (1.0 / static_cast<double>(pairs_done_));
  progress.left = std::min(budget_left, per_pair * static_cast<double>(pairs_left_ + 1));
  const Nanoseconds whole = progress.elapsed + progress.left;
  progress.done = whole.count() > 0 ? progress.elapsed / whole : 0;
  options_.progress(progress);
}

}  // namespace steelyard

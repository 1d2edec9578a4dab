#include "bench/runner/round_loop.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "bench/runner/disturbance.hpp"
#include "bench/runner/round_plan.hpp"

namespace steelyard::bench {
namespace {

// Of repetitions within a round; a stream of random numbers each.
constexpr int kStreamsOfPass = 1 << 20;
constexpr int kMaxPasses = (1 << 11) - 1;        // beyond them copies repeat their luck
constexpr Nanoseconds kMinTimeout = seconds(2);  // of one process, whatever is left of the budget

std::int32_t slot_of(Side side, std::int32_t baseline_slot) {
  return side == Side::baseline ? baseline_slot : 1 - baseline_slot;
}

}  // namespace

RoundLoop::RoundLoop(const std::vector<MeasuredSide*>& sides, const RoundLoopPlan& plan)
    : plan_(plan),
      copied_first_(plan_baseline_slots(plan.rounds + plan.rounds % 2 + 2, plan.settings.seed, "fresh copies")) {
  collect(sides);
}

void RoundLoop::collect(const std::vector<MeasuredSide*>& sides) {
  sides_ = sides;
  is_whole_ = std::any_of(sides.begin(), sides.end(), [](const MeasuredSide* side) { return side->is_whole(); });
  std::map<std::string, std::size_t> position;
  for (MeasuredSide* side : sides) {
    for (const ListedBenchmark& benchmark : side->benchmarks()) {
      const std::string& name = benchmark.name;
      const auto [at, is_new] = position.emplace(name, benchmarks_.size());
      if (is_new) {
        Planned planned;
        planned.benchmark = benchmark;
        // Benchmarks that may share a process share its slot too.
        planned.baseline_slots = plan_baseline_slots(plan_.rounds + plan_.rounds % 2, plan_.settings.seed,
                                                     plan_.samples.group > 1 ? "" : name);
        if (benchmark.has_several_threads() && plan_.layout == Layout::duet) outcome_.unpaired.push_back(name);
        benchmarks_.push_back(std::move(planned));
      }
      benchmarks_[at->second].sides.push_back(side);
    }
  }
}

Nanoseconds RoundLoop::elapsed() const {
  const auto passed = std::chrono::steady_clock::now() - plan_.start;
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
      if (plan_.timing.spend && round > 0 && benchmarks_left() == 0) break;
    }
    if (!run_round(round)) {
      outcome_.cancelled = true;
      break;
    }
    outcome_.rounds = round + 1;
    if (outcome_.rounds % plan_.step == 0) last_step_ = elapsed() - step_began;
    if (!is_look(round + 1)) continue;
    end_batch(round + 1);
    if (round + 1 < plan_.rounds) look();
    if (benchmarks_left() == 0) break;
  }
  end_batch(outcome_.rounds);
  for (const Planned& planned : benchmarks_) {
    if (!planned.reached) outcome_.not_reached.push_back(planned.benchmark);
  }
  outcome_.budget_spent = outcome_.budget_spent || !outcome_.not_reached.empty();
  return outcome_;
}

bool RoundLoop::is_look(int rounds) const {
  return plan_.decided && std::find(plan_.looks.begin(), plan_.looks.end(), rounds) != plan_.looks.end();
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
    if (planned.done) continue;
    const bool is_decided = decided.contains(planned.name());
    planned.done = is_decided || plan_.timing.first_look_only.contains(planned.name());
    if (is_decided) ++decided_;
  }
  // The benchmarks that are left take about their part of the time.
  if (before > 0) last_step_ = last_step_ * (static_cast<double>(benchmarks_left()) / static_cast<double>(before));
}

std::int64_t RoundLoop::benchmarks_left() const {
  return std::count_if(benchmarks_.begin(), benchmarks_.end(),
                       [](const Planned& planned) { return planned.reached && !planned.done; });
}

// Before the first round nothing is known of its length; it is cut short inside run_round instead.
bool RoundLoop::has_time_for_more(int round) const {
  return round == 0 || elapsed() + last_step_ <= plan_.limits.budget;
}

// Where one side has nothing more to give, the other's further rounds would have no partner.
void RoundLoop::drop_given_up() {
  for (Planned& planned : benchmarks_) {
    planned.done = planned.done || planned.is_spent;
    planned.done = planned.done || std::any_of(planned.sides.begin(), planned.sides.end(), [&](MeasuredSide* side) {
                     return side->record().has_given_up(planned.name());
                   });
  }
}

// Shuffled, as is what they hold: no benchmark always follows the same one.
std::vector<RoundLoop::Group> RoundLoop::groups_of(int round) const {
  std::vector<Group> groups;
  if (is_whole_) {
    groups.emplace_back();
    for (std::size_t index = 0; index < benchmarks_.size(); ++index) groups.back().push_back(index);
    return groups;
  }
  std::map<std::tuple<std::int64_t, int, std::size_t, bool>, std::size_t> open;  // by size, sides, threads: to fill
  for (const std::size_t index : shuffled_order(benchmarks_.size(), plan_.settings.seed, round)) {
    const Planned& planned = benchmarks_[index];
    const SampleSize& size = plan_.samples.size_of(planned.name());
    if (plan_.samples.group <= 1 || planned.alone || planned.done || !planned.reached) {
      groups.push_back({index});
      continue;
    }
    std::size_t sides = 0;
    for (const MeasuredSide* side : planned.sides) sides += side->side() == Side::baseline ? 1 : 2;
    const bool several_threads = planned.benchmark.has_several_threads();  // take turns, and no core is theirs
    const auto [at, is_new] =
        open.emplace(std::tuple(size.iterations, size.repetitions, sides, several_threads), groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second].push_back(index);
    if (groups[at->second].size() >= plan_.samples.group) open.erase(at);
  }
  return groups;
}

// False where it was cancelled.
bool RoundLoop::run_round(int round) {
  pairs_left_ = benchmarks_left() * (plan_.rounds - round);
  if (round % plan_.timing.rounds_per_copy == 0) renew_copies(round, 0, round);
  for (const Group& group : groups_of(round)) {
    if (is_cancelled()) return false;
    Group due;
    for (const std::size_t index : group) {
      Planned& planned = benchmarks_[index];
      if (round == 0 && elapsed() > plan_.limits.budget && pairs_done_ > 0) planned.reached = false;
      if (planned.reached && !planned.done) due.push_back(index);
    }
    if (due.empty()) continue;
    const auto size = static_cast<std::int64_t>(due.size());
    pairs_left_ -= size;
    report(benchmarks_[due.front()].name(), round);
    const Nanoseconds before = elapsed();
    measure(due, round);
    spend(due, elapsed() - before);
    watch();
    pairs_done_ += size;
    outcome_.measured_rounds += static_cast<int>(size);
  }
  return !is_cancelled();
}

void RoundLoop::watch() {
  if (!plan_.watch || elapsed() - watched_ < kWatchEvery) return;
  plan_.watch();
  watched_ = elapsed();
}

// Benchmarks that share a process took equal parts of it, as far as anybody can tell from outside.
void RoundLoop::spend(const Group& group, Nanoseconds time) {
  if (!plan_.timing.spend) return;
  const Nanoseconds each = time * (1.0 / static_cast<double>(group.size()));
  for (const std::size_t index : group) {
    Planned& planned = benchmarks_[index];
    if (!plan_.timing.spend(planned.benchmark.id, each)) planned.is_spent = true;
  }
}

// Whose pages are taken first must not be a side's: drawn in balanced pairs of rounds, as slots are, and the other's in
// every second pass.
void RoundLoop::renew_copies(int round, int pass, int of_round) {
  std::set<MeasuredSide*> sides;
  for (const Planned& planned : benchmarks_) sides.insert(planned.sides.begin(), planned.sides.end());
  std::vector<MeasuredSide*> ordered(sides.begin(), sides.end());
  std::sort(ordered.begin(), ordered.end(),
            [](const MeasuredSide* a, const MeasuredSide* b) { return a->side() < b->side(); });
  const bool is_candidate_first = copied_first_[static_cast<std::size_t>(round)] == 1;
  if (is_candidate_first != (pass % 2 == 1)) std::reverse(ordered.begin(), ordered.end());
  const int stream = round + pass % kMaxPasses * kStreamsOfPass;
  std::optional<std::size_t> layout;
  if (!plan_.code_layouts.empty()) {
    layout = static_cast<std::size_t>(plan_.code_layouts[static_cast<std::size_t>(of_round)]);
  }
  for (MeasuredSide* side : ordered) {
    side->copy().renew(plan_.settings.seed + (side->side() == Side::baseline ? 0 : 1), stream, layout);
  }
}

void RoundLoop::run_in_place() {
  for (const Planned& planned : benchmarks_) {
    for (MeasuredSide* side : planned.sides) side->copy().run_in_place(kOnlyInPlace);
  }
}

void RoundLoop::measure(const Group& group, int round) {
  const Planned& first = benchmarks_[group.front()];
  std::vector<MeasuredSide*> in_order;
  for (MeasuredSide* side : is_whole_ ? sides_ : first.sides) {
    if (group.size() > 1 || !side->record().has_given_up(first.name())) in_order.push_back(side);
  }
  const std::int32_t baseline_slot = first.baseline_slots[static_cast<std::size_t>(round)];
  std::sort(in_order.begin(), in_order.end(), [&](const MeasuredSide* a, const MeasuredSide* b) {
    return slot_of(a->side(), baseline_slot) < slot_of(b->side(), baseline_slot);
  });
  const bool at_once = plan_.layout == Layout::duet && !first.benchmark.has_several_threads();
  std::vector<Ran> ran = at_once ? run_at_once(group, round, in_order) : run_in_turn(group, round, in_order);
  if (is_whole_) return add_whole(group, ran);
  for (const Ran& one : ran) {
    // A command takes away what the process has just written: not for a try that is not made.
    if (one.side->yielded(one.child) || !one.side->may_try_in_place(one.child)) continue;
    const ChildCommand command = command_for(*one.side, group, round, std::nullopt);
    if (!one.side->runs_only_in_place(command, one.child, plan_.limits.cancelled)) continue;
    run_in_place();
    return measure(group, round);
  }
  // Both sides again, so that they stay a pair. What asks for aggregates only does so from the first round on.
  bool wants_log = false;
  for (const Ran& one : ran) wants_log = (round == 0 && one.side->wants_log(one.child)) || wants_log;
  if (wants_log) return measure(group, round);
  if (group.size() == 1) {
    for (const Ran& one : ran) one.side->add(one.attempt, one.child);
  } else if (!keep_shared(group, ran)) {
    for (const std::size_t index : group) {
      benchmarks_[index].alone = true;
      if (!is_cancelled()) measure({index}, round);
    }
  }
}

void RoundLoop::add_whole(const Group& group, const std::vector<Ran>& ran) {
  for (const Ran& one : ran) {
    std::vector<ListedBenchmark> wanted = listed(group);
    std::erase_if(wanted, [&](const ListedBenchmark& benchmark) { return !one.side->has(benchmark); });
    if (!wanted.empty()) one.side->add_whole(one.attempt, wanted, one.child);
  }
}

// False, and nothing is kept: some process of the round left nothing that can be read.
bool RoundLoop::keep_shared(const Group& group, std::vector<Ran>& ran) {
  std::vector<GoogleBenchmarkFile> files;
  for (const Ran& one : ran) {
    if (!one.child || !one.child->succeeded()) return false;
    Result<GoogleBenchmarkFile> file = one.side->read(*one.child);
    if (!file) return false;
    files.push_back(std::move(file).value());
  }
  for (std::size_t i = 0; i < ran.size(); ++i) {
    ran[i].side->add(ran[i].attempt, listed(group), *ran[i].child, std::move(files[i]));
  }
  return true;
}

std::vector<ListedBenchmark> RoundLoop::listed(const Group& group) const {
  std::vector<ListedBenchmark> benchmarks;
  for (const std::size_t index : group) benchmarks.push_back(benchmarks_[index].benchmark);
  return benchmarks;
}

ChildCommand RoundLoop::command_for(const MeasuredSide& side, const Group& group, int round,
                                    std::optional<int> core) const {
  const Planned& first = benchmarks_[group.front()];
  ChildCommand command =
      side.command(listed(group), plan_.samples.size_of(first.name()), core, padding_for(first, round, side));
  // What nobody has seen an end of, neither the pilot nor a round, may have none: it takes no more than what is left.
  const auto& seen = plan_.samples.sizes;
  const bool is_unseen = (round == 0 || !seen.empty()) && std::ranges::any_of(group, [&](std::size_t index) {
                           return !seen.contains(benchmarks_[index].name());
                         });
  if (is_unseen) command.rest_of_budget = std::max(kMinTimeout, plan_.limits.budget - elapsed());
  return command;
}

void RoundLoop::note_addresses(const std::vector<Result<ChildResult>>& children) {
  for (const Result<ChildResult>& child : children) {
    if (child && !child->addresses_randomized) outcome_.addresses_refused = true;
  }
}

std::vector<RoundLoop::Ran> RoundLoop::run_at_once(const Group& group, int round,
                                                   const std::vector<MeasuredSide*>& in_order) {
  const Planned& first = benchmarks_[group.front()];
  const std::int32_t baseline_slot = first.baseline_slots[static_cast<std::size_t>(round)];
  std::vector<ChildCommand> commands;
  for (const MeasuredSide* side : in_order) {
    const auto core = plan_.cores[static_cast<std::size_t>(slot_of(side->side(), baseline_slot))];
    commands.push_back(command_for(*side, group, round, core));
  }
  std::vector<std::optional<int>> cores;
  for (const ChildCommand& command : commands) cores.push_back(command.core);
  ConditionsWatch watch(std::move(cores));
  auto children = run_invocations(commands, plan_.limits.cancelled);
  note_addresses(children);
  const auto conditions = watch.finish(children);
  std::vector<Ran> ran;
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    const std::int32_t slot = slot_of(in_order[i]->side(), baseline_slot);
    ran.push_back({in_order[i], {first.benchmark, round, slot, conditions[i]}, std::move(children[i])});
  }
  return ran;
}

std::vector<RoundLoop::Ran> RoundLoop::run_in_turn(const Group& group, int round,
                                                   const std::vector<MeasuredSide*>& in_order) {
  const Planned& first = benchmarks_[group.front()];
  const std::int32_t baseline_slot = first.baseline_slots[static_cast<std::size_t>(round)];
  std::vector<Ran> ran;
  for (MeasuredSide* side : in_order) {
    if (is_cancelled()) break;
    // Alone, or all of one side first: there is one slot a side, whatever the plan drew.
    const bool alternates = is_concurrent(plan_.layout);
    const std::int32_t slot = alternates ? slot_of(side->side(), baseline_slot) : slot_of(side->side(), 0);
    const std::optional<int> core = core_for(first, round);
    ConditionsWatch watch({core});
    auto children = run_invocations({command_for(*side, group, round, core)}, plan_.limits.cancelled);
    note_addresses(children);
    const InvocationConditions conditions = watch.finish(children).front();
    ran.push_back({side, {first.benchmark, round, slot, conditions}, std::move(children.front())});
  }
  return ran;
}

std::size_t RoundLoop::padding_for(const Planned& planned, int round, const MeasuredSide& side) const {
  return draw_padding(plan_.settings.seed,
                      {planned.name(), round, side.side() == Side::baseline ? 0 : 1, repeating_ ? 1 : 0});
}

// One core for both sides of a pair of rounds, another for the next pair, so that no verdict hangs on one core. Where
// rounds share a copy one core has them all: what cores differ by must not look like what copies differ by.
std::optional<int> RoundLoop::core_for(const Planned& planned, int round) const {
  if (plan_.cores.empty() || planned.benchmark.has_several_threads()) return std::nullopt;
  if (plan_.timing.rounds_per_copy > 1) return plan_.cores.front();
  return plan_.cores[static_cast<std::size_t>(round / 2) % plan_.cores.size()];
}

void RoundLoop::report(const std::string& benchmark, int round) {
  if (!plan_.timing.progress) return;
  MeasureProgress progress;
  progress.benchmark = benchmark;
  progress.round = round;
  progress.rounds = plan_.rounds;
  progress.looks = plan_.decided != nullptr;
  progress.benchmarks = static_cast<int>(benchmarks_.size());
  progress.decided = decided_;
  progress.elapsed = elapsed();
  const Nanoseconds budget_left = nanoseconds(std::max(0.0, (plan_.limits.budget - progress.elapsed).count()));
  // A pair takes what was planned until one is done.
  Nanoseconds per_pair =
      plan_.samples.round * (1.0 / static_cast<double>(std::max<std::size_t>(benchmarks_.size(), 1)));
  if (pairs_done_ > 0) per_pair = (progress.elapsed - measuring_began_) * (1.0 / static_cast<double>(pairs_done_));
  progress.left = std::min(budget_left, per_pair * static_cast<double>(pairs_left_ + 1));
  const Nanoseconds whole = progress.elapsed + progress.left;
  progress.done = whole.count() > 0 ? progress.elapsed / whole : 0;
  plan_.timing.progress(progress);
}

// What follows measures rounds with a disturbed process again.

namespace {

// Enough for a burst of other people's work; where more is disturbed the machine itself is the matter.
constexpr int kShareRepeated = 4;  // one in four rounds
// Of the time that the measuring has taken: the rest of the budget is for rounds that tell more.
constexpr double kTimeToRepeat = 0.1;
// What was cut short says little, and is worth more.
constexpr double kTimeForCutShort = 0.25;

std::vector<Invocation> invocations_at(const SideRecord& record, const std::vector<std::uint32_t>& positions) {
  std::vector<Invocation> invocations;
  for (const std::uint32_t position : positions) invocations.push_back(record.invocation(position));
  return invocations;
}

std::vector<std::string> causes_of(const Invocation& invocation, const UsualConditions& usual, bool is_cut_short) {
  std::vector<std::string> causes = disturbed_by(invocation, usual);
  if (is_cut_short) causes.emplace_back(kCutShort);
  return causes;
}

}  // namespace

std::vector<std::vector<SearchedProcess>> RoundLoop::searched(const Planned& planned) const {
  const SampleSize& size = plan_.samples.size_of(planned.name());
  std::vector<std::vector<SearchedProcess>> sides;
  for (const MeasuredSide* side : planned.sides) {
    // A device has its own rule of how long a sample is.
    const bool searches = size.iterations == 0 && side->record().device().empty();
    sides.push_back(searches ? side->record().searched(planned.benchmark, size.repetitions)
                             : std::vector<SearchedProcess>());
  }
  return sides;
}

std::vector<std::set<std::uint32_t>> RoundLoop::cut_short(const Planned& planned) const {
  std::vector<std::set<std::uint32_t>> cut;
  for (const std::vector<SearchedProcess>& side : searched(planned)) {
    std::set<std::uint32_t>& positions = cut.emplace_back();
    for (const SearchedProcess& process : side) {
      if (is_cut_short(process, planned.search)) positions.insert(process.invocation);
    }
  }
  return cut;
}

// Marks what was disturbed of one benchmark in this batch, whose rounds end before `ended`, and yields the rounds that
// are worth repeating.
RoundLoop::ToRepeat RoundLoop::mark_disturbed(Planned& planned, int ended) {
  std::set<int> cut_rounds, disturbed_rounds;
  planned.usual.clear();
  planned.search = usual_search(searched(planned), plan_.samples.size_of(planned.name()).min_time);
  const std::vector<std::set<std::uint32_t>> cut = cut_short(planned);
  for (std::size_t i = 0; i < planned.sides.size(); ++i) {
    SideRecord& record = planned.sides[i]->record();
    const std::vector<std::uint32_t> positions = record.invocations_of(planned.name());
    planned.usual.push_back(usual_conditions(invocations_at(record, positions)));
    for (const std::uint32_t position : positions) {
      const Invocation& invocation = record.invocation(position);
      if (invocation.round < batch_began_) continue;
      std::vector<std::string> causes = causes_of(invocation, planned.usual[i], cut[i].contains(position));
      if (causes.empty()) continue;
      (cut[i].contains(position) ? cut_rounds : disturbed_rounds).insert(invocation.round);
      record.mark(position, std::move(causes));
    }
  }
  for (const int round : cut_rounds) disturbed_rounds.erase(round);
  outcome_.disturbed_rounds += static_cast<int>(cut_rounds.size() + disturbed_rounds.size());
  ToRepeat result{{cut_rounds.begin(), cut_rounds.end()}, {disturbed_rounds.begin(), disturbed_rounds.end()}};
  const auto most = static_cast<std::size_t>(std::max((ended - batch_began_) / kShareRepeated, 1));
  if (result.disturbed.size() > most) result.disturbed.resize(most);
  return result;
}

void RoundLoop::repeat_disturbed(int ended) {
  std::vector<Repetition> cut_short, disturbed;
  const int disturbed_before = outcome_.disturbed_rounds;
  std::int64_t measured = 0;
  const auto add = [](std::vector<Repetition>& repetitions, std::size_t index, const std::vector<int>& rounds) {
    for (const int round : rounds) repetitions.push_back({static_cast<int>(&round - rounds.data()), index, round});
  };
  for (std::size_t index = 0; index < benchmarks_.size(); ++index) {
    Planned& planned = benchmarks_[index];
    const ToRepeat rounds = mark_disturbed(planned, ended);
    if (!planned.reached || planned.done || planned.is_spent) continue;
    measured += ended - batch_began_;
    add(cut_short, index, rounds.cut_short);
    add(disturbed, index, rounds.disturbed);
  }
  if (2 * (outcome_.disturbed_rounds - disturbed_before) > measured) disturbed.clear();
  if (pairs_done_ == 0 || !plan_.timing.repeat_disturbed || plan_.samples.group > 1) return;
  pairs_left_ = benchmarks_left() * (plan_.rounds - ended) + static_cast<std::int64_t>(cut_short.size()) +
                static_cast<std::int64_t>(disturbed.size());
  repeated_passes_ = 0;
  if (repeat_all(std::move(cut_short), ended, kTimeForCutShort, true)) {
    repeat_all(std::move(disturbed), ended, kTimeToRepeat, false);
  }
}

bool RoundLoop::repeat_all(std::vector<Repetition> repetitions, int ended, double share, bool were_cut_short) {
  std::sort(repetitions.begin(), repetitions.end());
  int last = -1;
  for (const auto& [nth, index, round] : repetitions) {
    const Nanoseconds spent = elapsed() - measuring_began_;
    const Nanoseconds one = spent * (1.0 / static_cast<double>(pairs_done_));
    const bool enough = outcome_.repeated_rounds > 0 && repeated_ + one > spent * share;
    if (is_cancelled() || elapsed() + one > plan_.limits.budget) return false;
    if (enough) return true;
    --pairs_left_;
    // Two rounds of one benchmark must not share the luck of one copy, and each has the layout that it had.
    if (nth != last || !plan_.code_layouts.empty()) renew_copies(ended, ++repeated_passes_, round);
    last = nth;
    repeat(index, round, were_cut_short);
    ++pairs_done_;
    repeated_ += elapsed() - measuring_began_ - spent;
  }
  return true;
}

void RoundLoop::repeat(std::size_t index, int round, bool was_cut_short) {
  const Planned& planned = benchmarks_[index];
  report(planned.name(), round);
  std::vector<std::size_t> known;  // of each side, before the repetition
  for (MeasuredSide* side : planned.sides) known.push_back(side->record().invocations_of(planned.name()).size());
  repeating_ = true;
  measure({index}, round);
  repeating_ = false;
  ++outcome_.repeated_rounds;

  bool is_better = true;
  const std::vector<std::set<std::uint32_t>> cut = cut_short(planned);
  for (std::size_t i = 0; i < planned.sides.size(); ++i) {
    SideRecord& record = planned.sides[i]->record();
    const std::vector<std::uint32_t> positions = record.invocations_of(planned.name());
    if (positions.size() == known[i]) is_better = false;  // it failed, or was cancelled
    for (std::size_t n = known[i]; n < positions.size(); ++n) {
      const bool is_cut = cut[i].contains(positions[n]);
      std::vector<std::string> causes = causes_of(record.invocation(positions[n]), planned.usual[i], is_cut);
      is_better = is_better && (was_cut_short ? !is_cut : causes.empty());
      record.mark(positions[n], std::move(causes));
    }
  }
  // What does not count is kept: the first taking, or the repetition.
  for (std::size_t i = 0; i < planned.sides.size(); ++i) {
    SideRecord& record = planned.sides[i]->record();
    const std::vector<std::uint32_t> positions = record.invocations_of(planned.name());
    for (std::size_t n = 0; n < positions.size(); ++n) {
      const bool is_repetition = n >= known[i];
      if (record.invocation(positions[n]).round == round && is_repetition != is_better) record.exclude(positions[n]);
    }
  }
  if (is_better) ++outcome_.replaced_rounds;
}

}  // namespace steelyard::bench

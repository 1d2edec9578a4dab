// The measuring itself: rounds outermost, within a round every benchmark in shuffled order, each as a pair of
// processes. Because rounds are outermost, a spent budget leaves every benchmark with the same number of whole pairs of
// rounds. Each round has fresh copies of the programs (fresh_copy.hpp), or as many together as the options say.
//
// Where the plan lets benchmarks share a process, those of one size are put together anew in every round, drawn from
// the seed, both sides alike. A process that crashes, hangs or leaves no result is no loss: each of its benchmarks then
// has processes of its own, in this round and all later ones.
//
// With looks, the rounds come in batches: after each batch the judge says which benchmarks are decided, and the others
// have the time that is left; without those for which the first look is the last. Without looks there is one batch.
//
// At the end of a batch, within the budget, those of its rounds in which a process was disturbed (see disturbance) are
// measured again, both sides, in the same slots. An undisturbed repetition takes the round's place; a disturbed one
// does not, and the round stays as it was, marked. Blind to results and to sides, so that under the null hypothesis a
// round's two values can still change places. At most a quarter of a batch's rounds, each once, for at most a tenth of
// the time that the measurement has taken. Never a round of an earlier batch: a look has seen it, and what a look saw
// must not change. Where most rounds of a batch were disturbed the machine is like that, and a repetition would find it
// so again: they stand as they are, marked. So they do where benchmarks share a process.
//
// Before them come all rounds that a program's own search cut short (cut_short.hpp), for at most a quarter of the time:
// they say little of the program, and any repetition that was not cut short takes their place.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bench/runner/cut_short.hpp"
#include "bench/runner/disturbance.hpp"
#include "bench/runner/measure.hpp"
#include "bench/runner/measured_side.hpp"

namespace steelyard::bench {

// What the measurement made of what it was asked.
struct RoundLoopPlan {
  const MeasuringSettings& settings;
  const TimingPlan& timing;
  Limits limits;  // the budget counts from `start`
  std::chrono::steady_clock::time_point start;
  Layout layout = Layout::interleaved;  // duet needs two cores
  std::vector<int> cores;               // to pin to; empty: nothing is pinned
  int rounds = 0;
  int step = 2;  // stop only after a multiple of this many rounds; 1 where there is one side
  SamplePlan samples = {};
  std::vector<std::int32_t> code_layouts = {};  // of each round (round_plan.hpp); empty: programs as they were built
  std::vector<int> looks = {};                  // after so many rounds; empty: nobody looks
  // Asked at a look: benchmarks, as listed, that need no more.
  std::function<std::set<std::string>()> decided = {};
  std::function<void()> watch = {};  // called between single benchmarks, kWatchEvery apart at least; may be empty
};
inline constexpr Nanoseconds kWatchEvery = seconds(2);

struct RoundLoopOutcome {
  int rounds = 0;  // that every benchmark could have
  bool budget_spent = false;
  bool cancelled = false;
  bool addresses_refused = false;            // some process has the addresses of every other, and not as was asked for
  std::vector<ListedBenchmark> not_reached;  // the budget was spent in the first round, before these
  std::vector<std::string> unpaired;         // of several threads, so interleaved in a duet
  int repeated_rounds = 0;                   // of single benchmarks, because a process of theirs was disturbed
  int replaced_rounds = 0;                   // of these: the repetition took the round's place
  int disturbed_rounds = 0;                  // of single benchmarks, in which some process was disturbed
  int measured_rounds = 0;                   // of single benchmarks, repetitions not counted
};

class RoundLoop {
 public:
  // Every side of `sides` is measured, together. They and the plan outlive the loop.
  RoundLoop(const std::vector<MeasuredSide*>& sides, const RoundLoopPlan& plan);
  RoundLoopOutcome run();

 private:
  struct Planned {
    ListedBenchmark benchmark;
    std::vector<MeasuredSide*> sides;
    std::vector<std::int32_t> baseline_slots;
    const std::string& name() const { return benchmark.name; }
    bool alone = false;  // a process it shared failed
    bool reached = true;
    bool done = false;                   // given up by a side, decided, no more than looked at, or its budget was spent
    bool is_spent = false;               // its own budget, so that it is done after this pair of rounds
    std::vector<UsualConditions> usual;  // of each of `sides`, once the rounds are done
    UsualSearch search;                  // of all of `sides`
  };

  void collect(const std::vector<MeasuredSide*>& sides);
  bool has_time_for_more(int round) const;
  void drop_given_up();
  bool run_round(int round);
  // Positions of benchmarks that share the processes of this round.
  using Group = std::vector<std::size_t>;
  std::vector<Group> groups_of(int round) const;
  // For a pass over the rounds; `of_round`: whose layout of the code they are to have.
  void renew_copies(int round, int pass, int of_round);
  void run_in_place();

  // One process that was run, of a group.
  struct Ran {
    MeasuredSide* side = nullptr;
    Attempt attempt;
    Result<ChildResult> child;
  };
  void measure(const Group& group, int round);
  void spend(const Group& group, Nanoseconds time);
  void watch();
  void note_addresses(const std::vector<Result<ChildResult>>& children);
  std::vector<Ran> run_at_once(const Group& group, int round, const std::vector<MeasuredSide*>& in_order);
  std::vector<Ran> run_in_turn(const Group& group, int round, const std::vector<MeasuredSide*>& in_order);
  bool keep_shared(const Group& group, std::vector<Ran>& ran);
  void add_whole(const Group& group, const std::vector<Ran>& ran);
  ChildCommand command_for(const MeasuredSide& side, const Group& group, int round, std::optional<int> core) const;
  std::size_t padding_for(const Planned& planned, int round, const MeasuredSide& side) const;
  std::optional<int> core_for(const Planned& planned, int round) const;
  std::vector<ListedBenchmark> listed(const Group& group) const;
  bool is_cancelled() const { return plan_.limits.is_cancelled(); }
  bool is_look(int rounds) const;
  Nanoseconds elapsed() const;
  void report(const std::string& benchmark, int round);
  void end_batch(int rounds);
  void look();
  std::int64_t benchmarks_left() const;
  // Of one benchmark and batch, ascending: what is worth repeating.
  struct ToRepeat {
    std::vector<int> cut_short;
    std::vector<int> disturbed;
  };
  struct Repetition {
    int nth = 0;  // of its benchmark, so that a small budget reaches all
    std::size_t index = 0;
    int round = 0;
    auto operator<=>(const Repetition&) const = default;
  };
  void repeat_disturbed(int rounds);
  ToRepeat mark_disturbed(Planned& planned, int rounds);
  std::vector<std::vector<SearchedProcess>> searched(const Planned& planned) const;
  // By position in its side's run, of each of the sides.
  std::vector<std::set<std::uint32_t>> cut_short(const Planned& planned) const;
  // False: there is no time for more.
  bool repeat_all(std::vector<Repetition> repetitions, int rounds, double share, bool were_cut_short);
  void repeat(std::size_t index, int round, bool was_cut_short);

  const RoundLoopPlan& plan_;
  std::vector<std::int32_t> copied_first_;  // by round: 0 where the baseline's pages are renewed first
  std::vector<MeasuredSide*> sides_;
  bool is_whole_ = false;  // each process measures all benchmarks (MeasuredSide::is_whole)
  std::vector<Planned> benchmarks_;
  RoundLoopOutcome outcome_;
  int batch_began_ = 0;  // its first round
  int decided_ = 0;      // benchmarks
  bool repeating_ = false;
  Nanoseconds repeated_;         // time spent on repetitions
  int repeated_passes_ = 0;      // of copies, in this batch
  Nanoseconds measuring_began_;  // since the start
  Nanoseconds watched_;          // when somebody was last shown the runs
  Nanoseconds last_step_;        // what the last `step` rounds took
  std::int64_t pairs_done_ = 0;  // (benchmark, round), for the estimate
  std::int64_t pairs_left_ = 0;
};

}  // namespace steelyard::bench

// Counts the instructions of programs, both sides together and never beside timing, and adds the counts to their runs.
// What can show that the two builds are equal is counted before anything is timed, as far as a part of the budget goes;
// the rest afterwards.
#pragma once

#include <atomic>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "bench/counting/equal/counted_inputs.hpp"
#include "bench/model/run.hpp"
#include "ci/app/progress.hpp"
#include "ci/config/configuration.hpp"
#include "ci/measuring/count_plan.hpp"
#include "ci/measuring/equal_builds.hpp"
#include "ci/measuring/measure_programs.hpp"

namespace steelyard::ci {

// Whether to count: not where the user said never, nor where the policy judges no counted metric, nor (with a warning)
// where it cannot be done here. Error (input): it cannot be done and the user said always.
Result<bool> counting_wanted(const bench::MeasuringSettings& settings, const PolicySettings& policy,
                             std::vector<std::string>& warnings);

// What lacks here to count anything, kept among the settings of runs without counts (bench::kCountLackSetting), so that
// nobody is told to count. Nothing where nothing lacks. Starts a short process.
void keep_lack_of_counting(const std::vector<Run*>& runs);

// Where a program cannot be counted at all, each of its benchmarks has a Failure of kInstructions in its run. A
// candidate that is the same program as the baseline takes the baseline's counts, with the proof in their basis. A
// baseline that was counted before takes the kept counts, unless the candidate's have another key: then it is counted
// again. The candidate is always counted, or equal to what was. A process has a multiple of the settings' timeout,
// which is for its native speed. `warnings`: what the cache, in the state folder, could not read or write.
//
//     ProgramCounting counting(std::move(pairs), settings, cancelled, progress, warnings);
//     counting.begin(a_third, two_thirds);   // then time, by what counting.equal() says
//     counting.finish(what_is_left, what_timing_found);
//
// The settings, the progress and the warnings outlive this.
class ProgramCounting {
 public:
  ProgramCounting(std::vector<CountPair> pairs, const bench::MeasuringSettings& settings,
                  const std::atomic<bool>* cancelled, ProgressLine& progress, std::vector<std::string>& warnings);
  ProgramCounting(const ProgramCounting&) = delete;
  ProgramCounting& operator=(const ProgramCounting&) = delete;
  ~ProgramCounting();

  // Told of each benchmark that is counted on both sides from then on, as soon as it is: candidate over baseline.
  using Watch = std::function<void(const BenchmarkId& benchmark, double ratio)>;
  void watch(Watch watch);

  // Counts what may turn out equal: where the two programs are the same, or have symbols by which their code can be
  // compared, and it is not known already to differ. None is begun that would not be counted within the budget, by the
  // longest so far; and none after so many, where all of these differ. `later`: what is shown as left of all after
  // that.
  void begin(Nanoseconds budget, Nanoseconds later,
             std::size_t most_without_equal = std::numeric_limits<std::size_t>::max());
  // Counts what is left, all of it where nothing was begun, by need (CountPlan::by_need). What the budget does not
  // reach is a failure; but not of a benchmark that one side lacks, which comes last, because its count can be held
  // against nothing. `timed`: what timing found; without rows, nothing was timed.
  void finish(Nanoseconds budget, const Comparison& timed = {});
  const EqualBuilds& equal() const;
  Nanoseconds spent() const;  // in all
  bool is_anything_left() const;

 private:
  class CountingWork;
  std::unique_ptr<CountingWork> work_;
};

// All at once.
EqualBuilds count_programs(std::vector<CountPair> pairs, const bench::MeasuringSettings& settings,
                           const bench::Limits& limits, ProgressLine& progress, std::vector<std::string>& warnings);

// What is different with programs that use a device: the sides take turns on it, and nobody counts their instructions,
// as Callgrind cannot run what talks to a device's driver. Nor are those of commands counted that measure themselves.
class DevicePrograms {
 public:
  explicit DevicePrograms(const std::vector<ProgramPair>& programs);
  // One program without another side.
  explicit DevicePrograms(const bench::Program& alone);

  bool any() const;
  // One sentence for each program that uses a device.
  void tell(bool counting, std::vector<std::string>& warnings) const;
  // `pairs`, one for each program, without those that use a device. Counts that were demanded of these are failures.
  std::vector<CountPair> without(std::vector<CountPair> pairs, bench::CountChoice counts) const;

 private:
  struct Use {
    std::string program;
    std::string how;               // empty: none is seen
    bool measures_itself = false;  // a command that does: which instructions are a benchmark's is not known
  };
  std::vector<Use> uses_;
  bool is_alone_ = false;
};

// Reads the machine's own counters of programs that were timed before, where the settings ask for it.
// After timing and before counting: nothing else of ours runs beside it. What the machine has not, and what goes wrong
// with one program, are warnings: these counters judge nothing unless they are named.
void read_hardware(const std::vector<CountPair>& pairs, const bench::MeasuringSettings& settings,
                   const bench::Limits& limits, ProgressLine& progress, std::vector<std::string>& warnings);

}  // namespace steelyard::ci

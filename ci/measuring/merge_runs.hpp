// Runs of one program at one commit on machines of one kind as one run: the shards of a suite that several jobs
// measured, or the same benchmarks measured again. Every sample keeps its invocation, and every part's id is kept.
// What cannot be one run is refused: a merged run says the same as its parts or it is none.
//
// Not for the programs of one measurement, which one session puts together itself (run_parts.hpp).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/model/run.hpp"

namespace steelyard::ci {

inline constexpr std::size_t kMaxMergedRuns = 1000;
// The setting that lists the ids of the parts, with a blank between.
inline constexpr std::string_view kMergedSetting = "merged";
// The setting that lists the seeds of the parts, where they have several: the run itself has none then.
inline constexpr const char* kSeedsSetting = "seeds";

// A run, and what the user calls it, for messages.
struct NamedRun {
  std::string name;
  Run run;  // sealed
};

// Shards (shard.hpp) have to be all there, each once, of one split. Those of a side of a pair may come from different
// machines, in different concurrent layouts and, of a commit, from builds of their own: both sides of a benchmark were
// measured on one. The whole then calls itself interleaved and says which benchmarks were not, and its machine is what
// all of them have in common, named in `warnings`.
//
// The parts may come in any order: the result is the same. It is sealed. Where parts have a benchmark and metric in
// common their rounds are numbered one part after the other, with gaps, in the order of their dates; both sides of a
// session that are merged of the same sessions are still paired, round by round. Facts that parts say differently, none
// of which is decisive, are excluded and named in `warnings`.
//
// Errors (input): fewer than two or more than kMaxMergedRuns runs; a run twice, merged ones included; another project,
// program, commit, tool, layout or fingerprint; a session on one and not on the other; a benchmark in common of which
// either looked at its data while it was measured, or that was counted under other conditions, or whose metric has
// another unit, direction or kind; shards that planned other looks.
Result<Run> merge_runs(std::vector<NamedRun> parts, std::vector<std::string>& warnings);

}  // namespace steelyard::ci

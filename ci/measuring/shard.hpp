// The part of a suite that one machine measures where several share it. Every benchmark that either side has belongs to
// exactly one shard, the same on every machine that lists the same benchmarks and is given the same durations; both
// sides of it are measured there. merge_runs.hpp puts the parts together again.
//
//     STEELYARD_TRY(const TakenShard taken, take_shard({{2, 4}, durations_of(earlier)}, listed));
//     ...                                        // what is left in `listed` is measured
//     keep_shard(taken, run.header.settings);    // before the run is sealed
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "ci/measuring/measure_programs.hpp"

namespace steelyard::ci {

// "2/4"
struct Shard {
  int number = 1;  // from 1
  int of = 2;
  bool operator==(const Shard&) const = default;
};
inline constexpr int kMaxShards = 100;
std::string to_text(const Shard& shard);
// No shard: not of that form, fewer than 2 or more than kMaxShards, a number beyond them.
std::optional<Shard> parse_shard(std::string_view text);

// By the benchmark's name as a listing has it: what one process of it took, in ns.
using BenchmarkDurations = std::map<std::string, std::int64_t>;

// Means over the processes that timed the benchmark; one that timed several counts for each in equal parts. A benchmark
// whose processes' times are not known has none.
BenchmarkDurations durations_of(const Run& run);

// The shard of each name, from 1: the longest first, each to the shard that has least so far, ties to the first name
// and the first shard, so that no shard takes more than 4/3 of what it would in the best split (R. L. Graham, Bounds on
// multiprocessing timing anomalies, SIAM Journal on Applied Mathematics 17, 1969). A name without a duration counts as
// the median of those that have one; where none has, names are dealt out in their order. `names` ascend, each once.
// Cost O(n log n + n of).
std::vector<int> split_benchmarks(const std::vector<std::string>& names, const BenchmarkDurations& durations, int of);

struct ShardChoice {
  Shard shard;
  BenchmarkDurations durations = {};  // empty: every benchmark counts alike
};

struct TakenShard {
  Shard shard;
  std::size_t benchmarks = 0;  // that this one has
  std::size_t all = 0;
  std::string split;  // a hash of every name with its shard: equal on all machines, or they split another suite
};

// Leaves to the programs what the shard has. Error (input): more shards than benchmarks.
Result<TakenShard> take_shard(const ShardChoice& choice, std::vector<ListedPair>& programs);

// Among a run's settings: "shard", "2/4", and "shard.split".
inline constexpr std::string_view kShardSetting = "shard";
inline constexpr std::string_view kSplitSetting = "shard.split";
void keep_shard(const TakenShard& taken, std::map<std::string, std::string>& settings);
// No shard: the run is a whole.
std::optional<Shard> shard_of(const RunHeader& header);

}  // namespace steelyard::ci

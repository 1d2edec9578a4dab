// How far the count of each function moves between repeats of one binary, learned from repeats and from nothing else:
// no list of names that are known to be noisy. A change that repeats alone can make is noise of that size; a change
// beyond it is one, even in a function that varies.
//
//     STEELYARD_TRY(const LearnedNoise noise, learn_noise(repeats_of_baseline));
//     STEELYARD_TRY(const Denoised change, denoise(after_minus_before, noise));
//     show(change.kept);
//
// What it cannot promise: were all values equally likely to be the largest and the smallest, one more repeat would fall
// outside the range of n repeats in 2 of n + 1 cases. Three repeats are a hint, twenty are knowledge.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/counting/algebra/function_counts.hpp"
#include "bench/model/result.hpp"

namespace steelyard {

struct FunctionNoise {
  FunctionKey key;
  std::vector<std::int64_t> spread;  // largest - smallest count, one per event, not all 0
  bool operator==(const FunctionNoise&) const = default;
};

struct LearnedNoise {
  CountKind kind = CountKind::self;
  std::vector<std::string> events;
  std::size_t repeats = 0;               // that it was learned from
  std::vector<FunctionNoise> functions;  // those that vary, ascending by key

  // One per event; zeros for a function that does not vary, or was never seen.
  std::vector<std::int64_t> spread_of(const FunctionKey& key) const;
  bool operator==(const LearnedNoise&) const = default;
};

// A function that a repeat lacks has the count 0 there. Error (input): fewer than two repeats; self with inclusive,
// other events; a spread beyond 63 bits.
Result<LearnedNoise> learn_noise(const std::vector<FunctionCounts>& repeats);

// For each function the larger spread: of a difference between two binaries that were both repeated. `repeats` is the
// smaller number. Error (input): self with inclusive, other events.
Result<LearnedNoise> wider(const LearnedNoise& a, const LearnedNoise& b);

struct Denoised {
  FunctionCounts kept;   // changed by more than the spread in one event at least
  FunctionCounts noise;  // the others; the two add up to what was given
};

// `change`: a difference of counts. Error (input): self with inclusive, other events.
Result<Denoised> denoise(const FunctionCounts& change, const LearnedNoise& noise);

// Of counts that are no difference: the functions that do not vary at all. Error (input): likewise.
Result<FunctionCounts> steady_functions(const FunctionCounts& counts, const LearnedNoise& noise);

}  // namespace steelyard

// Whether a stretch of a program takes longer in the candidate's recordings than in the baseline's. A recording is of
// one process; what repeats in it (the steps of a loop, the passes of a benchmark) are its samples. They follow each
// other in one process, so they resemble their neighbours, and all of them share its occasion: memory, cores, guests of
// the machine. However many they are, they tell nothing of what the next process would show. So:
//
//   one process a side        an interval over the repeats of these two, no verdict
//   all of one side first     an interval over processes, no verdict: what else changed meanwhile is in it
//   processes that alternate  rounds, judged as those of `ab` are (regress/ab/effect.hpp, joint.hpp)
//
//     const std::vector<JudgedTime> judged = judge_recordings(times, order_of_recordings(starts, other_starts), {});
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bench/model/comparison.hpp"
#include "regress/ab/effect.hpp"

namespace steelyard::regress {

enum class RecordingOrder { one_each, one_after_other, alternating };
std::span<const std::string_view> words_of(RecordingOrder);

// By the times at which the processes began, in nanoseconds since 1970, in any order; 0: not known. Alternating: in the
// order of time the first two are of either side, the next two too, and so on, as in A B B A. At least one a side.
RecordingOrder order_of_recordings(std::span<const std::int64_t> baseline, std::span<const std::int64_t> candidate);

// Of recordings that alternate, by round: whether the candidate's began after the baseline's.
std::vector<bool> rounds_with_candidate_second(std::span<const std::int64_t> baseline,
                                               std::span<const std::int64_t> candidate);

// Logarithms of times, all in one unit: of each process, in the order in which they began, those of its repeats, in
// time order.
struct RecordedTimes {
  std::vector<std::vector<double>> baseline, candidate;  // at least one a side, none of them empty
};

struct RecordingQuestion {
  double level = 0.05;           // of any false verdict of a change among all times
  double minimum_effect = 0.01;  // relative
  double margin = 0.02;          // of equivalence, relative
  double confidence = 0.95;
  std::uint64_t seed = 0;
};

// Why there is no verdict.
enum class RecordingDoubt { none, one_recording, one_after_other, not_beyond_noise, below_minimum };
std::span<const std::string_view> words_of(RecordingDoubt);

struct JudgedTime {
  Verdict verdict = Verdict::inconclusive;
  RecordingDoubt doubt = RecordingDoubt::none;
  double log_ratio = 0;              // candidate over baseline
  std::optional<Interval> interval;  // of log_ratio; absent: too few repeats or processes
  bool covers_processes = false;     // the interval; else it is of the repeats of two processes alone
  std::optional<double> p;           // two-sided, of no change; of processes that alternate
  std::optional<double> q;           // adjusted over all times
};
// Of processes that alternate the k-th of each side are a round. `candidate_second`: by round; empty: nobody knows
// which side began.
std::vector<JudgedTime> judge_recordings(std::span<const RecordedTimes> times, RecordingOrder order,
                                         const RecordingQuestion& question,
                                         const std::vector<bool>& candidate_second = {});

inline constexpr std::size_t kMinRepeats = 12;  // a side, for an interval over them

// The difference of the means of two series, with Student's interval for as many independent values as their neighbours
// leave: m = n (1 - r) / (1 + r), with r the correlation of neighbours in both, as neighbour_correlation() has it
// (G. V. Bayley and J. M. Hammersley, The effective number of independent observations in an autocorrelated time
// series, 1946). The variance of a value is sum of squares / n * m / (m - 1): around their own mean values that
// resemble each other lie too near by 1 / m. The degrees of freedom, m - 1, are those of one side alone, because r is
// itself a guess: simulated, an interval of 95 % then holds the change in 93 to 97 % from kMinRepeats values a side on
// with r up to .8 (regress/ab/moments.hpp has the bias). Fewer than kMinRepeats on a side: no interval. The p of the
// result is absent.
Effect effect_of_repeats(std::span<const double> baseline, std::span<const double> candidate, double confidence);

}  // namespace steelyard::regress

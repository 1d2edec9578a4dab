// Two sides' traces held against each other: events matched by name, shapes and what they repeated in; the times of
// matched ones judged (regress/ab/recordings.hpp); of the others, who may be whom.
#pragma once

#include <string>

#include "bench/profile/trace.hpp"
#include "ci/report/trace_difference.hpp"

namespace steelyard::ci {

struct TraceSide {
  std::string name;                  // as a report names it
  std::vector<bench::Trace> traces;  // at least one
};

// Rows judged at once: what takes longest first. The others have no interval.
inline constexpr std::size_t kMaxJudgedTimes = 1000;

// Traces of one process (of one host, whose name both know) are one recording.
TraceDifference difference_of_traces(const TraceSide& baseline, const TraceSide& candidate,
                                     const regress::RecordingQuestion& question);

// Whether the k-th of one side may be the k-th of the other under another name or shape, from 0 to 1: of what is known
// of both, how alike their first 256 letters are by pairs of letters (L. R. Dice, Measures of the amount of ecologic
// association between species, 1945; weight .4), whether their shapes are the same (.25), how near their calls are
// (.2), whether they run in the same (.15).
struct LikelyGroup {
  std::string name, shapes, parent;
  double calls = 0;
};
double likeness_of(const LikelyGroup& a, const LikelyGroup& b);

}  // namespace steelyard::ci

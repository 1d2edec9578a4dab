// What counting found out about the two builds of a comparison, and what the report says of it.
#pragma once

#include <map>
#include <set>
#include <string>

#include "bench/model/comparison.hpp"
#include "ci/config/configuration.hpp"
#include "ci/report/row_text.hpp"

namespace steelyard::ci {

struct EqualBuilds {
  // By the benchmark's canonical text.
  std::map<std::string, EqualProgram> same_program;
  std::set<std::string> same_code;    // programs that differ, but not in the code that it executes
  std::set<std::string> same_counts;  // of same_code: nor in what each function costs

  // The same program, or the same code at the same cost, function by function: whatever sets it up, what is timed did
  // the same work.
  bool is_proven_equal(const std::string& benchmark) const {
    return same_program.contains(benchmark) || same_counts.contains(benchmark);
  }
};

// Where the two programs of a comparison come from.
enum class BuildOrigin {
  unknown,      // they were there
  two_commits,  // each was built of its commit
  one_build,    // the candidate's is a copy of the baseline's, as only documentation changed
};

// What may go untimed, and by whose wish.
struct TimeSkipping {
  SkipTime what = SkipTime::never;
  UntimedBy by = UntimedBy::policy;
};
// As the policy says. Where it says nothing: what two commits build to the same program, as that has no time of its own
// once counting shows that it reads the same. But a target's rate has to be measured, and so has a metric that is named
// besides time and instructions; and of two builds whoever asks for other layouts, for a number of rounds or for every
// benchmark's decision has them.
TimeSkipping time_skipping(const Configuration& configuration, BuildOrigin origin);

// Whether this benchmark goes untimed by that.
bool may_skip_time(const EqualBuilds& builds, const std::string& benchmark, SkipTime what);

// Says so at the end of the row's reason.
void add_note(RowNote note, ComparisonRow& row);

// Says of counted rows that the executed code is equal, and what each function costs, and adds a row for each metric of
// time that was not measured on such grounds: unchanged, test "none", with the reason. Where all were left untimed,
// such a metric is no longer missing in all of them. `untimed`: benchmarks that may_skip_time() let go.
void annotate_equal_builds(const EqualBuilds& builds, const std::set<std::string>& untimed, Comparison& comparison,
                           UntimedBy by = UntimedBy::policy);

}  // namespace steelyard::ci

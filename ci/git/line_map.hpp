// Where lines of a file went from one commit to another, for notes at lines that were measured in a merge commit and
// are shown in the branch's.
//
//     STEELYARD_TRY(const LineMap map, LineMap::between(repository, merge_sha, head_sha, "src/parse.cpp"));
//     map.line_after(41)   // 43; 0: that line was changed or removed
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/model/result.hpp"
#include "ci/git/repository.hpp"

namespace steelyard::ci {

class LineMap {
 public:
  // shas: full. Error (input): one of the commits is not here.
  static Result<LineMap> between(const GitRepository& repository, const std::string& from_sha,
                                 const std::string& to_sha, const std::string& path);
  // From what `git diff --unified=0` prints of one file.
  static LineMap of_diff(std::string_view diff);

  int line_after(int line) const;  // line: from 1

 private:
  struct Hunk {
    int first = 0;  // line that is replaced, or behind which lines are put where none is
    int removed = 0;
    int added = 0;
  };
  std::vector<Hunk> hunks_;  // in the order of the file
};

}  // namespace steelyard::ci

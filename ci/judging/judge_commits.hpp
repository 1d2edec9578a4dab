// Two commits of one repository, checked out side by side, built by the project's own command, and judged.
#pragma once

#include <string>
#include <vector>

#include "ci/config/configuration.hpp"
#include "ci/git/repository.hpp"
#include "ci/judging/judge.hpp"

namespace steelyard {

struct CommitPair {
  std::string baseline;   // full sha
  std::string candidate;  // full sha
};

// The programs named by --bench where it is given, else those configured. Error (input): neither.
Result<std::vector<ConfiguredProgram>> programs_to_judge(const Configuration& configuration, const std::string& bench);

// `arguments` follow those of each program's command.
ExitCode judge_commits(const GitRepository& repository, const CommitPair& commits,
                       const std::vector<ConfiguredProgram>& programs, const std::vector<std::string>& arguments,
                       const JudgeRequest& request, Streams& streams);

}  // namespace steelyard

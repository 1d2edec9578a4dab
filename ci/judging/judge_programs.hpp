// Programs measured and judged: as they stand, or as two commits of one repository have them, checked out side by side
// and built by the project's own command. And one commit built and measured alone, for a gate that has no baseline to
// measure beside it.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/model/left_processes.hpp"
#include "bench/model/run.hpp"
#include "ci/git/repository.hpp"
#include "ci/judging/judge.hpp"
#include "ci/measuring/measure_programs.hpp"
#include "ci/measuring/shard.hpp"
#include "ci/measuring/unread_change.hpp"

namespace steelyard::ci {

// What a side's own steelyard.toml says beside what holds for both.
struct OtherSide {
  std::string baselines_build = {};  // its command, where the candidate's builds both; empty: none
  std::vector<ConfiguredProgram> candidates_programs = {};  // empty: they are those that hold
  // Names of programs that the baseline's file lacks, where the candidate's was read of the work tree and its commit
  // has another: neither commit need know them.
  std::vector<std::string> programs_of_work_tree = {};
};

struct JudgeRequest {
  const Configuration& configuration;
  const JudgementOutputs& outputs;
  bool expect_every_target = false;  // a configured target that no benchmark has is undecided
  const std::atomic<bool>* cancelled = nullptr;
  bool adds_up_creep = false;           // asks the store what small changes of counts came to
  std::vector<std::string> notes = {};  // a line of the report each
  const ShardChoice* shard = nullptr;   // of the benchmarks, that is measured here; null: all
  // Both sides are one build, as they differ in this alone: where measuring has read it, nothing is judged.
  const UnreadChange* one_build = nullptr;
  OtherSide other = {};
};

// One side as the report names it.
struct SideDescription {
  std::string program;                 // as the user named it
  Commit commit = {};                  // empty sha: none
  std::filesystem::path sources = {};  // root of the project's own sources; empty: unknown
  LeftProcesses::Count left_by_build = {};
};

struct SidesToJudge {
  std::vector<ProgramPair> programs;
  SideDescription baseline;
  SideDescription candidate;
};

// `calibrations`: read before strangers' code was built, which may have written another file there.
Result<ExitCode> judge_programs(const SidesToJudge& sides, const JudgeRequest& request, KnownCalibration calibrations,
                                const App& app);
Result<ExitCode> judge_programs(const SidesToJudge& sides, const JudgeRequest& request, const App& app);

struct CommitPair {
  std::string baseline;   // full sha
  std::string candidate;  // full sha
};

// The programs named by --bench where it is given, else those configured. Error (input): neither.
Result<std::vector<ConfiguredProgram>> programs_to_judge(const Configuration& configuration, const std::string& bench);

// As the runs' headers name several programs.
std::string joined_commands(const std::vector<ConfiguredProgram>& programs);

// `arguments` follow those of each program's command.
Result<ExitCode> judge_commits(const GitRepository& repository, const CommitPair& commits,
                               const std::vector<ConfiguredProgram>& programs,
                               const std::vector<std::string>& arguments, const JudgeRequest& request, const App& app);

// What `gate` is asked.
struct GateRequest {
  std::string run;    // with --against-history: one side of compare that was measured before; empty: measures the head
  std::string base;   // empty: from the CI system's variables, else the first parent
  std::string head;   // a commit; empty: HEAD
  std::string bench;  // the program in place of those configured
  std::vector<std::string> accepted;    // "PATTERN REASON", as --accept has them
  std::filesystem::path accepted_file;  // of --accepted; empty: none
  std::optional<std::uint64_t> seed;
  JudgementOutputs outputs;
};
struct HeadMeasurement {
  Result<Run> run;              // sealed; where it was interrupted, what was measured before
  bool is_interrupted = false;  // then nothing of it passes
  std::vector<std::string> warnings = {};
};
// In a work tree of its own. The budget is shared by the programs.
HeadMeasurement measure_head(const GateRequest& request, const Configuration& configuration, const App& app);

// Said where the head is measured and differs from what lies in the folder.
void note_uncommitted(const GitRepository& repository, const std::string& head, const App& app);

}  // namespace steelyard::ci

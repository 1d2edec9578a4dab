// What ab and gate share once they know the two sides: measure, keep, compare, attribute, report, store; and the exit
// status that all of it amounts to. A verdict is reported before the store is asked for, so that no store hides one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/model/run.hpp"
#include "ci/app/exit_code.hpp"
#include "ci/app/options.hpp"
#include "ci/app/streams.hpp"
#include "ci/config/configuration.hpp"
#include "ci/measuring/measure_programs.hpp"

namespace steelyard {

struct JudgeRequest {
  const Configuration* configuration = nullptr;
  const CommonOptions* common = nullptr;
  Nanoseconds default_budget;
  std::uint64_t seed = 0;
  std::filesystem::path markdown;     // empty: none
  std::filesystem::path archive_dir;  // empty: none
  std::filesystem::path flame_dir;    // empty: none
  std::string explain;                // as AbOptions::explain
  PictureOptions pictures;
  bool no_store = false;
  bool expect_every_target = false;  // a configured target that no benchmark has is undecided
  std::string project;
  const std::atomic<bool>* cancelled = nullptr;
};

// One side as the report names it.
struct SideDescription {
  std::string program;            // as the user named it
  Commit commit;                  // empty sha: none
  std::filesystem::path sources;  // root of the project's own sources; empty: unknown
};

struct JudgedSides {
  std::vector<ProgramPair> programs;
  SideDescription baseline;
  SideDescription candidate;
};

ExitCode judge_programs(const JudgedSides& sides, const JudgeRequest& request, Streams& streams);

}  // namespace steelyard

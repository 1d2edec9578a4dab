// A suite that several machines share: all parts joined and judged at once. docs/method/judgement.md says what holds of
// the whole.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ci/app/app.hpp"
#include "ci/judging/accepted.hpp"
#include "ci/judging/judge.hpp"

namespace steelyard::ci {

// Whether it is what ab or gate left there with --archive-dir, as a shard or as a whole.
bool is_judged_folder(const std::filesystem::path& folder);

// Joins the shards and judges them as one gate over all of their benchmarks: one policy, one adjustment, one exit
// status. Errors (input): a shard is missing, there twice, or of another commit, split or policy; sides of one shard on
// two machines; what merge_runs() refuses. `accepted` holds before what the shards accepted.
Result<ExitCode> judge_shards(const std::vector<std::string>& folders, const AcceptedChanges& accepted,
                              const JudgementOutputs& outputs, const App& app);

}  // namespace steelyard::ci

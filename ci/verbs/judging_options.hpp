// The options that verbs which judge have in common: what is shown and kept, what was accepted, and of a suite that
// several machines share, which part is measured here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "bench/model/result.hpp"
#include "ci/app/app.hpp"
#include "ci/config/configuration.hpp"
#include "ci/grammar/verb.hpp"
#include "ci/judging/judge.hpp"
#include "ci/measuring/shard.hpp"

namespace steelyard::ci {

// The rows of --html, --details, --flame-dir, --explain, --svg-dir and --pictures, for whatever judges.
void add_picture_options(Verb& verb, JudgementOutputs& outputs);
// All rows but the first ones of a verb that measures, judges and keeps.
void add_judging_options(Verb& verb, JudgementOutputs& outputs, std::optional<std::uint64_t>& seed);
// The row of --accepted, for whatever judges.
VerbOption accepted_option(std::filesystem::path& file);
// The name of an option of a report; empty: none was given.
std::string report_option(const JudgementOutputs& outputs);

struct ShardOptions {
  std::string shard;      // "2/4"; empty: all is measured here
  std::string durations;  // a run, as one side of compare; empty: every benchmark counts alike
};
void add_shard_options(Verb& verb, ShardOptions& options);
// No choice: all is measured here. Error (input): no shard, or no such run.
Result<std::optional<ShardChoice>> shard_choice(const ShardOptions& options, const Configuration& configuration,
                                                const App& app);
// Error (input): a report was asked for that only the whole can give, or there is no folder for the archives.
Result<void> check_outputs_of_shard(const JudgementOutputs& outputs);

}  // namespace steelyard::ci

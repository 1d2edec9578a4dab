#include "ci/judging/judge_shards.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "ci/app/settings.hpp"
#include "ci/git/repository.hpp"
#include "ci/judging/baseline_policy.hpp"
#include "ci/judging/judge_programs.hpp"
#include "ci/judging/replay.hpp"
#include "ci/measuring/merge_runs.hpp"
#include "ci/measuring/shard.hpp"
#include "ci/report/warning_text.hpp"
#include "storage/archive/archive.hpp"
#include "storage/comparison/comparison_document.hpp"

namespace steelyard::ci {

bool is_judged_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::all_of(kJudgedFiles.begin(), kJudgedFiles.end(),
                     [&](const char* file) { return std::filesystem::is_regular_file(folder / file, ignored); });
}

namespace {

struct ShardFolder {
  std::string name;
  Run baseline;
  Run candidate;
  Comparison comparison;
};

Result<ShardFolder> read_shard(const std::string& name) {
  const std::filesystem::path folder(name);
  STEELYARD_TRY(Run baseline, storage::read_sealed_archive(folder / kBaselineFile));
  STEELYARD_TRY(Run candidate, storage::read_sealed_archive(folder / kCandidateFile));
  STEELYARD_TRY(Comparison comparison, storage::read_comparison(folder / kComparisonFile));
  const std::optional<Shard> shard = shard_of(candidate.header);
  if (!shard) {
    return input_error(name, "a whole, measured without --shard", "one of several shards",
                       "steelyard verify and steelyard compare take it as it is");
  }
  if (shard_of(baseline.header) != shard || baseline.header.session != candidate.header.session) {
    return input_error(name, "sides of two measurements", "both sides of one shard");
  }
  if (comparison.baseline.id != baseline.header.id || comparison.candidate.id != candidate.header.id) {
    return input_error((folder / kComparisonFile).string(), "a comparison of other runs",
                       "that of the archives beside it");
  }
  if (baseline.environment.fingerprint() != candidate.environment.fingerprint()) {
    return input_error(name, "sides of two machines", "both sides of a shard measured on one");
  }
  return ShardFolder{name, std::move(baseline), std::move(candidate), std::move(comparison)};
}

constexpr const char* kOnePolicy =
    "measure all shards with the same steelyard.toml and options, on machines for which the same [[policy]] tables "
    "hold";

Result<void> check_policies(const std::vector<ShardFolder>& shards) {
  const ShardFolder& first = shards.front();
  for (const ShardFolder& shard : shards) {
    // Seeds are each machine's own, and decide nothing.
    const auto found = differing_fields(first.comparison.policy, shard.comparison.policy, "not set");
    if (found.empty()) continue;
    const FieldDifference& one = found.front();
    return input_error(shard.name, one.field + ' ' + one.recomputed,
                       "that of " + first.name + ", " + one.field + ' ' + one.kept, kOnePolicy);
  }
  return {};
}

void add_once(const std::vector<std::string>& more, std::vector<std::string>& lines) {
  for (const std::string& line : more) {
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  }
}

// What the whole is judged by: the shards' policy, what they say of equal builds and small steps, and the calibration
// that all of them had.
Comparison as_asked(std::vector<ShardFolder>& shards, std::vector<std::string>& warnings) {
  Comparison asked;
  asked.policy = shards.front().comparison.policy;
  asked.rule_version = shards.front().comparison.rule_version;
  asked.calibration = shards.front().comparison.calibration;
  bool any_other = false;
  for (ShardFolder& shard : shards) {
    any_other = any_other || shard.comparison.calibration != asked.calibration;
    for (ComparisonRow& row : shard.comparison.rows) asked.rows.push_back(std::move(row));
    std::erase(shard.comparison.warnings, warning::shard_alone(to_text(*shard_of(shard.candidate.header))));
    add_once(shard.comparison.warnings, warnings);
  }
  if (any_other) {
    asked.calibration.reset();
    warnings.push_back(warning::shards_calibrated_apart());
  }
  return asked;
}

Result<Run> merged_side(std::vector<ShardFolder>& shards, Run ShardFolder::*side, const char* file,
                        std::vector<std::string>& warnings) {
  std::vector<NamedRun> parts;
  for (ShardFolder& shard : shards) {
    parts.push_back({(std::filesystem::path(shard.name) / file).string(), std::move(shard.*side)});
  }
  std::vector<std::string> own;
  STEELYARD_TRY(Run whole, merge_runs(std::move(parts), own));
  add_once(own, warnings);
  return whole;
}

// Targets and what has to be judged are said by the baseline's file, as in a gate of the whole.
Result<Configuration> configuration_of(const RunHeader& baseline, const App& app, std::vector<std::string>& warnings) {
  STEELYARD_TRY(Configuration configuration, effective_configuration(app));
  const Nanoseconds usual = bench::Limits().budget;
  if (!configuration.run.budget) configuration.run.budget = usual;
  if (baseline.commit.sha.empty()) return configuration;
  const Result<GitRepository> repository = GitRepository::find(std::filesystem::current_path());
  if (!repository) return configuration;
  const Result<std::string> commit = resolve_deepening(*repository, baseline.commit.sha);
  // Shards can be judged far from the repository that they are of, where no file says anything.
  if (!commit && configuration.file.empty()) return configuration;
  if (!commit) return commit.error();
  STEELYARD_TRY(GateConfiguration judged, with_baseline_policy(configuration, *repository, {*commit, ""}, usual, app));
  add_once(judged.notes, warnings);
  return std::move(judged.configuration);
}

}  // namespace

Result<ExitCode> judge_shards(const std::vector<std::string>& folders, const AcceptedChanges& accepted,
                              const JudgementOutputs& outputs, const App& app) {
  std::vector<ShardFolder> shards;
  if (folders.size() > static_cast<std::size_t>(kMaxShards)) {
    return input_error("steelyard merge", std::to_string(folders.size()) + " shards",
                       "at most " + std::to_string(kMaxShards));
  }
  for (const std::string& folder : folders) {
    STEELYARD_TRY(ShardFolder shard, read_shard(folder));
    shards.push_back(std::move(shard));
  }
  std::sort(shards.begin(), shards.end(), [](const ShardFolder& a, const ShardFolder& b) {
    return shard_of(a.candidate.header)->number < shard_of(b.candidate.header)->number;
  });
  std::vector<std::string> warnings;
  Comparison asked = as_asked(shards, warnings);
  STEELYARD_TRY(const Run baseline, merged_side(shards, &ShardFolder::baseline, kBaselineFile, warnings));
  STEELYARD_TRY(const Run candidate, merged_side(shards, &ShardFolder::candidate, kCandidateFile, warnings));
  STEELYARD_CHECK(check_policies(shards));
  // Each shard kept the tables for its machine; the whole has no one machine that could be asked again.
  for (PatternPolicy& table : asked.policy.patterns) table.machine.clear();
  // Kept, the tables stand from the last to the first.
  asked.policy.patterns.insert(asked.policy.patterns.begin(), accepted.tables.begin(), accepted.tables.end());
  add_once(accepted.notes, warnings);
  STEELYARD_TRY(const Configuration configuration, configuration_of(baseline.header, app, warnings));

  const auto compare = [&] {
    Comparison comparison = judged_as(asked, baseline, candidate);
    add_once(warnings, comparison.warnings);
    return comparison;
  };
  JudgingPlan plan{configuration, outputs, baseline, candidate, compare};
  plan.from = SidesFrom::before;
  plan.expects_every_target = configuration.run.filter.empty() && !configuration.programs.empty() &&
                              candidate.header.program == joined_commands(configuration.programs);
  const ExitCode code = judge_runs(plan, app);
  const bool is_interrupted = stop_of(candidate.header) == Stop::interrupted;
  return is_interrupted ? worse(code, ExitCode::not_judged) : code;
}

}  // namespace steelyard::ci

#include "ci/app/cancellation.hpp"
#include "ci/app/keeping.hpp"
#include "ci/app/messages.hpp"
#include "ci/app/settings.hpp"
#include "ci/git/caller_environment.hpp"
#include "ci/judging/against_history.hpp"
#include "ci/judging/base_commit.hpp"
#include "ci/judging/judge_commits.hpp"
#include "ci/verbs/verbs.hpp"

namespace steelyard {
namespace {

constexpr Nanoseconds kGateBudget = seconds(600);  // of measuring; the contract's default

Result<bool> is_against_history(const GateOptions& options, const Configuration& configuration) {
  const bool wanted = configuration.gate.against_history;
  if (!wanted && !options.run.empty()) {
    return input_error("--run", "no --against-history",
                       "both: a run that was measured alone has no baseline beside it");
  }
  if (wanted && !options.base.empty()) {
    return input_error("--base", "a baseline and --against-history", "one of them");
  }
  if (!options.run.empty() && !(options.head.empty() && options.bench.empty())) {
    return input_error("--run", "a run that was measured, and --head or --bench, which say what to measure",
                       "one of them");
  }
  return wanted;
}

struct GatePlan {
  Configuration configuration;
  std::vector<ConfiguredProgram> programs;
  GitRepository repository;
  CommitPair commits;
  std::string why;  // the baseline is that commit
};

Result<GatePlan> plan_gate(const GateOptions& options) {
  STEELYARD_TRY(Configuration configuration, effective_configuration(options.common));
  if (!options.no_store) {
    if (const Result<StoreAddress> address = store_address(configuration); !address) return address.error();
  }
  STEELYARD_TRY(std::vector<ConfiguredProgram> programs, programs_to_judge(configuration, options.bench));
  STEELYARD_TRY(GitRepository repository, GitRepository::find(std::filesystem::current_path()));
  STEELYARD_TRY(std::string head, resolve_deepening(repository, options.head.empty() ? "HEAD" : options.head));
  BaseChoice base{options.base, "--base"};
  if (options.base.empty()) {
    STEELYARD_TRY(const std::vector<std::string> parents, repository.parents(head));
    base = default_base(caller_environment(), options.head, parents.size());
  }
  STEELYARD_TRY(std::string base_sha, resolve_deepening(repository, base.name));
  return GatePlan{std::move(configuration),
                  std::move(programs),
                  std::move(repository),
                  {std::move(base_sha), std::move(head)},
                  base.why};
}

}  // namespace

ExitCode do_gate(const GateOptions& options, Streams& streams) {
  const Result<Configuration> configuration = effective_configuration(options.common);
  if (!configuration) return report_error(configuration.error(), streams);
  const Result<bool> against_history = is_against_history(options, *configuration);
  if (!against_history) return report_error(against_history.error(), streams);
  if (*against_history) return gate_against_history(options, *configuration, streams);
  const Result<GatePlan> plan = plan_gate(options);
  if (!plan) return report_error(plan.error(), streams);
  if (options.base.empty()) {
    note("baseline: " + plan->commits.baseline.substr(0, 7) + ", " + plan->why, options.common, streams);
  }
  const Result<bool> dirty = plan->repository.is_dirty();
  if (options.head.empty() && dirty && *dirty) {
    note("the work tree has changes that are not committed: they are not measured", options.common, streams);
  }
  const Cancellation cancellation;
  JudgeRequest request;
  request.configuration = &plan->configuration;
  request.common = &options.common;
  request.default_budget = kGateBudget;
  request.seed = seed_or_draw(options.seed);
  request.markdown = options.markdown;
  request.archive_dir = options.archive_dir;
  request.flame_dir = options.flame_dir;
  request.explain = options.explain;
  request.pictures = options.pictures;
  request.no_store = options.no_store;
  request.project = project_name(plan->configuration);
  request.cancelled = cancellation.flag();
  // One program in place of those configured may have a part of the benchmarks only.
  request.expect_every_target = options.bench.empty();
  return judge_commits(plan->repository, plan->commits, plan->programs, {}, request, streams);
}

}  // namespace steelyard

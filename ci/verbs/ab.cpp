#include <system_error>

#include "ci/app/cancellation.hpp"
#include "ci/app/keeping.hpp"
#include "ci/app/messages.hpp"
#include "ci/app/settings.hpp"
#include "ci/judging/judge_commits.hpp"
#include "ci/verbs/verbs.hpp"

namespace steelyard {
namespace {

constexpr Nanoseconds kAbBudget = seconds(120);  // of measuring; the contract's default

bool is_file(const std::string& name) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(name, ignored);
}

// Why neither reading of the two names holds.
Error neither_files_nor_commits(const AbOptions& options, const Error& as_commit) {
  std::string files;
  for (const std::string& name : {options.baseline, options.candidate}) {
    if (!is_file(name)) files += (files.empty() ? "" : " and ") + ('"' + name + '"');
  }
  return input_error("steelyard ab",
                     "neither two files (no file " + files + ") nor two commits (" + as_commit.text() + ')',
                     "two executables, or two commits of this repository");
}

Program program_of(const std::string& path, const AbOptions& options) {
  Program program;
  program.executable = path;
  program.arguments = options.arguments;
  return program;
}

ExitCode judge_files(const AbOptions& options, const JudgeRequest& request, Streams& streams) {
  if (!options.bench.empty()) note("two executables: --bench is not used", options.common, streams);
  JudgedSides sides;
  sides.programs = {{program_of(options.baseline, options), program_of(options.candidate, options)}};
  sides.baseline.program = options.baseline;
  sides.candidate.program = options.candidate;
  return judge_programs(sides, request, streams);
}

struct RepositoryCommits {
  GitRepository repository;
  CommitPair commits;
};
Result<RepositoryCommits> resolve_both(const AbOptions& options) {
  STEELYARD_TRY(GitRepository repository, GitRepository::find(std::filesystem::current_path()));
  STEELYARD_TRY(std::string baseline, resolve_deepening(repository, options.baseline));
  STEELYARD_TRY(std::string candidate, resolve_deepening(repository, options.candidate));
  return RepositoryCommits{std::move(repository), {std::move(baseline), std::move(candidate)}};
}

}  // namespace

ExitCode do_ab(const AbOptions& options, Streams& streams) {
  const Result<Configuration> configuration = effective_configuration(options.common);
  if (!configuration) return report_error(configuration.error(), streams);
  if (!options.no_store) {
    if (const auto address = store_address(*configuration); !address) return report_error(address.error(), streams);
  }
  const Cancellation cancellation;
  JudgeRequest request;
  request.configuration = &*configuration;
  request.common = &options.common;
  request.default_budget = kAbBudget;
  request.seed = seed_or_draw(options.seed);
  request.markdown = options.markdown;
  request.archive_dir = options.archive_dir;
  request.flame_dir = options.flame_dir;
  request.explain = options.explain;
  request.pictures = options.pictures;
  request.no_store = options.no_store;
  request.project = project_name(*configuration);
  request.cancelled = cancellation.flag();
  if (is_file(options.baseline) && is_file(options.candidate)) return judge_files(options, request, streams);
  const Result<RepositoryCommits> found = resolve_both(options);
  if (!found) return report_error(neither_files_nor_commits(options, found.error()), streams);
  const Result<std::vector<ConfiguredProgram>> programs = programs_to_judge(*configuration, options.bench);
  if (!programs) return report_error(programs.error(), streams);
  return judge_commits(found->repository, found->commits, *programs, options.arguments, request, streams);
}

}  // namespace steelyard

#include "ci/judging/judge_commits.hpp"

#include <ostream>
#include <system_error>

#include "ci/app/messages.hpp"
#include "ci/git/work_tree_pair.hpp"
#include "ci/measuring/build.hpp"
#include "ci/measuring/program_in_tree.hpp"

namespace steelyard {
namespace {

std::string short_sha(const std::string& sha) { return sha.substr(0, 7); }

Result<std::vector<ProgramPair>> programs_in_trees(const WorkTreePair& trees,
                                                   const std::vector<ConfiguredProgram>& programs,
                                                   const std::vector<std::string>& arguments) {
  // With one program the names stay what the program itself says.
  const bool with_suite = programs.size() > 1;
  std::vector<ProgramPair> pairs;
  for (const ConfiguredProgram& configured : programs) {
    STEELYARD_TRY(Program baseline, program_in_tree(configured, trees.base(), arguments, with_suite));
    STEELYARD_TRY(Program candidate, program_in_tree(configured, trees.head(), arguments, with_suite));
    pairs.push_back({std::move(baseline), std::move(candidate)});
  }
  return pairs;
}

// The build may say where it puts a program only by doing it, so this is looked at afterwards.
Result<void> check_built(const std::vector<ProgramPair>& pairs, const WorkTreePair& trees, bool was_built) {
  for (const ProgramPair& pair : pairs) {
    std::error_code ignored;
    if (std::filesystem::exists(pair.candidate.executable, ignored)) continue;
    const std::string path = pair.candidate.executable.lexically_relative(trees.head()).string();
    const bool baseline_has = std::filesystem::exists(pair.baseline.executable, ignored);
    if (baseline_has) return program_error(path, "no such file after the candidate's build", "the benchmark program");
    return input_error(path, was_built ? "no such file after the build" : "no such file, and no build command",
                       "the benchmark program in the work tree",
                       was_built ? "check the path against what the build writes" : "name one: --build \"CMD\"");
  }
  return {};
}

std::string joined_commands(const std::vector<ConfiguredProgram>& programs) {
  std::string text;
  for (const ConfiguredProgram& program : programs) text += (text.empty() ? "" : "; ") + program.command;
  return text;
}

// A baseline that cannot be built leaves nothing to judge against: 2, not the candidate's 4.
ExitCode build_both(const WorkTreePair& trees, const Commit& base, const Commit& head, const JudgeRequest& request,
                    Streams& streams) {
  const Configuration& configuration = *request.configuration;
  if (configuration.build_command.empty()) return ExitCode::success;
  const auto build_side = [&](const std::filesystem::path& tree, const Commit& commit, const std::string& side) {
    note("building " + side + ' ' + short_sha(commit.sha) + "  " + commit.subject, *request.common, streams);
    const std::string name = side + " (" + short_sha(commit.sha) + ')';
    return build({tree, configuration.build_command, configuration.build_timeout, name}, request.cancelled);
  };
  if (const Result<void> built = build_side(trees.base(), base, "the baseline"); !built) {
    report_error(built.error(), streams);
    return ExitCode::not_judged;
  }
  if (const Result<void> built = build_side(trees.head(), head, "the candidate"); !built) {
    const ExitCode code = report_error(built.error(), streams);
    return request.cancelled != nullptr && request.cancelled->load() ? ExitCode::not_judged : code;
  }
  return ExitCode::success;
}

}  // namespace

Result<std::vector<ConfiguredProgram>> programs_to_judge(const Configuration& configuration, const std::string& bench) {
  if (!bench.empty()) return std::vector<ConfiguredProgram>{{"", bench}};
  if (!configuration.programs.empty()) return configuration.programs;
  return input_error(configuration.file.empty() ? "no steelyard.toml" : configuration.file.string(),
                     "no benchmark program", "a [[program]] with its command, or --bench \"PATH ARGS\"");
}

ExitCode judge_commits(const GitRepository& repository, const CommitPair& commits,
                       const std::vector<ConfiguredProgram>& programs, const std::vector<std::string>& arguments,
                       const JudgeRequest& request, Streams& streams) {
  const Result<Commit> base = repository.describe_baseline(commits.baseline);
  if (!base) return report_error(base.error(), streams);
  const Result<Commit> head = repository.describe(commits.candidate);
  if (!head) return report_error(head.error(), streams);
  const Result<WorkTreePair> trees = WorkTreePair::create(repository, commits.baseline, commits.candidate);
  if (!trees) return report_error(trees.error(), streams);
  Result<std::vector<ProgramPair>> pairs = programs_in_trees(*trees, programs, arguments);
  if (!pairs) return report_error(pairs.error(), streams);
  const ExitCode built = build_both(*trees, *base, *head, request, streams);
  if (built != ExitCode::success) return built;
  const Result<void> present = check_built(*pairs, *trees, !request.configuration->build_command.empty());
  if (!present) return report_error(present.error(), streams);
  const std::string command = joined_commands(programs);
  return judge_programs({std::move(pairs).value(), {command, *base, trees->base()}, {command, *head, trees->head()}},
                        request, streams);
}

}  // namespace steelyard

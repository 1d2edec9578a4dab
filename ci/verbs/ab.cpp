// steelyard ab: two builds side by side, the second judged against the first.
#include <memory>
#include <system_error>

#include "bench/model/number_text.hpp"
#include "ci/app/app.hpp"
#include "ci/app/keeping.hpp"
#include "ci/app/settings.hpp"
#include "ci/grammar/verb.hpp"
#include "ci/judging/judge_programs.hpp"
#include "ci/measuring/command_programs.hpp"
#include "ci/report/warning_text.hpp"
#include "ci/verbs/command_options.hpp"
#include "ci/verbs/judging_options.hpp"

namespace steelyard::ci {
namespace {

constexpr Nanoseconds kAbBudget = seconds(120);  // of measuring (docs/reference/configuration.md)

struct AbOptions {
  std::string baseline;  // an executable, or a commit
  std::string candidate;
  CommandOptions command;              // two, or one that runs on both sides
  std::string bench;                   // with commits: path and arguments of the program, relative to the work tree
  std::vector<std::string> arguments;  // for the program, from after --
  std::optional<std::uint64_t> seed;
  ShardOptions shard;
  JudgementOutputs outputs;
};

bool is_file(const std::string& name) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(name, ignored);
}

bool is_place(const std::string& name) {
  std::error_code ignored;
  return std::filesystem::is_directory(name, ignored);
}

// Why neither reading of the two names holds.
Error neither_files_nor_commits(const AbOptions& options, const Error& as_commit) {
  if (!options.command.commands.empty()) {
    return input_error("steelyard ab",
                       '"' + options.baseline + "\" and \"" + options.candidate +
                           "\", neither two folders nor two commits (" + as_commit.text() + ')',
                       "where one --command runs, or two --command and no names");
  }
  if (is_place(options.baseline) && is_place(options.candidate)) {
    return input_error("steelyard ab", "two folders, \"" + options.baseline + "\" and \"" + options.candidate + '"',
                       "two executables, or two commits of this repository",
                       "name the program in each, or --command \"COMMAND\" to run one in both");
  }
  std::string files;
  for (const std::string& name : {options.baseline, options.candidate}) {
    if (!is_file(name)) files += (files.empty() ? "" : " and ") + ('"' + name + '"');
  }
  return input_error("steelyard ab",
                     "neither two files (no file " + files + ") nor two commits (" + as_commit.text() + ')',
                     "two executables, or two commits of this repository");
}

bench::Program program_of(const std::string& path, const AbOptions& options) {
  bench::Program program;
  program.executable = path;
  program.arguments = options.arguments;
  return program;
}

Result<ExitCode> judge_files(const AbOptions& options, const JudgeRequest& request, const App& app) {
  if (!options.bench.empty()) app.note("two executables: --bench is not used");
  JudgeRequest with_notes = request;
  std::error_code ignored;
  if (std::filesystem::equivalent(options.baseline, options.candidate, ignored)) {
    with_notes.notes.push_back(warning::sides_are_one("program", options.candidate));
  }
  const ProgramPair pair{.baseline = program_of(options.baseline, options),
                         .candidate = program_of(options.candidate, options)};
  const SidesToJudge sides{
      .programs = {pair}, .baseline = {.program = options.baseline}, .candidate = {.program = options.candidate}};
  return judge_programs(sides, with_notes, app);
}

// Two commands are the sides themselves. One is run in two folders, or in the work trees of two commits.
Result<ExitCode> judge_commands(const AbOptions& options, const std::vector<std::filesystem::path>& folders,
                                const JudgeRequest& request, const App& app) {
  CommandOptions named = options.command;
  const std::vector<std::string>& commands = named.commands;
  if (named.name.empty()) named.name = name_of_commands(commands.front(), commands.back());
  STEELYARD_TRY(bench::Program baseline, program_of_command(named, commands.front(), folders.front()));
  STEELYARD_TRY(bench::Program candidate, program_of_command(named, commands.back(), folders.back()));
  JudgeRequest with_notes = request;
  std::error_code ignored;
  const bool in_one_folder =
      folders.front() == folders.back() || std::filesystem::equivalent(folders.front(), folders.back(), ignored);
  if (in_one_folder && commands.front() == commands.back()) {
    with_notes.notes.push_back(warning::sides_are_one("command", commands.front()));
  }
  const auto text_of = [&](const std::string& command, const std::filesystem::path& folder) {
    return SideDescription{.program = folder.empty() ? command : command + " (in " + folder.string() + ')'};
  };
  const ProgramPair pair{.baseline = std::move(baseline), .candidate = std::move(candidate)};
  const SidesToJudge sides{.programs = {pair},
                           .baseline = text_of(commands.front(), folders.front()),
                           .candidate = text_of(commands.back(), folders.back())};
  return judge_programs(sides, with_notes, app);
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

Result<ExitCode> run_ab(const AbOptions& options, const App& app) {
  STEELYARD_CHECK(check_commands(options.command));
  STEELYARD_TRY(const Configuration configuration, measuring_configuration(app, kAbBudget, options.seed));
  if (!options.outputs.no_store) STEELYARD_CHECK(store_address(configuration));
  STEELYARD_TRY(const std::optional<ShardChoice> shard, shard_choice(options.shard, configuration, app));
  if (shard) STEELYARD_CHECK(check_outputs_of_shard(options.outputs));
  STEELYARD_CHECK(remove_earlier_judgement(options.outputs));
  const Cancellation cancellation;
  const JudgeRequest request{.configuration = configuration,
                             .outputs = options.outputs,
                             .cancelled = cancellation.flag(),
                             .shard = shard ? &*shard : nullptr};
  const bool has_command = !options.command.commands.empty();
  if (options.baseline.empty()) return judge_commands(options, {{}, {}}, request, app);
  if (has_command && is_place(options.baseline) && is_place(options.candidate)) {
    return judge_commands(options, {options.baseline, options.candidate}, request, app);
  }
  if (!has_command && is_file(options.baseline) && is_file(options.candidate))
    return judge_files(options, request, app);
  const Result<RepositoryCommits> found = resolve_both(options);
  if (!found) return neither_files_nor_commits(options, found.error());
  if (has_command) {
    const std::vector<ConfiguredProgram> one{configured_command(options.command, options.command.commands.front())};
    return judge_commits(found->repository, found->commits, one, options.arguments, request, app);
  }
  STEELYARD_TRY(const std::vector<ConfiguredProgram> programs, programs_to_judge(configuration, options.bench));
  return judge_commits(found->repository, found->commits, programs, options.arguments, request, app);
}

}  // namespace

Verb ab_verb() {
  const auto options = std::make_shared<AbOptions>();
  Verb verb = make_verb(
      options, run_ab, "ab",
      "Measures two builds side by side and judges the second against the first: two executables, or two commits that "
      "are built in work trees of their own. Or any two commands; or one command in two folders or of two commits.",
      "  steelyard ab ./build-old/bench ./build-new/bench -- --benchmark_filter=Sort\n"
      "  steelyard ab main HEAD --bench build/bench \\\n"
      "    --build \"cmake -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo && cmake --build build\"\n"
      "  steelyard ab --command \"gzip -1 -c data\" --command \"gzip -6 -c data\"");
  verb.names = {"OLD", "NEW"};
  verb.takes_rest = true;
  verb.take = [options](Words words) -> Result<void> {
    const std::size_t commands = options->command.commands.size();
    if (words.names.empty() && commands == 2) return {};
    if (words.names.size() != 2 || commands > 1) {
      return input_error(
          "steelyard ab", plural_text(words.names.size(), "name") + " and " + plural_text(commands, "command"),
          "OLD and NEW, or two --command, or OLD and NEW that one --command runs in", "steelyard ab OLD NEW");
    }
    options->baseline = std::move(words.names[0]);
    options->candidate = std::move(words.names[1]);
    options->arguments = std::move(words.rest);
    return {};
  };
  verb.add(text_option("--bench", "\"PATH ARGS\"", options->bench,
                       "with commits: the program, relative to the work tree", kBuildingGroup));
  add_command_options(verb, options->command);
  add_shard_options(verb, options->shard);
  add_judging_options(verb, options->outputs, options->seed);
  return verb;
}

}  // namespace steelyard::ci

// steelyard run: one program measured and kept.
#include <algorithm>
#include <memory>

#include "bench/model/text.hpp"
#include "bench/runner/benchmark_listing.hpp"
#include "ci/app/app.hpp"
#include "ci/app/keeping.hpp"
#include "ci/app/settings.hpp"
#include "ci/git/repository.hpp"
#include "ci/grammar/verb.hpp"
#include "ci/judging/judge.hpp"
#include "ci/judging/targets.hpp"
#include "ci/measuring/build.hpp"
#include "ci/measuring/measure_programs.hpp"
#include "ci/report/run_report.hpp"
#include "ci/verbs/command_options.hpp"
#include "ci/verbs/judging_options.hpp"
#include "storage/archive/archive.hpp"

namespace steelyard::ci {
namespace {

constexpr Nanoseconds kRunBudget = seconds(120);  // of measuring, as for ab

struct RunOptions {
  std::vector<std::string> program;  // and its arguments
  CommandOptions command;            // in its place
  std::optional<std::uint64_t> seed;
  ShardOptions shard;
  std::filesystem::path output;  // .syrun; empty: none beside the spool's
  bool no_store = false;
};

Result<bench::Program> program_to_run(const RunOptions& options) {
  if (options.program.empty()) return program_of_command(options.command, options.command.commands.front(), {});
  bench::Program program;
  program.executable = options.program.front();
  program.arguments.assign(options.program.begin() + 1, options.program.end());
  return program;
}

// A program that was built outside of the work tree may be of its commit or of another one: only who built it knows.
std::string commit_note(const RunOptions& options, const Commit& commit) {
  if (commit.sha.empty() || options.program.empty()) return "";
  const Result<GitRepository> repository = GitRepository::find(std::filesystem::current_path());
  std::error_code trouble;
  const std::filesystem::path program = std::filesystem::canonical(options.program.front(), trouble);
  if (!repository || trouble) return "";
  const std::filesystem::path inside =
      program.lexically_relative(std::filesystem::canonical(repository->root(), trouble));
  if (trouble || *inside.begin() != "..") return "";
  return options.program.front() + " lies outside of " + repository->root().string() +
         ", and its run is of the commit at hand there, " + shown_sha(commit.sha) +
         ": if it was built of another one, measure it in that one's work tree; outside of any, a run has no commit";
}

Result<Run> measure(const RunOptions& options, const Configuration& configuration, std::vector<std::string>& warnings,
                    const Cancellation& cancellation, const App& app) {
  STEELYARD_TRY(const std::optional<ShardChoice> shard, shard_choice(options.shard, configuration, app));
  STEELYARD_TRY(const bench::Program program, program_to_run(options));
  warnings = warnings_of_build(nullptr, program);
  ProgressLine progress = app.live_view();
  STEELYARD_TRY(bench::ListedProgram listed, bench::list_benchmarks(program, configuration.run, cancellation.flag()));
  STEELYARD_TRY(Run run, measure_alone(std::move(listed), configuration, progress, warnings, cancellation.flag(),
                                       shard ? &*shard : nullptr));
  run.header.seed = configuration.run.seed;
  run.header.program.clear();
  run.header.project = project_name(configuration);
  const std::vector<std::string>& words = options.program.empty() ? options.command.commands : options.program;
  for (const std::string& word : words) run.header.program += (run.header.program.empty() ? "" : " ") + word;
  run.header.commit = commit_of_folder(std::filesystem::current_path());
  keep_request(run.header);
  if (const std::string note = commit_note(options, run.header.commit); !note.empty()) warnings.push_back(note);
  storage::seal(run);
  return run;
}

// A process of the program that went wrong is the program's failure; a count that failed is not, nor is a benchmark
// that left itself out or was not reached.
bool program_failed(const Run& run) {
  for (const Failure& failure : run.failures) {
    if (is_skip(failure.kind) || failure.kind == FailureKind::not_reached) continue;
    if (failure.metric != kInstructions && !is_extra_counter(failure.metric)) return true;
  }
  return false;
}

bool has_skip(const Run& run) {
  return std::any_of(run.failures.begin(), run.failures.end(),
                     [](const Failure& failure) { return is_skip(failure.kind); });
}

// A count that was demanded and is not there.
bool lacks_counts(const Run& run, const Configuration& configuration) {
  return configuration.run.counts == bench::CountChoice::always &&
         std::any_of(run.failures.begin(), run.failures.end(),
                     [](const Failure& failure) { return failure.metric == kInstructions; });
}

Result<ExitCode> run_run(const RunOptions& options, const App& app) {
  STEELYARD_TRY(const Configuration configuration, measuring_configuration(app, kRunBudget, options.seed));
  if (!options.no_store) STEELYARD_CHECK(store_address(configuration));
  const Cancellation cancellation;
  std::vector<std::string> warnings;
  STEELYARD_TRY(const Run run, measure(options, configuration, warnings, cancellation, app));
  if (!options.no_store) keep_in_spool(configuration, {&run}, app);
  ExitCode code = ExitCode::success;
  if (!options.output.empty()) {
    const Result<void> written = storage::write_named_archive(options.output, run, LinkInPlace::followed);
    if (!written) code = worse(code, app.report(written.error()));
  }
  const TargetReport targets = report_targets(run, configuration, false);
  app.print(app.common.json ? json_run(run, targets) : terminal_run(run, app.style(), targets));
  code = worse(code, outcome_of(targets));
  app.notes(warnings);
  if (cancellation.requested()) code = worse(code, ExitCode::not_judged);
  if (configuration.policy.forbid_skips && has_skip(run)) code = worse(code, ExitCode::not_judged);
  if (lacks_counts(run, configuration)) code = worse(code, ExitCode::not_judged);
  if (program_failed(run)) code = worse(code, ExitCode::program_failed);
  if (options.no_store) return code;
  const ExitCode kept = deliver_to_store(configuration, nullptr, app, {&run});
  if (kept == ExitCode::success) keep_target_verdicts(configuration, run.header.id, targets, app);
  return worse(code, kept);
}

}  // namespace

Verb run_verb() {
  const auto options = std::make_shared<RunOptions>();
  Verb verb = make_verb(options, run_run, "run",
                        "Measures one Google Benchmark program, or a command of any kind, and keeps the run.",
                        "  steelyard run --output today.syrun -- ./build/bench --benchmark_filter=Sort\n"
                        "  steelyard run --command \"gzip -6 -c data\" --output today.syrun");
  verb.names = {"-- PROGRAM ARGUMENTS..."};
  verb.takes_rest = true;
  verb.take = [options](Words words) -> Result<void> {
    options->program = std::move(words.names);
    options->program.insert(options->program.end(), words.rest.begin(), words.rest.end());
    const std::size_t commands = options->command.commands.size();
    if (options->program.empty() ? commands == 1 : commands == 0) return check_commands(options->command);
    const std::string found = options->program.empty() && commands == 0 ? "no program" : "more than one program";
    return input_error("steelyard run", found, "one after --, or one --command", "steelyard run -- ./build/bench");
  };
  add_key_options(verb, {{"run", "store", "project"}, {"--layout", "--no-solo-check", "--relink", "--relinks"}});
  add_command_options(verb, options->command);
  add_shard_options(verb, options->shard);
  verb.add(output_option("--output", "FILE.syrun", options->output, "write the archive there as well",
                         Writes::file_through_links));
  verb.add(flag_option("--no-store", options->no_store, "keep nothing but --output"));
  verb.add(seed_option(options->seed));
  add_common_options(verb);
  return verb;
}

}  // namespace steelyard::ci

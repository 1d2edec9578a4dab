// steelyard run: one program measured and kept.
#include <algorithm>
#include <memory>

#include "bench/formats/google_benchmark.hpp"
#include "ci/app/app.hpp"
#include "ci/app/keeping.hpp"
#include "ci/app/settings.hpp"
#include "ci/git/repository.hpp"
#include "ci/grammar/verb.hpp"
#include "ci/judging/judge.hpp"
#include "ci/judging/judge_shards.hpp"
#include "ci/judging/targets.hpp"
#include "ci/measuring/measure_programs.hpp"
#include "ci/report/run.hpp"
#include "storage/archive/archive.hpp"

namespace steelyard::ci {
namespace {

constexpr Nanoseconds kRunBudget = seconds(120);  // of measuring, as for ab

struct RunOptions {
  std::vector<std::string> command;  // the program and its arguments
  std::optional<std::uint64_t> seed;
  ShardOptions shard;
  std::filesystem::path output;  // .syrun; empty: none beside the spool's
  bool no_store = false;
};

Result<Run> measure(const RunOptions& options, const Configuration& configuration, std::vector<std::string>& warnings,
                    const Cancellation& cancellation, const App& app) {
  STEELYARD_TRY(const std::optional<ShardChoice> shard, shard_choice(options.shard, configuration, app));
  bench::Program program;
  program.executable = options.command.front();
  program.arguments.assign(options.command.begin() + 1, options.command.end());
  ProgressLine progress = app.live_view();
  STEELYARD_TRY(Run run, measure_alone(program, configuration, progress, warnings, cancellation.flag(),
                                       shard ? &*shard : nullptr));
  run.header.seed = configuration.run.seed;
  run.header.program.clear();
  run.header.project = project_name(configuration);
  for (const std::string& word : options.command) run.header.program += (run.header.program.empty() ? "" : " ") + word;
  run.header.commit = commit_of_folder(std::filesystem::current_path());
  storage::seal(run);
  return run;
}

// A process of the program that went wrong is the program's failure; a count that failed is not, nor is a benchmark
// that left itself out.
bool program_failed(const Run& run) {
  for (const Failure& failure : run.failures) {
    if (is_skip(failure.kind)) continue;
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
  ExitCode code = options.no_store ? ExitCode::success : keep_in_spool({&run}, app);
  if (!options.output.empty()) {
    const Result<void> written = storage::write_archive(options.output, run);
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
  Verb verb = make_verb(options, run_run, "run", "Measures one Google Benchmark program and keeps the run.",
                        "  steelyard run --output today.syrun -- ./build/bench --benchmark_filter=Sort");
  verb.names = {"-- PROGRAM ARGUMENTS..."};
  verb.takes_rest = true;
  verb.take = [options](Words words) -> Result<void> {
    options->command = std::move(words.names);
    options->command.insert(options->command.end(), words.rest.begin(), words.rest.end());
    if (!options->command.empty()) return {};
    return input_error("steelyard run", "no program", "one after --", "steelyard run -- ./build/bench");
  };
  add_key_options(verb, {{"run", "store", "project"}, {"--layout", "--no-solo-check", "--relink", "--relinks"}});
  add_shard_options(verb, options->shard);
  verb.add(path_option("--output", "FILE.syrun", options->output, "write the archive there as well"));
  verb.add(flag_option("--no-store", options->no_store, "keep nothing but --output"));
  verb.add(seed_option(options->seed));
  add_common_options(verb);
  return verb;
}

}  // namespace steelyard::ci

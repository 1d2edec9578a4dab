#include <algorithm>
#include <ostream>

#include "bench/formats/google_benchmark.hpp"
#include "ci/app/cancellation.hpp"
#include "ci/app/keeping.hpp"
#include "ci/app/messages.hpp"
#include "ci/app/settings.hpp"
#include "ci/git/repository.hpp"
#include "ci/judging/keep_verdicts.hpp"
#include "ci/judging/outcome.hpp"
#include "ci/judging/report_targets.hpp"
#include "ci/measuring/measure_programs.hpp"
#include "ci/verbs/verbs.hpp"
#include "storage/archive/archive.hpp"

namespace steelyard {
namespace {

constexpr Nanoseconds kRunBudget = seconds(120);  // of measuring, as for ab

Result<Run> measure(const RunOptions& options, const Configuration& configuration, std::vector<std::string>& warnings,
                    Streams& streams, const Cancellation& cancellation) {
  Program program;
  program.executable = options.command.front();
  program.arguments.assign(options.command.begin() + 1, options.command.end());
  MeasuringPlan plan;
  plan.settings = configuration.run;
  plan.policy = configuration.policy;
  plan.budget = kRunBudget;
  plan.seed = seed_or_draw(options.seed);
  ProgressLine progress(streams.err, streams.err_is_terminal && !options.common.quiet, progress_width());
  STEELYARD_TRY(Run run, measure_alone(program, plan, progress, warnings, cancellation.flag()));
  run.header.seed = plan.seed;
  run.header.program.clear();
  run.header.project = project_name(configuration);
  for (const std::string& word : options.command) run.header.program += (run.header.program.empty() ? "" : " ") + word;
  run.header.commit = commit_of_folder(std::filesystem::current_path());
  seal(run);
  return run;
}

// A process of the program that went wrong is the program's failure; a count that failed is not, nor is a benchmark
// that left itself out.
bool program_failed(const Run& run) {
  for (const Failure& failure : run.failures) {
    if (is_skipped(failure)) continue;
    if (failure.metric != kInstructions && !is_extra_counter(failure.metric)) return true;
  }
  return false;
}

// A count that was demanded and is not there.
bool lacks_counts(const Run& run, const Configuration& configuration) {
  return configuration.run.counts == CountChoice::always &&
         std::any_of(run.failures.begin(), run.failures.end(),
                     [](const Failure& failure) { return failure.metric == kInstructions; });
}

}  // namespace

ExitCode do_run(const RunOptions& options, Streams& streams) {
  const Result<Configuration> configuration = effective_configuration(options.common);
  if (!configuration) return report_error(configuration.error(), streams);
  if (!options.no_store) {
    if (const auto address = store_address(*configuration); !address) return report_error(address.error(), streams);
  }
  const Cancellation cancellation;
  std::vector<std::string> warnings;
  const Result<Run> run = measure(options, *configuration, warnings, streams, cancellation);
  if (!run) return report_error(run.error(), streams);
  ExitCode code = options.no_store ? ExitCode::success : keep_in_spool({&*run}, streams);
  if (!options.output.empty()) {
    const Result<void> written = write_archive(options.output, *run);
    if (!written) code = worse(code, report_error(written.error(), streams));
  }
  const TargetReport targets = report_targets(*run, *configuration, false);
  streams.out << (options.common.json ? json_run(*run, targets)
                                      : terminal_run(*run, terminal_style(streams, options.common.color), targets))
              << std::flush;
  code = worse(code, outcome_of(targets));
  for (const std::string& warning : warnings) note(warning, options.common, streams);
  if (cancellation.requested()) code = worse(code, ExitCode::not_judged);
  if (lacks_counts(*run, *configuration)) code = worse(code, ExitCode::not_judged);
  if (program_failed(*run)) code = worse(code, ExitCode::program_failed);
  if (options.no_store) return code;
  const ExitCode kept = deliver_to_store(*configuration, nullptr, options.common, streams, {&*run});
  if (kept == ExitCode::success) keep_target_verdicts(*configuration, run->header.id, targets, streams);
  return worse(code, kept);
}

}  // namespace steelyard

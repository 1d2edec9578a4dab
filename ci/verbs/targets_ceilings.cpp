// steelyard targets ceilings: measures, keeps, prints.
#include <chrono>
#include <ostream>

#include "bench/ceilings/measure_ceilings.hpp"
#include "bench/environment/read_environment.hpp"
#include "ci/app/cancellation.hpp"
#include "ci/app/keeping.hpp"
#include "ci/app/messages.hpp"
#include "ci/app/progress_line.hpp"
#include "ci/app/settings.hpp"
#include "ci/app/sides.hpp"
#include "ci/app/version.hpp"
#include "ci/judging/kept_ceilings.hpp"
#include "ci/report/ceilings_report.hpp"
#include "ci/verbs/targets_actions.hpp"
#include "storage/archive/archive.hpp"

namespace steelyard {
namespace {

constexpr Nanoseconds kBudget = seconds(18);
constexpr Nanoseconds kQuickBudget = seconds(3.6);

std::int64_t now_unix_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Result<DeviceCeilings> measure(const TargetsOptions& options, const Environment& environment, Streams& streams,
                               const Cancellation& cancellation) {
  ProgressLine progress(streams.err, streams.err_is_terminal && !options.common.quiet, progress_width());
  CeilingOptions wanted;
  wanted.budget = options.quick ? kQuickBudget : kBudget;
  wanted.only = options.only;
  wanted.huge_pages = !options.normal_pages;
  wanted.fingerprint = environment.fingerprint();
  wanted.cancelled = cancellation.flag();
  wanted.progress = [&](const std::string& what, double done) {
    progress.show(what, done, wanted.budget * (done < 1 ? 1 - done : 0));
  };
  return measure_ceilings(wanted);
}

Run sealed_run(const TargetsOptions& options, const Configuration& configuration, const DeviceCeilings& ceilings,
               const Environment& environment, std::int64_t started_at_unix_ns) {
  Run run = run_of_ceilings(ceilings, environment);
  run.header.created_at_unix_ns = started_at_unix_ns;
  run.header.tool = kToolName;
  run.header.project = project_name(configuration);
  run.header.program = "steelyard targets ceilings";
  run.header.settings["pages"] = options.normal_pages ? "normal" : "huge where the system gives them";
  run.header.settings["budget"] = options.quick ? "quick" : "full";
  run.invocations.front().started_at_unix_ns = started_at_unix_ns;
  run.invocations.front().duration_ns = now_unix_ns() - started_at_unix_ns;
  seal(run);
  return run;
}

ExitCode write_output(const TargetsOptions& options, const Run& run, const std::string& json, Streams& streams) {
  if (options.output.empty()) return ExitCode::success;
  const Result<void> written = options.output.extension() == ".syrun" ? write_archive(options.output, run)
                                                                      : write_text_file(options.output, json);
  return written ? ExitCode::success : report_error(written.error(), streams);
}

// The ceilings that a run holds, and nothing else of it.
Result<Run> ceilings_in(const TargetsOptions& options, const Configuration& configuration, Streams& streams) {
  std::vector<std::string> warnings;
  STEELYARD_TRY(Run run, load_side(options.from, configuration, options.common, streams, warnings));
  for (const std::string& warning : warnings) note(warning, options.common, streams);
  std::erase_if(run.measurements, [](const Measurement& one) { return one.benchmark.name != "ceiling"; });
  run.profiles.clear();
  run.failures.clear();
  run.labels.clear();
  if (ceilings_of_run(run).ceilings.empty()) {
    return input_error(options.from, "a run without ceilings", "benchmarks ceiling/... with flops or bandwidth",
                       "measure them on the device: --benchmark_filter=^ceiling/");
  }
  if (run.environment.fingerprint().empty()) {
    return input_error(options.from, "a run that does not name its machine",
                       "one with a fingerprint to keep them under");
  }
  run.header.project = project_name(configuration);
  seal(run);
  return run;
}

ExitCode keep_ceilings_of(const TargetsOptions& options, const Configuration& configuration, Streams& streams) {
  const Result<Run> run = ceilings_in(options, configuration, streams);
  if (!run) return report_error(run.error(), streams);
  const DeviceCeilings ceilings = ceilings_of_run(*run);
  ExitCode code = ExitCode::success;
  if (!options.no_store) {
    const Result<void> kept = keep_ceilings(state_folder(), *run);
    if (!kept) code = report_error(kept.error(), streams);
  }
  const std::string json = json_ceilings(ceilings);
  code = worse(code, write_output(options, *run, json, streams));
  streams.out << (options.common.json ? json
                                      : terminal_ceilings(ceilings, terminal_style(streams, options.common.color)))
              << std::flush;
  return code;
}

}  // namespace

ExitCode measure_and_keep_ceilings(const TargetsOptions& options, Streams& streams) {
  const Result<Configuration> configuration = effective_configuration(options.common);
  if (!configuration) return report_error(configuration.error(), streams);
  if (!options.from.empty()) return keep_ceilings_of(options, *configuration, streams);
  // A part of the ceilings must not take the place of all.
  const bool keeps = !options.no_store && options.only.empty();
  if (keeps) {
    if (const auto address = store_address(*configuration); !address) return report_error(address.error(), streams);
  }
  const Cancellation cancellation;
  const std::int64_t started_at = now_unix_ns();
  const Environment environment = read_environment();
  const Result<DeviceCeilings> ceilings = measure(options, environment, streams, cancellation);
  if (!ceilings) return report_error(ceilings.error(), streams);
  const Run run = sealed_run(options, *configuration, *ceilings, environment, started_at);
  ExitCode code = keeps ? keep_in_spool({&run}, streams) : ExitCode::success;
  if (keeps) {
    const Result<void> kept = keep_ceilings(state_folder(), run);
    if (!kept) code = worse(code, report_error(kept.error(), streams));
  }
  const std::string json = json_ceilings(*ceilings);
  code = worse(code, write_output(options, run, json, streams));
  streams.out << (options.common.json ? json
                                      : terminal_ceilings(*ceilings, terminal_style(streams, options.common.color)))
              << std::flush;
  if (!keeps) return code;
  return worse(code, deliver_to_store(*configuration, nullptr, options.common, streams, {&run}));
}

}  // namespace steelyard

// steelyard targets roofline RUN [--svg FILE]
#include <ostream>

#include "ci/app/messages.hpp"
#include "ci/app/settings.hpp"
#include "ci/app/sides.hpp"
#include "ci/judging/roofline_of_run.hpp"
#include "ci/report/target_report.hpp"
#include "ci/verbs/targets_actions.hpp"
#include "storage/store.hpp"

namespace steelyard {

ExitCode draw_roofline(const TargetsOptions& options, Streams& streams) {
  const Result<Configuration> configuration = effective_configuration(options.common);
  if (!configuration) return report_error(configuration.error(), streams);
  std::vector<std::string> warnings;
  const Result<Run> run = load_side(options.names[0], *configuration, options.common, streams, warnings);
  if (!run) return report_error(run.error(), streams);
  const Result<AskedTargets> asked = ask_targets(*run, *configuration, {state_folder(), options.ceilings});
  if (!asked) return report_error(asked.error(), streams);
  for (const std::string& warning : warnings) note(warning, options.common, streams);
  for (const std::string& trouble : asked->trouble) note(trouble, options.common, streams);
  const TargetReport report = report_targets(*asked);
  if (!report.hint.empty()) note(report.hint, options.common, streams);
  const Roofline roofline = roofline_of_run(*run, *asked);
  if (roofline.points.empty()) {
    return report_error(
        input_error(options.names[0], "no benchmark that reports both flops and bandwidth", "at least one",
                    "add the counters \"flops\" and \"bandwidth\", rates, to the benchmarks"),
        streams);
  }
  streams.out << (options.common.json ? json_checked_targets({{&*run, report}})
                                      : terminal_roofline(roofline, terminal_style(streams, options.common.color)))
              << std::flush;
  if (options.svg.empty()) return ExitCode::success;
  const Result<void> written = write_text_file(options.svg, svg_roofline(roofline));
  if (!written) return report_error(written.error(), streams);
  note("drawn: " + options.svg.string(), options.common, streams);
  return ExitCode::success;
}

}  // namespace steelyard

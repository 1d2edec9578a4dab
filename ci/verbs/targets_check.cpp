// steelyard targets check RUN...
#include <ostream>

#include "ci/app/messages.hpp"
#include "ci/app/settings.hpp"
#include "ci/app/sides.hpp"
#include "ci/app/terminal_text.hpp"
#include "ci/judging/outcome.hpp"
#include "ci/judging/report_targets.hpp"
#include "ci/report/target_report.hpp"
#include "ci/verbs/targets_actions.hpp"
#include "storage/store.hpp"

namespace steelyard {
namespace {

struct Checked {
  std::string name;  // as the user wrote it
  Run run;
  TargetReport report;
  std::vector<DeviceCeilings> devices;
};

// A target that no benchmark of any of the runs has stands at the last of them.
void add_unmatched(std::vector<Checked>& checked, const Configuration& configuration) {
  std::vector<BenchmarkRates> all;
  std::vector<DeviceCeilings> devices;
  for (const Checked& one : checked) {
    std::vector<BenchmarkRates> rates = rates_of(one.run);
    all.insert(all.end(), rates.begin(), rates.end());
    devices.insert(devices.end(), one.devices.begin(), one.devices.end());
  }
  std::vector<TargetRow>& rows = checked.back().report.targets;
  for (TargetRow& row : unmatched_targets(configuration.targets, all, devices)) rows.push_back(std::move(row));
  sort_worst_first(rows);
}

std::string terminal_text(const std::vector<Checked>& checked, const TerminalStyle& style) {
  std::string text;
  for (const Checked& one : checked) {
    if (checked.size() > 1) {
      text += (text.empty() ? "" : "\n") + paint(printable(one.name, style.unicode), Tone::strong, style.color) + '\n';
    }
    const std::string report = terminal_targets(one.report, style);
    text += report.empty() ? "no benchmark reports flops or bandwidth\n" : report;
  }
  return text;
}

}  // namespace

ExitCode check_targets(const TargetsOptions& options, Streams& streams) {
  const Result<Configuration> configuration = effective_configuration(options.common);
  if (!configuration) return report_error(configuration.error(), streams);
  std::vector<Checked> checked;
  for (const std::string& name : options.names) {
    std::vector<std::string> warnings;
    Result<Run> run = load_side(name, *configuration, options.common, streams, warnings);
    if (!run) return report_error(run.error(), streams);
    const Result<AskedTargets> asked = ask_targets(*run, *configuration, {state_folder(), options.ceilings});
    if (!asked) return report_error(asked.error(), streams);
    TargetReport report = report_targets(*asked);
    report.warnings.insert(report.warnings.end(), warnings.begin(), warnings.end());
    checked.push_back({name, std::move(run).value(), std::move(report), asked->question.devices});
  }
  add_unmatched(checked, *configuration);
  ExitCode code = ExitCode::success;
  bool any_target = false;
  for (const Checked& one : checked) {
    code = worse(code, outcome_of(one.report));
    any_target = any_target || !one.report.targets.empty();
  }
  if (options.common.json) {
    std::vector<CheckedRun> runs;
    for (const Checked& one : checked) runs.push_back({&one.run, one.report});
    streams.out << json_checked_targets(runs) << std::flush;
  } else {
    streams.out << terminal_text(checked, terminal_style(streams, options.common.color)) << std::flush;
  }
  if (any_target) return code;
  // Nothing was held against anything: that is no pass.
  streams.err << "steelyard: no target is declared for any of these benchmarks: write [[target]] in steelyard.toml, or "
                 "state.SetLabel(\"target: 0.6 of bandwidth\") in the program\n";
  return worse(code, ExitCode::not_judged);
}

}  // namespace steelyard

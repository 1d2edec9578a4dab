// steelyard targets: one function an action.
#include <ostream>

#include "ci/app/messages.hpp"
#include "ci/config/nearest_name.hpp"
#include "ci/report/ceilings_report.hpp"
#include "ci/verbs/targets_actions.hpp"
#include "ci/verbs/verbs.hpp"

namespace steelyard {

ExitCode print_datasheet(const TargetsOptions& options, Streams& streams) {
  std::vector<const DatasheetRow*> rows;
  for (const std::string& name : options.names) {
    const DatasheetRow* row = find_datasheet_row(name);
    if (row == nullptr) {
      std::vector<std::string> known;
      for (const DatasheetRow& other : datasheet_rows()) known.emplace_back(other.device);
      const auto nearest = nearest_name(name, known);
      return report_error(input_error("steelyard targets datasheet", "unknown device \"" + name + '"', "a known one",
                                      (nearest ? "did you mean \"" + *nearest + "\"? " : "") +
                                          "all of them: steelyard targets datasheet"),
                          streams);
    }
    rows.push_back(row);
  }
  if (rows.empty()) {
    for (const DatasheetRow& row : datasheet_rows()) rows.push_back(&row);
  }
  const std::string json = json_datasheet(rows);
  ExitCode code = ExitCode::success;
  if (!options.output.empty()) {
    const Result<void> written = write_text_file(options.output, json);
    if (!written) code = report_error(written.error(), streams);
  }
  streams.out << (options.common.json ? json : terminal_datasheet(rows, terminal_style(streams, options.common.color)))
              << std::flush;
  return code;
}

ExitCode do_targets(const TargetsOptions& options, Streams& streams) {
  switch (options.action) {
    case TargetsOptions::Action::ceilings:
      return measure_and_keep_ceilings(options, streams);
    case TargetsOptions::Action::datasheet:
      return print_datasheet(options, streams);
    case TargetsOptions::Action::check:
      return check_targets(options, streams);
    case TargetsOptions::Action::roofline:
      return draw_roofline(options, streams);
  }
  return ExitCode::bug;
}

}  // namespace steelyard

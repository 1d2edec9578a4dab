#include "ci/verbs/compare_table.hpp"

#include <algorithm>
#include <optional>
#include <ostream>

#include "bench/harness/compare_table.hpp"
#include "bench/harness/compare_table_grid.hpp"
#include "bench/harness/render_table.hpp"
#include "bench/harness/task_table.hpp"
#include "ci/app/measurement_sides.hpp"
#include "ci/app/messages.hpp"
#include "ci/app/settings.hpp"
#include "ci/app/sides.hpp"
#include "ci/app/terminal_text.hpp"
#include "ci/report/side_tables.hpp"
#include "ci/report/table_report.hpp"

namespace steelyard {
namespace {

// What is to be shown, from runs or from the Timer's files.
struct TableInput {
  std::vector<TableData> tables;              // of runs
  std::vector<TaskMeasurement> measurements;  // of either; runs: their times, for the reference's table
  bool is_of_runs = true;
  TableDirection direction = TableDirection::rowwise;
};

using SideTimes = std::optional<std::vector<TaskMeasurement>>;  // absent: the side is a run

bool ignores_fingerprint(const Configuration& configuration) {
  const std::vector<std::string>& ignored = configuration.policy.ignored_facts;
  return std::find(ignored.begin(), ignored.end(), kFingerprintFact) != ignored.end();
}

TableInput input_of_times(const std::vector<std::string>& names, std::vector<SideTimes> times) {
  std::vector<MeasurementSide> sides;
  for (std::size_t i = 0; i < names.size(); ++i) sides.push_back({names[i], std::move(*times[i])});
  JoinedMeasurements joined = join_sides(std::move(sides));
  return {{}, std::move(joined.measurements), false, joined.direction};
}

// Files of the Timer among them become runs once it is known which machines the others are of.
Result<std::vector<TableSide>> run_sides(const CompareOptions& options, const Configuration& configuration,
                                         std::vector<SideTimes> times, Streams& streams,
                                         std::vector<std::string>& warnings) {
  const std::vector<std::string> names = side_names(options.table.sides);
  std::vector<TableSide> sides;
  std::vector<Environment> environments;
  for (std::size_t i = 0; i < names.size(); ++i) {
    sides.push_back({names[i], {}});
    if (times[i]) continue;
    STEELYARD_TRY(sides[i].run, load_side(options.table.sides[i], configuration, options.common, streams, warnings));
    environments.push_back(sides[i].run.environment);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!times[i]) continue;
    MeasurementSide side{names[i], std::move(*times[i])};
    STEELYARD_TRY(sides[i].run, run_of_side(std::move(side), environments, ignores_fingerprint(configuration)));
  }
  return sides;
}

Result<TableInput> load_input(const CompareOptions& options, const Configuration& configuration, Streams& streams,
                              std::vector<std::string>& warnings) {
  std::vector<SideTimes> times;
  for (const std::string& given : options.table.sides) {
    STEELYARD_TRY(SideTimes loaded, load_measurement_side(given));
    times.push_back(std::move(loaded));
  }
  const bool is_of_runs = std::any_of(times.begin(), times.end(), [](const SideTimes& side) { return !side; });
  if (!is_of_runs) return input_of_times(side_names(options.table.sides), std::move(times));
  STEELYARD_TRY(const std::vector<TableSide> sides,
                run_sides(options, configuration, std::move(times), streams, warnings));
  STEELYARD_CHECK(check_machines(sides, configuration.policy.ignored_facts, warnings));
  SideTables data = side_tables(sides, configuration.policy.metrics);
  warnings.insert(warnings.end(), data.warnings.begin(), data.warnings.end());
  if (data.tables.empty()) {
    return input_error("steelyard compare --table", "no measurement of any wanted metric",
                       "at least one side with real_time or a counted metric", "--metric NAME chooses others");
  }
  TableInput input;
  input.measurements = task_measurements(data.tables);
  input.tables = std::move(data.tables);
  return input;
}

Result<std::string> reference_text(TableInput input, const TableQuestion& question, bool color) {
  CompareTable table(std::move(input.measurements));
  table.merge_across_machines();  // who may stand in it was decided before
  table.trim_significant_figures();
  table.highlight_warnings();
  if (color) {
    table.colorize(question.direction == TableDirection::columnwise ? TableColor::columnwise : TableColor::rowwise);
  }
  STEELYARD_TRY(std::string text, table.text());
  if (!text.empty()) return text;
  return input_error("steelyard compare --table --reference-style", "no time in any side", "a metric in ns, or times",
                     "without --reference-style the table shows every metric");
}

Result<std::vector<SignificanceTable>> compared(TableInput input, const TableQuestion& question, MergeOptions merging) {
  if (!input.is_of_runs) return task_tables(input.measurements, question, merging);
  std::vector<SignificanceTable> tables;
  for (TableData& data : input.tables) {
    STEELYARD_TRY(SignificanceTable table, compare_cells(std::move(data), question));
    tables.push_back(std::move(table));
  }
  return tables;
}

Result<void> check_merge(const std::vector<TaskMeasurement>& measurements, MergeOptions merging) {
  Result<std::vector<TaskMeasurement>> merged = merge_for_table(measurements, merging);
  if (merged) return {};
  Error error = std::move(merged).error();
  error.where = "steelyard compare --table";
  error.mend = "--ignore-fact " + std::string(kFingerprintFact) + " sets the difference aside";
  return error;
}

std::string rendered(const std::vector<SignificanceTable>& tables, const std::vector<std::string>& warnings,
                     const CompareOptions& options, const TerminalStyle& style) {
  if (options.common.json) return json_tables(tables, warnings);
  switch (options.table.format) {
    case TableFormat::text:
      return render_text(tables, {style.color, style.unicode && !options.table.ascii, style.width});
    case TableFormat::markdown:
      return render_markdown(tables);
    case TableFormat::csv:
      return render_csv(tables);
    case TableFormat::html:
      return render_html(tables, "Steelyard: benchmarks side by side");
  }
  return "";
}

// As a side was typed, or as it is headed.
std::string reference_of(const TableChoice& table) {
  const std::vector<std::string> names = side_names(table.sides);
  const auto typed = std::find(table.sides.begin(), table.sides.end(), table.against);
  if (typed == table.sides.end()) return table.against;
  return names[static_cast<std::size_t>(typed - table.sides.begin())];
}

Result<std::string> report_of(const CompareOptions& options, Streams& streams, std::vector<std::string>& warnings) {
  STEELYARD_TRY(const Configuration configuration, effective_configuration(options.common));
  STEELYARD_TRY(TableInput input, load_input(options, configuration, streams, warnings));
  TableQuestion question;
  question.direction = options.table.rowwise      ? TableDirection::rowwise
                       : options.table.columnwise ? TableDirection::columnwise
                                                  : input.direction;
  if (!options.table.against.empty()) question.reference = reference_of(options.table);
  question.alpha = comparison_policy(configuration.policy).false_alarm_rate;
  const MergeOptions merging{ignores_fingerprint(configuration)};
  // Also where the reference's table is wanted: this is where two machines are refused.
  if (!input.is_of_runs) STEELYARD_CHECK(check_merge(input.measurements, merging));
  TerminalStyle style = terminal_style(streams, options.common.color);
  if (!options.output.empty() && options.common.color != ColorChoice::always) style.color = false;
  if (options.table.reference_style) return reference_text(std::move(input), question, style.color);
  STEELYARD_TRY(const std::vector<SignificanceTable> tables, compared(std::move(input), question, merging));
  return rendered(tables, warnings, options, style);
}

}  // namespace

ExitCode do_compare_table(const CompareOptions& options, Streams& streams) {
  std::vector<std::string> warnings;
  const Result<std::string> report = report_of(options, streams, warnings);
  if (!report) return report_error(report.error(), streams);
  for (const std::string& warning : warnings) note("note: " + printable(warning, true), options.common, streams);
  if (options.output.empty()) {
    streams.out << *report << std::flush;
    return ExitCode::success;
  }
  const Result<void> written = write_text_file(options.output, *report);
  return written ? ExitCode::success : report_error(written.error(), streams);
}

}  // namespace steelyard

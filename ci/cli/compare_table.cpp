#include "ci/cli/compare_table.hpp"

#include <algorithm>
#include <optional>
#include <ostream>

#include "bench/harness/compare_table.hpp"
#include "bench/harness/compare_table_grid.hpp"
#include "bench/harness/render_table.hpp"
#include "bench/harness/task_table.hpp"
#include "ci/cli/messages.hpp"
#include "ci/cli/settings.hpp"
#include "ci/cli/sides.hpp"
#include "ci/report/table_report.hpp"
#include "ci/report/terminal_text.hpp"
#include "ci/table/measurement_sides.hpp"
#include "ci/table/side_tables.hpp"

namespace steelyard {
namespace {

// What is to be shown, from runs or from the Timer's files.
struct TableInput {
  std::vector<TableData> tables;              // of runs
  std::vector<TaskMeasurement> measurements;  // of either; runs: their times, for the reference's table
  bool is_of_runs = true;
  TableDirection direction = TableDirection::rowwise;
};

// All sides, or none: absent where the first is no such file.
Result<std::optional<TableInput>> load_measurement_sides(const CompareOptions& options) {
  const std::vector<std::string>& given = options.table.sides;
  const std::vector<std::string> names = side_names(given);
  std::vector<MeasurementSide> sides;
  for (std::size_t i = 0; i < given.size(); ++i) {
    STEELYARD_TRY(auto loaded, load_measurement_side(given[i]));
    if (!loaded && sides.empty() && i == 0) return std::optional<TableInput>();
    if (!loaded) {
      return input_error("steelyard compare --table",
                         given[0] + " holds measurements of the Timer and " + given[i] + " does not",
                         "sides of one kind");
    }
    sides.push_back({names[i], std::move(*loaded)});
  }
  JoinedMeasurements joined = join_sides(std::move(sides));
  return std::optional<TableInput>({{}, std::move(joined.measurements), false, joined.direction});
}

Result<TableInput> load_run_sides(const CompareOptions& options, const Configuration& configuration, Streams& streams,
                                  std::vector<std::string>& warnings) {
  const std::vector<std::string> names = side_names(options.table.sides);
  std::vector<TableSide> sides;
  for (std::size_t i = 0; i < names.size(); ++i) {
    STEELYARD_TRY(const auto measurements, load_measurement_side(options.table.sides[i]));
    if (measurements) {
      return input_error(
          "steelyard compare --table",
          options.table.sides[i] + " holds measurements of the Timer and " + options.table.sides[0] + " does not",
          "sides of one kind");
    }
    STEELYARD_TRY(Run run, load_side(options.table.sides[i], configuration, options.common, streams, warnings));
    sides.push_back({names[i], std::move(run)});
  }
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
  return table.text();
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

Result<std::string> report_of(const CompareOptions& options, Streams& streams, std::vector<std::string>& warnings) {
  STEELYARD_TRY(const Configuration configuration, effective_configuration(options.common));
  STEELYARD_TRY(std::optional<TableInput> input, load_measurement_sides(options));
  if (!input) {
    STEELYARD_TRY(input, load_run_sides(options, configuration, streams, warnings));
  }
  TableQuestion question;
  question.direction = options.table.rowwise      ? TableDirection::rowwise
                       : options.table.columnwise ? TableDirection::columnwise
                                                  : input->direction;
  if (!options.table.against.empty()) question.reference = options.table.against;
  question.alpha = comparison_policy(configuration.policy).false_alarm_rate;
  const std::vector<std::string>& ignored = configuration.policy.ignored_facts;
  const MergeOptions merging{std::find(ignored.begin(), ignored.end(), kFingerprintFact) != ignored.end()};
  // Also where the reference's table is wanted: this is where two machines are refused.
  if (!input->is_of_runs) STEELYARD_CHECK(check_merge(input->measurements, merging));
  TerminalStyle style = terminal_style(streams, options.common.color);
  if (!options.output.empty() && options.common.color != ColorChoice::always) style.color = false;
  if (options.table.reference_style) return reference_text(std::move(*input), question, style.color);
  STEELYARD_TRY(const std::vector<SignificanceTable> tables, compared(std::move(*input), question, merging));
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

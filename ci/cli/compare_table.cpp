#include "ci/cli/compare_table.hpp"

#include <ostream>

#include "bench/harness/compare_table.hpp"
#include "bench/harness/render_table.hpp"
#include "ci/cli/messages.hpp"
#include "ci/cli/settings.hpp"
#include "ci/cli/sides.hpp"
#include "ci/report/table_report.hpp"
#include "ci/report/terminal_text.hpp"
#include "ci/table/side_tables.hpp"

namespace steelyard {
namespace {

Result<std::vector<TableSide>> load_table_sides(const CompareOptions& options, const Configuration& configuration,
                                                Streams& streams, std::vector<std::string>& warnings) {
  const std::vector<std::string> names = side_names(options.table.sides);
  std::vector<TableSide> sides;
  for (std::size_t i = 0; i < names.size(); ++i) {
    STEELYARD_TRY(Run run, load_side(options.table.sides[i], configuration, options.common, streams, warnings));
    sides.push_back({names[i], std::move(run)});
  }
  STEELYARD_CHECK(check_machines(sides, configuration.policy.ignored_facts, warnings));
  return sides;
}

Result<std::string> reference_text(const std::vector<TableData>& tables, const TableChoice& choice, bool color) {
  CompareTable table(task_measurements(tables));
  table.trim_significant_figures();
  table.highlight_warnings();
  if (color) table.colorize(choice.columnwise ? TableColor::columnwise : TableColor::rowwise);
  return table.text();
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
  STEELYARD_TRY(const std::vector<TableSide> sides, load_table_sides(options, configuration, streams, warnings));
  const ComparisonPolicy policy = comparison_policy(configuration.policy);
  SideTables data = side_tables(sides, policy.metrics);
  warnings.insert(warnings.end(), data.warnings.begin(), data.warnings.end());
  if (data.tables.empty()) {
    return input_error("steelyard compare --table", "no measurement of any wanted metric",
                       "at least one side with real_time or a counted metric", "--metric NAME chooses others");
  }
  TerminalStyle style = terminal_style(streams, options.common.color);
  if (!options.output.empty() && options.common.color != ColorChoice::always) style.color = false;
  if (options.table.reference_style) return reference_text(data.tables, options.table, style.color);
  TableQuestion question;
  question.direction = options.table.columnwise ? TableDirection::columnwise : TableDirection::rowwise;
  if (!options.table.against.empty()) question.reference = options.table.against;
  question.alpha = policy.false_alarm_rate;
  std::vector<SignificanceTable> tables;
  for (TableData& table : data.tables) {
    STEELYARD_TRY(SignificanceTable compared, compare_cells(std::move(table), question));
    tables.push_back(std::move(compared));
  }
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

// steelyard compare: a candidate against a baseline, both measured before; with --table, up to twenty sides next to
// each other, without verdicts: the exit status is 0 whatever the cells say.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/compare_table.hpp"
#include "bench/harness/render_table.hpp"
#include "bench/harness/task_table.hpp"
#include "bench/model/benchmark_id.hpp"
#include "bench/model/text.hpp"
#include "ci/app/settings.hpp"
#include "ci/app/sides.hpp"
#include "ci/judging/accepted.hpp"
#include "ci/judging/judge.hpp"
#include "ci/report/markup.hpp"
#include "ci/report/tables.hpp"
#include "ci/verbs/judging_options.hpp"
#include "regress/ab/rounds.hpp"
#include "storage/archive/archive.hpp"

namespace steelyard::ci {
namespace {

enum class TableFormat { text, markdown, csv, html };

constexpr std::size_t kMaxTableSides = 20;

struct TableOptions {
  bool wanted = false;
  std::vector<std::string> sides;  // 1 to 20, each as a side of compare
  TableFormat format = TableFormat::text;
  bool rowwise = false;  // neither: as the kind of the sides has it
  bool columnwise = false;
  bool reference_style = false;
  bool ascii = false;
  std::string against;  // a side; empty: the best
};

constexpr const char* kTableGroup = "Table";
constexpr const char* kTitle = "Steelyard: benchmarks side by side";

VerbOption table_flag(std::string name, bool& target, std::string help) {
  VerbOption option = flag_option(std::move(name), target, std::move(help));
  option.group = kTableGroup;
  return option;
}

Result<void> check_table(const TableOptions& table, const JudgementOutputs& outputs, bool is_json) {
  const auto contradiction = [](const std::string& found) {
    return input_error("steelyard compare --table", found, "one of them");
  };
  const bool has_format = table.format != TableFormat::text;
  if (table.rowwise && table.columnwise) return contradiction("--rowwise and --columnwise");
  if (is_json && has_format) return contradiction("--json and --table-format");
  if (outputs.is_markdown && is_json) return contradiction("--markdown and --json");
  if (outputs.is_markdown && has_format && table.format != TableFormat::markdown) {
    return contradiction("--markdown and --table-format");
  }
  const bool is_elsewhere = outputs.is_markdown || !outputs.markdown.empty() || !outputs.html.empty();
  if (table.reference_style && (is_json || is_elsewhere || has_format)) {
    return input_error("--reference-style", "another format than text", "text");
  }
  if (table.reference_style && !table.against.empty()) return contradiction("--reference-style and --against");
  return {};
}

// What is to be shown, from runs or from the Timer's files.
struct TableInput {
  std::vector<TableData> tables;                     // of runs
  std::vector<std::vector<std::string>> benchmarks;  // of their rows, canonical
  std::vector<TableSide> sides;               // the runs; those of the Timer's files, too, where others are there
  std::vector<bool> of_timer;                 // as many
  std::vector<TaskMeasurement> measurements;  // of either; runs: their times, for the reference's table
  bool is_of_runs = true;
  TableDirection direction = TableDirection::rowwise;
};

using SideTimes = std::optional<std::vector<TaskMeasurement>>;  // absent: the side is a run

bool ignores_fingerprint(const Configuration& configuration) {
  const std::vector<std::string>& ignored = configuration.policy.comparison.ignored_facts;
  return std::find(ignored.begin(), ignored.end(), kFingerprintFact) != ignored.end();
}

TableInput input_of_times(const std::vector<std::string>& names, std::vector<SideTimes> times) {
  std::vector<MeasurementSide> sides;
  for (std::size_t i = 0; i < names.size(); ++i) sides.push_back({names[i], std::move(*times[i])});
  JoinedMeasurements joined = join_sides(std::move(sides));
  TableInput input;
  input.measurements = std::move(joined.measurements);
  input.is_of_runs = false;
  input.direction = joined.direction;
  return input;
}

// Files of the Timer among them become runs once it is known which machines the others are of.
Result<std::vector<TableSide>> run_sides(const TableOptions& options, const Configuration& configuration,
                                         std::vector<SideTimes> times, const App& app,
                                         std::vector<std::string>& warnings) {
  const std::vector<std::string> names = side_names(options.sides);
  std::vector<TableSide> sides;
  std::vector<Environment> environments;
  for (std::size_t i = 0; i < names.size(); ++i) {
    sides.push_back({names[i], {}});
    if (times[i]) continue;
    STEELYARD_TRY(sides[i].run, load_side(options.sides[i], configuration, app, warnings));
    environments.push_back(sides[i].run.environment);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!times[i]) continue;
    MeasurementSide side{names[i], std::move(*times[i])};
    STEELYARD_TRY(sides[i].run, run_of_side(std::move(side), environments, ignores_fingerprint(configuration)));
  }
  return sides;
}

Result<TableInput> load_input(const TableOptions& options, const Configuration& configuration, const App& app,
                              std::vector<std::string>& warnings) {
  std::vector<SideTimes> times;
  for (const std::string& given : options.sides) {
    STEELYARD_TRY(SideTimes loaded, load_measurement_side(given));
    times.push_back(std::move(loaded));
  }
  const bool is_of_runs = std::any_of(times.begin(), times.end(), [](const SideTimes& side) { return !side; });
  if (!is_of_runs) return input_of_times(side_names(options.sides), std::move(times));
  TableInput input;
  for (const SideTimes& side : times) input.of_timer.push_back(side.has_value());
  STEELYARD_TRY(input.sides, run_sides(options, configuration, std::move(times), app, warnings));
  const std::vector<TableSide>& sides = input.sides;
  STEELYARD_CHECK(check_machines(sides, configuration.policy.comparison.ignored_facts, warnings));
  SideTables data = side_tables(sides, configuration.policy.comparison.metrics);
  warnings.insert(warnings.end(), data.warnings.begin(), data.warnings.end());
  if (data.tables.empty()) {
    return input_error("steelyard compare --table", "no measurement of any wanted metric",
                       "at least one side with real_time or a counted metric", "--metric NAME chooses others");
  }
  input.measurements = task_measurements(data.tables);
  input.tables = std::move(data.tables);
  // For people rows have the names that the programs gave; JSON has identities.
  for (TableData& table : input.tables) {
    std::vector<std::string>& benchmarks = input.benchmarks.emplace_back();
    for (TableRow& row : table.rows) {
      benchmarks.push_back(row.name);
      if (!app.common.json) row.name = name_as_given(row.name);
    }
  }
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

// What `steelyard compare` says of two of the sides, each asked once.
class PairJudge {
 public:
  PairJudge(const TableInput& input, const std::vector<std::string>& typed, const Configuration& configuration,
            KnownCalibration& calibrations, const App& app)
      : input_(input), typed_(typed), configuration_(configuration), calibrations_(calibrations), app_(app) {}

  // Not, where it cannot tell: of one process a side, of two occasions, of too much noise.
  bool has_answer(const std::string& benchmark, const std::string& metric, std::size_t one, std::size_t other) {
    auto at = known_.find({one, other});
    if (at == known_.end()) at = known_.emplace(std::pair(one, other), compared(one, other)).first;
    const Comparison& comparison = at->second;
    for (const ComparisonRow& row : comparison.rows) {
      if (row.benchmark != benchmark || row.metric.name != metric) continue;
      return is_change(row.verdict) || row.verdict == Verdict::unchanged;
    }
    return is_concurrent(regress::mutual_layout(comparison.baseline, comparison.candidate));
  }

 private:
  Comparison compared(std::size_t one, std::size_t other) {
    const Run& baseline = input_.sides[one].run;
    const Run& candidate = input_.sides[other].run;
    const auto is_of_file = [&](std::size_t side) {
      return !input_.of_timer[side] && !names_stored_run(typed_[side]) && input_.sides[side].run.header.session.empty();
    };
    // How files of other tools lie to each other both tell together.
    if (is_of_file(one) && is_of_file(other)) {
      Result<Sides> both = load_sides(typed_[one], typed_[other], configuration_, app_);
      if (both) return compare_sides(both->baseline, both->candidate, {configuration_, calibrations_}, {});
    }
    return compare_sides(baseline, candidate, {configuration_, calibrations_}, {});
  }

  const TableInput& input_;
  const std::vector<std::string>& typed_;
  const Configuration& configuration_;
  KnownCalibration& calibrations_;
  const App& app_;
  std::map<std::pair<std::size_t, std::size_t>, Comparison> known_;
};

Result<std::vector<SignificanceTable>> tables_of_runs(TableInput input, const TableQuestion& question,
                                                      const std::vector<std::string>& typed,
                                                      const Configuration& configuration, const App& app) {
  STEELYARD_TRY(KnownCalibration calibrations, KnownCalibration::of(configuration));
  PairJudge judge(input, typed, configuration, calibrations, app);
  std::vector<SignificanceTable> tables;
  for (std::size_t i = 0; i < input.tables.size(); ++i) {
    const std::string metric = input.tables[i].quantity;
    STEELYARD_TRY(SignificanceTable table, compare_cells(std::move(input.tables[i]), question));
    withdraw(table, [&](std::size_t row, std::size_t one, std::size_t other) {
      return judge.has_answer(input.benchmarks[i][row], metric, one, other);
    });
    tables.push_back(std::move(table));
  }
  return tables;
}

Result<void> check_merge(const std::vector<TaskMeasurement>& measurements, MergeOptions merging) {
  Result<std::vector<TaskMeasurement>> merged = merge_for_table(measurements, merging);
  if (merged) return {};
  Error error = std::move(merged).error();
  error.where = "steelyard compare --table";
  error.fix = "--ignore-fact " + std::string(kFingerprintFact) + " ignores the difference";
  return error;
}

std::string rendered(const std::vector<SignificanceTable>& tables, const std::vector<std::string>& warnings,
                     const TableOptions& options, const JudgementOutputs& outputs, const App& app) {
  if (app.common.json) return json_tables(tables, warnings);
  const TerminalStyle style = app.style(outputs.output);
  // The report as Markdown is the table as Markdown.
  switch (outputs.is_markdown ? TableFormat::markdown : options.format) {
    case TableFormat::text:
      return render_text(tables, {style.color, style.unicode && !options.ascii, style.width});
    case TableFormat::markdown:
      return render_markdown(tables);
    case TableFormat::csv:
      return render_csv(tables);
    case TableFormat::html:
      return render_html(tables, kTitle);
  }
  return "";
}

// The side compared against, as it was typed or as it is headed.
std::string reference_of(const TableOptions& table) {
  const std::vector<std::string> names = side_names(table.sides);
  const auto typed = std::find(table.sides.begin(), table.sides.end(), table.against);
  if (typed == table.sides.end()) return table.against;
  return names[static_cast<std::size_t>(typed - table.sides.begin())];
}

struct TableReport {
  std::string text;
  std::string markdown;  // the report as Markdown, where a file of it is wanted
  std::string html;      // the same
};

Result<TableReport> report_of(const TableOptions& options, const JudgementOutputs& outputs, const App& app,
                              std::vector<std::string>& warnings) {
  STEELYARD_TRY(const Configuration configuration, effective_configuration(app));
  STEELYARD_TRY(TableInput input, load_input(options, configuration, app, warnings));
  TableQuestion question;
  question.direction = options.rowwise      ? TableDirection::rowwise
                       : options.columnwise ? TableDirection::columnwise
                                            : input.direction;
  if (!options.against.empty()) question.reference = reference_of(options);
  question.alpha = comparison_policy(configuration.policy).false_alarm_rate;
  const MergeOptions merging{ignores_fingerprint(configuration)};
  // Two machines are refused here, also where the reference's table is wanted.
  if (!input.is_of_runs) STEELYARD_CHECK(check_merge(input.measurements, merging));
  TableReport report;
  if (options.reference_style) {
    STEELYARD_TRY(report.text, reference_text(std::move(input), question, app.style(outputs.output).color));
    return report;
  }
  STEELYARD_TRY(const std::vector<SignificanceTable> tables,
                input.is_of_runs ? tables_of_runs(std::move(input), question, options.sides, configuration, app)
                                 : task_tables(input.measurements, question, merging));
  report.text = rendered(tables, warnings, options, outputs, app);
  if (!outputs.markdown.empty()) report.markdown = render_markdown(tables);
  if (!outputs.html.empty()) report.html = render_html(tables, kTitle);
  return report;
}

void add_table_options(Verb& verb, TableOptions& table) {
  verb.add(table_flag("--table", table.wanted,
                      "1 to 20 sides next to each other, no verdicts: a row for each benchmark, marked "
                      "only where the difference is significant"));
  const auto set_format = [&table](const std::string& text) -> Result<void> {
    STEELYARD_TRY(const std::size_t word,
                  read_word(WrittenValue{text, true}, "--table-format", {"text", "markdown", "csv", "html"}));
    table.format = static_cast<TableFormat>(word);
    return {};
  };
  verb.add({"--table-format", "text|markdown|csv|html", "default: text", kTableGroup, false, set_format});
  verb.add(
      table_flag("--rowwise", table.rowwise, "compare along rows: the sides of each benchmark (the default for runs)"));
  verb.add(table_flag("--columnwise", table.columnwise,
                      "compare along columns (the default for files of the Timer, whose columns are descriptions)"));
  verb.add(text_option(
      "--against", "SIDE", table.against,
      "compare with this one instead of the best; as given, or as its column (by column: its row) is headed",
      kTableGroup));
  verb.add(table_flag("--reference-style", table.reference_style,
                      "as torch.utils.benchmark prints it: times only, coloured by ratio"));
  verb.add(table_flag("--ascii", table.ascii, "no characters beyond ASCII"));
}

// The first option that means something only with --table; empty: none was given.
std::string option_of_tables(const TableOptions& table) {
  if (table.format != TableFormat::text) return "--table-format";
  if (table.rowwise) return "--rowwise";
  if (table.columnwise) return "--columnwise";
  if (table.reference_style) return "--reference-style";
  if (table.ascii) return "--ascii";
  return table.against.empty() ? "" : "--against";
}

Result<void> take_table_sides(TableOptions& table, std::vector<std::string> sides) {
  if (sides.empty() || sides.size() > kMaxTableSides) {
    return input_error("steelyard compare --table", sides.empty() ? "nothing" : std::to_string(sides.size()) + " sides",
                       "1 to " + std::to_string(kMaxTableSides) + " sides");
  }
  table.sides = std::move(sides);
  return {};
}

Result<ExitCode> run_compare_table(const TableOptions& table, const JudgementOutputs& outputs, const App& app) {
  STEELYARD_CHECK(check_table(table, outputs, app.common.json));
  std::vector<std::string> warnings;
  STEELYARD_TRY(const TableReport report, report_of(table, outputs, app, warnings));
  for (const std::string& warning : warnings) app.note("note: " + printable(warning, true));
  if (outputs.output.empty()) {
    app.print(report.text);
  } else {
    STEELYARD_CHECK(write_text_file(outputs.output, report.text));
  }
  if (!outputs.markdown.empty()) STEELYARD_CHECK(write_text_file(outputs.markdown, report.markdown));
  if (!outputs.html.empty()) STEELYARD_CHECK(write_text_file(outputs.html, report.html));
  return ExitCode::success;
}

struct CompareOptions {
  std::string baseline;  // .syrun, Google Benchmark JSON, a folder of it, run:ID, commit:SHA
  std::string candidate;
  JudgementOutputs outputs;
  std::filesystem::path accepted;  // of --accepted; empty: none
  std::optional<std::uint64_t> seed;
  TableOptions table;
};

// Where the report itself is Markdown, which holds none of these.
Result<void> check_markdown(const JudgementOutputs& outputs, const App& app) {
  if (!outputs.is_markdown) return {};
  const auto contradiction = [](const std::string& option, const std::string& hint = "") {
    return input_error("steelyard compare", option + " and --markdown", "one of them", hint);
  };
  if (app.common.json) return contradiction("--json");
  if (!outputs.explain.empty()) return contradiction("--explain");
  if (outputs.pictures) return contradiction("--pictures", "--svg-dir FOLDER draws files");
  return {};
}

Result<ExitCode> run_compare(const CompareOptions& options, const App& app) {
  if (options.table.wanted && !options.accepted.empty()) return input_error("--accepted", "--table", "one of them");
  if (options.table.wanted) return run_compare_table(options.table, options.outputs, app);
  STEELYARD_CHECK(check_markdown(options.outputs, app));
  STEELYARD_TRY(Configuration configuration, effective_configuration(app));
  STEELYARD_TRY(Sides sides, load_sides(options.baseline, options.candidate, configuration, app));
  if (!options.accepted.empty()) {
    STEELYARD_TRY(const AcceptedChanges accepted, accepted_in_file(options.accepted));
    accept(accepted, configuration.policy, sides.warnings);
  }
  // By its id a run is found again when the comparison is verified.
  for (Run* run : {&sides.baseline, &sides.candidate}) {
    if (run->header.id.empty()) storage::seal(*run);
    STEELYARD_CHECK(call_by_current_names(configuration.renames,
                                          run == &sides.baseline ? options.baseline : options.candidate, *run));
  }
  STEELYARD_TRY(KnownCalibration calibrations, KnownCalibration::of(configuration));
  const auto compare = [&] {
    return compare_sides(sides.baseline, sides.candidate, {configuration, calibrations, options.seed}, sides.warnings);
  };
  JudgingPlan plan{configuration, options.outputs, sides.baseline, sides.candidate, compare};
  plan.from = SidesFrom::before;
  plan.judges_targets = false;
  plan.explain_must_match = true;
  plan.proposes_renames = true;
  return judge_runs(plan, app);
}

// The option of ab and gate; without FILE the report itself is Markdown.
VerbOption markdown_option(CompareOptions& options) {
  const auto set = [&outputs = options.outputs](const std::string& file) -> Result<void> {
    outputs.is_markdown = file.empty();
    outputs.markdown = file;
    return {};
  };
  VerbOption option{"--markdown", "[FILE]", "", kGeneralGroup, false, set};
  option.help =
      "write the report as Markdown there as well; without FILE: print it as Markdown. Before a side: "
      "--markdown=FILE";
  // "--markdown before.syrun after.syrun" has two sides and no file; a table has as many sides as there are.
  option.takes = [&table = options.table](const std::string& word, std::size_t names) {
    return word.ends_with(".md") || (!table.wanted && names >= 2);
  };
  return option;
}

// A comparison that is kept is no side; another verb tells it again.
Result<void> check_no_comparison(const std::vector<std::string>& given, const JudgementOutputs& outputs) {
  for (const std::string& name : given) {
    if (!name.starts_with("comparison:")) continue;
    const std::string page = outputs.html.empty() ? "report.html" : in_shell_quotes(outputs.html.string());
    return input_error("steelyard compare", '"' + name + '"', "BASELINE CANDIDATE, two runs",
                       "what a kept comparison says, and its page: steelyard verify " + name + " --html " + page);
  }
  return {};
}

Result<void> take_sides(CompareOptions& options, std::vector<std::string> given) {
  STEELYARD_CHECK(check_no_comparison(given, options.outputs));
  if (options.table.wanted) return take_table_sides(options.table, std::move(given));
  const std::string option = option_of_tables(options.table);
  if (!option.empty()) return input_error("steelyard compare", option + " without --table", "both");
  if (given.size() != 2) {
    const std::string found = joined_text(given, " ");
    return input_error("steelyard compare", found.empty() ? "nothing" : '"' + found + '"', "BASELINE CANDIDATE",
                       "see steelyard compare --help");
  }
  options.baseline = std::move(given[0]);
  options.candidate = std::move(given[1]);
  return {};
}

}  // namespace

Verb compare_verb() {
  const auto options = std::make_shared<CompareOptions>();
  Verb verb = make_verb(
      options, run_compare, "compare",
      "Judges a candidate against a baseline, both measured before. Each is a .syrun archive, a Google Benchmark JSON "
      "file, a folder of one such file per process, run:ID or commit:SHA from the store (or what git calls it here: "
      "commit:HEAD~3, commit:v1.2); BASELINE also ancestor: or "
      "ancestor:BRANCH, the nearest ancestor of the candidate's commit that was measured on its machine. With --table, "
      "up to 20 sides next to each other, files of the harness's Timer among them.",
      "  steelyard compare before.syrun after.syrun --minimum-effect 2%\n"
      "  steelyard compare --table gcc.syrun clang.syrun msvc.syrun --against gcc");
  verb.names = {"BASELINE", "CANDIDATE", "[SIDE...]"};
  verb.take = [options](Words words) { return take_sides(*options, std::move(words.names)); };
  add_key_options(verb, {{"policy", "store", "project"}});
  add_table_options(verb, options->table);
  verb.add(markdown_option(*options));
  verb.add(output_option("--output", "FILE", options->outputs.output, "write the report there"));
  verb.add(accepted_option(options->accepted));
  add_picture_options(verb, options->outputs);
  verb.add(seed_option(options->seed));
  add_common_options(verb);
  return verb;
}

}  // namespace steelyard::ci

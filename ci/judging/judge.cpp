#include "ci/judging/judge.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "ci/attribution/attribute.hpp"
#include "ci/attribution/own_folders.hpp"
#include "ci/config/nearest_name.hpp"
#include "ci/judging/outcome.hpp"
#include "ci/judging/pictures.hpp"
#include "ci/judging/targets.hpp"
#include "ci/report/comparison.hpp"
#include "regress/ab/wording.hpp"
#include "regress/compare_runs.hpp"
#include "regress/history/explain_history.hpp"
#include "storage/archive/archive.hpp"

namespace steelyard {
namespace {

// The document of a judgement without explanations, made once for all who want it; empty: nobody does.
std::string json_of(const Judgement& judgement, const JudgementOutputs& outputs, const App& app) {
  const bool is_printed = app.common.json && judgement.explanations.empty();
  if (!is_printed && outputs.archive_dir.empty()) return "";
  return json_report(judgement.comparison, judgement.targets);
}

std::string report_text(const Judgement& judgement, const std::string& json, const JudgementOutputs& outputs,
                        const App& app) {
  if (app.common.json && judgement.explanations.empty()) return json;
  if (app.common.json) return json_report(judgement.comparison, judgement.targets, judgement.explanations);
  if (outputs.is_markdown) return markdown_report(judgement.comparison, judgement.targets);
  const TerminalStyle style = app.style(outputs.output);
  return terminal_report(judgement.comparison, style, judgement.targets) +
         terminal_explanations(judgement.explanations, style);
}

ExitCode write_if_named(const std::filesystem::path& file, const std::string& text, const App& app) {
  if (file.empty()) return ExitCode::success;
  const Result<void> written = write_text_file(file, text);
  return written ? ExitCode::success : app.report(written.error());
}

ExitCode print_reports(const Judgement& judgement, const std::string& json, const JudgementOutputs& outputs,
                       const App& app) {
  const std::string report = report_text(judgement, json, outputs, app);
  if (outputs.output.empty()) app.print(report);
  const ExitCode code = write_if_named(outputs.output, report, app);
  if (outputs.markdown.empty()) return code;
  return worse(code, write_if_named(outputs.markdown, markdown_report(judgement.comparison, judgement.targets), app));
}

// Files, and pictures on the output stream below a report for people (none beside JSON).
ExitCode show_pictures(const Judgement& judgement, const JudgementOutputs& outputs, const App& app) {
  const auto& [baseline, candidate, comparison, targets, explanations] = judgement;
  if (outputs.pictures && !app.common.json) {
    app.print(terminal_pictures(comparison, baseline, candidate, app.style()));
  }
  if (outputs.svg_dir.empty()) return ExitCode::success;
  const Result<DrawnRows> rows = draw_changed_rows(comparison, baseline, candidate, outputs.svg_dir);
  if (!rows) return app.report(rows.error());
  if (rows->left_out > 0) {
    app.note("--svg-dir: the worst " + std::to_string(rows->drawn) + " are drawn, and " +
             plural_text(static_cast<std::int64_t>(rows->left_out), "more row") +
             " that changed are not; compare fewer benchmarks to see them");
  }
  return ExitCode::success;
}

}  // namespace

void add_picture_options(Verb& verb, JudgementOutputs& outputs) {
  verb.add(path_option("--flame-dir", "FOLDER", outputs.flame_dir, "draw a flame graph of every changed count there"));
  verb.add(text_option("--explain", "BENCHMARK", outputs.explain,
                       "explain the rows whose benchmark contains it, from samples to answer; all: every row"));
  verb.add(path_option("--svg-dir", "FOLDER", outputs.svg_dir, "draw the samples of every row that changed there"));
  verb.add(flag_option("--pictures", outputs.pictures, "draw samples and intervals below the report, too"));
}

void add_judging_options(Verb& verb, JudgementOutputs& outputs, std::optional<std::uint64_t>& seed) {
  add_key_options(verb, {{"build", "run", "policy", "store", "project"}});
  verb.add(path_option("--markdown", "FILE", outputs.markdown, "write the report as Markdown there as well"));
  verb.add(path_option("--archive-dir", "FOLDER", outputs.archive_dir,
                       "copy both sides' archives and the comparison there"));
  add_picture_options(verb, outputs);
  verb.add(flag_option("--no-store", outputs.no_store, "keep nothing but --archive-dir"));
  verb.add(seed_option(seed));
  add_common_options(verb);
}

Comparison compare_sides(const Run& baseline, const Run& candidate, const ComparisonRequest& request,
                         std::vector<std::string> warnings) {
  const Calibration* calibration = request.calibrations.find(baseline, candidate, warnings);
  ComparisonPolicy policy = comparison_policy(request.configuration.policy);
  if (request.seed) policy.seed = *request.seed;
  Comparison comparison = request.history == nullptr
                              ? compare_runs(baseline, candidate, policy, calibration)
                              : judge_against_history(*request.history, candidate, policy, calibration);
  if (request.measured != nullptr) tell_equal_builds(request.measured->equal, request.measured->untimed, comparison);
  attribute(comparison, baseline, candidate, {own_folders(baseline, candidate)});
  comparison.warnings.insert(comparison.warnings.end(), warnings.begin(), warnings.end());
  return comparison;
}

Result<std::vector<Explanation>> explanations_of(const std::string& part, const Judgement& judgement) {
  const Comparison& comparison = judgement.comparison;
  if (part.empty()) return std::vector<Explanation>{};
  std::vector<Explanation> explanations = explain(judgement.baseline, judgement.candidate, comparison, part);
  if (explanations.empty() && !comparison.rows.empty()) {
    std::vector<std::string> names;
    for (const ComparisonRow& row : comparison.rows) names.push_back(row.benchmark);
    const auto nearest = nearest_name(part, names);
    return input_error("--explain", '"' + part + '"', "a part of a benchmark's name, or all",
                       nearest ? "did you mean " + *nearest + "?" : "the first row is of " + names.front());
  }
  if (comparison.history) explain_by_history(comparison, explanations);
  return explanations;
}

ExitCode explain_rows(Judgement& judgement, const JudgementOutputs& outputs, const App& app) {
  Result<std::vector<Explanation>> explanations = explanations_of(outputs.explain, judgement);
  if (!explanations) return app.report(explanations.error());
  judgement.explanations = std::move(explanations).value();
  return ExitCode::success;
}

void judge_promises(Judgement& judgement, const Configuration& configuration, bool expect_all) {
  judgement.targets = report_targets(judgement.candidate, configuration, expect_all);
  // What is asked here is what changed; who has promised nothing need not be told what the machine could do.
  if (judgement.targets.targets.empty()) judgement.targets.hint.clear();
}

ExitCode copy_archives(const Run& baseline, const Run& candidate, const std::filesystem::path& folder, const App& app) {
  if (folder.empty()) return ExitCode::success;
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) return app.report(input_error(folder.string(), code.message(), "a folder for archives"));
  ExitCode status = ExitCode::success;
  for (const auto& [name, run] : {std::pair("baseline.syrun", &baseline), {"candidate.syrun", &candidate}}) {
    if (run->header.id.empty()) continue;
    const Result<void> written = write_archive(folder / name, *run);
    if (!written) status = worse(status, app.report(written.error()));
  }
  return status;
}

ExitCode tell(Judgement& judgement, const JudgementOutputs& outputs, const Configuration& configuration,
              const App& app) {
  ExitCode code = ExitCode::success;
  if (!outputs.flame_dir.empty()) {
    const Result<void> drawn =
        draw_changed_counts(judgement.comparison, judgement.baseline, judgement.candidate, outputs.flame_dir);
    if (!drawn) code = app.report(drawn.error());
  }
  const std::string json = json_of(judgement, outputs, app);
  if (!outputs.archive_dir.empty()) {
    code = worse(code, write_if_named(outputs.archive_dir / "comparison.json", json, app));
  }
  code = worse(code, print_reports(judgement, json, outputs, app));
  code = worse(code, show_pictures(judgement, outputs, app));
  code = worse(code, outcome_of(judgement.targets));
  return worse(code,
               outcome_of(judgement.comparison, judgement.baseline, judgement.candidate, outcome_rules(configuration)));
}

}  // namespace steelyard

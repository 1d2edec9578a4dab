#include "ci/judging/judge.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/number_text.hpp"
#include "ci/attribution/attribute.hpp"
#include "ci/attribution/own_source.hpp"
#include "ci/config/renames.hpp"
#include "ci/config/written_value.hpp"
#include "ci/judging/pictures.hpp"
#include "ci/judging/targets.hpp"
#include "ci/report/comparison.hpp"
#include "ci/report/judgement_text.hpp"
#include "ci/report/warning_text.hpp"
#include "regress/ab/gates.hpp"
#include "regress/ab/rounds.hpp"
#include "regress/compare_runs.hpp"
#include "regress/history/judge_history.hpp"
#include "storage/archive/archive.hpp"
#include "storage/calibration/calibration_document.hpp"
#include "storage/place/store_address.hpp"

namespace steelyard::ci {
namespace {

// A path of steelyard.toml is relative to that file, one of the command line to the current folder.
std::filesystem::path named_file(const Configuration& configuration) {
  const std::filesystem::path path(configuration.policy.calibration);
  const bool from_file = !configuration.policy.calibration_where.starts_with("--");
  return from_file && path.is_relative() ? configuration.root / path : path;
}

}  // namespace

Result<KnownCalibration> KnownCalibration::of(const Configuration& configuration) {
  KnownCalibration known;
  if (configuration.policy.calibration.empty()) return known;
  known.file_ = named_file(configuration);
  STEELYARD_TRY(known.named_, storage::read_calibration(known.file_));
  return known;
}

const Calibration* KnownCalibration::find(const Run& baseline, const Run& candidate,
                                          std::vector<std::string>& warnings) {
  const std::string fingerprint = candidate.environment.fingerprint();
  const Layout layout = regress::mutual_layout(baseline.header, candidate.header);
  if (!named_) {
    auto at = kept_.find({fingerprint, layout});
    if (at == kept_.end()) {
      auto found = storage::find_calibration(storage::state_folder(), fingerprint, layout);
      at = kept_.emplace(std::pair(fingerprint, layout), std::move(found)).first;
    }
    const Result<std::optional<Calibration>>& kept = at->second;
    if (kept) return *kept ? &**kept : nullptr;
    warnings.push_back(warning::calibration_not_read(kept.error()));
    return nullptr;
  }
  if (named_->fingerprint != fingerprint) {
    warnings.push_back(warning::calibration_of_other_machine({file_.string(), named_->fingerprint, fingerprint}));
    return nullptr;
  }
  if (is_concurrent(layout) && named_->layout != layout) {
    warnings.push_back(warning::calibration_of_other_layout({file_.string(), named_->layout, layout}));
  }
  return &*named_;
}

namespace {

// The document of a judgement without explanations, made once for all who want it; empty: nobody does.
std::string json_of(const Judgement& judgement, const JudgementOutputs& outputs, const App& app) {
  const bool is_printed = app.common.json && judgement.explanations.empty();
  if (!is_printed && outputs.archive_dir.empty()) return "";
  return json_report(judgement.comparison, judgement.targets);
}

Extent extent_of(const JudgementOutputs& outputs) { return outputs.details ? Extent::whole : Extent::brief; }

std::string report_text(const Judgement& judgement, const std::string& json, const JudgementOutputs& outputs,
                        const App& app) {
  if (app.common.json && judgement.explanations.empty()) return json;
  if (app.common.json) return json_report(judgement.comparison, judgement.targets, judgement.explanations);
  if (outputs.is_markdown) return markdown_report(judgement.comparison, judgement.targets, extent_of(outputs));
  const TerminalStyle style = app.style(outputs.output);
  return terminal_report(judgement.comparison, style, judgement.targets, extent_of(outputs)) +
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
  const std::string markdown = markdown_report(judgement.comparison, judgement.targets, extent_of(outputs));
  return worse(code, write_if_named(outputs.markdown, markdown, app));
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
  if (rows->excluded > 0) {
    app.note("--svg-dir: the worst " + std::to_string(rows->drawn) + " are drawn, and " +
             plural_text(static_cast<std::int64_t>(rows->excluded), "more row") +
             " that changed are not; compare fewer benchmarks to see them");
  }
  return ExitCode::success;
}

}  // namespace

void add_picture_options(Verb& verb, JudgementOutputs& outputs) {
  verb.add(path_option("--html", "FILE", outputs.html,
                       "write the report there as one HTML page, with pictures and every row explained"));
  verb.add(
      flag_option("--details", outputs.details, "report every row, and what is behind it, however many there are"));
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
  verb.add(path_option("--profile-on-regression", "FOLDER", outputs.time_dir,
                       "record spans of both builds where time regressed and counts do not say why, and write what "
                       "changed there"));
  verb.add(flag_option("--no-store", outputs.no_store, "keep nothing but --archive-dir"));
  verb.add(seed_option(seed));
  add_common_options(verb);
}

Comparison compare_sides(const Run& baseline, const Run& candidate, const ComparisonRequest& request,
                         std::vector<std::string> warnings) {
  const Calibration* calibration = request.calibrations.find(baseline, candidate, warnings);
  ComparisonPolicy policy = comparison_policy(request.configuration.policy);
  if (request.seed) policy.seed = *request.seed;
  Comparison comparison = worded(
      request.history == nullptr ? regress::compare_runs(baseline, candidate, policy, calibration)
                                 : regress::judge_against_history(*request.history, candidate, policy, calibration));
  if (request.measured != nullptr)
    annotate_equal_builds(request.measured->equal, request.measured->untimed, comparison, request.measured->untimed_by);
  attribute_in_words(comparison, baseline, candidate, {own_folders(baseline, candidate)});
  comparison.warnings.insert(comparison.warnings.end(), warnings.begin(), warnings.end());
  std::set<std::string> names;
  for (const ComparisonRow& row : comparison.rows) names.insert(row.benchmark);
  comparison.earlier_names = names_before(request.configuration.renames, names);
  if (request.measured == nullptr) return comparison;
  for (const auto& [earlier, today] : request.measured->names_of_builds) {
    if (names.contains(today) && !names.contains(earlier)) comparison.earlier_names.emplace(earlier, today);
  }
  return comparison;
}

Result<std::vector<Explanation>> explanations_of(const std::string& part, const Judgement& judgement) {
  const Comparison& comparison = judgement.comparison;
  if (part.empty()) return std::vector<Explanation>{};
  std::vector<Explanation> explanations =
      explain(judgement.baseline, judgement.candidate, comparison, canonical_as_typed(part));
  if (explanations.empty() && !comparison.rows.empty()) {
    std::vector<std::string> names;
    for (const ComparisonRow& row : comparison.rows) names.push_back(row.benchmark);
    const auto nearest = nearest_name(part, names);
    return input_error("--explain", '"' + part + '"', "a part of a benchmark's name, or all",
                       nearest ? "did you mean " + *nearest + "?" : "the first row is of " + names.front());
  }
  return explanations;
}

Result<void> write_page(const std::filesystem::path& file, const Judgement& judgement) {
  STEELYARD_TRY(const std::vector<Explanation> explanations, explanations_of("all", judgement));
  const PageEvidence evidence{judgement.baseline, judgement.candidate, explanations};
  return write_text_file(file, html_report(judgement.comparison, evidence, judgement.targets));
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
    const Result<void> written = storage::write_archive(folder / name, *run);
    if (!written) status = worse(status, app.report(written.error()));
  }
  return status;
}

ExitCode tell(Judgement& judgement, const JudgementOutputs& outputs, const Configuration& configuration,
              const App& app) {
  ExitCode code = ExitCode::success;
  for (std::string& line : broken_rule_lines(broken_rules(judgement.comparison, outcome_rules(configuration)))) {
    judgement.comparison.warnings.push_back(std::move(line));
  }
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
  if (!outputs.html.empty()) {
    const Result<void> written = write_page(outputs.html, judgement);
    if (!written) code = worse(code, app.report(written.error()));
  }
  code = worse(code, show_pictures(judgement, outputs, app));
  code = worse(code, outcome_of(judgement.targets));
  return worse(code,
               outcome_of(judgement.comparison, judgement.baseline, judgement.candidate, outcome_rules(configuration)));
}

namespace {

bool has_measurement(const Run& run, const ComparisonRow& row) {
  return std::any_of(run.measurements.begin(), run.measurements.end(), [&](const Measurement& measurement) {
    return measurement.metric.name == row.metric.name && measurement.benchmark.canonical() == row.benchmark;
  });
}

// Whether a process of the program itself went wrong, other than while it was counted.
bool program_failed(const Run& run, const ComparisonRow& row) {
  return std::any_of(run.failures.begin(), run.failures.end(), [&](const Failure& failure) {
    const bool concerns_row = failure.benchmark.name.empty() || failure.benchmark.canonical() == row.benchmark;
    const bool was_counting = failure.metric == kInstructions || is_extra_counter(failure.metric);
    return concerns_row && !was_counting && failure.kind != FailureKind::bad_record && !is_skip(failure.kind);
  });
}

bool has_bad_record(const Run& run) {
  return std::any_of(run.failures.begin(), run.failures.end(),
                     [](const Failure& failure) { return failure.kind == FailureKind::bad_record; });
}

bool has_judgement(const ComparisonRow& row) {
  return row.verdict != Verdict::missing && row.verdict != Verdict::incomparable && row.verdict != Verdict::failed &&
         row.verdict != Verdict::skipped;
}

bool matters(const ComparisonRow& row, const OutcomeRules& rules) {
  return row.gates || (rules.demand_counts && row.metric.name == kInstructions);
}

bool is_asked_for(const Metric& metric, const ComparisonPolicy& policy, const OutcomeRules& rules) {
  if (rules.demand_counts && metric.name == kInstructions) return true;
  return regress::names_metric(policy, metric.name);
}

// Both sides failed alike at something that nobody named.
bool is_dispensable(const ComparisonRow& row, const Run& baseline, const Run& candidate, const ComparisonPolicy& policy,
                    const OutcomeRules& rules) {
  return row.metric.kind == MetricKind::counted && !is_asked_for(row.metric, policy, rules) &&
         !has_measurement(baseline, row) && !has_measurement(candidate, row);
}

}  // namespace

OutcomeRules outcome_rules(const Configuration& configuration) {
  return {configuration.policy.demand_decision, configuration.run.counts == bench::CountChoice::always,
          configuration.policy.forbid_skips};
}

BrokenRules broken_rules(const Comparison& comparison, const OutcomeRules& rules) {
  BrokenRules broken;
  broken.nothing_judged =
      !comparison.rows.empty() && std::none_of(comparison.rows.begin(), comparison.rows.end(), has_judgement);
  for (const ComparisonRow& row : comparison.rows) {
    if (!matters(row, rules)) continue;
    if (rules.forbid_skips && row.verdict == Verdict::skipped) broken.skipped.insert(row.benchmark);
    if (rules.demand_decision && row.verdict == Verdict::inconclusive) broken.undecided.insert(row.benchmark);
  }
  return broken;
}

ExitCode outcome_of(const Comparison& comparison, const Run& baseline, const Run& candidate,
                    const OutcomeRules& rules) {
  // Nothing was judged at all, perhaps because a filter matches nothing: that is no pass.
  const bool any_judged = std::any_of(comparison.rows.begin(), comparison.rows.end(), has_judgement);
  const bool whole = any_judged && !has_bad_record(baseline) && !has_bad_record(candidate);
  ExitCode code = whole ? ExitCode::success : ExitCode::not_judged;
  for (const ComparisonRow& row : comparison.rows) {
    const bool counts = matters(row, rules);
    switch (row.verdict) {
      case Verdict::regression:
        if (row.gates) code = worse(code, ExitCode::regression);
        break;
      case Verdict::missing:
      case Verdict::incomparable:
        if (counts) code = worse(code, ExitCode::not_judged);
        break;
      case Verdict::failed:
        if (program_failed(candidate, row)) {
          code = worse(code, ExitCode::program_failed);
        } else if (counts && !is_dispensable(row, baseline, candidate, comparison.policy, rules)) {
          code = worse(code, ExitCode::not_judged);
        }
        break;
      case Verdict::skipped:
        // What neither side can do on this machine was not to be judged here, unless the policy says that it was.
        if (rules.forbid_skips && counts) code = worse(code, ExitCode::not_judged);
        break;
      case Verdict::inconclusive:
        if (rules.demand_decision && counts) code = worse(code, ExitCode::not_judged);
        break;
      case Verdict::improvement:
      case Verdict::unchanged:
      case Verdict::fresh:
        break;
    }
  }
  return code;
}

ExitCode outcome_of(const TargetReport& targets) {
  const auto counts = targets.count_by_verdict();
  ExitCode code = ExitCode::success;
  if (counts.at(static_cast<std::size_t>(TargetVerdict::missed)) > 0) code = worse(code, ExitCode::regression);
  if (counts.at(static_cast<std::size_t>(TargetVerdict::undecided)) > 0) code = worse(code, ExitCode::not_judged);
  return code;
}

}  // namespace steelyard::ci

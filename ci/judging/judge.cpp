#include "ci/judging/judge.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/model/benchmark_id.hpp"
#include "ci/app/keeping.hpp"
#include "ci/attribution/own_source.hpp"
#include "ci/config/renames.hpp"
#include "ci/config/written_value.hpp"
#include "ci/judging/pictures.hpp"
#include "ci/judging/profile_regressions.hpp"
#include "ci/judging/rename_proposals.hpp"
#include "ci/judging/targets.hpp"
#include "ci/measuring/merge_runs.hpp"
#include "ci/report/comparison.hpp"
#include "ci/report/judgement_text.hpp"
#include "ci/report/warning_text.hpp"
#include "regress/ab/gates.hpp"
#include "regress/ab/match.hpp"
#include "regress/ab/rounds.hpp"
#include "regress/compare_runs.hpp"
#include "regress/history/judge_history.hpp"
#include "regress/policy/pattern_policy.hpp"
#include "storage/archive/archive.hpp"
#include "storage/calibration/calibration_document.hpp"
#include "storage/comparison/comparison_document.hpp"
#include "storage/place/files.hpp"
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

// 0 is a seed like any other where a run was measured by one; other tools' results have none, nor has a run that was
// merged of several.
bool has_seed(const RunHeader& header) {
  return header.seed != 0 || (header.tool.starts_with("steelyard ") && !header.settings.contains(kSeedsSetting));
}

// So that what ab or gate measured and judged is judged again with the same permutations, and to the same q.
std::optional<std::uint64_t> seed_of_session(const Run& baseline, const Run& candidate) {
  const RunHeader& own = candidate.header;
  const bool is_one = !own.session.empty() && own.session == baseline.header.session;
  if (!is_one || !has_seed(own) || !has_seed(baseline.header) || own.seed != baseline.header.seed) return std::nullopt;
  return own.seed;
}

}  // namespace

Comparison compare_sides(const Run& baseline, const Run& candidate, const ComparisonRequest& request,
                         std::vector<std::string> warnings) {
  const Calibration* calibration = request.calibrations.find(baseline, candidate, warnings);
  ComparisonPolicy policy = comparison_policy(request.configuration.policy);
  if (const std::optional<std::uint64_t> seed = request.seed ? request.seed : seed_of_session(baseline, candidate)) {
    policy.seed = *seed;
  }
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

Result<void> check_explained(const std::string& part, const std::vector<std::string>& benchmarks) {
  if (part.empty() || part == kExplainAll || benchmarks.empty()) return {};
  const std::string canonical = canonical_as_typed(part);
  for (const std::string& name : benchmarks) {
    if (name.find(canonical) != std::string::npos) return {};
  }
  std::vector<std::string> names = benchmarks;
  for (const std::string& name : benchmarks) names.push_back(name.substr(0, name.find_first_of("/ ")));
  const auto nearest = nearest_name(canonical, names);
  return input_error("--explain", '"' + part + '"', "a part of a benchmark's name, or all",
                     nearest ? "did you mean " + *nearest + "?" : "the first is " + names.front());
}

Result<std::vector<Explanation>> explanations_of(const std::string& part, const Judgement& judgement) {
  const Comparison& comparison = judgement.comparison;
  if (part.empty()) return std::vector<Explanation>{};
  std::vector<std::string> names;
  for (const ComparisonRow& row : comparison.rows) names.push_back(row.benchmark);
  STEELYARD_CHECK(check_explained(part, names));
  return explain(judgement.baseline, judgement.candidate, comparison, canonical_as_typed(part));
}

Result<void> write_page(const std::filesystem::path& file, const Judgement& judgement) {
  STEELYARD_TRY(const std::vector<Explanation> explanations, explanations_of(kExplainAll, judgement));
  const PageEvidence evidence{judgement.baseline, judgement.candidate, explanations, judgement.from};
  return write_text_file(file, html_report(judgement.comparison, evidence, judgement.targets));
}

namespace {

// A run without an id is none and is left out; every path is tried, so that one full disk does not cost the copy on
// another.
ExitCode copy_archives(const JudgingPlan& plan, const App& app) {
  const std::filesystem::path& folder = plan.outputs.archive_dir;
  if (folder.empty()) return ExitCode::success;
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) return app.report(input_error(folder.string(), code.message(), "a folder for archives"));
  ExitCode status = ExitCode::success;
  for (std::size_t i = 0; i < plan.archived.size(); ++i) {
    if (plan.archived[i]->header.id.empty()) continue;
    const Result<void> written = storage::write_archive(folder / kJudgedFiles[i], *plan.archived[i]);
    if (!written) status = worse(status, app.report(written.error()));
  }
  return status;
}

// What could not be written is told; the judgement stands.
ExitCode profile_time(const JudgingPlan& plan, Comparison& comparison, const App& app) {
  if (plan.programs == nullptr || plan.outputs.time_dir.empty()) return ExitCode::success;
  const std::size_t rows = regressions_without_cause(comparison).size();
  if (rows == 0) return ExitCode::success;
  app.note(note::recording_regressions(rows));
  const Result<void> done = profile_regressions(*plan.programs, plan.candidate, comparison,
                                                {.folder = plan.outputs.time_dir, .cancelled = plan.cancelled});
  return done ? ExitCode::success : app.report(done.error());
}

// What a shard's runs show is judged with the others'. Its comparison has the policy that the whole is judged by.
ExitCode tell_shard(const TakenShard& taken, Comparison& comparison, const std::filesystem::path& folder,
                    const App& app) {
  comparison.warnings.insert(comparison.warnings.begin(), warning::shard_alone(to_text(taken.shard)));
  const std::string json = storage::comparison_document(comparison);
  const Result<void> written = write_text_file(folder / kComparisonFile, json);
  const ExitCode code = written ? ExitCode::success : app.report(written.error());
  if (app.common.json) {
    app.print(json);
    return code;
  }
  app.print(note::shard_measured({to_text(taken.shard), taken.benchmarks, taken.all, folder.string()}) + '\n');
  return code;
}

std::string report_text(const Judgement& judgement, const JudgementOutputs& outputs, Extent extent, const App& app) {
  const auto& [baseline, candidate, comparison, targets, explanations, from] = judgement;
  if (app.common.json) return json_report(comparison, targets, explanations);
  if (outputs.is_markdown) return markdown_report(comparison, targets, extent, from);
  const TerminalStyle style = app.style(outputs.output);
  return terminal_report(comparison, style, targets, extent, from) + terminal_explanations(explanations, style);
}

Result<void> draw_rows(const Judgement& judgement, const std::filesystem::path& folder, const App& app) {
  STEELYARD_TRY(const DrawnRows rows,
                draw_changed_rows(judgement.comparison, judgement.baseline, judgement.candidate, folder));
  if (rows.excluded > 0) app.note(note::rows_not_drawn(rows.drawn, rows.excluded));
  return {};
}

// A report has room for a few warnings: why the status is what it is stands before all that is of interest.
void put_reasons_first(const std::vector<std::string>& broken, std::vector<std::string>& warnings) {
  std::stable_partition(warnings.begin(), warnings.end(),
                        [](const std::string& line) { return line == warning::interrupted(); });
  warnings.insert(warnings.begin(), broken.begin(), broken.end());
}

// A pattern that somebody mistyped accepts nothing: that is said once, before all that nobody wrote, and in place of
// its note, which was made before the benchmarks were known.
void tell_idle_acceptances(Comparison& comparison) {
  std::set<std::string> benchmarks;
  for (const ComparisonRow& row : comparison.rows) benchmarks.insert(row.benchmark);
  std::vector<std::string>& warnings = comparison.warnings;
  regress::caution::TablesWithoutBenchmark all, others;
  std::vector<std::string> told;
  for (const PatternPolicy* const table : regress::tables_without_benchmark(comparison.policy, benchmarks)) {
    all.tables.push_back(regress::to_text(*table));
    if (table->accepted_by.empty()) {
      others.tables.push_back(all.tables.back());
    } else if (std::erase(warnings, warning::accepted(*table)) > 0) {
      told.push_back(warning::accepted_nothing(*table));
    }
  }
  if (told.empty()) return;
  const auto idle = std::find(warnings.begin(), warnings.end(), warning_text(all));
  if (idle != warnings.end() && !others.tables.empty()) *idle = warning_text(others);
  if (idle != warnings.end() && others.tables.empty()) warnings.erase(idle);
  warnings.insert(warnings.begin(), told.begin(), told.end());
}

bool is_plain_file(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::symlink_status(file, ignored).type() == std::filesystem::file_type::regular;
}

// The document beside the archives, where from then on no end of another gate is.
Result<void> leave_comparison(const std::filesystem::path& folder, const std::string& json) {
  std::error_code ignored;  // publish tells of a comparison beside an end
  if (read_end(folder) && is_plain_file(folder / kEndedFile)) std::filesystem::remove(folder / kEndedFile, ignored);
  return write_text_file(folder / kComparisonFile, json);
}

// Everything that is shown of a judgement, and its document beside the archives.
ExitCode tell(Judgement& judgement, const JudgingPlan& plan, const App& app) {
  auto& [baseline, candidate, comparison, targets, explanations, from] = judgement;
  const JudgementOutputs& outputs = plan.outputs;
  const OutcomeRules rules = outcome_rules(plan.configuration);
  ExitCode code = worse(outcome_of(targets), outcome_of(comparison, baseline, candidate, rules));
  const auto check = [&](const Result<void>& done) {
    if (!done) code = worse(code, app.report(done.error()));
  };
  tell_idle_acceptances(comparison);
  put_reasons_first(broken_rule_lines(broken_rules(comparison, rules)), comparison.warnings);
  if (!outputs.flame_dir.empty()) check(draw_changed_counts(comparison, baseline, candidate, outputs.flame_dir));
  // The document has no explanations, and is made once for all who want it.
  const bool is_printed = app.common.json && explanations.empty();
  const bool is_wanted = is_printed || !outputs.archive_dir.empty();
  const std::string json = is_wanted ? json_report(comparison, targets) : "";
  if (!outputs.archive_dir.empty()) check(leave_comparison(outputs.archive_dir, json));
  const Extent extent = outputs.details ? Extent::whole : Extent::brief;
  const std::string report = is_printed ? json : report_text(judgement, outputs, extent, app);
  if (outputs.output.empty()) {
    app.print(report);
  } else {
    check(write_text_file(outputs.output, report));
  }
  if (!outputs.markdown.empty()) {
    check(write_text_file(outputs.markdown, markdown_report(comparison, targets, extent, from)));
  }
  if (!outputs.html.empty()) check(write_page(outputs.html, judgement));
  // There are none beside JSON.
  if (outputs.pictures && !app.common.json) app.print(terminal_pictures(comparison, baseline, candidate, app.style()));
  if (!outputs.svg_dir.empty()) check(draw_rows(judgement, outputs.svg_dir, app));
  return code;
}

// Explains the rows that are asked for, and reports. What was measured is reported though --explain names no row.
ExitCode judge_whole(const JudgingPlan& plan, Judgement& judgement, const App& app) {
  excuse_counts(plan.baseline, plan.candidate, outcome_rules(plan.configuration), judgement.comparison);
  ExitCode code = profile_time(plan, judgement.comparison, app);
  if (plan.proposes_renames) {
    judgement.comparison.rename_proposals = propose_renames(plan.baseline, plan.candidate);
    const bool is_any_proposed = !judgement.comparison.rename_proposals.empty();
    if (!is_any_proposed && lacks_counts_of_renames(plan.baseline, plan.candidate)) {
      app.note(renames_need_counts(plan.candidate.header));
    }
  }
  if (plan.judges_targets) {
    judgement.targets = report_targets(plan.candidate, plan.configuration, plan.expects_every_target);
    // What is asked here is what changed; who has promised nothing need not be told what the machine could do.
    if (judgement.targets.targets.empty()) judgement.targets.hint.clear();
  }
  Result<std::vector<Explanation>> explanations = explanations_of(plan.outputs.explain, judgement);
  if (explanations) {
    judgement.explanations = std::move(explanations).value();
  } else {
    code = worse(code, app.report(explanations.error()));
    if (plan.explain_must_match) return code;
  }
  return worse(code, tell(judgement, plan, app));
}

}  // namespace

void leave_end(const JudgementOutputs& outputs, const EndedGate& ended, const App& app) {
  const auto leave = [&app](const std::filesystem::path& file, const std::string& text) {
    if (const Result<void> done = write_text_file(file, text); !done) app.warn(done.error().text());
  };
  if (!outputs.archive_dir.empty()) {
    std::error_code ignored;  // of which writing tells
    std::filesystem::create_directories(outputs.archive_dir, ignored);
    leave(outputs.archive_dir / kEndedFile, ended_document(ended));
  }
  if (!outputs.markdown.empty()) leave(outputs.markdown, ended_report(ended));
}

std::optional<EndedGate> read_end(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kEndedFile;
  const Result<std::string> text = storage::read_file(file, kMaxEndedBytes);
  if (!text) return std::nullopt;
  Result<EndedGate> ended = parse_ended(*text, file.string());
  return ended ? std::optional(std::move(ended).value()) : std::nullopt;
}

Result<void> remove_earlier_judgement(const JudgementOutputs& outputs, const std::filesystem::path& judged) {
  const std::filesystem::path& folder = outputs.archive_dir;
  if (folder.empty()) return {};
  std::vector<const char*> names;
  // The comparison first: where this is cut short, archives alone are no verdict.
  constexpr std::size_t kBeginning = 100;
  const Result<std::string> beginning = storage::read_beginning(folder / kComparisonFile, kBeginning);
  if (is_plain_file(folder / kComparisonFile) && beginning && storage::comparison_version(*beginning) > 0) {
    names.push_back(kComparisonFile);
    const Result<Comparison> earlier = storage::read_comparison(folder / kComparisonFile);
    const auto add_archive = [&](const char* name, const RunHeader& side) {
      const Result<RunHeader> header = storage::read_header(folder / name);
      if (header && header->id == side.id) names.push_back(name);
    };
    if (earlier) add_archive(kBaselineFile, earlier->baseline);
    if (earlier) add_archive(kCandidateFile, earlier->candidate);
  }
  if (read_end(folder)) names.push_back(kEndedFile);
  for (const char* const name : names) {
    const std::filesystem::path file = folder / name;
    std::error_code code;
    if (!is_plain_file(file) || (!judged.empty() && std::filesystem::equivalent(file, judged, code))) continue;
    std::filesystem::remove(file, code);
    if (!code) continue;
    return input_error(file.string(), code.message(), "an earlier judgement that can be removed",
                       "name another folder: --archive-dir");
  }
  return {};
}

ExitCode judge_runs(const JudgingPlan& plan, const App& app) {
  ExitCode code = copy_archives(plan, app);
  Judgement judgement{plan.baseline, plan.candidate, plan.compare(), {}, {}, plan.from};
  if (plan.from == SidesFrom::this_command && (!plan.delivered || plan.outputs.no_store)) {
    judgement.from = SidesFrom::unkept;
  }
  const bool is_whole = plan.shard == nullptr;
  code = worse(code, is_whole ? judge_whole(plan, judgement, app)
                              : tell_shard(*plan.shard, judgement.comparison, plan.outputs.archive_dir, app));
  if (plan.cancelled != nullptr && plan.cancelled->load()) code = worse(code, ExitCode::not_judged);
  if (!plan.delivered || plan.outputs.no_store) return code;
  return worse(code,
               deliver_to_store(plan.configuration, is_whole ? &judgement.comparison : nullptr, app, *plan.delivered));
}

namespace {

// Whether a process of the program itself went wrong, other than while it was counted. What the budget or an
// interruption kept from being tried is nobody's failure.
bool program_failed(const Run& run, const ComparisonRow& row) {
  return std::any_of(run.failures.begin(), run.failures.end(), [&](const Failure& failure) {
    const bool is_of_row = failure.benchmark.name.empty() ? regress::concerns_row(failure, row.benchmark)
                                                          : failure.benchmark.canonical() == row.benchmark;
    const bool was_counting = failure.metric == kInstructions || is_extra_counter(failure.metric);
    const bool is_nobodys = is_skip(failure.kind) || failure.kind == FailureKind::not_reached;
    return is_of_row && !was_counting && failure.kind != FailureKind::bad_record && !is_nobodys;
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

// Both sides failed alike at something that nobody asked for.
bool is_dispensable(const ComparisonRow& row, const Run& baseline, const Run& candidate, const ComparisonPolicy& policy,
                    const OutcomeRules& rules) {
  const bool is_demanded = rules.demand_counts && row.metric.name == kInstructions;
  return !is_demanded && regress::is_unnamed_count(row, baseline, candidate, policy);
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

void excuse_counts(const Run& baseline, const Run& candidate, const OutcomeRules& rules, Comparison& comparison) {
  if (std::none_of(comparison.rows.begin(), comparison.rows.end(), has_judgement)) return;
  for (ComparisonRow& row : comparison.rows) {
    const bool is_excused = row.verdict == Verdict::failed && !program_failed(candidate, row) &&
                            is_dispensable(row, baseline, candidate, comparison.policy, rules);
    if (is_excused) excuse_in_words(row);
  }
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

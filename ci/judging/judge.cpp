#include "ci/judging/judge.hpp"

#include <ostream>

#include "ci/app/keeping.hpp"
#include "ci/app/messages.hpp"
#include "ci/attribution/attribute.hpp"
#include "ci/attribution/own_folders.hpp"
#include "ci/judging/changed_pictures.hpp"
#include "ci/judging/evidence.hpp"
#include "ci/judging/explanations.hpp"
#include "ci/judging/known_calibration.hpp"
#include "ci/judging/outcome.hpp"
#include "ci/judging/report_targets.hpp"
#include "ci/judging/row_pictures.hpp"
#include "ci/report/report.hpp"
#include "regress/compare_runs.hpp"
#include "storage/archive/archive.hpp"

namespace steelyard {
namespace {

void complete_header(Run& run, const SideDescription& side, const JudgeRequest& request) {
  run.header.project = request.project;
  run.header.program = side.program;
  run.header.commit = side.commit;
  run.header.seed = request.seed;
  if (!side.sources.empty()) run.header.settings[kSourcesSetting] = side.sources.string();
  seal(run);
}

ExitCode print_reports(const Comparison& comparison, const TargetReport& targets, const MeasuredPair& pair,
                       const JudgeRequest& request, Streams& streams) {
  const Result<std::vector<Explanation>> found =
      explanations_of(request.explain, pair.baseline, pair.candidate, comparison);
  // What was measured is reported all the same.
  const ExitCode code = found ? ExitCode::success : report_error(found.error(), streams);
  const std::vector<Explanation> explanations = found ? *found : std::vector<Explanation>{};
  if (request.common->json) {
    streams.out << json_report(comparison, targets, explanations);
  } else {
    const TerminalStyle style = terminal_style(streams, request.common->color);
    streams.out << terminal_report(comparison, style, targets) << terminal_explanations(explanations, style);
  }
  streams.out.flush();
  if (request.markdown.empty()) return code;
  const Result<void> written = write_text_file(request.markdown, markdown_report(comparison, targets));
  return written ? code : worse(code, report_error(written.error(), streams));
}

Comparison compare_sides(const MeasuredPrograms& measured, const JudgeRequest& request,
                         const Calibration* calibration) {
  ComparisonPolicy policy = comparison_policy(request.configuration->policy);
  policy.seed = request.seed;
  Comparison comparison = compare_runs(measured.pair.baseline, measured.pair.candidate, policy, calibration);
  tell_equal_builds(measured.equal, measured.untimed, comparison);
  attribute(comparison, measured.pair.baseline, measured.pair.candidate,
            {own_folders(measured.pair.baseline, measured.pair.candidate)});
  comparison.warnings.insert(comparison.warnings.end(), measured.warnings.begin(), measured.warnings.end());
  if (request.cancelled != nullptr && request.cancelled->load()) {
    comparison.warnings.push_back("interrupted: this is what was measured until then");
  }
  return comparison;
}

Result<MeasuredPrograms> measure(const JudgedSides& sides, const JudgeRequest& request, Streams& streams) {
  MeasuringPlan plan;
  plan.programs = sides.programs;
  plan.settings = request.configuration->run;
  plan.policy = request.configuration->policy;
  plan.budget = request.default_budget;
  plan.seed = request.seed;
  // What stands in the way of one is told once, at the end.
  plan.calibration = [&request](const Run& baseline, const Run& candidate) {
    std::vector<std::string> untold;
    auto known = known_calibration(*request.configuration, baseline, candidate, untold);
    return known ? std::move(known).value() : std::nullopt;
  };
  ProgressLine progress(streams.err, streams.err_is_terminal && !request.common->quiet, progress_width());
  return measure_programs(plan, progress, request.cancelled);
}

}  // namespace

ExitCode judge_programs(const JudgedSides& sides, const JudgeRequest& request, Streams& streams) {
  if (const auto named = check_named_calibration(*request.configuration); !named) {
    return report_error(named.error(), streams);
  }
  Result<MeasuredPrograms> measured = measure(sides, request, streams);
  if (!measured) return report_error(measured.error(), streams);
  MeasuredPair& pair = measured->pair;
  complete_header(pair.baseline, sides.baseline, request);
  complete_header(pair.candidate, sides.candidate, request);
  ExitCode code = ExitCode::success;
  const std::vector<const Run*> runs = {&pair.baseline, &pair.candidate};
  if (!request.no_store) code = keep_in_spool(runs, streams);
  code = worse(code, copy_archives(pair.baseline, pair.candidate, request.archive_dir, streams));
  const auto calibration = known_calibration(*request.configuration, pair.baseline, pair.candidate, measured->warnings);
  if (!calibration) return report_error(calibration.error(), streams);
  Comparison comparison = compare_sides(*measured, request, *calibration ? &**calibration : nullptr);
  if (!request.flame_dir.empty()) {
    const Result<void> drawn = draw_changed_counts(comparison, pair.baseline, pair.candidate, request.flame_dir);
    if (!drawn) code = worse(code, report_error(drawn.error(), streams));
  }
  // What the candidate promises; the baseline kept or broke its promises when it was the candidate.
  const bool whole = request.expect_every_target && request.configuration->run.filter.empty();
  TargetReport targets = report_targets(pair.candidate, *request.configuration, whole);
  // What is asked here is what changed; who has promised nothing need not be told what the machine could do.
  if (targets.targets.empty()) targets.hint.clear();
  code = worse(code, keep_comparison(comparison, targets, request.archive_dir, streams));
  code = worse(code, print_reports(comparison, targets, pair, request, streams));
  code =
      worse(code, show_pictures(comparison, pair.baseline, pair.candidate, request.pictures, *request.common, streams));
  code = worse(code, outcome_of(targets));
  code = worse(code, outcome_of(comparison, pair.baseline, pair.candidate, outcome_rules(*request.configuration)));
  if (request.cancelled != nullptr && request.cancelled->load()) code = worse(code, ExitCode::not_judged);
  if (request.no_store) return code;
  return worse(code, deliver_to_store(*request.configuration, &comparison, *request.common, streams, runs));
}

}  // namespace steelyard

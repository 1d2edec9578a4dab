#include <ostream>

#include "ci/app/messages.hpp"
#include "ci/app/settings.hpp"
#include "ci/app/sides.hpp"
#include "ci/attribution/attribute.hpp"
#include "ci/attribution/own_folders.hpp"
#include "ci/judging/changed_pictures.hpp"
#include "ci/judging/explanations.hpp"
#include "ci/judging/known_calibration.hpp"
#include "ci/judging/outcome.hpp"
#include "ci/judging/row_pictures.hpp"
#include "ci/verbs/compare_table.hpp"
#include "ci/verbs/verbs.hpp"
#include "regress/compare_runs.hpp"
#include "storage/archive/archive.hpp"

namespace steelyard {
namespace {

std::string report_of(const Comparison& comparison, const std::vector<Explanation>& explanations,
                      const CompareOptions& options, const Streams& streams) {
  if (options.common.json) return json_report(comparison, {}, explanations);
  if (options.markdown) return markdown_report(comparison);
  TerminalStyle style = terminal_style(streams, options.common.color);
  if (!options.output.empty() && options.common.color != ColorChoice::always) style.color = false;
  return terminal_report(comparison, style) + terminal_explanations(explanations, style);
}

}  // namespace

ExitCode do_compare(const CompareOptions& options, Streams& streams) {
  if (options.table.wanted) return do_compare_table(options, streams);
  if (options.common.json && options.markdown) {
    return report_error(input_error("steelyard compare", "--json and --markdown", "one of them"), streams);
  }
  if (!options.explain.empty() && options.markdown) {
    return report_error(input_error("steelyard compare", "--explain and --markdown", "one of them"), streams);
  }
  if (options.pictures.in_terminal && options.markdown) {
    return report_error(
        input_error("steelyard compare", "--pictures and --markdown", "one of them", "--svg-dir FOLDER draws files"),
        streams);
  }
  const Result<Configuration> configuration = effective_configuration(options.common);
  if (!configuration) return report_error(configuration.error(), streams);
  Result<Sides> sides = load_sides(options.baseline, options.candidate, *configuration, options.common, streams);
  if (!sides) return report_error(sides.error(), streams);
  // By its id a run is found again when the comparison is verified.
  for (Run* run : {&sides->baseline, &sides->candidate}) {
    if (run->header.id.empty()) seal(*run);
  }
  const auto calibration = known_calibration(*configuration, sides->baseline, sides->candidate, sides->warnings);
  if (!calibration) return report_error(calibration.error(), streams);
  ComparisonPolicy policy = comparison_policy(configuration->policy);
  // Both were measured before, so nothing here is drawn: the same files give the same bytes.
  if (options.seed) policy.seed = *options.seed;
  Comparison comparison =
      compare_runs(sides->baseline, sides->candidate, policy, *calibration ? &**calibration : nullptr);
  attribute(comparison, sides->baseline, sides->candidate, {own_folders(sides->baseline, sides->candidate)});
  comparison.warnings.insert(comparison.warnings.end(), sides->warnings.begin(), sides->warnings.end());
  ExitCode code = outcome_of(comparison, sides->baseline, sides->candidate, outcome_rules(*configuration));
  if (!options.flame_dir.empty()) {
    const Result<void> drawn = draw_changed_counts(comparison, sides->baseline, sides->candidate, options.flame_dir);
    if (!drawn) code = worse(code, report_error(drawn.error(), streams));
  }
  const Result<std::vector<Explanation>> explanations =
      explanations_of(options.explain, sides->baseline, sides->candidate, comparison);
  if (!explanations) return report_error(explanations.error(), streams);
  const std::string report = report_of(comparison, *explanations, options, streams);
  if (options.output.empty()) {
    streams.out << report << std::flush;
  } else if (const Result<void> written = write_text_file(options.output, report); !written) {
    code = worse(code, report_error(written.error(), streams));
  }
  return worse(code,
               show_pictures(comparison, sides->baseline, sides->candidate, options.pictures, options.common, streams));
}

}  // namespace steelyard

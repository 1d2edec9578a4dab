#include <algorithm>
#include <charconv>
#include <cmath>
#include <ostream>

#include "ci/app/messages.hpp"
#include "ci/app/settings.hpp"
#include "ci/app/sides.hpp"
#include "ci/report/sweep_report.hpp"
#include "ci/verbs/verbs.hpp"

namespace steelyard {
namespace {

Result<double> read_number(const std::string& text, const char* option) {
  double value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, code] = std::from_chars(text.data(), last, value);
  if (code == std::errc() && end == last && std::isfinite(value)) return value;
  return input_error(option, '"' + text + '"', "a number such as 2 or 1.5");
}

Result<std::optional<Claim>> claim_of(const SweepOptions& options) {
  if (options.expect.empty()) {
    if (options.tolerance.empty()) return std::optional<Claim>();
    return input_error("--tolerance", "no --expect", "the exponent that it belongs to");
  }
  Claim claim;
  STEELYARD_TRY(claim.exponent, read_number(options.expect, "--expect"));
  if (!options.tolerance.empty()) {
    STEELYARD_TRY(claim.tolerance, read_number(options.tolerance, "--tolerance"));
  }
  if (claim.tolerance < 0) return input_error("--tolerance", '"' + options.tolerance + '"', "0 or more");
  return std::optional(claim);
}

ExitCode outcome_of(const std::vector<Sweep>& sweeps, const std::optional<Claim>& claim) {
  ExitCode code = ExitCode::success;
  if (!claim) return code;
  for (const Sweep& sweep : sweeps) {
    const ClaimVerdict verdict = judge_claim(sweep.fit, *claim);
    if (verdict == ClaimVerdict::refuted) code = worse(code, ExitCode::regression);
    // A size that failed was to be judged with the others.
    if (verdict == ClaimVerdict::undecided || sweep.failed_sizes > 0) code = worse(code, ExitCode::not_judged);
  }
  return code;
}

}  // namespace

ExitCode do_sweep(const SweepOptions& options, Streams& streams) {
  const Result<std::optional<Claim>> claim = claim_of(options);
  if (!claim) return report_error(claim.error(), streams);
  const Result<Configuration> configuration = effective_configuration(options.common);
  if (!configuration) return report_error(configuration.error(), streams);
  std::vector<std::string> warnings;
  const Result<Run> run = load_side(options.run, *configuration, options.common, streams, warnings);
  if (!run) return report_error(run.error(), streams);
  for (const std::string& warning : warnings) note(warning, options.common, streams);
  SweepChoice choice;
  choice.over = options.over;
  if (!options.metric.empty()) choice.metric = options.metric;
  choice.benchmark = options.benchmark;
  choice.confidence = configuration->policy.confidence;
  const Result<std::vector<Sweep>> sweeps = find_sweeps(*run, choice);
  if (!sweeps) return report_error(sweeps.error(), streams);
  streams.out << (options.common.json ? json_sweeps(run->header, *sweeps, *claim)
                                      : terminal_sweeps(*sweeps, *claim, terminal_style(streams, options.common.color)))
              << std::flush;
  return outcome_of(*sweeps, *claim);
}

}  // namespace steelyard

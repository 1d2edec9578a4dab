// steelyard sweep: how a level grows with a size.
#include <cmath>
#include <memory>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/parse_number.hpp"
#include "ci/app/settings.hpp"
#include "ci/app/sides.hpp"
#include "ci/grammar/verb.hpp"
#include "ci/report/run_report.hpp"

namespace steelyard::ci {
namespace {

struct SweepOptions {
  std::string run;        // as one side of compare
  std::string over;       // a parameter; empty: each that three benchmarks differ in
  std::string metric;     // empty: real_time
  std::string benchmark;  // a part of the name; empty: all
  std::string expect;     // an exponent; empty: none is claimed
  std::string tolerance;  // empty: 0
};

Result<double> read_number(const std::string& text, const char* option) {
  const std::optional<double> value = parse_as<double>(text);
  if (value && std::isfinite(*value)) return *value;
  return input_error(option, '"' + text + '"', "a number such as 2 or 1.5");
}

Result<std::optional<regress::Claim>> claim_of(const SweepOptions& options) {
  if (options.expect.empty()) {
    if (options.tolerance.empty()) return std::optional<regress::Claim>();
    return input_error("--tolerance", "no --expect", "the exponent that it belongs to");
  }
  regress::Claim claim;
  STEELYARD_TRY(claim.exponent, read_number(options.expect, "--expect"));
  if (!options.tolerance.empty()) {
    STEELYARD_TRY(claim.tolerance, read_number(options.tolerance, "--tolerance"));
  }
  if (claim.tolerance < 0) return input_error("--tolerance", '"' + options.tolerance + '"', "0 or more");
  return std::optional(claim);
}

ExitCode outcome_of_sweeps(const std::vector<regress::Sweep>& sweeps, const std::optional<regress::Claim>& claim) {
  ExitCode code = ExitCode::success;
  if (!claim) return code;
  for (const regress::Sweep& sweep : sweeps) {
    const regress::ClaimVerdict verdict = regress::judge_claim(sweep.fit, *claim);
    if (verdict == regress::ClaimVerdict::refuted) code = worse(code, ExitCode::regression);
    // A size that failed was to be judged with the others.
    if (verdict == regress::ClaimVerdict::undecided || sweep.failed_sizes > 0) code = worse(code, ExitCode::not_judged);
  }
  return code;
}

Result<ExitCode> run_sweep(const SweepOptions& options, const App& app) {
  STEELYARD_TRY(const std::optional<regress::Claim> claim, claim_of(options));
  STEELYARD_TRY(const Configuration configuration, effective_configuration(app));
  STEELYARD_TRY(const Run run, load_side(options.run, configuration, app));
  regress::SweepChoice choice;
  choice.over = options.over;
  if (!options.metric.empty()) choice.metric = options.metric;
  choice.benchmark = canonical_as_typed(options.benchmark);
  choice.confidence = configuration.policy.comparison.confidence;
  STEELYARD_TRY(const std::vector<regress::Sweep> sweeps, regress::find_sweeps(run, choice));
  app.print(app.common.json ? json_sweeps(run.header, sweeps, claim) : terminal_sweeps(sweeps, claim, app.style()));
  return outcome_of_sweeps(sweeps, claim);
}

}  // namespace

Verb sweep_verb() {
  const auto options = std::make_shared<SweepOptions>();
  Verb verb = make_verb(
      options, run_sweep, "sweep",
      "Fits how a time grows with a size: the exponent over benchmarks that differ in one numeric parameter, with its "
      "interval. RUN: as one side of compare.",
      "  steelyard sweep run.syrun --over batch --expect 1 --tolerance 0.05");
  verb.names = {"RUN"};
  verb.min_names = 1;
  verb.take = [options](Words words) -> Result<void> {
    options->run = std::move(words.names[0]);
    return {};
  };
  verb.add(text_option("--over", "PARAMETER", options->over,
                       "only this one; a number: the position among those without a name; threads"));
  verb.add(text_option("--metric", "NAME", options->metric, "default: real_time"));
  verb.add(text_option("--benchmark", "TEXT", options->benchmark, "only names with this in them"));
  verb.add(text_option("--expect", "EXPONENT", options->expect,
                       "a claim: status 1 where an interval lies outside, 2 where it cannot tell"));
  verb.add(text_option("--tolerance", "NUMBER", options->tolerance,
                       "with --expect: how far off still counts as kept (default: 0)"));
  add_key_options(verb, {{"store", "project"}});
  add_common_options(verb);
  return verb;
}

}  // namespace steelyard::ci

// The rows of the verbs that look after the judgement itself: calibrate measures its error rates, verify computes one
// of its comparisons again.
#include <string>
#include <utility>
#include <vector>

#include "ci/grammar/verb_options.hpp"
#include "ci/verbs/verb_rows.hpp"

namespace steelyard {
namespace {

using Words = std::vector<std::string>;

}  // namespace

std::unique_ptr<Verb> make_calibrate() {
  auto verb = make_verb<CalibrateOptions>(
      "calibrate",
      "Measures how often equal builds of your own benchmarks are called changed on this machine, and each benchmark's "
      "noise floor. Every PROGRAM is held against itself as gate holds two builds, --gates times; what is found is "
      "kept "
      "for this machine, and later reports quote it. Status 1: the machine does not keep the promise, and gets no "
      "verdicts until a calibration passes.",
      "  steelyard calibrate ./build/bench --gates 40 --budget 30m\n"
      "  steelyard calibrate --output ci/runner.json");
  auto& calibrate = options_of<CalibrateOptions>(verb);
  verb->names = {"[PROGRAM...]"};
  verb->takes_rest = true;
  verb->finish = [&calibrate](Words given, Words rest) -> Result<void> {
    calibrate.programs = std::move(given);
    calibrate.arguments = std::move(rest);
    return {};
  };
  verb->options.push_back(number_option("--gates", calibrate.gates, "A/A gates to measure (default: 10)"));
  verb->options.push_back(flag_option("--drift", calibrate.drift,
                                      "also measure as many pairs one side after the other: the drift that runs "
                                      "of different times have between them"));
  verb->options.push_back(path_option("--output", "FILE", calibrate.output,
                                      "write it there and not into the state folder; for --calibration FILE"));
  add_key_options(*verb, calibrate.common,
                  {{"run", "policy"},
                   {"--counts", "--counters", "--no-count-cache", "--recount", "--no-solo-check", "--gates",
                    "--counted-minimum-effect", "--witness", "--ignore-fact", "--demand-decision", "--skip-time",
                    "--calibration"}});
  verb->options.push_back(seed_option(calibrate.seed));
  add_common_options(*verb, calibrate.common);
  return verb;
}

std::unique_ptr<Verb> make_verify() {
  auto verb = make_verb<VerifyOptions>(
      "verify",
      "Computes a kept comparison again from its runs, and says whether every judged field is the same, bit for bit. "
      "COMPARISON: a file that --json wrote, a folder that --archive-dir wrote, or comparison:ID of the store. The "
      "runs "
      "are found by their ids beside it, in the state folder and in the store. Status 0: it is; 1: it is not; 2: it "
      "was "
      "judged by other rules, or a run is nowhere to be found.",
      "  steelyard verify evidence  # after steelyard gate --archive-dir evidence\n"
      "  steelyard verify result.json --baseline before --candidate after");
  auto& verify = options_of<VerifyOptions>(verb);
  verb->names = {"COMPARISON"};
  verb->least_names = 1;
  verb->finish = [&verify](Words given, Words) -> Result<void> {
    verify.comparison = std::move(given[0]);
    if (verify.baseline.empty() == verify.candidate.empty()) return {};
    return input_error("steelyard verify", verify.baseline.empty() ? "--candidate alone" : "--baseline alone",
                       "both sides, or none");
  };
  verb->options.push_back(
      text_option("--baseline", "SIDE", verify.baseline, "the baseline, as one side of compare takes it"));
  verb->options.push_back(text_option("--candidate", "SIDE", verify.candidate, "likewise the candidate"));
  add_key_options(*verb, verify.common, {{"store"}, {}});
  add_common_options(*verb, verify.common);
  return verb;
}

}  // namespace steelyard

// steelyard calibrate: how often equal builds are called changed on this machine.
#include <algorithm>
#include <cmath>
#include <memory>
#include <thread>

#include "bench/model/elapsed.hpp"
#include "ci/app/app.hpp"
#include "ci/app/settings.hpp"
#include "ci/config/written_value.hpp"
#include "ci/grammar/verb.hpp"
#include "ci/measuring/command_programs.hpp"
#include "ci/measuring/measure_gates.hpp"
#include "ci/report/machine.hpp"
#include "regress/ab/calibrated.hpp"
#include "regress/calibration/calibrate.hpp"
#include "storage/calibration/calibration_document.hpp"
#include "storage/place/store_address.hpp"

namespace steelyard::ci {
namespace {

constexpr double kLongerSamples = 5;  // times, where advice asks for longer ones: it halves what they add at least
constexpr Nanoseconds kCalibrateBudget = seconds(600);  // of everything; as much as a gate may take

struct CalibrateOptions {
  std::vector<std::string> programs;   // empty: those of steelyard.toml
  std::vector<std::string> arguments;  // for each of them, from after --
  int gates = 10;
  bool drift = false;  // measure as many pairs whose sides follow each other
  std::optional<std::uint64_t> seed;
  std::filesystem::path output;  // empty: the state folder
};

// Programs of the command line, else those configured, relative to the configuration's folder.
Result<std::vector<bench::Program>> programs_to_calibrate(const CalibrateOptions& options,
                                                          const Configuration& configuration) {
  std::vector<bench::Program> programs;
  for (const std::string& path : options.programs) {
    bench::Program program;
    program.executable = path;
    program.arguments = options.arguments;
    if (options.programs.size() > 1) program.suite = std::filesystem::path(path).filename().string();
    programs.push_back(std::move(program));
  }
  if (!programs.empty()) return programs;
  for (const ConfiguredProgram& configured : configuration.programs) {
    const std::string where = "[[program]] \"" + configured.name + '"';
    if (!configured.how.format.empty()) {
      STEELYARD_TRY(bench::Program command, command_program(configured, configuration.root, where));
      if (configuration.programs.size() > 1 && command.command->format != nullptr) command.suite = configured.name;
      programs.push_back(std::move(command));
      continue;
    }
    STEELYARD_TRY(const std::vector<std::string> words, command_words(configured.command, where));
    bench::Program program;
    const std::filesystem::path path(words.front());
    program.executable = path.is_absolute() ? path : configuration.root / path;
    program.arguments.assign(words.begin() + 1, words.end());
    program.arguments.insert(program.arguments.end(), options.arguments.begin(), options.arguments.end());
    if (configuration.programs.size() > 1) program.suite = configured.name;
    programs.push_back(std::move(program));
  }
  if (!programs.empty()) return programs;
  return input_error("steelyard calibrate", "no program", "one, or [[program]] in steelyard.toml",
                     "steelyard calibrate ./build/bench");
}

std::string programs_text(const std::vector<bench::Program>& programs) {
  std::string text;
  for (const bench::Program& program : programs) {
    text += (text.empty() ? "" : ", ") + program.executable.string();
    for (const std::string& argument : program.arguments) text += ' ' + argument;
  }
  return text;
}

std::string gate_text(int index, int gates, const Comparison& comparison) {
  std::string called;
  for (const ComparisonRow& row : comparison.rows) {
    if (!is_change(row.verdict)) continue;
    called += (called.empty() ? "" : ", ") + row.benchmark;
  }
  return "gate " + std::to_string(index + 1) + " of " + std::to_string(gates) + ": " +
         (called.empty() ? "nothing was called changed" : "called changed: " + called);
}

Result<std::filesystem::path> keep(const CalibrateOptions& options, const Calibration& calibration) {
  if (options.output.empty()) return storage::keep_calibration(storage::state_folder(), calibration);
  STEELYARD_CHECK(storage::write_calibration(options.output, calibration));
  return options.output;
}

struct Measured {
  Calibration calibration;
  CalibrationCircumstances circumstances;
};

Result<Measured> measure(const CalibrateOptions& options, const Configuration& configuration,
                         const Cancellation& cancellation, const App& app) {
  GatesPlan plan;
  STEELYARD_TRY(plan.programs, programs_to_calibrate(options, configuration));
  plan.configuration = configuration;
  plan.gates = options.gates;
  plan.drift = options.drift;
  ProgressLine progress = app.progress();
  plan.after_gate = [&](int index, const Comparison& comparison) {
    progress.clear();
    app.note(gate_text(index, plan.gates, comparison));
  };
  STEELYARD_TRY(const MeasuredGates gates, measure_gates(plan, progress, cancellation.flag()));
  regress::CalibrationSetting setting;
  setting.at_unix_s = now_unix_s();
  setting.program = programs_text(plan.programs);
  setting.seed = configuration.run.seed;
  setting.repetitions = gates.samples.repetitions;
  const double longer_ms = std::max(1.0, std::ceil(kLongerSamples * in_seconds(gates.samples.min_time) * 1000));
  setting.longer_time = std::to_string(static_cast<std::int64_t>(longer_ms)) + "ms";
  setting.cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  CalibrationCircumstances circumstances{options.gates, gates.budget_spent, to_text(*configuration.run.budget),
                                         gates.failures};
  circumstances.no_time_for_copies = gates.no_time_for_copies;
  for (const KeptPages& kept : gates.kept_pages) circumstances.kept_pages.emplace(kept.program, kept.why);
  Calibration calibration = regress::calibrate(gates.gates, gates.sequential, setting, gates.alone);
  calibration.reason = failure_text(calibration);
  const std::vector<regress::NoiseAdvice> advice = regress::advise(calibration, gates.gates, setting);
  for (std::size_t i = 0; i < advice.size(); ++i) {
    calibration.benchmarks[i].advice = advice_text(calibration.benchmarks[i], advice[i]);
  }
  return Measured{std::move(calibration), std::move(circumstances)};
}

Result<ExitCode> run_calibrate(const CalibrateOptions& options, const App& app) {
  STEELYARD_TRY(const Configuration configuration, measuring_configuration(app, kCalibrateBudget, options.seed));
  if (options.gates < kMinCalibrationGates) {
    app.note("--gates " + std::to_string(options.gates) + ": a calibration is kept from " +
             std::to_string(kMinCalibrationGates) + " gates on; this one will be shown and not kept");
  }
  const Cancellation cancellation;
  STEELYARD_TRY(Measured measured, measure(options, configuration, cancellation, app));
  const Calibration& calibration = measured.calibration;
  ExitCode code = calibration.failed ? ExitCode::regression : ExitCode::success;
  if (!measured.circumstances.failures.empty()) code = worse(code, ExitCode::program_failed);
  const bool is_whole = !cancellation.requested() && !calibration.benchmarks.empty();
  const bool says_enough = regress::is_used(calibration);
  if (is_whole && !says_enough) {
    code = worse(code, ExitCode::not_judged);  // the report says why
  } else if (is_whole) {
    const auto kept = keep(options, calibration);
    if (!kept) code = worse(code, app.report(kept.error()));
    if (kept) measured.circumstances.kept_in = kept->string();
  } else {
    code = worse(code, ExitCode::not_judged);
    app.note(cancellation.requested() ? "interrupted: nothing is kept" : "nothing was measured: nothing is kept");
  }
  app.print(app.common.json ? storage::calibration_document(calibration)
                            : terminal_calibration(calibration, measured.circumstances, app.style()));
  for (const std::string& failure : measured.circumstances.failures) {
    app.warn("failed: " + failure);
  }
  return code;
}

}  // namespace

Verb calibrate_verb() {
  const auto options = std::make_shared<CalibrateOptions>();
  Verb verb = make_verb(
      options, run_calibrate, "calibrate",
      "Measures how often equal builds of your own benchmarks are called changed on this machine, and each benchmark's "
      "noise floor. Every PROGRAM is held against itself as gate holds two builds, --gates times; what is found is "
      "kept for this machine, and later reports quote it; fewer than 6 gates say too little, and nothing is kept "
      "(status "
      "2). Status 1: the machine does not keep the promise, and gets no verdicts until a calibration passes.",
      "  steelyard calibrate ./build/bench --gates 40 --budget 30m\n"
      "  steelyard calibrate --output ci/runner.json");
  verb.names = {"[PROGRAM...]"};
  verb.takes_rest = true;
  verb.take = [options](Words words) -> Result<void> {
    options->programs = std::move(words.names);
    options->arguments = std::move(words.rest);
    return {};
  };
  verb.add(number_option("--gates", options->gates, "A/A gates to measure (default: 10)"));
  verb.add(flag_option("--drift", options->drift,
                       "also measure as many pairs one side after the other: the drift that runs "
                       "of different times have between them"));
  verb.add(output_option("--output", "FILE", options->output,
                         "write it there and not into the state folder; for --calibration FILE",
                         Writes::file_and_folders));
  add_key_options(verb, {{"run", "policy"},
                         {"--counts", "--counters", "--no-count-cache", "--recount", "--no-solo-check", "--gates",
                          "--counted-minimum-effect", "--witness", "--ignore-fact", "--demand-decision", "--skip-time",
                          "--calibration"}});
  verb.add(seed_option(options->seed));
  add_common_options(verb);
  return verb;
}

}  // namespace steelyard::ci

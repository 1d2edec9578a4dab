#include <algorithm>
#include <chrono>
#include <cmath>
#include <ostream>
#include <thread>

#include "ci/app/cancellation.hpp"
#include "ci/app/messages.hpp"
#include "ci/app/settings.hpp"
#include "ci/config/command_words.hpp"
#include "ci/measuring/measure_gates.hpp"
#include "ci/report/calibration_report.hpp"
#include "ci/verbs/verbs.hpp"
#include "regress/calibration/calibrate.hpp"
#include "storage/calibration/calibration_document.hpp"
#include "storage/calibration/calibration_file.hpp"
#include "storage/store.hpp"

namespace steelyard {
namespace {

constexpr double kLongerSamples = 5;  // times, where advice asks for longer ones: it halves what they add at least
constexpr Nanoseconds kCalibrateBudget = seconds(600);  // of everything; as much as a gate may take

// Those of the command line, else those configured, relative to the configuration's folder.
Result<std::vector<Program>> programs_to_calibrate(const CalibrateOptions& options,
                                                   const Configuration& configuration) {
  std::vector<Program> programs;
  for (const std::string& path : options.programs) {
    Program program;
    program.executable = path;
    program.arguments = options.arguments;
    if (options.programs.size() > 1) program.suite = std::filesystem::path(path).filename().string();
    programs.push_back(std::move(program));
  }
  if (!programs.empty()) return programs;
  for (const ConfiguredProgram& configured : configuration.programs) {
    STEELYARD_TRY(const std::vector<std::string> words,
                  command_words(configured.command, "[[program]] \"" + configured.name + '"'));
    Program program;
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

std::string programs_text(const std::vector<Program>& programs) {
  std::string text;
  for (const Program& program : programs) {
    text += (text.empty() ? "" : ", ") + program.executable.string();
    for (const std::string& argument : program.arguments) text += ' ' + argument;
  }
  return text;
}

std::int64_t now_unix_s() {
  using namespace std::chrono;
  return duration_cast<std::chrono::seconds>(system_clock::now().time_since_epoch()).count();
}

std::string gate_text(int index, int gates, const Comparison& comparison) {
  std::string called;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.verdict != Verdict::regression && row.verdict != Verdict::improvement) continue;
    called += (called.empty() ? "" : ", ") + row.benchmark;
  }
  return "gate " + std::to_string(index + 1) + " of " + std::to_string(gates) + ": " +
         (called.empty() ? "nothing was called changed" : "called changed: " + called);
}

Result<std::filesystem::path> keep(const CalibrateOptions& options, const Calibration& calibration) {
  if (options.output.empty()) return keep_calibration(state_folder(), calibration);
  STEELYARD_CHECK(write_calibration(options.output, calibration));
  return options.output;
}

struct Measured {
  Calibration calibration;
  CalibrationCircumstances circumstances;
};

Result<Measured> measure(const CalibrateOptions& options, const Configuration& configuration,
                         const Cancellation& cancellation, Streams& streams) {
  GatesPlan plan;
  STEELYARD_TRY(plan.programs, programs_to_calibrate(options, configuration));
  plan.configuration = configuration;
  plan.gates = options.gates;
  plan.drift = options.drift;
  plan.budget = configuration.run.budget.value_or(kCalibrateBudget);
  plan.seed = seed_or_draw(options.seed);
  ProgressLine progress(streams.err, streams.err_is_terminal && !options.common.quiet, progress_width());
  plan.after_gate = [&](int index, const Comparison& comparison) {
    progress.clear();
    note(gate_text(index, plan.gates, comparison), options.common, streams);
  };
  STEELYARD_TRY(const MeasuredGates gates, measure_gates(plan, progress, cancellation.flag()));
  CalibrationSetting setting;
  setting.at_unix_s = now_unix_s();
  setting.program = programs_text(plan.programs);
  setting.seed = plan.seed;
  setting.repetitions = gates.samples.repetitions;
  const double longer_ms = std::max(1.0, std::ceil(kLongerSamples * in_seconds(gates.samples.min_time) * 1000));
  setting.longer_time = std::to_string(static_cast<std::int64_t>(longer_ms)) + "ms";
  setting.cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  CalibrationCircumstances circumstances{options.gates, gates.budget_spent, to_text(plan.budget), gates.failures};
  circumstances.no_time_for_copies = gates.no_time_for_copies;
  for (const KeptPages& kept : gates.kept_pages) circumstances.kept_pages.emplace(kept.program, kept.why);
  return Measured{calibrate(gates.gates, gates.sequential, setting, gates.alone), std::move(circumstances)};
}

}  // namespace

ExitCode do_calibrate(const CalibrateOptions& options, Streams& streams) {
  const Result<Configuration> configuration = effective_configuration(options.common);
  if (!configuration) return report_error(configuration.error(), streams);
  const Cancellation cancellation;
  Result<Measured> measured = measure(options, *configuration, cancellation, streams);
  if (!measured) return report_error(measured.error(), streams);
  const Calibration& calibration = measured->calibration;
  ExitCode code = calibration.failed ? ExitCode::regression : ExitCode::success;
  if (!measured->circumstances.failures.empty()) code = worse(code, ExitCode::program_failed);
  const bool is_whole = !cancellation.requested() && !calibration.benchmarks.empty();
  if (is_whole) {
    const auto kept = keep(options, calibration);
    if (!kept) code = worse(code, report_error(kept.error(), streams));
    if (kept) measured->circumstances.kept_in = kept->string();
  } else {
    code = worse(code, ExitCode::not_judged);
    note(cancellation.requested() ? "interrupted: nothing is kept" : "nothing was measured: nothing is kept",
         options.common, streams);
  }
  const TerminalStyle style = terminal_style(streams, options.common.color);
  streams.out << (options.common.json ? calibration_document(calibration)
                                      : terminal_calibration(calibration, measured->circumstances, style))
              << std::flush;
  for (const std::string& failure : measured->circumstances.failures) {
    streams.err << "steelyard: failed: " << failure << '\n';
  }
  return code;
}

}  // namespace steelyard

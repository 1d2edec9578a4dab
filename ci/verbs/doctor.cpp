// steelyard doctor: what hurts timings on this machine, and what can be done about it; `--fix -- COMMAND` does it for
// the length of a command.
#include <map>
#include <memory>
#include <ostream>
#include <tuple>
#include <utility>

#include "bench/doctor/settings_guard.hpp"
#include "bench/environment/read_environment.hpp"
#include "bench/model/number_text.hpp"
#include "bench/runner/child_process.hpp"
#include "bench/runner/foreground_command.hpp"
#include "bench/runner/program_facts.hpp"
#include "ci/grammar/verb.hpp"
#include "ci/report/machine.hpp"
#include "storage/calibration/calibration_document.hpp"
#include "storage/place/store_address.hpp"

namespace steelyard::ci {
namespace {

constexpr Nanoseconds kProbe = seconds(1);

struct DoctorOptions {
  std::string program;               // to examine as well; empty: none
  std::vector<std::string> command;  // with fix: what to run, from after --
  bool fix = false;                  // fix for the length of the command
  bool restore = false;              // set back what a killed --fix left
  bool fixed_addresses = false;      // with fix: the command runs without address randomization
  bool strict = false;               // exit 1 where something severe was found
  bool no_probe = false;             // files only
  std::filesystem::path root;        // of /proc and /sys; empty: this machine's
};

// A copied tree of files is not the machine that runs this: its time says nothing.
bool is_this_machine(const DoctorOptions& options) { return options.root.empty() || options.root == "/"; }

Result<void> check(const DoctorOptions& doctor, const App& app) {
  const char* example = "steelyard doctor --fix -- ./bench";
  if (doctor.fix && doctor.restore) return input_error("steelyard doctor", "--fix and --restore", "one of them");
  if (doctor.fix && doctor.command.empty()) return input_error("--fix", "no command", "one after --", example);
  if (!doctor.fix && !doctor.command.empty())
    return input_error("steelyard doctor", "arguments after --", "none without --fix", example);
  if (doctor.fix && !doctor.program.empty()) {
    return input_error("--fix", '"' + doctor.program + '"', "the command after --", example);
  }
  if (doctor.fixed_addresses && !doctor.fix) return input_error("--fixed-addresses", "no --fix", "both", example);
  if (doctor.restore && !doctor.program.empty()) {
    return input_error("--restore", '"' + doctor.program + '"', "no program", "steelyard doctor --restore");
  }
  // What only an examination heeds must not seem to hold elsewhere.
  const char* instead = doctor.fix ? "--fix" : doctor.restore ? "--restore" : nullptr;
  for (const auto& [given, name] : {std::pair{app.common.json, "--json"}, std::pair{doctor.strict, "--strict"},
                                    std::pair{doctor.no_probe, "--no-probe"}}) {
    if (given && instead != nullptr) {
      return input_error(name, instead, "an examination, which alone has results", "run the two one after the other");
    }
  }
  std::error_code failure;
  if (!doctor.root.empty() && !std::filesystem::is_directory(doctor.root, failure)) {
    return input_error("--root", '"' + doctor.root.string() + "\", which is no folder",
                       "a copied tree of /proc and /sys", "correct the path");
  }
  return {};
}

// Of sides that were not measured together, any layout: the doctor knows of no measurement.
void add_calibration(DoctorReport& report) {
  auto kept = storage::find_calibration(storage::state_folder(), report.environment.fingerprint(), Layout::separate);
  if (kept) {
    report.calibration = std::move(kept).value();
  } else {
    report.diagnosis.unseen.push_back({"calibration", kept.error().text()});
  }
}

Result<DoctorReport> examine(const DoctorOptions& options) {
  DoctorReport report;
  report.program = options.program;
  report.environment = bench::read_environment(options.root.empty() ? "/" : options.root);
  if (!options.program.empty()) {
    bench::add_program_facts(std::filesystem::path(options.program), report.environment);
    if (report.environment.find("program.bytes") == nullptr) {
      return input_error(options.program, "no file of 1 byte to 4 GiB that can be read", "a program",
                         "build it first, or correct the path");
    }
    if (report.environment.find("program.linkage") == nullptr) {
      return input_error(options.program, "a file that is no ELF program for a little-endian machine", "a program",
                         "name the program that a script starts");
    }
  }
  if (is_this_machine(options)) {
    bench::Program program;
    program.executable = options.program;
    bench::add_copy_facts(options.program.empty() ? nullptr : &program, report.environment);
    if (!options.no_probe) report.probe = bench::probe_noise(kProbe);
  }
  report.diagnosis = bench::diagnose(report.environment, report.probe);
  if (is_this_machine(options)) add_calibration(report);
  return report;
}

bench::GuardPlaces places_of(const DoctorOptions& options) {
  const std::filesystem::path root = options.root.empty() ? std::filesystem::path("/") : options.root;
  return {std::filesystem::absolute(root).lexically_normal(), storage::state_folder() / "doctor"};
}

// "governor of 4 cores: powersave -> performance" for what would be four lines.
std::vector<std::string> in_few_lines(const std::vector<bench::SettingChange>& changes) {
  std::map<std::tuple<bool, std::string, std::string, std::string>, int> kinds;
  for (const bench::SettingChange& change : changes) {
    const bench::NamedSetting setting = bench::named_setting(change.file);
    ++kinds[{setting.core.empty(), setting.name, change.before, change.after}];
  }
  std::vector<std::string> lines;
  for (const auto& [kind, count] : kinds) {
    const auto& [whole_machine, name, before, after] = kind;
    const std::string cores = " of " + plural_text(count, "core");
    lines.push_back(name + (whole_machine ? "" : cores) + ": " + before + " -> " + after);
  }
  return lines;
}

void print_changes(const bench::SettingsGuard& guard, const DoctorOptions& options, const App& app) {
  for (const bench::SettingChange& change : guard.left_over().restored) {
    app.note("steelyard: " + bench::setting_name(change.file) + " was left " + change.after +
             " by an earlier --fix; set back to " + change.before);
  }
  for (const std::string& line : guard.left_over().left) app.note("steelyard: " + line);
  for (const std::string& line : in_few_lines(guard.changed())) app.note("steelyard: " + line);
  std::vector<bench::SettingChange> refused;
  for (const bench::RefusedChange& each : guard.refused()) refused.push_back(each.change);
  for (const std::string& line : in_few_lines(refused)) app.note("steelyard: not done: " + line);
  if (!refused.empty()) app.note("steelyard: " + guard.refused().front().why);
  if (options.fixed_addresses && !bench::may_fix_addresses()) {
    app.note(
        "steelyard: not done: fixed addresses: personality(2) is forbidden here, as in many containers; the command "
        "runs with random ones");
  }
  if (refused.empty() && guard.changed().empty()) {
    app.note("steelyard: nothing to fix here that could be undone");
  }
}

ExitCode run_guarded(bench::SettingsGuard& guard, const bench::ForegroundCommand& command,
                     const bench::EndingSignalsBlocked& signals, const App& app) {
  ExitCode code = ExitCode::success;
  // One that came while the settings were changed: nothing is started any more.
  if (const int number = signals.take_pending(); number != 0) {
    code = static_cast<ExitCode>(128 + number);
  } else {
    const Result<int> status = bench::run_in_foreground(command, signals);
    code = status ? static_cast<ExitCode>(*status) : app.report(status.error());
  }
  const bool any = !guard.changed().empty();
  const bench::GuardReport report = guard.finish();
  for (const std::string& line : report.left) app.warn(line);
  for (const std::string& line : report.failed) app.warn(line);
  if (any && report.left.empty() && report.failed.empty()) {
    app.note("steelyard: every setting is as it was");
  }
  if (!report.failed.empty() && code == ExitCode::success) code = ExitCode::bad_input;
  return code;
}

// Mends what can be undone, runs the command, sets everything back. Returns the command's own status (128 and the
// number of a signal that ended it), or 3 where the settings could not be set back after a command that succeeded.
Result<ExitCode> run_fixed_command(const DoctorOptions& options, const App& app) {
  const auto executable = bench::find_in_path(options.command.front());
  if (!executable) {
    return input_error(options.command.front(), "no such program", "a command to run", "check its name");
  }
  app.streams.out.flush();
  const bench::EndingSignalsBlocked signals;
  Result<bench::SettingsGuard> guard = bench::SettingsGuard::take(places_of(options));
  if (!guard) return guard.error();
  print_changes(*guard, options, app);
  bench::ForegroundCommand command;
  command.executable = *executable;
  command.arguments.assign(options.command.begin() + 1, options.command.end());
  command.randomize_addresses = !options.fixed_addresses;
  return run_guarded(*guard, command, signals, app);
}

// Sets back what a --fix left whose processes were all killed.
Result<ExitCode> restore_settings(const DoctorOptions& options, const App& app) {
  const bench::EndingSignalsBlocked signals;
  STEELYARD_TRY(const bench::RestoreOutcome outcome, bench::restore_left_over(places_of(options)));
  for (const bench::SettingChange& change : outcome.restored) {
    app.streams.out << bench::setting_name(change.file) << ": " << change.after << " -> " << change.before << '\n';
  }
  for (const std::string& line : outcome.left) app.streams.out << line << '\n';
  for (const std::string& line : outcome.failed) app.warn(line);
  if (outcome.restored.empty() && outcome.left.empty() && outcome.failed.empty()) {
    app.streams.out << "nothing to restore\n";
  }
  app.streams.out << std::flush;
  return outcome.failed.empty() ? ExitCode::success : ExitCode::bad_input;
}

Result<ExitCode> run_doctor(const DoctorOptions& options, const App& app) {
  STEELYARD_CHECK(check(options, app));
  if (options.fix) return run_fixed_command(options, app);
  if (options.restore) return restore_settings(options, app);
  STEELYARD_TRY(const DoctorReport report, examine(options));
  app.print(app.common.json ? json_diagnosis(report) : terminal_diagnosis(report, app.style()));
  const bool severe = report.diagnosis.fitness == bench::Fitness::not_fit;
  return options.strict && severe ? ExitCode::regression : ExitCode::success;
}

}  // namespace

Verb doctor_verb() {
  const auto options = std::make_shared<DoctorOptions>();
  Verb verb = make_verb(
      options, run_doctor, "doctor",
      "Says what hurts timings on this machine, worst first, each with its fix, and whether PROGRAM was built to be "
      "timed. With --fix, changes what can be undone while a command runs, and sets it back, also after Ctrl-C and "
      "kill.",
      "  steelyard doctor ./build/bench\n"
      "  sudo steelyard doctor --fix -- steelyard ab ./build-old/bench ./build-new/bench");
  verb.names = {"[PROGRAM]"};
  verb.takes_rest = true;
  verb.take = [options](Words words) -> Result<void> {
    if (!words.names.empty()) options->program = std::move(words.names[0]);
    options->command = std::move(words.rest);
    return {};
  };
  verb.add(flag_option("--fix", options->fix, "fix while the command after -- runs; its exit status is ours"));
  verb.add(
      flag_option("--fixed-addresses", options->fixed_addresses, "with --fix: run it without address randomization"));
  verb.add(flag_option("--restore", options->restore, "set back what a killed --fix left changed"));
  verb.add(flag_option("--strict", options->strict, "exit with 1 where something severe was found"));
  verb.add(flag_option("--no-probe", options->no_probe, "do not time a loop for a second; read files only"));
  verb.add(
      path_option("--root", "FOLDER", options->root, "a copied tree of /proc and /sys, in place of this machine's"));
  add_common_options(verb);
  return verb;
}

}  // namespace steelyard::ci

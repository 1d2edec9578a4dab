#include "ci/verbs/doctor_fix.hpp"

#include <map>
#include <ostream>
#include <tuple>

#include "bench/doctor/foreground_command.hpp"
#include "bench/doctor/settings_guard.hpp"
#include "bench/runner/child_process.hpp"
#include "ci/app/messages.hpp"
#include "storage/store.hpp"

namespace steelyard {
namespace {

GuardPlaces places_of(const DoctorOptions& options) {
  const std::filesystem::path root = options.root.empty() ? std::filesystem::path("/") : options.root;
  return {std::filesystem::absolute(root).lexically_normal(), state_folder() / "doctor"};
}

// "governor of 4 cores: powersave -> performance" for what would be four lines.
std::vector<std::string> in_few_lines(const std::vector<SettingChange>& changes) {
  constexpr std::string_view kOfCore = " of core ";
  std::map<std::tuple<bool, std::string, std::string, std::string>, int> kinds;
  for (const SettingChange& change : changes) {
    const std::string name = setting_name(change.file);
    const std::size_t of_core = name.find(kOfCore);
    ++kinds[{of_core == std::string::npos, name.substr(0, of_core), change.before, change.after}];
  }
  std::vector<std::string> lines;
  for (const auto& [kind, count] : kinds) {
    const auto& [whole_machine, name, before, after] = kind;
    const std::string cores = " of " + std::to_string(count) + (count == 1 ? " core" : " cores");
    lines.push_back(name + (whole_machine ? "" : cores) + ": " + before + " -> " + after);
  }
  return lines;
}

void say_changes(const SettingsGuard& guard, const DoctorOptions& options, Streams& streams) {
  for (const SettingChange& change : guard.left_over().restored) {
    note("steelyard: " + setting_name(change.file) + " was left " + change.after +
             " by an earlier --fix; set back to " + change.before,
         options.common, streams);
  }
  for (const std::string& line : guard.left_over().left) note("steelyard: " + line, options.common, streams);
  for (const std::string& line : in_few_lines(guard.changed())) note("steelyard: " + line, options.common, streams);
  std::vector<SettingChange> refused;
  for (const RefusedChange& each : guard.refused()) refused.push_back(each.change);
  for (const std::string& line : in_few_lines(refused)) note("steelyard: not done: " + line, options.common, streams);
  if (!refused.empty()) note("steelyard: " + guard.refused().front().why, options.common, streams);
  if (options.fixed_addresses && !may_fix_addresses()) {
    note(
        "steelyard: not done: fixed addresses: personality(2) is forbidden here, as in many containers; the command "
        "runs with random ones",
        options.common, streams);
  }
  if (refused.empty() && guard.changed().empty()) {
    note("steelyard: nothing to mend here that could be undone", options.common, streams);
  }
}

ExitCode run_guarded(SettingsGuard& guard, const ForegroundCommand& command, const EndingSignalsBlocked& signals,
                     const DoctorOptions& options, Streams& streams) {
  ExitCode code = ExitCode::success;
  // One that came while the settings were changed: nothing is started any more.
  if (const int number = signals.take_pending(); number != 0) {
    code = static_cast<ExitCode>(128 + number);
  } else {
    const Result<int> status = run_in_foreground(command, signals);
    code = status ? static_cast<ExitCode>(*status) : report_error(status.error(), streams);
  }
  const bool any = !guard.changed().empty();
  const GuardReport report = guard.finish();
  for (const std::string& line : report.left) streams.err << "steelyard: " << line << '\n';
  for (const std::string& line : report.failed) streams.err << "steelyard: " << line << '\n';
  if (any && report.left.empty() && report.failed.empty()) {
    note("steelyard: every setting is as it was", options.common, streams);
  }
  if (!report.failed.empty() && code == ExitCode::success) code = ExitCode::bad_input;
  return code;
}

}  // namespace

ExitCode run_fixed_command(const DoctorOptions& options, Streams& streams) {
  const auto executable = find_in_path(options.command.front());
  if (!executable) {
    return report_error(input_error(options.command.front(), "no such program", "a command to run", "check its name"),
                        streams);
  }
  streams.out.flush();
  const EndingSignalsBlocked signals;
  Result<SettingsGuard> guard = SettingsGuard::take(places_of(options));
  if (!guard) return report_error(guard.error(), streams);
  say_changes(*guard, options, streams);
  ForegroundCommand command;
  command.executable = *executable;
  command.arguments.assign(options.command.begin() + 1, options.command.end());
  command.randomize_addresses = !options.fixed_addresses;
  return run_guarded(*guard, command, signals, options, streams);
}

ExitCode restore_settings(const DoctorOptions& options, Streams& streams) {
  const EndingSignalsBlocked signals;
  const Result<RestoreOutcome> outcome = restore_left_over(places_of(options));
  if (!outcome) return report_error(outcome.error(), streams);
  for (const SettingChange& change : outcome->restored) {
    streams.out << setting_name(change.file) << ": " << change.after << " -> " << change.before << '\n';
  }
  for (const std::string& line : outcome->left) streams.out << line << '\n';
  for (const std::string& line : outcome->failed) streams.err << "steelyard: " << line << '\n';
  if (outcome->restored.empty() && outcome->left.empty() && outcome->failed.empty()) {
    streams.out << "nothing to restore\n";
  }
  streams.out << std::flush;
  return outcome->failed.empty() ? ExitCode::success : ExitCode::bad_input;
}

}  // namespace steelyard

// steelyard doctor: what hurts timings on this machine, and what can be done about it.
#include <ostream>
#include <utility>

#include "bench/environment/read_environment.hpp"
#include "bench/runner/program_facts.hpp"
#include "ci/app/messages.hpp"
#include "ci/report/diagnosis_report.hpp"
#include "ci/verbs/doctor_fix.hpp"
#include "ci/verbs/verbs.hpp"
#include "storage/calibration/calibration_file.hpp"
#include "storage/store.hpp"

namespace steelyard {
namespace {

constexpr Nanoseconds kProbe = seconds(1);

// A copied tree of files is not the machine that runs this: its time says nothing.
bool is_this_machine(const DoctorOptions& options) { return options.root.empty() || options.root == "/"; }

Result<void> check(const DoctorOptions& doctor) {
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
  for (const auto& [given, name] : {std::pair{doctor.common.json, "--json"}, std::pair{doctor.strict, "--strict"},
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
  auto kept = find_calibration(state_folder(), report.environment.fingerprint(), Layout::separate);
  if (kept) {
    report.calibration = std::move(kept).value();
  } else {
    report.diagnosis.unseen.push_back({"calibration", kept.error().text()});
  }
}

Result<DoctorReport> examine(const DoctorOptions& options) {
  DoctorReport report;
  report.program = options.program;
  report.environment = read_environment(options.root.empty() ? "/" : options.root);
  if (!options.program.empty()) {
    add_program_facts(std::filesystem::path(options.program), report.environment);
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
    Program program;
    program.executable = options.program;
    add_copy_facts(options.program.empty() ? nullptr : &program, report.environment);
    if (!options.no_probe) report.probe = probe_noise(kProbe);
  }
  report.diagnosis = diagnose(report.environment, report.probe);
  if (is_this_machine(options)) add_calibration(report);
  return report;
}

}  // namespace

ExitCode do_doctor(const DoctorOptions& options, Streams& streams) {
  if (const Result<void> checked = check(options); !checked) return report_error(checked.error(), streams);
  if (options.fix) return run_fixed_command(options, streams);
  if (options.restore) return restore_settings(options, streams);
  const Result<DoctorReport> report = examine(options);
  if (!report) return report_error(report.error(), streams);
  streams.out << (options.common.json ? json_diagnosis(*report)
                                      : terminal_diagnosis(*report, terminal_style(streams, options.common.color)))
              << std::flush;
  const bool severe = report->diagnosis.fitness == Fitness::not_fit;
  return options.strict && severe ? ExitCode::regression : ExitCode::success;
}

}  // namespace steelyard

// What the doctor found, for a person and for a program. Pure: values in, text out.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/doctor/diagnose.hpp"
#include "bench/model/calibration.hpp"
#include "ci/app/terminal_text.hpp"
#include "regress/calibration/calibrate.hpp"

namespace steelyard::ci {

struct DoctorReport {
  Environment environment;  // of the machine, and of the program where one was named
  std::optional<bench::ProbeResult> probe;
  bench::Diagnosis diagnosis;
  std::string program;                     // as the user named it; empty: none
  std::optional<Calibration> calibration;  // the one kept for this machine
};

// Where copies of the program differ most, of what was calibrated; null: not known of any benchmark.
const CalibratedBenchmark* largest_copies(const Calibration& calibration);

// Worst first, each with what it costs and its fix; what cannot be seen; one line of judgement at the end.
std::string terminal_diagnosis(const DoctorReport& report, const TerminalStyle& style);
std::string json_diagnosis(const DoctorReport& report);  // schema steelyard.doctor/1

// A calibration for a person: what the promise came to on this machine, each benchmark's noise floor, and what would
// fix the noisy ones. JSON is storage/calibration/calibration_document.hpp. Pure: values in, text out.

struct CalibrationCircumstances {
  int gates_asked = 0;
  bool budget_spent = false;
  std::string budget;                                  // "10m"
  std::vector<std::string> failures;                   // of the program's own processes
  std::string kept_in = "";                            // a file; empty: it was not kept
  bool no_time_for_copies = false;                     // what they differ by is not known of all benchmarks
  std::map<std::string, std::string> kept_pages = {};  // why a program has no copies that could differ
};

// Why a calibration failed; empty where it did not.
std::string failure_text(const Calibration& calibration);
// What would make a benchmark quieter, with the options to give; empty where it is good enough to gate.
std::string advice_text(const CalibratedBenchmark& benchmark, const regress::NoiseAdvice& advice);

std::string terminal_calibration(const Calibration& calibration, const CalibrationCircumstances& circumstances,
                                 const TerminalStyle& style);

}  // namespace steelyard::ci

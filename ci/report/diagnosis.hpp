// What the doctor found, for a person and for a program. Pure: values in, text out.
#pragma once

#include <optional>
#include <string>

#include "bench/doctor/diagnose.hpp"
#include "bench/model/calibration.hpp"
#include "ci/app/terminal_text.hpp"

namespace steelyard {

struct DoctorReport {
  Environment environment;  // of the machine, and of the program where one was named
  std::optional<ProbeResult> probe;
  Diagnosis diagnosis;
  std::string program;                     // as the user named it; empty: none
  std::optional<Calibration> calibration;  // the one kept for this machine
};

// Where copies of the program differ most, of what was calibrated; null: not known of any benchmark.
const CalibratedBenchmark* largest_copies(const Calibration& calibration);

// Worst first, each with what it costs and its mend; what cannot be seen; one line of judgement at the end.
std::string terminal_diagnosis(const DoctorReport& report, const TerminalStyle& style);
std::string json_diagnosis(const DoctorReport& report);  // schema steelyard.doctor/1

}  // namespace steelyard

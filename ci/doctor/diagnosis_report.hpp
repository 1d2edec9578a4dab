// What the doctor found, for a person and for a program. Pure: values in, text out.
#pragma once

#include <optional>
#include <string>

#include "bench/doctor/diagnose.hpp"
#include "ci/report/report.hpp"

namespace steelyard {

struct DoctorReport {
  Environment environment;  // of the machine, and of the program where one was named
  std::optional<ProbeResult> probe;
  Diagnosis diagnosis;
  std::string program;  // as the user named it; empty: none
};

// Worst first, each with what it costs and its mend; what cannot be seen; one line of judgement at the end.
std::string terminal_diagnosis(const DoctorReport& report, const TerminalStyle& style);
std::string json_diagnosis(const DoctorReport& report);  // schema steelyard.doctor/1

}  // namespace steelyard

// A calibration for a person: what the promise came to on this machine, each benchmark's noise floor, and what would
// mend the noisy ones. JSON is storage/calibration/calibration_document.hpp. Pure: values in, text out.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/model/calibration.hpp"
#include "ci/app/terminal_text.hpp"

namespace steelyard {

struct CalibrationCircumstances {
  int gates_asked = 0;
  bool budget_spent = false;
  std::string budget;                                  // "10m"
  std::vector<std::string> failures;                   // of the program's own processes
  std::string kept_in = "";                            // a file; empty: it was not kept
  bool no_time_for_copies = false;                     // what they differ by is not known of all benchmarks
  std::map<std::string, std::string> kept_pages = {};  // why a program has no copies that could differ
};

std::string terminal_calibration(const Calibration& calibration, const CalibrationCircumstances& circumstances,
                                 const TerminalStyle& style);

}  // namespace steelyard

// From what was found on a machine to what is wrong with it. Pure: facts in, findings out; the facts of a stored run
// can be judged as well as those of this machine.
//
//     Environment environment = read_environment();
//     const Diagnosis diagnosis = diagnose(environment, probe_noise(seconds(1)));
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/doctor/noise_probe.hpp"
#include "bench/model/environment.hpp"

namespace steelyard::bench {

// What the doctor has to say of a machine: what hurts timings, worst first, each with its price and its fix.

enum class Severity {
  severe,   // timings taken now would mislead
  warning,  // they are noisier or less comparable than they could be
  note,     // worth knowing
};

struct Finding {
  std::string id;  // stable, for scripts: "governor"
  Severity severity = Severity::note;
  std::string found;
  std::string cost;      // what it does to a timing
  std::string fix = "";  // a command as it is to be typed, or what to do
  bool fix_is_command = false;
  bool needs_root = false;
  bool fixable = false;  // `doctor --fix` does it
  bool operator==(const Finding&) const = default;
};

// Something that this machine does not show.
struct Unseen {
  std::string id;
  std::string why;
  bool operator==(const Unseen&) const = default;
};

enum class Fitness {
  fit,
  unknown,  // nothing is wrong with what can be seen, which is too little
  with_care,
  not_fit,
};

struct Diagnosis {
  Fitness fitness = Fitness::fit;
  std::vector<Finding> findings;  // worst first
  std::vector<Unseen> unseen;
  bool operator==(const Diagnosis&) const = default;
};

std::string_view to_text(Severity severity);  // "severe", "warning", "note"
std::string_view to_text(Fitness fitness);    // "fit", "unknown", "with care", "not fit"

// Facts by name as read_environment, add_binary_facts and add_copy_facts set them; a fact that is absent is never taken
// for a good one.
Diagnosis diagnose(const Environment& environment, const std::optional<ProbeResult>& probe);

}  // namespace steelyard::bench

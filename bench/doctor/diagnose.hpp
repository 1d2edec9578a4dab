// From what was found on a machine to what is wrong with it. Pure: facts in, findings out; the facts of a stored run
// can be judged as well as those of this machine.
//
//     Environment environment = read_environment();
//     const Diagnosis diagnosis = diagnose(environment, probe_noise(seconds(1)));
#pragma once

#include <optional>

#include "bench/doctor/finding.hpp"
#include "bench/doctor/noise_probe.hpp"
#include "bench/model/environment.hpp"

namespace steelyard {

// Facts by name as read_environment, add_binary_facts and add_copy_facts set them; a fact that is absent is never taken
// for a good one.
Diagnosis diagnose(const Environment& environment, const std::optional<ProbeResult>& probe);

}  // namespace steelyard

// The columns of steelyard.invocations behind its keys, for who writes them and who reads them alike
// (bench/model/fields.hpp).
#pragma once

#include <string>

#include "bench/model/fields.hpp"
#include "bench/model/run.hpp"

namespace steelyard::storage {

struct InvocationRow {
  Invocation process;

  static void fields(auto& visit, auto& self) {
    auto& process = self.process;
    visit("round", process.round);
    visit("slot", process.slot);
    visit("core", process.core);
    visit("started_at_unix_ns", process.started_at_unix_ns);
    visit("duration_ns", process.duration_ns);
    auto& around = process.conditions;
    visit("voluntary_switches", around.voluntary_switches);
    visit("involuntary_switches", around.involuntary_switches);
    visit("migrations", around.migrations);
    visit("minor_faults", around.minor_faults);
    visit("major_faults", around.major_faults);
    visit("user_ns", around.user_ns);
    visit("system_ns", around.system_ns);
    visit("steal_ns", around.steal_ns);
    visit("other_busy_ns", around.other_busy_ns);
    visit("mhz_before", around.mhz_before);
    visit("mhz_after", around.mhz_after);
    visit("disturbed_by", process.disturbed_by);
    visit("left_out", process.excluded);
  }
};

}  // namespace steelyard::storage

// Alerts as people and programs read them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ci/app/terminal_text.hpp"
#include "storage/model/alert.hpp"
#include "storage/model/history.hpp"

namespace steelyard::ci {

// Of what is kept: the regressions that are the newest change of their series and open no alert, as their cause is the
// machine.
std::vector<storage::KeptChangePoint> blamed_on_the_machine(const std::vector<storage::KeptChangePoint>& kept);

// Whether an alert's levels stand beside its change. They are medians of each side by itself, maybe of two occasions,
// and the change may be that of several comparisons: where they move the other way, or by less than half or more than
// one and a half of it, they would only contradict it.
bool tells_levels(const storage::Alert& alert);

// One line each, with its state below, and how many regressions are blamed on the machine. Where they are of several
// machines, each says of which.
std::string terminal_alerts(const std::vector<storage::Alert>& alerts,
                            const std::vector<storage::KeptChangePoint>& aside, const TerminalStyle& style);
// One alert with its machine, where it is of one, and its whole life. `search`: the command that finds its commit;
// empty: none.
std::string terminal_alert(const storage::Alert& alert, const std::string& search, const TerminalStyle& style);
// Schema steelyard.alerts/1.
std::string json_alerts(const std::vector<storage::Alert>& alerts, const std::vector<storage::KeptChangePoint>& aside);

// One of them in a line, for documents that hold several.
std::string json_alert(const storage::Alert& alert);

inline constexpr std::size_t kShownAlertCharacters = 12;  // of an id

}  // namespace steelyard::ci

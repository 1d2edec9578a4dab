// Alerts as people and programs read them.
#pragma once

#include <string>
#include <vector>

#include "ci/app/terminal_text.hpp"
#include "storage/model/alert.hpp"

namespace steelyard {

// One line each, with its state below.
std::string terminal_alerts(const std::vector<Alert>& alerts, const TerminalStyle& style);
// One alert with its whole life.
std::string terminal_alert(const Alert& alert, const TerminalStyle& style);
std::string json_alerts(const std::vector<Alert>& alerts);  // schema steelyard.alerts/1

inline constexpr std::size_t kShownAlertCharacters = 12;  // of an id

}  // namespace steelyard

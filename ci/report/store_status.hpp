// What a store holds, for a person and for a program.
#pragma once

#include <string>

#include "ci/app/terminal_text.hpp"
#include "storage/model/upkeep.hpp"

namespace steelyard {

std::string terminal_status(const StoreStatus& status, const TerminalStyle& style);
std::string terminal_upkeep(const StoreUpkeep& upkeep);  // tables and partitions, below the status
// Schema steelyard.status/1; the second with what terminal_upkeep() tells.
std::string json_status(const StoreStatus& status);
std::string json_status(const StoreStatus& status, const StoreUpkeep& upkeep);

}  // namespace steelyard

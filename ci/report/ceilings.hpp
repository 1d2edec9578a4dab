// What devices can reach, for a terminal and as JSON: the datasheets' table, and the ceilings of this machine.
#pragma once

#include <span>
#include <string>

#include "bench/ceilings/datasheet.hpp"
#include "bench/model/ceiling.hpp"
#include "ci/app/terminal_text.hpp"

namespace steelyard {

std::string terminal_datasheet(std::span<const DatasheetRow* const> rows, const TerminalStyle& style);
std::string json_datasheet(std::span<const DatasheetRow* const> rows);  // schema steelyard.datasheet/1

// Arithmetic by dtype and threads, bandwidth by level, access and threads, each with its spread and its best; what is
// absent and why; the notes.
std::string terminal_ceilings(const DeviceCeilings& ceilings, const TerminalStyle& style);
std::string json_ceilings(const DeviceCeilings& ceilings);  // schema steelyard.ceilings/1

}  // namespace steelyard

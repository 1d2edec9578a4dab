// The table of everything that can be configured: one entry per key of steelyard.toml, with the option of the command
// line that overrides it. Parsing, printing, help texts and the suggestions for a mistyped key all come from it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ci/config/configuration.hpp"
#include "ci/config/written_value.hpp"

namespace steelyard {

struct ConfigurationKey {
  std::string_view section;  // "run"
  std::string_view name;     // "min_time"
  std::string_view option;   // "--min-time"; empty: not on the command line
  std::string_view value;    // how help names it: "DURATION"; empty: a flag
  std::string_view help;
  Result<void> (*assign)(Configuration& configuration, const WrittenValue& value, const std::string& where);
  // As TOML would write it; empty: nothing is set.
  std::string (*print)(const Configuration& configuration);
};

std::span<const ConfigurationKey> configuration_keys();

// Null where there is none.
const ConfigurationKey* find_configuration_key(std::string_view section, std::string_view name);

// The effective configuration as a steelyard.toml that would give it.
std::string to_toml(const Configuration& configuration);

}  // namespace steelyard

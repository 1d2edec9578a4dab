// The configuration that is in force: defaults, then steelyard.toml, then the environment's STEELYARD_STORE, then the
// options of the command line, the later winning. And what else follows from where and by whom the program is called.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "ci/app/app.hpp"
#include "ci/config/configuration.hpp"

namespace steelyard {

// Looks for steelyard.toml from the current folder upwards.
Result<Configuration> effective_configuration(const App& app);
// For who measures: with a budget (`usual` where none is configured) and a seed (drawn where none is given).
Result<Configuration> measuring_configuration(const App& app, Nanoseconds usual,
                                              const std::optional<std::uint64_t>& seed);
Result<Configuration> with_overrides(Configuration configuration, const App& app);

// The configured name, else that of the repository's (or the current) folder.
std::string project_name(const Configuration& configuration);

// The person on whose behalf the program does something, as the audit trail names them: as named; else the CI system's
// user, else the login name.
std::string person_or_login(const std::string& named);

}  // namespace steelyard

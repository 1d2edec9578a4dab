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
Result<Configuration> with_overrides(Configuration configuration, const App& app);

// The configured name, else that of the repository's (or the current) folder.
std::string project_name(const Configuration& configuration);

// As asked for, else drawn from the system's entropy: the only place where it is; results carry it.
std::uint64_t seed_or_draw(const std::optional<std::uint64_t>& seed);

// The person on whose behalf the program does something, as the audit trail names them: as named; else the CI system's
// user, else the login name.
std::string person_or_login(const std::string& named);

}  // namespace steelyard

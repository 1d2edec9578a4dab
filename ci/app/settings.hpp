// The configuration that is in force: defaults, then steelyard.toml, then the environment's STEELYARD_STORE, then the
// options of the command line, the later winning. And what else follows from where and by whom the program is called.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ci/app/app.hpp"
#include "ci/config/configuration.hpp"

namespace steelyard::ci {

// Looks for steelyard.toml from the current folder upwards.
Result<Configuration> effective_configuration(const App& app);
// For who measures: with a budget (`usual` where none is configured) and a seed (drawn where none is given).
Result<Configuration> measuring_configuration(const App& app, Nanoseconds usual,
                                              const std::optional<std::uint64_t>& seed);
Result<Configuration> with_overrides(Configuration configuration, const App& app);

// The configured name, else that of the repository's (or the current) folder: what writers and readers take alike.
std::string project_name(const Configuration& configuration);

// What stands for every project where a verb reads. No name to write under.
inline constexpr std::string_view kEveryProject = "all";
// For verbs to find out before they measure or import. Error (input): the name is kEveryProject.
Result<void> check_project_to_write(const Configuration& configuration);
// Of which project a verb reads: project_name(), or empty for every one. `known`: the names that `place` has ("the
// store"), as many as it tells. Error (input): it has some and that one is none of them; it names them.
Result<std::string> project_to_read(const Configuration& configuration, const std::vector<std::string>& known,
                                    const std::string& place);

// The person on whose behalf the program does something, as the audit trail names them: as named; else the CI system's
// user, else the login name.
std::string person_or_login(const std::string& named);

}  // namespace steelyard::ci

// The configuration that is in force: defaults, then steelyard.toml, then the environment's STEELYARD_STORE, then the
// options of the command line, the later winning.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "ci/app/options.hpp"
#include "ci/config/configuration.hpp"

namespace steelyard {

// Looks for steelyard.toml from the current folder upwards.
Result<Configuration> effective_configuration(const CommonOptions& common);
Result<Configuration> with_overrides(Configuration configuration, const CommonOptions& common);

// The configured name, else that of the repository's (or the current) folder.
std::string project_name(const Configuration& configuration);

// As asked for, else drawn from the system's entropy: the only place where it is; results carry it.
std::uint64_t seed_or_draw(const std::optional<std::uint64_t>& seed);

}  // namespace steelyard

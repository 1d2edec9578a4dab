// Where the code of judged commits runs: it may be a stranger's pull request, and must reach no store. Builds, programs
// and what links them anew see the file system without what leads to one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/runner/confinement.hpp"
#include "ci/config/configuration.hpp"

namespace steelyard::ci {

struct KeptPlaces {
  const Configuration& configuration;
  bool keeps = true;                  // in the store
  std::filesystem::path archive_dir;  // where archives are copied to, made now as well; empty: nowhere
};

struct StrangersView {
  bench::SharedConfinement confinement;
  std::vector<std::string> warnings;  // for the report: what they could reach all the same, and what to rely on
};

// Hides from strangers what they could change or read, closes our memory to them, and makes the state folder before one
// could. `needed`: what has to stay to be seen, wherever it lies. No confinement where there is nothing to hide, the
// system does not allow it or STEELYARD_CONFINE=no is set.
StrangersView confine_strangers(const KeptPlaces& places, std::vector<std::filesystem::path> needed);

}  // namespace steelyard::ci

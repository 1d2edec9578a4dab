// The small JSON documents of verbs that have no report of their own.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ci/config/configuration.hpp"
#include "storage/derived.hpp"
#include "storage/distribution.hpp"
#include "storage/prune.hpp"
#include "storage/spool/rebuild.hpp"

namespace steelyard {

std::string json_configuration(const Configuration& configuration);  // schema steelyard.configuration/1

struct ImportedRun {
  std::string path;
  std::string run;  // id
  std::size_t measurements = 0;
  std::size_t failures = 0;
  std::vector<std::string> warnings;
};
std::string json_imports(const std::vector<ImportedRun>& runs);  // schema steelyard.import/1

std::string json_pruned(const Pruned& pruned, bool dry_run);  // schema steelyard.prune/1
std::string json_derived(const Derived& derived);             // schema steelyard.derived/1

// schema steelyard.rebuild/1; `bad` holds one message for each archive
std::string json_rebuild(const Rebuild& rebuild, const std::filesystem::path& folder);

// schema steelyard.distribution/1
std::string json_distribution(const DistributionPlan& plan);

}  // namespace steelyard

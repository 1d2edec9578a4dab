// Where the project's own sources stood when a run was counted. The runs themselves keep it, so that whoever reads them
// later names the same functions.
#pragma once

#include <filesystem>
#include <vector>

#include "bench/model/run.hpp"

namespace steelyard {

inline constexpr const char* kSourcesSetting = "sources";  // of a run's header

// Those of both sides, where they are known: AttributionOptions::own_sources.
inline std::vector<std::filesystem::path> own_folders(const Run& baseline, const Run& candidate) {
  std::vector<std::filesystem::path> folders;
  for (const Run* run : {&baseline, &candidate}) {
    const auto found = run->header.settings.find(kSourcesSetting);
    if (found != run->header.settings.end() && !found->second.empty()) folders.emplace_back(found->second);
  }
  return folders;
}

}  // namespace steelyard

// Finds a kept comparison by its id in the state folder: what waits in the spool, and what was delivered. For when the
// store is away, or has lost it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "bench/model/comparison.hpp"

namespace steelyard {

// `id`: whole, or at least its first 6 characters. Absent: none of them has that id by its content, or several have.
std::optional<Comparison> find_comparison_by_id(const std::string& id, const std::filesystem::path& state);

}  // namespace steelyard

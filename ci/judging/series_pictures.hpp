// Series with their change points as SVG files.
#pragma once

#include <cstddef>
#include <filesystem>

#include "bench/model/result.hpp"
#include "ci/report/changes_report.hpp"

namespace steelyard {

inline constexpr std::size_t kMostPictures = 500;

// target ends in .svg: one file, of the only series, or of the only one that has a change. Else a folder, made where it
// is missing: one file for each series that has a change (of all of them where none has), at most kMostPictures.
// Returns how many. Errors (input): several series and one file; a place that cannot be written.
Result<std::size_t> draw_series(const ChangesReport& report, const std::filesystem::path& target);

}  // namespace steelyard

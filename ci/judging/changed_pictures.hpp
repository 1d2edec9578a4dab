// One flame graph for each benchmark whose instruction count changed, beside a report.
#pragma once

#include <filesystem>
#include <string>

#include "bench/model/comparison.hpp"
#include "bench/model/result.hpp"
#include "bench/model/run.hpp"

namespace steelyard {

// Writes FOLDER/NAME.html, the difference of both runs' profiles, for each benchmark whose count of instructions is a
// regression or an improvement, and names the file in that row (ComparisonRow::flame_graph). A benchmark that a side
// has no profile of is passed over. The folder is made. Error (input): it cannot be written to; what was drawn stays.
Result<void> draw_changed_counts(Comparison& comparison, const Run& baseline, const Run& candidate,
                                 const std::filesystem::path& folder);

// A benchmark's name as a file's: letters, digits and "._-" stay, everything else becomes '_'; at most 100 bytes.
std::string file_stem(const std::string& benchmark);

}  // namespace steelyard

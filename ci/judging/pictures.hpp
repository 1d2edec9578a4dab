// What is drawn to files beside a report: a flame graph of each changed count, the samples behind each changed time,
// series with their change points; and the latter two in a terminal.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "bench/model/comparison.hpp"
#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "ci/app/terminal_text.hpp"
#include "ci/report/changes.hpp"

namespace steelyard::ci {

// Writes FOLDER/NAME.html, the difference of both runs' profiles, for each benchmark whose count of instructions is a
// regression or an improvement, and names the file in that row (ComparisonRow::flame_graph). A benchmark that a side
// has no profile of is passed over. The folder is made. Error (input): it cannot be written to; what was drawn stays.
Result<void> draw_changed_counts(Comparison& comparison, const Run& baseline, const Run& candidate,
                                 const std::filesystem::path& folder);

// One SVG file for each noisy row that is a regression or an improvement, worst first as the report has them, named
// after benchmark and metric; at most `most`. The folder is made where it is missing. Errors (input): a place that
// cannot be written.
inline constexpr std::size_t kMaxPictureFiles = 200;
struct DrawnRows {
  std::size_t drawn = 0;
  std::size_t excluded = 0;
};
Result<DrawnRows> draw_changed_rows(const Comparison& comparison, const Run& baseline, const Run& candidate,
                                    const std::filesystem::path& folder, std::size_t most = kMaxPictureFiles);

// Changed rows for a terminal, below each other, worst first as the report has them; of a comparison without a change
// the noisy rows that were judged. At most `most`; what is left out is counted.
inline constexpr std::size_t kMaxTerminalPictures = 10;
std::string terminal_pictures(const Comparison& comparison, const Run& baseline, const Run& candidate,
                              const TerminalStyle& style, std::size_t most = kMaxTerminalPictures);

// target ends in .svg: one file, of the only series, or of the only one that has a change. Else a folder, made where it
// is missing: one file for each series that has a change (of all of them where none has), at most kMaxPictures. Returns
// how many. Errors (input): several series and one file; a place that cannot be written.
inline constexpr std::size_t kMaxPictures = 500;
Result<std::size_t> draw_series(const ChangesReport& report, const std::filesystem::path& target);

// A benchmark's name as a file's: letters, digits and "._-" stay, everything else becomes '_'; at most 100 bytes.
std::string file_stem(const std::string& benchmark);

}  // namespace steelyard::ci

// The rows of a comparison that changed, each drawn with the samples of both sides.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "bench/model/comparison.hpp"
#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "ci/app/exit_code.hpp"
#include "ci/app/options.hpp"
#include "ci/app/streams.hpp"
#include "ci/report/report.hpp"

namespace steelyard {

// One SVG file for each noisy row that is a regression or an improvement, worst first as the report has them, named
// after benchmark and metric; at most `most`. The folder is made where it is missing. Errors (input): a place that
// cannot be written.
inline constexpr std::size_t kMostPictureFiles = 200;
struct DrawnRows {
  std::size_t drawn = 0;
  std::size_t left_out = 0;
};
Result<DrawnRows> draw_changed_rows(const Comparison& comparison, const Run& baseline, const Run& candidate,
                                    const std::filesystem::path& folder, std::size_t most = kMostPictureFiles);

// The same for a terminal, below each other, worst first as the report has them; of a comparison without a change the
// noisy rows that were judged. At most `most`; what is left out is counted.
inline constexpr std::size_t kMostTerminalPictures = 10;
std::string terminal_pictures(const Comparison& comparison, const Run& baseline, const Run& candidate,
                              const TerminalStyle& style, std::size_t most = kMostTerminalPictures);

// What the options ask for: files, and pictures on the output stream below a report for people (none beside JSON).
ExitCode show_pictures(const Comparison& comparison, const Run& baseline, const Run& candidate,
                       const PictureOptions& pictures, const CommonOptions& common, Streams& streams);

}  // namespace steelyard

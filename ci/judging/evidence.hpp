// What --archive-dir keeps of a gate: both sides' archives and the comparison, so that the folder is all that steelyard
// verify needs.
#pragma once

#include <filesystem>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"
#include "bench/model/target.hpp"
#include "ci/app/exit_code.hpp"
#include "ci/app/streams.hpp"

namespace steelyard {

// baseline.syrun, candidate.syrun. A run without an id is none and is left out; an empty folder: nothing is kept. Every
// path is tried, so that one full disk does not cost the copy on another.
ExitCode copy_archives(const Run& baseline, const Run& candidate, const std::filesystem::path& folder,
                       Streams& streams);

// comparison.json, beside them.
ExitCode keep_comparison(const Comparison& comparison, const TargetReport& targets, const std::filesystem::path& folder,
                         Streams& streams);

}  // namespace steelyard

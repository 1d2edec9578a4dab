// What compare and export take as a run: an archive, Google Benchmark's JSON (a file, or a folder with one file per
// process), run:ID, commit:SHA from the store; as a baseline beside a candidate also ancestor: and ancestor:BRANCH.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/model/run.hpp"
#include "ci/app/options.hpp"
#include "ci/app/streams.hpp"
#include "ci/config/configuration.hpp"

namespace steelyard {

struct Sides {
  Run baseline;
  Run candidate;
  std::vector<std::string> warnings;
};

// The store is opened only where a side names it. Errors (input): a path that is none of the above, a bad file;
// (store): it could not be reached.
Result<Sides> load_sides(const std::string& baseline, const std::string& candidate, const Configuration& configuration,
                         const CommonOptions& common, Streams& streams);
Result<Run> load_side(const std::string& side, const Configuration& configuration, const CommonOptions& common,
                      Streams& streams, std::vector<std::string>& warnings);

}  // namespace steelyard

// Finds the archive of a run by its id: beside the comparison, in the state folder (the spool and what was delivered),
// in the store; and sees that its content has that id.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/model/run.hpp"

namespace steelyard {

struct RunSearch {
  std::filesystem::path folder;  // of the comparison; empty: it came from the store
  std::filesystem::path state;
  std::function<Result<Run>(const std::string& id)> from_store;  // asked last; empty: not asked
};

struct FoundRun {
  Run run;
  std::string place;  // a file, or "the store"
};

// `id`: whole. `first`: the file to try first, such as "baseline.syrun". Error (input): found nowhere; what was looked
// at is named, and why each that has the name is not it.
Result<FoundRun> find_run_by_id(const std::string& id, const std::string& first, const RunSearch& search);

// The id that the run's content has.
std::string content_id(const Run& run);

}  // namespace steelyard

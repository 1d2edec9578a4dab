// What compare and export take as a run: an archive, Google Benchmark's JSON (a file, or a folder with one file per
// process), run:ID, commit:SHA from the store; as a baseline beside a candidate also ancestor: and ancestor:BRANCH. And
// what the verbs that read history take in the place of the store: a folder of archives.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/model/run.hpp"
#include "ci/app/app.hpp"
#include "ci/config/configuration.hpp"
#include "storage/archived/archived_history.hpp"
#include "storage/store.hpp"

namespace steelyard {

struct Sides {
  Run baseline;
  Run candidate;
  std::vector<std::string> warnings;
};

// The store is opened only where a side names it. As ancestor: the run of the nearest ancestor of the candidate's
// commit that was measured on its machine, on the branch (empty: on any; then nothing but an ancestor will do); a
// warning says which it is. Errors (input): a path that is none of the above, a bad file, no such ancestor; (store): it
// could not be reached.
Result<Sides> load_sides(const std::string& baseline, const std::string& candidate, const Configuration& configuration,
                         const App& app);
Result<Run> load_side(const std::string& side, const Configuration& configuration, const App& app,
                      std::vector<std::string>& warnings);
// The same with its warnings as notes.
Result<Run> load_side(const std::string& side, const Configuration& configuration, const App& app);

// "commit 1a2b3c4, 3 commits before the candidate".
std::string place_text(const FoundBaseline& found);

// Said where a branch was asked for (ArchivedHistory::is_by_date).
inline constexpr const char* kArchivesByDate =
    "no archive tells its commit's parent: points stand in the order of the commits' dates";

// With a progress bar where there is a terminal. Archives that cannot be read are reported, and still named in the
// answer: who leaves them out may not end with success.
Result<ArchivedHistory> history_of_archives(const std::filesystem::path& folder, const HistoryQuery& query,
                                            const App& app);

}  // namespace steelyard

// What compare and export take as a run: an archive, results of any tool that import takes (a file, or a folder with
// one file per process), run:ID, commit:SHA from the store (or commit:NAME, what git calls it here); as a baseline
// beside a candidate also ancestor: and ancestor:BRANCH. And what the verbs that read history take in the place of the
// store: a folder of archives.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/harness/significance_table.hpp"
#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "bench/model/task_measurement.hpp"
#include "ci/app/app.hpp"
#include "ci/config/configuration.hpp"
#include "storage/archived/archived_history.hpp"

namespace steelyard::ci {

struct Sides {
  Run baseline;
  Run candidate;
  std::vector<std::string> warnings;
};

// The store is opened only where a side names it. Of several runs of a commit those that were measured together are
// taken, else the newest that shares a benchmark with the other side (by itself: the newest), and a warning says which
// of which; where they are of several suites that is an error (input) which names them. As ancestor: the run of the
// nearest ancestor of the candidate's commit that was measured on its machine, on the branch (empty: on any; then
// nothing but an ancestor will do); a warning says which it is. Errors (input): a path that is none of the above, a bad
// file, no such ancestor; (store): it could not be reached.
Result<Sides> load_sides(const std::string& baseline, const std::string& candidate, const Configuration& configuration,
                         const App& app);
Result<Run> load_side(const std::string& side, const Configuration& configuration, const App& app,
                      std::vector<std::string>& warnings);
// Whether load_side() would ask the store for it: run:ID, commit:SHA.
bool names_stored_run(const std::string& side);
// load_side() with its warnings as notes.
Result<Run> load_side(const std::string& side, const Configuration& configuration, const App& app);

// "commit 1a2b3c4d5"; a run without a commit says so.
std::string run_of(const std::string& commit);
// "commit 1a2b3c4d5, 3 commits before the candidate".
std::string place_text(const storage::FoundBaseline& found, const Commit& candidate);

// Said where a branch was asked for (ArchivedHistory::is_by_date).
inline constexpr const char* kArchivesByDate =
    "no archive tells its commit's parent: points stand in the order of the commits' dates";

// Of the project that a verb reads (project_to_read() of ci/app/settings.hpp), whatever the query says. With a progress
// bar where there is a terminal. Archives that cannot be read are reported, and still named in the
// answer: who leaves them out may not end with success.
Result<storage::ArchivedHistory> history_of_archives(const std::filesystem::path& folder, storage::HistoryQuery query,
                                                     const Configuration& configuration, const App& app);

// Files of the harness's Timer as sides of a table: the XML and text archives, and .syrun files that hold measurements.
// Absent where `side` is something else (a run's archive, JSON, a folder, a run in the store, nothing at all). Error
// (input): it is such a file, and a bad one.
Result<std::optional<std::vector<TaskMeasurement>>> load_measurement_side(const std::string& side);

struct MeasurementSide {
  std::string name;
  std::vector<TaskMeasurement> measurements;
};

struct JoinedMeasurements {
  std::vector<TaskMeasurement> measurements;
  // As in the reference columns are descriptions, and rows the contenders. Where a task is in several files the files
  // are the contenders: columns are descriptions and files, compared along the row.
  TableDirection direction = TableDirection::columnwise;
};
JoinedMeasurements join_sides(std::vector<MeasurementSide> sides);

// The times of a side as a run, to stand beside runs of `environments`: benchmarks are named as by to_run(). Where one
// of these machines is the file's, the run is of it. Errors (input): the file is of a machine that none of them is, and
// not `any_machine`; what to_run() refuses.
Result<Run> run_of_side(MeasurementSide side, const std::vector<Environment>& environments, bool any_machine);

// The name under which --ignore-fact lets measurements of several machines into one table: their files keep the
// fingerprint and no facts.
inline constexpr const char* kFingerprintFact = "fingerprint";

}  // namespace steelyard::ci

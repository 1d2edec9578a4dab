// How the verbs keep what they measured and judged: into the spool first, then into the store, so that nothing is lost
// where the store is away. Every verb that reaches the store delivers what waits in the spool. Where the spool cannot
// be written the store is tried all the same, and after that $TMPDIR and the current folder. What waits is delivered to
// the store that the configuration named when it was kept, and to no other.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"
#include "ci/app/app.hpp"
#include "ci/config/configuration.hpp"
#include "storage/spool/spool.hpp"
#include "storage/store.hpp"

namespace steelyard::ci {

// Error (input): the configured address is none. For verbs to find out before they measure.
Result<storage::StoreAddress> store_address(const Configuration& configuration);
// For verbs that work on the database itself. Error (input): the address is a service's.
Result<storage::StoreAddress> database_address(const Configuration& configuration);

// The database, or the service in its place (ci/app/store_client.hpp).
Result<storage::Store> connect(const storage::StoreAddress& address);

// connect(), and delivers what waits. A run that could not be delivered or read is named on the error stream and
// stays; that is no error here.
Result<storage::Store> open_store(const Configuration& configuration, const App& app);

// Of which project a verb reads (project_to_read() of ci/app/settings.hpp). Error (input): the store has others alone.
Result<std::string> project_in_store(storage::Store& store, const Configuration& configuration);

// RunStore::get. What retention has dropped may lie in the state folder still: it is taken from there, and a note says
// so.
Result<Run> stored_run(storage::Store& store, const std::string& id, const App& app);

// The spool of the state folder, for the configured store.
storage::Spool spool_for(const Configuration& configuration);

// Writes the runs (sealed) to the spool. Of trouble, such as a full disk, it says only what that is: whether they are
// kept is for deliver_to_store() to tell.
void keep_in_spool(const Configuration& configuration, const std::vector<const Run*>& runs, const App& app);

// What the store said of a command's own runs, by their ids: whether it had none such before. Absent: it said nothing.
using NewRuns = std::map<std::string, bool, std::less<>>;

// Writes the comparison, where there is one, to the spool, and brings all that waits into the store. `runs` are this
// command's own (sealed, as given to keep_in_spool), and so are those of which it has the headers `in_spool` alone:
// each, and the comparison, is in the store afterwards, or its place on disk is named and store_away returned. That
// they are kept in the store is said only where they are, and so is that one of them has no archive. `are_new`: null
// where nobody asks.
ExitCode deliver_to_store(const Configuration& configuration, const Comparison* comparison, const App& app,
                          const std::vector<const Run*>& runs, const std::vector<RunHeader>& in_spool = {},
                          NewRuns* are_new = nullptr);

}  // namespace steelyard::ci

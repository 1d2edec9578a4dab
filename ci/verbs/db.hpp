// The options of steelyard db, and those of its actions that are more than a few lines, each with the configuration in
// force.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ci/app/app.hpp"
#include "ci/config/configuration.hpp"
#include "storage/model/access.hpp"
#include "storage/model/upkeep.hpp"
#include "storage/store.hpp"

namespace steelyard::ci {

struct DbOptions {
  enum class Action { init, migrate, rebuild, status, stop, prune, backup, restore, grant, distribute, shell };
  Action action = Action::status;
  std::filesystem::path from;     // with rebuild: the folder of archives; empty: that of the state folder
  bool derived = false;           // with rebuild: derived data in place, no archives
  std::filesystem::path folder;   // with backup and restore
  bool dry_run = false;           // with prune, migrate and distribute
  bool archives = false;          // with prune: those of the state folder as well
  std::vector<std::string> runs;  // with prune: these alone, by id; empty: what the policy says
  // With grant; with shell its access alone, the embedded store's superuser where that is the owner:
  storage::AccessGrant access;
  bool is_access_named = false;
  // With grant:
  bool revoke = false;
  bool list = false;
  storage::DistributeOptions distribute;
  std::vector<std::string> arguments;  // with shell: psql's own
};

// db_upkeep.cpp: what is thrown away, and what is put elsewhere.
Result<ExitCode> prune_store(const DbOptions& options, const Configuration& configuration, const App& app);
Result<ExitCode> back_store_up(const DbOptions& options, const Configuration& configuration, const App& app);
Result<ExitCode> restore_from_backup(const DbOptions& options, const Configuration& configuration, const App& app);

// db_access.cpp: who may do what, how a client reaches the store, what an upgrade would do, and one store on several
// machines.
Result<ExitCode> grant_access(const DbOptions& options, const Configuration& configuration, const App& app);
// After a right to it was given: that no run of it is kept and it may be misspelt, though a first one may be still to
// come. What cannot be looked up for that is warned of, too, and is no failure.
void warn_of_unmeasured_project(const std::string& project, storage::Store& store, const App& app);
// psql on the store until it ends; with --json the connection's settings alone. bad_input where there is no psql, and
// they are printed, or where it failed; store_away where it lost the store.
Result<ExitCode> open_shell(const DbOptions& options, const Configuration& configuration, const App& app);
Result<ExitCode> show_upgrade(const Configuration& configuration, const App& app);
// Prints which table is where, or with options.dry_run would be. bad_input where the server cannot be distributed.
Result<ExitCode> distribute_store(const DbOptions& options, const Configuration& configuration, const App& app);

}  // namespace steelyard::ci

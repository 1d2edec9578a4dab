// steelyard db grant, shell, migrate --dry-run and distribute: who may do what, how a client reaches the store, what an
// upgrade would do, and one store on several machines (docs/operations/access.md, docs/operations/scale.md).
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "bench/model/text.hpp"
#include "bench/runner/child_process.hpp"
#include "bench/runner/foreground_command.hpp"
#include "ci/app/keeping.hpp"
#include "ci/report/store.hpp"
#include "ci/report/warning_text.hpp"
#include "ci/verbs/db.hpp"
#include "storage/access_store.hpp"
#include "storage/catalog_store.hpp"
#include "storage/embedded/cluster.hpp"
#include "storage/upkeep.hpp"

namespace steelyard::ci {
namespace {

Result<ExitCode> list_grants(storage::Store& store, const App& app) {
  STEELYARD_TRY(const std::vector<storage::AccessGrant> grants, storage::AccessStore(store).grants());
  app.print(app.common.json ? json_grants(grants) : terminal_grants(grants));
  if (grants.empty() && !app.common.json) app.note("no login has a role of this store");
  return ExitCode::success;
}

Result<ExitCode> print_plan(storage::Store& store, const App& app) {
  STEELYARD_TRY(const storage::DistributionPlan plan, storage::Upkeep(store).distribution_plan());
  app.print(app.common.json ? json_distribution(plan) : terminal_distribution(plan));
  if (plan.missing.empty()) return ExitCode::success;
  return input_error("steelyard db distribute", plan.missing.front());
}

// A cluster of one machine, on a socket that no other can reach.
Error not_the_embedded_store() {
  return input_error("steelyard db distribute", "the embedded store", "a server that other machines can reach",
                     "set up PostgreSQL servers with the extension citus (docs/operations/scale.md), give the first "
                     "one's postgresql:// address with --store, and fill it with `steelyard db rebuild`");
}

// The store that is open, for a client of somebody else's. Of the embedded one the login for daily work: whoever types
// means to ask, and a superuser's statement may run programs.
Result<std::string> url_of_store(const DbOptions& options, const Configuration& configuration) {
  STEELYARD_TRY(const storage::StoreAddress address, database_address(configuration));
  const bool as_owner = options.is_access_named && options.access.access == storage::Access::owner;
  if (!address.embedded && as_owner) {
    return input_error("steelyard db shell --as owner", address.safe_text(), "the embedded store",
                       "leave --as out: elsewhere the store's address says who logs in");
  }
  if (!address.embedded) return address.url;
  STEELYARD_TRY(const storage::EmbeddedServer server, storage::ensure_embedded_running(storage::state_folder()));
  return as_owner ? server.url : server.daily_url;
}

// In $PATH, else beside the newest server's programs.
std::optional<std::filesystem::path> find_psql() {
  if (auto found = bench::find_in_path("psql")) return found;
  for (const storage::ServerPrograms& programs : storage::find_server_programs()) {
    const std::filesystem::path psql = programs.folder / "psql";
    if (access(psql.c_str(), X_OK) == 0) return psql;
  }
  return std::nullopt;
}

// Schema steelyard.connection/1: null is what the address leaves to the client.
std::string json_connection(const storage::SplitAddress& address) {
  const storage::ConnectionSettings settings = storage::connection_settings(address.url);
  const auto member = [](const char* name, const std::string& text) {
    return std::string(",\n  \"") + name + "\": " + (text.empty() ? "null" : json_quoted(text));
  };
  return "{\n  \"schema\": \"steelyard.connection/1\"" + member("url", address.url) + member("host", settings.host) +
         member("port", settings.port) + member("user", settings.user) + member("database", settings.database) +
         member("password_file", settings.password_file) + "\n}\n";
}

std::string connection_text(const storage::SplitAddress& address) {
  const storage::ConnectionSettings settings = storage::connection_settings(address.url);
  std::string text = "url       " + address.url + '\n';
  for (const auto& [name, value] : {std::pair("host      ", settings.host),
                                    {"port      ", settings.port},
                                    {"user      ", settings.user},
                                    {"database  ", settings.database}}) {
    if (!value.empty()) text += name + value + '\n';
  }
  if (address.password) text += "password  the one that the store's address holds\n";
  if (!settings.password_file.empty()) text += "password  the last word of " + settings.password_file + '\n';
  return text;
}

// Our own streams and environment, and the password there. A terminal's interrupt is psql's alone: it ends a query.
Result<int> run_on_our_terminal(const std::vector<std::string>& words, const std::optional<std::string>& password) {
  bench::ForegroundCommand command;
  command.executable = words.front();
  command.arguments.assign(words.begin() + 1, words.end());
  if (password) command.environment["PGPASSWORD"] = *password;
  const bench::EndingSignalsBlocked signals;
  return bench::run_in_foreground(command, signals);
}

// The nearest of those that have one; empty: none is near. Absent: the project has a run.
Result<std::optional<std::string>> nearest_measured(const std::string& project, storage::Store& store) {
  storage::CatalogStore catalog(store);
  storage::ListQuery query;
  query.project = project;
  query.limit = storage::kMaxListed;
  STEELYARD_TRY(const auto own, catalog.projects(query));
  const auto is_measured = [](const storage::ProjectEntry& one) { return !one.newest_run.empty(); };
  if (std::any_of(own.items.begin(), own.items.end(), is_measured)) {
    return std::optional<std::string>();
  }
  query.project.clear();
  STEELYARD_TRY(const auto all, catalog.projects(query));
  std::vector<std::string> measured;
  for (const storage::ProjectEntry& one : all.items) {
    if (is_measured(one)) measured.push_back(one.name);
  }
  return std::optional(nearest_name(project, measured).value_or(""));
}

}  // namespace

void warn_of_unmeasured_project(const std::string& project, storage::Store& store, const App& app) {
  const Result<std::optional<std::string>> nearest = nearest_measured(project, store);
  if (!nearest) {
    app.warn(nearest.error().text());
  } else if (*nearest) {
    app.warn(warning::unmeasured_project(project, **nearest));
  }
}

Result<ExitCode> grant_access(const DbOptions& options, const Configuration& configuration, const App& app) {
  STEELYARD_TRY(storage::Store store, open_store(configuration, app));
  if (options.list) return list_grants(store, app);
  const storage::AccessGrant& wanted = options.access;
  STEELYARD_TRY(const bool changed, options.revoke ? storage::AccessStore(store).revoke(wanted)
                                                   : storage::AccessStore(store).grant(wanted));
  const std::string what =
      options.revoke ? (wanted.some_projects ? scope_of(wanted) : "all access") : access_text(wanted);
  if (options.revoke) {
    app.note(changed ? wanted.login + " lost " + what : wanted.login + " did not have it");
  } else {
    app.note(wanted.login + (changed ? " is now " : " was already ") + what);
    if (!wanted.project.empty()) warn_of_unmeasured_project(wanted.project, store, app);
  }
  return ExitCode::success;
}

Result<ExitCode> open_shell(const DbOptions& options, const Configuration& configuration, const App& app) {
  // Started, brought up to date, and given what waits for it.
  STEELYARD_TRY(const storage::Store store, open_store(configuration, app));
  STEELYARD_TRY(const std::string url, url_of_store(options, configuration));
  STEELYARD_TRY(const storage::SplitAddress address, storage::split_password(url));
  if (app.common.json) {
    app.print(json_connection(address));
    return ExitCode::success;
  }
  const std::optional<std::filesystem::path> psql = find_psql();
  if (!psql) {
    app.print(connection_text(address));
    return input_error("steelyard db shell", "no psql in $PATH",
                       "PostgreSQL's own client, or another with these settings", "apt-get install postgresql-client");
  }
  std::vector<std::string> words{psql->string(), "--dbname=" + address.url};
  // Who types sees an error and goes on; a script that went wrong is no success.
  if (isatty(STDIN_FILENO) == 0 || !options.arguments.empty()) words.emplace_back("--set=ON_ERROR_STOP=1");
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  app.streams.out.flush();
  STEELYARD_TRY(const int status, run_on_our_terminal(words, address.password));
  constexpr int kConnectionLost = 2;  // of psql's exit statuses
  if (status == 0) return ExitCode::success;
  return status == kConnectionLost ? ExitCode::store_away : ExitCode::bad_input;
}

Result<ExitCode> show_upgrade(const Configuration& configuration, const App& app) {
  STEELYARD_TRY(const storage::StoreAddress address, database_address(configuration));
  STEELYARD_TRY(const storage::UpgradePlan plan, storage::Upkeep::plan_upgrade(address, storage::state_folder()));
  app.print(app.common.json ? json_upgrade(plan) : terminal_upgrade(plan));
  if (!plan.allowed) app.note("this login may not do it: an owner of the schema may");
  return ExitCode::success;
}

Result<ExitCode> distribute_store(const DbOptions& options, const Configuration& configuration, const App& app) {
  STEELYARD_TRY(const storage::StoreAddress address, database_address(configuration));
  if (address.embedded && !options.dry_run) return not_the_embedded_store();
  STEELYARD_TRY(storage::Store store, open_store(configuration, app));
  if (options.dry_run) return print_plan(store, app);
  {
    ProgressLine progress = app.progress();
    const Result<void> done = storage::Upkeep(store).distribute(
        options.distribute,
        [&](const std::string& table, double part) { progress.show("moving " + table, part, Nanoseconds()); });
    progress.clear();
    if (!done) return done.error();
  }
  return print_plan(store, app);
}

}  // namespace steelyard::ci

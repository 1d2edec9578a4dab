// steelyard db: looks after the store.
#include "ci/verbs/db.hpp"

#include <memory>

#include "bench/model/number_text.hpp"
#include "bench/model/quantity.hpp"
#include "bench/model/text.hpp"
#include "ci/app/keeping.hpp"
#include "ci/app/settings.hpp"
#include "ci/grammar/verb.hpp"
#include "ci/report/store.hpp"
#include "storage/delivery.hpp"
#include "storage/embedded/cluster.hpp"
#include "storage/spool/rebuild.hpp"
#include "storage/spool/spool.hpp"
#include "storage/upkeep.hpp"

namespace steelyard::ci {
namespace {

// Schema steelyard.rebuild/1; `bad` holds one message for each archive.
std::string json_rebuild(const storage::Rebuild& rebuild, const std::filesystem::path& folder) {
  std::vector<std::string> bad;
  for (const Error& error : rebuild.bad) bad.push_back(error.text());
  return "{\n  \"schema\": \"steelyard.rebuild/1\",\n  \"folder\": " + json_quoted(folder.string()) +
         ",\n  \"runs\": " + std::to_string(rebuild.runs) +
         ",\n  \"already_there\": " + std::to_string(rebuild.already_there) +
         ",\n  \"comparisons\": " + std::to_string(rebuild.comparisons) +
         ",\n  \"comparisons_already_there\": " + std::to_string(rebuild.comparisons_already_there) +
         ",\n  \"kept_counts\": " + std::to_string(rebuild.kept_counts) + ",\n  \"bad\": " + json_list(bad) + "\n}\n";
}

// Schema steelyard.derived/1.
std::string json_derived(const storage::Derived& derived) {
  return "{\n  \"schema\": \"steelyard.derived/1\",\n  \"alerts\": " + std::to_string(derived.alerts) +
         ",\n  \"branches\": " + std::to_string(derived.branches) +
         ",\n  \"measurements\": " + std::to_string(derived.measurements) +
         ",\n  \"changed_values\": " + std::to_string(derived.changed_values) +
         ",\n  \"changed_points\": " + std::to_string(derived.changed_points) + "\n}\n";
}

Result<ExitCode> stop(const Configuration& configuration, const App& app) {
  STEELYARD_TRY(const storage::StoreAddress address, store_address(configuration));
  if (!address.embedded) {
    return input_error("steelyard db stop", address.safe_text(), "the embedded store",
                       "a server is stopped by whoever runs it");
  }
  STEELYARD_TRY(const bool stopped, storage::stop_embedded(storage::state_folder()));
  app.note(stopped ? "the embedded store is stopped; it starts again when it is needed"
                   : "the embedded store did not run");
  return ExitCode::success;
}

// What db migrate does besides opening the store. A login that is not the schema's owner leaves it to who is.
Result<void> migrate_store(const Configuration& configuration, const App& app) {
  STEELYARD_TRY(storage::Store store, open_store(configuration, app));
  ProgressLine progress = app.progress();
  const Result<storage::ClosedPartitions> closed = storage::Upkeep(store).close_partitions(
      [&progress](double part) { progress.show("partitions", part, Nanoseconds()); });
  progress.clear();
  if (!closed) return closed.error();
  if (closed->partitions > 0) {
    app.note(grouped_text(closed->partitions) +
             (closed->partitions == 1 ? " partition that gets" : " partitions that get") + " no more rows closed: " +
             to_text(Bytes(closed->bytes_before)) + " before, " + to_text(Bytes(closed->bytes_after)) + " now");
  }
  if (closed->packed > 0) {
    app.note(grouped_text(closed->packed) + " measurements of an older steelyard packed");
  }
  return {};
}

// Opening the store starts the embedded cluster and brings the schema up to date: that is init and migrate.
Result<ExitCode> show_status(const Configuration& configuration, const App& app) {
  STEELYARD_TRY(storage::Store store, open_store(configuration, app));
  STEELYARD_TRY(const storage::StoreStatus status, storage::Upkeep(store).status());
  STEELYARD_TRY(const storage::StoreUpkeep upkeep, storage::Upkeep(store).report());
  app.print(app.common.json ? json_status(status, upkeep)
                            : terminal_status(status, app.style()) + terminal_upkeep(upkeep));
  if (!app.common.json) {
    for (const std::string& text : status.notes) app.note("note: " + text);
    for (const std::string& text : upkeep_advice(upkeep)) app.note("to do: " + text);
  }
  return ExitCode::success;
}

std::string counted_text(std::int64_t count, const std::string& one, std::int64_t already_there) {
  return plural_text(count, one) + ", " + plural_text(already_there, "was", "were") + " there already, ";
}

std::string rebuild_text(const storage::Rebuild& done) {
  std::string text = counted_text(done.runs, "run", done.already_there);
  if (done.comparisons > 0) text += counted_text(done.comparisons, "comparison", done.comparisons_already_there);
  if (done.kept_counts > 0) text += plural_text(done.kept_counts, "kept count") + " passed over, ";
  return text + std::to_string(done.bad.size()) + " could not be read\n";
}

// Nothing was ever delivered: there is nothing to bring back. A folder that the user names is to be there.
bool is_to_be_read(const DbOptions& options, const std::filesystem::path& folder) {
  std::error_code trouble;
  return !options.from.empty() || std::filesystem::exists(folder, trouble) || trouble;
}

Result<storage::Rebuild> refill(const DbOptions& options, const std::filesystem::path& runs,
                                const std::filesystem::path& comparisons, storage::Store& store, const App& app) {
  ProgressLine progress = app.progress();
  storage::Rebuild done;
  const storage::Spool::Destination to = storage::destination(store);
  if (is_to_be_read(options, runs)) {
    STEELYARD_TRY(done, storage::rebuild_from_archives(runs, to.put_run, [&progress](double part) {
                    progress.show("archives", part, Nanoseconds());
                  }));
  }
  if (is_to_be_read(options, comparisons))
    STEELYARD_CHECK(storage::rebuild_comparisons(comparisons, to.put_comparison, done));
  return done;
}

Result<ExitCode> rebuild(const DbOptions& options, const Configuration& configuration, const App& app) {
  STEELYARD_TRY(storage::Store store, open_store(configuration, app));
  const storage::Spool spool(storage::state_folder());
  const std::filesystem::path folder = options.from.empty() ? spool.delivered_folder() : options.from;
  const std::filesystem::path comparisons = options.from.empty() ? spool.delivered_comparisons() : options.from;
  STEELYARD_TRY(const storage::Rebuild done, refill(options, folder, comparisons, store, app));
  for (const Error& bad : done.bad) app.report(bad);
  app.print(app.common.json ? json_rebuild(done, folder) : rebuild_text(done));
  return done.bad.empty() ? ExitCode::success : ExitCode::bad_input;
}

Result<ExitCode> rebuild_derived(const Configuration& configuration, const App& app) {
  STEELYARD_TRY(storage::Store store, open_store(configuration, app));
  STEELYARD_TRY(const storage::Derived done, storage::Upkeep(store).rebuild_derived());
  app.print(app.common.json ? json_derived(done)
                            : std::to_string(done.alerts) + " alerts derived again, " + std::to_string(done.branches) +
                                  " branches put in order, " + std::to_string(done.measurements) +
                                  " values looked at, " + std::to_string(done.changed_values) + " of them changed, " +
                                  std::to_string(done.changed_points) + " change points put right\n");
  return ExitCode::success;
}

Result<ExitCode> run_db(const DbOptions& options, const App& app) {
  STEELYARD_TRY(const Configuration configuration, effective_configuration(app));
  switch (options.action) {
    case DbOptions::Action::stop:
      return stop(configuration, app);
    case DbOptions::Action::rebuild:
      return options.derived ? rebuild_derived(configuration, app) : rebuild(options, configuration, app);
    case DbOptions::Action::prune:
      return prune_store(options, configuration, app);
    case DbOptions::Action::backup:
      return back_store_up(options, configuration, app);
    case DbOptions::Action::restore:
      return restore_from_backup(options, configuration, app);
    case DbOptions::Action::grant:
      return grant_access(options, configuration, app);
    case DbOptions::Action::shell:
      return open_shell(options, configuration, app);
    case DbOptions::Action::distribute:
      return distribute_store(options, configuration, app);
    case DbOptions::Action::migrate:
      if (options.dry_run) return show_upgrade(configuration, app);
      STEELYARD_CHECK(migrate_store(configuration, app));
      return show_status(configuration, app);
    case DbOptions::Action::init:
    case DbOptions::Action::status:
      break;
  }
  return show_status(configuration, app);
}

Result<void> check_db(const DbOptions& db, const CommonOptions& common, const std::string& action) {
  using DbAction = DbOptions::Action;
  const bool takes_folder = db.action == DbAction::backup || db.action == DbAction::restore;
  const std::string where = "steelyard db " + action;
  if (db.action == DbAction::grant && db.access.login.empty() && !db.list) {
    return input_error(where, "no login", "LOGIN, a role of the store's server, or --list");
  }
  const bool has_grant = db.revoke || db.list || db.access.some_projects;
  if (has_grant && db.action != DbAction::grant) {
    return input_error("--project, --revoke and --list", where, "steelyard db grant");
  }
  const bool takes_owner = db.action == DbAction::shell && db.access.access == storage::Access::owner;
  if (db.is_access_named && db.action != DbAction::grant && !takes_owner) {
    return input_error("--as", where, "steelyard db grant, or steelyard db shell --as owner");
  }
  if (takes_folder && db.folder.empty()) return input_error(where, "no folder", "the one of the backup");
  if (!takes_folder && !db.folder.empty()) return input_error(where, db.folder.string(), "options only");
  if (!db.from.empty() && db.action != DbAction::rebuild) return input_error("--from", where, "steelyard db rebuild");
  if (db.derived && db.action != DbAction::rebuild) return input_error("--derived", where, "steelyard db rebuild");
  if (db.derived && !db.from.empty()) return input_error("--derived", "--from", "one of them");
  const bool may_be_dry =
      db.action == DbAction::prune || db.action == DbAction::migrate || db.action == DbAction::distribute;
  if (db.dry_run && !may_be_dry) return input_error("--dry-run", where, "steelyard db prune, migrate or distribute");
  const bool has_nodes = !db.distribute.workers.empty() || !db.distribute.coordinator.empty();
  if (has_nodes && db.action != DbAction::distribute) {
    return input_error("--workers and --coordinator", where, "steelyard db distribute");
  }
  if (db.archives && db.action != DbAction::prune) return input_error("--archives", where, "steelyard db prune");
  if (!db.runs.empty() && db.action != DbAction::prune) return input_error("--run", where, "steelyard db prune");
  for (const Override& change : common.overrides) {
    if (change.key->section == "retention" && db.action != DbAction::prune) {
      return input_error(std::string(change.key->option), where, "steelyard db prune");
    }
    if (change.key->section == "retention" && !db.runs.empty()) {
      return input_error(std::string(change.key->option), "--run as well", "one of them");
    }
  }
  return {};
}

void add_access_options(Verb& verb, DbOptions& db) {
  const auto set_access = [&db](const std::string& text) -> Result<void> {
    STEELYARD_TRY(const std::size_t word, read_word(WrittenValue{text, true}, "--as", {"reader", "writer", "owner"}));
    db.access.access = static_cast<storage::Access>(word);
    db.is_access_named = true;
    return {};
  };
  const auto set_project = [&db](const std::string& text) -> Result<void> {
    db.access.project = text;
    db.access.some_projects = true;
    return {};
  };
  verb.add({"--as", "reader|writer|owner",
            "with grant: what LOGIN may do (default: reader); with shell: owner, the embedded store's superuser",
            kGeneralGroup, false, set_access});
  verb.add({"--project", "NAME", "with grant: of this project only; several are given one by one", kGeneralGroup, false,
            set_project});
  verb.add(flag_option("--revoke", db.revoke, "with grant: take it away"));
  verb.add(flag_option("--list", db.list, "with grant: show who may do what"));
}

void add_distribute_options(Verb& verb, DbOptions& db) {
  verb.add(number_option("--shards", db.distribute.shards, "with distribute: of each big table, the first time"));
  verb.add(text_option("--coordinator", "HOST:PORT", db.distribute.coordinator,
                       "with distribute: by which the workers reach the store's server"));
  verb.add(list_option("--workers", "HOST:PORT,...", db.distribute.workers,
                       "with distribute: servers that take shards, the extension in the same database"));
}

}  // namespace

Verb db_verb() {
  const auto options = std::make_shared<DbOptions>();
  Verb verb = make_verb(
      options, run_db, "db",
      "Looks after the store. ACTION: init, migrate, rebuild, status, stop, prune, backup FOLDER, restore FOLDER, "
      "grant LOGIN, distribute, shell [-- ARGUMENTS of psql]. Rebuild fills a store that was lost or left behind from "
      "the archives of its runs and "
      "the documents of its comparisons, which stay in the state folder; running it twice changes nothing. Prune "
      "drops what [retention] or its options say, or the runs that --run names. Restore fills an empty store and says "
      "so only where every table is "
      "what it was. Grant lets LOGIN, a role of the store's server, read or write (docs/operations/access.md). "
      "Distribute lays the store on several servers (docs/operations/scale.md). Shell opens psql on the store, the "
      "embedded one as a writer unless --as owner is given, or says how to reach it where there is no psql; questions "
      "to ask: docs/reference/queries.md.",
      "  steelyard db status\n"
      "  steelyard db migrate --dry-run\n"
      "  steelyard db rebuild --from /backup/steelyard/runs\n"
      "  steelyard db prune --keep-samples 6months --dry-run\n"
      "  steelyard db prune --run 3f2a91c04b7e --dry-run\n"
      "  steelyard db backup /backup/steelyard/monday\n"
      "  steelyard db grant anna --as reader --project shop\n"
      "  steelyard db shell -- -c \"select * from steelyard.alerts\"\n"
      "  steelyard db distribute --coordinator db0:5432 --workers db1:5432,db2:5432");
  verb.names = {"ACTION", "[NAME]"};
  verb.min_names = 1;
  verb.takes_rest = true;
  verb.first_names = {"init",   "migrate", "rebuild", "status",     "stop", "prune",
                      "backup", "restore", "grant",   "distribute", "shell"};
  verb.take = [options, common = verb.common, actions = verb.first_names](Words words) -> Result<void> {
    STEELYARD_TRY(const std::size_t index, read_word(WrittenValue{words.names[0], true}, "steelyard db", actions));
    options->action = static_cast<DbOptions::Action>(index);
    const bool grants = options->action == DbOptions::Action::grant;
    if (words.names.size() > 1 && grants) options->access.login = words.names[1];
    if (words.names.size() > 1 && !grants) options->folder = words.names[1];
    options->arguments = std::move(words.rest);
    if (!options->arguments.empty() && options->action != DbOptions::Action::shell) {
      return input_error("steelyard db " + words.names[0], "arguments behind --", "them with steelyard db shell only");
    }
    return check_db(*options, *common, words.names[0]);
  };
  verb.add(path_option("--from", "FOLDER", options->from,
                       "with rebuild: of archives and comparisons (default: the state folder's)"));
  verb.add(flag_option("--derived", options->derived,
                       "with rebuild: what is derived from stored rows, in place, and no archives"));
  verb.add(flag_option("--dry-run", options->dry_run,
                       "with prune, migrate and distribute: say what would be done, do nothing"));
  verb.add(flag_option("--archives", options->archives,
                       "with prune: the archives in the state folder as well, as old as samples, or of the runs that "
                       "--run names"));
  verb.add(repeated_option("--run", "ID", options->runs,
                           "with prune: this run and the comparisons that it is a side of, and nothing else; may be "
                           "repeated"));
  add_access_options(verb, *options);
  add_distribute_options(verb, *options);
  add_key_options(verb, {{"store", "retention"}});
  add_common_options(verb);
  return verb;
}

}  // namespace steelyard::ci

#include <string>
#include <utility>
#include <vector>

#include "ci/cli/verb_options.hpp"
#include "ci/cli/verb_rows.hpp"

namespace steelyard {
namespace {

using Words = std::vector<std::string>;

Result<void> check_db(const DbOptions& db, const std::string& action) {
  using Action = DbOptions::Action;
  const bool takes_folder = db.action == Action::backup || db.action == Action::restore;
  const std::string where = "steelyard db " + action;
  if (db.action == Action::grant && db.grant.access.login.empty() && !db.grant.list) {
    return input_error(where, "no login", "LOGIN, a role of the store's server, or --list");
  }
  const bool has_grant = db.grant.revoke || db.grant.list || db.grant.access.some_projects;
  if (has_grant && db.action != Action::grant) {
    return input_error("--project, --revoke and --list", where, "steelyard db grant");
  }
  if (takes_folder && db.folder.empty()) return input_error(where, "no folder", "the one of the backup");
  if (!takes_folder && !db.folder.empty()) return input_error(where, db.folder.string(), "options only");
  if (!db.from.empty() && db.action != Action::rebuild) return input_error("--from", where, "steelyard db rebuild");
  if (db.derived && db.action != Action::rebuild) return input_error("--derived", where, "steelyard db rebuild");
  if (db.derived && !db.from.empty()) return input_error("--derived", "--from", "one of them");
  const bool may_be_dry = db.action == Action::prune || db.action == Action::migrate || db.action == Action::distribute;
  if (db.dry_run && !may_be_dry) return input_error("--dry-run", where, "steelyard db prune, migrate or distribute");
  const bool has_nodes = !db.distribute.workers.empty() || !db.distribute.coordinator.empty();
  if (has_nodes && db.action != Action::distribute) {
    return input_error("--workers and --coordinator", where, "steelyard db distribute");
  }
  if (db.archives && db.action != Action::prune) return input_error("--archives", where, "steelyard db prune");
  for (const Override& change : db.common.overrides) {
    if (change.key->section == "retention" && db.action != Action::prune) {
      return input_error(std::string(change.key->option), where, "steelyard db prune");
    }
  }
  return {};
}

void add_access_options(Verb& verb, DbOptions& db) {
  const auto set_access = [&db](const std::string& text) -> Result<void> {
    STEELYARD_TRY(const std::size_t word, read_word(WrittenValue{text, true}, "--as", {"reader", "writer", "owner"}));
    db.grant.access.access = static_cast<Access>(word);
    return {};
  };
  const auto set_project = [&db](const std::string& text) -> Result<void> {
    db.grant.access.project = text;
    db.grant.access.some_projects = true;
    return {};
  };
  verb.options.push_back({"--as", "reader|writer|owner", "with grant: what LOGIN may do (default: reader)",
                          kGeneralGroup, false, set_access});
  verb.options.push_back({"--project", "NAME", "with grant: of this project only; several are given one by one",
                          kGeneralGroup, false, set_project});
  verb.options.push_back(flag_option("--revoke", db.grant.revoke, "with grant: take it away"));
  verb.options.push_back(flag_option("--list", db.grant.list, "with grant: show who may do what"));
}

void add_distribute_options(Verb& verb, DbOptions& db) {
  verb.options.push_back(
      number_option("--shards", db.distribute.shards, "with distribute: of each big table, the first time"));
  verb.options.push_back(text_option("--coordinator", "HOST:PORT", db.distribute.coordinator,
                                     "with distribute: by which the workers reach the store's server"));
  verb.options.push_back(list_option("--workers", "HOST:PORT,...", db.distribute.workers,
                                     "with distribute: servers that take shards, the extension in the same database"));
}

}  // namespace

std::unique_ptr<Verb> make_config() {
  auto verb = make_verb<ConfigOptions>("config",
                                       "Shows the configuration in force, or checks a steelyard.toml. ACTION: show, "
                                       "check. FILE: in place of the one that "
                                       "is found from here.",
                                       "  steelyard config check");
  auto& config = options_of<ConfigOptions>(verb);
  verb->names = {"[ACTION]", "[FILE]"};
  verb->finish = [&config](Words given, Words) -> Result<void> {
    if (given.size() > 1) config.file = given[1];
    if (given.empty()) return {};
    STEELYARD_TRY(const std::size_t index,
                  read_word(WrittenValue{given[0], true}, "steelyard config", {"show", "check"}));
    config.action = static_cast<ConfigOptions::Action>(index);
    return {};
  };
  add_key_options(*verb, config.common, {{"store", "project"}, {}});
  add_common_options(*verb, config.common);
  return verb;
}

std::unique_ptr<Verb> make_db() {
  auto verb = make_verb<DbOptions>(
      "db",
      "Looks after the store. ACTION: init, migrate, rebuild, status, stop, prune, backup FOLDER, restore FOLDER, "
      "grant LOGIN, distribute. Rebuild fills a store that was lost or left behind from the archives of its runs and "
      "the documents of its comparisons, which stay in the state folder; running it twice changes nothing. Prune "
      "drops what [retention] or its options say. Restore fills an empty store and says so only where every table is "
      "what it was. Grant lets LOGIN, a role of the store's server, read or write (docs/operations/access.md). "
      "Distribute lays the store on several servers (docs/operations/scale.md).",
      "  steelyard db status\n"
      "  steelyard db migrate --dry-run\n"
      "  steelyard db rebuild --from /backup/steelyard/runs\n"
      "  steelyard db prune --keep-samples 6months --dry-run\n"
      "  steelyard db backup /backup/steelyard/monday\n"
      "  steelyard db grant anna --as reader --project shop\n"
      "  steelyard db distribute --coordinator db0:5432 --workers db1:5432,db2:5432");
  auto& db = options_of<DbOptions>(verb);
  verb->names = {"ACTION", "[NAME]"};
  verb->least_names = 1;
  verb->finish = [&db](Words given, Words) -> Result<void> {
    STEELYARD_TRY(const std::size_t index, read_word(WrittenValue{given[0], true}, "steelyard db",
                                                     {"init", "migrate", "rebuild", "status", "stop", "prune", "backup",
                                                      "restore", "grant", "distribute"}));
    db.action = static_cast<DbOptions::Action>(index);
    const bool grants = db.action == DbOptions::Action::grant;
    if (given.size() > 1 && grants) db.grant.access.login = given[1];
    if (given.size() > 1 && !grants) db.folder = given[1];
    return check_db(db, given[0]);
  };
  verb->options.push_back(
      path_option("--from", "FOLDER", db.from, "with rebuild: of the archives (default: runs in the state folder)"));
  verb->options.push_back(flag_option("--derived", db.derived,
                                      "with rebuild: what is derived from stored rows, in place, and no archives"));
  verb->options.push_back(
      flag_option("--dry-run", db.dry_run, "with prune, migrate and distribute: say what would be done, do nothing"));
  verb->options.push_back(flag_option("--archives", db.archives,
                                      "with prune: the archives in the state folder as well, as old as samples"));
  add_access_options(*verb, db);
  add_distribute_options(*verb, db);
  add_key_options(*verb, db.common, {{"store", "retention"}, {}});
  add_common_options(*verb, db.common);
  return verb;
}

std::unique_ptr<Verb> make_doctor() {
  auto verb = make_verb<DoctorOptions>(
      "doctor",
      "Says what hurts timings on this machine, worst first, each with its mend, and whether PROGRAM was built to be "
      "timed. With --fix, mends what can be undone while a command runs, and sets it back, also after Ctrl-C and kill.",
      "  steelyard doctor ./build/bench\n"
      "  sudo steelyard doctor --fix -- steelyard ab ./build-old/bench ./build-new/bench");
  auto& doctor = options_of<DoctorOptions>(verb);
  verb->names = {"[PROGRAM]"};
  verb->takes_rest = true;
  verb->finish = [&doctor](Words given, Words rest) -> Result<void> {
    if (!given.empty()) doctor.program = std::move(given[0]);
    doctor.command = std::move(rest);
    return {};
  };
  verb->options.push_back(
      flag_option("--fix", doctor.fix, "mend while the command after -- runs; its exit status is ours"));
  verb->options.push_back(
      flag_option("--fixed-addresses", doctor.fixed_addresses, "with --fix: run it without address randomization"));
  verb->options.push_back(flag_option("--restore", doctor.restore, "set back what a killed --fix left changed"));
  verb->options.push_back(flag_option("--strict", doctor.strict, "exit with 1 where something severe was found"));
  verb->options.push_back(
      flag_option("--no-probe", doctor.no_probe, "do not time a loop for a second; read files only"));
  verb->options.push_back(
      path_option("--root", "FOLDER", doctor.root, "a copied tree of /proc and /sys, in place of this machine's"));
  add_common_options(*verb, doctor.common);
  return verb;
}

}  // namespace steelyard

// steelyard alerts: what got worse, what became of it, and what people say of it.
#include <chrono>
#include <filesystem>
#include <memory>
#include <string_view>

#include "bench/model/benchmark_id.hpp"
#include "ci/app/keeping.hpp"
#include "ci/app/settings.hpp"
#include "ci/git/repository.hpp"
#include "ci/grammar/verb.hpp"
#include "ci/report/history.hpp"
#include "storage/alert_store.hpp"
#include "storage/history_store.hpp"

namespace steelyard::ci {
namespace {

struct AlertsOptions {
  enum class Action { list, show, acknowledge, accept, resolve, reopen };
  Action action = Action::list;
  std::string alert;  // id or its beginning; with list: empty
  // With list:
  std::string branch;
  std::string benchmark;  // a part of the name
  bool resolved_too = false;
  int limit = 200;
  // With what is done to one:
  std::string commit;  // accept: by which
  std::string note;
  std::string who;  // empty: the login name
};
using Action = AlertsOptions::Action;

constexpr std::size_t kShortestCommit = 7;
constexpr std::size_t kLongestCommit = 64;
constexpr std::size_t kLongestNote = 2000;

// In a repository what git says it means; elsewhere it has to be a hash.
Result<std::string> named_commit(const std::string& name) {
  std::string sha = commit_named_here(name);
  const bool is_hash = sha.size() >= kShortestCommit && sha.size() <= kLongestCommit &&
                       sha.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (is_hash) return sha;
  return input_error("--commit", '"' + name + '"', "a commit of this folder's repository, or its hash");
}

Result<std::vector<storage::Alert>> chosen(storage::Store& store, const AlertsOptions& options,
                                           const Configuration& configuration) {
  if (options.action == Action::list) {
    storage::AlertQuery query;
    STEELYARD_TRY(query.project, project_in_store(store, configuration));
    query.branch = options.branch;
    query.benchmark = canonical_as_typed(options.benchmark);
    query.resolved_too = options.resolved_too;
    query.limit = options.limit;
    return storage::AlertStore(store).list(query);
  }
  storage::AlertQuery one;  // of whatever project
  one.id = options.alert;
  one.resolved_too = true;
  one.limit = 2;
  STEELYARD_TRY(std::vector<storage::Alert> found, storage::AlertStore(store).list(one));
  if (found.size() == 1) return found;
  return input_error("alert:" + options.alert, found.empty() ? "no such alert" : "several alerts", "one alert",
                     found.empty() ? "`steelyard alerts --all` shows what there is" : "write more of its id");
}

storage::AlertAct::Kind kind_of(Action action) {
  switch (action) {
    case Action::accept:
      return storage::AlertAct::Kind::accept;
    case Action::resolve:
      return storage::AlertAct::Kind::resolve;
    case Action::reopen:
      return storage::AlertAct::Kind::reopen;
    default:
      return storage::AlertAct::Kind::acknowledge;
  }
}

Result<std::vector<storage::Alert>> act(storage::Store& store, const AlertsOptions& options) {
  if (options.note.size() > kLongestNote) {
    return input_error("--note", std::to_string(options.note.size()) + " bytes",
                       "at most " + std::to_string(kLongestNote));
  }
  storage::AlertAct act;
  act.kind = kind_of(options.action);
  act.alert = options.alert;
  act.who = person_or_login(options.who);
  act.note = options.note;
  if (!options.commit.empty()) {
    STEELYARD_TRY(act.commit, named_commit(options.commit));
  }
  act.at_unix_ns =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  STEELYARD_TRY(storage::Alert after, storage::AlertStore(store).act(act));
  return std::vector<storage::Alert>{std::move(after)};
}

// What `changes` took for the machine's: nobody is alarmed by it, and nobody should have to guess that it is there.
Result<std::vector<storage::KeptChangePoint>> aside_of(storage::Store& store, const AlertsOptions& options,
                                                       const Configuration& configuration) {
  if (options.action != Action::list) return std::vector<storage::KeptChangePoint>{};
  STEELYARD_TRY(const std::string project, project_in_store(store, configuration));
  STEELYARD_TRY(std::vector<storage::KeptChangePoint> kept,
                storage::HistoryStore(store).change_points(project, options.branch));
  const std::string part = canonical_as_typed(options.benchmark);
  std::erase_if(kept,
                [&](const storage::KeptChangePoint& one) { return one.benchmark.find(part) == one.benchmark.npos; });
  return set_aside(kept);
}

Result<ExitCode> run_alerts(const AlertsOptions& options, const App& app) {
  STEELYARD_TRY(const Configuration configuration, effective_configuration(app));
  STEELYARD_TRY(storage::Store store, open_store(configuration, app));
  const bool reads = options.action == Action::list || options.action == Action::show;
  STEELYARD_TRY(const std::vector<storage::Alert> alerts,
                reads ? chosen(store, options, configuration) : act(store, options));
  STEELYARD_TRY(const std::vector<storage::KeptChangePoint> aside, aside_of(store, options, configuration));
  app.print(app.common.json                  ? json_alerts(alerts, aside)
            : options.action == Action::list ? terminal_alerts(alerts, aside, app.style())
                                             : terminal_alert(alerts.front(), app.style()));
  return ExitCode::success;
}

Result<void> check_alerts(const AlertsOptions& alerts) {
  const bool lists = alerts.action == Action::list;
  const bool acts = !lists && alerts.action != Action::show;
  const std::string where = "steelyard alerts";
  if (lists != alerts.alert.empty()) {
    return input_error(where, lists ? '"' + alerts.alert + '"' : "no ID", lists ? "list alone" : "the id of an alert",
                       lists ? "" : "`steelyard alerts` shows them");
  }
  if (!lists && (alerts.resolved_too || !alerts.branch.empty() || !alerts.benchmark.empty())) {
    return input_error(where, alerts.resolved_too ? "--all" : "--branch or --benchmark", "them with list only");
  }
  if (!acts && (!alerts.note.empty() || !alerts.who.empty())) {
    return input_error(where, alerts.note.empty() ? "--who" : "--note", "it with what is done to an alert");
  }
  if ((alerts.action == Action::accept) == alerts.commit.empty()) {
    return alerts.commit.empty()
               ? input_error("steelyard alerts accept", "no --commit", "the commit that accepts it", "--commit HEAD")
               : input_error("--commit", "it without accept", "steelyard alerts accept");
  }
  return {};
}

}  // namespace

Verb alerts_verb() {
  const auto options = std::make_shared<AlertsOptions>();
  Verb verb = make_verb(
      options, run_alerts, "alerts",
      "Shows what got worse and what became of it, and keeps what people say of it. ACTION: list, show, acknowledge, "
      "accept (by a commit that is named), resolve, reopen. ID: of an alert, or its first 6 characters.",
      "  steelyard alerts\n"
      "  steelyard alerts accept 3f9c2a81d0b7 --commit HEAD --note \"the checks cost that\"");
  verb.names = {"[ACTION]", "[ID]"};
  verb.take = [options](Words words) -> Result<void> {
    if (!words.names.empty()) {
      STEELYARD_TRY(const std::size_t index, read_word(WrittenValue{words.names[0], true}, "steelyard alerts",
                                                       {"list", "show", "acknowledge", "accept", "resolve", "reopen"}));
      options->action = static_cast<Action>(index);
    }
    if (words.names.size() > 1) options->alert = std::move(words.names[1]);
    return check_alerts(*options);
  };
  verb.add(flag_option("--all", options->resolved_too, "with list: those that are resolved as well"));
  verb.add(text_option("--branch", "NAME", options->branch, "with list: of this branch only"));
  verb.add(text_option("--benchmark", "PART", options->benchmark, "with list: whose name contains it"));
  verb.add(number_option("--limit", options->limit, "with list: so many, newest first (default: 200)"));
  verb.add(text_option("--commit", "COMMIT", options->commit, "with accept: that accepts it"));
  verb.add(text_option("--note", "TEXT", options->note, "why; kept with what is done"));
  verb.add(
      text_option("--who", "NAME", options->who, "who does it (default: the CI system's user, else the login name)"));
  add_key_options(verb, {{"store", "project"}});
  add_common_options(verb);
  return verb;
}

}  // namespace steelyard::ci

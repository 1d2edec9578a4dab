#include <chrono>
#include <filesystem>
#include <ostream>
#include <string_view>

#include "ci/app/keeping.hpp"
#include "ci/app/messages.hpp"
#include "ci/app/person.hpp"
#include "ci/app/settings.hpp"
#include "ci/git/repository.hpp"
#include "ci/report/alerts_report.hpp"
#include "ci/verbs/verbs.hpp"

namespace steelyard {
namespace {

using Action = AlertsOptions::Action;

constexpr std::size_t kShortestCommit = 7;
constexpr std::size_t kLongestCommit = 64;
constexpr std::size_t kLongestNote = 2000;

// In a repository what git says it means; elsewhere it has to be a hash.
Result<std::string> named_commit(const std::string& name) {
  std::error_code ignored;
  const auto repository = GitRepository::find(std::filesystem::current_path(ignored));
  if (repository) {
    if (auto sha = repository->resolve(name)) return sha;
  }
  const bool is_hash = name.size() >= kShortestCommit && name.size() <= kLongestCommit &&
                       name.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (is_hash) return name;
  return input_error("--commit", '"' + name + '"', repository ? "a commit of this repository" : "the hash of a commit");
}

Result<std::vector<Alert>> chosen(Store& store, const AlertsOptions& options, const Configuration& configuration) {
  AlertQuery query;
  query.project = configuration.project;  // only where it is named; a folder's name is no reason to hide alerts
  query.branch = options.branch;
  query.benchmark = options.benchmark;
  query.resolved_too = options.resolved_too;
  query.limit = options.limit;
  if (options.action == Action::list) return store.alerts(query);
  AlertQuery one;
  one.id = options.alert;
  one.resolved_too = true;
  one.limit = 2;
  STEELYARD_TRY(std::vector<Alert> found, store.alerts(one));
  if (found.size() == 1) return found;
  return input_error("alert:" + options.alert, found.empty() ? "no such alert" : "several alerts", "one alert",
                     found.empty() ? "`steelyard alerts --all` shows what there is" : "write more of its id");
}

AlertAct::Kind kind_of(Action action) {
  switch (action) {
    case Action::accept:
      return AlertAct::Kind::accept;
    case Action::resolve:
      return AlertAct::Kind::resolve;
    case Action::reopen:
      return AlertAct::Kind::reopen;
    default:
      return AlertAct::Kind::acknowledge;
  }
}

Result<std::vector<Alert>> act(Store& store, const AlertsOptions& options) {
  if (options.note.size() > kLongestNote) {
    return input_error("--note", std::to_string(options.note.size()) + " bytes",
                       "at most " + std::to_string(kLongestNote));
  }
  AlertAct act;
  act.kind = kind_of(options.action);
  act.alert = options.alert;
  act.who = person_or_login(options.who);
  act.note = options.note;
  if (!options.commit.empty()) {
    STEELYARD_TRY(act.commit, named_commit(options.commit));
  }
  act.at_unix_ns =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  STEELYARD_TRY(Alert after, store.act_on_alert(act));
  return std::vector<Alert>{std::move(after)};
}

}  // namespace

ExitCode do_alerts(const AlertsOptions& options, Streams& streams) {
  const Result<Configuration> configuration = effective_configuration(options.common);
  if (!configuration) return report_error(configuration.error(), streams);
  Result<Store> store = open_store(*configuration, options.common, streams);
  if (!store) return report_error(store.error(), streams);
  const bool reads = options.action == Action::list || options.action == Action::show;
  const Result<std::vector<Alert>> alerts = reads ? chosen(*store, options, *configuration) : act(*store, options);
  if (!alerts) return report_error(alerts.error(), streams);
  const TerminalStyle style = terminal_style(streams, options.common.color);
  if (options.common.json) {
    streams.out << json_alerts(*alerts) << std::flush;
  } else {
    streams.out << (options.action == Action::list ? terminal_alerts(*alerts, style)
                                                   : terminal_alert(alerts->front(), style))
                << std::flush;
  }
  return ExitCode::success;
}

}  // namespace steelyard

#include <string>
#include <utility>
#include <vector>

#include "ci/grammar/verb_options.hpp"
#include "ci/verbs/verb_rows.hpp"

namespace steelyard {
namespace {

using Words = std::vector<std::string>;
using Action = AlertsOptions::Action;

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

std::unique_ptr<Verb> make_alerts() {
  auto verb = make_verb<AlertsOptions>(
      "alerts",
      "Shows what got worse and what became of it, and keeps what people say of it. ACTION: list, show, acknowledge, "
      "accept (by a commit that is named), resolve, reopen. ID: of an alert, or its first 6 characters.",
      "  steelyard alerts\n"
      "  steelyard alerts accept 3f9c2a81d0b7 --commit HEAD --note \"the checks cost that\"");
  auto& alerts = options_of<AlertsOptions>(verb);
  verb->names = {"[ACTION]", "[ID]"};
  verb->finish = [&alerts](Words given, Words) -> Result<void> {
    if (!given.empty()) {
      STEELYARD_TRY(const std::size_t index, read_word(WrittenValue{given[0], true}, "steelyard alerts",
                                                       {"list", "show", "acknowledge", "accept", "resolve", "reopen"}));
      alerts.action = static_cast<Action>(index);
    }
    if (given.size() > 1) alerts.alert = std::move(given[1]);
    return check_alerts(alerts);
  };
  verb->options.push_back(flag_option("--all", alerts.resolved_too, "with list: those that are resolved as well"));
  verb->options.push_back(text_option("--branch", "NAME", alerts.branch, "with list: of this branch only"));
  verb->options.push_back(text_option("--benchmark", "PART", alerts.benchmark, "with list: whose name contains it"));
  verb->options.push_back(number_option("--limit", alerts.limit, "with list: so many, newest first (default: 200)"));
  verb->options.push_back(text_option("--commit", "COMMIT", alerts.commit, "with accept: that accepts it"));
  verb->options.push_back(text_option("--note", "TEXT", alerts.note, "why; kept with what is done"));
  verb->options.push_back(
      text_option("--who", "NAME", alerts.who, "who does it (default: the CI system's user, else the login name)"));
  add_key_options(*verb, alerts.common, {{"store", "project"}, {}});
  add_common_options(*verb, alerts.common);
  return verb;
}

}  // namespace steelyard

// What is open on top; a state is told with who brought it about and when.
#include "ci/report/alerts.hpp"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "ci/report/comparison_text.hpp"
#include "ci/report/markup.hpp"

namespace steelyard::ci {
namespace {

Tone alert_tone(storage::AlertState state) {
  switch (state) {
    case storage::AlertState::open:
    case storage::AlertState::reopened:
      return Tone::bad;
    case storage::AlertState::acknowledged:
      return Tone::doubtful;
    case storage::AlertState::accepted:
      return Tone::dim;
    case storage::AlertState::resolved:
      break;
  }
  return Tone::good;
}

// "comparison:0123..." in full is for programs.
std::string by_text(const std::string& by) {
  constexpr std::string_view kComparison = "comparison:";
  return by.starts_with(kComparison) ? by.substr(0, kComparison.size() + kShownAlertCharacters) : by;
}

std::string alert_change_text(const storage::Alert& alert) {
  if (alert.verdict != "regression") return alert.verdict;
  std::string text = alert.ratio ? change_text(*alert.ratio) : alert.verdict;
  if (tells_levels(alert)) {
    text += "  (" + level_text(*alert.baseline, alert.unit) + " to " + level_text(*alert.candidate, alert.unit) + ')';
  }
  return text;
}

// Whose values it is of; empty: a comparison's, which may have been measured anywhere.
const std::string& machine_of(const storage::Alert& alert) {
  return alert.subject.fingerprint.empty() ? alert.fingerprint : alert.subject.fingerprint;
}

std::string machine_text(const storage::Alert& alert) {
  return machine_of(alert).empty() ? "" : ", machine " + shown_id(machine_of(alert));
}

bool are_of_several_machines(const std::vector<storage::Alert>& alerts) {
  std::set<std::string_view> machines;
  for (const storage::Alert& alert : alerts) machines.insert(machine_of(alert));
  machines.erase("");
  return machines.size() > 1;
}

std::string subject_text(const storage::Alert& alert, const TerminalStyle& style) {
  const storage::AlertSubject& subject = alert.subject;
  std::string place;
  for (const std::string& part : {subject.project, subject.branch}) {
    if (!part.empty()) place += (place.empty() ? "" : " ") + part;
  }
  return printable(name_as_given(subject.benchmark) + "  " + subject.metric + (place.empty() ? "" : "  on " + place),
                   style.unicode);
}

std::string step_text(const storage::AlertTransition& step, const TerminalStyle& style) {
  std::string text = step.transition + ' ' + time_text(step.at_unix_ns) + " by " + by_text(step.by);
  if (!step.commit.empty()) text += ", commit " + shown_sha(step.commit);
  if (!step.note.empty()) text += ": " + step.note;
  return printable(text, style.unicode);
}

std::string until_text(const storage::Alert& alert) {
  const bool ends = alert.state == storage::AlertState::accepted && !alert.accepted_until.empty();
  return ends ? ", until " + alert.accepted_until : "";
}

std::string assigned_text(const storage::Alert& alert) {
  return alert.assignment ? ", assigned to " + alert.assignment->to : "";
}

Json assignment_json(const std::optional<storage::AlertAssignment>& assignment) {
  if (!assignment) return nullptr;
  return {{"to", assignment->to},
          {"by", assignment->by},
          {"at", time_text(assignment->at_unix_ns)},
          {"note", json_text(assignment->note)}};
}

std::string headline(const storage::Alert& alert, bool names_machine, const TerminalStyle& style) {
  return alert.id.substr(0, kShownAlertCharacters) + "  " +
         paint(padded(storage::to_text(alert.state), 12), alert_tone(alert.state), style.color) + "  " +
         subject_text(alert, style) + (names_machine ? printable(machine_text(alert), style.unicode) : "") + "  " +
         printable(alert_change_text(alert) + until_text(alert) + assigned_text(alert), style.unicode) + '\n';
}

Json alert_json(const storage::Alert& alert) {
  const storage::AlertSubject& subject = alert.subject;
  Json life = Json::array();
  for (const storage::AlertTransition& step : alert.life) {
    life.push_back({{"transition", step.transition},
                    {"at", time_text(step.at_unix_ns)},
                    {"by", step.by},
                    {"commit", json_text(step.commit)},
                    {"note", json_text(step.note)}});
  }
  Json json{{"id", alert.id},
            {"state", storage::to_text(alert.state)},
            {"verdict", alert.verdict},
            {"project", json_text(subject.project)},
            {"branch", json_text(subject.branch)},
            {"benchmark", subject.benchmark},
            {"metric", subject.metric},
            {"unit", json_text(alert.unit)},
            {"fingerprint", json_text(machine_of(alert))},
            {"change_point", json_text(subject.change_point)},
            {"comparison", json_text(alert.comparison)},
            {"commit", json_text(alert.commit)},
            {"baseline", json_number(alert.baseline)},
            {"candidate", json_number(alert.candidate)},
            {"ratio", json_number(alert.ratio)},
            {"accepted_commit", json_text(alert.accepted_commit)},
            {"accepted_until", json_text(alert.accepted_until)},
            {"life", std::move(life)},
            {"assignment", assignment_json(alert.assignment)}};
  if (!alert.other_names.empty()) json["other_names"] = alert.other_names;
  return json;
}

}  // namespace

bool tells_levels(const storage::Alert& alert) {
  if (!alert.baseline || !alert.candidate || alert.unit.empty()) return false;
  if (!alert.ratio) return true;
  const double change = *alert.ratio - 1;
  return std::abs(*alert.candidate / *alert.baseline - 1 - change) <= std::abs(change) / 2;
}

std::vector<storage::KeptChangePoint> blamed_on_the_machine(const std::vector<storage::KeptChangePoint>& kept) {
  std::map<std::tuple<std::string, std::string, std::string, std::string, std::string>, const storage::KeptChangePoint*>
      newest;  // by what makes a series: kept in the order in which they were found
  for (const storage::KeptChangePoint& one : kept) {
    if (!one.gone) newest[{one.project, one.branch, one.benchmark, one.metric, one.fingerprint}] = &one;
  }
  std::vector<storage::KeptChangePoint> aside;
  for (const auto& [series, one] : newest) {
    if (one->regression && one->cause == ChangeCause::machine) aside.push_back(*one);
  }
  return aside;
}

std::string terminal_alerts(const std::vector<storage::Alert>& alerts,
                            const std::vector<storage::KeptChangePoint>& aside, const TerminalStyle& style) {
  std::string text = alerts.empty() ? "no alerts\n" : "";
  const bool names_machine = are_of_several_machines(alerts);
  for (const storage::Alert& alert : alerts) {
    text += headline(alert, names_machine, style);
    text += "              " + paint(step_text(alert.life.back(), style), Tone::dim, style.color) + '\n';
  }
  if (!aside.empty()) {
    text += plural_text(aside.size(), "regression opens", "regressions open") +
            " no alert, as most of the machine's benchmarks moved alike there: `steelyard changes` shows " +
            (aside.size() == 1 ? "it" : "them") + '\n';
  }
  return text;
}

std::string terminal_alert(const storage::Alert& alert, const std::string& search, const TerminalStyle& style) {
  std::string text = headline(alert, true, style);
  for (const storage::AlertTransition& step : alert.life) text += "  " + step_text(step, style) + '\n';
  if (const auto& given = alert.assignment) {
    text += "  " + step_text({"assigned", given->at_unix_ns, given->by, "", given->note}, style) + '\n';
  }
  if (!search.empty()) text += "  find the commit: " + printable(search, style.unicode) + '\n';
  return text;
}

std::string json_alert(const storage::Alert& alert) {
  return alert_json(alert).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string json_alerts(const std::vector<storage::Alert>& alerts, const std::vector<storage::KeptChangePoint>& aside) {
  Json json;
  json["schema"] = "steelyard.alerts/1";
  json["alerts"] = Json::array();
  for (const storage::Alert& alert : alerts) json["alerts"].push_back(alert_json(alert));
  json["set_aside"] = Json::array();
  for (const storage::KeptChangePoint& one : aside) {
    json["set_aside"].push_back({{"project", json_text(one.project)},
                                 {"branch", json_text(one.branch)},
                                 {"benchmark", one.benchmark},
                                 {"metric", one.metric},
                                 {"fingerprint", json_text(one.fingerprint)},
                                 {"commit", json_text(one.commit)},
                                 {"cause", word_of(one.cause)},
                                 {"ratio", json_number(one.ratio)}});
  }
  return json_document(json, 2);
}

}  // namespace steelyard::ci

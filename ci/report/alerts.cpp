// What is open on top; a state is told with who brought it about and when.
#include "ci/report/alerts.hpp"

#include <nlohmann/json.hpp>

#include "ci/app/terminal_text.hpp"
#include "ci/report/json_values.hpp"
#include "bench/model/number_text.hpp"

namespace steelyard {
namespace {

constexpr std::size_t kShownCommitCharacters = 9;

Tone tone_of(AlertState state) {
  switch (state) {
    case AlertState::open:
    case AlertState::reopened:
      return Tone::bad;
    case AlertState::acknowledged:
      return Tone::doubtful;
    case AlertState::accepted:
      return Tone::dim;
    case AlertState::resolved:
      break;
  }
  return Tone::good;
}

// "comparison:0123..." in full is for programs.
std::string by_text(const std::string& by) {
  constexpr std::string_view kComparison = "comparison:";
  return by.starts_with(kComparison) ? by.substr(0, kComparison.size() + kShownAlertCharacters) : by;
}

std::string change_text(const Alert& alert) {
  if (alert.verdict != "regression") return alert.verdict;
  std::string text = alert.ratio ? change_cell(*alert.ratio) : alert.verdict;
  if (alert.baseline && alert.candidate && !alert.unit.empty()) {
    text += "  (" + level_text(*alert.baseline, alert.unit) + " to " + level_text(*alert.candidate, alert.unit) + ')';
  }
  return text;
}

std::string subject_text(const Alert& alert, const TerminalStyle& style) {
  const AlertSubject& subject = alert.subject;
  std::string place;
  for (const std::string& part : {subject.project, subject.branch}) {
    if (!part.empty()) place += (place.empty() ? "" : " ") + part;
  }
  return printable(subject.benchmark + "  " + subject.metric + (place.empty() ? "" : "  on " + place), style.unicode);
}

std::string step_text(const AlertTransition& step, const TerminalStyle& style) {
  std::string text = step.transition + ' ' + time_text(step.at_unix_ns) + " by " + by_text(step.by);
  if (!step.commit.empty()) text += ", commit " + step.commit.substr(0, kShownCommitCharacters);
  if (!step.note.empty()) text += ": " + step.note;
  return printable(text, style.unicode);
}

std::string headline(const Alert& alert, const TerminalStyle& style) {
  return alert.id.substr(0, kShownAlertCharacters) + "  " +
         paint(padded(to_text(alert.state), 12), tone_of(alert.state), style.color) + "  " +
         subject_text(alert, style) + "  " + printable(change_text(alert), style.unicode) + '\n';
}

Json alert_json(const Alert& alert) {
  const AlertSubject& subject = alert.subject;
  Json life = Json::array();
  for (const AlertTransition& step : alert.life) {
    life.push_back({{"transition", step.transition},
                    {"at", time_text(step.at_unix_ns)},
                    {"by", step.by},
                    {"commit", json_text(step.commit)},
                    {"note", json_text(step.note)}});
  }
  return {{"id", alert.id},
          {"state", to_text(alert.state)},
          {"verdict", alert.verdict},
          {"project", json_text(subject.project)},
          {"branch", json_text(subject.branch)},
          {"benchmark", subject.benchmark},
          {"metric", subject.metric},
          {"unit", json_text(alert.unit)},
          {"fingerprint", json_text(subject.fingerprint.empty() ? alert.fingerprint : subject.fingerprint)},
          {"change_point", json_text(subject.change_point)},
          {"comparison", json_text(alert.comparison)},
          {"commit", json_text(alert.commit)},
          {"baseline", json_number(alert.baseline)},
          {"candidate", json_number(alert.candidate)},
          {"ratio", json_number(alert.ratio)},
          {"accepted_commit", json_text(alert.accepted_commit)},
          {"life", std::move(life)}};
}

}  // namespace

std::string terminal_alerts(const std::vector<Alert>& alerts, const TerminalStyle& style) {
  if (alerts.empty()) return "no alerts\n";
  std::string text;
  for (const Alert& alert : alerts) {
    text += headline(alert, style);
    text += "              " + paint(step_text(alert.life.back(), style), Tone::dim, style.color) + '\n';
  }
  return text;
}

std::string terminal_alert(const Alert& alert, const TerminalStyle& style) {
  std::string text = headline(alert, style);
  for (const AlertTransition& step : alert.life) text += "  " + step_text(step, style) + '\n';
  return text;
}

std::string json_alerts(const std::vector<Alert>& alerts) {
  Json json;
  json["schema"] = "steelyard.alerts/1";
  json["alerts"] = Json::array();
  for (const Alert& alert : alerts) json["alerts"].push_back(alert_json(alert));
  return json_document(json, 2);
}

}  // namespace steelyard

#include "ci/report/verification.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ci/app/terminal_text.hpp"
#include "ci/report/json_values.hpp"

namespace steelyard {
namespace {

constexpr std::size_t kMostShown = 20;  // differences; JSON has them all
constexpr std::size_t kIdCharacters = 12;

std::string side_text(const std::string& name, const std::string& run, const std::string& place) {
  const std::string id = run.empty() ? "without an id" : "run:" + run.substr(0, kIdCharacters);
  return "  " + name + "  " + id + ", " + (place.empty() ? "no archive known" : place) + '\n';
}

std::string shown(const std::string& value) { return value.empty() ? "nothing" : value; }

// A comparison may be anybody's file.
std::string printable_lines(const std::string& text, bool unicode) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    result += printable(std::string_view(text).substr(at, end - at), unicode) + '\n';
    at = end + 1;
  }
  return result;
}

Json side_json(const std::string& run, const std::string& place) {
  return {{"run", json_text(run)}, {"place", json_text(place)}};
}

}  // namespace

std::string_view to_text(VerificationOutcome outcome) {
  switch (outcome) {
    case VerificationOutcome::verified:
      return "verified";
    case VerificationOutcome::differs:
      return "differs";
    case VerificationOutcome::not_verified:
      break;
  }
  return "not verified";
}

std::string terminal_verification(const Verification& verification, const TerminalStyle& style) {
  const Replay& replay = verification.replay;
  std::string text = verification.comparison + ": " + std::string(to_text(verification.outcome));
  if (!verification.why.empty()) text += ", " + verification.why;
  text += '\n' + side_text("baseline ", verification.baseline_run, verification.baseline_place);
  text += side_text("candidate", verification.candidate_run, verification.candidate_place);
  text += "  rules      " + verification.rule_version;
  if (!replay.rule_version.empty() && replay.rule_version != verification.rule_version) {
    text += "; this program has " + replay.rule_version;
  }
  text += '\n';
  if (!replay.rule_version.empty()) {
    text += "  compared   " + std::to_string(replay.rows) + (replay.rows == 1 ? " row" : " rows") + ", bit for bit";
    if (replay.untimed > 0) text += "; " + std::to_string(replay.untimed) + " more were decided by counting";
    text += '\n';
  }
  std::string last;
  for (std::size_t i = 0; i < std::min(replay.differences.size(), kMostShown); ++i) {
    const FieldDifference& difference = replay.differences[i];
    const std::string row = difference.benchmark + ' ' + difference.metric;
    if (row != last) text += row + '\n';
    last = row;
    text += "  " + difference.field + ": kept " + shown(difference.kept) + ", computed " +
            shown(difference.recomputed) + '\n';
  }
  if (replay.differences.size() > kMostShown) {
    text += "  and " + std::to_string(replay.differences.size() - kMostShown) + " more\n";
  }
  return printable_lines(text, style.unicode);
}

std::string json_verification(const Verification& verification) {
  Json json;
  json["schema"] = "steelyard.verification/1";
  json["comparison"] = verification.comparison;
  json["outcome"] = to_text(verification.outcome);
  json["why"] = json_text(verification.why);
  json["baseline"] = side_json(verification.baseline_run, verification.baseline_place);
  json["candidate"] = side_json(verification.candidate_run, verification.candidate_place);
  json["rule_version"] = verification.rule_version;
  json["own_rule_version"] = json_text(verification.replay.rule_version);
  json["rows"] = verification.replay.rows;
  json["decided_by_counting"] = verification.replay.untimed;
  json["differences"] = Json::array();
  for (const FieldDifference& difference : verification.replay.differences) {
    json["differences"].push_back({{"benchmark", difference.benchmark},
                                   {"metric", difference.metric},
                                   {"field", difference.field},
                                   {"kept", difference.kept},
                                   {"computed", difference.recomputed}});
  }
  return json_document(json);
}

}  // namespace steelyard

#include "ci/report/changes.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "ci/app/terminal_text.hpp"
#include "ci/report/bisect.hpp"
#include "ci/report/charts/series_chart.hpp"
#include "ci/report/markup.hpp"
#include "storage/document/json.hpp"

namespace steelyard::ci {
namespace {

constexpr std::size_t kMaxMembers = 8;  // of a finding that are listed
constexpr std::size_t kMaxCharts = 12;

std::string counted(std::size_t count, const char* one, const char* many) {
  return grouped_text(count) + " " + (count == 1 ? one : many);
}

std::string verdict_words(const regress::ChangeFinding& finding) {
  std::string text;
  if (finding.regressions > 0) text = counted(finding.regressions, "regression", "regressions");
  if (finding.improvements > 0) {
    text += (text.empty() ? "" : ", ") + counted(finding.improvements, "improvement", "improvements");
  }
  return text;
}

// The machine before what it did: nobody should read a commit first where none did it.
std::string machine_words(const regress::ChangeFinding& finding) {
  if (finding.cause != ChangeCause::machine) return "";
  const std::string machine = finding.machine.empty() ? "the machine" : "machine " + shown_id(finding.machine);
  return "likely " + machine + ", or a commit that touches all: ";
}

Tone change_tone(const ChangesReport& report, const regress::ChangeFinding& finding) {
  if (finding.status == ChangeStatus::suspected || finding.cause == ChangeCause::machine) return Tone::doubtful;
  if (finding.regressions == 0) return Tone::good;
  const bool is_over = std::ranges::all_of(finding.members, [&](const regress::FindingMember& member) {
    const ChangePoint& change = report.changes[member.series][member.change];
    return !change.regression || change.taken_back_at;
  });
  return is_over ? Tone::plain : Tone::bad;
}

std::string name_of(const Series& series) { return series.name.empty() ? "series" : series.name; }

std::vector<std::string> member_cells(const ChangesReport& report, const regress::FindingMember& member,
                                      const ShownNames& names, const TerminalStyle& style) {
  const Series& series = report.series[member.series];
  const ChangePoint& change = report.changes[member.series][member.change];
  const LevelPair levels = level_pair(change.before, change.after, series.unit);
  const std::string arrow = style.unicode ? " \u2192 " : " -> ";
  return {names.of(name_of(series)),
          printable(series.metric, style.unicode),
          levels.baseline + arrow + levels.candidate + (levels.unit.empty() ? "" : " " + levels.unit),
          change.ratio ? change_text(*change.ratio) : "",
          "p " + p_value_text(change.p),
          printable(status_text(change), style.unicode)};
}

// " on main" of a series; empty where all are of one branch.
std::string branch_suffix(const ChangesReport& report, std::size_t series) {
  const std::vector<std::string>& all = report.branches;
  if (std::adjacent_find(all.begin(), all.end(), std::not_equal_to<>()) == all.end()) return "";
  return all[series].empty() ? " on no branch" : " on " + all[series];
}

std::string finding_text(const ChangesReport& report, const regress::ChangeFinding& finding,
                         const TerminalStyle& style) {
  std::string text =
      paint(machine_words(finding) + verdict_words(finding), change_tone(report, finding), style.color) + "  at " +
      printable(place_text(finding, report) + branch_suffix(report, finding.members.front().series), style.unicode) +
      "\n";
  constexpr std::size_t kMaxNameColumns = 44;
  std::vector<std::string> benchmarks;
  for (const regress::FindingMember& member : finding.members)
    benchmarks.push_back(name_of(report.series[member.series]));
  const ShownNames names(benchmarks, style, kMaxNameColumns);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < std::min(finding.members.size(), kMaxMembers); ++i) {
    rows.push_back(member_cells(report, finding.members[i], names, style));
  }
  text += aligned_rows(rows, {Align::left, Align::left, Align::right, Align::right, Align::left, Align::left}, "  ");
  if (finding.members.size() > kMaxMembers) {
    text += "  and " + std::to_string(finding.members.size() - kMaxMembers) + " more\n";
  }
  const auto width = style.columns(2);
  if (finding.cause == ChangeCause::machine) {
    for (const std::string& line : wrapped(printable(shared_text(finding), style.unicode), width)) {
      text += "  " + line + "\n";
    }
  } else if (finding.status == ChangeStatus::suspected) {
    text += "  too few values since to be sure: measure again\n";
  }
  const std::string step = next_step(finding);
  if (!step.empty()) text += "  to tell: " + printable(step, style.unicode) + "\n";
  return text;
}

std::string charts_text(const ChangesReport& report, const TerminalStyle& style) {
  std::string text;
  std::size_t drawn = 0;
  std::size_t with_changes = 0;
  for (std::size_t i = 0; i < report.series.size(); ++i) {
    if (report.changes[i].empty()) continue;
    if (++with_changes > kMaxCharts) continue;
    const std::string branch = branch_suffix(report, i);
    text += "\n" + (branch.empty() ? "" : printable(branch.substr(1), style.unicode) + ": ") +
            terminal_series(report.series[i], report.changes[i], style);
    ++drawn;
  }
  if (with_changes > drawn) {
    text += "\n" + counted(with_changes - drawn, "more series with changes is", "more series with changes are") +
            " not drawn; name a benchmark to see it, or draw all of them with --svg FOLDER\n";
  }
  return text;
}

const char* status_word(ChangeStatus status) { return status == ChangeStatus::confirmed ? "confirmed" : "suspected"; }

Json change_json(const ChangePoint& change, const Series& series) {
  Json json;
  json["index"] = change.index;
  json["commit"] = json_text(change.commit);
  json["before"] = json_number(change.before);
  json["after"] = json_number(change.after);
  json["ratio"] = change.ratio ? json_number(*change.ratio) : Json(nullptr);
  json["p"] = json_number(change.p);
  json["status"] = status_word(change.status);
  json["verdict"] = change.regression ? "regression" : "improvement";
  json["id"] = json_text(change.id);
  json["first"] = change.first;
  json["last"] = change.last;
  json["last_good"] = json_text(change.last_good);
  const bool has_point = change.index < series.points.size();
  json["machine"] = has_point ? json_text(series.points[change.index].machine) : Json(nullptr);
  json["shared"] = change.shared;
  json["cause"] = word_of(change.cause);
  if (!change.accepted_by.empty()) json["accepted_by"] = change.accepted_by;
  if (change.taken_back_at) {
    json["taken_back_at"] = *change.taken_back_at;
    json["taken_back_by"] = json_text(change.taken_back_by);
  }
  return json;
}

Json series_json(const ChangesReport& report, std::size_t index) {
  const Series& series = report.series[index];
  Json json;
  json["name"] = series.name;
  json["metric"] = json_text(series.metric);
  json["unit"] = json_text(series.unit);
  json["better"] = to_text(series.better);
  if (index < report.projects.size()) json["project"] = json_text(report.projects[index]);
  if (index < report.branches.size()) json["branch"] = json_text(report.branches[index]);
  std::set<std::string> machines;
  for (const SeriesPoint& point : series.points) {
    if (!point.machine.empty()) machines.insert(point.machine);
  }
  json["machines"] = machines;
  json["points"] = series.points.size();
  json["change_points"] = Json::array();
  for (const ChangePoint& change : report.changes[index]) json["change_points"].push_back(change_json(change, series));
  return json;
}

Json finding_json(const ChangesReport& report, const regress::ChangeFinding& finding) {
  Json json;
  json["commit"] = json_text(finding.commit);
  json["last_good"] = json_text(finding.last_good);
  json["newest"] = json_text(finding.newest);
  json["status"] = status_word(finding.status);
  json["regressions"] = finding.regressions;
  json["improvements"] = finding.improvements;
  json["importance"] = json_number(finding.importance);
  json["cause"] = word_of(finding.cause);
  json["machine"] = finding.cause == ChangeCause::machine ? Json(finding.machine) : Json(nullptr);
  json["shared"] = finding.shared;
  json["changes"] = Json::array();
  for (const regress::FindingMember& member : finding.members) {
    json["changes"].push_back({{"series", member.series},
                               {"name", report.series[member.series].name},
                               {"change_point", member.change},
                               {"id", json_text(report.changes[member.series][member.change].id)}});
  }
  return json;
}

using markdown::code;
using markdown::words;

constexpr std::size_t kMaxChangesCharacters = 65000;
constexpr std::size_t kMaxMarkdownMembers = 20;  // of one finding

std::string member_row(const ChangesReport& report, const regress::FindingMember& member) {
  const Series& series = report.series[member.series];
  const ChangePoint& change = report.changes[member.series][member.change];
  const std::string ratio = change.ratio ? "**" + change_text(*change.ratio) + "**" : "";
  return "| " + std::string(change.regression ? "regression" : "improvement") + " | " +
         code(name_as_given(series.name), true) + " | " + words(series.metric) + " | " +
         words(level_text(change.before, series.unit)) + " | " + words(level_text(change.after, series.unit)) + " | " +
         ratio + " | " + p_value_text(change.p) + " | " + words(status_text(change)) + " |\n";
}

std::string line_part(const std::string& line) { return "- " + words(line) + "\n"; }

std::string finding_part(const ChangesReport& report, const regress::ChangeFinding& finding) {
  std::string text = "### " + machine_words(finding) + plural_text(finding.members.size(), "change") + " at " +
                     words(place_text(finding, report) + branch_suffix(report, finding.members.front().series)) +
                     "\n\n";
  if (finding.cause == ChangeCause::machine) text += words(shared_text(finding)) + ".\n\n";
  text +=
      "| | benchmark | metric | before | after | change | p | |\n"
      "|---|---|---|---:|---:|---:|---:|---|\n";
  for (std::size_t i = 0; i < std::min(finding.members.size(), kMaxMarkdownMembers); ++i) {
    text += member_row(report, finding.members[i]);
  }
  if (finding.members.size() > kMaxMarkdownMembers) {
    text += "\nand " + std::to_string(finding.members.size() - kMaxMarkdownMembers) + " more\n";
  }
  const std::string step = next_step(finding);
  if (!step.empty()) text += "\nTo tell: " + code(step, false) + "\n";
  return text + "\n";
}

std::string creep_line(const ChangesReport& report, const SeriesCreep& one) {
  const Series& series = report.series[one.series];
  std::string text = creep_text(series.metric + " of " + name_as_given(series.name), one.creep);
  return text + branch_suffix(report, one.series) +
         (one.machine.empty() ? "" : ", on machine " + shown_id(one.machine));
}

constexpr std::size_t kMaxDrifts = 20;  // that are listed

std::string drifted_text(const ChangesReport& report, const SeriesDrift& one) {
  const Series& series = report.series[one.series];
  const regress::SteadyDrift& drift = one.drift;
  return name_as_given(name_of(series)) + (series.metric.empty() ? "" : " " + series.metric) +
         branch_suffix(report, one.series) + ": no step, but it drifted " + change_text(drift.ratio) +
         " from first to last (" + level_text(drift.before, series.unit) + " to " +
         level_text(drift.after, series.unit) + ")" +
         (drift.machine.empty() ? "" : ", on machine " + shown_id(drift.machine));
}

std::vector<std::string> drift_lines(const ChangesReport& report) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < std::min(report.drifts.size(), kMaxDrifts); ++i) {
    lines.push_back(drifted_text(report, report.drifts[i]));
  }
  if (report.drifts.size() > kMaxDrifts) {
    lines.push_back("and " + std::to_string(report.drifts.size() - kMaxDrifts) + " more drifted without a step");
  }
  return lines;
}

Json drift_json(const regress::SteadyDrift& drift) {
  return {{"machine", json_text(drift.machine)},
          {"first", drift.first},
          {"last", drift.last},
          {"before", json_number(drift.before)},
          {"after", json_number(drift.after)},
          {"ratio", json_number(drift.ratio)},
          {"z", json_number(drift.z)}};
}

// In JSON as in a comparison.
Json creep_json(const ChangesReport& report, const SeriesCreep& one) {
  storage::JsonWriter object;
  Creep::fields(object, one.creep);
  Json json = {{"series", one.series},
               {"name", report.series[one.series].name},
               {"metric", json_text(report.series[one.series].metric)},
               {"machine", json_text(one.machine)}};
  for (const auto& [name, value] : object.json().items()) json[name] = value;
  return json;
}

}  // namespace

std::string creep_text(const std::string& what, const Creep& creep) {
  constexpr std::size_t kShownSteps = 8;
  std::string since = creep.release.empty() ? shown_id(creep.commit) : creep.release;
  if (since.empty()) since = "the oldest value";
  const std::string date = creep.at_unix_s > 0 ? " " + date_text(creep.at_unix_s) : "";
  if (creep.origin == LevelOrigin::first_known) since += " (the first value known: nothing was accepted or released)";
  if (creep.origin == LevelOrigin::accepted) since += " (accepted" + date + ")";
  if (creep.origin == LevelOrigin::released) since += " (released" + date + ")";
  std::string text = what + " crept by " + change_text(creep.ratio) + " since " + since + " in " +
                     plural_text(creep.steps.size(), "step") + " below " + small_share_text(creep.effect) + ": ";
  const std::size_t first = creep.steps.size() > kShownSteps ? creep.steps.size() - kShownSteps : 0;
  if (first > 0) text += "the newest ";
  for (std::size_t i = first; i < creep.steps.size(); ++i) {
    const CreepStep& step = creep.steps[i];
    text += (i == first ? "" : ", ") +
            (step.commit.empty() ? std::string("a run without a commit") : shown_id(step.commit)) + " " +
            change_text(step.ratio);
  }
  const std::string past = creep.accepted > 0 ? change_text(creep.level / creep.accepted) : "";
  if (!past.empty() && past != change_text(creep.ratio)) text += "; against that level the count is " + past;
  return text;
}

std::string terminal_changes(const ChangesReport& report, const TerminalStyle& style) {
  std::string text;
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    text += (text.empty() ? "" : "\n") + finding_text(report, report.findings[i], style);
    const std::string step = search_step(report, i);
    if (!step.empty()) text += "  find the commit: " + printable(step, style.unicode) + "\n";
  }
  if (report.findings.size() > 0) text += charts_text(report, style) + "\n";
  for (const SeriesCreep& one : report.creeps) {
    const auto width = style.columns(2);
    bool is_first = true;
    for (const std::string& line : wrapped(printable(creep_line(report, one), style.unicode), width)) {
      text += (is_first ? "" : "  ") + paint(line, Tone::bad, style.color) + "\n";
      is_first = false;
    }
  }
  if (!report.creeps.empty()) text += "\n";
  for (const std::string& line : drift_lines(report)) text += printable(line, style.unicode) + "\n";
  if (!report.drifts.empty()) text += "\n";
  for (const std::string& line : report.log) text += "note: " + printable(line, style.unicode) + "\n";
  std::set<std::size_t> drifted;
  for (const SeriesDrift& one : report.drifts) drifted.insert(one.series);
  std::size_t quiet = 0;
  std::ptrdiff_t machines = 0;
  for (std::size_t i = 0; i < report.changes.size(); ++i) {
    quiet += report.changes[i].empty() && !drifted.contains(i) ? 1 : 0;
    machines += std::ranges::count(report.changes[i], ChangeCause::machine, &ChangePoint::cause);
  }
  text +=
      counted(report.series.size(), "series", "series") + ": " +
      counted(count_changes(report, ChangeStatus::confirmed, true), "regression", "regressions") + " and " +
      counted(count_changes(report, ChangeStatus::confirmed, false), "improvement", "improvements") + " confirmed, " +
      counted(
          count_changes(report, ChangeStatus::suspected, true) + count_changes(report, ChangeStatus::suspected, false),
          "suspected", "suspected") +
      (machines > 0 ? ", " + grouped_text(machines) + " of these likely a machine's" : "") + "; " +
      counted(quiet, "without a change", "without a change") +
      (drifted.empty() ? "" : ", " + counted(drifted.size(), "drifted", "drifted") + " without a step") + "\n";
  return text;
}

std::size_t count_changes(const ChangesReport& report, ChangeStatus status, bool regression) {
  std::size_t count = 0;
  for (const std::vector<ChangePoint>& changes : report.changes) {
    count += static_cast<std::size_t>(std::count_if(changes.begin(), changes.end(), [&](const ChangePoint& change) {
      return change.status == status && change.regression == regression;
    }));
  }
  return count;
}

std::string status_text(const ChangePoint& change) {
  std::string text = status_word(change.status);
  if (!change.accepted_by.empty()) text += ", accepted by " + shown_id(change.accepted_by);
  if (!change.taken_back_at) return text;
  return text + ", taken back " +
         (change.taken_back_by.empty() ? "at index " + std::to_string(*change.taken_back_at)
                                       : "by " + shown_id(change.taken_back_by));
}

std::string place_text(const regress::ChangeFinding& finding, const ChangesReport& report) {
  if (finding.commit.empty()) {
    const regress::FindingMember& member = finding.members.front();
    return "index " + std::to_string(report.changes[member.series][member.change].index);
  }
  const std::string newest = finding.newest.empty() ? finding.commit : finding.newest;
  std::string text = shown_id(finding.commit);
  if (!finding.last_good.empty() || newest != finding.commit) {
    text += " (" + (finding.last_good.empty() ? std::string() : "after " + shown_id(finding.last_good));
    if (newest != finding.commit) {
      text += (finding.last_good.empty() ? "" : ", ") + std::string("by ") + shown_id(newest);
    }
    text += ")";
  }
  return text;
}

std::string shared_text(const regress::ChangeFinding& finding) {
  if (finding.cause != ChangeCause::machine) return "";
  if (!(finding.shared > 0)) return "likely the machine's, as an earlier look at all of its benchmarks found";
  return small_share_text(finding.shared) + " of the benchmarks of " +
         (finding.machine.empty() ? std::string("the machine") : "machine " + shown_id(finding.machine)) +
         " moved alike and none surely stayed: the machine, or a commit that " +
         (finding.regressions >= finding.improvements ? "slows" : "speeds up") +
         " everything; measuring both commits side by side tells";
}

std::string next_step(const regress::ChangeFinding& finding) {
  const bool is_doubtful = finding.status == ChangeStatus::suspected || finding.cause == ChangeCause::machine;
  if (!is_doubtful || finding.last_good.empty() || finding.commit.empty()) return "";
  return "steelyard ab " + shown_id(finding.last_good) + ' ' + shown_id(finding.commit);
}

std::string search_step(const ChangesReport& report, std::size_t finding) {
  if (finding >= report.commits_to_search.size() || report.commits_to_search[finding] < 2) return "";
  const regress::ChangeFinding& found = report.findings[finding];
  for (const regress::FindingMember& member : found.members) {
    const Series& series = report.series[member.series];
    if (!can_be_bisected(series.metric)) continue;
    return bisect_command(
        {found.last_good, found.newest.empty() ? found.commit : found.newest, series.name, series.metric});
  }
  return "";
}

std::string json_changes(const ChangesReport& report) {
  Json json;
  json["schema"] = "steelyard.changes/1";
  json["series"] = Json::array();
  for (std::size_t i = 0; i < report.series.size(); ++i) json["series"].push_back(series_json(report, i));
  json["findings"] = Json::array();
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    json["findings"].push_back(finding_json(report, report.findings[i]));
    if (const std::string step = search_step(report, i); !step.empty()) json["findings"].back()["bisect"] = step;
  }
  if (!report.log.empty()) json["log"] = report.log;
  for (const SeriesCreep& one : report.creeps) json["creeps"].push_back(creep_json(report, one));
  for (const SeriesDrift& one : report.drifts) json["series"][one.series]["drifts"].push_back(drift_json(one.drift));
  return json_document(json);
}

std::string markdown_changes(const ChangesReport& report) {
  std::string text = "## " + plural_text(report.findings.size(), "finding") + " in " +
                     std::to_string(report.series.size()) + " series\n\n";
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    parts.push_back(finding_part(report, report.findings[i]));
    if (const std::string step = search_step(report, i); !step.empty()) {
      parts.back() += "To find the commit: " + code(step, false) + "\n\n";
    }
  }
  for (const SeriesCreep& one : report.creeps) parts.push_back(line_part(creep_line(report, one)));
  for (const std::string& line : drift_lines(report)) parts.push_back(line_part(line));
  for (const std::string& line : report.log) parts.push_back(line_part(line));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string rest = "and " + std::to_string(parts.size() - i) + " more: see the JSON\n";
    // The last one needs no room for a rest behind it.
    const std::size_t behind = i + 1 < parts.size() ? rest.size() : 0;
    if (text.size() + parts[i].size() + behind > kMaxChangesCharacters) return text + rest;
    text += parts[i];
  }
  return text;
}

}  // namespace steelyard::ci

// What is drawn is not judged: a step of a chart is no verdict, and a level may move by its noise alone.
#include "ci/report/history.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "ci/app/terminal_text.hpp"
#include "ci/report/alerts.hpp"
#include "ci/report/charts/text_charts.hpp"
#include "ci/report/comparison_text.hpp"
#include "ci/report/markup.hpp"

namespace steelyard::ci {
namespace {

// Runs listed by name below a chart; the chart shows them all.
constexpr std::size_t kMaxListed = 20;
constexpr std::size_t kMaxBranchColumns = 20;

std::vector<storage::HistoryPoint> finite_points(const storage::HistorySeries& series) {
  std::vector<storage::HistoryPoint> points;
  std::copy_if(series.points.begin(), series.points.end(), std::back_inserter(points),
               [](const storage::HistoryPoint& point) { return std::isfinite(point.value); });
  return points;
}

// Whether a, and b after it, are sides of one measurement that have no commit: of two programs. They began at one time
// (bench/runner/measure.cpp).
bool are_a_pair(const storage::HistoryPoint& a, const storage::HistoryPoint& b) {
  const std::uint64_t gap_ns = static_cast<std::uint64_t>(b.at_unix_ns) - static_cast<std::uint64_t>(a.at_unix_ns);
  return a.commit.empty() && b.commit.empty() && gap_ns <= 1;
}

// Of one branch: whether that point's change from the one before is told. What is a side of a pair came of nothing that
// stands beside the pair; within it the candidate is told from its baseline, where the times tell which is which.
bool tells_change(const std::vector<const storage::HistoryPoint*>& points, std::size_t at) {
  const auto begins_pair = [&](std::size_t i) {
    return i + 1 < points.size() && are_a_pair(*points[i], *points[i + 1]);
  };
  if (at == 0 || !(points[at - 1]->value > 0)) return false;
  if (begins_pair(at - 1)) return points[at - 1]->at_unix_ns < points[at]->at_unix_ns;
  const bool ends_pair = at > 1 && begins_pair(at - 2);
  return !ends_pair && !begins_pair(at);
}

using PointsByBranch = std::map<std::string_view, std::vector<const storage::HistoryPoint*>>;
PointsByBranch by_branch(const std::vector<storage::HistoryPoint>& points) {
  PointsByBranch branches;
  for (const storage::HistoryPoint& point : points) branches[point.branch].push_back(&point);
  return branches;
}

// By point, its change from the one before it on its branch; empty: none is told.
std::vector<std::string> change_texts(const std::vector<storage::HistoryPoint>& points,
                                      const PointsByBranch& branches) {
  std::vector<std::string> texts(points.size());
  for (const auto& [name, own] : branches) {
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (!tells_change(own, i)) continue;
      texts[static_cast<std::size_t>(own[i] - points.data())] = change_text(own[i]->value / own[i - 1]->value);
    }
  }
  return texts;
}

std::string commit_or_run(const storage::HistoryPoint& point) {
  constexpr std::size_t kRunCharacters = 9;
  return point.commit.empty() ? "run " + point.run.substr(0, kRunCharacters) : shown_sha(point.commit);
}

// Below their points as many of the commits as there is room for; none where points share columns.
std::string commit_axis(const std::vector<storage::HistoryPoint>& points, const LabelledChart& labelled, int width) {
  const std::vector<int>& columns = labelled.chart.column_of_point;
  if (columns.back() + 1 < static_cast<int>(columns.size())) return "";
  std::string line(labelled.indent, ' ');
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::string label = printable(shown_sha(points[i].commit), false);
    const std::size_t column = labelled.indent + static_cast<std::size_t>(columns[i]);
    const bool is_free = line.size() == labelled.indent || line.size() + 2 <= column;
    if (label.empty() || !is_free || static_cast<int>(column + label.size()) > width) continue;
    line = padded(line, column) + label;
  }
  return line.size() > labelled.indent ? line + "\n" : "";
}

std::string chart_text(const std::vector<storage::HistoryPoint>& points, const std::string& unit,
                       const TerminalStyle& style) {
  std::vector<double> values;
  for (const storage::HistoryPoint& point : points) values.push_back(point.value);
  const LabelledChart labelled = labelled_line_chart(values, unit, style);
  return labelled.text + commit_axis(points, labelled, style.width);
}

// The commit that opened it last; empty: not known.
std::string opening_commit(const storage::Alert& alert) {
  std::string commit;
  for (const storage::AlertTransition& step : alert.life) {
    const bool opens = step.transition == "opened" || (step.transition == "reopened" && !step.commit.empty());
    if (opens) commit = step.commit;
  }
  return commit;
}

bool is_about(const storage::Alert& alert, const storage::HistorySeries& series) {
  const storage::AlertSubject& subject = alert.subject;
  const bool is_its_name =
      subject.benchmark == series.benchmark ||
      std::find(alert.other_names.begin(), alert.other_names.end(), series.benchmark) != alert.other_names.end();
  return is_its_name && subject.metric == series.metric.name &&
         (subject.fingerprint.empty() || subject.fingerprint == series.fingerprint);
}

// "alert 3f9c2a81d0b7 accepted by ada, commit 1a2b3c4d5, until 2026-12-31: the checksum"
std::string alert_at_commit(const storage::Alert& alert, const TerminalStyle& style) {
  std::string text =
      "alert " + alert.id.substr(0, kShownAlertCharacters) + ' ' + std::string(storage::to_text(alert.state));
  if (alert.state == storage::AlertState::accepted) {
    text += " by " + alert.life.back().by + ", commit " + shown_sha(alert.accepted_commit);
    if (!alert.accepted_until.empty()) text += ", until " + alert.accepted_until;
  }
  if (!alert.life.back().note.empty()) text += ": " + alert.life.back().note;
  return paint("    " + printable_line(text, style.unicode), Tone::dim, style.color) + '\n';
}

std::string listing(const std::vector<storage::HistoryPoint>& points, const std::string& unit,
                    const TerminalStyle& style, const std::vector<const storage::Alert*>& alerts) {
  const std::size_t first = points.size() > kMaxListed ? points.size() - kMaxListed : 0;
  const PointsByBranch branches = by_branch(points);
  const std::vector<std::string> all_changes = change_texts(points, branches);
  std::vector<std::string> shas, subjects, levels, changes, shown_branches;
  std::size_t sha_columns = 0, level_columns = 0, change_columns = 0, branch_columns = 0, subject_columns = 0;
  for (std::size_t i = first; i < points.size(); ++i) {
    const storage::HistoryPoint& point = points[i];
    shas.push_back(printable(commit_or_run(point), style.unicode));
    subjects.push_back((point.is_off_branch ? "[off the branch] " : "") + printable(point.subject, style.unicode));
    levels.push_back(level_text(point.value, unit));
    changes.push_back(all_changes[i]);
    // Where all are of one, the reader knows it.
    shown_branches.push_back(
        branches.size() > 1 ? shortened(printable(point.branch, style.unicode), kMaxBranchColumns, style.unicode) : "");
    sha_columns = std::max(sha_columns, columns_of(shas.back()));
    level_columns = std::max(level_columns, columns_of(levels.back()));
    change_columns = std::max(change_columns, columns_of(changes.back()));
    branch_columns = std::max(branch_columns, columns_of(shown_branches.back()));
    subject_columns = std::max(subject_columns, columns_of(subjects.back()));
  }
  constexpr std::size_t kTimeColumns = 16;  // to the minute
  const std::size_t of_branch = branch_columns == 0 ? 0 : branch_columns + 2;
  const std::size_t others =
      2 + sha_columns + 2 + kTimeColumns + 2 + level_columns + 2 + change_columns + 2 + of_branch;
  const auto width = style.columns();
  subject_columns = std::min(subject_columns, std::max<std::size_t>(width > others ? width - others : 0, 10));
  std::string text;
  if (first > 0) text += paint("  " + std::to_string(first) + " older", Tone::dim, style.color) + "\n";
  const bool is_dated = std::any_of(points.begin() + static_cast<std::ptrdiff_t>(first), points.end(),
                                    [](const storage::HistoryPoint& point) { return point.at_unix_ns > 0; });
  if (is_dated) text += "  " + std::string(sha_columns, ' ') + "  " + paint("UTC", Tone::dim, style.color) + "\n";
  for (std::size_t k = 0; k < shas.size(); ++k) {
    const std::int64_t at_unix_ns = points[first + k].at_unix_ns;
    std::string at = at_unix_ns > 0 ? time_text(at_unix_ns).substr(0, kTimeColumns) : padded("no date", kTimeColumns);
    std::replace(at.begin(), at.end(), 'T', ' ');
    std::string line = "  " + padded(shas[k], sha_columns) + "  " + paint(at, Tone::dim, style.color) + "  " +
                       padded(levels[k], level_columns, Align::right) + "  " +
                       padded(changes[k], change_columns, Align::right) + "  " + padded(shown_branches[k], of_branch) +
                       (subject_columns > 0 ? shortened(subjects[k], subject_columns, style.unicode) : "");
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
    for (const storage::Alert* alert : alerts) {
      const std::string commit = opening_commit(*alert);
      if (!commit.empty() && commit == points[first + k].commit) text += alert_at_commit(*alert, style);
    }
  }
  return text;
}

std::string series_text(const storage::HistorySeries& series, const TerminalStyle& style,
                        const std::vector<storage::Alert>& alerts) {
  std::string title = paint(printable(name_as_given(series.benchmark), style.unicode), Tone::strong, style.color) +
                      "  " + printable(metric_label(series.metric), style.unicode);
  if (series.metric.better != Better::undeclared) {
    title += paint(", " + std::string(to_text(series.metric.better)) + " is better", Tone::dim, style.color);
  }
  if (!series.fingerprint.empty()) {
    title += paint("  machine " + printable(shown_id(series.fingerprint), style.unicode), Tone::dim, style.color);
  }
  const std::vector<storage::HistoryPoint> points = finite_points(series);
  if (points.empty()) return title + "\n  no runs\n";
  std::vector<const storage::Alert*> of_series;
  for (const storage::Alert& alert : alerts) {
    if (is_about(alert, series)) of_series.push_back(&alert);
  }
  return title + "\n" + chart_text(points, series.metric.unit, style) + "\n" +
         listing(points, series.metric.unit, style, of_series);
}

std::string asked_range_text(const storage::RangeQuery& range) {
  return shown_sha(range.from) + ".." + shown_sha(range.to) + (range.branch.empty() ? "" : " on " + range.branch);
}

std::string next_text(const std::string& next, const TerminalStyle& style) {
  return next.empty() ? "" : paint("more: --after " + next, Tone::dim, style.color) + '\n';
}

Json end_json(const RangeEnd& end) {
  return {{"has_run", end.has_run},
          {"measured", json_text(end.measured())},
          {"commits_before", end.measured().empty() ? Json(nullptr) : Json(end.before)}};
}

// look: null: nobody looked. compared: whether there was something to compare.
template <class Item>
Json range_json(const char* schema, const storage::RangeQuery& range, const storage::Page<Item>& page,
                const RangeLook* look, bool compared) {
  Json json = {{"schema", schema},
               {"project", json_text(range.project)},
               {"branch", json_text(range.branch)},
               {"from", range.from},
               {"to", range.to},
               {"next", json_text(page.next)}};
  if (look == nullptr) return json;
  json["compared"] = compared || !page.items.empty();
  json["branch_has_runs"] = look->has_branch;
  json["ends"] = {{"from", end_json(look->from)}, {"to", end_json(look->to)}};
  return json;
}

}  // namespace

std::string terminal_history(const storage::Page<storage::HistorySeries>& page, const TerminalStyle& style,
                             const std::vector<storage::Alert>& alerts) {
  if (page.items.empty()) return "no series matches; `steelyard history` without a name lists them all\n";
  std::string text;
  for (const storage::HistorySeries& one : page.items) {
    if (!text.empty()) text += "\n";
    text += series_text(one, style, alerts);
  }
  std::string below;
  for (const std::string& line : more_of_history(page)) below += line + '\n';
  return below.empty() ? text : text + '\n' + paint(below, Tone::dim, style.color);
}

std::vector<std::string> more_of_history(const storage::Page<storage::HistorySeries>& page) {
  // A cursor is long: for one series it is worth its line.
  const auto has_older = [](const storage::HistorySeries& one) { return !one.older.empty(); };
  std::vector<std::string> lines;
  if (page.items.size() == 1 && has_older(page.items.front())) {
    lines.push_back("older points: --after " + page.items.front().older);
  } else if (std::any_of(page.items.begin(), page.items.end(), has_older)) {
    lines.emplace_back("there are older points: give a larger --limit, or name one series");
  }
  if (!page.next.empty()) lines.push_back("more series: --after " + page.next);
  return lines;
}

std::string json_history(const storage::Page<storage::HistorySeries>& page, const std::vector<storage::Alert>& alerts) {
  Json json;
  json["schema"] = "steelyard.history/1";
  json["series"] = Json::array();
  for (const storage::HistorySeries& one : page.items) {
    Json points = Json::array();
    for (const storage::HistoryPoint& point : one.points) {
      points.push_back({{"run", point.run},
                        {"commit", json_text(point.commit)},
                        {"subject", json_text(point.subject)},
                        {"at", json_text(point.at_unix_ns > 0 ? time_text(point.at_unix_ns) : "")},
                        {"value", json_number(point.value)},
                        {"samples", point.samples},
                        {"invocations", point.invocations},
                        {"branch", json_text(point.branch)},
                        {"off_branch", point.is_off_branch}});
    }
    json["series"].push_back({{"project", json_text(one.project)},
                              {"benchmark", one.benchmark},
                              {"metric", one.metric.name},
                              {"unit", one.metric.unit},
                              {"better", to_text(one.metric.better)},
                              {"fingerprint", json_text(one.fingerprint)},
                              {"points", std::move(points)},
                              {"older", json_text(one.older)}});
    if (!one.earlier_names.empty()) json["series"].back()["earlier_names"] = one.earlier_names;
    Json of_series = Json::array();
    for (const storage::Alert& alert : alerts) {
      if (!is_about(alert, one)) continue;
      of_series.push_back({{"id", alert.id},
                           {"state", storage::to_text(alert.state)},
                           {"commit", json_text(opening_commit(alert))},
                           {"accepted_commit", json_text(alert.accepted_commit)},
                           {"accepted_until", json_text(alert.accepted_until)},
                           {"by", alert.life.back().by},
                           {"note", json_text(alert.life.back().note)}});
    }
    if (!of_series.empty()) json["series"].back()["alerts"] = std::move(of_series);
  }
  // A list of one series goes on with its older points.
  const bool is_one = page.next.empty() && page.items.size() == 1;
  json["next"] = json_text(is_one ? page.items.front().older : page.next);
  if (!page.notes.empty()) json["notes"] = page.notes;
  return json_document(json);
}

std::string terminal_changed(const storage::RangeQuery& range, const storage::Page<storage::ChangedSeries>& page,
                             const RangeLook& look, const TerminalStyle& style) {
  const std::string place = printable(asked_range_text(range), style.unicode);
  const std::string missing = printable(missing_runs_text(look), style.unicode);
  if (page.items.empty() && !look.compares()) return nothing_to_compare_text(place, missing);
  if (page.items.empty()) {
    storage::RangeQuery measured = range;
    if (!look.from.measured().empty()) measured.from = look.from.measured();
    measured.to = look.to.measured();
    const std::string part = printable(asked_range_text(measured), style.unicode);
    return "No change was found in " + (part == place ? place : part + ", the measured part of " + place) +
           (missing.empty() ? "" : ": " + missing) + ". What was found is what steelyard changes and the gate kept.\n";
  }
  std::vector<std::vector<std::string>> rows;
  for (const storage::ChangedSeries& one : page.items) {
    rows.push_back({printable(name_as_given(one.benchmark), style.unicode), printable(one.metric, style.unicode),
                    one.ratio ? change_text(*one.ratio) : "", one.regression ? "regression" : "improvement",
                    shown_sha(one.commit), printable(one.branch, style.unicode),
                    printable(shown_id(one.fingerprint), style.unicode),
                    one.by_comparison ? "comparison" : "change point"});
  }
  const Align l = Align::left;
  return plural_text(page.items.size(), "change") + " in " + place + '\n' +
         aligned_rows(rows, {l, l, Align::right, l, l, l, l, l}, "  ") + (missing.empty() ? "" : missing + '\n') +
         next_text(page.next, style);
}

std::string terminal_movers(const storage::RangeQuery& range, const storage::Page<storage::Mover>& page,
                            const RangeLook& look, const TerminalStyle& style) {
  const std::string place = printable(asked_range_text(range), style.unicode);
  const std::string missing = printable(missing_runs_text(look), style.unicode);
  if (page.items.empty()) {
    if (!missing.empty()) return nothing_to_compare_text(place, missing);
    return "Nothing moved in " + place + ", or no machine measured both ends. See: steelyard history\n";
  }
  std::vector<std::vector<std::string>> rows;
  for (const storage::Mover& mover : page.items) {
    const bool is_worse = (mover.ratio > 1) == (mover.metric.better == Better::lower);
    const std::string way = mover.metric.better == Better::undeclared ? "" : is_worse ? "worse" : "better";
    const std::string runs = std::to_string(mover.runs_before) + " and " + plural_text(mover.runs_after, "run");
    rows.push_back({printable(name_as_given(mover.benchmark), style.unicode),
                    printable(mover.metric.name, style.unicode), change_text(mover.ratio), way,
                    level_text(mover.before, mover.metric.unit), "to", level_text(mover.after, mover.metric.unit),
                    "of " + runs, printable(shown_id(mover.fingerprint), style.unicode)});
  }
  const Align l = Align::left;
  const Align r = Align::right;
  return "What moved most in " + place + ", medians on one machine, judged or not\n" +
         aligned_rows(rows, {l, l, r, l, r, l, r, l, l}, "  ") + (missing.empty() ? "" : missing + '\n') +
         next_text(page.next, style);
}

std::string json_changed(const storage::RangeQuery& range, const storage::Page<storage::ChangedSeries>& page,
                         const RangeLook* look) {
  Json json = range_json("steelyard.changed/1", range, page, look, look != nullptr && look->compares());
  json["changed"] = Json::array();
  for (const storage::ChangedSeries& one : page.items) {
    json["changed"].push_back({{"benchmark", one.benchmark},
                               {"metric", one.metric},
                               {"fingerprint", json_text(one.fingerprint)},
                               {"branch", json_text(one.branch)},
                               {"commit", one.commit},
                               {"ratio", one.ratio ? Json(*one.ratio) : Json(nullptr)},
                               {"verdict", one.regression ? "regression" : "improvement"},
                               {"found_by", one.by_comparison ? "comparison" : "change point"}});
  }
  return json_document(json);
}

std::string json_movers(const storage::RangeQuery& range, const storage::Page<storage::Mover>& page,
                        const RangeLook* look) {
  const bool compared = look != nullptr && look->from.has_run && look->to.has_run;
  Json json = range_json("steelyard.movers/1", range, page, look, compared);
  json["movers"] = Json::array();
  for (const storage::Mover& mover : page.items) {
    json["movers"].push_back({{"benchmark", mover.benchmark},
                              {"metric", mover.metric.name},
                              {"unit", mover.metric.unit},
                              {"better", to_text(mover.metric.better)},
                              {"fingerprint", json_text(mover.fingerprint)},
                              {"before", mover.before},
                              {"after", mover.after},
                              {"ratio", mover.ratio},
                              {"runs_before", mover.runs_before},
                              {"runs_after", mover.runs_after}});
  }
  return json_document(json);
}

std::string json_change_point(const storage::KeptChangePoint& point) {
  Json json{{"id", point.id},
            {"project", point.project},
            {"benchmark", point.benchmark},
            {"name", name_as_given(point.benchmark)},
            {"metric", point.metric},
            {"fingerprint", json_text(point.fingerprint)},
            {"branch", json_text(point.branch)},
            {"commit", point.commit},
            {"last_good", json_text(point.last_good)},
            {"before", json_number(point.before)},
            {"after", json_number(point.after)},
            {"ratio", json_number(point.ratio)},
            {"p", point.p},
            {"verdict", point.regression ? "regression" : "improvement"},
            {"gone", point.gone},
            {"cause", word_of(point.cause)}};
  if (!point.taken_back_by.empty()) json["taken_back_by"] = point.taken_back_by;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace steelyard::ci

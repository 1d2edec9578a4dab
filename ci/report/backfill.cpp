#include "ci/report/backfill.hpp"

#include <algorithm>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "ci/report/bisect.hpp"
#include "storage/document/json.hpp"

namespace steelyard::ci {
namespace {

constexpr std::size_t kMaxToldSteps = 20;

}  // namespace

std::string backfill_step_text(const BackfillStep& step) {
  const std::string both = shown_sha(step.after) + " against " + shown_sha(step.before);
  return step.trouble.empty() ? both + " is kept" : both + " could not be measured: " + trouble_text(step.trouble);
}

std::string terminal_backfill(const BackfillReport& report, const TerminalStyle& style) {
  std::size_t kept = 0;
  for (const BackfillStep& step : report.steps) kept += step.trouble.empty() ? 1 : 0;
  std::string text = plural_text(kept, "measurement") + "; " + grouped_text(report.linked) + " of " +
                     plural_text(report.commits, "commit") + " from " + shown_sha(report.from) + " to " +
                     shown_sha(report.to) + " have a level by ratios, " + grouped_text(report.with_parent) +
                     " held against their parents\n";
  std::size_t shown = 0;
  for (const BackfillStep& step : report.steps) {
    if (step.trouble.empty()) continue;
    if (++shown > kMaxToldSteps) continue;
    text += "  " + printable_line(backfill_step_text(step), style.unicode) + '\n';
  }
  if (shown > kMaxToldSteps) text += "  and " + grouped_text(shown - kMaxToldSteps) + " more\n";
  if (!report.left.empty()) text += "\nchanges that lie between commits not measured yet, or beside each other:\n";
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < std::min(report.left.size(), kMaxToldSteps); ++i) {
    const BackfillChange& change = report.left[i];
    const std::string by = shown_sha(change.after);
    const std::string where = change.between == 0 ? "at " + by : "after " + shown_sha(change.before) + ", by " + by;
    rows.push_back({printable_line(name_as_given(change.benchmark), style.unicode),
                    printable_line(change.metric, style.unicode), change_text(change.ratio), where});
  }
  text += aligned_rows(rows, {Align::left, Align::left, Align::right, Align::left}, "  ");
  if (report.left.size() > kMaxToldSteps)
    text += "  and " + std::to_string(report.left.size() - kMaxToldSteps) + " more\n";
  if (report.interrupted) text += "\ninterrupted: the same command goes on\n";
  if (report.budget_spent) text += "\nthe time was spent: the same command goes on\n";
  if (report.linked > 1) text += "see them: steelyard history --chained\n";
  return text;
}

std::string chained_text(const ChainedSeries& chained) {
  constexpr std::size_t kMaxToldCommits = 5;
  constexpr double kKnown = 2;  // a step without an interval is known to no such factor
  const storage::HistorySeries& series = chained.series;
  std::string text = name_as_given(series.benchmark) + ' ' + series.metric.name + ": by ratios of " +
                     plural_text(series.points.size(), "commit") + ", ";
  text += chained.widest < kKnown ? "the least sure within " + small_share_text(chained.widest - 1) + " of the newest"
                                  : "of which some are hardly known against the newest";
  if (chained.unlinked.empty()) return text;
  text += "; not linked to it and not shown: ";
  text += some_joined(chained.unlinked, kMaxToldCommits, ", ", " and ", shown_sha);
  return text + " (steelyard backfill links them)";
}

std::string json_backfill(const BackfillReport& report) {
  storage::JsonWriter json;
  json("schema", std::string_view("steelyard.backfill/1"));
  json("from", std::string_view(report.from));
  json("to", std::string_view(report.to));
  json("commits", report.commits);
  json("linked", report.linked);
  json("with_parent", report.with_parent);
  json("budget_spent", report.budget_spent);
  json("interrupted", report.interrupted);
  json("steps", report.steps);
  json("changes", report.left);
  return json.text();
}

}  // namespace steelyard::ci

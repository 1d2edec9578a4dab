// What changed between the traces of two builds, in words.
#include "ci/report/trace_difference.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "bench/model/fields.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "ci/report/markup.hpp"
#include "ci/report/trace_columns.hpp"
#include "ci/report/trace_names.hpp"
#include "regress/ab/steady_digits.hpp"

namespace steelyard::ci {

std::span<const std::string_view> words_of(CallsChange) {
  static constexpr std::array<std::string_view, 3> kWords{"same", "changed", "varies"};
  return kWords;
}

std::optional<double> TraceRowDifference::ratio() const {
  if (!baseline || !candidate || baseline->total_ns <= 0) return std::nullopt;
  return is_judged ? regress::steady_exp(time.log_ratio) : candidate->total_ns / baseline->total_ns;
}

std::optional<double> TraceRowDifference::call_ratio() const {
  const std::optional<double> of_all = ratio();
  if (!of_all || baseline->calls <= 0 || candidate->calls <= 0) return std::nullopt;
  if (calls != CallsChange::varies) return *of_all * baseline->calls / candidate->calls;
  return baseline->call_ns > 0 ? std::optional(candidate->call_ns / baseline->call_ns) : std::nullopt;
}

std::string_view TraceRowDifference::doubt() const {
  if (!baseline || !candidate) return "";
  if (!is_judged) return "not_in_every_process";
  return time.doubt == regress::RecordingDoubt::none ? std::string_view() : steelyard::word_of(time.doubt);
}

std::optional<Interval> TraceRowDifference::interval() const {
  if (!time.interval) return std::nullopt;
  return Interval{regress::steady_exp(time.interval->low), regress::steady_exp(time.interval->high)};
}

namespace {

using regress::RecordingOrder;

constexpr std::size_t kLongestGroup = 48, kLongestGroupShapes = 40, kLongestWithin = 24;

std::string side_cost_text(const std::optional<TraceSideCost>& side) {
  return side ? level_text(side->total_ns, "ns") : "";
}

std::string signed_time_text(double ns) { return (ns < 0 ? "-" : "+") + level_text(std::abs(ns), "ns"); }

std::string calls_change_text(const TraceRowDifference& row) {
  const std::string before = row.baseline ? count_text(row.baseline->calls) : "";
  const std::string after = row.candidate ? count_text(row.candidate->calls) : "";
  if (!row.baseline || !row.candidate || before == after) return row.candidate ? after : before;
  return before + " -> " + after;
}

class DifferenceColumns : public TraceColumns<TraceRowDifference> {
 public:
  DifferenceColumns(const TraceDifference& difference, int rows) : TraceColumns(difference.rows, rows) { fill(); }

 private:
  void fill();
};

void DifferenceColumns::fill() {
  using Row = const TraceRowDifference&;
  const auto ratio_cell = [](const std::optional<double>& ratio) { return ratio ? change_text(*ratio) : "-"; };
  std::vector<TraceName> names;
  std::vector<std::string> within;
  for (Row row : shown()) {
    names.push_back({row.name, row.is_on_device});
    within.push_back(row.within);
  }
  add_texts("Name", fitted_names(names, kLongestGroup), TraceCells::names);
  if (any([](Row row) { return !row.shapes.empty(); })) {
    add(
        "Shapes", [](Row row) { return cut_right(row.shapes, kLongestGroupShapes); }, TraceCells::names);
  }
  if (std::set<std::string>(within.begin(), within.end()).size() > 1) {
    add_texts("In", fitted_names(within, kLongestWithin), TraceCells::names);
  }
  if (any([](Row row) { return row.is_on_device; })) {
    add(
        "On", [](Row row) { return row.is_on_device ? "device" : "host"; }, TraceCells::words);
  }
  add(
      "Verdict", [](Row row) { return std::string(to_text(row.time.verdict)); }, TraceCells::words);
  add("Baseline", [](Row row) { return side_cost_text(row.baseline); });
  add("Candidate", [](Row row) { return side_cost_text(row.candidate); });
  add("Change", [&](Row row) { return ratio_cell(row.ratio()); });
  add("95 %", [](Row row) {
    const std::optional<Interval> interval = row.interval();
    return interval ? range_cell(*interval, row.ratio().value_or(1)) : std::string("-");
  });
  add("Self change", [](Row row) { return signed_time_text(row.self_change_ns()); });
  add("Calls", [](Row row) { return calls_change_text(row) + (row.calls == CallsChange::varies ? " ~" : ""); });
  add("A call", [&](Row row) { return ratio_cell(row.call_ratio()); });
  if (any([](Row row) { return row.perhaps.has_value(); })) {
    add(
        "Perhaps",
        [](Row row) {
          if (!row.perhaps) return std::string();
          const std::string name = cut_right(row.perhaps->name, kLongestGroup);
          return row.perhaps->name == row.name ? cut_right(row.perhaps->shapes, kLongestGroupShapes) : name;
        },
        TraceCells::names);
  }
}

std::string recording_order_text(const TraceDifference& difference) {
  switch (difference.order) {
    case RecordingOrder::one_each:
      return "One process a side: an interval covers the repeats in these two and not what the next process would "
             "show. Whether the program changed or the occasion, two processes cannot tell: record both in turns, six "
             "times each.";
    case RecordingOrder::one_after_other:
      return "The two sides' processes were not recorded in turns, so what else changed meanwhile is in every change: "
             "an interval covers processes, and there is no verdict. Record both in turns, six times each.";
    case RecordingOrder::alternating:
      return "An interval covers processes, " + plural_text(difference.processes[0], "round") +
             " of both sides in turns. The chance of any false change among all rows is at most " +
             share_text(difference.question.level) + "; a change is at least " +
             share_text(difference.question.minimum_effect) + ".";
  }
  return "";
}

std::vector<std::string> difference_header(const TraceDifference& difference) {
  std::vector<std::string> lines;
  lines.push_back(printable_line(difference.sides[0], true) + " -> " + printable_line(difference.sides[1], true) +
                  ": " + std::to_string(difference.processes[0]) + " and " + std::to_string(difference.processes[1]) +
                  " recorded processes");
  std::vector<std::string> names;
  for (const RepeatedWithin& within : difference.repeats) names.push_back(within.name);
  names = fitted_names(names, kLongestGroup);
  for (std::size_t i = 0; i < difference.repeats.size(); ++i) {
    const RepeatedWithin& within = difference.repeats[i];
    const std::string name = within.name.empty() ? "all that is outside of such" : names[i];
    lines.push_back("times are of one repeat of " + name + ": " + grouped_text(within.repeats[0]) + " and " +
                    grouped_text(within.repeats[1]));
  }
  return lines;
}

std::vector<std::string> difference_footer(const TraceDifference& difference, std::size_t shown) {
  std::vector<std::string> lines;
  if (shown < difference.rows.size()) lines.push_back("and " + plural_text(difference.rows.size() - shown, "more row"));
  lines.push_back(recording_order_text(difference));
  const auto is = [&](auto has) { return std::any_of(difference.rows.begin(), difference.rows.end(), has); };
  if (is([](const TraceRowDifference& row) { return row.calls == CallsChange::varies; })) {
    lines.emplace_back("~: not the same number of calls in every repeat; the mean, and of A call that of all calls.");
  }
  if (is([](const TraceRowDifference& row) { return row.perhaps.has_value(); })) {
    lines.emplace_back(
        "Perhaps: what it may be called on the other side, by its name, shapes, calls and what it runs "
        "in. A proposal; nothing is judged by it.");
  }
  if (difference.unjudged > 0) {
    lines.push_back(plural_text(difference.unjudged, "row") + " that took least were not judged.");
  }
  if (difference.excluded_loops > 0) {
    lines.push_back(plural_text(difference.excluded_loops, "loop") +
                    " of fewer iterations than the others of their benchmark are in no row.");
  }
  if (difference.dropped > 0) {
    lines.push_back(plural_text(difference.dropped, "span") +
                    " found no room in the recordings, ended before they began or have no time, and are in no row.");
  }
  if (difference.unfinished > 0) {
    lines.push_back(plural_text(difference.unfinished, "recording") +
                    " without an end: the process ended, or still runs.");
  }
  return lines;
}

}  // namespace

std::string terminal_trace_difference(const TraceDifference& difference, int rows) {
  const DifferenceColumns columns(difference, rows);
  std::string text;
  for (const std::string& line : difference_header(difference)) text += line + "\n";
  text += difference.rows.empty() ? "the traces have no events\n"
                                  : aligned_rows(columns.cells(), aligns_of(columns.kinds()), "");
  for (const std::string& line : difference_footer(difference, columns.rows())) text += line + "\n";
  return text;
}

std::string markdown_trace_difference(const TraceDifference& difference, int rows) {
  const DifferenceColumns columns(difference, rows);
  std::string text;
  for (const std::string& line : difference_header(difference)) text += markdown::words(line) + "\n\n";
  text += markdown_rows(columns.cells(), columns.kinds());
  for (const std::string& line : difference_footer(difference, columns.rows())) text += "\n" + line + "\n";
  return text;
}

std::string csv_trace_difference(const TraceDifference& difference) {
  std::string text = csv_record({"name",
                                 "shapes",
                                 "within",
                                 "on_device",
                                 "verdict",
                                 "doubt",
                                 "baseline_total_ns",
                                 "candidate_total_ns",
                                 "ratio",
                                 "ratio_low",
                                 "ratio_high",
                                 "p",
                                 "q",
                                 "baseline_self_ns",
                                 "candidate_self_ns",
                                 "baseline_calls",
                                 "candidate_calls",
                                 "calls",
                                 "perhaps_name",
                                 "perhaps_shapes",
                                 "likeness"});
  const auto number = [](const std::optional<double>& value) { return value ? shortest_text(*value) : std::string(); };
  for (const TraceRowDifference& row : difference.rows) {
    const auto of = [](const std::optional<TraceSideCost>& side, double TraceSideCost::*field) {
      return side ? shortest_text((*side).*field) : std::string();
    };
    const std::optional<Interval> interval = row.interval();
    text += csv_record({row.name,
                        row.shapes,
                        row.within,
                        row.is_on_device ? "1" : "0",
                        std::string(to_text(row.time.verdict)),
                        std::string(row.doubt()),
                        of(row.baseline, &TraceSideCost::total_ns),
                        of(row.candidate, &TraceSideCost::total_ns),
                        number(row.ratio()),
                        number(low_of(interval)),
                        number(high_of(interval)),
                        number(row.time.p),
                        number(row.time.q),
                        of(row.baseline, &TraceSideCost::self_ns),
                        of(row.candidate, &TraceSideCost::self_ns),
                        of(row.baseline, &TraceSideCost::calls),
                        of(row.candidate, &TraceSideCost::calls),
                        std::string(steelyard::word_of(row.calls)),
                        row.perhaps ? row.perhaps->name : "",
                        row.perhaps ? row.perhaps->shapes : "",
                        row.perhaps ? shortest_text(row.perhaps->likeness) : ""});
  }
  return text;
}

}  // namespace steelyard::ci

#include "ci/report/html/html_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "ci/report/function_lines.hpp"
#include "ci/report/reason_text.hpp"
#include "ci/report/row_text.hpp"
#include "regress/ab/rules.hpp"

namespace steelyard::ci::html {
namespace {

constexpr std::size_t kLongestName = 300;  // columns
constexpr std::size_t kLongestCell = 160;
constexpr std::size_t kLongestStep = 2000;
constexpr std::size_t kMaxSteps = 60;
constexpr std::size_t kMaxFunctions = 40;

std::vector<std::string> benchmarks_of(const Comparison& comparison) {
  std::vector<std::string> benchmarks;
  for (const ComparisonRow& row : comparison.rows) benchmarks.push_back(row.benchmark);
  return benchmarks;
}

TerminalStyle style_of_names() {
  TerminalStyle style;
  style.unicode = true;
  style.cuts_names = true;
  return style;
}

std::string cell(const std::string& content, const char* style) { return element("td", content, style); }

// The levels in one scale; the unit stands behind the last that there is, as on a terminal.
std::pair<std::string, std::string> level_cells(const ComparisonRow& row) {
  const LevelPair levels = level_pair(row.baseline, row.candidate, row.metric.unit);
  std::string baseline = levels.baseline;
  std::string candidate = row.notes.has(RowNote::not_timed) ? "not timed" : levels.candidate;
  if (!levels.unit.empty() && !levels.candidate.empty()) {
    candidate += " " + levels.unit;
  } else if (!levels.unit.empty() && !levels.baseline.empty()) {
    baseline += " " + levels.unit;
  }
  return {text(baseline, kLongestCell), text(candidate, kLongestCell)};
}

// "measured: 24 rounds, ..." as a term and its description.
std::string step(const std::string& sentence) {
  const std::size_t colon = sentence.find(": ");
  constexpr std::size_t kLongestTerm = 40;
  if (colon == std::string::npos || colon > kLongestTerm) {
    return "<dt></dt><dd>" + text(sentence, kLongestStep) + "</dd>\n";
  }
  return "<dt>" + text(sentence.substr(0, colon)) + "</dt><dd>" + text(sentence.substr(colon + 2), kLongestStep) +
         "</dd>\n";
}

}  // namespace

std::string mark(Verdict verdict) { return element("span", mark_of(verdict).unicode, "mark"); }

std::string paragraphs(const std::vector<std::string>& lines, std::size_t most) {
  std::string result;
  for (std::size_t i = 0; i < std::min(lines.size(), most); ++i) {
    result += element("p", text(lines[i], kLongestStep)) + "\n";
  }
  if (lines.size() > most) result += "<p class=\"dim\">and " + std::to_string(lines.size() - most) + " more</p>\n";
  return result;
}

RowWriter::RowWriter(const Comparison& comparison, const Run& baseline, const Run& candidate,
                     const std::vector<Explanation>& explanations)
    : comparison_(comparison),
      index_(comparison),
      names_(benchmarks_of(comparison), style_of_names(), kLongestName),
      samples_(baseline, candidate) {
  for (const RowGroup& group : worst_first(comparison)) {
    for (const ComparisonRow* row : group.rows) {
      rows_.push_back(row);
      ranks_[row] = rows_.size();
      const std::string label = metric_label(row->metric);
      if (std::none_of(metrics_.begin(), metrics_.end(), [&](const auto& one) { return one.first == label; })) {
        metrics_.emplace_back(label, rows_.size());
      }
    }
  }
  for (const Explanation& one : explanations) explained_[{one.benchmark, one.metric}] = &one;
}

std::string RowWriter::name(const ComparisonRow& row) const { return name(row.benchmark); }

std::string RowWriter::name(const std::string& benchmark) const {
  return element("code", text(names_.of(benchmark), kLongestName + 1));
}

std::string RowWriter::bar(const ComparisonRow& row) {
  if (!row.ratio || !(*row.ratio > 0) || !std::isfinite(*row.ratio)) return "";
  constexpr double kMiddle = 60, kHalf = 56;
  const double end = std::log(1.25);
  const auto x = [&](double ratio) { return kMiddle + kHalf * std::clamp(std::log(ratio) / end, -1.0, 1.0); };
  const Interval band = regress::minimum_effect_band(row.minimum_effect);
  const double least = std::max(band.low, 0.0);  // of an effect above 1 no loss is large enough
  std::string svg = "<svg class=\"bar\" viewBox=\"0 0 120 16\" aria-hidden=\"true\">";
  if (row.minimum_effect > 0) {
    svg += fmt::format("<path class=\"band\" d=\"M{:.1f} 1H{:.1f}V15H{:.1f}z\"/>", x(least), x(band.high), x(least));
  }
  svg += "<path class=\"zero\" d=\"M60 0V16\"/>";
  const bool has_interval = row.interval && row.interval->low > 0 && std::isfinite(row.interval->high);
  if (has_interval) {
    svg += fmt::format("<path class=\"span\" d=\"M{:.1f} 8H{:.1f}\"/>", x(row.interval->low), x(row.interval->high));
  }
  // What lies beyond the scale is an arrow at its end.
  if (std::log(*row.ratio) > end) {
    svg += "<path class=\"point\" d=\"M112 3l8 5l-8 5z\"/>";
  } else if (std::log(*row.ratio) < -end) {
    svg += "<path class=\"point\" d=\"M8 3l-8 5l8 5z\"/>";
  } else {
    svg += fmt::format("<circle class=\"point\" cx=\"{:.1f}\" cy=\"8\" r=\"3.5\"/>", x(*row.ratio));
  }
  return svg + "</svg>";
}

std::string RowWriter::line(const ComparisonRow& row) const {
  const std::string verdict(to_text(row.verdict));
  const std::string benchmark = text(names_.of(row.benchmark), kLongestName + 1);
  const std::string metric = text(metric_label(row.metric), kLongestCell);
  const auto [baseline, candidate] = level_cells(row);
  std::string result = "<tr><td class=\"v\"><label><input type=\"checkbox\" autocomplete=\"off\" aria-label=\"" +
                       verdict + ", explain " + benchmark + ", " + metric + "\">" + mark(row.verdict) +
                       element("span", verdict, "word") + "</label></td>";
  result += "<th scope=\"row\">" + benchmark + "</th>" + cell(metric, "m") + cell(baseline, "n w") +
            cell(candidate, "n w") + cell(row.ratio ? text(change_text(*row.ratio)) : "", "n c");
  const std::string interval = text(interval_cell(row), kLongestCell);
  result += cell(bar(row) + (interval.empty() ? "" : " " + element("span", interval, "range x")), "i");
  result += cell(row.minimum_detectable_effect ? text(detectable_text(*row.minimum_detectable_effect)) : "", "n w");
  return result + cell(row.q ? text(p_value_text(*row.q)) : "", "n w") + "</tr>\n";
}

std::string RowWriter::functions(const ComparisonRow& row) const {
  const std::vector<FunctionLine> lines = function_lines(index_, row);
  if (lines.empty()) return "";
  std::string result =
      "<div class=\"scroll\"><table class=\"functions\"><thead><tr><th>function</th><th class=\"n\">self</th>"
      "<th class=\"n\">with callees</th><th>what happened</th><th>where</th></tr></thead><tbody>\n";
  for (std::size_t i = 0; i < std::min(lines.size(), kMaxFunctions); ++i) {
    const FunctionLine& line = lines[i];
    result += "<tr>" + cell(element("code", text(line.name, kLongestName)), i == 0 ? "first" : "") +
              cell(text(line.self), "n") + cell(text(line.inclusive), i == 0 ? "n first" : "n") +
              cell(text(line.what, kLongestStep), "") +
              cell(line.place.empty() ? "" : element("code", text(line.place, kLongestCell)), "") + "</tr>\n";
  }
  result += "</tbody></table></div>\n";
  if (lines.size() > kMaxFunctions) {
    result += "<p class=\"dim\">and " + plural_text(lines.size() - kMaxFunctions, "more function") + "</p>\n";
  }
  const std::string path = joined_text(call_path_names(row), " \u2192 ",
                                       [](const std::string& one) { return element("code", text(one, kLongestName)); });
  return path.empty() ? result : result + "<p class=\"dim\">Through " + path + "</p>\n";
}

std::string RowWriter::steps(const ComparisonRow& row) const {
  const auto explained = explained_.find({row.benchmark, row.metric.name});
  const std::string story = combined_explanation(index_, row.benchmark);
  std::string result = story.empty() ? "" : element("p", text(story, kLongestStep)) + "\n";
  if (explained == explained_.end()) {
    result += element("p", text(shown_reason(row), kLongestStep)) + "\n";
    result += paragraphs(solo_notes({&row}), 1) + paragraphs(gate_notes({&row}), 1);
  } else {
    const std::vector<std::string>& steps = explained->second->steps;
    result += "<dl>\n";
    for (std::size_t i = 0; i < std::min(steps.size(), kMaxSteps); ++i) result += step(steps[i]);
    result += "</dl>\n";
  }
  result += paragraphs(code_layout_notes({&row}), 1) + paragraphs(policy_notes(comparison_, {&row}), 4);
  return result + functions(row);
}

std::string RowWriter::reason(const ComparisonRow& row) const {
  constexpr std::size_t kLongestReason = 400;
  return element("p", text(shown_reason(row), kLongestReason)) + "\n";
}

std::string RowWriter::picture(const ComparisonRow& row) const {
  if (row.metric.kind != MetricKind::noisy) return "";
  const RowSamples samples = samples_.of(row);
  if (samples.baseline.invocations.empty() && samples.candidate.invocations.empty()) return "";
  return element("figure", svg_distributions(row, samples, SvgForm::inlined)) + "\n";
}

std::string RowWriter::data(std::size_t rows) const {
  std::vector<std::string> labels;
  for (const auto& [label, first] : metrics_) {
    if (first <= rows) labels.push_back(printable_line(shortened(label, kLongestCell, true), true));
  }
  std::vector<ScriptRow> entries;
  for (std::size_t i = 0; i < std::min(rows, rows_.size()); ++i) {
    const std::string label = metric_label(rows_[i]->metric);
    const auto known = [&](const auto& one) { return one.first == label; };
    const auto metric = std::find_if(metrics_.begin(), metrics_.end(), known) - metrics_.begin();
    entries.push_back({rows_[i], static_cast<std::size_t>(metric)});
  }
  return script_data(entries, labels);
}

}  // namespace steelyard::ci::html

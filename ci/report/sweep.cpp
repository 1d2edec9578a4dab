#include "ci/report/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "ci/app/terminal_text.hpp"
#include "ci/report/charts/text_charts.hpp"
#include "ci/report/findings.hpp"
#include "ci/report/json_values.hpp"
#include "bench/model/number_text.hpp"

namespace steelyard {
namespace {

constexpr int kPlotLines = 12;
constexpr int kWidestPlot = 64;

std::string exponent_text(double exponent) { return decimal_text(exponent, 3); }

std::string size_text(double size) {
  const bool is_whole = size == std::floor(size) && size < 1e15;
  return is_whole ? std::to_string(static_cast<std::int64_t>(size)) : decimal_text(size, 4);
}

std::size_t line_columns(const TerminalStyle& style) { return static_cast<std::size_t>(std::max(style.width - 4, 30)); }

std::string fit_text(const Sweep& sweep, const TerminalStyle& style) {
  const ScalingFit& fit = sweep.fit;
  std::string text = "  " + sweep.metric.name + " as a power of " + sweep.parameter + ": " +
                     paint(exponent_text(fit.exponent), Tone::strong, style.color);
  if (fit.interval) {
    text += " [" + exponent_text(fit.interval->low) + ", " + exponent_text(fit.interval->high) + "]";
  }
  const std::int64_t replicates = fit.inputs > 0 ? fit.inputs : fit.rounds;
  std::string facts = small_share_text(fit.confidence) + " interval over " + std::to_string(replicates) +
                      (fit.inputs > 0 ? " input" : " round") + (replicates == 1 ? "" : "s");
  if (!fit.interval) facts = "no interval";
  if (sweep.data.is_counted && fit.inputs == 0) facts = "counted exactly";
  if (fit.r_squared) facts += "; r2 " + decimal_text(*fit.r_squared, 4);
  if (fit.exponent_at_smallest) {
    facts += "; " + exponent_text(*fit.exponent_at_smallest) + " between the two smallest sizes, " +
             exponent_text(*fit.exponent_at_largest) + " between the two largest";
  }
  text += "\n";
  for (const std::string& line : wrapped(printable(facts, style.unicode), line_columns(style))) {
    text += "  " + paint(line, Tone::dim, style.color) + "\n";
  }
  return text;
}

std::string marked_lines(const std::string& mark, Tone tone, const std::string& text, const TerminalStyle& style) {
  std::string lines;
  for (const std::string& line : wrapped(printable(text, style.unicode), line_columns(style))) {
    lines += (lines.empty() ? "  " + paint(mark, tone, style.color) + " " : std::string(4, ' ')) + line + "\n";
  }
  return lines;
}

std::string claim_text(const ScalingFit& fit, const Claim& claim, const TerminalStyle& style) {
  switch (judge_claim(fit, claim)) {
    case ClaimVerdict::held:
      return marked_lines("=", Tone::good, claim_reason(fit, claim), style);
    case ClaimVerdict::refuted:
      return marked_lines("!", Tone::bad, claim_reason(fit, claim), style);
    case ClaimVerdict::undecided:
      break;
  }
  return marked_lines("?", Tone::doubtful, claim_reason(fit, claim), style);
}

// The sizes below their points, as far as there is room.
std::string size_axis(const Sweep& sweep, const LogPlot& plot, std::size_t indent) {
  std::string line(indent, ' ');
  for (std::size_t i = 0; i < sweep.data.sizes.size(); ++i) {
    const std::size_t column = indent + static_cast<std::size_t>(plot.column_of_point[i]);
    if (i > 0 && column < line.size() + 1) continue;
    line = padded(line, column) + size_text(sweep.data.sizes[i]);
  }
  return line + "\n";
}

std::string plot_text(const Sweep& sweep, const TerminalStyle& style) {
  constexpr int kAxisColumns = 14;
  std::vector<LogPoint> points;
  for (std::size_t i = 0; i < sweep.data.sizes.size(); ++i) points.push_back({sweep.data.sizes[i], sweep.levels[i]});
  const LogPlotShape shape{std::clamp(style.width - kAxisColumns - 8, 16, kWidestPlot), kPlotLines, style.unicode};
  const LogPlot plot = draw_log_plot(points, sweep.fit.coefficient, sweep.fit.exponent, shape);
  const std::string top = level_text(plot.highest, sweep.metric.unit);
  const std::string bottom = level_text(plot.lowest, sweep.metric.unit);
  const std::size_t label_columns = std::max(columns_of(top), columns_of(bottom));
  std::string text;
  for (std::size_t i = 0; i < plot.lines.size(); ++i) {
    const bool is_end = i == 0 || i + 1 == plot.lines.size();
    const std::string label = padded(i == 0 ? top : is_end ? bottom : "", label_columns, Align::right);
    const std::string tick = style.unicode ? (is_end ? " \u2524" : " \u2502") : (is_end ? " +" : " |");
    text += "  " + paint(label + tick, Tone::dim, style.color) + plot.lines[i] + "\n";
  }
  return text + size_axis(sweep, plot, label_columns + 4);
}

Json sweep_json(const Sweep& sweep, const std::optional<Claim>& claim) {
  const ScalingFit& fit = sweep.fit;
  Json json;
  json["benchmark"] = sweep.benchmark;
  json["parameter"] = sweep.parameter;
  json["metric"] = sweep.metric.name;
  json["unit"] = sweep.metric.unit;
  json["sizes"] = sweep.data.sizes;
  json["levels"] = sweep.levels;
  json["rounds"] = fit.rounds;
  json["inputs"] = fit.inputs;
  json["exponent"] = fit.exponent;
  json["interval"] = fit.interval ? Json{fit.interval->low, fit.interval->high} : Json(nullptr);
  json["confidence"] = fit.confidence;
  json["coefficient"] = json_number(fit.coefficient);
  json["r_squared"] = json_number(fit.r_squared);
  json["exponent_at_smallest"] = json_number(fit.exponent_at_smallest);
  json["exponent_at_largest"] = json_number(fit.exponent_at_largest);
  json["curved"] = fit.is_curved;
  json["expected"] = claim ? Json(claim->exponent) : Json(nullptr);
  json["tolerance"] = claim ? Json(claim->tolerance) : Json(nullptr);
  json["verdict"] = claim ? Json(to_text(judge_claim(fit, *claim))) : Json(nullptr);
  json["reason"] = claim ? Json(claim_reason(fit, *claim)) : Json(nullptr);
  json["warnings"] = sweep.warnings;
  return json;
}

}  // namespace

std::string terminal_sweeps(const std::vector<Sweep>& sweeps, const std::optional<Claim>& claim,
                            const TerminalStyle& style) {
  std::string text;
  for (const Sweep& sweep : sweeps) {
    if (!text.empty()) text += "\n";
    text += paint(printable(sweep.benchmark, style.unicode), Tone::strong, style.color) + "\n";
    text += fit_text(sweep, style);
    if (claim) text += claim_text(sweep.fit, *claim, style);
    for (const std::string& warning : sweep.warnings) text += marked_lines("~", Tone::doubtful, warning, style);
    text += plot_text(sweep, style);
  }
  return text;
}

std::string json_sweeps(const RunHeader& header, const std::vector<Sweep>& sweeps, const std::optional<Claim>& claim) {
  Json json;
  json["schema"] = "steelyard.sweep/1";
  json["run"] = {{"id", header.id.empty() ? Json(nullptr) : Json(header.id)}, {"program", header.program}};
  json["sweeps"] = Json::array();
  for (const Sweep& sweep : sweeps) json["sweeps"].push_back(sweep_json(sweep, claim));
  return json_document(json);
}

}  // namespace steelyard

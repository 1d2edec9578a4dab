#include "ci/report/targets.hpp"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "bench/ceilings/measure_ceilings.hpp"
#include "bench/model/benchmark_id.hpp"
#include "bench/model/number_text.hpp"
#include "ci/app/terminal_text.hpp"
#include "ci/report/markup.hpp"
#include "ci/report/target_text.hpp"
#include "regress/targets/find_ceiling.hpp"

namespace steelyard::ci {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string unit_of(const Ceiling& ceiling) {
  if (ceiling.kind == CeilingKind::bandwidth) return "bytes/s";
  return ceiling.dtype.starts_with('i') ? "op/s" : "flop/s";
}

// Parts of the ceiling, so that no reader has to compare scales: "-0.4 +0.2 %".
std::string difference(double value, const Ceiling& ceiling) {
  const std::string text = decimal_text((value / ceiling.value - 1) * 100, 1);
  return text.starts_with('-') ? text : "+" + text;
}

std::string interval_of(const Ceiling& ceiling) {
  if (!ceiling.low || !ceiling.high) return "-";
  return difference(*ceiling.low, ceiling) + " " + difference(*ceiling.high, ceiling) + " %";
}

std::string best_of(const Ceiling& ceiling) {
  const auto summary = bench::summarize_repetitions(ceiling.samples);
  return summary ? difference(summary->best, ceiling) + " %" : "-";
}

std::string clock_of(const Ceiling& ceiling) {
  const auto clock = bench::summarize_repetitions(ceiling.clock_samples);
  return clock ? decimal_text(clock->median * 1e-9, 2) + " GHz" : "-";
}

// The measured peak over units x lanes x 2 x clock, repetition by repetition, since the clock moves: their median.
std::string part_of_expected(const Ceiling& ceiling) {
  if (ceiling.expected_per_cycle <= 0 || ceiling.samples.size() != ceiling.clock_samples.size()) return "-";
  std::vector<double> parts;
  for (std::size_t i = 0; i < ceiling.samples.size(); ++i) {
    parts.push_back(ceiling.samples[i] / (ceiling.expected_per_cycle * ceiling.threads * ceiling.clock_samples[i]));
  }
  const auto summary = bench::summarize_repetitions(parts);
  return summary ? share_text(summary->median, 1) : "-";
}

std::string table(const Rows& rows, std::size_t left_columns, const TerminalStyle& style) {
  std::vector<Align> aligns(rows.front().size(), Align::right);
  std::fill_n(aligns.begin(), left_columns, Align::left);
  aligns.back() = Align::left;
  return with_dim_head(aligned_rows(rows, aligns, ""), style.color);
}

std::string arithmetic_table(const DeviceCeilings& device, const TerminalStyle& style) {
  Rows rows{{"dtype", "threads", "ceiling", "95 %", "best", "clock", "of expected", "by"}};
  for (const Ceiling& ceiling : device.ceilings) {
    if (ceiling.kind != CeilingKind::arithmetic) continue;
    rows.push_back({ceiling.dtype, std::to_string(ceiling.threads), level_text(ceiling.value, unit_of(ceiling)),
                    interval_of(ceiling), best_of(ceiling), clock_of(ceiling), part_of_expected(ceiling), ceiling.how});
  }
  return rows.size() == 1 ? "" : table(rows, 1, style) + "\n";
}

std::string bandwidth_table(const DeviceCeilings& device, const TerminalStyle& style) {
  Rows rows{{"level", "access", "threads", "ceiling", "95 %", "best", "by"}};
  for (const Ceiling& ceiling : device.ceilings) {
    if (ceiling.kind != CeilingKind::bandwidth) continue;
    rows.push_back({ceiling.level, ceiling.access, std::to_string(ceiling.threads),
                    level_text(ceiling.value, unit_of(ceiling)), interval_of(ceiling), best_of(ceiling), ceiling.how});
  }
  return rows.size() == 1 ? "" : table(rows, 2, style) + "\n";
}

std::string remark(const std::string& mark, const std::string& text, Tone tone, const TerminalStyle& style) {
  std::string lines;
  const std::size_t columns = style.columns(static_cast<int>(mark.size()), 30);
  for (const std::string& line : wrapped(printable(text, style.unicode), columns)) {
    lines += (lines.empty() ? paint(mark, tone, style.color) : std::string(mark.size(), ' ')) + line + "\n";
  }
  return lines;
}

// As the sheet prints it: 989.4, 7.8, 312.
std::string sheet_text(double value) {
  if (value == 0) return "-";
  return decimal_text(value, std::fabs(value - std::round(value)) < 0.05 ? 0 : 1);
}

// A second rate of the same dtype in brackets: tensor cores, or sums in f16.
std::string pair_text(double value, double second) {
  if (second == 0) return sheet_text(value);
  return sheet_text(value) + " (" + sheet_text(second) + ")";
}

Json device_ceiling_json(const Ceiling& ceiling) {
  Json json;
  const bool is_arithmetic = ceiling.kind == CeilingKind::arithmetic;
  json["kind"] = is_arithmetic ? "arithmetic" : "bandwidth";
  if (is_arithmetic) json["dtype"] = ceiling.dtype;
  if (!is_arithmetic) json["level"] = ceiling.level;
  if (!ceiling.access.empty()) json["access"] = ceiling.access;
  json["threads"] = ceiling.threads == 0 ? Json(nullptr) : Json(ceiling.threads);
  json["unit"] = !is_arithmetic ? "bytes/s" : ceiling.dtype.starts_with('i') ? "op/s" : "flop/s";
  json["value"] = ceiling.value;
  json["source"] = ceiling.source;
  if (ceiling.samples.empty()) return json;
  json["low"] = json_number(ceiling.low);
  json["high"] = json_number(ceiling.high);
  const auto summary = bench::summarize_repetitions(ceiling.samples);
  json["best"] = summary ? Json(summary->best) : Json(nullptr);
  if (!ceiling.how.empty()) json["how"] = ceiling.how;
  if (const auto clock = bench::summarize_repetitions(ceiling.clock_samples)) json["clock_hz"] = clock->median;
  if (ceiling.expected_per_cycle > 0) json["expected_per_cycle"] = ceiling.expected_per_cycle;
  json["samples"] = ceiling.samples;
  if (!ceiling.clock_samples.empty()) json["clock_samples_hz"] = ceiling.clock_samples;
  return json;
}

Json device_json(const DeviceCeilings& device) {
  Json json;
  json["device"] = device.device;
  json["fingerprint"] = device.fingerprint.empty() ? Json(nullptr) : Json(device.fingerprint);
  json["ceilings"] = Json::array();
  for (const Ceiling& ceiling : device.ceilings) json["ceilings"].push_back(device_ceiling_json(ceiling));
  return json;
}

}  // namespace

std::string terminal_ceilings(const DeviceCeilings& ceilings, const TerminalStyle& style) {
  std::string text = paint("machine " + ceilings.fingerprint, Tone::strong, style.color) + "\n\n";
  text += arithmetic_table(ceilings, style) + bandwidth_table(ceilings, style);
  text +=
      paint(
          "ceiling: the median repetition. clock: read off dependent additions. Bytes are those that the loop names;"
          "\n-nt: with stores past the caches.",
          Tone::dim, style.color) +
      "\n\n";
  for (const AbsentCeiling& absent : ceilings.absent) {
    text += remark("absent  ", absent.what + ": " + absent.reason, Tone::doubtful, style);
  }
  for (const std::string& note : ceilings.notes) text += remark("note    ", note, Tone::plain, style);
  return text;
}

std::string terminal_datasheet(std::span<const bench::DatasheetRow* const> rows, const TerminalStyle& style) {
  std::vector<std::vector<std::string>> cells{{"device", "f64 (tensor)", "f32", "tf32", "bf16", "f16 (sums in f16)",
                                               "f8 (sums in f16)", "i8", "memory", "ridge"}};
  for (const bench::DatasheetRow* row : rows) {
    cells.push_back({std::string(row->device), pair_text(row->f64, row->f64_tensor), sheet_text(row->f32),
                     sheet_text(row->tf32), sheet_text(row->bf16), pair_text(row->f16, row->f16_accumulate_f16),
                     pair_text(row->f8, row->f8_accumulate_f16), sheet_text(row->i8),
                     sheet_text(row->memory_gigabytes_per_second), decimal_text(bench::ridge_flops_per_byte(*row), 0)});
  }
  std::vector<Align> aligns(cells.front().size(), Align::right);
  aligns.front() = Align::left;
  std::string text = with_dim_head(aligned_rows(cells, aligns, ""), style.color) + "\n";
  text +=
      paint(
          "Tflop/s (i8: 10^12 operations/s), dense, at the nominal boost clock; memory in GB/s; ridge in flop per byte",
          Tone::dim, style.color) +
      "\n\n";
  for (const bench::DatasheetRow* row : rows) {
    text += std::string(row->device) + ": " + std::string(row->source) + "\n";
  }
  return text;
}

std::string json_datasheet(std::span<const bench::DatasheetRow* const> rows) {
  Json json;
  json["schema"] = "steelyard.datasheet/1";
  json["devices"] = Json::array();
  for (const bench::DatasheetRow* row : rows) {
    Json device = device_json(bench::datasheet_ceilings(*row));
    device.erase("fingerprint");
    device["ridge_flops_per_byte"] = bench::ridge_flops_per_byte(*row);
    json["devices"].push_back(std::move(device));
  }
  return json_document(json);
}

std::string json_ceilings(const DeviceCeilings& ceilings) {
  Json json;
  json["schema"] = "steelyard.ceilings/1";
  json.update(device_json(ceilings));
  json["absent"] = Json::array();
  for (const AbsentCeiling& absent : ceilings.absent) {
    json["absent"].push_back({{"what", absent.what}, {"reason", absent.reason}});
  }
  json["notes"] = ceilings.notes;
  return json_document(json);
}

namespace {

struct VerdictLook {
  const char* unicode;
  const char* ascii;
  Tone tone;
};
VerdictLook look_of(TargetVerdict verdict) {
  switch (verdict) {
    case TargetVerdict::met:
      return {"\u2713", "+", Tone::good};
    case TargetVerdict::missed:
      return {"\u2717", "x", Tone::bad};
    case TargetVerdict::undecided:
      return {"?", "?", Tone::doubtful};
  }
  return {"?", "?", Tone::doubtful};
}

constexpr std::size_t kMaxMet = 24;  // rows; missed and undecided ones are all shown
constexpr std::size_t kMaxUtilizations = 60;

std::string lines_of(const std::string& words, std::size_t indent, Tone tone, const TerminalStyle& style) {
  const std::size_t room = std::max<std::size_t>(style.columns() > indent ? style.columns() - indent : 0, 24);
  std::string text;
  for (const std::string& line : wrapped(printable(words, style.unicode), room)) {
    text += std::string(indent, ' ') + paint(shortened(line, room, style.unicode), tone, style.color) + '\n';
  }
  return text;
}

std::string target_line(const TargetRow& row, const ShownNames& names, const TerminalStyle& style) {
  const VerdictLook look = look_of(row.verdict);
  constexpr std::size_t kVerdict = 10;
  const std::string verdict =
      std::string(style.unicode ? look.unicode : look.ascii) + ' ' + padded(to_text(row.verdict), kVerdict);
  constexpr std::size_t kMinName = 9;
  const std::string name = padded(names.of(row.benchmark), std::max(names.columns(), kMinName));
  std::string text =
      paint(verdict, look.tone, style.color) + ' ' + name + "  " + printable(row.target.text, style.unicode);
  return text + '\n' + lines_of(row.reason, kVerdict + 3, Tone::dim, style);
}

std::string target_rows(const TargetReport& report, const TerminalStyle& style) {
  std::vector<std::string> benchmarks;
  for (const TargetRow& row : report.targets) benchmarks.push_back(row.benchmark);
  constexpr std::size_t kOthers = 40;
  const std::size_t most = std::max<std::size_t>(style.columns() > kOthers ? style.columns() - kOthers : 0, 16);
  const ShownNames names(benchmarks, style, most);
  std::string text;
  std::size_t met = 0;
  for (const TargetRow& row : report.targets) {
    if (row.verdict == TargetVerdict::met && ++met > kMaxMet) continue;
    text += target_line(row, names, style);
  }
  if (met > kMaxMet) {
    text +=
        paint("and " + grouped_text(met - kMaxMet) + " more met (--json has them all)", Tone::dim, style.color) + '\n';
  }
  return text;
}

// A utilization that is surely a measurement error is shown nowhere as a figure.
bool has_result(const std::optional<double>& utilization) {
  return utilization && judge_utilization(*utilization) != UtilizationJudgement::measurement_error;
}

// "51.3 % of DRAM read", "unknown", "no result: above 115 % of DRAM read".
std::string share_cell(const std::optional<RateUtilization>& rate) {
  if (!rate) return "-";
  if (!rate->utilization) return "unknown";
  if (!has_result(rate->utilization)) {
    return no_result_text(*rate->ceiling);
  }
  return share_text(*rate->utilization) + " of " + regress::name_of(*rate->ceiling);
}

std::string utilization_rows(const TargetReport& report, const TerminalStyle& style) {
  constexpr std::size_t kOthers = 84;
  const std::size_t max_name = std::max<std::size_t>(style.columns() > kOthers ? style.columns() - kOthers : 0, 24);
  std::vector<std::string> benchmarks;
  for (const UtilizationRow& row : report.utilizations) benchmarks.push_back(row.benchmark);
  const ShownNames names(benchmarks, style, max_name);
  std::vector<std::vector<std::string>> rows{{"utilization", "arithmetic", "", "memory", "", "flop/byte", "bound by"}};
  for (const UtilizationRow& row : report.utilizations) {
    if (rows.size() > kMaxUtilizations) break;
    rows.push_back({names.of(row.benchmark), row.flops ? rate_text(row.flops->achieved, "flops") : "-",
                    share_cell(row.flops), row.bandwidth ? rate_text(row.bandwidth->achieved, "bandwidth") : "-",
                    share_cell(row.bandwidth),
                    row.intensity ? decimal_text(*row.intensity, *row.intensity < 9.995 ? 2 : 1) : "-",
                    row.bound.empty() ? "-" : row.bound});
  }
  std::string text = with_dim_head(
      aligned_rows(rows, {Align::left, Align::right, Align::left, Align::right, Align::left, Align::right, Align::left},
                   ""),
      style.color);
  const std::size_t shown = std::min(report.utilizations.size(), kMaxUtilizations);
  if (shown < report.utilizations.size()) {
    text += paint("and " + std::to_string(report.utilizations.size() - shown) + " more (--json has them all)",
                  Tone::dim, style.color) +
            '\n';
  }
  return text;
}

// The reasons why something is unknown, each once.
std::string unknown_lines(const TargetReport& report, const TerminalStyle& style) {
  std::vector<std::string> told;
  std::string text;
  for (const UtilizationRow& row : report.utilizations) {
    for (const auto& rate : {row.flops, row.bandwidth}) {
      if (!rate || !rate->missing) continue;
      const std::string why = missing_text(*rate->missing);
      if (std::find(told.begin(), told.end(), why) != told.end()) continue;
      told.push_back(why);
      text += lines_of("unknown: " + why, 0, Tone::dim, style);
    }
  }
  return text;
}

Json ceiling_json(const std::optional<Ceiling>& ceiling) {
  if (!ceiling) return nullptr;
  Json json;
  json["kind"] = ceiling->kind == CeilingKind::arithmetic ? "arithmetic" : "bandwidth";
  json["dtype"] = json_text(ceiling->dtype);
  json["level"] = json_text(ceiling->level);
  json["access"] = json_text(ceiling->access);
  json["threads"] = ceiling->threads == 0 ? Json(nullptr) : Json(ceiling->threads);
  json["value"] = json_number(ceiling->value);
  json["low"] = json_number(ceiling->low);
  json["high"] = json_number(ceiling->high);
  json["source"] = ceiling->source;
  if (ceiling->scaled_to_hz > 0) json["scaled_to_hz"] = ceiling->scaled_to_hz;
  return json;
}

const char* kind_of(Target::Of of) {
  switch (of) {
    case Target::Of::bandwidth:
      return "bandwidth";
    case Target::Of::flops:
      return "flops";
    case Target::Of::roofline:
      return "roofline";
    case Target::Of::rate:
      return "rate";
  }
  return "";
}

Json target_json(const TargetRow& row) {
  Json json;
  json["benchmark"] = row.benchmark;
  json["target"] = row.target.text;
  json["declared_by"] = row.target.where;
  // A label that could not be read holds nothing.
  const bool was_read = row.target.least > 0;
  json["of"] = was_read ? Json(kind_of(row.target.of)) : Json(nullptr);
  json["least"] = was_read ? json_number(row.target.least) : Json(nullptr);
  json["metric"] = json_text(row.metric);
  json["unit"] = row.metric.empty() ? Json(nullptr) : Json(row.metric == "flops" ? "flop/s" : "bytes/s");
  json["achieved"] = json_number(row.achieved);
  json["achieved_interval"] = json_interval(row.achieved_interval);
  json["ceiling"] = ceiling_json(row.ceiling);
  const bool is_result = has_result(row.utilization);
  json["utilization"] = is_result ? json_number(row.utilization) : Json(nullptr);
  json["utilization_interval"] = is_result ? json_interval(row.utilization_interval) : Json(nullptr);
  json["confidence"] = 0.95;
  json["intensity"] = json_number(row.intensity);
  json["bound"] = json_text(row.bound);
  json["invocations"] = row.invocations;
  json["verdict"] = to_text(row.verdict);
  json["reason"] = row.reason;
  return json;
}

Json utilization_json(const UtilizationRow& row, const RateUtilization& rate, const char* metric, const char* unit) {
  Json json;
  json["benchmark"] = row.benchmark;
  json["metric"] = metric;
  const bool is_result = has_result(rate.utilization);
  json["value"] = is_result ? json_number(rate.utilization) : Json(nullptr);
  json["interval"] = is_result ? json_interval(rate.utilization_interval) : Json(nullptr);
  json["achieved"] = json_number(rate.achieved);
  json["achieved_interval"] = json_interval(rate.achieved_interval);
  json["unit"] = unit;
  json["ceiling"] = ceiling_json(rate.ceiling);
  json["intensity"] = json_number(row.intensity);
  json["bound"] = json_text(row.bound);
  json["invocations"] = row.invocations;
  json["unknown"] = json_text(rate.missing ? missing_text(*rate.missing) : "");
  return json;
}

const std::string kHead = "| | benchmark | target | found |\n|---|---|---|---|\n";

const char* mark_of_target(TargetVerdict verdict) {
  switch (verdict) {
    case TargetVerdict::met:
      return "\u2713";
    case TargetVerdict::missed:
      return "\u2717";
    case TargetVerdict::undecided:
      return "?";
  }
  return "";
}

// The share with its ceiling is in the reason; here also the rate itself, and what keeps it from being more.
std::string found_text(const TargetRow& row) {
  std::string text = row.reason;
  if (row.achieved && row.target.of != Target::Of::rate) text += "; " + rate_text(*row.achieved, row.metric);
  if (!row.bound.empty()) text += "; " + bound_text(row.bound);
  return text;
}

// What is not met before what is, each in their order.
std::vector<const TargetRow*> open_first(const TargetReport& report) {
  std::vector<const TargetRow*> rows;
  for (const TargetRow& row : report.targets) rows.push_back(&row);
  std::stable_partition(rows.begin(), rows.end(),
                        [](const TargetRow* row) { return row->verdict != TargetVerdict::met; });
  return rows;
}

std::string row_text(const TargetRow& row) {
  return std::string("| ") + mark_of_target(row.verdict) + ' ' + std::string(to_text(row.verdict)) + " | " +
         markdown::code(name_as_given(row.benchmark), true) + " | " + markdown::words(row.target.text) + " | " +
         markdown::words(found_text(row)) + " |\n";
}

}  // namespace

std::string no_result_text(const Ceiling& ceiling) {
  return "no result: above " + small_share_text(kUtilizationError) + " of " + regress::name_of(ceiling);
}

std::string bound_text(const std::string& bound) {
  return bound == kBoundByNeither ? "bound by neither memory nor arithmetic" : "bound by " + bound;
}

std::string target_summary(const TargetReport& report) {
  if (report.targets.empty()) return "";
  const auto counts = report.count_by_verdict();
  std::string text;
  for (const TargetVerdict verdict : {TargetVerdict::missed, TargetVerdict::undecided, TargetVerdict::met}) {
    const std::int64_t count = counts.at(static_cast<std::size_t>(verdict));
    if (count == 0) continue;
    text += (text.empty() ? grouped_text(count) + (count == 1 ? " target " : " targets ")
                          : ", " + grouped_text(count) + ' ') +
            std::string(to_text(verdict));
  }
  return text;
}

std::string terminal_targets(const TargetReport& report, const TerminalStyle& style) {
  std::string text;
  if (!report.targets.empty()) {
    const auto counts = report.count_by_verdict();
    const auto count = [&](TargetVerdict verdict) { return counts.at(static_cast<std::size_t>(verdict)); };
    const Tone tone = count(TargetVerdict::missed) > 0      ? Tone::bad
                      : count(TargetVerdict::undecided) > 0 ? Tone::strong
                                                            : Tone::good;
    text += target_rows(report, style) + paint(target_summary(report), tone, style.color) + '\n';
  }
  if (!report.utilizations.empty()) {
    text += (text.empty() ? "" : "\n") + utilization_rows(report, style) + unknown_lines(report, style);
  }
  for (const std::string& warning : report.warnings) text += lines_of("warning: " + warning, 0, Tone::doubtful, style);
  if (!report.hint.empty()) text += lines_of(report.hint, 0, Tone::dim, style);
  return text;
}

Json targets_json(const TargetReport& report) {
  Json json = Json::array();
  for (const TargetRow& row : report.targets) json.push_back(target_json(row));
  return json;
}

Json utilizations_json(const TargetReport& report) {
  Json json = Json::array();
  for (const UtilizationRow& row : report.utilizations) {
    if (row.flops) json.push_back(utilization_json(row, *row.flops, "flop_utilization", "flop/s"));
    if (row.bandwidth) json.push_back(utilization_json(row, *row.bandwidth, "bandwidth_utilization", "bytes/s"));
  }
  return json;
}

std::string json_checked_targets(const std::vector<CheckedRun>& runs) {
  Json json;
  json["schema"] = "steelyard.targets/1";
  json["runs"] = Json::array();
  for (const CheckedRun& checked : runs) {
    Json one;
    one["run"] = {{"id", json_text(checked.run->header.id)},
                  {"program", checked.run->header.program},
                  {"commit", json_text(checked.run->header.commit.sha)},
                  {"fingerprint", json_text(checked.run->environment.fingerprint())}};
    one["targets"] = targets_json(checked.report);
    one["utilizations"] = utilizations_json(checked.report);
    one["warnings"] = checked.report.warnings;
    one["hint"] = json_text(checked.report.hint);
    json["runs"].push_back(std::move(one));
  }
  return json_document(json);
}

std::string markdown_targets(const TargetReport& report, std::size_t most) {
  std::string open;
  std::string met;
  std::size_t rows = 0;
  for (const TargetRow* const row : open_first(report)) {
    if (rows++ == most) break;
    (row->verdict == TargetVerdict::met ? met : open) += row_text(*row);
  }
  if (rows == 0) return "";
  std::string text = "**Targets**: " + target_summary(report) + "\n\n";
  if (!open.empty()) text += kHead + open + "\n";
  const std::int64_t count = report.count_by_verdict().at(static_cast<std::size_t>(TargetVerdict::met));
  if (!met.empty()) {
    text += "<details><summary>" + grouped_text(count) + " met</summary>\n\n" + kHead + met + "\n</details>\n\n";
  }
  if (report.targets.size() > most) {
    text +=
        grouped_text(report.targets.size() - most) + " more targets do not fit here; the JSON report has them all.\n\n";
  }
  return text;
}

std::string html_targets(const TargetReport& report) {
  if (report.targets.empty()) return "";
  constexpr std::size_t kMaxLines = 1000;
  std::string table =
      "<table><thead><tr><th></th><th>benchmark</th><th>target</th><th>found</th></tr></thead><tbody>\n";
  const std::vector<const TargetRow*> rows = open_first(report);
  for (std::size_t i = 0; i < std::min(rows.size(), kMaxLines); ++i) {
    const TargetRow& row = *rows[i];
    const std::string verdict(to_text(row.verdict));
    table += "<tr class=\"" + verdict + "\"><td>" + html::element("span", mark_of_target(row.verdict), "mark") + " " +
             verdict + "</td>" +
             html::element("td", html::element("code", html::text(name_as_given(row.benchmark), 300))) +
             html::element("td", html::text(row.target.text, 300)) +
             html::element("td", html::text(found_text(row), 1000)) + "</tr>\n";
  }
  table += "</tbody></table>\n";
  if (rows.size() > kMaxLines) {
    const auto more = static_cast<std::int64_t>(rows.size() - kMaxLines);
    table += html::element("p", "and " + plural_text(more, "more target") + ": see the JSON") + "\n";
  }
  return table;
}

}  // namespace steelyard::ci

#include "ci/report/ceilings.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "bench/ceilings/repetition_summary.hpp"
#include "ci/app/terminal_text.hpp"
#include "ci/report/json_values.hpp"
#include "bench/model/number_text.hpp"

namespace steelyard {
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
  const auto summary = summarize_repetitions(ceiling.samples);
  return summary ? difference(summary->best, ceiling) + " %" : "-";
}

std::string clock_of(const Ceiling& ceiling) {
  const auto clock = summarize_repetitions(ceiling.clock_samples);
  return clock ? decimal_text(clock->median * 1e-9, 2) + " GHz" : "-";
}

// The measured peak over units x lanes x 2 x clock, repetition by repetition, since the clock moves: their median.
std::string part_of_expected(const Ceiling& ceiling) {
  if (ceiling.expected_per_cycle <= 0 || ceiling.samples.size() != ceiling.clock_samples.size()) return "-";
  std::vector<double> parts;
  for (std::size_t i = 0; i < ceiling.samples.size(); ++i) {
    parts.push_back(ceiling.samples[i] / (ceiling.expected_per_cycle * ceiling.threads * ceiling.clock_samples[i]));
  }
  const auto summary = summarize_repetitions(parts);
  return summary ? decimal_text(summary->median * 100, 1) + " %" : "-";
}

std::string table(const Rows& rows, std::size_t left_columns, const TerminalStyle& style) {
  std::vector<Align> aligns(rows.front().size(), Align::right);
  std::fill_n(aligns.begin(), left_columns, Align::left);
  aligns.back() = Align::left;
  const std::string text = aligned_rows(rows, aligns, "");
  const std::size_t end_of_head = text.find('\n');
  return paint(text.substr(0, end_of_head), Tone::dim, style.color) + text.substr(end_of_head);
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
  const std::size_t columns = static_cast<std::size_t>(std::max(style.width - static_cast<int>(mark.size()), 30));
  for (const std::string& line : wrapped(printable(text, style.unicode), columns)) {
    lines += (lines.empty() ? paint(mark, tone, style.color) : std::string(mark.size(), ' ')) + line + "\n";
  }
  return lines;
}

// As the sheet prints it: 989.4, 7.8, 312.
std::string rate_text(double value) {
  if (value == 0) return "-";
  std::string text = decimal_text(value, 1);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

// A second rate of the same dtype in brackets: tensor cores, or sums in f16.
std::string pair_text(double value, double second) {
  if (second == 0) return rate_text(value);
  return rate_text(value) + " (" + rate_text(second) + ")";
}

Json ceiling_json(const Ceiling& ceiling) {
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
  const auto summary = summarize_repetitions(ceiling.samples);
  json["best"] = summary ? Json(summary->best) : Json(nullptr);
  if (!ceiling.how.empty()) json["how"] = ceiling.how;
  if (const auto clock = summarize_repetitions(ceiling.clock_samples)) json["clock_hz"] = clock->median;
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
  for (const Ceiling& ceiling : device.ceilings) json["ceilings"].push_back(ceiling_json(ceiling));
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

std::string terminal_datasheet(std::span<const DatasheetRow* const> rows, const TerminalStyle& style) {
  std::vector<std::vector<std::string>> cells{{"device", "f64 (tensor)", "f32", "tf32", "bf16", "f16 (sums in f16)",
                                               "f8 (sums in f16)", "i8", "memory", "ridge"}};
  for (const DatasheetRow* row : rows) {
    cells.push_back({std::string(row->device), pair_text(row->f64, row->f64_tensor), rate_text(row->f32),
                     rate_text(row->tf32), rate_text(row->bf16), pair_text(row->f16, row->f16_accumulate_f16),
                     pair_text(row->f8, row->f8_accumulate_f16), rate_text(row->i8),
                     rate_text(row->memory_gigabytes_per_second), decimal_text(ridge_flops_per_byte(*row), 0)});
  }
  std::vector<Align> aligns(cells.front().size(), Align::right);
  aligns.front() = Align::left;
  const std::string table = aligned_rows(cells, aligns, "");
  const std::size_t end_of_head = table.find('\n');
  std::string text = paint(table.substr(0, end_of_head), Tone::dim, style.color) + table.substr(end_of_head) + "\n";
  text +=
      paint(
          "Tflop/s (i8: 10^12 operations/s), dense, at the nominal boost clock; memory in GB/s; ridge in flop per byte",
          Tone::dim, style.color) +
      "\n\n";
  for (const DatasheetRow* row : rows) {
    text += std::string(row->device) + ": " + std::string(row->source) + "\n";
  }
  return text;
}

std::string json_datasheet(std::span<const DatasheetRow* const> rows) {
  Json json;
  json["schema"] = "steelyard.datasheet/1";
  json["devices"] = Json::array();
  for (const DatasheetRow* row : rows) {
    Json device = device_json(datasheet_ceilings(*row));
    device.erase("fingerprint");
    device["ridge_flops_per_byte"] = ridge_flops_per_byte(*row);
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

}  // namespace steelyard

// Where the time of a trace went.
#include "ci/report/trace.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bench/ceilings/datasheet.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "bench/model/utf8.hpp"
#include "ci/report/markup.hpp"
#include "ci/report/trace_columns.hpp"
#include "ci/report/trace_names.hpp"

namespace steelyard::ci {
namespace {

using bench::KeyAverage;

// The reference's forms, so that tables can be held beside each other: spec of torch.autograd.profiler_util.
std::string time_text(std::int64_t ns) {
  const double us = static_cast<double>(ns) / 1e3;
  if (us >= 1e6) return decimals_text(us / 1e6, 3) + "s";
  if (us >= 1e3) return decimals_text(us / 1e3, 3) + "ms";
  return decimals_text(us, 3) + "us";
}

std::string memory_text(std::int64_t bytes) {
  constexpr std::array<const char*, 4> kUnits{"B", "KB", "MB", "GB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (std::abs(size) >= 1024 && unit + 1 < kUnits.size()) {
    size /= 1024;
    ++unit;
  }
  return unit == 0 ? std::to_string(bytes) + " B" : decimals_text(size, 2) + " " + kUnits.at(unit);
}

std::string percent_text(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return "-";
  return decimals_text(100 * static_cast<double>(part) / static_cast<double>(whole), 2) + "%";
}

// In the unit that the largest of the column has.
struct FlopScale {
  double divisor = 1;
  std::string name = "Total FLOPs";
};
FlopScale flop_scale(std::span<const KeyAverage> rows) {
  double most = 0;
  for (const KeyAverage& row : rows) most = std::max(most, row.flops.value_or(0));
  FlopScale scale;
  for (const char* unit : {"K", "M", "G", "T", "P"}) {
    if (most < scale.divisor * 1000) break;
    scale = {scale.divisor * 1000, std::string("Total ") + unit + "FLOPs"};
  }
  return scale;
}

std::int64_t average_ns(std::int64_t ns, std::int64_t calls) { return calls == 0 ? 0 : (ns + calls / 2) / calls; }

class Columns : public TraceColumns<KeyAverage> {
 public:
  Columns(const bench::KeyAverages& averages, const TraceTable& table)
      : TraceColumns(averages.rows, table.rows), averages_(averages), table_(table) {
    fill();
  }

 private:
  void fill();
  void fill_device();

  const bench::KeyAverages& averages_;
  const TraceTable& table_;
};

void Columns::fill_device() {
  if (!any([](const KeyAverage& row) { return row.device_ns != 0; })) return;
  const std::int64_t whole = averages_.self_device_ns;
  add("Self CUDA", [](const KeyAverage& row) { return time_text(row.self_device_ns); });
  add("Self CUDA %", [=](const KeyAverage& row) { return percent_text(row.self_device_ns, whole); });
  add("CUDA total", [](const KeyAverage& row) { return time_text(row.device_ns); });
  add("CUDA time avg", [](const KeyAverage& row) { return time_text(average_ns(row.device_ns, row.calls)); });
}

void Columns::fill() {
  const std::int64_t whole = averages_.self_ns;
  std::vector<TraceName> names;
  for (const KeyAverage& row : shown()) names.push_back({row_name(row), row.is_on_device});
  add_texts("Name", fitted_names(names, table_.name_width), TraceCells::names);
  add("Self CPU %", [=](const KeyAverage& row) { return percent_text(row.self_ns, whole); });
  add("Self CPU", [](const KeyAverage& row) { return time_text(row.self_ns); });
  add("CPU total %", [=](const KeyAverage& row) { return percent_text(row.total_ns, whole); });
  add("CPU total", [](const KeyAverage& row) { return time_text(row.total_ns); });
  add("CPU time avg", [](const KeyAverage& row) { return time_text(average_ns(row.total_ns, row.calls)); });
  fill_device();
  const auto text = [](const std::optional<std::int64_t>& bytes) { return bytes ? memory_text(*bytes) : "-"; };
  if (any([](const KeyAverage& row) { return row.allocated_bytes.has_value(); })) {
    add("CPU Mem", [=](const KeyAverage& row) { return text(row.allocated_bytes); });
    add("Self CPU Mem", [=](const KeyAverage& row) { return text(row.self_allocated_bytes); });
  }
  if (any([](const KeyAverage& row) { return row.device_allocated_bytes.has_value(); })) {
    add("CUDA Mem", [=](const KeyAverage& row) { return text(row.device_allocated_bytes); });
    add("Self CUDA Mem", [=](const KeyAverage& row) { return text(row.self_device_allocated_bytes); });
  }
  add("# of Calls", [](const KeyAverage& row) { return std::to_string(row.calls); });
  if (table_.has_processes && any([](const KeyAverage& row) { return row.process.has_value(); })) {
    add("Process", [](const KeyAverage& row) { return row.process ? std::to_string(*row.process) : "-"; });
  }
  if (table_.has_shapes && any([](const KeyAverage& row) { return !row.shapes.empty(); })) {
    add(
        "Input Shapes", [this](const KeyAverage& row) { return cut_right(row.shapes, table_.shapes_width); },
        TraceCells::names);
  }
  if (table_.has_places && any([](const KeyAverage& row) { return !row.place.empty(); })) {
    add(
        "Source Location", [this](const KeyAverage& row) { return cut_left(row.place, table_.place_width); },
        TraceCells::names);
  }
  if (any([](const KeyAverage& row) { return row.flops.has_value(); })) {
    const FlopScale scale = flop_scale(shown());
    add(scale.name,
        [=](const KeyAverage& row) { return row.flops ? decimals_text(*row.flops / scale.divisor, 3) : "--"; });
  }
}

std::vector<std::string> footer_of(const bench::Trace& trace, const bench::KeyAverages& averages, std::size_t shown) {
  std::vector<std::string> lines;
  if (shown < averages.rows.size()) {
    lines.push_back("and " + std::to_string(averages.rows.size() - shown) + " more rows");
  }
  lines.push_back("Self CPU time total: " + time_text(averages.self_ns));
  if (averages.self_device_ns > 0) lines.push_back("Self CUDA time total: " + time_text(averages.self_device_ns));
  const std::vector<std::string> notes = missing_lines(trace);
  lines.insert(lines.end(), notes.begin(), notes.end());
  return lines;
}

}  // namespace

std::string row_name(const KeyAverage& row) { return (row.is_one_iteration ? "one iteration of " : "") + row.name; }

std::string device_record_words(DeviceRecordKind kind) {
  constexpr std::array<const char*, 10> kWords{
      "nothing",      "kernels", "copies",       "sets", "graphs", "calls of the runtime", "calls of the driver",
      "its own cost", "streams", "memory in use"};
  return kWords.at(static_cast<std::size_t>(kind));
}

namespace {

// What is missing in a trace, a line each.
struct TraceNotes {
  std::vector<std::string> lines;
  void say(bool is_so, const std::string& line) {
    if (is_so) lines.push_back(line);
  }
  void count(std::uint64_t number, const char* noun, const std::string& rest) {
    say(number > 0, plural_text(number, noun) + ' ' + rest);
  }
};

void add_device_notes(const bench::DeviceRecording& recording, TraceNotes& notes) {
  notes.say(!recording.refusal.empty(), "No device was recorded: " + printable_line(recording.refusal, true) + ".");
  notes.say(!recording.unrecorded.empty(),
            "CUPTI does not record here: " + joined_text(recording.unrecorded, ", ", device_record_words) + ".");
  notes.count(recording.dropped, "record", "of devices found no room in CUPTI's buffers.");
  notes.count(recording.without_room, "record", "of devices found no room in the recording.");
  notes.count(recording.untimed, "record",
              "of devices without times, as what they are of had not ended, are in no row.");
}

}  // namespace

std::string replaced_names_line(const bench::Trace& trace) {
  if (trace.replaced > 0) {
    return plural_text(trace.replaced, "place") + " of the file told as U+FFFD, being no UTF-8.";
  }
  std::size_t names = 0;
  for (std::uint32_t i = 0; i < trace.texts.size(); ++i) names += is_utf8(trace.texts[i]) ? 0 : 1;
  if (names == 0) return "";
  return plural_text(names, "name") + " with bytes that are no UTF-8: each is U+FFFD in files, ? in tables.";
}

std::vector<std::string> missing_lines(const bench::Trace& trace) {
  TraceNotes notes;
  const auto open = std::count_if(trace.events.begin(), trace.events.end(),
                                  [](const bench::TraceEvent& event) { return event.is_open; });
  notes.say(!trace.is_finished, "The recording has no end: its process ended, or still runs.");
  notes.say(trace.is_cut, "The file ends in the middle: what stood behind is in no row.");
  const std::string replaced = replaced_names_line(trace);
  notes.say(!replaced.empty(), replaced);
  notes.count(trace.backwards, "span", "ended before they began, as a clock stepped, and are in no row.");
  notes.count(static_cast<std::uint64_t>(open), "span",
              "had not ended; each counts until the last thing that its thread did.");
  notes.count(trace.dropped, "span", "found no room in the recording and are in no row.");
  notes.count(trace.unnamed, "span", "have no name, as there was no room for it.");
  notes.count(trace.unreadable, "event", "without a time that can be read: in no row.");
  notes.count(trace.memory_excluded, "change",
              "of memory that cannot be read, or beyond what is read at once: in no figure.");
  notes.count(trace.cut_names, "name",
              "cut: the recording keeps the first " + grouped_text(kMaxSpanNameBytes) + " bytes of each.");
  const bench::TraceSampling& sampling = trace.sampling;
  const std::string& refusal = sampling.perf_refusal;
  notes.say(sampling.has_timers, "Samples come by timers, no more often than the system's tick" +
                                     (refusal.empty() ? "" : ": perf events are refused (" + refusal + ")") + ".");
  if (!sampling.has_timers) {
    notes.count(sampling.missed, "sample", "came too late to be taken; the next of the thread stands for them.");
  }
  notes.count(sampling.dropped, "sample", "found no room in the recording.");
  notes.say(sampling.has_newer_files,
            "A program or library that ran is newer than the recording: functions may be others.");
  notes.say(trace.begins_cold, "No span was made before the first step: names, and room for spans, were made in it.");
  notes.say(!trace.has_steady_ticks,
            "Times are of the system's clock: this machine's time stamp counter does not serve.");
  add_device_notes(trace.device_recording, notes);
  return std::move(notes.lines);
}

namespace {

// Beneath the table of spans: a title, then a row each.
struct FurtherTable {
  std::string title;
  std::vector<TraceCells> kinds;
  std::vector<std::vector<std::string>> cells;
  std::string rest;  // how many rows are not shown; empty: none
};

// What samples found in the spans. No table: nothing was sampled.
std::optional<FurtherTable> sampled_table(const bench::Trace& trace, const TraceTable& form) {
  if (trace.sampling.hz == 0) return std::nullopt;
  const std::vector<bench::SampledFunction> functions = bench::sampled_functions(trace);
  std::int64_t whole = 0;
  for (const bench::SampledFunction& function : functions) whole += function.self_ns;
  FurtherTable table{"Functions in spans, by " + plural_text(trace.samples.size(), "sample") + " of " +
                         time_text(whole) + " of the processor:",
                     {TraceCells::names, TraceCells::figures, TraceCells::figures, TraceCells::figures,
                      TraceCells::figures, TraceCells::names},
                     {{"Function", "Self CPU %", "Self CPU", "CPU total", "# of Samples", "Span"}},
                     ""};
  for (const bench::SampledFunction& function : functions) {
    if (form.rows >= 0 && table.cells.size() > static_cast<std::size_t>(form.rows)) break;
    table.cells.push_back({cut_right(function.name, form.place_width), percent_text(function.self_ns, whole),
                           time_text(function.self_ns), time_text(function.total_ns), std::to_string(function.samples),
                           cut_right(function.event, form.name_width)});
  }
  const std::size_t more = functions.size() + 1 - table.cells.size();
  if (more > 0) table.rest = "and " + std::to_string(more) + " more rows";
  return table;
}

// What figures of those rows are, in brackets.
std::string device_words(const std::vector<const KeyAverage*>& rows) {
  std::string words;
  const auto add = [&](const char* what, std::string LaunchTexts::*text) {
    const auto has = [&](const KeyAverage* row) { return !(launch_texts(*row).*text).empty(); };
    if (std::any_of(rows.begin(), rows.end(), has)) words += (words.empty() ? " (" : "; ") + std::string(what);
  };
  add("occupancy: the share of a multiprocessor's warps, by the formula of cuda_occupancy.h", &LaunchTexts::occupancy);
  add("achieved: what the grid leaves of it, by PyTorch's formula", &LaunchTexts::achieved_occupancy);
  add("peak: the datasheet's, of dense arithmetic in the dtype beside it", &LaunchTexts::arithmetic_share);
  return words + (words.empty() ? "" : ")");
}

// How kernels were launched and how fast copies moved. Absent: neither is known of any.
std::optional<FurtherTable> device_table(const bench::KeyAverages& averages, const TraceTable& form) {
  std::vector<const KeyAverage*> shown;
  for (const KeyAverage& row : averages.rows) {
    if (row.is_on_device && (row.launch || row.bytes)) shown.push_back(&row);
  }
  if (shown.empty()) return std::nullopt;
  std::stable_sort(shown.begin(), shown.end(),
                   [](const KeyAverage* a, const KeyAverage* b) { return a->self_device_ns > b->self_device_ns; });
  const std::size_t all = shown.size();
  if (form.rows >= 0) shown.resize(std::min(all, static_cast<std::size_t>(form.rows)));
  FurtherTable table{"On devices" + device_words(shown) + ":", {TraceCells::names}, {{"Name"}}, ""};
  if (shown.size() < all) table.rest = "and " + std::to_string(all - shown.size()) + " more rows";
  std::vector<TraceName> names;
  for (const KeyAverage* row : shown) names.push_back({row->name, true});
  for (std::string& name : fitted_names(names, form.name_width)) table.cells.push_back({std::move(name)});
  const auto add = [&](const char* title, auto text) {
    std::vector<std::string> cells;
    for (const KeyAverage* row : shown) cells.push_back(text(*row));
    if (std::all_of(cells.begin(), cells.end(), [](const std::string& cell) { return cell.empty(); })) return;
    table.kinds.push_back(TraceCells::figures);
    table.cells[0].emplace_back(title);
    for (std::size_t i = 0; i < cells.size(); ++i) table.cells[i + 1].push_back(cells[i].empty() ? "-" : cells[i]);
  };
  add("# of Calls", [](const KeyAverage& row) { return std::to_string(row.calls); });
  add("CUDA time avg", [](const KeyAverage& row) { return time_text(average_ns(row.device_ns, row.calls)); });
  add("Grid", [](const KeyAverage& row) { return launch_texts(row).grid; });
  add("Block", [](const KeyAverage& row) { return launch_texts(row).block; });
  add("Registers", [](const KeyAverage& row) { return launch_texts(row).registers; });
  add("Shared Mem", [](const KeyAverage& row) { return launch_texts(row).shared; });
  add("Occupancy", [](const KeyAverage& row) { return launch_texts(row).occupancy; });
  add("Est. achieved", [](const KeyAverage& row) { return launch_texts(row).achieved_occupancy; });
  add("FLOP/s", [](const KeyAverage& row) { return launch_texts(row).flops; });
  add("% of peak", [](const KeyAverage& row) { return launch_texts(row).arithmetic_share; });
  add("Bandwidth", [](const KeyAverage& row) { return launch_texts(row).bandwidth; });
  add("% of DRAM", [](const KeyAverage& row) { return launch_texts(row).memory_share; });
  return table;
}

std::vector<FurtherTable> further_tables(const bench::Trace& trace, const bench::KeyAverages& averages,
                                         const TraceTable& form) {
  std::vector<FurtherTable> tables;
  if (auto table = device_table(averages, form)) tables.push_back(std::move(*table));
  if (auto table = sampled_table(trace, form)) tables.push_back(std::move(*table));
  return tables;
}

}  // namespace

std::optional<double> bandwidth_of(const KeyAverage& row) {
  if (!row.is_on_device || !row.bytes || row.device_ns <= 0) return row.achieved.bytes;
  return *row.bytes / (static_cast<double>(row.device_ns) / 1e9);
}

std::optional<double> memory_share_of(const KeyAverage& row) {
  const bench::DatasheetRow* const sheet = bench::find_datasheet_row(row.achieved.device);
  if (!row.achieved.bytes || sheet == nullptr) return std::nullopt;
  return *row.achieved.bytes / (sheet->memory_gigabytes_per_second * 1e9);
}

std::optional<double> arithmetic_share_of(const KeyAverage& row) {
  const bench::DatasheetRow* const sheet = bench::find_datasheet_row(row.achieved.device);
  if (!row.achieved.flops || row.achieved.dtype.empty() || sheet == nullptr) return std::nullopt;
  for (const Ceiling& ceiling : bench::datasheet_ceilings(*sheet).ceilings) {
    const bool is_it = ceiling.kind == CeilingKind::arithmetic && ceiling.dtype == row.achieved.dtype;
    if (is_it) return *row.achieved.flops / ceiling.value;
  }
  return std::nullopt;
}

LaunchTexts launch_texts(const KeyAverage& row) {
  LaunchTexts texts;
  if (row.achieved.flops) texts.flops = level_text(*row.achieved.flops, "flop/s");
  if (const auto bandwidth = bandwidth_of(row)) texts.bandwidth = level_text(*bandwidth, "bytes/s");
  if (const auto share = memory_share_of(row)) texts.memory_share = decimals_text(100 * *share, 1) + "%";
  if (const auto share = arithmetic_share_of(row)) {
    texts.arithmetic_share = decimals_text(100 * *share, 1) + "% " + row.achieved.dtype;
  }
  if (!row.launch) return texts;
  const bench::KernelLaunch& launch = *row.launch;
  const auto size = [](const std::array<std::uint32_t, 3>& n) {
    return std::to_string(n[0]) + "x" + std::to_string(n[1]) + "x" + std::to_string(n[2]);
  };
  texts.grid = row.launches > 1 ? std::to_string(row.launches) + " kinds" : size(launch.grid);
  if (row.common.block) texts.block = size(launch.block);
  if (row.common.registers && launch.registers > 0) texts.registers = std::to_string(launch.registers);
  if (row.common.shared) {
    texts.shared = memory_text(static_cast<std::int64_t>(launch.static_shared_bytes + launch.dynamic_shared_bytes));
  }
  if (row.common.occupancy && launch.occupancy) texts.occupancy = decimals_text(100 * *launch.occupancy, 1) + "%";
  if (row.common.achieved_occupancy && launch.achieved_occupancy) {
    texts.achieved_occupancy = decimals_text(100 * *launch.achieved_occupancy, 1) + "%";
  }
  return texts;
}

std::string terminal_trace(const bench::Trace& trace, const bench::KeyAverages& averages, const TraceTable& table) {
  const Columns columns(averages, table);
  std::string text = averages.rows.empty() ? "the trace has no events\n"
                                           : aligned_rows(columns.cells(), aligns_of(columns.kinds()), "");
  for (const std::string& line : footer_of(trace, averages, columns.rows())) text += line + "\n";
  for (const FurtherTable& further : further_tables(trace, averages, table)) {
    text += "\n" + further.title + "\n" + aligned_rows(further.cells, aligns_of(further.kinds), "");
    if (!further.rest.empty()) text += further.rest + "\n";
  }
  return text;
}

std::string markdown_trace(const bench::Trace& trace, const bench::KeyAverages& averages, const TraceTable& table) {
  const Columns columns(averages, table);
  std::string text = markdown_rows(columns.cells(), columns.kinds());
  for (const std::string& line : footer_of(trace, averages, columns.rows())) {
    text += "\n" + markdown::words(line) + "\n";
  }
  for (const FurtherTable& further : further_tables(trace, averages, table)) {
    text += "\n" + further.title + "\n\n" + markdown_rows(further.cells, further.kinds);
    if (!further.rest.empty()) text += "\n" + further.rest + "\n";
  }
  return text;
}

}  // namespace steelyard::ci

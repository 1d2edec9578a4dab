// A trace, and a difference of two, for other programs: every row, in nanoseconds and bytes.
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/model/fields.hpp"
#include "bench/model/text.hpp"
#include "ci/report/markup.hpp"
#include "ci/report/trace.hpp"
#include "ci/report/trace_difference.hpp"

namespace steelyard::ci {
namespace {

using bench::KeyAverage;

std::uint64_t shared_bytes_of(const bench::KernelLaunch& launch) {
  return launch.static_shared_bytes + launch.dynamic_shared_bytes;
}

// null: nobody wanted devices, or another program recorded them.
Json json_devices(const bench::Trace& trace) {
  const bench::DeviceRecording& recording = trace.device_recording;
  if (recording.cupti_version == 0 && recording.refusal.empty()) return Json();
  Json devices = Json::array(), unrecorded = Json::array();
  for (const bench::TraceDevice& device : trace.devices) {
    devices.push_back({{"device", device.process}, {"name", json_text(device.name)}});
  }
  for (const DeviceRecordKind kind : recording.unrecorded) unrecorded.push_back(device_record_words(kind));
  return {{"refusal", json_text(recording.refusal)},
          {"cupti", recording.cupti_version},
          {"dropped", recording.dropped},
          {"without_room", recording.without_room},
          {"untimed", recording.untimed},
          {"hardware_stamps", recording.has_hardware_stamps},
          {"unrecorded", std::move(unrecorded)},
          {"devices", std::move(devices)}};
}

std::string cell_of(const std::optional<std::int64_t>& value) { return value ? std::to_string(*value) : ""; }
std::string cell_of(const std::optional<double>& value) { return value ? shortest_text(*value) : ""; }

struct CsvColumn {
  const char* title;
  std::string (*cell)(const KeyAverage&);
};
constexpr std::array<CsvColumn, 29> kCsvColumns{{
    {"name", [](const KeyAverage& row) { return row.name; }},
    {"on_device", [](const KeyAverage& row) { return std::string(row.is_on_device ? "1" : "0"); }},
    {"calls", [](const KeyAverage& row) { return std::to_string(row.calls); }},
    {"self_ns", [](const KeyAverage& row) { return std::to_string(row.self_ns); }},
    {"total_ns", [](const KeyAverage& row) { return std::to_string(row.total_ns); }},
    {"self_device_ns", [](const KeyAverage& row) { return std::to_string(row.self_device_ns); }},
    {"device_ns", [](const KeyAverage& row) { return std::to_string(row.device_ns); }},
    {"allocated_bytes", [](const KeyAverage& row) { return cell_of(row.allocated_bytes); }},
    {"self_allocated_bytes", [](const KeyAverage& row) { return cell_of(row.self_allocated_bytes); }},
    {"flops", [](const KeyAverage& row) { return cell_of(row.flops); }},
    {"bytes", [](const KeyAverage& row) { return cell_of(row.bytes); }},
    {"shapes", [](const KeyAverage& row) { return row.shapes; }},
    {"place", [](const KeyAverage& row) { return row.place; }},
    {"launches", [](const KeyAverage& row) { return std::to_string(row.launches); }},
    {"grid", [](const KeyAverage& row) { return row.launch ? bench::dimensions_text(row.launch->grid) : ""; }},
    {"block", [](const KeyAverage& row) { return row.launch ? bench::dimensions_text(row.launch->block) : ""; }},
    {"registers", [](const KeyAverage& row) { return row.launch ? std::to_string(row.launch->registers) : ""; }},
    {"shared_bytes",
     [](const KeyAverage& row) { return row.launch ? std::to_string(shared_bytes_of(*row.launch)) : ""; }},
    {"occupancy", [](const KeyAverage& row) { return row.launch ? cell_of(row.launch->occupancy) : ""; }},
    {"flops_per_second", [](const KeyAverage& row) { return cell_of(row.achieved.flops); }},
    {"bytes_per_second", [](const KeyAverage& row) { return cell_of(bandwidth_of(row)); }},
    {"memory_share", [](const KeyAverage& row) { return cell_of(memory_share_of(row)); }},
    {"arithmetic_share", [](const KeyAverage& row) { return cell_of(arithmetic_share_of(row)); }},
    {"dtype", [](const KeyAverage& row) { return row.achieved.dtype; }},
    {"device_allocated_bytes", [](const KeyAverage& row) { return cell_of(row.device_allocated_bytes); }},
    {"self_device_allocated_bytes", [](const KeyAverage& row) { return cell_of(row.self_device_allocated_bytes); }},
    {"achieved_occupancy",
     [](const KeyAverage& row) { return row.launch ? cell_of(row.launch->achieved_occupancy) : ""; }},
    {"one_iteration", [](const KeyAverage& row) { return std::string(row.is_one_iteration ? "1" : "0"); }},
    {"process", [](const KeyAverage& row) { return row.process ? std::to_string(*row.process) : ""; }},
}};

}  // namespace

std::string csv_trace(const bench::KeyAverages& averages) {
  std::vector<std::string> cells;
  for (const CsvColumn& column : kCsvColumns) cells.emplace_back(column.title);
  std::string text = csv_record(cells);
  for (const KeyAverage& row : averages.rows) {
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = kCsvColumns.at(i).cell(row);
    text += csv_record(cells);
  }
  return text;
}

std::string json_trace(const bench::Trace& trace, const bench::KeyAverages& averages) {
  Json rows = Json::array();
  for (const KeyAverage& row : averages.rows) {
    Json one{{"name", row.name},
             {"on_device", row.is_on_device},
             {"one_iteration", row.is_one_iteration},
             {"calls", row.calls},
             {"self_ns", row.self_ns},
             {"total_ns", row.total_ns},
             {"self_device_ns", row.self_device_ns},
             {"device_ns", row.device_ns},
             {"allocated_bytes", row.allocated_bytes ? Json(*row.allocated_bytes) : Json()},
             {"self_allocated_bytes", row.self_allocated_bytes ? Json(*row.self_allocated_bytes) : Json()},
             {"device_allocated_bytes", row.device_allocated_bytes ? Json(*row.device_allocated_bytes) : Json()},
             {"self_device_allocated_bytes",
              row.self_device_allocated_bytes ? Json(*row.self_device_allocated_bytes) : Json()},
             {"flops", json_number(row.flops)},
             {"bytes", json_number(row.bytes)},
             {"shapes", json_text(row.shapes)},
             {"place", json_text(row.place)},
             {"process", row.process ? Json(*row.process) : Json()}};
    if (row.launch) {
      one["launches"] = row.launches;
      one["launch"] = {{"grid", row.launch->grid},
                       {"block", row.launch->block},
                       {"registers", row.launch->registers},
                       {"shared_bytes", shared_bytes_of(*row.launch)},
                       {"occupancy", json_number(row.launch->occupancy)},
                       {"achieved_occupancy", json_number(row.launch->achieved_occupancy)},
                       {"blocks_a_multiprocessor", json_number(row.launch->blocks_a_multiprocessor)}};
    }
    if (row.achieved.flops || bandwidth_of(row)) {
      one["achieved"] = {{"flops_per_second", json_number(row.achieved.flops)},
                         {"bytes_per_second", json_number(bandwidth_of(row))},
                         {"memory_share", json_number(memory_share_of(row))},
                         {"arithmetic_share", json_number(arithmetic_share_of(row))},
                         {"dtype", json_text(row.achieved.dtype)}};
    }
    rows.push_back(std::move(one));
  }
  Json samples;  // null: none were taken
  if (trace.sampling.hz > 0) {
    Json functions = Json::array();
    for (const bench::SampledFunction& function : bench::sampled_functions(trace)) {
      functions.push_back({{"name", json_text(function.name)},
                           {"span", json_text(function.event)},
                           {"samples", function.samples},
                           {"self_ns", function.self_ns},
                           {"total_ns", function.total_ns}});
    }
    samples = {{"hz", trace.sampling.hz},           {"source", trace.sampling.has_timers ? "timers" : "perf_events"},
               {"taken", trace.samples.size()},     {"missed", trace.sampling.missed},
               {"dropped", trace.sampling.dropped}, {"functions", std::move(functions)}};
  }
  const Json document{{"schema", "steelyard.trace/1"},
                      {"program", json_text(trace.program)},
                      {"start_unix_ns", trace.start_unix_ns},
                      {"events", trace.events.size()},
                      {"dropped", trace.dropped},
                      {"unnamed", trace.unnamed},
                      {"backwards", trace.backwards},
                      {"unreadable", trace.unreadable},
                      {"memory_excluded", trace.memory_excluded},
                      {"cut_names", trace.cut_names},
                      {"replaced", trace.replaced},
                      {"begins_cold", trace.begins_cold},
                      {"cut", trace.is_cut},
                      {"finished", trace.is_finished},
                      {"self_ns", averages.self_ns},
                      {"self_device_ns", averages.self_device_ns},
                      {"samples", std::move(samples)},
                      {"device_recording", json_devices(trace)},
                      {"rows", std::move(rows)}};
  return json_document(document);
}

namespace {

Json json_side_cost(const std::optional<TraceSideCost>& side) {
  if (!side) return Json();
  return {{"calls", json_number(side->calls)},
          {"total_ns", json_number(side->total_ns)},
          {"self_ns", json_number(side->self_ns)}};
}

Json json_difference_row(const TraceRowDifference& row) {
  Json one{{"name", row.name},
           {"shapes", json_text(row.shapes)},
           {"within", json_text(row.within)},
           {"on_device", row.is_on_device},
           {"verdict", std::string(to_text(row.time.verdict))},
           {"doubt", json_text(std::string(row.doubt()))},
           {"baseline", json_side_cost(row.baseline)},
           {"candidate", json_side_cost(row.candidate)},
           {"ratio", json_number(row.ratio())},
           {"interval", json_interval(row.interval())},
           {"p", json_number(row.time.p)},
           {"q", json_number(row.time.q)},
           {"calls", std::string(steelyard::word_of(row.calls))}};
  if (row.perhaps) {
    one["perhaps"] = {{"name", row.perhaps->name},
                      {"shapes", json_text(row.perhaps->shapes)},
                      {"likeness", json_number(row.perhaps->likeness)}};
  }
  return one;
}

}  // namespace

std::string json_trace_difference(const TraceDifference& difference) {
  Json repeats = Json::array(), rows = Json::array();
  for (const RepeatedWithin& within : difference.repeats) {
    repeats.push_back(
        {{"name", json_text(within.name)}, {"baseline", within.repeats[0]}, {"candidate", within.repeats[1]}});
  }
  for (const TraceRowDifference& row : difference.rows) rows.push_back(json_difference_row(row));
  const regress::RecordingQuestion& question = difference.question;
  const bool covers_processes = difference.order != regress::RecordingOrder::one_each;
  return json_document({{"schema", "steelyard.trace_diff/1"},
                        {"baseline", difference.sides[0]},
                        {"candidate", difference.sides[1]},
                        {"processes", {difference.processes[0], difference.processes[1]}},
                        {"order", std::string(steelyard::word_of(difference.order))},
                        {"interval_covers", covers_processes ? "processes" : "repeats"},
                        {"confidence", question.confidence},
                        {"false_alarm_rate", question.level},
                        {"minimum_effect", question.minimum_effect},
                        {"margin", question.margin},
                        {"unjudged", difference.unjudged},
                        {"excluded_loops", difference.excluded_loops},
                        {"dropped", difference.dropped},
                        {"unfinished", difference.unfinished},
                        {"repeats", std::move(repeats)},
                        {"rows", std::move(rows)}});
}

}  // namespace steelyard::ci

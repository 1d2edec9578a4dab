#include "bench/cuda/device_row.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "bench/model/run.hpp"
#include "bench/model/text.hpp"

namespace steelyard::cuda {

std::string json_text(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string json = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const CodePoint point = code_point_at(text, i);
    if (byte == '"' || byte == '\\') {
      json += '\\';
      json += text[i];
    } else if (byte < 0x20 || byte == 0x7F) {
      json += "\\u00";
      json += kHex[byte >> 4U];
      json += kHex[byte & 15U];
    } else if (point.value == kBrokenCodePoint) {
      json += "\\ufffd";
    } else {
      json += text.substr(i, point.bytes);
    }
    i += point.bytes;
  }
  return json + '"';
}

std::string json_number(double value) {
  assert(std::isfinite(value));
  return shortest_text(value);
}

std::string json_number(std::int64_t value) { return std::to_string(value); }

JsonObject& JsonObject::add(std::string_view key, std::string_view json) {
  if (!fields_.empty()) fields_ += ", ";
  fields_ += json_text(key) + ": ";
  fields_ += json;
  return *this;
}

namespace {

JsonObject record_begin(const DeviceRow& row, std::size_t repetitions, std::size_t index) {
  JsonObject record;
  record.text("name", row.name)
      .text("run_name", row.name)
      .text("run_type", "iteration")
      .integer("repetitions", static_cast<std::int64_t>(repetitions))
      .integer("repetition_index", static_cast<std::int64_t>(index))
      .integer("threads", 1);
  return record;
}

// Rates from the cold time of this sample.
void add_rates(const OperatorCost& cost, Nanoseconds time, JsonObject& record) {
  if (!(time.count() > 0)) return;
  if (cost.flops > Flops(0)) record.number("flops", (cost.flops / time).count());
  if (cost.traffic() > Bytes(0)) record.number("bandwidth", (cost.traffic() / time).count());
}

void add_clock(const ColdSample& sample, JsonObject& record) {
  if (!(sample.sm_clock_hz > 0)) return;
  record.number("sm_clock", sample.sm_clock_hz).number("device_cycles", sample.sm_clock_hz * in_seconds(sample.time));
}

// What there is once a row.
void add_once(const DeviceRow& row, JsonObject& record) {
  record.number("cold_start", row.cold_start.count())
      .number("warm_up", row.samples.warm_up.count())
      .integer("kernel_launches", row.kernel_launches)
      .integer("device_memory", row.device_memory.count())
      .integer("discarded_samples", row.samples.discarded);
}

std::string without_separators(std::string text) {
  std::replace(text.begin(), text.end(), ';', ',');
  return text;
}

// With its target: what was promised and yielded nothing is not met.
std::string failed_record(const DeviceRow& row, const std::string& why) {
  JsonObject record = record_begin(row, 1, 0);
  record.flag("error_occurred", true).text("error_message", std::string(kBrokenBenchmark) + why);
  if (!row.target.empty()) record.text("label", "target: " + without_separators(row.target));
  return record.str();
}

}  // namespace

DeviceRow row_without_samples(std::string name, RowEnd end, std::string message) {
  DeviceRow row;
  row.name = std::move(name);
  row.end = end;
  row.message = std::move(message);
  return row;
}

std::string label_of(const DeviceRow& row) {
  std::string label;
  const auto add = [&](const char* name, const std::string& content) {
    if (!content.empty()) label += (label.empty() ? "" : "; ") + std::string(name) + ": " + without_separators(content);
  };
  std::string kernels;
  for (const std::string& kernel : row.kernels) kernels += (kernels.empty() ? "" : ", ") + kernel;
  add("target", row.target);
  add("kernels", kernels);
  add("stopped", std::string(to_text(row.samples.stopped)));
  for (const std::string& note : row.notes) add("note", note);
  add("device", row.device_state);
  return label;
}

std::vector<std::string> records_of(const DeviceRow& row) {
  if (row.end == RowEnd::failed) return {failed_record(row, row.message)};
  if (row.end == RowEnd::skipped) {
    return {record_begin(row, 1, 0).flag("skipped", true).text("skip_message", row.message).str()};
  }
  const std::vector<ColdSample>& cold = row.samples.cold;
  if (cold.empty()) return {failed_record(row, "not one sample was taken")};
  std::vector<std::string> records;
  for (std::size_t i = 0; i < cold.size(); ++i) {
    JsonObject record = record_begin(row, cold.size(), i);
    record.integer("iterations", 1)
        .number("real_time", cold[i].time.count())
        .number("cpu_time", cold[i].time.count())
        .text("time_unit", "ns");
    add_rates(row.cost, cold[i].time, record);
    add_clock(cold[i], record);
    if (i < row.samples.hot.size()) record.number("hot_time", row.samples.hot[i].count());
    if (i == 0) {
      add_once(row, record);
      record.text("label", label_of(row));
    }
    records.push_back(record.str());
  }
  return records;
}

}  // namespace steelyard::cuda

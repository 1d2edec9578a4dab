#include "bench/cuda/device_row.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "bench/model/run.hpp"

namespace steelyard::cuda {

std::string json_number(double value) {
  assert(std::isfinite(value));
  return shortest_text(value);
}

std::string json_number(std::int64_t value) { return std::to_string(value); }

JsonObject& JsonObject::add(std::string_view key, std::string_view json) {
  if (!fields_.empty()) fields_ += ", ";
  fields_ += json_quoted(key) + ": ";
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

void add_rates(const DeviceRow& row, Nanoseconds time, JsonObject& record) {
  if (!(time.count() > 0)) return;
  if (row.cost.flops > Flops(0)) record.number("flops", (row.cost.flops / time).count());
  if (row.cost.traffic() > Bytes(0)) record.number("bandwidth", (row.cost.traffic() / time).count());
  if (row.tokens > 0) record.number("tokens_per_second", static_cast<double>(row.tokens) / in_seconds(time));
}

void add_clock(const ColdSample& sample, JsonObject& record) {
  if (!(sample.sm_clock_hz > 0)) return;
  record.number("sm_clock", sample.sm_clock_hz).number("device_cycles", sample.sm_clock_hz * in_seconds(sample.time));
}

// What there is once a row.
void add_once(const DeviceRow& row, JsonObject& record) {
  record.number("cold_start", row.cold_start.count());
  if (row.set_up) record.number("set_up", row.set_up->count());
  if (row.replays > 1) record.integer("replays", row.replays);
  record.number("warm_up", row.samples.warm_up.count())
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

namespace {

// Less than this share of all bytes written moves no rate by as much.
constexpr double kNoticedShare = 0.01;
// Of what is written the cache keeps no more than an eighth: an error of a few per cent of the traffic.
constexpr std::int64_t kTimesTheCacheWritten = 8;
// What is read between two uses of the same input, so that none of it is in the cache the second time.
constexpr std::int64_t kTimesTheCacheRead = 2;
// Operations a byte: below the ridge of every device's arithmetic in single precision, so that memory bounds the
// kernel.
constexpr double kMemoryBound = 16;
constexpr double kLaunchesOfNothing = 5;

bool leaves_results_in_cache(const OperatorCost& cost, Bytes l2) {
  const auto traffic = static_cast<double>(cost.traffic().count());
  const bool is_memory_bound = static_cast<double>(cost.flops.count()) < kMemoryBound * traffic;
  const bool is_noticed = static_cast<double>(cost.written.count()) > kNoticedShare * traffic;
  const Bytes enough = l2 * kTimesTheCacheWritten;
  return is_memory_bound && is_noticed && cost.written < enough;
}

}  // namespace

void choose_rate_times(const TimingConditions& conditions, DeviceRow& row) {
  if (row.samples.cold.empty() || row.replays > 1) return;
  const bool keeps_results = leaves_results_in_cache(row.cost, conditions.l2);
  const bool is_mostly_launch = median_cold(row.samples) < conditions.launch_floor * kLaunchesOfNothing;
  if (keeps_results) row.notes.emplace_back("results are in the cache when a cold sample ends");
  if (is_mostly_launch) {
    row.notes.push_back("a launch of nothing takes " + to_text(conditions.launch_floor) +
                        ", a large part of real_time");
  }
  const bool is_read_anew = row.cost.read * conditions.input_sets >= conditions.l2 * kTimesTheCacheRead;
  const bool has_hot = conditions.l2 > Bytes(0) && is_read_anew && !row.samples.hot.empty();
  row.rates = has_hot && (keeps_results || is_mostly_launch) ? RateTimes::hot : RateTimes::cold;
}

std::string library_kernels_note(std::int64_t expected, std::int64_t launched,
                                 const std::vector<std::string>& kernels) {
  if (expected == 0 || launched <= expected) return {};
  std::string own;
  for (const std::string& kernel : kernels) {
    // As cuBLASLt names them; its documentation does not.
    const bool is_epilogue = kernel.find("epilogue::impl") != std::string::npos;
    if (is_epilogue || kernel.find("splitKreduce") != std::string::npos) own += (own.empty() ? ": " : ", ") + kernel;
  }
  return "the library launched " + std::to_string(launched) + " kernels where " + std::to_string(expected) +
         " were asked for" + own;
}

Nanoseconds median_rate_time(const DeviceRow& row) {
  if (row.rates == RateTimes::cold) return row.samples.cold.empty() ? Nanoseconds() : median_cold(row.samples);
  std::vector<Nanoseconds> hot = row.samples.hot;
  std::sort(hot.begin(), hot.end());
  return hot[hot.size() / 2];
}

std::string label_of(const DeviceRow& row) {
  std::string label;
  const auto add = [&](std::string_view word, const std::string& content) {
    if (!content.empty()) label += (label.empty() ? "" : "; ") + std::string(word) + ' ' + without_separators(content);
  };
  const std::string kernels = joined_text(row.kernels, ", ");
  add("target:", row.target);
  add(kKernelsWord, kernels);
  if (row.rates == RateTimes::hot) add("rates:", "of hot times");
  add("stopped:", std::string(to_text(row.samples.stopped)));
  for (const std::string& note : row.notes) add("note:", note);
  add("device:", row.device_state);
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
    const bool has_hot = i < row.samples.hot.size();
    if (row.rates == RateTimes::cold) add_rates(row, cold[i].time, record);
    if (row.rates == RateTimes::hot && has_hot) add_rates(row, row.samples.hot[i], record);
    add_clock(cold[i], record);
    if (has_hot) record.number("hot_time", row.samples.hot[i].count());
    if (i == 0) {
      add_once(row, record);
      record.text("label", label_of(row));
    }
    records.push_back(record.str());
  }
  return records;
}

}  // namespace steelyard::cuda

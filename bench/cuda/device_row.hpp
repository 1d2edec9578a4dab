// What one benchmark of a device program yielded, and how it is written: as Google Benchmark's JSON, one record a cold
// sample, so that whatever reads such files reads these.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/cuda/sampling.hpp"
#include "bench/harness/operator_cost.hpp"
#include "bench/model/quantity.hpp"
#include "bench/model/text.hpp"

namespace steelyard::cuda {

// Writing JSON, for a program that carries no library for it.

// The shortest text that reads back to the same number. Precondition: finite.
std::string json_number(double value);
std::string json_number(std::int64_t value);

// {"a": 1, "b": "c"}, field by field.
class JsonObject {
 public:
  JsonObject& text(std::string_view key, std::string_view value) { return add(key, json_quoted(value)); }
  JsonObject& number(std::string_view key, double value) { return add(key, json_number(value)); }
  JsonObject& integer(std::string_view key, std::int64_t value) { return add(key, json_number(value)); }
  JsonObject& flag(std::string_view key, bool value) { return add(key, value ? "true" : "false"); }
  // `json`: a value as it stands.
  JsonObject& add(std::string_view key, std::string_view json);
  std::string str() const { return '{' + fields_ + '}'; }

 private:
  std::string fields_;
};

enum class RowEnd {
  measured,
  failed,   // it should have yielded samples
  skipped,  // this device cannot run it
};

// Of which of its times a row's rates are.
enum class RateTimes { cold, hot };

struct DeviceRow {
  std::string name;
  RowEnd end = RowEnd::measured;
  std::string message;  // of a row that was not measured

  OperatorCost cost;  // of one iteration, as are the tokens and the launches
  std::int64_t tokens = 0;
  Samples samples;
  RateTimes rates = RateTimes::cold;
  Nanoseconds cold_start;
  std::optional<Nanoseconds> set_up;  // of the graph that is replayed
  std::int64_t replays = 1;           // that make one iteration
  std::int64_t kernel_launches = 0;
  Bytes device_memory;  // the most that was allocated at once
  std::vector<std::string> kernels;
  std::string target;
  std::vector<std::string> notes;
  std::string device_state;  // "61 C, 412 W"
};

// Whether cold times are those of the work. Two things may be wrong with them, and hot times have neither:
//
//  - What a kernel writes is in the second-level cache when its cold sample ends, and goes to memory later, when nobody
//    looks at a clock: a sample reads as if these bytes had cost nothing. Where inputs are as large as the cache, a hot
//    batch is a steady state in which each launch drives out what the one before it wrote.
//  - The time between two events around nothing at all is no less than that of a launch: of a kernel of a few
//    microseconds it is most.
//
// Cold times stay what `real_time` is, and what two builds are compared by: both are the same for both sides.

struct TimingConditions {
  Bytes l2;                  // 0: unknown
  Nanoseconds launch_floor;  // cold time of a kernel that does nothing; 0: unknown
  int input_sets = 1;
};
// An iteration that replays a graph has neither fault, and no hot times: it is many launches back to back.

// Rates are of hot times where one of the two holds and memory is read anew by every launch of a batch; `row.rates` and
// a note in `row.notes` for each. Samples, cost and notes of the row are set before.
void choose_rate_times(const TimingConditions& conditions, DeviceRow& row);

// What a library did beside the kernels that it was asked for (`expected`; 0: not counted): an epilogue as a kernel of
// its own, which reads and writes memory once more, or the joining of a sum that was split. Empty: nothing.
std::string library_kernels_note(std::int64_t expected, std::int64_t launched, const std::vector<std::string>& kernels);

// The time that this row's rates are of; 0: there is none.
Nanoseconds median_rate_time(const DeviceRow& row);

// "target: 0.61 of bandwidth; kernels: a, b; rates: of hot times; stopped: the noise has settled; note: ...; device: 61
// C". No part without content, and no ";" within one.
std::string label_of(const DeviceRow& row);

// JSON objects, each on one line. Of a row without samples one record that says why; that of a failed one has its
// target as a label, so that the target is not met by being forgotten.
std::vector<std::string> records_of(const DeviceRow& row);

// A failed or skipped row.
DeviceRow row_without_samples(std::string name, RowEnd end, std::string message);

}  // namespace steelyard::cuda

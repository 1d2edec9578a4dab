// What one benchmark of a device program yielded, and how it is written: as Google Benchmark's JSON, one record a cold
// sample, so that whatever reads such files reads these.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/cuda/sampling.hpp"
#include "bench/harness/operator_cost.hpp"
#include "bench/model/quantity.hpp"

namespace steelyard::cuda {

// Writing JSON, for a program that carries no library for it.

// In quotes; control characters as \u00XX, bytes that are no UTF-8 as the replacement character.
std::string json_text(std::string_view text);
// The shortest text that reads back to the same number. Precondition: finite.
std::string json_number(double value);
std::string json_number(std::int64_t value);

// {"a": 1, "b": "c"}, field by field.
class JsonObject {
 public:
  JsonObject& text(std::string_view key, std::string_view value) { return add(key, json_text(value)); }
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

struct DeviceRow {
  std::string name;
  RowEnd end = RowEnd::measured;
  std::string message;  // of a row that was not measured

  OperatorCost cost;
  Samples samples;
  Nanoseconds cold_start;
  std::int64_t kernel_launches = 0;  // of one iteration
  Bytes device_memory;               // the most that was allocated at once
  std::vector<std::string> kernels;
  std::string target;
  std::vector<std::string> notes;
  std::string device_state;  // "61 C, 412 W"
};

// "target: 0.61 of bandwidth; kernels: a, b; stopped: the noise has settled; note: ...; device: 61 C". No part without
// content, and no ";" within one.
std::string label_of(const DeviceRow& row);

// JSON objects, each on one line. Of a row without samples one record that says why; that of a failed one has its
// target as a label, so that the target is not met by being forgotten.
std::vector<std::string> records_of(const DeviceRow& row);

// A failed or skipped row.
DeviceRow row_without_samples(std::string name, RowEnd end, std::string message);

}  // namespace steelyard::cuda

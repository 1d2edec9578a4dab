// What one benchmark of a device program yielded, and how it is written: as Google Benchmark's JSON, one record a cold
// sample, so that whatever reads such files reads these.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/cuda/sampling.hpp"
#include "bench/harness/operator_cost.hpp"
#include "bench/model/quantity.hpp"

namespace steelyard::cuda {

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

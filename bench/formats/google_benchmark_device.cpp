#include "bench/formats/google_benchmark_device.hpp"

#include <utility>

#include "bench/environment/gpu_facts.hpp"

namespace steelyard {
namespace {

void name_device(BenchmarkId& id, const std::string& device) {
  if (!id.name.empty()) id.device = device;
}

}  // namespace

void take_device(GoogleBenchmarkFile& file) {
  const std::string* const told = file.environment.find(kGpuDevice);
  if (told == nullptr) return;
  const std::string device = *told;
  std::map<std::string, std::string> labels;
  for (Measurement& measurement : file.measurements) {
    const auto label = file.labels.find(measurement.benchmark.canonical());
    name_device(measurement.benchmark, device);
    if (label != file.labels.end()) {
      labels.emplace(measurement.benchmark.canonical(), std::move(label->second));
      file.labels.erase(label);
    }
    if (measurement.metric.name != "kernel_launches" && measurement.metric.name != "device_memory") continue;
    measurement.metric.kind = MetricKind::counted;
    measurement.count_key = std::string(kGpuDevice) + ' ' + device;
  }
  file.labels.merge(labels);
  for (Failure& failure : file.failures) name_device(failure.benchmark, device);
  for (BadRecord& record : file.bad_records) name_device(record.benchmark, device);
}

}  // namespace steelyard

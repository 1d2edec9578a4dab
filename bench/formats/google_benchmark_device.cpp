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
  const auto name_labelled = [&](BenchmarkId& id) {
    const auto label = file.labels.find(id.canonical());
    name_device(id, device);
    if (label == file.labels.end()) return;
    labels.emplace(id.canonical(), std::move(label->second));
    file.labels.erase(label);
  };
  for (Measurement& measurement : file.measurements) {
    name_labelled(measurement.benchmark);
    if (measurement.metric.name != "kernel_launches" && measurement.metric.name != "device_memory") continue;
    measurement.metric.kind = MetricKind::counted;
    measurement.count_key = std::string(kGpuDevice) + ' ' + device;
  }
  for (Failure& failure : file.failures) name_labelled(failure.benchmark);
  for (BadRecord& record : file.bad_records) name_device(record.benchmark, device);
  file.labels.merge(labels);
}

}  // namespace steelyard

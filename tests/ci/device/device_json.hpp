// Files as a benchmark program of a device writes them (docs/guide/gpu.md). All figures are made up: no device
// measured them.
#pragma once

#include <cmath>
#include <string>
#include <vector>

namespace steelyard::testkit {

struct MadeUpDevice {
  std::string name = "NVIDIA A100-SXM4-40GB";
  std::string uuid = "GPU-11111111-made-up";
  std::string mig = "off";
  std::string driver = "580.65.06";
  std::string ecc = "on";
  std::string power_limit = "400";
  std::string memory_clock = "1215000000";
  std::string cublas = "13.0.2";
};

struct MadeUpKernel {
  std::string name;   // "layer_norm/columns:4096/dtype:bf16"
  double ns = 0;      // of one launch
  double bytes = 0;   // of one launch; 0: not stated
  double flops = 0;   // the same
  std::string label;  // "kernels: layer_norm_bf16"
  double clock_hz = 1.41e9;
  double cycles = 0;  // 0: time times clock
  int launches = 1;
};

inline std::string made_up_context(const MadeUpDevice& device) {
  const auto pair = [](const std::string& key, const std::string& value) {
    return ",\"" + key + "\":\"" + value + '"';
  };
  return R"({"date":"2026-01-02T03:04:05+00:00","host_name":"h","executable":"./steelyard_cuda_suite","num_cpus":16)" +
         pair("gpu.device", device.name) + pair("gpu.uuid", device.uuid) + pair("gpu.mig", device.mig) +
         pair("gpu.driver", device.driver) + pair("gpu.runtime", "13.0") + pair("gpu.compute_capability", "8.0") +
         pair("gpu.ecc", device.ecc) + pair("gpu.power_limit_watts", device.power_limit) +
         pair("gpu.memory_bytes", "42505273344") + pair("gpu.l2_bytes", "41943040") +
         pair("gpu.multiprocessors", "108") + pair("gpu.max_sm_clock_hz", "1410000000") +
         pair("gpu.max_memory_clock_hz", device.memory_clock) + pair("gpu.clock_policy", "") +
         pair("gpu.cublas", device.cublas) + '}';
}

inline std::string made_up_number(double value) {
  std::string text = std::to_string(value);
  return text;
}

// Five cold samples within a per mille, times `factor`.
inline std::string made_up_records(const MadeUpKernel& kernel, double factor) {
  constexpr int kSamples = 5;
  std::string records;
  for (int i = 0; i < kSamples; ++i) {
    const double ns = kernel.ns * factor * (1 + 0.0002 * (i - 2));
    const auto counter = [&](const std::string& key, double value) {
      return ",\"" + key + "\":" + made_up_number(value);
    };
    records += std::string(i == 0 ? "" : ",") + R"({"name":")" + kernel.name + R"(","run_name":")" + kernel.name +
               R"(","run_type":"iteration","repetitions":5,"repetition_index":)" + std::to_string(i) +
               R"(,"threads":1,"iterations":1)" + counter("real_time", ns) + counter("cpu_time", ns + 9000) +
               R"(,"time_unit":"ns","label":")" + kernel.label + '"';
    if (kernel.flops > 0) records += counter("flops", kernel.flops / ns * 1e9);
    if (kernel.bytes > 0) records += counter("bandwidth", kernel.bytes / ns * 1e9);
    records += counter("sm_clock", kernel.clock_hz) +
               counter("device_cycles", kernel.cycles > 0 ? kernel.cycles : std::round(ns * kernel.clock_hz / 1e9));
    if (i < 3) records += counter("hot_time", ns * 0.9);
    if (i == 0) {
      records += counter("cold_start", 3.1e8) + counter("warm_up", 5e8) + counter("kernel_launches", kernel.launches) +
                 counter("device_memory", 1 << 26) + counter("discarded_samples", 0);
    }
    records += '}';
  }
  return records;
}

inline std::string made_up_file(const MadeUpDevice& device, const std::vector<MadeUpKernel>& kernels,
                                double factor = 1) {
  std::string records;
  for (const MadeUpKernel& kernel : kernels) {
    records += (records.empty() ? "" : ",\n") + made_up_records(kernel, factor);
  }
  return "{\"context\":" + made_up_context(device) + ",\"benchmarks\":[" + records + "]}\n";
}

}  // namespace steelyard::testkit

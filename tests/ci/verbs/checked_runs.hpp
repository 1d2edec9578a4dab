// Folders of Google Benchmark files with rates and labels, and ceilings to hold them against.
#pragma once

#include <string>
#include <vector>

#include "bench/ceilings/measure_ceilings.hpp"
#include "bench/formats/google_benchmark.hpp"
#include "ci/judging/kept_ceilings.hpp"
#include "storage/archive/archive.hpp"
#include "tests/ci/verbs/program_under_test.hpp"

namespace steelyard::ci {

struct RatedBenchmark {
  std::string name;
  double flops = 0;      // 0: not reported
  double bandwidth = 0;  // bytes/s; 0: not reported
  std::string label;
};

class CheckedRuns : public ProgramUnderTest {
 protected:
  static std::string rated_json(const std::vector<RatedBenchmark>& benchmarks, double factor) {
    std::string records;
    for (const RatedBenchmark& one : benchmarks) {
      records += (records.empty() ? "" : ",") + std::string(R"({"name":")") + one.name + R"(","run_name":")" +
                 one.name + R"(","run_type":"iteration","threads":1,"iterations":10,"real_time":100,"cpu_time":100,)" +
                 R"("time_unit":"ns","label":")" + one.label + '"';
      if (one.flops > 0) records += ",\"flops\":" + std::to_string(one.flops * factor);
      if (one.bandwidth > 0) records += ",\"bytes_per_second\":" + std::to_string(one.bandwidth * factor);
      records += '}';
    }
    return R"({"context":{"num_cpus":2,"executable":"./kernels"},"benchmarks":[)" + records + "]}\n";
  }

  // One file an invocation, within half a per cent of each other.
  static void write_run(const std::string& folder, const std::vector<RatedBenchmark>& benchmarks, int files = 6) {
    for (int i = 0; i < files; ++i) {
      write(folder + '/' + std::to_string(i) + ".json", rated_json(benchmarks, 1 + 0.002 * (i - 2)));
    }
  }

  static Ceiling ceiling(CeilingKind kind, const std::string& name, int threads, double value) {
    Ceiling made;
    made.kind = kind;
    (kind == CeilingKind::arithmetic ? made.dtype : made.level) = name;
    if (kind == CeilingKind::bandwidth) made.access = "read";
    made.threads = threads;
    made.source = "measured";
    for (int i = -5; i <= 5; ++i) made.samples.push_back(value * (1 + 0.0005 * i));
    bench::settle(made);
    return made;
  }

  static steelyard::Run run_of_a_machine(const Environment& environment) {
    DeviceCeilings device;
    device.device = "CPU";
    for (const int threads : {1, 2}) {
      device.ceilings.push_back(ceiling(CeilingKind::arithmetic, "f32", threads, 120e9 * threads));
      device.ceilings.push_back(ceiling(CeilingKind::arithmetic, "f64", threads, 60e9 * threads));
      device.ceilings.push_back(ceiling(CeilingKind::bandwidth, "DRAM", threads, 12e9));
      device.ceilings.push_back(ceiling(CeilingKind::bandwidth, "L2", threads, 100e9 * threads));
      device.ceilings.push_back(ceiling(CeilingKind::bandwidth, "L1", threads, 400e9 * threads));
    }
    steelyard::Run made = run_of_ceilings(device, environment);
    storage::seal(made);
    return made;
  }

  // Under the fingerprint of the machine that `folder` is of.
  void keep_ceilings_of(const std::string& folder) {
    std::vector<std::string> ignored;
    const Result<steelyard::Run> loaded = bench::load_google_benchmark(folder, ignored);
    ASSERT_TRUE(loaded) << loaded.error().text();
    const Result<void> kept = keep_ceilings(folder_ / "state", run_of_a_machine(loaded->environment));
    ASSERT_TRUE(kept) << kept.error().text();
  }
};

}  // namespace steelyard::ci

// Files that a device's program wrote somewhere else, judged here.
#include <gmock/gmock.h>

#include "bench/formats/google_benchmark.hpp"
#include "tests/ci/device/device_json.hpp"
#include "tests/ci/verbs/program_under_test.hpp"

namespace steelyard::ci::device_files_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using steelyard::testkit::made_up_file;
using steelyard::testkit::MadeUpDevice;
using steelyard::testkit::MadeUpKernel;

MadeUpKernel layer_norm(double ns) {
  MadeUpKernel kernel;
  kernel.name = "layer_norm/columns:4096/dtype:bf16";
  kernel.ns = ns;
  kernel.bytes = 2.0 * 4096 * 4096 * 2;
  kernel.flops = 8.0 * 4096 * 4096;
  kernel.label = "kernels: layer_norm_bf16";
  return kernel;
}

class DeviceFiles : public ProgramUnderTest {
 protected:
  static void write_side(const std::string& folder, const MadeUpDevice& device, const MadeUpKernel& kernel,
                         int files = 12) {
    for (int i = 0; i < files; ++i) {
      write(folder + '/' + std::to_string(10 + i) + ".json",
            made_up_file(device, {kernel}, 1 + 0.0007 * ((i * 5) % files - files / 2)));
    }
  }
};

TEST_F(DeviceFiles, TheContextNamesTheDeviceOfEveryBenchmark) {
  const auto file = bench::parse_google_benchmark(made_up_file({}, {layer_norm(70000)}), "in.json");
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_TRUE(file->bad_records.empty());
  for (const Measurement& measurement : file->measurements) {
    EXPECT_EQ(measurement.benchmark.device, "NVIDIA A100-SXM4-40GB") << measurement.metric.name;
  }
  EXPECT_THAT(file->labels,
              ::testing::ElementsAre(::testing::Pair(
                  "layer_norm/columns:4096/dtype:bf16 [device=NVIDIA A100-SXM4-40GB]", "kernels: layer_norm_bf16")));
}

TEST_F(DeviceFiles, MetricsHaveTheirUnitAndDirection) {
  const auto file = bench::parse_google_benchmark(made_up_file({}, {layer_norm(70000)}), "in.json");
  ASSERT_TRUE(file);
  std::map<std::string, const Measurement*> found;
  for (const Measurement& measurement : file->measurements) found[measurement.metric.name] = &measurement;
  const auto is = [&](const std::string& name, const std::string& unit, Better better, MetricKind kind, bool gates) {
    ASSERT_TRUE(found.count(name)) << name;
    EXPECT_EQ(found[name]->metric, (Metric{name, unit, better, kind}));
    EXPECT_EQ(gates_by_default(found[name]->metric), gates) << name;
  };
  is("real_time", "ns", Better::lower, MetricKind::noisy, true);
  is("hot_time", "ns", Better::lower, MetricKind::noisy, false);
  is("device_cycles", "count", Better::lower, MetricKind::noisy, false);
  is("sm_clock", "1/s", Better::undeclared, MetricKind::noisy, false);
  is("cold_start", "ns", Better::lower, MetricKind::noisy, false);
  is("warm_up", "ns", Better::lower, MetricKind::noisy, false);
  is("discarded_samples", "count", Better::undeclared, MetricKind::noisy, false);
  is("kernel_launches", "count", Better::lower, MetricKind::counted, true);
  is("device_memory", "bytes", Better::lower, MetricKind::counted, true);
  EXPECT_EQ(found["hot_time"]->invocations.front().values.size(), 3U);
  EXPECT_EQ(found["kernel_launches"]->invocations.front().values.size(), 1U);
}

std::string fingerprint_of(const MadeUpDevice& device) {
  const auto file = bench::parse_google_benchmark(made_up_file(device, {layer_norm(1)}), "in.json");
  return file ? file->environment.fingerprint() : "";
}

TEST_F(DeviceFiles, DevicesAndInstancesHaveFingerprintsOfTheirOwn) {
  const MadeUpDevice usual;
  const auto other = [&](auto&& change) {
    MadeUpDevice device = usual;
    change(device);
    return fingerprint_of(device);
  };
  const std::string same = fingerprint_of(usual);
  EXPECT_FALSE(same.empty());
  EXPECT_NE(other([](MadeUpDevice& d) { d.uuid = "GPU-2"; }), same);
  EXPECT_NE(other([](MadeUpDevice& d) { d.mig = "MIG-1"; }), same);
  EXPECT_NE(other([](MadeUpDevice& d) { d.mig = "MIG-1"; }), other([](MadeUpDevice& d) { d.mig = "MIG-2"; }));
  EXPECT_NE(other([](MadeUpDevice& d) { d.driver = "570.1"; }), same);
  EXPECT_NE(other([](MadeUpDevice& d) { d.ecc = "off"; }), same);
  EXPECT_NE(other([](MadeUpDevice& d) { d.power_limit = "300"; }), same);
  EXPECT_NE(other([](MadeUpDevice& d) { d.memory_clock = "1"; }), same);
  EXPECT_EQ(other([](MadeUpDevice& d) { d.cublas = "12.9"; }), same) << "a library belongs to the build";
}

TEST_F(DeviceFiles, CompareJudgesThem) {
  write_side("base", {}, layer_norm(70000));
  write_side("same", {}, layer_norm(70010));
  write_side("slow", {}, layer_norm(80000));
  const Outcome same = run({"compare", "base", "same"});
  EXPECT_EQ(same.status, 0) << same.out << same.err;
  EXPECT_THAT(same.out, Not(HasSubstr("taken as one machine")));
  const Outcome slow = run({"compare", "--json", "base", "slow"});
  EXPECT_EQ(slow.status, 1) << slow.out << slow.err;
  EXPECT_THAT(slow.out, HasSubstr("\"verdict\": \"regression\""));
}

TEST_F(DeviceFiles, TwoDevicesAreIncomparableAndNotMissing) {
  MadeUpDevice moved;
  moved.uuid = "GPU-22222222-made-up";
  MadeUpDevice newer = moved;
  newer.name = "NVIDIA H200";
  write_side("base", {}, layer_norm(70000));
  write_side("moved", moved, layer_norm(70000));
  write_side("newer", newer, layer_norm(30000));
  const Outcome of_one_kind = run({"compare", "--json", "base", "moved"});
  EXPECT_EQ(of_one_kind.status, 2) << of_one_kind.out << of_one_kind.err;
  EXPECT_THAT(of_one_kind.out, AllOf(HasSubstr("\"verdict\": \"incomparable\""), HasSubstr("gpu.uuid")));
  const Outcome of_two_kinds = run({"compare", "--json", "base", "newer"});
  EXPECT_EQ(of_two_kinds.status, 2);
  EXPECT_THAT(of_two_kinds.out,
              AllOf(HasSubstr("\"verdict\": \"incomparable\""), HasSubstr("NVIDIA H200"),
                    Not(HasSubstr("\"verdict\": \"missing\"")), Not(HasSubstr("\"verdict\": \"new\""))));
}

TEST_F(DeviceFiles, MoreLaunchesAreARegressionOfTheirOwn) {
  MadeUpKernel chained = layer_norm(70000);
  chained.launches = 3;
  write_side("base", {}, layer_norm(70000));
  write_side("chained", {}, chained);
  const Outcome outcome = run({"compare", "--json", "base", "chained"});
  EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\"metric\": \"kernel_launches\""));
}

TEST_F(DeviceFiles, ImportKeepsThemAsAnArchive) {
  write_side("base", {}, layer_norm(70000));
  const Outcome imported = run({"import", "google-benchmark", "--store", "postgresql://127.0.0.1:1/nowhere", "base"});
  EXPECT_EQ(imported.status, 5) << "the store is away, so that the spool has it\n" << imported.out << imported.err;
  std::string archive;
  for (const auto& found : std::filesystem::recursive_directory_iterator(folder_ / "state")) {
    if (found.path().extension() == ".syrun") archive = found.path();
  }
  ASSERT_FALSE(archive.empty());
  const Outcome same = run({"compare", "--json", archive, "base"});
  EXPECT_EQ(same.status, 0) << same.out.substr(0, 4000) << same.err;
  EXPECT_THAT(same.out,
              AllOf(HasSubstr("[device=NVIDIA A100-SXM4-40GB]"), Not(HasSubstr("\"verdict\": \"incomparable\""))));
}

}  // namespace
}  // namespace steelyard::ci::device_files_test

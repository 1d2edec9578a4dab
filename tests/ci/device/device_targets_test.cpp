// The targets that lie beside the suite of a device, held against made-up runs of such devices.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "ci/config/configuration.hpp"
#include "tests/ci/device/device_json.hpp"
#include "tests/ci/verbs/program_under_test.hpp"

namespace steelyard::ci::device_targets_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using nlohmann::json;
using steelyard::testkit::made_up_file;
using steelyard::testkit::MadeUpDevice;
using steelyard::testkit::MadeUpKernel;

constexpr double kA100Bandwidth = 1555e9;
constexpr double kHidden = 14336;

// Linear D -> 14336, layer norm, linear 14336 -> D, layer norm of one row in bf16: each weight is read once and used
// for one multiply-add, so that flops equal bytes.
MadeUpKernel mlp(double dim, double ns) {
  MadeUpKernel kernel;
  kernel.name = "mlp_layer_norm/batch:1/dim:" + std::to_string(static_cast<int>(dim)) + "/dtype:bf16/hidden:14336";
  kernel.ns = ns;
  kernel.flops = kernel.bytes = 4 * kHidden * dim;
  return kernel;
}

// At this share of the A100's bandwidth.
MadeUpKernel at_share(const std::string& name, double bytes, double share) {
  MadeUpKernel kernel;
  kernel.name = name;
  kernel.bytes = bytes;
  kernel.flops = bytes;
  kernel.ns = bytes / (share * kA100Bandwidth) * 1e9;
  return kernel;
}

class DeviceTargets : public ProgramUnderTest {
 protected:
  static void write_run(const std::string& folder, const MadeUpDevice& device, const std::vector<MadeUpKernel>& kernels,
                        int files = 6) {
    for (int i = 0; i < files; ++i) {
      write(folder + '/' + std::to_string(i) + ".json", made_up_file(device, kernels, 1 + 0.0004 * (i - files / 2)));
    }
  }
  static void use_ready_targets() { write("steelyard.toml", text_of(STEELYARD_CUDA_TARGETS)); }
  static json check(const std::string& run_name, int status) {
    const Outcome outcome = run({"targets", "check", "--json", run_name});
    EXPECT_EQ(outcome.status, status) << outcome.out.substr(0, 6000) << outcome.err;
    return json::parse(outcome.out, nullptr, false);
  }
  static json row_of(const json& report, const std::string& list, const std::string& beginning,
                     const std::string& metric = "bandwidth") {
    for (const json& row : report["runs"][0][list]) {
      const bool is_it = row["benchmark"].get<std::string>().rfind(beginning, 0) == 0;
      if (is_it && row["metric"].get<std::string>().find(metric) != std::string::npos) return row;
    }
    ADD_FAILURE() << "no row of " << beginning;
    return json::object();
  }
};

TEST_F(DeviceTargets, UtilizationFallsWithTheTime) {
  write("steelyard.toml", "[[target]]\nbenchmark = \"mlp*\"\ntarget = \"0.8 of flops\"\n");
  write_run("at_roof", {}, {mlp(4096, 151050)});
  write_run("twice", {}, {mlp(4096, 302100)});
  const json at_roof = row_of(check("at_roof", 1), "targets", "mlp", "flops");
  EXPECT_NEAR(at_roof["utilization"].get<double>(), 0.00498, 0.000005);
  EXPECT_EQ(at_roof["verdict"], "missed") << "0.8 of the arithmetic peak is impossible at batch 1";
  EXPECT_EQ(at_roof["bound"], "memory");
  const json twice = row_of(check("twice", 1), "targets", "mlp", "flops");
  EXPECT_NEAR(twice["utilization"].get<double>() / at_roof["utilization"].get<double>(), 0.5, 1e-9);
}

TEST_F(DeviceTargets, TheReadyOnesAreMetAtThePublishedRates) {
  use_ready_targets();
  std::vector<MadeUpKernel> kernels;
  for (const double d : {1024.0, 4096.0, 8192.0, 16384.0}) {
    const std::string size = std::to_string(static_cast<int>(d));
    kernels.push_back(
        at_share("layer_norm/columns:" + size + "/dtype:bf16/form:fused/rows:4096", 2 * 4096 * d * 2, 0.62));
    kernels.push_back(at_share("gemv/dtype:i8/n:" + size, d * d, 0.57));
    kernels.push_back(at_share("gemv/dtype:bf16/n:" + size, 2 * d * d, 0.65));
    kernels.push_back(at_share("gather_gemv/dtype:i8/n:" + size, 2 * d * d, 0.65));
    kernels.push_back(at_share("gather_gemv/dtype:bf16/n:" + size, 4 * d * d, 0.69));
    kernels.push_back(mlp(d, 4 * kHidden * d / (0.76 * kA100Bandwidth) * 1e9));
  }
  write_run("good", {}, kernels);
  const json report = check("good", 0);
  ASSERT_EQ(report["runs"][0]["targets"].size(), 6U);
  for (const json& row : report["runs"][0]["targets"]) {
    EXPECT_EQ(row["verdict"], "met") << row;
    EXPECT_THAT(row["reason"].get<std::string>(), AllOf(HasSubstr("datasheet"), HasSubstr("16384 at ")));
  }
}

TEST_F(DeviceTargets, OverAnAxisItIsAllBytesOverAllTime) {
  use_ready_targets();
  const double small = 2.0 * 1024 * 1024;
  const double large = 2.0 * 16384 * 16384;
  write_run("run", {},
            {at_share("gemv/dtype:bf16/n:1024", small, 0.1), at_share("gemv/dtype:bf16/n:16384", large, 0.7)});
  const json report = check("run", 2);  // the other kernels were not measured
  const json row = row_of(report, "targets", "gemv/dtype:bf16/n:*");
  EXPECT_EQ(row["verdict"], "met") << row;
  EXPECT_NEAR(row["utilization"].get<double>(), (small + large) / (small / 0.1 + large / 0.7), 1e-3);
  EXPECT_THAT(row["reason"].get<std::string>(), HasSubstr("by n: 1024 at 10"));
  EXPECT_NEAR(row_of(report, "utilizations", "gemv/dtype:bf16/n:1024")["value"].get<double>(), 0.1, 1e-3);
}

TEST_F(DeviceTargets, OfAnotherDeviceTheyAreNotHeldAndNotForgotten) {
  use_ready_targets();
  MadeUpDevice h200;
  h200.name = "NVIDIA H200";
  write_run("run", h200, {at_share("gemv/dtype:bf16/n:4096", 2.0 * 4096 * 4096, 0.7)});
  const Outcome outcome = run({"targets", "check", "run"});
  EXPECT_EQ(outcome.status, 2) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("6 targets are for other devices (A100 40G) and not held here"));
  EXPECT_THAT(outcome.err, HasSubstr("no target is declared for any of these benchmarks"));
}

TEST_F(DeviceTargets, AnUnknownDeviceIsNotGuessed) {
  write("steelyard.toml", "[[target]]\nbenchmark = \"gemv*\"\ntarget = \"0.1 of bandwidth\"\n");
  MadeUpDevice unknown;
  unknown.name = "NVIDIA Imagined 1";
  write_run("run", unknown, {at_share("gemv/dtype:bf16/n:4096", 2.0 * 4096 * 4096, 0.7)});
  const json row = row_of(check("run", 2), "targets", "gemv");
  EXPECT_EQ(row["verdict"], "undecided");
  EXPECT_TRUE(row["utilization"].is_null());
  EXPECT_THAT(row["reason"].get<std::string>(), HasSubstr("no ceilings of the device \"NVIDIA Imagined 1\" are known"));
}

TEST_F(DeviceTargets, AnInstanceHasNoDatasheet) {
  write("steelyard.toml", "[[target]]\nbenchmark = \"gemv*\"\ntarget = \"0.1 of bandwidth\"\n");
  MadeUpDevice instance;
  instance.mig = "MIG-made-up";
  write_run("run", instance, {at_share("gemv/dtype:bf16/n:4096", 2.0 * 4096 * 4096, 0.2)});
  const json report = check("run", 2);
  EXPECT_TRUE(row_of(report, "targets", "gemv")["utilization"].is_null());
  EXPECT_THAT(report["runs"][0]["warnings"].dump(), HasSubstr("the device is an instance (MIG MIG-made-up)"));
}

TEST_F(DeviceTargets, AMetricThatNothingMeasuresIsNoPass) {
  write("steelyard.toml", "[[target]]\nbenchmark = \"add*\"\ntarget = \"0.1 of flops\"\n");
  MadeUpKernel add = at_share("add/dtype:bf16/n:4096", 24576, 0.5);
  add.flops = 0;
  write_run("run", {}, {add});
  const json row = row_of(check("run", 2), "targets", "add", "flops");
  EXPECT_EQ(row["verdict"], "undecided");
  EXPECT_THAT(row["reason"].get<std::string>(), HasSubstr("reports no flops"));
  write("steelyard.toml", "[[target]]\nbenchmark = \"add*\"\ntarget = \"0.1 of bandwidth\"\nover = \"d\"\n");
  EXPECT_THAT(row_of(check("run", 2), "targets", "add")["reason"].get<std::string>(), HasSubstr("no axis \"d\""));
}

std::vector<MadeUpKernel> with_ceilings(std::vector<MadeUpKernel> kernels) {
  kernels.push_back(at_share("ceiling/access:copy/level:DRAM", 4e9, 0.9));
  kernels.push_back(at_share("ceiling/access:read/level:DRAM", 4e9, 0.88));
  MadeUpKernel product;
  product.name = "ceiling/dtype:bf16/n:8192";
  product.flops = 2.0 * 8192 * 8192 * 8192;
  product.ns = product.flops / 250e12 * 1e9;
  product.clock_hz = 1.2e9;
  kernels.push_back(product);
  return kernels;
}

TEST_F(DeviceTargets, CeilingsOfTheSameRunAreTakenWhereTheyAreAskedFor) {
  write("steelyard.toml", "[[target]]\nbenchmark = \"gemv*\"\ntarget = \"0.9 of measured bandwidth\"\n");
  write_run("run", {}, with_ceilings({at_share("gemv/dtype:bf16/n:4096", 2.0 * 4096 * 4096, 0.85)}));
  const json row = row_of(check("run", 0), "targets", "gemv");
  EXPECT_NEAR(row["utilization"].get<double>(), 0.85 / 0.9, 1e-3);
  EXPECT_EQ(row["ceiling"]["source"], "measured");
  EXPECT_THAT(row["reason"].get<std::string>(), HasSubstr("of DRAM copy, measured"));
}

TEST_F(DeviceTargets, CeilingsOfOneRunAreKeptForOthersOfItsDevice) {
  write("steelyard.toml", "[[target]]\nbenchmark = \"gemv*\"\ntarget = \"0.9 of measured bandwidth\"\n");
  const std::vector<MadeUpKernel> gemv{at_share("gemv/dtype:bf16/n:4096", 2.0 * 4096 * 4096, 0.85)};
  write_run("ceilings", {}, with_ceilings({}));
  write_run("run", {}, gemv);
  check("run", 2);
  const Outcome kept = run({"targets", "ceilings", "--from", "ceilings"});
  EXPECT_EQ(kept.status, 0) << kept.out << kept.err;
  EXPECT_EQ(row_of(check("run", 0), "targets", "gemv")["verdict"], "met");
  MadeUpDevice other;
  other.uuid = "GPU-22222222-made-up";
  write_run("other", other, gemv);
  EXPECT_EQ(row_of(check("other", 2), "targets", "gemv")["verdict"], "undecided") << "another device's are not its own";
  const Outcome none = run({"targets", "ceilings", "--from", "run"});
  EXPECT_EQ(none.status, 3);
  EXPECT_THAT(none.err, HasSubstr("a run without ceilings"));
}

TEST_F(DeviceTargets, ArithmeticIsScaledByTheClockAndMemoryIsNot) {
  write("steelyard.toml",
        "[[target]]\nbenchmark = \"matmul*\"\ntarget = \"0.5 of flops\"\n"
        "[[target]]\nbenchmark = \"matmul*\"\ntarget = \"0.01 of bandwidth\"\n");
  MadeUpKernel product;
  product.name = "matmul/dtype:bf16/n:8192";
  product.flops = 2.0 * 8192 * 8192 * 8192;
  product.bytes = 3.0 * 8192 * 8192 * 2;
  product.ns = product.flops / 156e12 * 1e9;
  product.clock_hz = 0.705e9;
  write_run("run", {}, {product});
  const json report = check("run", 0);
  const json flops = row_of(report, "targets", "matmul", "flops");
  EXPECT_NEAR(flops["utilization"].get<double>(), 1.0, 2e-3) << "half the clock is half the peak";
  EXPECT_THAT(flops["reason"].get<std::string>(), HasSubstr("bf16 at 0.70 GHz, datasheet"));
  EXPECT_EQ(row_of(report, "targets", "matmul", "bandwidth")["ceiling"]["value"], kA100Bandwidth);
}

TEST_F(DeviceTargets, AboveTheCeilingWarnsAndFarAboveIsNoResult) {
  write("steelyard.toml", "[[target]]\nbenchmark = \"gemv*\"\ntarget = \"0.6 of bandwidth\"\nlevel = \"DRAM\"\n");
  write_run("above", {}, {at_share("gemv/dtype:bf16/n:4096", 2.0 * 4096 * 4096, 1.1)});
  const json above = check("above", 0);
  EXPECT_THAT(above["runs"][0]["warnings"].dump(), HasSubstr("more than there can be"));
  write_run("far", {}, {at_share("gemv/dtype:bf16/n:4096", 2.0 * 4096 * 4096, 1.2)});
  EXPECT_EQ(row_of(check("far", 2), "targets", "gemv")["verdict"], "undecided");
}

TEST_F(DeviceTargets, TheRooflineHasAllKernelsOfARun) {
  write_run("run", {}, with_ceilings({at_share("gemv/dtype:bf16/n:4096", 2.0 * 4096 * 4096, 0.85), mlp(4096, 151050)}));
  const Outcome outcome = run({"targets", "roofline", "run", "--svg", "roof.svg"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("NVIDIA A100-SXM4-40GB"), HasSubstr("gemv"), HasSubstr("mlp"),
                                 Not(HasSubstr("ceiling/"))));
  EXPECT_THAT(text_of("roof.svg"), HasSubstr("<svg"));
}

}  // namespace
}  // namespace steelyard::ci::device_targets_test

// What the device program's own writer writes, through every reader that judges it. The samples are made up.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "bench/cuda/device_choice.hpp"
#include "bench/cuda/device_program.hpp"
#include "bench/environment/gpu_facts.hpp"
#include "bench/formats/google_benchmark.hpp"
#include "tests/ci/verbs/program_under_test.hpp"

namespace steelyard::ci::device_output_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using cuda::DeviceRow;
using nlohmann::json;

constexpr double kTerabytes = 4.8;  // a second, of an H200's sheet

cuda::Facts facts() {
  cuda::DeviceProperties device;
  device.name = "NVIDIA H200";
  device.uuid = "GPU-33333333-made-up";
  device.capability_major = 9;
  device.multiprocessors = 132;
  device.memory = Bytes(std::int64_t{140} << 30);
  device.l2 = Bytes(50 << 20);
  cuda::DeviceSettings settings;
  settings.ecc = true;
  settings.power_limit_watts = 700;
  settings.max_sm_clock_hz = 1.98e9;
  settings.max_memory_clock_hz = 3.201e9;
  settings.clock_policy = "default";
  return cuda::device_facts(device, {13000, 13000}, settings, "580.65.06");
}

// A row that reaches this share of the sheet's bandwidth.
DeviceRow row_at(const std::string& name, double share, double factor) {
  DeviceRow row;
  row.name = name;
  row.cost = {Flops(100'000'000), Bytes(200'000'000), Bytes(200'000'000)};
  const double ns = 400e6 / (share * kTerabytes * 1e3) * factor;
  for (int i = 0; i < 12; ++i) row.samples.cold.push_back({nanoseconds(ns * (1 + 0.0002 * (i % 3))), 1.755e9});
  row.samples.hot = {nanoseconds(ns * 0.9), nanoseconds(ns * 0.91)};
  row.samples.warm_up = milliseconds(30);
  row.samples.stopped = cuda::StopReason::settled;
  row.samples.is_steady = true;
  row.cold_start = milliseconds(3);
  row.kernel_launches = 1;
  row.device_memory = Bytes(400'000'000);
  row.kernels = {"steelyard::cuda_suite::made_up_rows<float, 4>"};
  row.device_state = "61 C, 412 W, clocks held back by: power cap";
  return row;
}

class DeviceOutput : public ProgramUnderTest {
 protected:
  static std::string file_of(const std::vector<DeviceRow>& rows) {
    std::vector<cuda::FinishedRow> finished;
    for (const DeviceRow& row : rows) finished.push_back(cuda::finished(row));
    return cuda::result_json({"2026-01-02T03:04:05+00:00", "h", "steelyard_cuda_suite", 16}, facts(), finished);
  }
  // `rows_of(factor)`: the rows of one process.
  template <class RowsOf>
  static void write_side(const std::string& folder, const RowsOf& rows_of, int files = 12) {
    for (int i = 0; i < files; ++i) {
      write(folder + '/' + std::to_string(10 + i) + ".json", file_of(rows_of(1 + 0.0007 * ((i * 5) % files - 6))));
    }
  }
  static json report_of(const std::vector<std::string>& arguments, int status) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, status) << outcome.out.substr(0, 4000) << outcome.err;
    return json::parse(outcome.out, nullptr, false);
  }
};

std::vector<DeviceRow> promised(double share, double factor) {
  DeviceRow row = row_at("layer_norm/columns:16384/dtype:bf16/form:fused/rows:4096", share, factor);
  row.target = "0.61 of bandwidth";
  return {row};
}

TEST_F(DeviceOutput, IsReadWithoutABadRecord) {
  const auto file = bench::parse_google_benchmark(file_of(promised(0.8, 1)), "out.json");
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_TRUE(file->bad_records.empty());
  EXPECT_TRUE(file->failures.empty());
  std::map<std::string, std::size_t> samples;
  for (const Measurement& measurement : file->measurements) {
    EXPECT_EQ(measurement.benchmark.device, "NVIDIA H200");
    EXPECT_TRUE(well_known_metric(measurement.metric.name)) << measurement.metric.name;
    samples[measurement.metric.name] = measurement.invocations.front().values.size();
  }
  const std::map<std::string, std::size_t> wanted{{"bandwidth", 12},     {"cold_start", 1},    {"cpu_time", 12},
                                                  {"device_cycles", 12}, {"device_memory", 1}, {"discarded_samples", 1},
                                                  {"flops", 12},         {"hot_time", 2},      {"kernel_launches", 1},
                                                  {"real_time", 12},     {"sm_clock", 12},     {"warm_up", 1}};
  EXPECT_EQ(samples, wanted);
  for (const char* fact : {"gpu.device", "gpu.uuid", "gpu.mig", "gpu.driver", "gpu.ecc", "gpu.power_limit_watts",
                           "gpu.clock_policy", "gpu.max_memory_clock_hz"}) {
    EXPECT_TRUE(bench::is_decisive_gpu_fact(fact)) << fact;
    EXPECT_NE(file->environment.find(fact), nullptr) << fact;
  }
}

// 200 tokens by replays of a graph, which has no hot time.
std::vector<DeviceRow> decoded(double factor) {
  DeviceRow row = row_at("decoding/llama/dtype:bf16", 0.8, 1);
  row.tokens = 200;
  row.replays = 205;
  row.kernel_launches = 205 * 162;
  row.set_up = milliseconds(4);
  row.samples.hot.clear();
  row.samples.cold.resize(5);
  for (cuda::ColdSample& sample : row.samples.cold) sample.time = seconds(1.02 * factor);
  return {row};
}

TEST_F(DeviceOutput, ATokenRateIsReadAndComparedAsARate) {
  const auto file = bench::parse_google_benchmark(file_of(decoded(1)), "out.json");
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_TRUE(file->bad_records.empty());
  std::map<std::string, const Measurement*> found;
  for (const Measurement& measurement : file->measurements) {
    EXPECT_TRUE(well_known_metric(measurement.metric.name)) << measurement.metric.name;
    found[measurement.metric.name] = &measurement;
  }
  EXPECT_FALSE(found.contains("hot_time"));
  ASSERT_TRUE(found.contains("tokens_per_second") && found.contains("set_up") && found.contains("replays"));
  EXPECT_EQ(found["tokens_per_second"]->metric,
            (Metric{"tokens_per_second", "1/s", Better::higher, MetricKind::noisy}));
  EXPECT_EQ(found["tokens_per_second"]->invocations.front().values.size(), 5U);
  EXPECT_EQ(found["set_up"]->metric.unit, "ns");
  EXPECT_FALSE(gates_by_default(found["set_up"]->metric) || gates_by_default(found["replays"]->metric));
  write("steelyard.toml", "[policy]\nmetrics = [\"tokens_per_second\", \"bandwidth\", \"kernel_launches\"]\n");
  write_side("base", decoded);
  write_side("slow", [](double factor) { return decoded(1.1 * factor); });
  const json report = report_of({"compare", "--json", "base", "slow"}, 1);
  std::map<std::string, std::string> verdicts;
  for (const json& row : report["comparisons"]) verdicts[row["metric"]] = row["verdict"];
  EXPECT_EQ(verdicts["tokens_per_second"], "regression");
  EXPECT_EQ(verdicts["bandwidth"], "regression");
  EXPECT_EQ(verdicts["kernel_launches"], "unchanged");
}

TEST_F(DeviceOutput, ComparesAndNamesTheKernelThatChanged) {
  write_side("base", [](double factor) { return promised(0.8, factor); });
  write_side("same", [](double factor) { return promised(0.8, factor * 1.0001); });
  write_side("other", [](double factor) {
    auto rows = promised(0.7, factor);
    rows[0].kernels = {"steelyard::cuda_suite::made_up_rows<float, 8>"};
    return rows;
  });
  const json same = report_of({"compare", "--json", "base", "same"}, 0);
  EXPECT_EQ(same["summary"]["regression"], 0);
  EXPECT_FALSE(same["comparisons"][0].contains("kernel_changes"));
  const json other = report_of({"compare", "--json", "base", "other"}, 1);
  for (const json& row : other["comparisons"]) {
    if (row["metric"] != "real_time") continue;
    EXPECT_EQ(row["verdict"], "regression");
    ASSERT_EQ(row["kernel_changes"].size(), 1U);
    const std::string change = row["kernel_changes"][0];
    EXPECT_THAT(change, AllOf(HasSubstr("kernel "), HasSubstr(" became ")));
    EXPECT_EQ(row["reason"].get<std::string>().find(change), 0U);
  }
}

TEST_F(DeviceOutput, IsHeldAgainstItsOwnTargetsAndCeilings) {
  write_side("run", [](double factor) {
    auto rows = promised(0.8, factor);
    DeviceRow copy = row_at("ceiling/access:copy/level:DRAM", 0.85, factor);
    copy.cost.flops = Flops(0);
    DeviceRow product = row_at("ceiling/dtype:bf16", 0.5, factor);
    product.cost = {Flops(100'000'000'000), Bytes(200'000'000), Bytes(200'000'000)};
    rows.insert(rows.end(), {copy, product});
    return rows;
  });
  const json met = report_of({"targets", "check", "--json", "run"}, 0);
  ASSERT_EQ(met["runs"][0]["targets"].size(), 1U);
  const json& row = met["runs"][0]["targets"][0];
  EXPECT_EQ(row["verdict"], "met");
  EXPECT_NEAR(row["utilization"].get<double>(), 0.8, 0.001);
  EXPECT_EQ(row["bound"], "memory");
  write("steelyard.toml", "[[target]]\nbenchmark = \"layer_norm/*\"\ntarget = \"0.96 of measured bandwidth\"\n");
  const json missed = report_of({"targets", "check", "--json", "run"}, 1);
  EXPECT_NEAR(missed["runs"][0]["targets"][0]["utilization"].get<double>(), 0.8 / 0.85, 0.001);
  const Outcome ceilings = run({"targets", "ceilings", "--from", "run"});
  EXPECT_EQ(ceilings.status, 0) << ceilings.err;
  EXPECT_THAT(ceilings.out, AllOf(HasSubstr("bf16"), HasSubstr("copy")));
  const Outcome roofline = run({"targets", "roofline", "run"});
  EXPECT_EQ(roofline.status, 0) << roofline.err;
  EXPECT_THAT(roofline.out, AllOf(HasSubstr("NVIDIA H200"), HasSubstr("layer_norm")));
}

TEST_F(DeviceOutput, APromiseThatYieldedNothingIsNotMet) {
  write_side("run", [](double factor) {
    auto rows = promised(0.8, factor);
    DeviceRow failed = cuda::row_without_samples("gemv/dtype:bf16/n:16384", cuda::RowEnd::failed, "out of memory");
    failed.target = "0.64 of bandwidth";
    rows.push_back(failed);
    rows.push_back(cuda::row_without_samples("matmul/dtype:f8/n:8192", cuda::RowEnd::skipped, "f8 needs 8.9"));
    return rows;
  });
  const json report = report_of({"targets", "check", "--json", "run"}, 2);
  ASSERT_EQ(report["runs"][0]["targets"].size(), 2U) << "what this device cannot do promised nothing here";
  const json& row = report["runs"][0]["targets"][0];
  EXPECT_EQ(row["verdict"], "undecided");
  EXPECT_THAT(row["benchmark"].get<std::string>(), HasSubstr("gemv/dtype:bf16/n:16384"));
  EXPECT_THAT(row["reason"].get<std::string>(), HasSubstr("out of memory"));
}

TEST_F(DeviceOutput, OneProcessDecidesNothing) {
  write_side(
      "run", [](double factor) { return promised(0.8, factor); }, 1);
  const json report = report_of({"targets", "check", "--json", "run"}, 2);
  EXPECT_EQ(report["runs"][0]["targets"][0]["verdict"], "undecided");
}

TEST_F(DeviceOutput, IsImportedAndComparesAsAnArchive) {
  write_side("base", [](double factor) { return promised(0.8, factor); });
  EXPECT_EQ(run({"import", "google-benchmark", "--store", "postgresql://127.0.0.1:1/nowhere", "base"}).status, 5);
  std::string archive;
  for (const auto& found : std::filesystem::recursive_directory_iterator(folder_ / "state")) {
    if (found.path().extension() == ".syrun") archive = found.path();
  }
  ASSERT_FALSE(archive.empty());
  const json same = report_of({"compare", "--json", archive, "base"}, 0);
  EXPECT_EQ(same["summary"]["incomparable"], 0);
  EXPECT_EQ(same["summary"]["regression"], 0);
  report_of({"targets", "check", "--json", archive}, 0);
}

}  // namespace
}  // namespace steelyard::ci::device_output_test

// steelyard_cpu_suite from outside: every benchmark gives an answer that is right, with its metrics under the names
// that the rest of Steelyard knows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdio.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "bench/formats/google_benchmark.hpp"
#include "bench/profile/read_spans.hpp"
#include "bench/profile/trace_repeats.hpp"

namespace steelyard::bench::main_test {
namespace {

std::string output_of(const std::string& command) {
  std::string output;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return output;
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) output.append(buffer.data(), n);
  EXPECT_EQ(::pclose(pipe), 0);
  return output;
}

// One run of one iteration of everything, shared by the tests.
const GoogleBenchmarkFile& suite_results() {
  static const GoogleBenchmarkFile results = [] {
    const std::string json =
        output_of("'" STEELYARD_CPU_SUITE "' --benchmark_format=json --benchmark_min_time=0 2>/dev/null");
    auto parsed = parse_google_benchmark(json, "steelyard_cpu_suite");
    if (!parsed) {
      ADD_FAILURE() << parsed.error().text();
      return GoogleBenchmarkFile{};
    }
    return std::move(*parsed);
  }();
  return results;
}

std::map<std::string, std::set<std::string>> metrics_by_benchmark() {
  std::map<std::string, std::set<std::string>> metrics;
  for (const Measurement& measurement : suite_results().measurements) {
    metrics[measurement.benchmark.canonical()].insert(measurement.metric.name);
  }
  return metrics;
}

TEST(CpuSuite, EveryAnswerIsRight) {
  for (const Failure& failure : suite_results().failures) {
    ADD_FAILURE() << failure.benchmark.canonical() << ": " << failure.said;
  }
  EXPECT_TRUE(suite_results().bad_records.empty());
}

std::set<std::string> lines_of(std::istream& text) {
  std::set<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.insert(line);
  return lines;
}

std::set<std::string> listed(const std::string& flags) {
  std::istringstream text(output_of("'" STEELYARD_CPU_SUITE "' --benchmark_list_tests " + flags + " 2>/dev/null"));
  return lines_of(text);
}

// A name is a benchmark's identity: a changed one has no history. The order may change.
void expect_names(const std::string& flags, const std::string& golden) {
  const std::string file = std::string(STEELYARD_CPU_SUITE_GOLDEN) + "/" + golden;
  const std::set<std::string> names = listed(flags);
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    std::ofstream out(file);
    for (const std::string& name : names) out << name << "\n";
  }
  std::ifstream in(file);
  ASSERT_TRUE(in) << file;
  EXPECT_EQ(names, lines_of(in)) << "UPDATE_GOLDEN=1 rewrites " << file << "; a name that is gone loses its history";
}

TEST(CpuSuite, KeepsTheNamesOfItsBenchmarks) { expect_names("", "names"); }

TEST(CpuSuite, KeepsTheNamesOfItsLargeBenchmarks) { expect_names("--steelyard_large", "large_names"); }

TEST(CpuSuite, HasEveryDefaultBenchmarkAmongTheLargeOnes) {
  const std::set<std::string> large = listed("--steelyard_large");
  for (const std::string& name : listed("")) EXPECT_TRUE(large.contains(name)) << name;
}

TEST(CpuSuite, SaysInOneLineWhatThisCpuLacksOrHasIt) {
  const bool has = listed("--steelyard_native").contains("gemv_dot/bf16/n:512");
  const std::string said =
      output_of("'" STEELYARD_CPU_SUITE "' --benchmark_list_tests --steelyard_native 2>&1 >/dev/null");
  EXPECT_EQ(said.find("gemv_dot/bf16 is excluded: this CPU") != std::string::npos, !has) << said;
  EXPECT_FALSE(listed("").contains("gemv_dot/bf16/n:512"));
}

TEST(CpuSuite, EveryBenchmarkReportsItsRates) {
  const auto metrics = metrics_by_benchmark();
  EXPECT_GE(metrics.size(), 28u);
  for (const auto& [benchmark, names] : metrics) {
    EXPECT_EQ(names, (std::set<std::string>{"bandwidth", "cpu_time", "flops", "real_time"})) << benchmark;
  }
  EXPECT_TRUE(metrics.contains("gemv/f32/n:512"));
}

TEST(CpuSuite, RatesAreTheDeclaredCostOverTheTime) {
  double seconds = 0;
  std::map<std::string, double> rates;
  for (const Measurement& measurement : suite_results().measurements) {
    if (measurement.benchmark.canonical() != "matmul/f32/n:48") continue;
    const double value = measurement.invocations.at(0).values.at(0);
    if (measurement.metric.name == "cpu_time") seconds = value * 1e-9;
    rates[measurement.metric.name] = value;
  }
  ASSERT_GT(seconds, 0);
  // One iteration's time is printed with fewer digits than the rate was computed from.
  EXPECT_NEAR(rates["flops"] * seconds, 2.0 * 48 * 48 * 48, 0.001 * 2 * 48 * 48 * 48);
  EXPECT_NEAR(rates["bandwidth"] * seconds, 4.0 * 3 * 48 * 48, 0.001 * 4 * 3 * 48 * 48);
}

TEST(CpuSuite, RecordsWhichKernelsOpenBlasChose) {
  const std::string json = output_of("'" STEELYARD_CPU_SUITE
                                     "' --benchmark_format=json --benchmark_min_time=0 "
                                     "--benchmark_filter=gemv/f32/n:80 2>/dev/null");
  EXPECT_THAT(json, ::testing::ContainsRegex("\"openblas_core\": \"[A-Za-z0-9]+\""));
  EXPECT_THAT(json, ::testing::HasSubstr("\"openblas_threads\": \"1\""));
}

TEST(CpuSuite, RecordsEachIterationAndWhatItIsMadeOf) {
  const std::string file = testing::TempDir() + "cpu_suite_" + std::to_string(::getpid()) + ".spans";
  output_of("'" STEELYARD_CPU_SUITE
            "' --benchmark_filter='^(mlp_training|add)/' --benchmark_min_time=0"
            " --steelyard_spans='" +
            file + "' 2>/dev/null");
  const Result<Trace> trace = read_spans(file);
  std::remove(file.c_str());
  ASSERT_TRUE(trace) << trace.error().text();
  const TraceRepeats repeats = repeats_of(*trace);
  const std::string training = "mlp_training/f32/batch:32/dim:64/layers:2/steps:2";
  EXPECT_GE(repeats.repeats.at(training), 1U);
  EXPECT_GE(repeats.repeats.at("add/f32/n:2048"), 1U);
  std::set<std::string> parts;
  for (const RepeatedGroup& group : repeats.groups) {
    if (group.within == training) parts.insert(group.name + " " + group.shapes);
  }
  EXPECT_TRUE(parts.contains("mlp_training/linear [[32, 64], [64, 64], [64]]"));
  EXPECT_TRUE(parts.contains("mlp_training/weight_gradient [[64, 32], [32, 64]]"));
  for (const TraceEvent& event : trace->events) {
    const std::string& name = trace->name_of(event);
    const bool is_linear = name == "mlp_training/linear", is_add = name == "add/f32/n:2048";
    EXPECT_TRUE(!is_linear || event.flops == 2.0 * 32 * 64 * 64);
    EXPECT_TRUE(!is_add || event.bytes == 3.0 * 4 * 2048);
  }
}

TEST(CpuSuite, RecordsDevicesAndSampledStacksAsBenchMainDoes) {
  const std::string file = testing::TempDir() + "cpu_suite_" + std::to_string(::getpid()) + ".spans";
  const std::string said = output_of(
      "STEELYARD_CUPTI=libm.so.6 '" STEELYARD_CPU_SUITE
      "' --benchmark_filter='^add/f32/n:2048$' --benchmark_min_time=0 --steelyard_samples=1000 --steelyard_profile='" +
      file + "' 2>&1 >/dev/null");
  EXPECT_THAT(said, ::testing::HasSubstr("steelyard_cpu_suite: spans alone are recorded: device activity"));
  const Result<Trace> trace = read_spans(file);
  std::remove(file.c_str());
  ASSERT_TRUE(trace) << trace.error().text();
  EXPECT_FALSE(trace->events.empty());
  EXPECT_THAT(trace->device_recording.refusal, ::testing::HasSubstr("libm.so.6 without cuptiGetVersion"));
  EXPECT_EQ(trace->sampling.hz, 1000);
}

TEST(CpuSuite, NamesItsOwnOptionsInItsHelp) {
  const std::string help = output_of("'" STEELYARD_CPU_SUITE "' --help 2>/dev/null");
  EXPECT_THAT(
      help, ::testing::AllOf(::testing::HasSubstr("--benchmark_filter"), ::testing::HasSubstr("--steelyard_large"),
                             ::testing::HasSubstr("--steelyard_native"), ::testing::HasSubstr("--steelyard_spans"),
                             ::testing::HasSubstr("--steelyard_profile"), ::testing::HasSubstr("--steelyard_samples")));
}

TEST(CpuSuite, RefusesAnOptionThatItDoesNotKnow) {
  FILE* pipe = ::popen("'" STEELYARD_CPU_SUITE "' --rounds=3 >/dev/null 2>&1", "r");
  ASSERT_NE(pipe, nullptr);
  EXPECT_NE(::pclose(pipe), 0);
}

}  // namespace
}  // namespace steelyard::bench::main_test

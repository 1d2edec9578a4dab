// What the readers make of files that the tools themselves wrote (tests/golden/import/README.md), held to the numbers
// that these tools printed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <set>

#include "bench/formats/import_formats.hpp"

namespace steelyard::bench::imported_tools_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

struct Imported {
  std::string format;
  std::vector<steelyard::Run> runs;
  std::vector<std::string> warnings;
  std::string error;

  const steelyard::Run& run() const { return runs.at(0); }
};

// As `steelyard import FILE` does: nobody says which format it is, unless that is `named`.
Imported import_file(const std::filesystem::path& path, std::string_view named = "") {
  Imported imported;
  auto format = recognise_format(path);
  for (const ImportFormat& one : import_formats()) {
    if (one.name == named) format = &one;
  }
  if (!format) {
    imported.error = format.error().text();
    return imported;
  }
  imported.format = (*format)->name;
  auto runs = load_imported(**format, path, imported.warnings);
  if (runs) {
    imported.runs = std::move(*runs);
  } else {
    imported.error = runs.error().text();
  }
  return imported;
}

Imported import_golden(const std::string& name, std::string_view named = "") {
  return import_file(std::filesystem::path(STEELYARD_GOLDEN) / "import" / name, named);
}

// The run's measurement of it; null where there is none.
const Measurement* measurement_of(const steelyard::Run& run, const std::string& benchmark,
                                  std::string_view metric = kRealTime) {
  const auto at = std::find_if(run.measurements.begin(), run.measurements.end(), [&](const Measurement& one) {
    return one.benchmark.canonical() == benchmark && one.metric.name == metric;
  });
  return at != run.measurements.end() ? &*at : nullptr;
}

std::vector<std::vector<double>> values_of(const steelyard::Run& run, const std::string& benchmark,
                                           std::string_view metric = kRealTime) {
  std::vector<std::vector<double>> values;
  const Measurement* const measurement = measurement_of(run, benchmark, metric);
  if (measurement == nullptr) return values;
  for (const InvocationSamples& samples : measurement->invocations) values.push_back(samples.values);
  return values;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::string printed(double value, const char* format) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

TEST(ImportedTools, EachGoldenFileIsRecognisedAsItsToolsAndNoOthers) {
  const std::vector<std::pair<std::string, std::string>> files{
      {"pytest_benchmark.json", "pytest-benchmark"},
      {"pyperf.json", "pyperf"},
      {"hyperfine.json", "hyperfine"},
      {"go.txt", "go"},
      {"nanobench.json", "nanobench"},
      {"catch2.xml", "catch2"},
      {"doctest.xml", "doctest"},
      {"criterion", "criterion"},
      {"criterion_messages.json", "criterion"},
      {"criterion_printed.json", "criterion"},
      {"jmh.json", "jmh"},
      {"jmh_sample.json", "jmh"},
      {"jmh_forks.json", "jmh"},
      {"jmh_calls.json", "jmh"},
      {"benchmarkdotnet.json", "benchmarkdotnet"},
      {"nvbench.json", "nvbench"},
      {"folly_verbose.json", "folly"},
      {"folly_counters.json", "folly"},
      {"samples.csv", "csv"},
      {"samples.jsonl", "json-lines"},
      {"github_action_benchmark.js", "github-action-benchmark"},
      {"github_action_directions.js", "github-action-benchmark"},
      {"asv", "asv"},
      {"asv/machine", "asv"},
      {"asv_environments", "asv"},
      {"asv_written", "asv"},
      {"bencher.json", "bencher"},
      {"bencher_units.json", "bencher"},
      {"bencher_variants.json", "bencher"},
      {"bencher_metrics.json", "bencher-metrics"},
      {"bencher_metrics_1.json", "bencher-metrics"},
      {"conbench.json", "conbench"}};
  std::set<std::string_view> seen{"google-benchmark"};  // its own tests have real files
  for (const auto& [file, format] : files) {
    const Imported imported = import_golden(file);
    EXPECT_EQ(imported.format, format) << file << ": " << imported.error;
    EXPECT_EQ(imported.error, "") << file;
    EXPECT_THAT(imported.runs, ::testing::Not(IsEmpty())) << file;
    for (const steelyard::Run& run : imported.runs) {
      for (const Failure& failure : run.failures) {
        EXPECT_NE(failure.kind, FailureKind::bad_record) << file << ": " << failure.said;
      }
    }
    seen.insert(format);
    const FileHead head = *head_of(std::filesystem::path(STEELYARD_GOLDEN) / "import" / file);
    for (const ImportFormat& other : import_formats()) {
      if (head.is_folder && !other.takes_folders) continue;
      EXPECT_EQ(other.is_it(head), other.name == format) << file << " as " << other.name;
    }
  }
  EXPECT_EQ(seen.size(), import_formats().size()) << "a format has no golden file";
}

TEST(ImportedTools, PytestRoundsAreSamplesOfOneProcessAndTheirMeanIsWhatPytestPrinted) {
  const Imported imported = import_golden("pytest_benchmark.json");
  const steelyard::Run& run = imported.run();
  EXPECT_THAT(run.invocations, SizeIs(1));
  EXPECT_THAT(imported.warnings, Contains(HasSubstr("is one invocation")));
  const auto join = values_of(run, "test_sort.py::test_join");
  ASSERT_THAT(join, SizeIs(1));
  EXPECT_THAT(join[0], SizeIs(4));
  EXPECT_EQ(printed(mean_of(join[0]), "%.4f"), "645.6500");
  EXPECT_EQ(printed(*std::min_element(join[0].begin(), join[0].end()), "%.4f"), "576.8999");
  EXPECT_THAT(measurement_of(run, "test_sort.py::test_join")->invocations[0].iterations, Each(10));
  const auto sort = values_of(run, "test_sort.py::test_sort/n:100");
  ASSERT_THAT(sort, SizeIs(1));
  EXPECT_EQ(printed(mean_of(sort[0]), "%.4f"), "3245.9500");
  EXPECT_EQ(measurement_of(run, "test_sort.py::test_sort/n:1000")->benchmark.parameters[0].value, "1000");
  EXPECT_EQ(run.header.commit.sha, "") << "pytest ran outside of a repository";
  ASSERT_NE(run.environment.find("python.cpu"), nullptr);
  EXPECT_GT(run.header.created_at_unix_ns, 0);
}

TEST(ImportedTools, EveryWorkerOfPyperfIsAnInvocationAndItsWarmupsAreLeftAside) {
  const Imported imported = import_golden("pyperf.json");
  const steelyard::Run& run = imported.run();
  EXPECT_THAT(run.invocations, SizeIs(3));
  const auto values = values_of(run, "sort/n");
  ASSERT_THAT(values, SizeIs(3));
  EXPECT_THAT(values, Each(SizeIs(3)));
  // pyperf dump: 763 ns, 737 ns, 20.9 us.
  EXPECT_EQ(printed(values[0][0], "%.0f"), "763");
  EXPECT_EQ(printed(values[0][1], "%.0f"), "737");
  EXPECT_EQ(printed(values[0][2] * 1e-3, "%.1f"), "20.9");
  EXPECT_THAT(measurement_of(run, "sort/n")->invocations[2].iterations, Each(200));
  EXPECT_LT(run.invocations[0].started_at_unix_ns, run.invocations[2].started_at_unix_ns);
}

TEST(ImportedTools, HyperfineRunsAreInvocationsAndTheirMeanIsWhatItPrinted) {
  const Imported imported = import_golden("hyperfine.json");
  const auto times = values_of(imported.run(), "sleep 0.02/n:2");
  ASSERT_THAT(times, SizeIs(4));
  double sum = 0;
  for (const auto& one : times) sum += one.at(0);
  EXPECT_EQ(printed(sum / 4 * 1e-6, "%.1f"), "24.1");
  EXPECT_THAT(imported.run().invocations, SizeIs(8));
}

TEST(ImportedTools, GoLinesAreSamplesAndOutputsAppendedToOneFileAreProcesses) {
  const Imported imported = import_golden("go.txt");
  const steelyard::Run& run = imported.run();
  EXPECT_THAT(run.invocations, SizeIs(2));
  const std::string name = "BenchmarkSort/n:100/gomaxprocs:2 [suite=example.com/sortbench]";
  EXPECT_THAT(values_of(run, name), ElementsAre(ElementsAre(5189, 3484, 3292), ElementsAre(3669, 4053, 6849)));
  EXPECT_THAT(values_of(run, name, "bytes_per_second")[0], ElementsAre(154.17e6, 229.62e6, 242.98e6));
  EXPECT_EQ(measurement_of(run, name, "bytes_per_second")->metric.better, Better::higher);
  EXPECT_THAT(values_of(run, name, "bytes_allocated")[1], Each(920));
  EXPECT_THAT(values_of(run, name, "allocations")[1], Each(2));
  EXPECT_EQ(measurement_of(run, name, "allocations")->metric.kind, MetricKind::noisy);
  EXPECT_THAT(measurement_of(run, name)->invocations[0].iterations, Each(200));
  EXPECT_NE(run.environment.find("go.cpu"), nullptr);
}

TEST(ImportedTools, NanobenchEpochsAreSamplesAndTheirMedianIsWhatItPrinted) {
  const Imported imported = import_golden("nanobench.json");
  for (const auto& [name, median] :
       {std::pair("sort/100 [suite=sorting]", "913.19"), std::pair("sort/1000 [suite=sorting]", "14705.24")}) {
    auto values = values_of(imported.run(), name);
    ASSERT_THAT(values, ElementsAre(SizeIs(5))) << name;
    std::sort(values[0].begin(), values[0].end());
    EXPECT_EQ(printed(values[0][2], "%.2f"), median);
    EXPECT_EQ(measurement_of(imported.run(), name, "hardware_instructions"), nullptr) << "0 where nothing was counted";
  }
}

TEST(ImportedTools, OfCatch2OnlyTheMeanIsThereAndThatIsSaid) {
  const Imported imported = import_golden("catch2.xml");
  EXPECT_THAT(values_of(imported.run(), "Fibonacci/fib 15"), ElementsAre(ElementsAre(5608.09)));
  EXPECT_THAT(values_of(imported.run(), "Fibonacci/larger/fib 18"), ElementsAre(ElementsAre(19961)));
  ASSERT_THAT(imported.run().failures, SizeIs(1));
  EXPECT_EQ(imported.run().failures[0].benchmark.canonical(), "broken/throws");
  EXPECT_EQ(imported.run().failures[0].said, "failed: no <input>");
  EXPECT_THAT(imported.warnings, Contains(HasSubstr("of 2 benchmarks it has one aggregate and no samples")));
  EXPECT_THAT(imported.run().header.settings, Contains(Pair("imported_aggregates", "2")));
}

TEST(ImportedTools, DoctestTellsTheTimeOfEachTestCase) {
  const Imported imported = import_golden("doctest.xml");
  EXPECT_THAT(values_of(imported.run(), "naps/short & sweet"), ElementsAre(ElementsAre(DoubleNear(2099e3, 1e-3))));
  EXPECT_THAT(values_of(imported.run(), "naps/long"), ElementsAre(ElementsAre(DoubleNear(11134e3, 1e-3))));
  EXPECT_THAT(values_of(imported.run(), "nothing"), ElementsAre(ElementsAre(DoubleNear(5e3, 1e-3))));
  ASSERT_THAT(imported.run().failures, SizeIs(1));
  EXPECT_EQ(imported.run().failures[0].benchmark.canonical(), "wrong");
}

TEST(ImportedTools, CriterionSamplesAreTotalsOverTheirIterationsAndTheirMeanIsWhatCriterionKept) {
  const std::pair<const char*, double> means[]{{"sort/unstable/100", 1243.5728846116115},
                                               {"sort/unstable/1000", 10400.178500066691}};
  const Imported imported = import_golden("criterion");
  for (const auto& [name, mean] : means) {
    const auto values = values_of(imported.run(), name);
    ASSERT_THAT(values, ElementsAre(SizeIs(10))) << name;
    EXPECT_NEAR(mean_of(values[0]), mean, 1e-6) << "mean.point_estimate of estimates.json";
  }
  EXPECT_THAT(measurement_of(imported.run(), "sort/unstable/100")->invocations[0].iterations, SizeIs(10));
  const auto messages = values_of(import_golden("criterion_messages.json").run(), "sort/unstable/100");
  ASSERT_THAT(messages, ElementsAre(SizeIs(10)));
  EXPECT_DOUBLE_EQ(mean_of(messages[0]), 855);
  EXPECT_EQ(values_of(import_golden("criterion_printed.json").run(), "sort/unstable/100"), messages)
      << "messages over several lines, as jq prints them";
}

TEST(ImportedTools, ForksOfJmhAreInvocationsAndModesHaveUnitsAndDirectionsOfTheirOwn) {
  const Imported imported = import_golden("jmh.json");
  const steelyard::Run& run = imported.run();
  EXPECT_THAT(run.invocations, SizeIs(4)) << "two forks, one, one";
  const std::string name = "org.example.SortBenchmark.sort/n:1000";
  EXPECT_THAT(values_of(run, name), ElementsAre(ElementsAre(12000, 12250, 12500), ElementsAre(12500, 12750, 13000)));
  EXPECT_THAT(values_of(run, name, "bytes_allocated"), ElementsAre(Each(4016), Each(4016)));
  const Measurement* const rate = measurement_of(run, name + "/threads:4", "throughput");
  ASSERT_NE(rate, nullptr);
  EXPECT_EQ(rate->metric.unit, "1/s");
  EXPECT_EQ(rate->metric.better, Better::higher);
  EXPECT_THAT(rate->invocations[0].values, ElementsAre(240e3, 260e3));
  EXPECT_THAT(values_of(run, "org.example.SortBenchmark.single", "sample_time"), ElementsAre(ElementsAre(0.75e6)));
  EXPECT_FALSE(run.header.settings.contains("imported_aggregates")) << "mode sample has a histogram";
}

TEST(ImportedTools, IterationsOfJmhsModeSampleAreMeansOfTheirCallsAndThoseOfAllCallsAreItsScore) {
  const Imported imported = import_golden("jmh_sample.json");
  const steelyard::Run& run = imported.run();
  EXPECT_THAT(run.invocations, SizeIs(2)) << "forks";
  EXPECT_THAT(run.measurements, SizeIs(2)) << "a percentile of the calls is in their histogram";
  EXPECT_THAT(values_of(run, "org.example.ParseBenchmark.parse", "instructions"), ElementsAre(ElementsAre(1250000)))
      << "of perfnorm, which has no raw data";
  EXPECT_THAT(imported.warnings, IsEmpty()) << "by it nothing is judged";
  const Measurement* const times = measurement_of(run, "org.example.ParseBenchmark.parse", "sample_time");
  ASSERT_NE(times, nullptr);
  ASSERT_THAT(times->invocations, SizeIs(2));
  EXPECT_THAT(times->invocations[0].values, ElementsAre(DoubleNear(0.75e6, 1e-6), DoubleNear(0.55e6, 1e-6)));
  EXPECT_THAT(times->invocations[0].iterations, ElementsAre(20, 40));
  EXPECT_THAT(times->invocations[1].iterations, ElementsAre(21)) << "an iteration had no call";
  double time = 0, calls = 0;
  for (const InvocationSamples& fork : times->invocations) {
    for (std::size_t i = 0; i < fork.values.size(); ++i) {
      time += fork.values[i] * static_cast<double>(fork.iterations[i]);
      calls += static_cast<double>(fork.iterations[i]);
    }
  }
  EXPECT_EQ(printed(time / calls * 1e-6, "%.9f"), "0.641975309") << "the file's score, in ms";
}

// "SortBenchmark.sort  1000  avgt  6  97.609 ± 189.584  us/op", and so on.
TEST(ImportedTools, ScoresOfJmhAreTheMeansOfItsForksAsItPrintedThem) {
  const Imported imported = import_golden("jmh_forks.json");
  const steelyard::Run& run = imported.run();
  EXPECT_THAT(run.invocations, SizeIs(8)) << "two modes, two parameters, two forks";
  const std::string name = "org.example.SortBenchmark.sort/n:";
  const auto mean = [&](const std::string& n, std::string_view metric, std::size_t first) {
    const auto forks = values_of(run, name + n, metric);
    EXPECT_THAT(forks.at(first), SizeIs(3));
    return (mean_of(forks.at(first)) + mean_of(forks.at(first + 1))) / 2;
  };
  EXPECT_EQ(printed(mean("10", "throughput", 0) * 1e-6, "%.3f"), "9.241");
  EXPECT_EQ(printed(mean("1000", "throughput", 0) * 1e-6, "%.3f"), "0.009");
  EXPECT_EQ(printed(mean("10", kRealTime, 0) * 1e-3, "%.3f"), "0.122");
  EXPECT_EQ(printed(mean("1000", kRealTime, 0) * 1e-3, "%.3f"), "97.609");
  EXPECT_EQ(printed(mean("1000", "bytes_allocated", 0), "%.3f"), "4025.668") << "of the forks in mode thrpt";
  EXPECT_EQ(printed(mean("1000", "bytes_allocated", 2), "%.3f"), "4021.282") << "of those in mode avgt";
  std::size_t judged = 0;
  for (const Measurement& one : run.measurements) judged += one.metric.better != Better::undeclared ? 1 : 0;
  EXPECT_EQ(judged, 6U) << "of each parameter two modes and what an operation allocates; the collector explains";
}

// JMH 1.37 tells its percentiles of each iteration, too: "SortBenchmark.sample:p0.90  1000  sample  245.555  us/op".
TEST(ImportedTools, PercentilesThatJmhTellsBesideAHistogramAreInItAndNoMetricsOfTheirOwn) {
  const Imported imported = import_golden("jmh_calls.json");
  ASSERT_THAT(imported.run().measurements, SizeIs(1));
  const Measurement& calls = imported.run().measurements[0];
  EXPECT_EQ(calls.benchmark.canonical(), "org.example.SortBenchmark.sample/n:1000");
  EXPECT_EQ(calls.metric.name, "sample_time");
  double time = 0, count = 0;
  for (const InvocationSamples& fork : calls.invocations) {
    EXPECT_THAT(fork.values, SizeIs(2)) << "iterations";
    for (std::size_t i = 0; i < fork.values.size(); ++i) {
      time += fork.values[i] * static_cast<double>(fork.iterations[i]);
      count += static_cast<double>(fork.iterations[i]);
    }
  }
  EXPECT_EQ(count, 240) << "Cnt";
  EXPECT_EQ(printed(time / count * 1e-3, "%.3f"), "444.369");
}

TEST(ImportedTools, AHistogramOfJmhThatIsNotOfTimesAndCallsIsABadRecordAndTheRestIsRead) {
  const std::filesystem::path path =
      std::filesystem::path(::testing::TempDir()) / ("steelyard-jmh-" + std::to_string(getpid()) + ".json");
  for (const std::string histogram :
       {"[1]", "[[1]]", "[[[0.5, 2]]]", "[[[[1]]]]", "[[[[0.5, 0]]]]", "[[[[0.5, 1.5]]]]", "[[[[-1, 2]]]]",
        R"([[[["NaN", 2]]]])", "[[[[1, 4e18], [1, 4e18]]]]", "[[[[1e300, 1e9]]]]", R"([[{"a": [[1, 2]]}]])"}) {
    std::ofstream(path)
        << R"([{"benchmark": "bad", "mode": "sample", "primaryMetric": {"score": 1, "scoreUnit": "ms/op",
        "rawDataHistogram": )"
        << histogram << R"(}}, {"benchmark": "ok", "mode": "sample", "primaryMetric": {
        "scoreUnit": "ms/op", "rawDataHistogram": [[[[0.5, 2]]]]}}])";
    const Imported imported = import_file(path);
    ASSERT_THAT(imported.runs, SizeIs(1)) << histogram << ": " << imported.error;
    EXPECT_THAT(imported.run().measurements, SizeIs(1)) << histogram;
    ASSERT_THAT(imported.run().failures, SizeIs(1)) << histogram;
    EXPECT_EQ(imported.run().failures[0].kind, FailureKind::bad_record) << histogram;
    EXPECT_THAT(imported.run().failures[0].said, HasSubstr("[0].primaryMetric.rawDataHistogram[0]")) << histogram;
  }
  std::filesystem::remove(path);
}

TEST(ImportedTools, LaunchesOfBenchmarkDotNetAreInvocationsAndOnlyResultsAreSamples) {
  const Imported imported = import_golden("benchmarkdotnet.json");
  const std::string name = "Example.Sorting.Sort/N:1000/Order:random";
  EXPECT_THAT(values_of(imported.run(), name), ElementsAre(ElementsAre(1000, 1010), ElementsAre(1020, 1030)));
  EXPECT_THAT(values_of(imported.run(), name, "bytes_allocated"), ElementsAre(ElementsAre(4024)));
  ASSERT_THAT(imported.run().failures, SizeIs(1));
  EXPECT_EQ(imported.run().failures[0].benchmark.name, "Example.Sorting.Broken");
}

TEST(ImportedTools, NvbenchSamplesAreReadBesideTheFileAndAMeanAloneIsSaid) {
  const Imported imported = import_golden("nvbench.json");
  const steelyard::Run& run = imported.run();
  const std::string name = "copy/Bytes:1048576 [device=NVIDIA H100 80GB HBM3]";
  const auto times = values_of(run, name);
  ASSERT_THAT(times, ElementsAre(SizeIs(4)));
  EXPECT_NEAR(times[0][0], 250e3, 0.1) << "seconds in 4 bytes, 7 digits";
  EXPECT_NEAR(times[0][3], 249e3, 0.1);
  EXPECT_THAT(values_of(run, name, "cpu_time"), ElementsAre(ElementsAre(DoubleNear(260e3, 1e-3))));
  EXPECT_THAT(values_of(run, name, "bandwidth"), ElementsAre(ElementsAre(8388608000.0)));
  EXPECT_THAT(values_of(run, name, "hot_time"), ElementsAre(ElementsAre(DoubleNear(245e3, 1e-3))));
  EXPECT_THAT(values_of(run, "mean_only [device=NVIDIA H100 80GB HBM3]"), ElementsAre(ElementsAre(500e3)));
  EXPECT_THAT(run.header.settings, Contains(Pair("imported_aggregates", "1")));
  ASSERT_THAT(run.failures, SizeIs(1));
  EXPECT_EQ(run.failures[0].kind, FailureKind::skipped);
  EXPECT_EQ(run.failures[0].said, "needs another device");
}

TEST(ImportedTools, FollyTimesAreNanosecondsInOneFileAndPicosecondsInTheOther) {
  for (const char* file : {"folly_verbose.json", "folly.json"}) {
    const Imported imported = import_golden(file, "folly");
    EXPECT_THAT(values_of(imported.run(), "sort_1000"), ElementsAre(ElementsAre(12500.5))) << file;
    EXPECT_THAT(values_of(imported.run(), "sort_stable"), ElementsAre(ElementsAre(13000.25))) << file;
    EXPECT_EQ(measurement_of(imported.run(), "-"), nullptr);
  }
}

TEST(ImportedTools, NumbersAloneUnderNamesAreNoToolsUntilItIsNamed) {
  EXPECT_THAT(import_golden("folly.json").error, HasSubstr("--format folly"));
  const FileHead head = *head_of(std::filesystem::path(STEELYARD_GOLDEN) / "import" / "folly.json");
  for (const ImportFormat& format : import_formats()) EXPECT_FALSE(format.is_it(head)) << format.name;
}

TEST(ImportedTools, CountersOfFollyStandBesideTheTimeThatItChose) {
  const Imported imported = import_golden("folly_counters.json");
  EXPECT_THAT(values_of(imported.run(), "parse"), ElementsAre(ElementsAre(1250.5)));
  EXPECT_THAT(values_of(imported.run(), "parse", "bytes_read"), ElementsAre(ElementsAre(4096)));
  EXPECT_THAT(values_of(imported.run(), "parse", "retries"), ElementsAre(ElementsAre(0)));
  EXPECT_EQ(measurement_of(imported.run(), "parse", "retries")->metric.better, Better::undeclared);
  EXPECT_THAT(values_of(imported.run(), "parse", "pause"), ElementsAre(ElementsAre(2e9))) << "seconds, in ns";
  EXPECT_THAT(values_of(imported.run(), "parse_strict"), ElementsAre(ElementsAre(1310.25)));
}

TEST(ImportedTools, PlainSamplesKeepProcessesUnitsAndIterations) {
  const Imported csv = import_golden("samples.csv");
  EXPECT_THAT(values_of(csv.run(), "sort/n:1000"), ElementsAre(ElementsAre(12500, 12750), ElementsAre(13000)));
  EXPECT_THAT(measurement_of(csv.run(), "sort/n:1000")->invocations[0].iterations, ElementsAre(100, 100));
  EXPECT_THAT(values_of(csv.run(), "say \"hello, you\"", "rate"), ElementsAre(ElementsAre(250)));
  EXPECT_EQ(measurement_of(csv.run(), "say \"hello, you\"", "rate")->metric.better, Better::higher);
  const Imported lines = import_golden("samples.jsonl");
  EXPECT_THAT(values_of(lines.run(), "sort/n:1000"), ElementsAre(ElementsAre(12500), ElementsAre(13000)));
  EXPECT_THAT(values_of(lines.run(), "score", "quality"), ElementsAre(ElementsAre(0.75)));
}

// Stores, which have a run for each commit.

TEST(ImportedStores, GithubActionBenchmarkHasARunForEachCommitAndSuite) {
  const Imported imported = import_golden("github_action_benchmark.js");
  ASSERT_THAT(imported.runs, SizeIs(3));
  EXPECT_EQ(imported.runs[0].header.commit.sha, std::string(40, '1'));
  EXPECT_EQ(imported.runs[0].header.commit.subject, "sort: begin");
  EXPECT_EQ(imported.runs[0].header.commit.committed_at_unix_s, 1793527200);
  EXPECT_THAT(values_of(imported.runs[0], "BenchmarkSort"), ElementsAre(ElementsAre(5189)));
  EXPECT_THAT(values_of(imported.runs[1], "BenchmarkSort"), ElementsAre(ElementsAre(3484)));
  const Measurement* const rate = measurement_of(imported.runs[2], "test_sort [suite=Rates]", "throughput");
  ASSERT_NE(rate, nullptr);
  EXPECT_EQ(rate->metric.better, Better::higher);
  EXPECT_THAT(imported.warnings, ElementsAre(HasSubstr("in 3 of 3 runs")));
}

TEST(ImportedStores, RatesAreBetterHigherWhateverToolOfGithubActionBenchmarkWroteThem) {
  const Imported imported = import_golden("github_action_directions.js");
  ASSERT_THAT(imported.runs, SizeIs(4)) << imported.error;
  const auto better_of = [&](std::size_t run, const std::string& benchmark, std::string_view metric) {
    const Measurement* const measurement = measurement_of(imported.runs[run], benchmark, metric);
    return measurement != nullptr ? measurement->metric.better : Better::undeclared;
  };
  EXPECT_EQ(better_of(0, "BenchmarkCopy [suite=Go]", kRealTime), Better::lower);
  EXPECT_EQ(better_of(0, "BenchmarkCopy - MB/s [suite=Go]", "bytes_per_second"), Better::higher);
  EXPECT_EQ(better_of(0, "BenchmarkCopy - allocs/op [suite=Go]", "value"), Better::lower) << "go says it, not the unit";
  EXPECT_EQ(better_of(1, "Sort.sort [suite=Java]", "throughput"), Better::higher);
  EXPECT_EQ(better_of(2, "idle [suite=Bigger]", kRealTime), Better::higher) << "customBiggerIsBetter says it of all";
  EXPECT_EQ(better_of(3, "requests [suite=Smaller]", "throughput"), Better::lower);
}

TEST(ImportedStores, ThroughputOfBencherIsBetterHigherInAUnitOfItsOwn) {
  const Imported imported = import_golden("bencher_units.json");
  ASSERT_THAT(imported.runs, SizeIs(1)) << imported.error;
  const Measurement* const rate = measurement_of(imported.runs[0], "serve", "throughput");
  ASSERT_NE(rate, nullptr);
  EXPECT_EQ(rate->metric.unit, "requests/s");
  EXPECT_EQ(rate->metric.better, Better::higher);
}

TEST(ImportedStores, AsvHasSamplesWhereItKeptThemAndParametersByName) {
  const Imported imported = import_golden("asv");
  ASSERT_THAT(imported.runs, SizeIs(2));
  const steelyard::Run& first = imported.runs[0];
  EXPECT_EQ(first.header.commit.sha, std::string(40, '1'));
  EXPECT_THAT(values_of(first, "sorting.Suite.time_sort/n:100/order:up"),
              ElementsAre(ElementsAre(DoubleNear(9e3, 1e-6), DoubleNear(1e4, 1e-6), DoubleNear(1.1e4, 1e-6))));
  EXPECT_THAT(measurement_of(first, "sorting.Suite.time_sort/n:100/order:up")->invocations[0].iterations, Each(10));
  EXPECT_THAT(values_of(first, "sorting.Suite.time_sort/n:1000/order:up"),
              ElementsAre(ElementsAre(DoubleNear(1e5, 1e-6))));
  EXPECT_THAT(values_of(first, "sorting.peakmem_sort", "bytes"), ElementsAre(ElementsAre(25165824)));
  ASSERT_THAT(first.failures, SizeIs(1));
  EXPECT_EQ(first.failures[0].benchmark.canonical(), "sorting.Suite.time_sort/n:1000/order:down");
  ASSERT_THAT(imported.runs[1].failures, SizeIs(1)) << "NaN: it skipped itself";
  EXPECT_EQ(imported.runs[1].failures[0].kind, FailureKind::skipped);
  EXPECT_EQ(first.environment.fingerprint(), imported.runs[1].environment.fingerprint());
}

// "10  308±60ns  336±200ns", "1000  14.2±9μs  17.4±10μs", "sorting.peakmem_list  17.4M": the medians of the
// samples.
TEST(ImportedStores, WhatAsvPrintedIsTheMedianOfTheSamplesThatItKept) {
  const Imported imported = import_golden("asv_written");
  const steelyard::Run& run = imported.run();
  EXPECT_EQ(run.header.commit.sha, "387827a11315a5dd6187b451faafc68f38131acd");
  EXPECT_EQ(*run.environment.find("asv.environment"), "existing-py_usr_bin_python3");
  const auto median = [&](const std::string& name) {
    std::vector<double> samples = values_of(run, name).at(0);
    EXPECT_THAT(samples, SizeIs(10));
    std::sort(samples.begin(), samples.end());
    return (samples[4] + samples[5]) / 2;
  };
  const std::string sort = "sorting.Sorting.time_sort/n:";
  EXPECT_EQ(printed(median(sort + "10/order:rising"), "%.0f"), "308");
  EXPECT_EQ(printed(median(sort + "10/order:falling"), "%.0f"), "336");
  EXPECT_EQ(printed(median(sort + "1000/order:rising") * 1e-3, "%.1f"), "14.2");
  EXPECT_EQ(printed(median(sort + "1000/order:falling") * 1e-3, "%.1f"), "17.4");
  EXPECT_EQ(printed(median("sorting.time_sum") * 1e-3, "%.1f"), "14.2");
  EXPECT_THAT(measurement_of(run, "sorting.time_sum")->invocations[0].iterations, Each(1000));
  EXPECT_EQ(printed(values_of(run, "sorting.peakmem_list", "bytes").at(0).at(0) * 1e-6, "%.1f"), "17.4");
  EXPECT_THAT(values_of(run, "sorting.Sorting.track_length/n:1000/order:falling", "value"),
              ElementsAre(ElementsAre(1000)));
  ASSERT_THAT(run.failures, SizeIs(2));
  EXPECT_EQ(run.failures[0].benchmark.canonical(), "sorting.time_broken");
  EXPECT_EQ(run.failures[1].kind, FailureKind::skipped) << "n/a";
}

TEST(ImportedStores, RunsOfTwoEnvironmentsOfAsvOnOneMachineAreTwoHistories) {
  const Imported imported = import_golden("asv_environments");
  ASSERT_THAT(imported.runs, SizeIs(4)) << imported.error;
  std::map<std::string, std::set<std::string>> environments;  // by fingerprint
  for (const steelyard::Run& run : imported.runs) {
    environments[run.environment.fingerprint()].insert(*run.environment.find("asv.environment"));
  }
  EXPECT_THAT(environments, SizeIs(2)) << "each commit's two; of the second commit only the file's name tells it";
  for (const auto& [fingerprint, names] : environments) EXPECT_THAT(names, SizeIs(1)) << fingerprint;
}

TEST(ImportedStores, IterationsOfABencherReportAreInvocationsOfOneRun) {
  const Imported imported = import_golden("bencher.json");
  ASSERT_THAT(imported.runs, SizeIs(2));
  EXPECT_EQ(imported.runs[0].header.commit.sha, std::string(40, '1'));
  EXPECT_EQ(imported.runs[0].header.commit.branch, "main");
  EXPECT_THAT(values_of(imported.runs[0], "sort/1000"), ElementsAre(ElementsAre(5000), ElementsAre(5100)));
  EXPECT_THAT(values_of(imported.runs[0], "sort/1000", "throughput"), ElementsAre(ElementsAre(200e3)));
  EXPECT_THAT(values_of(imported.runs[1], "sort/1000"), ElementsAre(ElementsAre(3500)));
  const Imported metrics = import_golden("bencher_metrics.json");
  EXPECT_THAT(values_of(metrics.run(), "sort/1000"), ElementsAre(ElementsAre(3500)));
  EXPECT_THAT(values_of(metrics.run(), "sort/1000", "binary_size"), ElementsAre(ElementsAre(16384)));
}

TEST(ImportedStores, VariantsOfABencherBenchmarkAreBenchmarksWithTheirParameters) {
  const Imported imported = import_golden("bencher_variants.json");
  ASSERT_THAT(imported.runs, SizeIs(1)) << imported.error;
  EXPECT_THAT(values_of(imported.runs[0], "sort/1000"), ElementsAre(ElementsAre(5000)));
  EXPECT_THAT(values_of(imported.runs[0], "sort/1000/op:read/size_mb:16"), ElementsAre(ElementsAre(7000)));
  const Imported metrics = import_golden("bencher_metrics_1.json");
  EXPECT_THAT(values_of(metrics.run(), "copy/op:read/size_mb:16"), ElementsAre(ElementsAre(42.5)));
  EXPECT_THAT(values_of(metrics.run(), "copy"), ElementsAre(ElementsAre(21)));
  EXPECT_THAT(values_of(metrics.run(), "copy", "throughput"), ElementsAre(ElementsAre(100)));
  EXPECT_THAT(values_of(metrics.run(), "copy", "bytes_allocated"), ElementsAre(ElementsAre(662))) << "by its name";
  EXPECT_THAT(values_of(metrics.run(), "sort/1000"), ElementsAre(ElementsAre(3500))) << "of version 0 beside it";
}

TEST(ImportedStores, ConbenchResultsOfOneRunKeepTheirDataAndTheirTags) {
  const Imported imported = import_golden("conbench.json");
  ASSERT_THAT(imported.runs, SizeIs(2));
  const std::string name = "file-read/compression:snappy/cpu_count:2";
  EXPECT_THAT(values_of(imported.runs[0], name), ElementsAre(ElementsAre(0.5e9, 0.25e9)));
  EXPECT_THAT(values_of(imported.runs[1], name), ElementsAre(ElementsAre(0.25e9))) << "whatever the order of its tags";
  EXPECT_THAT(values_of(imported.runs[0], "file-rate", "throughput"), ElementsAre(ElementsAre(1e6)));
  EXPECT_EQ(imported.runs[0].header.commit.subject, "sort: change");
  ASSERT_THAT(imported.runs[1].failures, SizeIs(1));
}

}  // namespace
}  // namespace steelyard::bench::imported_tools_test

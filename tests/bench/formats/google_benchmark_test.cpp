#include "bench/formats/google_benchmark.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace steelyard::bench::google_benchmark_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::string golden(const std::string& name) {
  std::ifstream in(STEELYARD_GOLDEN "/google_benchmark/" + name, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  return text.str();
}

GoogleBenchmarkFile parse(const std::string& text) {
  auto file = parse_google_benchmark(text, "in.json");
  EXPECT_TRUE(file) << file.error().text();
  return file ? *file : GoogleBenchmarkFile{};
}

std::string error_of(const std::string& text) {
  const auto file = parse_google_benchmark(text, "in.json");
  EXPECT_FALSE(file) << text;
  if (file) return "";
  EXPECT_EQ(file.error().kind, ErrorKind::input);
  return file.error().text();
}

// One record around the given fields.
std::string file_with(const std::string& fields) {
  return R"({"context": {}, "benchmarks": [{"name": "BM_x", "run_name": "BM_x", "run_type": "iteration", )" + fields +
         "}]}";
}

const Measurement* find(const GoogleBenchmarkFile& file, const std::string& benchmark, const std::string& metric) {
  for (const Measurement& measurement : file.measurements) {
    if (measurement.benchmark.canonical() == benchmark && measurement.metric.name == metric) return &measurement;
  }
  ADD_FAILURE() << benchmark << " " << metric << " is not there";
  static const Measurement kNone{{}, {}, "", {InvocationSamples{}}};
  return &kNone;
}

std::string all_of(const std::vector<BadRecord>& records) {
  std::string text;
  for (const BadRecord& record : records) text += record.where + ": " + record.why + '\n';
  return text;
}

TEST(GoogleBenchmark, TakesRawRepetitionsAndNeverAggregates) {
  const auto file = parse(golden("plain_1.5.0.json"));
  const Measurement* const real = find(file, "BM_copy/64", "real_time");
  ASSERT_THAT(real->invocations, SizeIs(1));
  EXPECT_THAT(real->invocations[0].values, ElementsAre(1500, 1750));
  EXPECT_THAT(real->invocations[0].iterations, ElementsAre(1000, 2000));
  EXPECT_THAT(find(file, "BM_copy/64", "cpu_time")->invocations[0].values, ElementsAre(1250, 1500));
  EXPECT_THAT(file.measurements, SizeIs(2));
  EXPECT_EQ(all_of(file.bad_records), "");
}

TEST(GoogleBenchmark, LabelsAreKeptVerbatimTheFirstOfEachBenchmark) {
  const auto record = [](const std::string& name, const std::string& label) {
    return R"({"name": ")" + name + R"(", "run_name": ")" + name + R"(", "run_type": "iteration", "iterations": 1, )" +
           R"("real_time": 1, "cpu_time": 1, "time_unit": "ns", "label": ")" + label + R"("})";
  };
  const auto file =
      parse(R"({"context": {}, "benchmarks": [)" + record("BM_x/8", " target: 60 % of flops\\n") + ", " +
            record("BM_x/8", "later") + ", " + record("BM_y", "item:12ab") + ", " + record("BM_z", "") + "]}");
  EXPECT_THAT(file.labels,
              ElementsAre(testing::Pair("BM_x/8", " target: 60 % of flops\n"), testing::Pair("BM_y", "item:12ab")));
  EXPECT_THAT(file.bad_records, IsEmpty());
}

TEST(GoogleBenchmark, ALabelTooLongToKeepIsABadRecordThatSpoilsNoMetric) {
  const auto file = parse(file_with(R"("iterations": 1, "real_time": 1, "cpu_time": 1, "time_unit": "ns", "label": ")" +
                                    std::string(100'000, 'x') + '"'));
  EXPECT_THAT(file.labels, IsEmpty());
  ASSERT_THAT(file.bad_records, SizeIs(1));
  EXPECT_THAT(all_of(file.bad_records), HasSubstr("benchmarks[0].label: found 100000 bytes, wanted at most 65536"));
  EXPECT_EQ(file.bad_records[0].metric, "label");
}

TEST(GoogleBenchmark, AllocationsAreCountedOnlyWhereTheProgramSaysWhatTheyDependOn) {
  const std::string record =
      R"({"name": "BM_x", "run_name": "BM_x", "run_type": "iteration", "iterations": 2, "real_time": 1, "cpu_time": 1,
          "time_unit": "ns", "allocations": 3, "bytes_allocated": 100, "peak_rss": 4096})";
  const auto plain = parse(R"({"context": {}, "benchmarks": [)" + record + "]}");
  EXPECT_EQ(find(plain, "BM_x", "allocations")->metric.kind, MetricKind::noisy);
  EXPECT_EQ(find(plain, "BM_x", "allocations")->count_key, "");
  const auto keyed =
      parse(R"({"context": {"steelyard_allocation_key": "libstdc++ 1"}, "benchmarks": [)" + record + "]}");
  for (const char* metric : {"allocations", "bytes_allocated"}) {
    EXPECT_EQ(find(keyed, "BM_x", metric)->metric.kind, MetricKind::counted);
    EXPECT_EQ(find(keyed, "BM_x", metric)->count_key, "libstdc++ 1");
  }
  EXPECT_EQ(find(keyed, "BM_x", "peak_rss")->metric.kind, MetricKind::noisy);
}

TEST(GoogleBenchmark, EveryTimeUnitBecomesNanoseconds) {
  for (const auto& [unit, nanoseconds] :
       std::vector<std::pair<std::string, double>>{{"ns", 2}, {"us", 2e3}, {"ms", 2e6}, {"s", 2e9}}) {
    const auto file =
        parse(file_with(R"("iterations": 5, "real_time": 2, "cpu_time": 2.0, "time_unit": ")" + unit + '"'));
    EXPECT_THAT(find(file, "BM_x", "real_time")->invocations[0].values, ElementsAre(nanoseconds)) << unit;
  }
}

TEST(GoogleBenchmark, ReadsWhatTheInstalledLibraryWrote) {
  const auto file = parse(golden("everything_1.7.1.json"));
  EXPECT_THAT(find(file, "BM_sum/n:64/real_time/threads:2", "real_time")->invocations[0].values, SizeIs(3));
  EXPECT_THAT(find(file, "BM_tmpl<std::pair<int,long>>/iterations:1000", "cpu_time")->invocations[0].values, SizeIs(3));
  const Metric& rate = find(file, "BM_sum/1024", "bytes_per_second")->metric;
  EXPECT_EQ(rate, (Metric{"bytes_per_second", "bytes/s", Better::higher, MetricKind::noisy}));
  EXPECT_EQ(find(file, "BM_counters", "flops")->metric.unit, "flop/s");
  EXPECT_EQ(find(file, "BM_counters", "hits")->metric, (Metric{"hits", "1", Better::undeclared, MetricKind::noisy}));
  ASSERT_THAT(file.failures, SizeIs(1));
  EXPECT_EQ(file.failures[0].benchmark.canonical(), "BM_error");
  EXPECT_THAT(file.failures[0].said, HasSubstr("no such device"));
  EXPECT_EQ(file.failures[0].kind, FailureKind::reported_error);
  EXPECT_EQ(file.layout, Layout::interleaved);
  EXPECT_EQ(file.round, 2);
  EXPECT_EQ(file.baseline_first, false);
  EXPECT_FALSE(file.order.has_value());
}

TEST(GoogleBenchmark, CounterThatIsNotFiniteIsNamedAndTheRestIsRead) {
  const auto file = parse(golden("everything_1.7.1.json"));
  EXPECT_THAT(file.bad_records, SizeIs(6));
  EXPECT_THAT(all_of(file.bad_records), HasSubstr(".ratio: found NaN, wanted a finite number"));
  EXPECT_THAT(all_of(file.bad_records), HasSubstr(".peak: found -Infinity, wanted a finite number"));
  EXPECT_THAT(find(file, "BM_counters", "real_time")->invocations[0].values, SizeIs(3));
}

TEST(GoogleBenchmark, SkipsInWordsAndWithAnErrorAreToldApartAndAreNoMeasurements) {
  const auto file = parse(golden("skipped_1.8.3.json"));
  ASSERT_THAT(file.failures, SizeIs(2));
  EXPECT_EQ(file.failures[0].said, "no device here");
  EXPECT_EQ(file.failures[0].kind, FailureKind::skipped);
  EXPECT_EQ(file.failures[1].said, "wrong answer");
  EXPECT_EQ(file.failures[1].kind, FailureKind::reported_error);
  EXPECT_EQ(find(file, "BM_allocate", "max_bytes_used")->metric.unit, "bytes");
  EXPECT_EQ(find(file, "BM_allocate", "tokens_per_second")->metric.better, Better::higher);
  for (const Measurement& measurement : file.measurements) EXPECT_EQ(measurement.benchmark.name, "BM_allocate");
}

TEST(GoogleBenchmark, FieldsOfNewerVersionsAreNoTrouble) {
  const auto file = parse(golden("newer_1.9.4.json"));
  EXPECT_EQ(all_of(file.bad_records), "");
  EXPECT_THAT(find(file, "BM_parse/size:128/min_time:0.100", "real_time")->invocations[0].values, ElementsAre(3e9));
  EXPECT_EQ(file.layout, Layout::duet);
  EXPECT_EQ(file.round, 7);
  EXPECT_EQ(file.order, 1);
  EXPECT_EQ(file.taken_at_unix_ns, std::int64_t{1'772'629'567} * 1'000'000'000);
}

// Of one machine, as each version writes it.
TEST(GoogleBenchmark, CacheSizesOfEveryVersionAreOneMachine) {
  const auto fingerprint = [](const std::string& l1, const std::string& l2, const std::string& l3) {
    const auto cache = [](const char* type, int level, const std::string& size) {
      return std::string(R"({"type":")") + type + R"(","level":)" + std::to_string(level) + R"(,"size":)" + size +
             R"(,"num_sharing":2})";
    };
    const auto file =
        parse_google_benchmark(R"({"context":{"num_cpus":2,"caches":[)" + cache("Data", 1, l1) + ',' +
                                   cache("Unified", 2, l2) + ',' + cache("Unified", 3, l3) +
                                   R"(]},"benchmarks":[{"name":"BM_a","run_type":"iteration","iterations":1,)"
                                   R"("real_time":1,"cpu_time":1,"time_unit":"ns"}]})",
                               "x");
    EXPECT_TRUE(file);
    return file->environment.fingerprint();
  };
  const std::string newer = fingerprint("32768", "524288", "16777216");
  EXPECT_EQ(fingerprint("32000000", "512000000", "16384000000"), newer) << "1.5.0 on Linux";
  EXPECT_EQ(fingerprint("32768000", "524288000", "16777216000"), newer) << "1.5.0 elsewhere";
  EXPECT_NE(fingerprint("49152", "524288", "16777216"), newer);
  EXPECT_NE(fingerprint("32768", "524288", "16384000000"), newer) << "a large last level alone is no sign of 1.5.0";
}

TEST(GoogleBenchmark, OnlyProcessorCountAndCacheSizesDecideComparability) {
  const auto file = parse(golden("newer_1.9.4.json"));
  std::vector<std::string> decisive;
  for (const Fact& fact : file.environment.facts) {
    if (fact.decisive) decisive.push_back(fact.name + "=" + fact.value);
  }
  EXPECT_THAT(decisive, testing::UnorderedElementsAre("google.num_cpus=16", "google.cache.L3_Unified.bytes=33554432"));
  ASSERT_NE(file.environment.find("google.library_version"), nullptr);
  EXPECT_EQ(*file.environment.find("google.mhz_per_cpu"), "4500");
  EXPECT_EQ(file.environment.find("google.steelyard_layout"), nullptr);
}

TEST(GoogleBenchmark, ABenchmarkThatOurHarnessFoundBrokenFailedAndDidNotSkipItself) {
  const auto file = parse(file_with(R"("error_occurred": true, "error_message": ")" + std::string(kBrokenBenchmark) +
                                    R"(it threw an exception: x")"));
  ASSERT_THAT(file.failures, SizeIs(1));
  EXPECT_EQ(file.failures[0].kind, FailureKind::failed);
  EXPECT_EQ(file.failures[0].said, "the benchmark reported an error: it threw an exception: x");
}

TEST(GoogleBenchmark, OnlyAggregatesIsAnErrorThatNamesTheFlagTheSourceAndAWayThatHelps) {
  const std::string error = error_of(golden("only_aggregates_1.7.1.json"));
  EXPECT_THAT(error, HasSubstr("in.json"));
  EXPECT_THAT(error, HasSubstr("leave out --benchmark_report_aggregates_only and ReportAggregatesOnly(true)"));
  EXPECT_THAT(error, HasSubstr("steelyard run -- PROGRAM"));
}

// The mean and the standard deviation of 1.0, 1.1 and 1.2 us.
std::string aggregates_of(const std::string& name) {
  const auto record = [&](const std::string& kind, const std::string& time) {
    return R"({"name": ")" + name + "_" + kind + R"(", "run_name": ")" + name + R"(", "run_type": "aggregate", )" +
           R"("repetitions": 3, "threads": 1, "aggregate_name": ")" + kind + R"(", "iterations": 3, "real_time": )" +
           time + R"(, "cpu_time": )" + time + R"(, "time_unit": "us", "items_per_second": 7})";
  };
  return record("mean", "1.1") + ", " + record("median", "1.1") + ", " + record("stddev", "0.1");
}

constexpr const char* kThreePasses =
    "-- LOG(2): Running BM_x/repeats:3 for 1\n-- LOG(2): Ran in 9e-06/9e-06\n"
    "words of the program\n-- LOG(2): Running BM_x/repeats:3 for 1000\n"
    "-- LOG(2): Ran in 0.001/0.001\n-- LOG(2): Running BM_x/repeats:3 for 1000\n-- LOG(2): Ran in 0.0011/0.0011\n"
    "-- LOG(2): Running BM_x/repeats:3 for 1000\n-- LOG(2): Ran in 0.0012/0.0012\n";

TEST(GoogleBenchmark, RepetitionsThatTheFileLacksAreTakenFromTheLogOfTheProcess) {
  const std::string text = R"({"context": {}, "benchmarks": [)" + aggregates_of("BM_x/repeats:3") + "]}";
  const auto file = parse_google_benchmark(text, "in.json", PassLog{kThreePasses});
  ASSERT_TRUE(file) << file.error().text();
  const InvocationSamples& samples = find(*file, "BM_x/repeats:3", "real_time")->invocations[0];
  ASSERT_THAT(samples.values, SizeIs(3));
  EXPECT_NEAR(samples.values[0], 1000, 1e-9);
  EXPECT_NEAR(samples.values[1], 1100, 1e-9);
  EXPECT_NEAR(samples.values[2], 1200, 1e-9);
  EXPECT_THAT(samples.iterations, ElementsAre(1000, 1000, 1000));
  EXPECT_THAT(find(*file, "BM_x/repeats:3", "items_per_second")->invocations[0].values, ElementsAre(7));
  EXPECT_THAT(file->only_aggregates, IsEmpty());
}

TEST(GoogleBenchmark, IterationsThatNoLoopCanHaveMadeAreLeftOut) {
  const std::string text = R"({"context": {}, "benchmarks": [)" + aggregates_of("BM_x/repeats:3") + "]}";
  for (const std::string count : {"9223372036854775807", "-1000", "0"}) {
    std::string threads = text;
    for (std::size_t at = 0; (at = threads.find("\"threads\": 1", at)) != std::string::npos; at += 12) {
      threads.replace(at, 12, "\"threads\": 3");
    }
    std::string log = kThreePasses;
    for (std::size_t at = 0; (at = log.find("for 1000\n", at)) != std::string::npos;) {
      log.replace(at + 4, 4, count);
    }
    const auto file = parse_google_benchmark(threads, "in.json", PassLog{log});
    ASSERT_TRUE(file) << file.error().text();
    const InvocationSamples& samples = find(*file, "BM_x/repeats:3", "real_time")->invocations[0];
    EXPECT_THAT(samples.values, SizeIs(3)) << count;
    EXPECT_THAT(samples.iterations, IsEmpty()) << count;
  }
}

TEST(GoogleBenchmark, AMeanThatIsNoNumberOfNanosecondsIsABadRecord) {
  std::string text = R"({"context": {}, "benchmarks": [)" + aggregates_of("BM_x/repeats:3") + "]}";
  for (std::size_t at = 0; (at = text.find("_time\": 1.1,", at)) != std::string::npos; at += 8) {
    text.replace(at + 8, 3, "1e307");
  }
  const auto file = parse_google_benchmark(text, "in.json", PassLog{""});
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_THAT(file->bad_records, SizeIs(2)) << "the real and the CPU time";
  EXPECT_THAT(file->measurements, SizeIs(1)) << "items per second";
}

TEST(GoogleBenchmark, ALogThatDoesNotYieldTheAggregatesLeavesTheMeanAsOneSample) {
  const std::string text = R"({"context": {}, "benchmarks": [)" + aggregates_of("BM_x/repeats:3") + "]}";
  std::string other = kThreePasses;
  other.replace(other.find("0.0012/0.0012"), 13, "0.0012/0.0013");  // the CPU time agrees
  for (const std::string& log : {std::string(), other}) {
    const auto file = parse_google_benchmark(text, "in.json", PassLog{log});
    ASSERT_TRUE(file) << file.error().text();
    EXPECT_THAT(find(*file, "BM_x/repeats:3", "real_time")->invocations[0].values, ElementsAre(1100));
    EXPECT_THAT(file->only_aggregates, ElementsAre("BM_x/repeats:3"));
  }
}

TEST(GoogleBenchmark, OnlyAggregatesOfOneBenchmarkAmongOthersAreABadRecordAndNotForgotten) {
  const auto file =
      parse(R"({"context": {}, "benchmarks": [{"name": "BM_y", "run_name": "BM_y", "run_type": "iteration",
    "iterations": 1, "real_time": 1, "cpu_time": 1, "time_unit": "ns"}, )" +
            aggregates_of("BM_x/repeats:3") + ", " + aggregates_of("BM_y") + "]}");
  ASSERT_THAT(file.bad_records, SizeIs(1)) << all_of(file.bad_records);
  EXPECT_EQ(file.bad_records[0].benchmark.canonical(), "BM_x/repeats:3");
  EXPECT_THAT(file.bad_records[0].why, HasSubstr("found only aggregates"));
}

TEST(GoogleBenchmark, AggregateIsKnownByItsSuffixWhereTheFileHasNoRunType) {
  const std::string text = R"({"benchmarks": [
    {"name": "BM_x", "iterations": 1, "real_time": 1, "cpu_time": 1, "time_unit": "ns"},
    {"name": "BM_x_mean", "iterations": 1, "real_time": 9, "cpu_time": 9, "time_unit": "ns"}]})";
  EXPECT_THAT(find(parse(text), "BM_x", "real_time")->invocations[0].values, ElementsAre(1));
}

TEST(GoogleBenchmark, RecordThatCannotBeUsedIsNamed) {
  const auto why = [](const std::string& fields) { return all_of(parse(file_with(fields)).bad_records); };
  const std::string times = R"("real_time": 1, "cpu_time": 1, )";
  EXPECT_THAT(why(R"("cpu_time": 1, "time_unit": "ns")"), HasSubstr("benchmarks[0].real_time: found none"));
  EXPECT_THAT(why(R"("real_time": NaN, "cpu_time": 1, "time_unit": "ns")"),
              HasSubstr("benchmarks[0].real_time: found NaN, wanted a finite number"));
  EXPECT_THAT(why(R"("real_time": "1", "cpu_time": 1, "time_unit": "ns")"), HasSubstr("real_time: found a string"));
  EXPECT_THAT(why(R"("real_time": -1, "cpu_time": 1, "time_unit": "ns")"), HasSubstr("wanted a time of 0 or more"));
  EXPECT_THAT(why(times + R"("time_unit": "min")"), HasSubstr("time_unit: found \"min\", wanted ns, us, ms or s"));
  EXPECT_THAT(why(R"("real_time": 1, "cpu_time": 1)"), HasSubstr("time_unit: found \"\""));
  EXPECT_THAT(why(times + R"("time_unit": "ns", "iterations": 0)"), HasSubstr("iterations: found 0, wanted"));
  EXPECT_THAT(why(times + R"("time_unit": "ns", "iterations": 1.5)"), HasSubstr("iterations: found a number, wanted"));
  EXPECT_THAT(why(times + R"("time_unit": "ns", "iterations": 18446744073709551615)"), HasSubstr("iterations: found"));
  EXPECT_THAT(why(R"("real_time": 1e298, "cpu_time": 1, "time_unit": "s")"), IsEmpty());
  EXPECT_THAT(why(R"("real_time": 1e308, "cpu_time": 1, "time_unit": "s")"), HasSubstr("real_time: found"));
}

TEST(GoogleBenchmark, ElementThatIsNoRecordIsNamed) {
  const auto file = parse(R"({"benchmarks": [7, {"run_type": "iteration"}, {"name": "a\u0000b"}]})");
  EXPECT_EQ(all_of(file.bad_records),
            "benchmarks[0]: found a number, wanted an object\n"
            "benchmarks[1].run_name: found none, wanted the benchmark's name\n"
            "benchmarks[2].run_name: found 3 bytes, wanted printable text of at most 65536\n");
}

TEST(GoogleBenchmark, CounterNamedLikeAFieldDoesNotReplaceTheField) {
  const auto file =
      parse(file_with(R"("iterations": 5, "real_time": 2, "cpu_time": 2, "time_unit": "ns", "iterations": 7.0e+00)"));
  EXPECT_THAT(find(file, "BM_x", "real_time")->invocations[0].iterations, ElementsAre(5));
  EXPECT_THAT(all_of(file.bad_records), HasSubstr("benchmarks[0].iterations: found twice"));
}

TEST(GoogleBenchmark, TwoBenchmarksOfOneNameAreNotMixed) {
  const auto record = [](int instance, int time) {
    return R"({"name": "BM_x", "run_type": "iteration", "family_index": 0, "per_family_instance_index": )" +
           std::to_string(instance) + R"(, "real_time": )" + std::to_string(time) +
           R"(, "cpu_time": 1, "time_unit": "ns"})";
  };
  const auto file = parse(R"({"benchmarks": [)" + record(0, 1) + "," + record(1, 100) + "," + record(0, 2) + "," +
                          record(1, 200) + "]}");
  EXPECT_THAT(find(file, "BM_x", "real_time")->invocations[0].values, ElementsAre(1, 2));
  EXPECT_THAT(file.bad_records, SizeIs(1));
  EXPECT_THAT(all_of(file.bad_records), HasSubstr("wanted one name for each; rename one of them in the program"));
}

TEST(GoogleBenchmark, IterationsAreAbsentRatherThanMisaligned) {
  const std::string text = R"({"benchmarks": [
    {"name": "BM_x", "iterations": 4, "real_time": 1, "cpu_time": 1, "time_unit": "ns"},
    {"name": "BM_x", "real_time": 2, "cpu_time": 1, "time_unit": "ns"}]})";
  const auto file = parse(text);
  EXPECT_THAT(find(file, "BM_x", "real_time")->invocations[0].values, ElementsAre(1, 2));
  EXPECT_THAT(find(file, "BM_x", "real_time")->invocations[0].iterations, IsEmpty());
}

TEST(GoogleBenchmark, KeyOfOursThatMakesNoSenseIsNamed) {
  const auto file = parse(R"({"context": {"steelyard_layout": "parallel", "steelyard_round": "-1",
    "steelyard_order": "third", "date": "today"}, "benchmarks": [
    {"name": "BM_x", "iterations": 4, "real_time": 1, "cpu_time": 1, "time_unit": "ns"}]})");
  const std::string bad = all_of(file.bad_records);
  EXPECT_THAT(bad, HasSubstr("context.steelyard_layout: found \"parallel\", wanted interleaved, duet"));
  EXPECT_THAT(bad, HasSubstr("context.steelyard_round: found \"-1\""));
  EXPECT_THAT(bad, HasSubstr("context.steelyard_order: found \"third\""));
  EXPECT_THAT(bad, HasSubstr("context.date: found \"today\", wanted a time from 1970 to 2261, as \"2026"));
  EXPECT_FALSE(file.layout || file.round || file.order || file.baseline_first);
}

TEST(GoogleBenchmark, FileThatIsNoneGetsOneErrorWithOffsetAndFix) {
  EXPECT_THAT(error_of(""), HasSubstr("an empty file"));
  EXPECT_THAT(error_of("hello"), HasSubstr("in.json: byte 0"));
  EXPECT_THAT(error_of(R"({"benchmarks": [}]})"), HasSubstr("in.json: byte 16: found \"}]}\""));
  EXPECT_THAT(error_of("{\"benchmarks\": []} trailing"), HasSubstr("in.json: byte 2"));
  EXPECT_THAT(error_of("[1, 2]"), HasSubstr("without a list of \"benchmarks\""));
  EXPECT_THAT(error_of(R"({"benchmarks": 3})"), HasSubstr("without a list of \"benchmarks\""));
  EXPECT_THAT(error_of(R"({"benchmarks": []})"), HasSubstr("--benchmark_filter"));
  EXPECT_THAT(error_of(R"({"benchmarks": [1e999]})"), HasSubstr("in.json"));
  EXPECT_THAT(error_of(std::string(std::size_t{257} << 20, ' ')), HasSubstr("at most 268435456"));
}

TEST(GoogleBenchmark, NestingAndSizeOfOneRecordAreBounded) {
  EXPECT_THAT(error_of(R"({"benchmarks": [)" + std::string(100'000, '[')), HasSubstr("deeper nesting"));
  EXPECT_THAT(error_of(R"({"context": )" + std::string(100'000, '[')), HasSubstr("deeper nesting"));
  std::string many = R"({"benchmarks": [[0)";
  for (int i = 0; i < 200'000; ++i) many += ",0";
  EXPECT_THAT(error_of(many + "]]}"), HasSubstr("more values"));
}

TEST(GoogleBenchmark, CutAtAnyByteItIsAnErrorThatSaysSo) {
  for (const char* name : {"skipped_1.8.3.json", "newer_1.9.4.json"}) {
    const std::string whole = golden(name);
    const std::size_t last = whole.find_last_of('}');
    for (std::size_t length = 1; length <= last; ++length) {
      const auto file = parse_google_benchmark(whole.substr(0, length), "in.json");
      ASSERT_FALSE(file) << length;
      ASSERT_THAT(file.error().text(), HasSubstr("the end of the file in the middle of")) << length;
      ASSERT_THAT(file.error().fix, HasSubstr("run it again"));
    }
  }
}

TEST(GoogleBenchmark, CutInsideANonFiniteTokenIsACut) {
  for (const char* tail : {"N", "Na", "-", "-N", "Infinit", "-Inf"}) {
    EXPECT_THAT(error_of(std::string(R"({"benchmarks": [{"name": "BM_x", "ratio": )") + tail),
                HasSubstr("the end of the file in the middle of benchmarks[0]"));
  }
  EXPECT_THAT(error_of(R"({"benchmarks": []} trailing)"), Not(HasSubstr("the end of the file")));
}

TEST(GoogleBenchmark, CutInsideARecordNamesTheRecord) {
  const std::string whole = golden("skipped_1.8.3.json");
  EXPECT_THAT(error_of(whole.substr(0, whole.find("wrong answer"))), HasSubstr("in the middle of benchmarks[1]"));
}

}  // namespace
}  // namespace steelyard::bench::google_benchmark_test

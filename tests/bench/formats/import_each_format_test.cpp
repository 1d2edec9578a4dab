// The same mistakes in a file of each format: what is bad is named with file and place and the rest is read; and what
// can be read of a file that is cut is kept where that is asked for. And what is no mistake: many benchmarks, and rows
// in units of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "bench/formats/import_formats.hpp"
#include "bench/model/text.hpp"

namespace steelyard::bench::import_each_format_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

using RunsOfFile = Result<std::vector<steelyard::Run>>;

// A file of each format with a benchmark "ok" and one that stands for what is wrong: '@' for its value, '~' for its
// name.
struct OneBadOfTwo {
  std::string_view format;
  std::string text;
  std::string place;          // of the bad one's value
  bool may_continue = false;  // a name that comes again is one more sample of it
};
std::vector<OneBadOfTwo> each_with_one_bad() {
  const std::string google =
      R"(", "run_type": "iteration", "iterations": 1, "cpu_time": 1, "time_unit": "ns", "real_time": )";
  const std::string nvbench = R"(", "states": [{"summaries": [{"tag": "nv/cold/time/gpu/mean",
      "data": [{"name": "value", "type": "float64", "value": ")";
  const std::string bencher = R"("}, "branch": {"name": "b"}, "testbed": {"name": "t"}, "measure": {"slug": "latency"},
      "metrics": [{"report": "r", "iteration": 0, "start_time": "2026-01-01T00:00:00Z", "metric": {"value": )";
  const std::string doctest = R"("><OverallResultsAsserts failures="0" test_case_success="true" duration=")";
  return {
      {"google-benchmark",
       R"({"context": {}, "benchmarks": [{"name": "ok)" + google + R"(1},
          {"name": "~)" +
           google + "@}]}",
       "benchmarks[1]", true},
      {"nvbench",
       R"({"devices": [], "benchmarks": [{"name": "ok)" + nvbench + R"(1"}]}]}]},
          {"name": "~)" +
           nvbench + R"(@"}]}]}]}]})",
       "benchmarks[1].states[0]"},
      {"pytest-benchmark", R"({"machine_info": {}, "benchmarks": [{"fullname": "ok", "stats": {"data": [1]}},
          {"fullname": "~", "stats": {"data": [@]}}]})",
       "benchmarks[1].stats.data"},
      {"pyperf", R"({"benchmarks": [{"metadata": {"unit": "second", "name": "ok"}, "runs": [{"values": [1]}]},
          {"metadata": {"name": "~"}, "runs": [{"values": [@]}]}]})",
       "benchmarks[1].runs[0].values", true},
      {"hyperfine", R"({"results": [{"command": "ok", "times": [1]}, {"command": "~", "times": [@]}]})", "results[1]"},
      {"nanobench", R"({"results": [{"name": "ok", "measurements": [{"iterations": 1, "elapsed": 1}]},
          {"name": "~", "measurements": [{"iterations": 1, "elapsed": @}]}]})",
       "results[1].measurements"},
      {"jmh", R"([{"benchmark": "ok", "mode": "avgt", "primaryMetric": {"scoreUnit": "ns/op", "rawData": [[1]]}},
          {"benchmark": "~", "mode": "avgt", "primaryMetric": {"scoreUnit": "ns/op", "rawData": [[@]]}}])",
       "[1].primaryMetric", true},
      {"benchmarkdotnet", R"({"HostEnvironmentInfo": {}, "Benchmarks": [
          {"Type": "t", "Method": "ok", "Statistics": {"OriginalValues": [1]}},
          {"Type": "t", "Method": "~", "Statistics": {"OriginalValues": [@]}}]})",
       "Benchmarks[1].Statistics.OriginalValues", true},
      {"criterion",
       R"({"reason": "benchmark-complete", "id": "ok", "unit": "ns", "iteration_count": [1], "measured_values": [1]}
{"reason": "benchmark-complete", "id": "~", "unit": "ns", "iteration_count": [1], "measured_values": [@]})",
       "line 2"},
      {"go", "Benchmarkok 1 1 ns/op\nBenchmark~ 1 @ ns/op\n", "line 2", true},
      {"catch2",
       "<Catch2TestRun><TestCase name=\"t\">\n<BenchmarkResults name=\"ok\"><mean value=\"1\"/></BenchmarkResults>\n"
       "<BenchmarkResults name=\"~\"><mean value=\"@\"/></BenchmarkResults></TestCase></Catch2TestRun>",
       "line 3"},
      {"doctest",
       R"(<doctest><TestCase name="ok)" + doctest + "1\"/></TestCase>\n<TestCase name=\"~" + doctest +
           "@\"/></TestCase></doctest>",
       "line 2"},
      {"folly", R"([["f", "ok", 1], ["f", "~", @]])", "[1]"},
      {"csv", "benchmark,unit,value\nok,ns,1\n~,ns,@\n", "line 3", true},
      {"json-lines",
       "{\"benchmark\": \"ok\", \"unit\": \"ns\", \"value\": 1}\n"
       "{\"benchmark\": \"~\", \"unit\": \"ns\", \"value\": @}\n",
       "line 2", true},
      {"github-action-benchmark", R"(window.BENCHMARK_DATA = {"repoUrl": "", "entries": {"Benchmark": [{
          "commit": {"id": "1111111"}, "tool": "go", "date": 1793527200000, "benches": [
          {"name": "ok", "unit": "ns/op", "value": 1}, {"name": "~", "unit": "ns/op", "value": @}]}]}})",
       "entries.Benchmark[0].benches[1]"},
      {"asv", R"({"commit_hash": "1111111", "date": 1793527200000, "result_columns": ["result"], "results": {
          "time_ok": [[1]], "time_~": [[@]]}})",
       "results.time_~[0]"},
      {"bencher",
       R"({"results": [{"benchmark": {"name": "ok)" + bencher + R"(1}}]},
          {"benchmark": {"name": "~)" +
           bencher + R"(@}}]}]})",
       "results[1].metrics[0]"},
      {"conbench", R"([{"run_id": "r", "tags": {"name": "ok"}, "timestamp": "2026-01-01T00:00:00Z",
          "stats": {"data": [1], "unit": "ns"}}, {"run_id": "r", "tags": {"name": "~"},
          "timestamp": "2026-01-01T00:00:00Z", "stats": {"data": [@], "unit": "ns"}}])",
       "[1].stats.data", true},
      {"bencher-metrics", R"({"ok": {"latency": {"value": 1}}, "~": {"latency": {"value": @}}})", "~.latency"}};
}

std::string text_with(std::string text, const std::string& name, const std::string& value) {
  for (const auto& [mark, word] : {std::pair('~', &name), std::pair('@', &value)}) {
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += word->size()) {
      text.replace(at, 1, *word);
    }
  }
  return text;
}

// What a sample is of, and how much.
std::set<std::string> samples_in(const std::vector<steelyard::Run>& runs) {
  std::set<std::string> samples;
  for (const steelyard::Run& run : runs) {
    for (const Measurement& measurement : run.measurements) {
      const std::string of = measurement.benchmark.canonical() + ' ' + measurement.metric.name + ' ';
      for (const InvocationSamples& taken : measurement.invocations) {
        for (const double value : taken.values) {
          samples.insert(of + shortest_text(value) + ' ' + measurement.metric.unit);
        }
      }
    }
  }
  return samples;
}

class ImportOfEachFormat : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) / ("steelyard-each-format-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  RunsOfFile load(std::string_view format, const std::string& text, bool keeps_readable = false) {
    write("in", text);
    return load_file(format, folder_ / "in", keeps_readable);
  }
  RunsOfFile load_file(std::string_view format, const std::filesystem::path& path, bool keeps_readable) {
    reading_ = {.keeps_readable = keeps_readable};
    const auto formats = import_formats();
    const auto at = std::find_if(formats.begin(), formats.end(), [&](const auto& one) { return one.name == format; });
    return load_imported(*at, path, reading_);
  }
  void write(const std::filesystem::path& name, const std::string& text) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  RunsOfFile load_readable(std::string_view format, const std::string& text) { return load(format, text, true); }
  void expect_limit(const OneBadOfTwo& one, const RunsOfFile& runs, const std::string& place) const {
    ASSERT_FALSE(runs) << one.format;
    EXPECT_EQ(runs.error().kind, ErrorKind::input) << one.format;
    EXPECT_THAT(runs.error().where, HasSubstr((folder_ / "in").string() + ": " + place)) << one.format;
    EXPECT_THAT(runs.error().text(), HasSubstr("found more than 1000000 values in one piece, wanted at most 1000000; "
                                               "write it in several files"))
        << one.format;
  }

  std::filesystem::path folder_;
  ImportReading reading_;
};
using ImportOfWhatIsReadable = ImportOfEachFormat;

TEST_F(ImportOfEachFormat, ABadValueIsNamedWithFileAndPlaceAndTheOtherBenchmarkIsRead) {
  const std::vector<OneBadOfTwo> all = each_with_one_bad();
  ASSERT_EQ(all.size(), import_formats().size()) << "a format has no row in each_with_one_bad()";
  for (const OneBadOfTwo& one : all) {
    for (const std::string value : {"NaN", "Infinity", "-Infinity", "-1", "1e300"}) {
      // NaN is its word for a benchmark that skipped itself, and what is not finite is read as that.
      if (one.format == "asv" && (value == "NaN" || value.ends_with("Infinity"))) continue;
      const bool is_google = one.format == "google-benchmark";
      if (is_google && value == "1e300") continue;  // finite, and kept as it is
      const RunsOfFile runs = load(one.format, text_with(one.text, "bad", value));
      const std::string what = std::string(one.format) + " with " + value;
      ASSERT_TRUE(runs) << what << ": " << runs.error().text();
      ASSERT_THAT(*runs, SizeIs(1)) << what;
      const steelyard::Run& run = runs->front();
      ASSERT_THAT(run.failures, SizeIs(1)) << what;
      EXPECT_EQ(run.failures[0].kind, FailureKind::bad_record) << what;
      const std::string place = text_with(one.place, "bad", value);
      EXPECT_THAT(run.failures[0].said, HasSubstr(place)) << what;
      const std::string in_file = place.starts_with("line ") ? ':' + place.substr(5) : ": " + place;
      EXPECT_THAT(reading_.warnings, Contains(HasSubstr((folder_ / "in").string() + in_file))) << what;
      ASSERT_FALSE(run.measurements.empty()) << what;
      for (const Measurement& measurement : run.measurements) {
        if (is_google && measurement.metric.name == kCpuTime) continue;  // which is right
        EXPECT_THAT(measurement.benchmark.canonical(), HasSubstr("ok")) << what;
      }
    }
  }
}

TEST_F(ImportOfEachFormat, ANameThatComesAgainIsABadRecordOrOneMoreSampleOfIt) {
  for (const OneBadOfTwo& one : each_with_one_bad()) {
    const RunsOfFile runs = load(one.format, text_with(one.text, "ok", "1"));
    ASSERT_TRUE(runs) << one.format << ": " << runs.error().text();
    const steelyard::Run& run = runs->front();
    std::size_t samples = 0;
    for (const Measurement& measurement : run.measurements) {
      if (measurement.metric.name != kRealTime) continue;
      for (const InvocationSamples& taken : measurement.invocations) samples += taken.values.size();
    }
    EXPECT_EQ(samples, one.may_continue ? 2U : 1U) << one.format;
    EXPECT_THAT(run.failures, SizeIs(one.may_continue ? 0 : 1)) << one.format;
    for (const Failure& failure : run.failures) {
      EXPECT_EQ(failure.kind, FailureKind::bad_record) << one.format;
      EXPECT_THAT(failure.said, HasSubstr("again")) << one.format;
    }
  }
}

// Of as many more benchmarks "b0", "b1", ... and "last": what stands between the two names is what a record is.
std::string text_of_many(const OneBadOfTwo& one, int count) {
  const std::size_t first = one.text.find("ok");
  const std::size_t second = one.text.find('~');
  const std::string between = one.text.substr(first + 2, second - first - 2);
  std::string text = one.text.substr(0, first);
  for (int i = 0; i < count; ++i) text += 'b' + std::to_string(i) + between;
  return text + text_with(one.text.substr(second), "last", "1");
}

#if defined(STEELYARD_SANITIZED)
constexpr int kManyBenchmarks = 3'000;
#else
constexpr int kManyBenchmarks = 10'000;
#endif
constexpr int kSurelyHeld = 200'000;  // in one piece

// STEELYARD_IMPORTED_BENCHMARKS=1000000 before the test's program asks for a million of each format; the test
// import_of_many has 100000.
int many_benchmarks() {
  const char* const asked = std::getenv("STEELYARD_IMPORTED_BENCHMARKS");
  return asked != nullptr ? std::atoi(asked) : kManyBenchmarks;
}

TEST_F(ImportOfEachFormat, ManyBenchmarksAreAllTaken) {
  const int count = many_benchmarks();
  for (const OneBadOfTwo& one : each_with_one_bad()) {
    const RunsOfFile runs = load(one.format, text_of_many(one, count - 1));
    if (!runs && count > kSurelyHeld && one.format == "github-action-benchmark") {
      expect_limit(one, runs, "");
      continue;
    }
    ASSERT_TRUE(runs) << one.format << ": " << runs.error().text();
    ASSERT_THAT(*runs, SizeIs(1)) << one.format;
    const steelyard::Run& run = runs->front();
    EXPECT_THAT(run.failures, SizeIs(0)) << one.format;
    const auto timed = std::count_if(run.measurements.begin(), run.measurements.end(),
                                     [](const Measurement& of) { return of.metric.name == kRealTime; });
    EXPECT_EQ(timed, count) << one.format;
  }
}

TEST_F(ImportOfEachFormat, MoreThanIsHeldInOnePieceIsOneErrorThatNamesItsPlaceAndTheLimit) {
  for (const OneBadOfTwo& one : each_with_one_bad()) {  // of which a record is a commit with all its benchmarks
    const auto load_many = [&](int more) { return load(one.format, text_of_many(one, more)); };
    if (one.format == "github-action-benchmark") expect_limit(one, load_many(251'000), "entries.Benchmark[0]");
  }
}

TEST_F(ImportOfEachFormat, MembersThatAreRecordsAreHeldOneAtATime) {
  std::string unread = "[null";
  for (int i = 0; i < 600'000; ++i) unread += ",null";
  unread += ']';
  const std::string result = "[[1], " + unread + ']';
  const RunsOfFile asv = load("asv", R"({"results": {"time_a": )" + result + R"(, "time_b": )" + result +
                                         R"(}, "result_columns": ["result", "x"], "commit_hash": "1111111"})");
  ASSERT_TRUE(asv) << asv.error().text();
  EXPECT_THAT(asv->front().measurements, SizeIs(2)) << "what is said of them may stand behind them";
  const std::string measure = R"({"latency": {"value": 1, "x": )" + unread + "}}";
  const RunsOfFile metrics = load("bencher-metrics", R"({"a": )" + measure + R"(, "b": )" + measure + '}');
  ASSERT_TRUE(metrics) << metrics.error().text();
  EXPECT_THAT(metrics->front().measurements, SizeIs(2));
}

TEST_F(ImportOfEachFormat, OfFollysTimesByNameTheLastIsNoneWhereItMayBeCut) {
  const std::string text = R"({"a": 1000, "b": 123.45)";
  EXPECT_THAT(samples_in(*load("folly", text + "}")), SizeIs(2));
  const RunsOfFile cut = load_readable("folly", text);
  ASSERT_TRUE(cut) << cut.error().text();
  EXPECT_THAT(samples_in(*cut), ElementsAre("a real_time 1 ns"));
  EXPECT_THAT(samples_in(*load_readable("folly", text + ", \"c\": 1")), SizeIs(2))
      << "what follows it says that it is whole";
}

TEST_F(ImportOfEachFormat, ANameInLatin1IsOneErrorOrOfLinesOneBadRecordWithItsPlace) {
  for (const OneBadOfTwo& one : each_with_one_bad()) {
    const std::string text = text_with(one.text, "caf\xe9", "1");
    const RunsOfFile runs = load(one.format, text);
    const std::string file = (folder_ / "in").string();
    if (one.format == "go" || one.format == "catch2" || one.format == "doctest" || one.format == "csv") {
      ASSERT_TRUE(runs) << one.format << ": " << runs.error().text();
      ASSERT_THAT(runs->front().failures, SizeIs(1)) << one.format;
      EXPECT_THAT(runs->front().failures[0].said, AllOf(HasSubstr(one.place), HasSubstr("UTF-8"))) << one.format;
      EXPECT_THAT(reading_.warnings, Contains(HasSubstr(file + ':' + one.place.substr(5)))) << one.format;
      EXPECT_THAT(runs->front().measurements, SizeIs(1)) << one.format;
      continue;
    }
    ASSERT_FALSE(runs) << one.format;
    EXPECT_EQ(runs.error().kind, ErrorKind::input) << one.format;
    EXPECT_THAT(runs.error().where, HasSubstr(file + ':')) << one.format;
    EXPECT_THAT(runs.error().found, HasSubstr("a character that is no UTF-8")) << runs.error().text();
    const bool is_of_records = one.place.find('[') != std::string::npos && one.format != "asv";
    if (is_of_records) {
      EXPECT_THAT(runs.error().found, HasSubstr(" in " + one.place.substr(0, one.place.find(']') + 1))) << one.format;
    }
    const RunsOfFile kept = load_readable(one.format, text);
    if (one.format == "github-action-benchmark") {
      EXPECT_FALSE(kept) << "its only record is damaged";
      continue;
    }
    ASSERT_TRUE(kept) << one.format << ": " << kept.error().text();
    ASSERT_FALSE(kept->front().measurements.empty()) << one.format;
    for (const Measurement& measurement : kept->front().measurements) {
      EXPECT_THAT(measurement.benchmark.canonical(), HasSubstr("ok")) << one.format;
    }
    EXPECT_THAT(kept->front().failures, Contains(::testing::Field(&Failure::said, HasSubstr("no UTF-8"))))
        << one.format;
  }
}

TEST_F(ImportOfEachFormat, AFailureOfALatinNameIsKeptAsTextThatCanBeKept) {
  for (const auto& [format, text] :
       {std::pair("go", "Benchmarkok 1 1 ns/op\n--- FAIL: Benchmark\xe9\n"),
        std::pair("catch2",
                  "<Catch2TestRun><BenchmarkResults name=\"ok\"><mean value=\"1\"/></BenchmarkResults>\n"
                  "<BenchmarkResults name=\"\xe9\"><failed message=\"m\"/></BenchmarkResults></Catch2TestRun>")}) {
    const RunsOfFile runs = load(format, text);
    ASSERT_TRUE(runs) << format << ": " << runs.error().text();
    ASSERT_THAT(runs->front().failures, SizeIs(1)) << format;
    EXPECT_EQ(runs->front().failures[0].benchmark.name, "") << format;
    EXPECT_EQ(runs->front().failures[0].kind, FailureKind::failed) << format;
    EXPECT_THAT(runs->front().failures[0].said, HasSubstr("?: failed")) << format;
  }
}

// The second of two benchmarks in another unit: `from` stands there last in the format's text above.
struct SecondUnit {
  std::string_view format;
  std::string from;
  std::string to;
  std::string_view sample;     // of the benchmark "second", whose number is 1
  std::string foreign;         // in place of `to`: no time
  bool is_same_metric = true;  // as that of the first
};
std::vector<SecondUnit> second_units() {
  constexpr std::string_view kThousand = "second real_time 1000 ns";
  return {
      {"google-benchmark", R"("ns")", R"("us")", kThousand, R"("bytes")"},
      {"pyperf", R"("~")", R"("~", "unit": "byte")", "second bytes 1 bytes", R"("~", "unit": "integer")", false},
      {"jmh", "ns/op", "us/op", kThousand, "MB/op"},
      {"criterion", R"("ns")", R"("us")", kThousand, R"("bytes")"},
      {"go", "ns/op", "us/op", "Benchmarksecond us/op 1000 ns", "B/op", false},
      {"csv", ",ns,", ",us,", kThousand, ",bytes,"},
      {"json-lines", R"("ns")", R"("us")", kThousand, R"("bytes")"},
      {"github-action-benchmark", "ns/op", "us/op", kThousand, "MB"},
      {"bencher", R"("latency")", R"u("latency", "units": "microseconds (us)")u", kThousand,
       R"("latency", "units": "bytes")"},
      {"conbench", R"("ns")", R"("us")", kThousand, R"("bytes")"},
  };
}

TEST_F(ImportOfEachFormat, EachRowIsOfItsOwnUnitOrABadRecord) {
  const std::vector<OneBadOfTwo> all = each_with_one_bad();
  for (const SecondUnit& unit : second_units()) {
    const auto one =
        std::find_if(all.begin(), all.end(), [&](const OneBadOfTwo& of) { return of.format == unit.format; });
    const auto load_with = [&](const std::string& to, const std::string& name) {
      std::string text = one->text;
      const std::size_t at = text.rfind(unit.from);
      text.replace(at, unit.from.size(), to);
      return load(unit.format, text_with(text, name, "1"));
    };
    const RunsOfFile runs = load_with(unit.to, "second");
    ASSERT_TRUE(runs) << unit.format << ": " << runs.error().text();
    EXPECT_THAT(samples_in(*runs), Contains(unit.sample)) << unit.format;
    EXPECT_THAT(runs->front().failures, SizeIs(0)) << unit.format;

    if (one->may_continue && unit.is_same_metric) {
      const RunsOfFile mixed = load_with(unit.to, "ok");
      ASSERT_TRUE(mixed) << unit.format << ": " << mixed.error().text();
      EXPECT_THAT(samples_in(*mixed), AllOf(Contains("ok real_time 1 ns"), Contains("ok real_time 1000 ns")))
          << unit.format;
    }

    const RunsOfFile foreign = load_with(unit.foreign, "second");
    ASSERT_TRUE(foreign) << unit.format << ": " << foreign.error().text();
    std::size_t in_their_own = 0;
    for (const Measurement& measurement : foreign->front().measurements) {
      if (measurement.benchmark.canonical().find("second") == std::string::npos) continue;
      EXPECT_NE(measurement.metric.unit, "ns") << unit.format;
      ++in_their_own;
    }
    const std::vector<Failure>& refused = foreign->front().failures;
    EXPECT_EQ(in_their_own + refused.size(), 1U) << unit.format;
    const std::string place = text_with(one->place, "second", "");
    for (const Failure& failure : refused) EXPECT_THAT(failure.said, HasSubstr(place)) << unit.format;
  }
}

TEST_F(ImportOfEachFormat, OfAsvTheUnitsAreThoseThatItsBenchmarksName) {
  write("benchmarks.json",
        R"({"time_ok": {"unit": "ns"}, "time_second": {"unit": "us"}, "time_third": {"unit": "MB"}})");
  const RunsOfFile runs = load("asv", R"({"commit_hash": "1111111", "result_columns": ["result"], "results": {
      "time_ok": [[1]], "time_second": [[1]], "time_third": [[1]]}})");
  ASSERT_TRUE(runs) << runs.error().text();
  EXPECT_THAT(samples_in(*runs),
              ElementsAre("time_ok real_time 1 ns", "time_second real_time 1000 ns", "time_third bytes 1e+06 bytes"));
}

TEST_F(ImportOfWhatIsReadable, OfACutFileIsWhatStoodBeforeTheCutAndTheRunSaysHowMuchAndWhy) {
  for (const OneBadOfTwo& one : each_with_one_bad()) {
    std::string whole = text_with(one.text, "second", "1");
    if (one.format == "github-action-benchmark") {  // of which a record is a commit with all its benchmarks
      const std::string earlier =
          R"({"commit": {"id": "2222222"}, "date": 1, "benches": [{"name": "ok", "unit": "s", "value": 1}]},)";
      whole.insert(whole.find("[{") + 1, earlier);
    }
    const std::string cut = whole.substr(0, whole.rfind("second") + 3);
    const RunsOfFile kept = load_readable(one.format, cut);
    ASSERT_TRUE(kept) << one.format << ": " << kept.error().text();
    ASSERT_THAT(*kept, SizeIs(1)) << one.format;
    const steelyard::Run& run = kept->front();
    ASSERT_FALSE(run.measurements.empty()) << one.format;
    for (const Measurement& measurement : run.measurements) {
      EXPECT_THAT(measurement.benchmark.canonical(), HasSubstr("ok")) << one.format;
    }
    if (one.format == "go") continue;  // a word alone is no result
    ASSERT_THAT(run.failures, SizeIs(1)) << one.format;
    EXPECT_EQ(run.failures[0].kind, FailureKind::bad_record) << one.format;
    EXPECT_THAT(run.failures[0].said, AllOf(HasSubstr("that can be read are kept, and the rest is missing"),
                                            HasSubstr("found "), Not(HasSubstr(folder_.string()))))
        << one.format;
    EXPECT_THAT(reading_.warnings, Contains(HasSubstr((folder_ / "in").string()))) << one.format;
    if (one.format == "csv") continue;  // a bad record
    EXPECT_FALSE(load(one.format, cut)) << one.format << ": nothing is kept that nobody asked for";
  }
}

TEST_F(ImportOfWhatIsReadable, OfAFileThatIsCutBehindAnyByteHasNoSampleThatTheWholeFileDoesNotHave) {
  std::vector<OneBadOfTwo> all = each_with_one_bad();
  all.push_back({"folly", R"({"ok": 1000, "~": @})", ""});
  all.push_back({"bencher-metrics",
                 R"({"ok": {"latency": {"value": 12.5, "lower_value": 1}}, "~": {"latency": {"value": @}}})", ""});
  all.push_back({"asv", R"({"commit_hash": "1111111", "result_columns": ["result", "params", "samples"], "results": {
      "time_ok": [[0.25, 0.5], [["10", "200"]], [[0.25, 0.75], [0.5]]], "time_~": @}})",
                 ""});
  all.push_back({"pyperf", R"({"benchmarks": [{"metadata": {"name": "ok"}, "runs": [{"values": [25, 35]}]},
      {"metadata": {"name": "~", "unit": "second"}, "runs": [{"values": [@]}]}], "metadata": {"unit": "byte"}})",
                 ""});
  for (const OneBadOfTwo& one : all) {
    const std::string whole = text_with(one.text, "second", "123.45");
    const RunsOfFile runs = load(one.format, whole);
    ASSERT_TRUE(runs) << one.format << ": " << runs.error().text();
    const std::set<std::string> of_whole = samples_in(*runs);
    bool any_kept = false;
    for (std::size_t bytes = whole.find("ok"); bytes < whole.size(); ++bytes) {  // before it there is nothing
      const RunsOfFile kept = load_readable(one.format, whole.substr(0, bytes));
      if (!kept) continue;
      any_kept = true;
      for (const std::string& sample : samples_in(*kept)) {
        EXPECT_TRUE(of_whole.contains(sample)) << one.format << " cut behind " << bytes << ": " << sample;
      }
    }
    EXPECT_TRUE(any_kept) << one.format;
  }
}

TEST_F(ImportOfWhatIsReadable, OfAFolderIsToldOfTheRunHoweverTheFolderIsNamed) {
  write("all/a/new/benchmark.json", R"({"full_id": "a"})");
  write("all/a/new/sample.json", R"({"iters": [1], "times": [5]})");
  write("all/b/new/benchmark.json", R"({"full_id": "b"})");
  write("all/b/new/estimates.json", R"({"mean": {"point_estimate": 12)");
  for (const std::string name : {"all", "all/", "all//"}) {
    const RunsOfFile kept = load_file("criterion", folder_ / name, true);
    ASSERT_TRUE(kept) << name << ": " << kept.error().text();
    EXPECT_THAT(samples_in(*kept), ElementsAre("a real_time 5 ns")) << name;
    EXPECT_EQ(kept->front().header.program, "all") << name;
    EXPECT_THAT(kept->front().failures, Contains(::testing::Field(&Failure::said, HasSubstr("the rest is missing"))))
        << name;
  }
}

TEST_F(ImportOfWhatIsReadable, OfAsvHasNoNameOrUnitThatItsCutBenchmarksWouldHaveSaidAndEachRunTellsTheDamage) {
  write("asv/benchmarks.json", R"({"track_a": {"unit": "MB", "param_names": ["n"]}, "track_b": {"unit": "MB", "par)");
  write("asv/m/machine.json", "{}");
  for (const std::string sha : {"1111111", "2222222"}) {
    write("asv/m/" + sha + "-e.json", R"({"commit_hash": ")" + sha + R"(", "result_columns": ["result", "params"],
        "results": {"track_a": [[1], [["7"]]], "track_b": [[2], [["7"]]], "track_c": [[3], [["7"]]]}})");
  }
  const RunsOfFile kept = load_file("asv", folder_ / "asv", true);
  ASSERT_TRUE(kept) << kept.error().text();
  ASSERT_THAT(*kept, SizeIs(2));
  for (const steelyard::Run& run : *kept) {
    EXPECT_THAT(samples_in({run}), ElementsAre("track_a/n:7 bytes 1e+06 bytes"));
    ASSERT_THAT(run.failures, SizeIs(1));
    EXPECT_THAT(run.failures[0].said, AllOf(HasSubstr("benchmarks.json:1: found the end"), HasSubstr("1 measurement")));
  }
  EXPECT_FALSE(load_file("asv", folder_ / "asv", false));
}

TEST_F(ImportOfWhatIsReadable, OfLinesThatAreNearlyAllDamagedCountsTheDamagesAndHoldsTheFirstHundred) {
  std::string text = "{\"benchmark\": \"a\", \"unit\": \"ns\", \"value\": 1}\n";
  for (int i = 0; i < 5000; ++i) text += "{\"bench\n";
  const RunsOfFile kept = load_readable("json-lines", text);
  ASSERT_TRUE(kept) << kept.error().text();
  EXPECT_THAT(reading_.damages, SizeIs(100));
  ASSERT_THAT(kept->front().failures, SizeIs(101));
  EXPECT_THAT(kept->front().failures.back().said, HasSubstr("4900 more damages"));
}

TEST_F(ImportOfWhatIsReadable, OfAFileOfWhichNothingIsIsTheErrorAsEver) {
  for (const OneBadOfTwo& one : each_with_one_bad()) {
    const std::string cut = one.text.substr(0, one.text.find("ok"));
    const RunsOfFile kept = load_readable(one.format, cut);
    const RunsOfFile refused = load(one.format, cut);
    ASSERT_FALSE(kept) << one.format;
    ASSERT_FALSE(refused) << one.format;
    EXPECT_EQ(kept.error().text(), refused.error().text()) << one.format;
  }
}

TEST_F(ImportOfWhatIsReadable, HasTheCommitAndTheMachineThatStoodBeforeTheCut) {
  const RunsOfFile kept = load_readable("pytest-benchmark", R"({"machine_info": {"processor": "x"},
      "commit_info": {"id": "1111111"}, "benchmarks": [{"fullname": "a", "stats": {"data": [1]}}, {"fullname": "b)");
  ASSERT_TRUE(kept) << kept.error().text();
  EXPECT_EQ(kept->front().header.commit.sha, "1111111");
  EXPECT_EQ(*kept->front().environment.find("python.cpu"), "x");
  const RunsOfFile google = load_readable("google-benchmark", R"({"context": {"num_cpus": 7}, "benchmarks": [
      {"name": "a", "run_type": "iteration", "iterations": 1, "real_time": 1, "cpu_time": 1,
       "time_unit": "ns"}, {"na)");
  ASSERT_TRUE(google) << google.error().text();
  EXPECT_EQ(*google->front().environment.find("google.num_cpus"), "7");
  EXPECT_THAT(google->front().failures.at(0).said, HasSubstr("2 samples of 2 measurements"));
}

TEST_F(ImportOfWhatIsReadable, OfLinesIsEveryOtherLine) {
  const RunsOfFile kept = load_readable("json-lines",
                                        "{\"benchmark\": \"a\", \"unit\": \"ns\", \"value\": 1}\n{\"bench\n"
                                        "{\"benchmark\": \"b\", \"unit\": \"ns\", \"value\": 1}\n");
  ASSERT_TRUE(kept) << kept.error().text();
  EXPECT_THAT(kept->front().measurements, SizeIs(2));
  ASSERT_THAT(kept->front().failures, SizeIs(1));
  EXPECT_THAT(kept->front().failures[0].said, AllOf(HasSubstr("line 2"), HasSubstr("2 samples of 2 measurements")));
}

}  // namespace
}  // namespace steelyard::bench::import_each_format_test

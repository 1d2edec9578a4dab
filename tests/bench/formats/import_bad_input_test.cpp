// What every importer says of files that are none, cut, in another encoding, or hold what cannot be kept: one error
// with file and place, or a bad record for each that is wrong while the rest is read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "bench/formats/import_formats.hpp"
#include "bench/formats/imported_run.hpp"

namespace steelyard::bench::import_bad_input_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

using LoadedRuns = Result<std::vector<steelyard::Run>>;

const ImportFormat& format_named(std::string_view name) {
  const auto formats = import_formats();
  return *std::find_if(formats.begin(), formats.end(), [&](const ImportFormat& one) { return one.name == name; });
}

class ImportBadInput : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) / ("steelyard-bad-input-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file(const std::string& text, const std::string& name = "in") const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  LoadedRuns load(std::string_view format, const std::string& text) {
    warnings_.clear();
    return load_imported(format_named(format), file(text), warnings_);
  }
  // What is said of the bad records of a file that can be read.
  std::vector<std::string> flaws(std::string_view format, const std::string& text) {
    const LoadedRuns runs = load(format, text);
    if (!runs) return {"error: " + runs.error().text()};
    std::vector<std::string> said;
    for (const Failure& failure : runs->front().failures) {
      if (failure.kind == FailureKind::bad_record) said.push_back(failure.said);
    }
    return said;
  }
  static std::string golden(const std::string& name) {
    std::ifstream stream(std::filesystem::path(STEELYARD_GOLDEN) / "import" / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  std::filesystem::path folder_;
  std::vector<std::string> warnings_;
};

struct GoldenFile {
  std::string_view format;
  const char* file;
};
constexpr GoldenFile kWholeFiles[]{{"pytest-benchmark", "pytest_benchmark.json"},
                                   {"pyperf", "pyperf.json"},
                                   {"hyperfine", "hyperfine.json"},
                                   {"nanobench", "nanobench.json"},
                                   {"catch2", "catch2.xml"},
                                   {"doctest", "doctest.xml"},
                                   {"jmh", "jmh.json"},
                                   {"benchmarkdotnet", "benchmarkdotnet.json"},
                                   {"nvbench", "nvbench.json"},
                                   {"folly", "folly_verbose.json"},
                                   {"github-action-benchmark", "github_action_benchmark.js"},
                                   {"bencher", "bencher.json"},
                                   {"bencher-metrics", "bencher_metrics.json"},
                                   {"conbench", "conbench.json"}};

TEST_F(ImportBadInput, AFileThatIsCutIsOneErrorThatNamesItsLine) {
  for (const GoldenFile& one : kWholeFiles) {
    const std::string whole = golden(one.file);
    ASSERT_GT(whole.size(), 50U) << one.file;
    for (const std::size_t bytes : {whole.size() / 3, whole.size() / 2, whole.size() * 9 / 10}) {
      const LoadedRuns runs = load(one.format, whole.substr(0, bytes));
      ASSERT_FALSE(runs) << one.file << " cut at " << bytes;
      EXPECT_EQ(runs.error().kind, ErrorKind::input);
      EXPECT_THAT(runs.error().where, HasSubstr((folder_ / "in").string() + ":")) << one.file;
      EXPECT_THAT(runs.error().text(), AllOf(HasSubstr("the end of the file"), HasSubstr("the file is cut")))
          << one.file << " cut at " << bytes;
    }
  }
}

TEST_F(ImportBadInput, AHistoryOfTooManyRunsIsReadNoFurtherThanTheFirstThatIsTooMuch) {
  const auto history = [](const std::string& begin, const std::string& before, const std::string& behind) {
    std::string text = begin;
    for (int i = 0; i < 20'003; ++i) text += (i > 0 ? "," : "") + before + std::to_string(i) + behind;
    return text + ", this is no JSON";
  };
  const LoadedRuns conbench = load("conbench", history("[", R"({"run_id": "r)", R"(", "tags": {"name": "a"}})"));
  const LoadedRuns bencher =
      load("bencher", history("{\"results\": [", R"({"benchmark": {"name": "a"}, "metrics": [{"report": "r)", "\"}]}"));
  for (const LoadedRuns* runs : {&conbench, &bencher}) {
    ASSERT_FALSE(*runs);
    EXPECT_THAT(runs->error().text(), HasSubstr("more than 20000 runs"));
  }
}

TEST_F(ImportBadInput, OfConbenchResultsWithoutADateTheRunHasThatOfTheOthers) {
  const auto result = [](const std::string& name, const std::string& timestamp) {
    return R"({"run_id": "r", "tags": {"name": ")" + name + "\"}" +
           (timestamp.empty() ? "" : R"(, "timestamp": ")" + timestamp + '"') +
           R"(, "stats": {"data": [1], "unit": "s"}})";
  };
  const std::string older = result("a", "2026-01-01T00:00:00Z");
  const std::string newer = result("b", "2026-01-02T00:00:00Z");
  const std::string undated = result("c", "");
  constexpr std::int64_t kOlder = 1'767'225'600'000'000'000;
  for (const std::string& text : {newer + ',' + older + ',' + undated, undated + ',' + newer + ',' + older,
                                  newer + ',' + undated + ',' + older}) {
    const LoadedRuns runs = load("conbench", '[' + text + ']');
    ASSERT_TRUE(runs) << runs.error().text();
    ASSERT_THAT(*runs, SizeIs(1));
    EXPECT_EQ(runs->front().header.created_at_unix_ns, kOlder) << text;
  }
  const LoadedRuns none = load("conbench", '[' + undated + ']');
  ASSERT_TRUE(none) << none.error().text();
  EXPECT_EQ(none->front().header.created_at_unix_ns, 0);
}

TEST_F(ImportBadInput, AnEmptyFileAndAnotherToolsAreRefusedByEachReader) {
  for (const ImportFormat& format : import_formats()) {
    for (const char* text : {"", "{}", "[]", "hello\n", R"({"other": [{"tool": 1}]})"}) {
      warnings_.clear();
      const LoadedRuns runs = load_imported(format, file(text), warnings_);
      ASSERT_FALSE(runs) << format.name << " took " << text;
      EXPECT_EQ(runs.error().kind, ErrorKind::input) << format.name;
      EXPECT_THAT(runs.error().where, HasSubstr("in")) << format.name;
      EXPECT_NE(runs.error().found, "") << format.name;
      EXPECT_NE(runs.error().wanted, "") << format.name << ": " << runs.error().text();
    }
    EXPECT_FALSE(load_imported(format, folder_ / "absent", warnings_)) << format.name;
  }
}

TEST_F(ImportBadInput, TextThatIsNoUtf8IsSaidToBeThat) {
  const std::string utf16 = std::string("\xff\xfe{\0\"\0", 6);
  for (const ImportFormat& format : import_formats()) {
    const LoadedRuns runs = load(format.name, utf16);
    ASSERT_FALSE(runs) << format.name;
    EXPECT_EQ(runs.error().where, (folder_ / "in").string()) << format.name;
    EXPECT_THAT(runs.error().text(), AllOf(HasSubstr("UTF-16"), HasSubstr("UTF-8"))) << format.name;
  }
  EXPECT_THAT(flaws("csv", "benchmark,unit,value\n\xe9t\xe9,ns,1\nok,ns,2\n"),
              ElementsAre(AllOf(HasSubstr("line 2"), HasSubstr("UTF-8"))));
  EXPECT_THAT(flaws("json-lines", "{\"benchmark\": \"\xe9\", \"unit\": \"ns\", \"value\": 1}\n"),
              ElementsAre(AllOf(HasSubstr("error"), HasSubstr(":1"))));
}

TEST_F(ImportBadInput, CharactersOfSeveralBytesAreNoBrokenTextWhereverTheParserStops) {
  const auto error_of = [&](std::string_view format, const std::string& name) {
    const std::string text =
        format == "json-lines"
            ? "{\"benchmark\": \"" + name + "}\n"
            : R"({"context": {}, "machine_info": {}, "benchmarks": [{"name": ")" + name + "}]}\n                    ";
    const LoadedRuns runs = load(format, text);
    return runs ? std::string("taken") : runs.error().text();
  };
  std::string name;
  for (const std::string character : {"\xc3\xa9", "\xe6\x97\xa5", "\xf0\x9f\x98\x80", "x", "\xe6\x9c\xac"}) {
    name += character;
    for (const std::string_view format : {"google-benchmark", "pytest-benchmark", "json-lines"}) {
      EXPECT_THAT(error_of(format, name + "\"!"), Not(HasSubstr("UTF-8"))) << format << ' ' << name;
      for (const std::string broken : {"\xe9", "\xe9\"", "\xa9", "\xe6\x97", "\xff"}) {
        EXPECT_THAT(error_of(format, name + broken + "\""), HasSubstr("a character that is no UTF-8"))
            << format << name;
      }
    }
  }
}

TEST_F(ImportBadInput, AByteOrderMarkIsNoPartOfTheText) {
  EXPECT_THAT(flaws("csv",
                    "\xef\xbb\xbf"
                    "benchmark,unit,value\r\nsort,ns,1\r\n"),
              IsEmpty());
  const auto runs = load("bencher-metrics",
                         "\xef\xbb\xbf"
                         R"({"a": {"latency": {"value": 1}}})");
  ASSERT_TRUE(runs) << runs.error().text();
}

TEST_F(ImportBadInput, NanInfiniteAndNegativeTimesAreBadRecordsWithTheirPlaceAndTheRestIsRead) {
  const std::string bad_times[]{"NaN", "Infinity", "-1", "0", "1e300"};
  for (const std::string& time : bad_times) {
    const auto expect_bad = [&](std::string_view format, const std::string& text, const std::string& place) {
      EXPECT_THAT(flaws(format, text), ElementsAre(HasSubstr(place))) << format << " with " << time;
      EXPECT_THAT(warnings_, Contains(HasSubstr(folder_.string()))) << format;
    };
    expect_bad("pytest-benchmark",
               R"({"machine_info": {}, "benchmarks": [{"fullname": "a", "stats": {"data": [1, )" + time +
                   R"(]}}, {"fullname": "b", "stats": {"data": [1]}}]})",
               "benchmarks[0].stats.data");
    expect_bad(
        "pyperf",
        R"({"benchmarks": [{"runs": [{"values": [1]}, {"values": [)" + time + R"(]}]}], "metadata": {"name": "a"}})",
        "benchmarks[0].runs[1].values");
    expect_bad("jmh",
               R"([{"benchmark": "a", "mode": "avgt", "primaryMetric": {"scoreUnit": "s/op", "rawData": [[1, )" + time +
                   R"(]]}}])",
               "[0].primaryMetric.rawData[0]");
    expect_bad("nanobench",
               R"({"results": [{"name": "a", "measurements": [{"iterations": 1, "elapsed": )" + time + "}]}]}",
               "results[0].measurements");
    expect_bad("folly", R"([["f", "ok", 1], ["f", "a", )" + time + "]]", "[1]");
    if (time == "NaN" || time == "Infinity") continue;
    expect_bad("go", "BenchmarkOk 1 1 ns/op\nBenchmarkA 10 " + time + " ns/op\n", "line 2");
    expect_bad("csv", "benchmark,unit,value\nok,ns,1\na,ns," + time + "\n", "line 3");
    expect_bad("catch2",
               "<Catch>\n<TestCase name=\"t\">\n<BenchmarkResults name=\"a\">\n<mean value=\"" + time +
                   "\"/>\n</BenchmarkResults></TestCase></Catch>",
               "line 4");
  }
}

TEST_F(ImportBadInput, WhatStandsInPlaceOfAnObjectOfMeasuresOrCountersIsABadRecord) {
  for (const auto& [value, place] :
       {std::pair(std::string("5"), "a: found a number"), std::pair(std::string("[5, 6]"), "a[0]: found a number"),
        std::pair(std::string("null"), "a: found null"),
        std::pair(std::string(R"([{"measures": 5}])"), "a[0].measures: found a number")}) {
    const std::string text = R"({"ok": {"latency": {"value": 1}}, "a": )" + value + '}';
    EXPECT_THAT(flaws("bencher-metrics", text), ElementsAre(HasSubstr(place))) << value;
  }
  for (const std::string counters : {"5", "[5]", R"("x")", "null"}) {
    EXPECT_THAT(flaws("folly", R"([["f", "ok", 1], ["f", "a", 1, )" + counters + "]]"),
                ElementsAre(HasSubstr("[1][3]: found ")))
        << counters;
  }
}

TEST_F(ImportBadInput, ANameThatStandsThereTwiceAndUnitsThatMixAreBadRecords) {
  EXPECT_THAT(flaws("pytest-benchmark",
                    R"({"machine_info": {}, "benchmarks": [{"fullname": "a", "stats": {"data": [1]}},
                        {"fullname": "a", "stats": {"data": [2]}}]})"),
              ElementsAre(AllOf(HasSubstr("benchmarks[1]"), HasSubstr("again"))));
  EXPECT_THAT(flaws("folly", R"([["f", "a", 1], ["g", "a", 2]])"), ElementsAre(HasSubstr("again")));
  EXPECT_THAT(flaws("csv", "benchmark,metric,unit,value\na,rate,1/s,1\na,rate,bytes/s,1\n"),
              ElementsAre(AllOf(HasSubstr("line 3"), HasSubstr("bytes/s where 1/s was before"))));
  EXPECT_THAT(flaws("csv", "benchmark,unit,value\na,bytes,1\n"), ElementsAre(HasSubstr("wanted one of ns")));
  EXPECT_THAT(flaws("csv", "benchmark,value,unit\na,1,\nb,1\nc,x,ns\n\"d,1,ns\n"),
              ElementsAre(HasSubstr("2 fields, wanted 3"), HasSubstr("found \"x\""), HasSubstr("quote")));
}

TEST_F(ImportBadInput, RowsOfProcessesMayStandInAnyOrder) {
  const auto runs = load("csv", "benchmark,unit,value,process\na,ns,1,7\na,ns,2,3\na,ns,3,7\na,ns,4,3\n");
  ASSERT_TRUE(runs) << runs.error().text();
  const auto& of = runs->front().measurements.at(0).invocations;
  ASSERT_THAT(of, SizeIs(2));
  EXPECT_THAT(of[0].values, ElementsAre(1, 3));
  EXPECT_THAT(of[1].values, ElementsAre(2, 4));
}

TEST_F(ImportBadInput, AColumnThatIsNotKnownOrMissingNamesThoseThatAre) {
  for (const char* text : {"benchmark,value,colour\n", "benchmark,unit\n", "benchmark,value,value\n"}) {
    const LoadedRuns runs = load("csv", text);
    ASSERT_FALSE(runs) << text;
    EXPECT_THAT(runs.error().text(), AllOf(HasSubstr(":1: "), HasSubstr("benchmark, value, unit"))) << text;
  }
}

TEST_F(ImportBadInput, ATextThatOnlyLooksLikeANumberThatIsNoneStaysText) {
  const auto runs = load("jmh", R"([{"benchmark": "gemm", "mode": "avgt", "params": {"order": "N", "b": "i"},
      "primaryMetric": {"score": 1, "scoreError": NaN, "scoreUnit": "ns/op", "rawData": [[1]]}}])");
  ASSERT_TRUE(runs) << runs.error().text();
  EXPECT_EQ(runs->front().measurements.at(0).benchmark.canonical(), "gemm/order:N/b:i");
}

// Files are read in pieces of a megabyte; here most of each is tokens that are no JSON.
TEST_F(ImportBadInput, TokensThatTheEndOfAPieceCutsAreReadAsOne) {
  std::string text = "[";
  for (int i = 0; i < 100; ++i) {
    text += (i > 0 ? ",\n" : "") + (R"({"benchmark": "b)" + std::to_string(i)) +
            R"(", "mode": "avgt", "primaryMetric": {"scoreUnit": "ns/op", "rawData": [[1.5]], "scoreConfidence": [)";
    for (int token = 0; token < 10'000; ++token) text += token % 2 == 0 ? "-Infinity," : "NaN,";
    text += "NaN]}}";
  }
  const auto runs = load("jmh", text + "]");
  ASSERT_TRUE(runs) << runs.error().text();
  EXPECT_THAT(runs->front().measurements, SizeIs(100));
  EXPECT_THAT(runs->front().failures, IsEmpty());

  // The same of Google Benchmark's files, of which each counter that is not finite is named.
  std::string google = R"({"context": {}, "benchmarks": [)";
  for (int i = 0; i < 900; ++i) {
    google +=
        (i > 0 ? ",\n" : "") + (R"({"name": "BM_)" + std::to_string(i)) +
        R"(", "run_type": "iteration", "iterations": 1, "real_time": 1, "cpu_time": 1, "time_unit": "ns", "c": nan)" +
        std::string(4000, ' ') + "}";
  }
  const auto google_runs = load("google-benchmark", google + "]}");
  ASSERT_TRUE(google_runs) << google_runs.error().text();
  EXPECT_THAT(google_runs->front().measurements, SizeIs(1800));
  ASSERT_THAT(google_runs->front().failures, SizeIs(900));
  EXPECT_THAT(google_runs->front().failures[17].said, HasSubstr("nan"));
}

TEST_F(ImportBadInput, DeepBracketsAndEndlessLinesAreRefusedAndNoStackIsSpentOnThem) {
  const std::string deep(100'000, '[');
  for (const ImportFormat& format : import_formats()) {
    if (format.name == "google-benchmark") continue;
    EXPECT_FALSE(load(format.name, deep)) << format.name;
    EXPECT_FALSE(load(format.name, R"({"results": )" + deep)) << format.name;
  }
  EXPECT_FALSE(recognise_format(file(deep)));
}

TEST_F(ImportBadInput, AForkOfJmhThatYieldedNothingLeavesTheSamplesBehindItToTheirOwnForks) {
  const auto runs = load("jmh", R"([{"benchmark": "a", "mode": "avgt",
      "primaryMetric": {"scoreUnit": "ns/op", "rawData": [[], [812.5], [], [900]]}}])");
  ASSERT_TRUE(runs) << runs.error().text();
  EXPECT_THAT(runs->front().invocations, SizeIs(4));
  const auto& of = runs->front().measurements.at(0).invocations;
  ASSERT_THAT(of, SizeIs(2));
  EXPECT_EQ(of[0].invocation, 1U);
  EXPECT_THAT(of[0].values, ElementsAre(812.5));
  EXPECT_EQ(of[1].invocation, 3U);
}

TEST_F(ImportBadInput, ACollectorOfJmhThatHadNothingToDoIsNoBadRecord) {
  const auto text = [](const std::string& time) {
    return R"([{"benchmark": "a", "mode": "avgt", "primaryMetric": {"scoreUnit": "ns/op", "rawData": [[)" + time +
           R"(]]}, "secondaryMetrics": {"gc.time": {"scoreUnit": "ms", "rawData": [[0]]},
               "gc.count": {"scoreUnit": "counts", "rawData": [[0]]},
               "part": {"scoreUnit": "ns/op", "rawData": [[4]]}}}])";
  };
  EXPECT_THAT(flaws("jmh", text("0")), ElementsAre(HasSubstr("primaryMetric"))) << "an operation takes some time";
  const auto runs = load("jmh", text("8"));
  ASSERT_TRUE(runs) << runs.error().text();
  EXPECT_THAT(runs->front().failures, IsEmpty());
  ASSERT_THAT(runs->front().measurements, SizeIs(4));
  for (const Measurement& one : runs->front().measurements) {
    const bool is_of_collector = one.metric.name.starts_with("gc.");
    EXPECT_EQ(one.metric.better, is_of_collector ? Better::undeclared : Better::lower) << one.metric.name;
    EXPECT_THAT(one.invocations.at(0).values, ElementsAre(is_of_collector ? 0 : one.metric.name == "part" ? 4 : 8));
  }
}

TEST_F(ImportBadInput, RoundNumbersOfAJsonFileKeepTheirDigits) {
  const auto lines =
      load("json-lines", "{\"benchmark\": \"a\", \"value\": 100000, \"unit\": \"ns\", \"iterations\": 1000000}\n");
  ASSERT_TRUE(lines) << lines.error().text();
  EXPECT_THAT(lines->front().failures, IsEmpty());
  EXPECT_THAT(lines->front().measurements.at(0).invocations.at(0).iterations, ElementsAre(1'000'000));
  for (const auto& [number, word] :
       {std::pair("100000", "100000"), std::pair("1e5", "100000"), std::pair("-4e6", "-4000000"),
        std::pair("9007199254740991", "9007199254740991"), std::pair("0.5", "0.5"), std::pair("1e300", "1e+300")}) {
    const auto runs = load("jmh", R"([{"benchmark": "a", "mode": "avgt", "params": {"n": )" + std::string(number) +
                                      R"(}, "primaryMetric": {"scoreUnit": "ns/op", "rawData": [[1]]}}])");
    ASSERT_TRUE(runs) << runs.error().text();
    EXPECT_EQ(runs->front().measurements.at(0).benchmark.parameters.at(0).value, word);
  }
}

TEST_F(ImportBadInput, ACommitOfWhichNothingCanBeUsedCostsItselfAndNotTheHistory) {
  const auto entry = [](char digit, const std::string& value) {
    return R"({"commit": {"id": ")" + std::string(40, digit) + R"("}, "tool": "go", "date": 179352720000)" + digit +
           R"(, "benches": [{"name": "a", "unit": "ns/op", "value": )" + value + "}]}";
  };
  const auto history = [](const std::string& entries) {
    return R"(window.BENCHMARK_DATA = {"entries": {"Benchmark": [)" + entries + R"(]}, "repoUrl": ""})";
  };
  const auto runs =
      load("github-action-benchmark", history(entry('1', "5") + ", " + entry('2', "NaN") + ", " + entry('3', "6")));
  ASSERT_TRUE(runs) << runs.error().text();
  ASSERT_THAT(*runs, SizeIs(2));
  EXPECT_EQ(runs->front().header.commit.sha, std::string(40, '1'));
  EXPECT_EQ(runs->back().header.commit.sha, std::string(40, '3'));
  EXPECT_THAT(warnings_, Contains(AllOf(HasSubstr("commit 2222222222"), HasSubstr("it is left out"))));

  const auto none = load("github-action-benchmark", history(entry('1', "0") + ", " + entry('2', "NaN")));
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().text(), AllOf(HasSubstr("nothing that can be used"), HasSubstr("entries.Benchmark[0]")));
}

TEST_F(ImportBadInput, ARunOfAHistoryIsHandedOnBeforeWhatFollowsItIsRead) {
  const std::string entry =
      R"({"commit": {"id": "1111111"}, "date": 1, "benches": [{"name": "a", "unit": "ns/op", "value": 5}]})";
  const std::filesystem::path cut =
      file(R"(window.BENCHMARK_DATA = {"repoUrl": "", "entries": {"Benchmark": [)" + entry + ", " + entry + ", {");
  const std::string asv = R"({"commit_hash": "1111111", "results": {"time_a": 1}})";
  std::filesystem::create_directories(folder_ / "asv/machine");
  file("{}", "asv/machine/machine.json");
  file(asv, "asv/machine/1111111-a.json");
  file("{\"commit_hash\"", "asv/machine/2222222-a.json");
  for (const auto& [format, path] : {std::pair{"github-action-benchmark", cut}, std::pair{"asv", folder_ / "asv"}}) {
    std::size_t taken = 0;
    ImportReading reading;
    const Result<void> stopped =
        take_imported(format_named(format), path, reading, [&](steelyard::Run&&) -> Result<void> {
          ++taken;
          return input_error("the taker", "one run", "no other");
        });
    ASSERT_FALSE(stopped) << format;
    EXPECT_EQ(stopped.error().where, "the taker") << format << ": and not the damage behind the run";
    EXPECT_EQ(taken, 1U) << format;
    EXPECT_FALSE(load_imported(format_named(format), path, warnings_)) << format << ": of a damaged file nothing";
  }
}

TEST_F(ImportBadInput, NvbenchFollowsNoPathOutOfItsFolder) {
  std::string json = golden("nvbench.json");
  const std::string named = "nvbench.json-bin/0.bin";
  const std::size_t at = json.find(named);
  ASSERT_NE(at, std::string::npos);
  json.replace(at, named.size(), "../../../etc/passwd");
  const LoadedRuns runs = load("nvbench", json);
  ASSERT_TRUE(runs) << runs.error().text();
  ASSERT_THAT(runs->front().failures, Contains(::testing::Field(&Failure::kind, FailureKind::bad_record)));
  EXPECT_THAT(warnings_, Contains(HasSubstr((folder_ / "etc/passwd").string())));
}

TEST_F(ImportBadInput, FilesOfAFolderAreProcessesOfOneRun) {
  std::filesystem::create_directory(folder_ / "runs");
  for (const char* name : {"1.json", "2.json", "3.json"}) {
    file(golden("pytest_benchmark.json"), std::string("runs/") + name);
  }
  const auto format = recognise_format(folder_ / "runs");
  ASSERT_TRUE(format) << format.error().text();
  EXPECT_EQ((*format)->name, "pytest-benchmark");
  const auto runs = load_imported(**format, folder_ / "runs", warnings_);
  ASSERT_TRUE(runs) << runs.error().text();
  ASSERT_THAT(*runs, SizeIs(1));
  EXPECT_THAT(runs->front().invocations, SizeIs(3));
  EXPECT_THAT(runs->front().measurements.at(0).invocations, SizeIs(3));
  EXPECT_EQ(runs->front().header.settings.at("imported_files"), "3");
  EXPECT_THAT(warnings_, IsEmpty()) << "not alone, and with samples";
}

class ImportedFolder : public ImportBadInput {
 protected:
  // The files of a folder, "1.json" first.
  LoadedRuns load_folder(std::string_view format, const std::vector<std::string>& texts) {
    std::filesystem::remove_all(folder_ / "runs");
    std::filesystem::create_directory(folder_ / "runs");
    for (std::size_t i = 0; i < texts.size(); ++i) file(texts[i], "runs/" + std::to_string(i + 1) + ".json");
    warnings_.clear();
    return load_imported(format_named(format), folder_ / "runs", warnings_);
  }
  static std::string pytest(const std::string& processor, const std::string& commit, const std::string& stats) {
    return R"({"machine_info": {"processor": ")" + processor + R"("}, "commit_info": {"id": ")" + commit +
           R"("}, "version": "4.0.0", "benchmarks": [{"fullname": "a", "stats": )" + stats + "}]}";
  }
};

TEST_F(ImportedFolder, KeepsEveryValueOfADecisiveFactSoThatTwoMachinesAreNoneOfThem) {
  const std::string data = R"({"data": [1]})";
  const auto one = load_folder("pytest-benchmark", {pytest("x", "", data), pytest("x", "", data)});
  const auto two = load_folder("pytest-benchmark", {pytest("x", "", data), pytest("y", "", data)});
  ASSERT_TRUE(one && two);
  EXPECT_EQ(*one->front().environment.find("python.cpu"), "x");
  EXPECT_EQ(*two->front().environment.find("python.cpu"), "x and y");
  EXPECT_NE(one->front().environment.fingerprint(), two->front().environment.fingerprint());
}

TEST_F(ImportedFolder, OfTwoCommitsIsRefusedAndACommitThatOneFileNamesIsThatOfAll) {
  const std::string data = R"({"data": [1]})";
  const auto two = load_folder("pytest-benchmark",
                               {pytest("x", "1111111", data), pytest("x", "", data), pytest("x", "2222222", data)});
  ASSERT_FALSE(two);
  EXPECT_THAT(two.error().where, HasSubstr("3.json"));
  EXPECT_THAT(two.error().text(), AllOf(HasSubstr("1111111"), HasSubstr("2222222")));
  const auto one = load_folder("pytest-benchmark", {pytest("x", "", data), pytest("x", "2222222", data)});
  ASSERT_TRUE(one) << one.error().text();
  EXPECT_EQ(one->front().header.commit.sha, "2222222");
}

TEST_F(ImportedFolder, AnotherUnitOrDirectionThanInTheFileBeforeIsABadRecord) {
  const std::string first = R"({"benchmark": "a", "metric": "rate", "unit": "1/s", "value": 1})";
  for (const char* other : {R"({"benchmark": "a", "metric": "rate", "unit": "bytes/s", "value": 2})",
                            R"({"benchmark": "a", "metric": "rate", "unit": "1/s", "value": 2, "better": "lower"})"}) {
    const auto runs = load_folder("json-lines", {first, other});
    ASSERT_TRUE(runs) << runs.error().text();
    ASSERT_THAT(runs->front().measurements, SizeIs(1));
    EXPECT_THAT(runs->front().measurements[0].invocations, SizeIs(1)) << "what is refused is no sample";
    ASSERT_THAT(runs->front().failures, SizeIs(1)) << other;
    EXPECT_EQ(runs->front().failures[0].kind, FailureKind::bad_record);
    EXPECT_THAT(warnings_, Contains(AllOf(HasSubstr("2.json"), HasSubstr("1/s, better higher was in a file before"))));
  }
}

TEST_F(ImportedFolder, CountsTheAggregatesOfAllItsFilesAndKeepsEveryVersionOfTheTool) {
  const auto runs = load_folder(
      "pytest-benchmark",
      {pytest("x", "", R"({"data": [1]})"), pytest("x", "", R"({"mean": 1})"), pytest("x", "", R"({"mean": 2})")});
  ASSERT_TRUE(runs) << runs.error().text();
  EXPECT_EQ(runs->front().header.settings.at("imported_aggregates"), "2");
  EXPECT_EQ(runs->front().header.settings.at("imported_files"), "3");
  EXPECT_EQ(runs->front().header.settings.at("pytest-benchmark"), "4.0.0");
  EXPECT_THAT(warnings_, Contains(HasSubstr("of 2 benchmarks in its 3 files, each counted, it has one aggregate")));
}

// What the sanitizer holds back of freed memory, 256 MiB, counts as well.
#if defined(STEELYARD_SANITIZED)
constexpr long kMaxGrowthKib = 768L << 10;
#else
constexpr long kMaxGrowthKib = 160L << 10;
#endif

// As JSON all of it would be above 300 MB. Stands before the test below, which takes more.
TEST_F(ImportBadInput, BenchmarksOfPyperfAreNotHeldUntilTheSuitesMetadataBehindThem) {
  {
    std::ofstream out(folder_ / "pyperf.json");
    out << R"({"benchmarks": [)";
    for (int benchmark = 0; benchmark < 40; ++benchmark) {
      out << (benchmark > 0 ? "," : "") << R"({"metadata": {"name": "b)" << benchmark << R"("}, "runs": [)";
      for (int i = 0; i < 4000; ++i) {
        out << (i > 0 ? "," : "")
            << R"({"metadata": {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7, "h": 8}, "values": [1]})";
      }
      out << "]}\n";
    }
    out << R"(], "metadata": {"cpu_model_name": "x", "loops": 16, "unit": "byte"}, "version": "1.0"})";
  }
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  const auto runs = load_imported(format_named("pyperf"), folder_ / "pyperf.json", warnings_);
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  ASSERT_TRUE(runs) << runs.error().text();
  ASSERT_THAT(runs->front().measurements, SizeIs(40));
  EXPECT_EQ(runs->front().measurements[0].metric.unit, "bytes") << "said behind the benchmarks";
  EXPECT_THAT(runs->front().measurements[0].invocations.at(0).iterations, ElementsAre(16));
  EXPECT_EQ(*runs->front().environment.find("python.cpu"), "x");
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, kMaxGrowthKib);
}

TEST_F(ImportBadInput, AMillionBenchmarksAreReadWithinTwoGigabytes) {
  {
    std::ofstream out(folder_ / "million.csv");
    out << "benchmark,unit,value\n";
    for (int i = 0; i < 1'000'000; ++i) out << "BM_" << i << ",ns," << i + 1 << '\n';
  }
  const auto runs = load_imported(format_named("csv"), folder_ / "million.csv", warnings_);
  ASSERT_TRUE(runs) << runs.error().text();
  EXPECT_THAT(runs->front().measurements, SizeIs(1'000'000));
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  EXPECT_LT(usage.ru_maxrss, 2L << 20) << "KiB";
}

TEST_F(ImportBadInput, WhatARunMayHaveIsABoundAndTheErrorSaysWhichItWasAndHowToGoOn) {
  ImportReading reading;
  ImportedRun imported("hyperfine", folder_ / "many.json", reading);
  std::uint32_t last = 0;
  for (int i = 0; i < 1'000'000; ++i) last = imported.add_process();
  EXPECT_TRUE(imported.add({"here", benchmark_named("sort"), time_metric(), last, {1}}));
  EXPECT_FALSE(reading.is_full);
  imported.add_process();
  EXPECT_TRUE(reading.is_full) << "no more is read";
  EXPECT_FALSE(imported.add({"here", benchmark_named("more"), time_metric(), last, {1}}));
  const auto run = imported.finish("results");
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().text(), AllOf(HasSubstr("many.json: found more than 1,000,000 processes"),
                                        HasSubstr("write it in several files, of fewer processes each")));
}

// A process a line, and damage behind the last that fits, which would be told if it were read.
TEST_F(ImportBadInput, OfATextThatHasMoreThanARunMayHaveNoMoreIsRead) {
  {
    std::ofstream out(folder_ / "many.jsonl");
    for (int i = 0; i < 1'000'001; ++i) {
      out << R"({"benchmark": "a", "unit": "ns", "value": 1, "process": )" << i << "}\n";
    }
    out << "no JSON\n";
  }
  const auto runs = load_imported(format_named("json-lines"), folder_ / "many.jsonl", warnings_);
  ASSERT_FALSE(runs);
  EXPECT_THAT(runs.error().text(), HasSubstr("many.jsonl: found more than 1,000,000 processes"));
}

TEST_F(ImportedFolder, HasNoMoreThanARunMayHaveHoweverManyFilesThatIsIn) {
  std::string half = R"({"results": [{"command": "a", "times": [1)";
  for (int i = 0; i < 500'000; ++i) half += ",1";
  half += "]}]}";
  const auto runs = load_folder("hyperfine", {half, half});
  ASSERT_FALSE(runs);
  EXPECT_THAT(runs.error().text(), HasSubstr("found more than 1,000,000 processes"));
}

}  // namespace
}  // namespace steelyard::bench::import_bad_input_test

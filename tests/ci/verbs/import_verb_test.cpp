// steelyard import and export: files of other tools become archives and sides, and runs become files of other tools.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "ci/git/repository.hpp"
#include "ci/report/exports.hpp"
#include "storage/archive/archive.hpp"
#include "tests/ci/git/temporary_repository.hpp"
#include "tests/ci/verbs/program_under_test.hpp"
#include "tests/promised.hpp"

namespace steelyard::ci::import_verb_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr const char* kElsewhere = "fedcba9876543210fedcba9876543210fedcba98";  // a commit of no repository here

class ImportVerb : public ProgramUnderTest {
 protected:
  static std::string golden(const std::string& name) { return std::string(STEELYARD_GOLDEN) + "/import/" + name; }
  static Outcome import(const std::string& file, const std::string& archive, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"import", file, "--no-store", "--output", archive};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  static steelyard::Run archive(const std::string& name) {
    auto loaded = storage::read_archive(name);
    EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().text());
    return loaded ? std::move(*loaded) : steelyard::Run{};
  }
};

TEST_F(ImportVerb, TellsTheFormatByItselfAndWritesTheArchiveWithoutAStore) {
  const Outcome outcome = import(golden("go.txt"), "go.syrun", {"--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json imports = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(imports["runs"][0]["format"], "go");
  EXPECT_EQ(imports["runs"][0]["measurements"], 8);
  EXPECT_THAT(archive("go.syrun").invocations, SizeIs(2));
  EXPECT_FALSE(std::filesystem::exists("state")) << "nothing is kept but the archive";
}

TEST_F(ImportVerb, WritesJsonWhateverBytesTheNameOfAFileHas) {
  const std::string name = "bad\xff.txt";
  std::filesystem::copy_file(golden("go.txt"), name);
  const Outcome outcome = import(name, "bad.syrun", {"--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["runs"][0]["path"], "bad\xef\xbf\xbd.txt");
}

TEST_F(ImportVerb, ANamedFormatOverridesWhatAFileLooksLike) {
  const Outcome wrong = import(golden("go.txt"), "x.syrun", {"--format", "hyperfine"});
  EXPECT_EQ(wrong.status, 3);
  EXPECT_THAT(wrong.err, AllOf(HasSubstr("go.txt:1"), HasSubstr("no JSON")));
  EXPECT_FALSE(std::filesystem::exists("x.syrun"));
  const Outcome unknown = import(golden("go.txt"), "x.syrun", {"--format", "gobench"});
  EXPECT_EQ(unknown.status, 3);
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("--format"), HasSubstr("hyperfine")));
  EXPECT_THAT(import(golden("go.txt"), "x.syrun", {"--format", "hyper"}).err, HasSubstr("write \"hyperfine\""));
}

TEST_F(ImportVerb, TheCommitOfTheFileStandsUnlessAnotherIsNamedAndAHistoryTakesNone) {
  write("pytest.json", R"({"machine_info": {"processor": "x"}, "commit_info": {"id": "0123456789abcdef", "dirty": false,
      "branch": "main"}, "benchmarks": [{"fullname": "a", "stats": {"data": [1, 2]}}],
      "datetime": "2026-11-26T12:00:00"})");
  ASSERT_EQ(import("pytest.json", "own.syrun").status, 0);
  EXPECT_EQ(archive("own.syrun").header.commit.sha, "0123456789abcdef");
  EXPECT_EQ(archive("own.syrun").header.commit.branch, "main");
  ASSERT_EQ(import("pytest.json", "named.syrun", {"--commit", kElsewhere, "--branch", "next"}).status, 0);
  EXPECT_EQ(archive("named.syrun").header.commit.sha, kElsewhere);
  EXPECT_EQ(archive("named.syrun").header.commit.branch, "next");
  ASSERT_EQ(import("pytest.json", "again.syrun").status, 0);
  EXPECT_EQ(archive("again.syrun").header.id, archive("own.syrun").header.id) << "the same file is the same run";

  const Outcome history = import(golden("asv"), "asv.syrun", {"--commit", kElsewhere});
  EXPECT_EQ(history.status, 3);
  EXPECT_THAT(history.err, AllOf(HasSubstr("--commit"), HasSubstr("2 runs")));
  const Outcome many = import(golden("asv"), "asv.syrun");
  EXPECT_EQ(many.status, 3);
  EXPECT_THAT(many.err, AllOf(HasSubstr("--output"), HasSubstr("2 runs")));
}

TEST_F(ImportVerb, ResultsWithoutAPlaceToKeepThemAreRefusedBeforeTheyAreRead) {
  const Outcome outcome = run({"import", golden("go.txt"), "--no-store"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("--output"));
}

TEST_F(ImportVerb, AHistoryForOneArchiveIsRefusedBeforeAnyOfItIsKept) {
  const Outcome outcome = run({"import", golden("github_action_benchmark.js"), "--output", "x.syrun"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("--output"), HasSubstr("3 runs"), HasSubstr("leave out --output")));
  EXPECT_FALSE(std::filesystem::exists("x.syrun"));
  std::vector<std::string> kept;
  if (std::filesystem::exists("state")) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator("state")) {
      if (entry.path().extension() == ".syrun") kept.push_back(entry.path().string());
    }
  }
  EXPECT_THAT(kept, ::testing::IsEmpty()) << "neither in the store nor in the spool";
}

TEST_F(ImportVerb, RunsOfAHistoryWaitForTheStoreAndOfADamagedOneNothingDoes) {
  constexpr const char* kAway = "postgresql://someone@127.0.0.1:1/steelyard";
  const auto in_spool = [] {
    std::vector<std::string> names;
    if (!std::filesystem::exists("state/spool")) return names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator("state/spool")) {
      const std::string name = entry.path().filename().string();
      const bool is_of_store = name == "postgresql%3A%2F%2F127.0.0.1%3A1%2Fsteelyard";
      if (name != ".lock" && !is_of_store) names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  };
  std::ifstream whole(golden("github_action_benchmark.js"));
  const std::string text{std::istreambuf_iterator<char>(whole), {}};
  write("cut.js", text.substr(0, text.rfind("test_sort")));
  const Outcome damaged = run({"import", "cut.js", "--store", kAway});
  EXPECT_EQ(damaged.status, 3) << damaged.err;
  EXPECT_THAT(in_spool(), ::testing::IsEmpty());

  const Outcome away =
      run({"import", "cut.js", golden("github_action_benchmark.js"), golden("go.txt"), "--store", kAway, "--json"});
  EXPECT_EQ(away.status, 3) << "the file that is cut costs itself: " << away.err;
  EXPECT_THAT(away.err, HasSubstr("4 runs wait in the spool"));
  const nlohmann::json imports = nlohmann::json::parse(away.out)["runs"];
  ASSERT_THAT(imports, SizeIs(4));
  std::vector<std::string> expected;
  for (const nlohmann::json& one : imports) expected.push_back(one["run"].get<std::string>().substr(0, 16) + ".syrun");
  std::vector<std::string> waiting;
  for (const std::string& name : in_spool()) waiting.push_back(name.substr(name.find('-') + 1));
  EXPECT_THAT(waiting, ::testing::UnorderedElementsAreArray(expected));
}

TEST_F(ImportVerb, ARunWithoutADateIsThatOfItsCommitOrOfTheOptionAndElseItIsSaid) {
  constexpr std::int64_t kCommitted = 1767323045;  // 2026-01-02T03:04:05Z
  const TemporaryRepository repository;
  repository.commit("first");
  std::filesystem::current_path(repository.root());
  const Outcome dated = import(golden("hyperfine.json"), "../dated.syrun", {"--commit", "HEAD", "--quiet"});
  ASSERT_EQ(dated.status, 0) << dated.err;
  EXPECT_THAT(dated.err, AllOf(HasSubstr("hyperfine.json has no date: its run is dated by its commit, 2026-01-02"),
                               Not(HasSubstr("--date"))));
  EXPECT_EQ(archive("../dated.syrun").header.created_at_unix_ns, kCommitted * 1'000'000'000);

  const Outcome unknown = import(golden("hyperfine.json"), "../unknown.syrun", {"--quiet"});
  EXPECT_EQ(unknown.status, 0) << unknown.err;
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("hyperfine.json has no date"), HasSubstr("--date 20")));
  EXPECT_EQ(archive("../unknown.syrun").header.created_at_unix_ns, 0);

  const std::vector<std::string> given{"--commit", "HEAD", "--date", "2026-01-02T03:04:06Z", "--quiet"};
  EXPECT_EQ(import(golden("hyperfine.json"), "../given.syrun", given).err, "");
  EXPECT_EQ(archive("../given.syrun").header.created_at_unix_ns, (kCommitted + 1) * 1'000'000'000);
  for (const char* bad : {"yesterday", "1969-12-31T00:00:00Z", "2300-01-01T00:00:00Z"}) {
    const Outcome refused = import(golden("hyperfine.json"), "../bad.syrun", {"--date", bad});
    EXPECT_EQ(refused.status, 3);
    EXPECT_THAT(refused.err, AllOf(HasSubstr(bad), HasSubstr("from 1970 to 2261"), HasSubstr("2026-11-21T08:51:57Z")));
  }
  const Outcome history = import(golden("asv"), "../asv.syrun", {"--date", "2026-01-02T03:04:06Z"});
  EXPECT_THAT(history.err, AllOf(HasSubstr("--date"), HasSubstr("one date for the 2 runs")));

  std::string own = google_json(100);
  own.replace(own.find("03:04:05"), 8, "03:04:07");
  write("own.json", own);
  EXPECT_THAT(import("own.json", "../own.syrun", {"--commit", "HEAD", "--quiet"}).err, Not(HasSubstr("date")));
  EXPECT_EQ(archive("../own.syrun").header.created_at_unix_ns, (kCommitted + 2) * 1'000'000'000) << "the file says it";
}

TEST_F(ImportVerb, ACommitIsWhatGitKnowsHereOrAWholeHash) {
  const TemporaryRepository repository;
  repository.commit("first");
  std::filesystem::current_path(repository.root());
  for (const char* name : {"HAED", "deadbeef", "0123456789abcdef", "FEDCBA9876543210FEDCBA9876543210FEDCBA98"}) {
    const Outcome refused = import(golden("go.txt"), "../x.syrun", {"--commit", name});
    EXPECT_EQ(refused.status, 3) << name;
    EXPECT_THAT(refused.err, AllOf(HasSubstr(std::string("--commit: found ") + name), HasSubstr("whole hash")));
  }
  EXPECT_FALSE(std::filesystem::exists("../x.syrun"));
  const Outcome elsewhere = import(golden("go.txt"), "../x.syrun", {"--commit", kElsewhere, "--branch", "main"});
  EXPECT_EQ(elsewhere.status, 0) << elsewhere.err;
  EXPECT_THAT(elsewhere.err, HasSubstr(std::string("git here does not know the commit ") + kElsewhere));
  EXPECT_EQ(archive("../x.syrun").header.commit.sha, kElsewhere);
}

TEST_F(ImportVerb, AnOlderCommitIsNotKeptUnderTheBranchThatHappensToBeCheckedOut) {
  const TemporaryRepository repository;
  repository.commit("first");
  repository.git("checkout --quiet -b topic");
  repository.commit("second");
  std::filesystem::current_path(repository.root());
  const auto branch = [](const std::vector<std::string>& more, const std::string& told) {
    const Outcome outcome = import(golden("go.txt"), "../x.syrun", more);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    if (told.empty()) {
      EXPECT_THAT(outcome.err, Not(HasSubstr("branch")));
    } else {
      EXPECT_THAT(outcome.err, HasSubstr(told));
    }
    return archive("../x.syrun").header.commit.branch;
  };
  EXPECT_EQ(branch({"--commit", "HEAD"}, ""), "topic");
  const std::string first = *GitRepository::find(repository.root())->resolve("main");
  EXPECT_EQ(branch({"--commit", "main"},
                   "commit " + first.substr(0, 9) +
                       " is not the one that is checked out: it is kept under no branch; --branch NAME"),
            "");
  EXPECT_EQ(branch({"--commit", "HEAD~1", "--branch", "main"}, ""), "main");
}

TEST_F(ImportVerb, TheTextNamesTheFormatAndWhereEachRunIsKept) {
  constexpr const char* kAway = "http://127.0.0.1:1";
  const Outcome outcome = run({"import", golden("go.txt"), "--store", kAway, "--project", "p2", "--branch", "main"});
  EXPECT_EQ(outcome.status, 5) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("go.txt, go: 8 measurements; for project p2, branch main\n"));
  const Outcome none = run({"import", golden("go.txt"), "--store", kAway, "--project", "p2", "--json"});
  const nlohmann::json told = nlohmann::json::parse(none.out)["runs"][0];
  EXPECT_EQ(told["project"], "p2");
  EXPECT_TRUE(told["branch"].is_null() && told["is_new"].is_null()) << told;
}

TEST_F(ImportVerb, NumbersUnderNamesAreNotTakenForAnyToolsUnlessOneIsNamed) {
  for (const char* text : {R"({"foo":1})", R"([["a", "b"]])", R"([["a", "b", "c"]])", R"([["a", 1, 2]])"}) {
    write("other.json", text);
    const Outcome outcome = import("other.json", "x.syrun");
    EXPECT_EQ(outcome.status, 3) << text << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr("no format that is known by its content")) << text;
  }
  const Outcome guessed = import(golden("folly.json"), "x.syrun");
  EXPECT_THAT(guessed.err, HasSubstr("if folly's --json wrote it: steelyard import --format folly"));
  EXPECT_EQ(import(golden("folly.json"), "x.syrun", {"--format", "folly"}).status, 0);
}

TEST_F(ImportVerb, ANameThatPromisesAnotherFormatIsRefused) {
  const auto exported = [](const std::string& output, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"export", golden("go.txt"), "--output", output});
    return run(more);
  };
  for (const char* name : {"x.parquet", "x.txt", "x.CSV"}) {
    const Outcome refused = exported(name);
    EXPECT_EQ(refused.status, 3) << name;
    EXPECT_THAT(refused.err, AllOf(HasSubstr(name), HasSubstr(".jsonl"), HasSubstr("--format json")));
    EXPECT_FALSE(std::filesystem::exists(name));
  }
  EXPECT_THAT(exported("x.csv", {"--format", "benchstat"}).err, HasSubstr("--format csv"));
  EXPECT_EQ(exported("x.om", {"--json"}).status, 3);
  EXPECT_EQ(exported("x.syrun", {"--format", "csv"}).status, 3);
  for (const char* no_json : {"csv", "json-lines", "openmetrics", "benchstat"}) {
    EXPECT_THAT(exported("y.json", {"--format", no_json}).err, HasSubstr("--format json, or another name"));
  }
  EXPECT_FALSE(std::filesystem::exists("y.json"));
  for (const char* name : {"x.json", "x", "x.csv", "x.syrun"}) EXPECT_EQ(exported(name).status, 0) << name;
  EXPECT_EQ(exported("x.txt", {"--format", "benchstat"}).status, 0);
}

// What the verdict of the first row is, and why.
std::pair<std::string, std::string> verdict_of(const Outcome& outcome) {
  const nlohmann::json comparison = nlohmann::json::parse(outcome.out);
  return {comparison["comparisons"][0]["verdict"], comparison["comparisons"][0]["reason"]};
}

TEST_F(ImportVerb, ComparesFilesOfOtherToolsAndAbstainsWhereTheyHaveOneProcessOrOneNumber) {
  for (const char* file : {"pytest_benchmark.json", "catch2.xml", "folly_verbose.json"}) {
    const auto [verdict, reason] = verdict_of(run({"compare", golden(file), golden(file), "--json"}));
    EXPECT_EQ(verdict, "inconclusive") << file << ": " << reason;
  }
}

TEST_F(ImportVerb, AChangeBetweenFilesOfProcessesIsFound) {
  // Twice as much in each of 12 processes, which differ by 0.4 %; files without a date, so that drift is allowed for.
  for (const double factor : {1.0, 2.0}) {
    std::string text;
    for (int process = 0; process < 12; ++process) {
      text += "goos: linux\npkg: example.com/a\n";
      for (int i = 0; i < 3; ++i) {
        text += "BenchmarkSort-2 100 " + std::to_string(1000 * factor * (1 + 0.001 * (process % 5) + 0.0001 * i)) +
                " ns/op\n";
      }
    }
    write(factor > 1 ? "new.txt" : "old.txt", text);
  }
  const auto [verdict, reason] = verdict_of(run({"compare", "old.txt", "new.txt", "--json"}));
  EXPECT_EQ(verdict, "regression") << reason;
}

TEST_F(ImportVerb, CsvAndJsonLinesOfARunAreTheSameRunAgain) {
  ASSERT_EQ(import(golden("go.txt"), "go.syrun").status, 0);
  const steelyard::Run whole = archive("go.syrun");
  for (const char* name : {"go.csv", "go.jsonl"}) {
    ASSERT_EQ(run({"export", "go.syrun", "--output", name}).status, 0);
    ASSERT_EQ(import(name, "again.syrun").status, 0) << name;
    const steelyard::Run again = archive("again.syrun");
    ASSERT_EQ(again.measurements.size(), whole.measurements.size()) << name;
    for (std::size_t i = 0; i < whole.measurements.size(); ++i) {
      EXPECT_EQ(again.measurements[i].benchmark.canonical(), whole.measurements[i].benchmark.canonical());
      EXPECT_EQ(again.measurements[i].metric, whole.measurements[i].metric) << name;
      EXPECT_EQ(again.measurements[i].invocations, whole.measurements[i].invocations) << name;
    }
  }
}

TEST_F(ImportVerb, AMillionIterationsAreReadBackFromOurOwnJsonLines) {
  write("million.csv", "benchmark,unit,value,iterations\nsort/n:100000,ns,200000,1000000\n");
  ASSERT_EQ(import("million.csv", "million.syrun").status, 0);
  ASSERT_EQ(run({"export", "million.syrun", "--output", "million.jsonl"}).status, 0);
  ASSERT_EQ(import("million.jsonl", "again.syrun").status, 0);
  const steelyard::Run again = archive("again.syrun");
  ASSERT_THAT(again.measurements, SizeIs(1));
  EXPECT_EQ(again.measurements[0].benchmark.canonical(), "sort/n:100000");
  EXPECT_THAT(again.measurements[0].invocations.at(0).iterations, ElementsAre(1'000'000));
}

TEST_F(ImportVerb, BenchstatTextIsReadAsTheGoOutputThatItWas) {
  ASSERT_EQ(run({"export", golden("go.txt"), "--format", "benchstat", "--output", "stat.txt"}).status, 0);
  const std::string text = text_of("stat.txt");
  EXPECT_THAT(text, HasSubstr("goos: linux\n"));
  EXPECT_THAT(text, HasSubstr("pkg: example.com/sortbench\n"));
  EXPECT_THAT(text, HasSubstr("BenchmarkSort/n=100-2 200 5189 ns/op 154.17 MB/s 920 B/op 2 allocs/op\n"));
  ASSERT_EQ(import("stat.txt", "stat.syrun").status, 0);
  ASSERT_EQ(import(golden("go.txt"), "go.syrun").status, 0);
  EXPECT_EQ(archive("stat.syrun").measurements[0].benchmark, archive("go.syrun").measurements[0].benchmark);
  const Outcome other = run({"export", golden("pytest_benchmark.json"), "--format", "benchstat"});
  EXPECT_THAT(other.out, HasSubstr("\nBenchmark_test_sort.py::test_sort/n=100 20 "))
      << "no small letter behind Benchmark";
}

TEST_F(ImportVerb, OpenMetricsHasAFamilyForEachMetricInSecondsAndBytesAndAnEnd) {
  const Outcome outcome = run({"export", golden("hyperfine.json"), "--format", "openmetrics"});
  EXPECT_THAT(outcome.out, HasSubstr("# TYPE steelyard_real_time_seconds gauge\n# UNIT steelyard_real_time_seconds "
                                     "seconds\n# HELP steelyard_real_time_seconds "));
  EXPECT_THAT(outcome.out, HasSubstr("\nsteelyard_real_time_seconds{benchmark=\"sleep 0.02/n:2\"} 0.02"));
  EXPECT_TRUE(outcome.out.ends_with("\n# EOF\n"));
  write("odd.csv", "benchmark,unit,value\n\"say \"\"\\ü\"\"\",ns,1\n");
  EXPECT_THAT(run({"export", "odd.csv", "--format", "openmetrics"}).out, HasSubstr("benchmark=\"say \\\"\\\\ü\\\"\""))
      << "quotes and backslashes are escaped";
}

TEST_F(ImportVerb, BencherMetricsHaveALevelBetweenItsExtremes) {
  const nlohmann::json metrics =
      nlohmann::json::parse(run({"export", golden("go.txt"), "--format", "bencher-metrics"}).out);
  const nlohmann::json& latency =
      metrics.at("BenchmarkSort/n:100/gomaxprocs:2 [suite=example.com/sortbench]").at("latency");
  EXPECT_EQ(latency.at("lower_value"), 3292);
  EXPECT_EQ(latency.at("upper_value"), 6849);
  EXPECT_EQ(latency.at("value"), (3484.0 + 4053.0) / 2);
}

TEST_F(ImportVerb, AnExportKeepsTheSuiteOfABenchmarkInAnArchiveAndInAFieldOfItsOwnButNotInANameOfAnotherTool) {
  const auto again = [](const std::string& format, const std::string& file) {
    EXPECT_EQ(run({"export", golden("go.txt"), "--format", format, "--output", file}).status, 0);
    EXPECT_EQ(import(file, file + ".syrun").status, 0) << file;
    return archive(file + ".syrun").measurements[0].benchmark;
  };
  EXPECT_EQ(again("csv", "go.csv").suite, "example.com/sortbench");
  EXPECT_EQ(again("json-lines", "go.jsonl").suite, "example.com/sortbench");
  const BenchmarkId named = again("google-benchmark", "go.json");
  EXPECT_EQ(named.suite, "");
  EXPECT_THAT(named.canonical(), HasSubstr(" %5Bsuite=example.com/sortbench]"));
}

TEST_F(ImportVerb, GoogleBenchmarksJsonIsReadByItsOwnReaderAndByItsComparePy) {
  ASSERT_EQ(run({"export", golden("go.txt"), "--format", "google-benchmark", "--output", "go.json"}).status, 0);
  ASSERT_EQ(import("go.json", "go.syrun").status, 0);
  EXPECT_THAT(archive("go.syrun").measurements[0].invocations[0].values,
              ElementsAre(5189, 3484, 3292, 3669, 4053, 6849));

  const std::string tools = "/usr/share/benchmark";
  STEELYARD_SKIP_WITHOUT("benchmark", std::filesystem::exists(tools + "/compare.py"),
                         "no compare.py: package libbenchmark-tools");
  // scipy, which is large, is only asked for a test that is left out here.
  write("modules/scipy/__init__.py", "");
  write("modules/numpy.py", "class array(list):\n  def any(self): return any(self)\n");
  write("modules/scipy/stats.py",
        "from math import prod\nfrom numpy import array\nmannwhitneyu = None\n"
        "def gmean(rows): return array(prod(c) ** (1 / len(c)) for c in zip(*rows))\n");
  const std::string command = "PYTHONPATH=modules:" + tools + " python3 " + tools +
                              "/compare.py --no-color --no-utest benchmarks go.json go.json > compared.txt 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0) << text_of("compared.txt");
  EXPECT_THAT(text_of("compared.txt"), HasSubstr("BenchmarkSort/n:100/gomaxprocs:2"));
  EXPECT_THAT(text_of("compared.txt"), HasSubstr("+0.0000"));
}

std::string exported_as(std::string_view name, const steelyard::Run& of) {
  for (const ExportFormat& format : export_formats()) {
    if (format.name == name) return format.write(of);
  }
  return "";
}

TEST_F(ImportVerb, AMetricOfTheNameOfAFieldIsNoSecondMemberOfItsObject) {
  steelyard::Run one;
  for (const char* metric : {"iterations", "name", "threads", "real_time", "items"}) {
    Measurement& measurement = one.measurements.emplace_back();
    measurement.benchmark.name = "sort";
    measurement.metric = {metric, "1", Better::undeclared, MetricKind::noisy};
    measurement.invocations = {{0, {7}, {5}}};
  }
  const std::string text = exported_as("google-benchmark", one);
  const nlohmann::json record = nlohmann::json::parse(text).at("benchmarks").at(0);
  EXPECT_EQ(record.at("iterations"), 5);
  EXPECT_EQ(record.at("threads"), 1);
  EXPECT_EQ(record.at("name"), "sort");
  for (const char* metric : {"metric_iterations", "metric_name", "metric_threads", "real_time", "items"}) {
    EXPECT_EQ(record.at(metric), 7) << metric;
  }
  for (const auto& [name, value] : record.items()) {
    const std::string member = '"' + name + "\": ";
    EXPECT_EQ(text.find(member), text.rfind(member)) << name;
  }
}

TEST_F(ImportVerb, WhatIsNoNumberOfProcessorsAddsNoLineToTheTextOfBenchstat) {
  steelyard::Run one;
  one.measurements.resize(1);
  Measurement& measurement = one.measurements.front();
  measurement.metric = {"real_time", "ns", Better::lower, MetricKind::noisy};
  measurement.invocations = {{0, {7}, {5}}};
  measurement.benchmark.name = "Sort";
  measurement.benchmark.parameters = {{"gomaxprocs", "2\nBenchmarkForged 1 1 ns/op"}};
  const std::string forged = exported_as("benchstat", one);
  EXPECT_EQ(std::count(forged.begin(), forged.end(), '\n'), 1) << forged;
  EXPECT_THAT(forged, HasSubstr("BenchmarkSort/gomaxprocs=2_BenchmarkForged_1_1_ns/op 5 7 ns/op\n"));
  measurement.benchmark.parameters = {{"gomaxprocs", "16"}};
  EXPECT_THAT(exported_as("benchstat", one), HasSubstr("BenchmarkSort-16 5 7 ns/op\n"));
}

TEST_F(ImportVerb, EveryExportOfARunWithoutMeasurementsIsWhole) {
  steelyard::Run empty;
  for (const ExportFormat& format : export_formats()) {
    const std::string text = format.write(empty);
    if (format.name == "openmetrics") {
      EXPECT_EQ(text, "# EOF\n");
    } else if (text.starts_with('{')) {
      EXPECT_FALSE(nlohmann::json::parse(text, nullptr, false).is_discarded()) << format.name;
    }
  }
}

}  // namespace
}  // namespace steelyard::ci::import_verb_test

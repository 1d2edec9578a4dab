#include <gmock/gmock.h>

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "bench/counting/count.hpp"
#include "bench/profile/gzip.hpp"
#include "bench/profile/spans/span_file.hpp"
#include "storage/archive/archive.hpp"
#include "tests/ci/verbs/program_under_test.hpp"

namespace steelyard::ci::profile_verb_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

CountedProfile profile_of(const std::string& benchmark, std::int64_t leaf, std::int64_t iterations) {
  CountedProfile profile;
  profile.benchmark = parse_google_benchmark_name(benchmark);
  profile.iterations = iterations;
  profile.events = {"Ir"};
  profile.totals = {40 + leaf};
  profile.functions = {{"/b/bench", "/s/a.cpp", benchmark, 3, iterations, {40}, {40 + leaf}},
                       {"/b/bench", "/s/a.cpp", "sort_rows", 9, iterations, {leaf}, {leaf}}};
  profile.arcs = {{0, 1, iterations, {leaf}}};
  return profile;
}

class ProfileVerb : public ProgramUnderTest {
 protected:
  // As a run that was counted today has it.
  static void keep_reader(steelyard::Run& run) {
    run.header.settings[std::string(bench::kCountReaderSetting)] = std::to_string(bench::kCountReader);
  }
  static void write_run(const std::string& file, std::int64_t leaf, std::int64_t iterations) {
    steelyard::Run counted;
    for (const char* benchmark : {"BM_sort/8", "BM_sort/64"}) {
      Measurement& measurement = counted.measurements.emplace_back();
      measurement.benchmark = parse_google_benchmark_name(benchmark);
      measurement.metric = *well_known_metric(kInstructions);
      measurement.count_key = "one machine";
      // BM_sort/64 is the same in every run.
      const auto count = static_cast<double>(std::string(benchmark) == "BM_sort/8" ? leaf : 1);
      measurement.invocations = {{0, {count}, {}}};
    }
    counted.invocations.resize(1);
    keep_reader(counted);
    counted.profiles = {profile_of("BM_sort/8", leaf, iterations), profile_of("BM_sort/64", 8 * leaf, iterations)};
    storage::seal(counted);
    ASSERT_TRUE(storage::write_archive(file, counted));
  }
  static void write_callgrind(const std::string& file, int leaf) {
    write(file, "events: Ir\n\nob=/b/bench\nfl=/s/a.cpp\nfn=main\n3 40\ncfn=sort_rows\ncalls=1 9\n5 " +
                    std::to_string(leaf) + "\n\nfn=sort_rows\n9 " + std::to_string(leaf) +
                    "\n\ntotals: " + std::to_string(40 + leaf) + "\n");
  }
};

TEST_F(ProfileVerb, ShowsLinesOfRunsAndOfFiles) {
  write_run("without.syrun", 60, 10);
  EXPECT_THAT(run({"profile", "without.syrun", "--lines"}).out, HasSubstr("lines were not kept"));
  steelyard::Run counted;
  counted.profiles = {profile_of("BM_sort/8", 60, 10)};
  counted.profiles[0].sources = {
      {0, "/s/a.cpp", "BM_sort/8", 3, {40}}, {1, "/s/hot.h", "swap_rows(int)", 7, {50}}, {1, "/s/b.h", "", 2, {10}}};
  storage::seal(counted);
  ASSERT_TRUE(storage::write_archive("lines.syrun", counted));
  const Outcome table = run({"profile", "lines.syrun", "--lines"});
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_THAT(table.out, AllOf(HasSubstr("50  50.0 %  hot.h:7  swap_rows(int)  in sort_rows"),
                               HasSubstr("40  40.0 %  a.cpp:3  BM_sort/8"), HasSubstr("b.h:2    ?")));
  const auto json = nlohmann::json::parse(run({"profile", "lines.syrun", "--lines", "--json"}).out);
  EXPECT_EQ(json["parts"][0]["lines"][1]["origin"], "swap_rows(int)");
  EXPECT_EQ(json["parts"][0]["lines"][1]["function"], "sort_rows");
  EXPECT_TRUE(json["parts"][0]["lines"][2]["origin"].is_null());
  const Outcome filtered = run({"profile", "lines.syrun", "--lines", "--filter", "sort_rows"});
  EXPECT_THAT(filtered.out, AllOf(HasSubstr("50  50.0 %  hot.h:7  swap_rows(int)  in sort_rows"), HasSubstr("b.h:2"),
                                  Not(HasSubstr("a.cpp:3")), Not(HasSubstr("not kept"))));
  write_callgrind("callgrind.out", 60);
  const Outcome file = run({"profile", "--read", "callgrind", "callgrind.out", "--lines"});
  EXPECT_THAT(file.out, AllOf(HasSubstr("60  60.0 %  a.cpp:9  sort_rows"), HasSubstr("40  40.0 %  a.cpp:3  main")));
  EXPECT_EQ(run({"profile", "lines.syrun", "--lines", "--against", "lines.syrun"}).status, 3);
}

TEST_F(ProfileVerb, SaysThatLinesWhichAnEarlierReaderToldMayBeShifted) {
  steelyard::Run counted;
  counted.profiles = {profile_of("BM_sort/8", 60, 10)};
  counted.profiles[0].sources = {{0, "/s/a.cpp", "BM_sort/8", 3, {40}}, {1, "/s/hot.h", "swap_rows(int)", 7, {60}}};
  storage::seal(counted);
  ASSERT_TRUE(storage::write_archive("earlier.syrun", counted));
  write_run("today.syrun", 60, 10);
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"--lines"}, {"--lines", "--json"}, {"--flame", "f.svg"}}) {
    std::vector<std::string> words = {"profile", "earlier.syrun"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_THAT(run(words).err, HasSubstr("earlier.syrun: lines, and the functions that were inlined there, may be"));
  }
  const auto json = nlohmann::json::parse(run({"profile", "earlier.syrun", "--lines", "--json"}).out);
  EXPECT_EQ(json["parts"][0]["lines_may_be_shifted"], true);
  const Outcome against = run({"profile", "today.syrun", "--benchmark", "BM_sort/8", "--against", "earlier.syrun"});
  EXPECT_THAT(against.err, HasSubstr("earlier.syrun: lines"));
  const Outcome today = run({"profile", "today.syrun", "--lines", "--json"});
  EXPECT_EQ(today.err, "");
  EXPECT_FALSE(nlohmann::json::parse(today.out)["parts"][0].contains("lines_may_be_shifted"));
}

TEST_F(ProfileVerb, SaysWhyLinesAreUnknownAndWhatToBuild) {
  steelyard::Run counted;
  counted.profiles = {profile_of("BM_sort/8", 60, 10)};
  keep_reader(counted);
  counted.header.settings["counting.lines"] = "/b/bench: found no debug information; build it with -g\x1b[2J";
  storage::seal(counted);
  ASSERT_TRUE(storage::write_archive("stripped.syrun", counted));
  const std::vector<std::string> of_run = {"profile", "stripped.syrun", "--lines"};
  EXPECT_THAT(run(of_run).err,
              AllOf(HasSubstr("note: /b/bench: found no debug information; build it with -g"), Not(HasSubstr("\x1b"))));
  EXPECT_EQ(run({"profile", "stripped.syrun"}).err, "");
  write("callgrind.out", "cmd: ./gone --fast\nevents: Ir\nob=./gone\nfl=a.cpp\nfn=main\n3 40\ntotals: 40\n");
  EXPECT_THAT(run({"profile", "--read", "callgrind", "callgrind.out", "--lines"}).err, HasSubstr("note: ./gone: "));
  write("callgrind.out", "cmd: ./gone\nevents: Ir\nob=???\nfl=a.cpp\nfn=main\n3 40\ntotals: 40\n");
  EXPECT_EQ(run({"profile", "--read", "callgrind", "callgrind.out", "--lines"}).err, "");
}

TEST_F(ProfileVerb, ShowsEveryBenchmarkOfARunOrTheOneAskedFor) {
  write_run("run.syrun", 60, 10);
  const Outcome all = run({"profile", "run.syrun"});
  EXPECT_EQ(all.status, 0) << all.err;
  EXPECT_THAT(all.out, AllOf(HasSubstr("BM_sort/8: 100 Ir in 10 iterations"), HasSubstr("BM_sort/64: 520 Ir")));
  const Outcome one = run({"profile", "run.syrun", "--benchmark", "BM_sort/8"});
  EXPECT_THAT(one.out, AllOf(HasSubstr("BM_sort/8"), Not(HasSubstr("BM_sort/64"))));
  const auto json = nlohmann::json::parse(run({"profile", "run.syrun", "--benchmark", "/64", "--json"}).out);
  EXPECT_EQ(json.at("schema"), "steelyard.profile/1");
  EXPECT_EQ(json.at("parts").at(0).at("benchmark"), "BM_sort/64");
  EXPECT_EQ(json.at("parts").at(0).at("functions").at(0).at("name"), "sort_rows");
}

TEST_F(ProfileVerb, DifferenceIsCandidateMinusBaselineAnIteration) {
  write_run("old.syrun", 60, 10);
  write_run("new.syrun", 180, 20);
  const Outcome difference = run({"profile", "new.syrun", "--benchmark", "BM_sort/8", "--against", "old.syrun"});
  EXPECT_EQ(difference.status, 0) << difference.err;
  EXPECT_THAT(difference.out, AllOf(HasSubstr("+1 Ir an iteration\n"), HasSubstr("+3  "), HasSubstr("sort_rows")));
  write_callgrind("callgrind.out.1", 60);
  write_callgrind("callgrind.out.2", 64);
  EXPECT_THAT(run({"profile", "--read", "callgrind", "callgrind.out.2", "--against", "callgrind.out.1"}).out,
              HasSubstr("+4 Ir\n"));
}

TEST_F(ProfileVerb, ADifferenceAsJsonHasBothSidesAndTheChangeBesideTheProfile) {
  write_callgrind("callgrind.out.1", 60);
  write("callgrind.out.2",
        "events: Ir\n\nob=/b/bench\nfl=/s/a.cpp\nfn=main\n3 40\ncfn=arrange\ncalls=1 9\n5 64\n\n"
        "fn=arrange\n9 64\n\ntotals: 104\n");
  std::vector<std::string> words{"profile", "--read",    "callgrind",       "callgrind.out.2",
                                 "--json",  "--against", "callgrind.out.1", "--filter"};
  words.push_back("sort_rows");
  const auto json = nlohmann::json::parse(run(words).out);
  EXPECT_EQ(json.at("schema"), "steelyard.profile/1");
  EXPECT_EQ(json.at("parts").at(0).at("totals"), nlohmann::json::array({104}));
  const auto& against = json.at("against");
  EXPECT_EQ(against.at("baseline"), "callgrind.out.1");
  EXPECT_EQ(against.at("total_change"), nlohmann::json::array({4.0}));
  ASSERT_EQ(against.at("functions").size(), 1U) << "the old name is filtered for as well";
  const auto& function = against.at("functions").at(0);
  EXPECT_EQ(function.at("matched"), "renamed");
  EXPECT_EQ(function.at("baseline").at("name"), "sort_rows");
  EXPECT_EQ(function.at("candidate").at("name"), "arrange");
  EXPECT_EQ(function.at("candidate").at("self"), nlohmann::json::array({64}));
  EXPECT_EQ(function.at("self_change"), nlohmann::json::array({4.0}));
  EXPECT_TRUE(function.at("copy_of").is_null());
  write_run("old.syrun", 60, 10);
  const Outcome several = run({"profile", "old.syrun", "--against", "old.syrun", "--json"});
  EXPECT_EQ(several.status, 3);
  EXPECT_THAT(several.err, HasSubstr("--benchmark"));
}

TEST_F(ProfileVerb, TablesShowTheEventThatWasAskedFor) {
  write("callgrind.out", "events: Ir Dr\nfn=f\n1 5 70\nfn=g\n1 6 3\ntotals: 11 73\n");
  const Outcome reads = run({"profile", "--read", "callgrind", "callgrind.out", "--event", "Dr", "--rows", "1"});
  EXPECT_THAT(reads.out, AllOf(HasSubstr("73 Dr"), HasSubstr("70  95.9 %"), Not(HasSubstr(" g"))));
  EXPECT_THAT(run({"profile", "--read", "callgrind", "callgrind.out"}).out, HasSubstr("11 Ir"));
  const Outcome unknown = run({"profile", "--read", "callgrind", "callgrind.out", "--event", "Dw"});
  EXPECT_EQ(unknown.status, 3);
  EXPECT_THAT(unknown.err, HasSubstr("one of Ir, Dr"));
}

TEST_F(ProfileVerb, AnEmptyFileStandsForItsThreadsUnlessTheyAreNamedToo) {
  write("callgrind.out", "");
  write("callgrind.out-01", "thread: 1\nevents: Ir\nfn=f\n1 5\ntotals: 5\n");
  write("callgrind.out-02", "thread: 2\nevents: Ir\nfn=f\n1 7\ntotals: 7\n");
  const auto parts = [&](const std::vector<std::string>& files) {
    std::vector<std::string> words{"profile", "--read", "callgrind", "--json"};
    words.insert(words.end(), files.begin(), files.end());
    return nlohmann::json::parse(run(words).out).at("parts").size();
  };
  EXPECT_EQ(parts({"callgrind.out"}), 2U);
  EXPECT_EQ(parts({"callgrind.out", "callgrind.out-01", "callgrind.out-02"}), 2U);
  write("other.out", "");
  const Outcome alone = run({"profile", "--read", "callgrind", "other.out"});
  EXPECT_EQ(alone.status, 3);
  EXPECT_THAT(alone.err, HasSubstr("an empty file"));
}

TEST_F(ProfileVerb, ShowsFunctionsUnderTheNamesAndInTheOrderAskedFor) {
  write("callgrind.out.1",
        "events: Ir\n\nob=/b/bench\nfl=/s/x/a.cpp\nfn=main\n3 1\ncfn=f [clone .isra.0]\ncalls=1 9\n5 30\n\n"
        "fn=f [clone .isra.0]\n9 10\ncfn=f'2\ncalls=1 9\n9 20\n\nfn=f'2\n9 20\n\ntotals: 31\n");
  const auto rows = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"profile", "--read", "callgrind", "callgrind.out.1", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return nlohmann::json::parse(run(words).out).at("parts").at(0).at("functions");
  };
  EXPECT_EQ(rows({}).size(), 3U);
  EXPECT_EQ(rows({"--fold", "clones"}).size(), 3U);
  const auto folded = rows({"--fold", "recursion,clones"});
  ASSERT_EQ(folded.size(), 2U);
  EXPECT_EQ(folded[0].at("name"), "f");
  EXPECT_EQ(folded[0].at("inclusive"), nlohmann::json::array({30}));
  const auto standard = rows({"--standardize", "/other,/s"});
  EXPECT_EQ(standard[0].at("file"), "x/a.cpp");
  EXPECT_EQ(standard[0].at("object"), "bench");
  EXPECT_EQ(rows({"--filter", "a.cpp:f.*isra"}).size(), 1U);
  const Outcome inclusive = run({"profile", "--read", "callgrind", "callgrind.out.1", "--inclusive"});
  EXPECT_LT(inclusive.out.find("main"), inclusive.out.find("isra"));
}

TEST_F(ProfileVerb, ARenamedFunctionIsMarkedAndRepeatsTellItsNoise) {
  write_callgrind("callgrind.out.1", 600);
  write_callgrind("callgrind.out.2", 612);
  write("callgrind.out.3",
        "events: Ir\n\nob=/b/bench\nfl=/s/a.cpp\nfn=main\n3 40\ncfn=arrange\ncalls=1 9\n5 612\n\n"
        "fn=arrange\n9 612\n\ntotals: 652\n");
  const std::vector<std::string> words{"profile",         "--read",    "callgrind",
                                       "callgrind.out.3", "--against", "callgrind.out.1"};
  EXPECT_THAT(run(words).out, AllOf(HasSubstr("+12 Ir\n"), HasSubstr("arrange"), HasSubstr("renamed, was sort_rows"),
                                    Not(HasSubstr("noise"))));
  std::vector<std::string> with_repeats = words;
  with_repeats.insert(with_repeats.end(), {"--repeats", "callgrind.out.1,callgrind.out.2"});
  EXPECT_THAT(run(with_repeats).out, HasSubstr("%), noise"));
  std::vector<std::string> filtered = words;
  filtered.insert(filtered.end(), {"--filter", "sort_rows"});
  EXPECT_THAT(run(filtered).out, AllOf(HasSubstr("arrange"), Not(HasSubstr("main"))));
}

TEST_F(ProfileVerb, RefusesViewsThatItDoesNotKnow) {
  write_callgrind("callgrind.out.1", 60);
  const auto error = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"profile", "--read", "callgrind", "callgrind.out.1"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.status, 3);
    return outcome.err;
  };
  EXPECT_THAT(error({"--fold", "levels"}), HasSubstr("--fold: found \"levels\""));
  EXPECT_THAT(error({"--filter", "f("}), HasSubstr("--filter: found \"f(\""));
  EXPECT_THAT(error({"--repeats", "callgrind.out.1"}), HasSubstr("--against"));
  EXPECT_THAT(error({"--against", "callgrind.out.1", "--repeats", "callgrind.out.1"}), HasSubstr("1 repeats"));
}

TEST_F(ProfileVerb, WritesStacks) {
  write_run("run.syrun", 60, 10);
  const Outcome outcome =
      run({"profile", "run.syrun", "--benchmark", "BM_sort/8", "--folded", "stacks", "--speedscope", "stacks.json"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("wrote stacks\n"));
  EXPECT_EQ(text_of("stacks"), "BM_sort/8 40\nBM_sort/8;sort_rows 60\n");
  EXPECT_EQ(nlohmann::json::parse(text_of("stacks.json")).at("profiles").at(0).at("endValue"), 100);
}

TEST_F(ProfileVerb, PartsOfFilesAreAddedUpOrChosen) {
  write_callgrind("callgrind.out.1", 60);
  write_callgrind("callgrind.out.2", 64);
  const std::vector<std::string> both{"profile",         "--read",   "callgrind", "callgrind.out.1",
                                      "callgrind.out.2", "--folded", "stacks"};
  EXPECT_EQ(run(both).status, 0);
  EXPECT_EQ(text_of("stacks"), "main 80\nmain;sort_rows 124\n");
  std::vector<std::string> second = both;
  second.insert(second.end(), {"--part", "2"});
  EXPECT_EQ(run(second).status, 0);
  EXPECT_EQ(text_of("stacks"), "main 40\nmain;sort_rows 64\n");
  second.back() = "3";
  EXPECT_THAT(run(second).err, HasSubstr("--part: found 3"));
}

TEST_F(ProfileVerb, RefusesWhatItCannotUse) {
  write_run("run.syrun", 60, 10);
  EXPECT_THAT(run({"profile", "run.syrun", "--folded", "x"}).err,
              AllOf(HasSubstr("2 profiles in run.syrun: BM_sort/8, BM_sort/64"), HasSubstr("--benchmark")));
  EXPECT_THAT(run({"profile", "run.syrun", "--benchmark", "BM_sort"}).err, HasSubstr("a part of several names"));
  EXPECT_THAT(run({"profile", "run.syrun", "--benchmark", "BM_x"}).err, HasSubstr("one of BM_sort/8, BM_sort/64"));
  EXPECT_EQ(run({"profile", "a.syrun", "b.syrun"}).status, 3);
  EXPECT_EQ(run({"profile", "run.syrun", "--part", "1"}).status, 3);
  EXPECT_EQ(run({"profile", "--read", "perf", "x"}).status, 3);
  EXPECT_EQ(run({"profile", "run.syrun", "--benchmark", "BM_sort/8", "--event", "Dr", "--folded", "x"}).status, 3);
  steelyard::Run uncounted;
  storage::seal(uncounted);
  ASSERT_TRUE(storage::write_archive("uncounted.syrun", uncounted));
  EXPECT_THAT(run({"profile", "uncounted.syrun"}).err, HasSubstr("found no counted profile"));
}

TEST_F(ProfileVerb, WhatShapesTablesIsNotDroppedInSilenceBesideAPicture) {
  write_run("run.syrun", 60, 10);
  for (const std::vector<std::string>& table :
       {std::vector<std::string>{"--filter", "leaf"}, {"--inclusive"}, {"--rows", "3"}}) {
    std::vector<std::string> words{"profile", "run.syrun", "--benchmark", "BM_sort/8", "--flame", "a.html"};
    words.insert(words.end(), table.begin(), table.end());
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.status, 3);
    EXPECT_THAT(outcome.err, HasSubstr(table.front() + ": found a flame graph or stacks to write, wanted a table"));
  }
}

TEST_F(ProfileVerb, WritesAFlameGraphByTheNamesEnding) {
  write_run("run.syrun", 60, 10);
  const std::vector<std::string> start{"profile", "run.syrun", "--benchmark", "BM_sort/8", "--flame"};
  for (const auto& [file, first] : {std::pair("a.html", "<!doctype html>"), {"a.svg", "<svg "}}) {
    std::vector<std::string> arguments = start;
    arguments.push_back(file);
    EXPECT_EQ(run(arguments).status, 0);
    EXPECT_TRUE(text_of(file).starts_with(first));
    EXPECT_THAT(text_of(file), HasSubstr("BM_sort/8"));
  }
  std::vector<std::string> picture = start;
  picture.push_back("a.png");
  EXPECT_THAT(run(picture).err, HasSubstr("--flame: found \"a.png\", wanted a name that ends in .html or .svg"));
}

TEST_F(ProfileVerb, CompareDrawsEveryChangedCountAndNamesTheFile) {
  write_run("old.syrun", 60, 10);
  write_run("new.syrun", 90, 10);
  const Outcome outcome = run({"compare", "old.syrun", "new.syrun", "--flame-dir", "pictures"});
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("pictures/BM_sort_8.html"));
  EXPECT_TRUE(std::filesystem::exists("pictures/BM_sort_8.html"));
  EXPECT_FALSE(std::filesystem::exists("pictures/BM_sort_64.html"));
  const auto json =
      nlohmann::json::parse(run({"compare", "old.syrun", "new.syrun", "--flame-dir", "pictures", "--json"}).out);
  EXPECT_THAT(json.at("comparisons").dump(), HasSubstr("\"flame_graph\":\"pictures/BM_sort_8.html\""));
  write("file", "");
  EXPECT_EQ(run({"compare", "old.syrun", "new.syrun", "--flame-dir", "file"}).status, 3);
}

TEST_F(ProfileVerb, AFileThatIsALinkIsWrittenThrough) {
  write_run("run.syrun", 60, 10);
  write("real", "");
  std::filesystem::create_symlink("real", "link");
  EXPECT_EQ(run({"profile", "run.syrun", "--benchmark", "BM_sort/8", "--folded", "link"}).status, 0);
  EXPECT_TRUE(std::filesystem::is_symlink("link"));
  EXPECT_EQ(text_of("real"), "BM_sort/8 40\nBM_sort/8;sort_rows 60\n");
}

constexpr const char* kTrace = R"([
  {"ph": "X", "name": "step 0", "pid": 1, "tid": 1, "ts": 0, "dur": 10},
  {"ph": "X", "name": "inner", "pid": 1, "tid": 1, "ts": 1, "dur": 4, "args": {"Input Dims": [[2, 3]]}}])";

TEST_F(ProfileVerb, ShowsTracesAsTablesAndFiles) {
  write("it.json", kTrace);
  const Outcome table = run({"profile", "--read", "chrome", "it.json", "--by-shapes", "--sort", "total"});
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("Input Shapes"));
  EXPECT_LT(table.out.find("step *"), table.out.find("inner"));
  EXPECT_THAT(run({"profile", "--read", "chrome", "it.json", "--by-process"}).out, HasSubstr("# of Calls  Process"));
  EXPECT_THAT(run({"profile", "--read", "chrome", "it.json", "--table-format", "csv"}).out,
              HasSubstr("inner,0,1,4000,4000,"));
  EXPECT_EQ(nlohmann::json::parse(run({"profile", "--read", "chrome", "it.json", "--json"}).out).at("events"), 2);
  const Outcome files = run({"profile", "--read", "chrome", "it.json", "--chrome", "again.json", "--folded", "stacks",
                             "--flame", "it.html", "--speedscope", "it.speedscope.json"});
  EXPECT_EQ(files.status, 0) << files.err;
  EXPECT_EQ(text_of("stacks"), "step * 6000\nstep *;inner 4000\n");
  EXPECT_EQ(run({"profile", "--read", "chrome", "again.json", "--json"}).status, 0);
  EXPECT_TRUE(text_of("it.html").starts_with("<!doctype html>"));
}

TEST_F(ProfileVerb, WritesTracesPackedAndInTheFormsOfOtherTools) {
  write("it.json", kTrace);
  const Outcome files = run({"profile", "--read", "chrome", "it.json", "--chrome", "again.json.gz", "--pprof",
                             "it.pb.gz", "--callgrind", "it.callgrind", "--perfetto", "it.pftrace"});
  EXPECT_EQ(files.status, 0) << files.err;
  EXPECT_TRUE(text_of("again.json.gz").starts_with("\x1f\x8b"));
  EXPECT_EQ(nlohmann::json::parse(run({"profile", "--read", "chrome", "again.json.gz", "--json"}).out).at("events"), 2);
  EXPECT_TRUE(text_of("it.pb.gz").starts_with("\x1f\x8b"));
  EXPECT_THAT(text_of("it.callgrind"), HasSubstr("fn=(1) step *\n0 6000\ncfn=(2) inner\ncalls=1 0\n0 4000\n"));
  EXPECT_TRUE(text_of("it.pftrace").starts_with('\x0a'));
}

TEST_F(ProfileVerb, TablesOfTracesHaveAHundredRowsAndTheWidthsThatAreAskedFor) {
  std::string events = "[";
  for (int i = 0; i < 120; ++i) {
    events += std::string(i == 0 ? "" : ",") + R"({"ph": "X", "name": "a long name of span )" + std::to_string(i) +
              R"(", "pid": 1, "tid": 1, "ts": )" + std::to_string(10 * i) + R"(, "dur": 5})";
  }
  write("it.json", events + "]");
  const std::vector<std::string> words{"profile", "--read", "chrome", "it.json"};
  EXPECT_THAT(run(words).out, HasSubstr("and 20 more rows\n"));
  std::vector<std::string> narrow = words;
  narrow.insert(narrow.end(), {"--rows", "7", "--widths", "12"});
  EXPECT_THAT(run(narrow).out, AllOf(HasSubstr("and 113 more rows\n"), Not(HasSubstr("a long name of span"))));
  for (const char* wrong : {"4", "x", "9,9,9,9", "9,,9", "10001"}) {
    narrow.back() = wrong;
    const Outcome refused = run(narrow);
    EXPECT_EQ(refused.status, 3) << wrong;
    EXPECT_THAT(refused.err, HasSubstr("--widths: found \"" + std::string(wrong) + "\"")) << wrong;
  }
}

TEST_F(ProfileVerb, SaysBesideFilesThatBytesOfNamesWereNoText) {
  write("it.json", "[{\"ph\": \"X\", \"name\": \"half \xc3\", \"pid\": 1, \"tid\": 1, \"ts\": 1, \"dur\": 2}]");
  const Outcome files = run({"profile", "--read", "chrome", "it.json", "--chrome", "again.json"});
  EXPECT_EQ(files.status, 0) << files.err;
  EXPECT_THAT(files.err, HasSubstr("note: 1 place of the file told as U+FFFD, being no UTF-8."));
  EXPECT_EQ(nlohmann::json::parse(text_of("again.json")).at("traceEvents").at(0).at("name"), "half \ufffd");
}

TEST_F(ProfileVerb, OfAPackedTraceThatIsCutShowsWhatStandsBeforeTheCutAndSaysSo) {
  std::string events = "[";
  for (int i = 0; i < 1000; ++i) {
    events += std::string(i == 0 ? "" : ",\n") + R"({"ph": "X", "name": "span )" + std::to_string(i * 7919 % 1009) +
              R"(", "pid": 1, "tid": 1, "ts": )" + std::to_string(i * 10) + R"(, "dur": 5})";
  }
  std::ostringstream packed;
  { bench::GzipStream(packed) << events << "]"; }
  const std::string whole = packed.str();
  write("cut.json.gz", whole.substr(0, whole.size() / 2));
  const Outcome cut = run({"profile", "--read", "chrome", "cut.json.gz", "--json"});
  EXPECT_EQ(cut.status, 0) << cut.err;
  const auto json = nlohmann::json::parse(cut.out);
  EXPECT_EQ(json.at("cut"), true);
  EXPECT_GT(json.at("events").get<int>(), 200);
  EXPECT_LT(json.at("events").get<int>(), 900);
  EXPECT_THAT(run({"profile", "--read", "chrome", "cut.json.gz", "--rows", "1"}).out,
              HasSubstr("The file ends in the middle: what stood behind is in no row."));
  write("cut.json.gz", whole.substr(0, whole.size() - 4));
  EXPECT_EQ(nlohmann::json::parse(run({"profile", "--read", "chrome", "cut.json.gz", "--json"}).out).at("cut"), true);
  write("cut.json.gz", whole.substr(0, 20));
  EXPECT_EQ(run({"profile", "--read", "chrome", "cut.json.gz"}).status, 3) << "not one event is whole";
}

TEST_F(ProfileVerb, CeilingsAreForThePageAndHaveToBeSome) {
  write("it.json", kTrace);
  const Outcome alone = run({"profile", "--read", "chrome", "it.json", "--ceilings", "none.syrun"});
  EXPECT_EQ(alone.status, 3);
  EXPECT_THAT(alone.err, HasSubstr("--ceilings: found no --html"));
  const Outcome missing =
      run({"profile", "--read", "chrome", "it.json", "--html", "it.html", "--ceilings", "none.syrun"});
  EXPECT_EQ(missing.status, 3);
  EXPECT_THAT(missing.err, HasSubstr("none.syrun"));
  EXPECT_FALSE(std::filesystem::exists("it.html"));
}

TEST_F(ProfileVerb, StacksHaveTheTimeOfDevicesWhereItIsAskedFor) {
  write("it.json", R"([{"ph": "X", "cat": "cpu_op", "name": "mm", "pid": 9, "tid": 9, "ts": 0, "dur": 100},
    {"ph": "X", "cat": "cuda_runtime", "name": "launch", "pid": 9, "tid": 9, "ts": 10, "dur": 5,
     "args": {"correlation": 3}},
    {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 20, "dur": 2, "args": {"correlation": 3}}])");
  EXPECT_EQ(run({"profile", "--read", "chrome", "it.json", "--device-time", "--folded", "it.folded"}).status, 0);
  EXPECT_EQ(text_of("it.folded"), "mm 2000\n");
  const Outcome alone = run({"profile", "--read", "chrome", "it.json", "--device-time"});
  EXPECT_EQ(alone.status, 3);
  EXPECT_THAT(alone.err, HasSubstr("--device-time: found no file of stacks"));
  write("host.json", R"([{"ph": "X", "name": "f", "pid": 9, "tid": 9, "ts": 0, "dur": 100}])");
  const Outcome host = run({"profile", "--read", "chrome", "host.json", "--device-time", "--flame", "it.html"});
  EXPECT_EQ(host.status, 3);
  EXPECT_THAT(host.err, HasSubstr("nothing that the host started on a device"));
}

TEST_F(ProfileVerb, NamesAChromeTraceInAFolderAsPyTorchDoes) {
  write("it.json", kTrace);
  const Outcome outcome = run({"profile", "--read", "chrome", "it.json", "--chrome", "traces/", "--gzip"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(std::filesystem::exists("traces/host_1.0.pt.trace.json.gz")) << outcome.err;
  EXPECT_EQ(run({"profile", "--read", "chrome", "it.json", "--chrome", "traces"}).status, 0);
  EXPECT_TRUE(std::filesystem::exists("traces/host_1.0.pt.trace.json"));
}

TEST_F(ProfileVerb, PacksTracesOfBothFormats) {
  write("it.json", kTrace);
  EXPECT_EQ(run({"profile", "--read", "chrome", "it.json", "--perfetto", "it.pftrace"}).status, 0);
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--perfetto", "packed", "--gzip"},
                                               std::vector<std::string>{"--perfetto", "packed.gz"}}) {
    std::vector<std::string> words{"profile", "--read", "chrome", "it.json"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(run(words).status, 0);
    const std::string packed = text_of(more.at(1));
    ASSERT_TRUE(bench::is_gzip(packed)) << more.at(1);
    const auto whole = bench::unpack_gzip(packed, more.at(1), 1 << 20);
    ASSERT_TRUE(whole) << whole.error().text();
    EXPECT_EQ(whole->text, text_of("it.pftrace"));
  }
  const Outcome alone = run({"profile", "--read", "chrome", "it.json", "--gzip"});
  EXPECT_EQ(alone.status, 3);
  EXPECT_THAT(alone.err, HasSubstr("--gzip: found no trace to pack"));
}

TEST_F(ProfileVerb, NoNameInATraceLeadsItsFileOutOfTheFolder) {
  SpanFileHeader header{};
  header.magic = kSpanMagic;
  header.version = kSpanFileVersion;
  header.chunk_bytes = kSpanChunkBytes;
  std::string_view("../elsewhere/\n\x1b[2J").copy(header.host.data(), header.host.size());
  std::string file(kSpanHeaderBytes, '\0');
  std::memcpy(file.data(), &header, sizeof header);
  write("it.spans", file);
  std::filesystem::create_directory("elsewhere");
  const Outcome outcome = run({"profile", "--read", "spans", "it.spans", "--chrome", "traces/"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(std::filesystem::is_empty("elsewhere"));
  EXPECT_TRUE(std::filesystem::exists("traces/.._elsewhere____2J_0.0.pt.trace.json")) << outcome.err;
}

TEST_F(ProfileVerb, AFewKilobytesThatUnpackToGigabytesAreRefused) {
  std::ostringstream packed;
  {
    bench::GzipStream bomb(packed);
    const std::string blanks(std::size_t{1} << 20, ' ');
    for (int i = 0; i < 600; ++i) bomb << blanks;
  }
  write("bomb.json.gz", packed.str());
  const Outcome outcome = run({"profile", "--read", "chrome", "bomb.json.gz"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("more than 536870912 bytes when it is unpacked"));
}

TEST_F(ProfileVerb, ShowsWhatChangedBetweenTwoTraces) {
  write("old.json", kTrace);
  write("new.json", kTrace);
  std::filesystem::create_directory("recorded");
  write("recorded/1.json", kTrace);
  write("recorded/2.json", kTrace);
  const Outcome table = run({"profile", "diff", "old.json", "new.json"});
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("old.json -> new.json: 1 and 1 recorded processes"));
  EXPECT_THAT(table.out, HasSubstr("inner"));
  const Outcome json = run({"profile", "diff", "--base", "old.json", "--base", "new.json", "--head", "recorded",
                            "--json", "--flame", "it.html"});
  EXPECT_EQ(json.status, 0) << json.err;
  EXPECT_EQ(nlohmann::json::parse(json.out).at("processes"), (std::vector<int>{2, 2}));
  EXPECT_TRUE(text_of("it.html").starts_with("<!doctype html>"));
  EXPECT_THAT(run({"profile", "diff", "old.json", "new.json", "--table-format", "csv"}).out, HasSubstr("name,shapes,"));
  EXPECT_THAT(run({"profile", "diff", "old.json", "new.json", "--table-format", "markdown"}).out, HasSubstr("|---"));
}

TEST_F(ProfileVerb, ADifferenceNeedsTwoSidesAndNothingElse) {
  write("it.json", kTrace);
  std::filesystem::create_directory("empty");
  const std::vector<std::vector<std::string>> wrong{{"diff", "it.json"},
                                                    {"diff", "it.json", "it.json", "it.json"},
                                                    {"diff", "it.json", "--base", "it.json"},
                                                    {"diff", "it.json", "empty"},
                                                    {"diff", "it.json", "absent"},
                                                    {"diff", "it.json", "it.json", "--lines"},
                                                    {"diff", "it.json", "it.json", "--chrome", "out.json"},
                                                    {"diff", "it.json", "it.json", "--read", "callgrind"},
                                                    {"--read", "chrome", "it.json", "--head", "it.json"}};
  for (std::vector<std::string> words : wrong) {
    words.insert(words.begin(), "profile");
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.status, 3) << outcome.err;
    EXPECT_FALSE(outcome.err.empty());
  }
}

TEST_F(ProfileVerb, RefusesOptionsOfCountsForTracesAndTheOtherWayRound) {
  write("it.json", kTrace);
  write_run("run.syrun", 60, 10);
  const std::vector<std::vector<std::string>> wrong{{"--lines"}, {"--event", "Ir"}, {"--against", "it.json"}};
  for (const std::vector<std::string>& options : wrong) {
    std::vector<std::string> words{"profile", "--read", "chrome", "it.json"};
    words.insert(words.end(), options.begin(), options.end());
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.status, 3);
    EXPECT_THAT(outcome.err, HasSubstr(options.front()));
  }
  EXPECT_THAT(run({"profile", "run.syrun", "--by-shapes"}).err, HasSubstr("--by-shapes"));
  EXPECT_THAT(run({"profile", "run.syrun", "--by-process"}).err, HasSubstr("--by-process"));
  EXPECT_THAT(run({"profile", "--read", "chrome", "it.json", "--sort", "color"}).err, HasSubstr("self_device"));
  EXPECT_THAT(run({"profile", "--read", "spans", "it.json"}).err, HasSubstr("recorded spans"));
}

}  // namespace
}  // namespace steelyard::ci::profile_verb_test

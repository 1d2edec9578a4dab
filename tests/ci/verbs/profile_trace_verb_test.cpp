// The profile verb on traces: rows, what shapes tables beside files, and traces of which not all can be read.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/ci/verbs/program_under_test.hpp"

namespace steelyard::ci::profile_trace_verb_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ProfileTraceVerb : public ProgramUnderTest {
 protected:
  static Outcome profile(std::vector<std::string> words) {
    words.insert(words.begin(), {"profile", "--read", "chrome", "it.json"});
    return run(words);
  }
  // So many spans, one after the other, each with a name of its own.
  static std::string spans(int count) {
    std::string events = "[";
    for (int i = 0; i < count; ++i) {
      events += std::string(i == 0 ? "" : ",") + R"({"ph": "X", "name": "span )" + std::to_string(i) +
                R"(", "pid": 1, "tid": 1, "ts": )" + std::to_string(10 * i) + R"(, "dur": 5})";
    }
    return events + "]";
  }
};

TEST_F(ProfileTraceVerb, OfMinusOneRowsShowsAll) {
  write("it.json", spans(120));
  EXPECT_THAT(profile({}).out, HasSubstr("and 20 more rows\n"));
  for (const std::vector<std::string>& all : {std::vector<std::string>{"--rows", "-1"}, {"--rows=-1"}}) {
    const Outcome outcome = profile(all);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("span 119 "), Not(HasSubstr("more rows"))));
  }
  for (const char* wrong : {"-2", "0", "all", "-1x"}) {
    const Outcome outcome = profile({"--rows", wrong});
    EXPECT_EQ(outcome.status, 3) << wrong;
    EXPECT_THAT(outcome.err, HasSubstr("--rows")) << wrong;
  }
  write("other.json", spans(40));
  EXPECT_THAT(run({"profile", "diff", "it.json", "other.json"}).out, HasSubstr("more rows"));
  EXPECT_THAT(run({"profile", "diff", "it.json", "other.json", "--rows", "-1"}).out, Not(HasSubstr("more rows")));
}

TEST_F(ProfileTraceVerb, OfMinusOneRowsShowsAllFunctionsOfCounts) {
  std::string functions = "events: Ir\n\nob=/b/bench\nfl=/s/a.cpp\n";
  for (int i = 0; i < 40; ++i)
    functions += "fn=function_" + std::to_string(i) + "\n" + std::to_string(i + 1) + " 7\n\n";
  write("callgrind.out", functions + "totals: 280\n");
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--lines"}}) {
    std::vector<std::string> words{"profile", "--read", "callgrind", "callgrind.out"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_THAT(run(words).out, HasSubstr("and 10 more"));
    words.insert(words.end(), {"--rows", "-1"});
    EXPECT_THAT(run(words).out, AllOf(HasSubstr("function_39"), Not(HasSubstr(" more"))));
  }
}

TEST_F(ProfileTraceVerb, WhatShapesATableIsNotDroppedInSilenceBesideAFile) {
  write("it.json", spans(3));
  const std::vector<std::vector<std::string>> shaping{{"--by-shapes"},    {"--by-stack", "2"},      {"--by-process"},
                                                      {"--roots"},        {"--sort", "total"},      {"--rows", "2"},
                                                      {"--widths", "20"}, {"--table-format", "csv"}};
  for (const std::vector<std::string>& option : shaping) {
    std::vector<std::string> words{"--folded", "stacks"};
    words.insert(words.end(), option.begin(), option.end());
    const Outcome outcome = profile(words);
    EXPECT_EQ(outcome.status, 3) << option.front();
    EXPECT_THAT(outcome.err, HasSubstr(option.front() + ": found files to write, wanted a table")) << option.front();
  }
  const Outcome both = profile({"--folded", "stacks", "--by-shapes", "--sort", "total", "--json"});
  EXPECT_EQ(both.status, 0) << both.err;
  EXPECT_EQ(nlohmann::json::parse(both.out).at("rows").size(), 3U);
}

// Which have every row whole whatever is asked of a table, of all that the verb reads.
TEST_F(ProfileTraceVerb, JsonAndCsvAreNotCut) {
  write("it.json", spans(3));
  write("other.json", spans(3));
  write("callgrind.out", "events: Ir\n\nob=/b/bench\nfl=/s/a.cpp\nfn=f\n1 7\n\nfn=g\n2 7\n\ntotals: 14\n");
  const std::vector<std::vector<std::string>> read{
      {"--read", "chrome", "it.json"}, {"diff", "it.json", "other.json"}, {"--read", "callgrind", "callgrind.out"}};
  for (std::vector<std::string> words : read) {
    words.insert(words.begin(), "profile");
    words.emplace_back("--json");
    const Outcome whole = run(words);
    words.insert(words.end(), {"--rows", "1"});
    const Outcome cut = run(words);
    EXPECT_EQ(cut.status, 0) << cut.err;
    EXPECT_EQ(cut.out, whole.out);
  }
  EXPECT_EQ(profile({"--json", "--widths", "9", "--table-format", "csv"}).out, profile({"--json"}).out);
  EXPECT_EQ(profile({"--table-format", "csv", "--widths", "9", "--rows", "1"}).out,
            profile({"--table-format", "csv"}).out);
}

TEST_F(ProfileTraceVerb, OfATraceWithWrongValuesShowsTheRestAndSaysWhatIsMissing) {
  write("it.json", R"({"traceEvents": [
    {"ph": "X", "name": "kept", "pid": 1, "tid": 1, "ts": 1, "dur": 2},
    {"ph": "X", "name": "lost", "pid": 1, "tid": 1, "ts": 5, "dur": -1},
    {"ph": "X", "name": "lost", "pid": 1, "tid": 1, "ts": NaN, "dur": 1},
    {"ph": "X", "name": "half \ud83d", "pid": 1, "tid": 1, "ts": 9, "dur": 1},
    {"ph": "i", "name": "[memory]", "pid": 1, "tid": 1, "ts": 9, "args": {"Bytes": NaN}}]})");
  const Outcome table = profile({});
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_THAT(table.out, AllOf(HasSubstr("\nkept "), HasSubstr("\nhalf \ufffd "), Not(HasSubstr("lost")),
                               HasSubstr("1 span ended before they began"), HasSubstr("1 event without a time"),
                               HasSubstr("1 change of memory"), HasSubstr("1 place of the file told as U+FFFD")));
  const auto json = nlohmann::json::parse(profile({"--json"}).out);
  EXPECT_EQ(json.at("backwards"), 1);
  EXPECT_EQ(json.at("unreadable"), 1);
  EXPECT_EQ(json.at("memory_excluded"), 1);
  // What is missing stays missing in what is written of it.
  EXPECT_EQ(profile({"--chrome", "again.json"}).status, 0);
  const auto again = nlohmann::json::parse(run({"profile", "--read", "chrome", "again.json", "--json"}).out);
  EXPECT_EQ(again.at("backwards"), 1);
  EXPECT_EQ(again.at("unreadable"), 1);
  EXPECT_EQ(again.at("memory_excluded"), 1);
}

}  // namespace
}  // namespace steelyard::ci::profile_trace_verb_test

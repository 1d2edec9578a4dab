#include <gmock/gmock.h>

#include "tests/ci/verbs/program_under_test.hpp"

namespace steelyard::ci::compare_table_verb_test {
namespace {

using testing::HasSubstr;
using testing::Not;

class CompareTableVerb : public ProgramUnderTest {
 protected:
  // Twelve invocations of one side; the second takes longer.
  static void write_invocations(const std::filesystem::path& side, double time) {
    for (int i = 0; i < 12; ++i) {
      write(side / (std::to_string(100 + i) + ".json"), google_json(time * (1 + 0.002 * ((i * 7) % 5))));
    }
  }
  void SetUp() override {
    ProgramUnderTest::SetUp();
    write_invocations("fast", 100);
    write_invocations("slow", 120);
    write_invocations("same", 100.01);
  }
};

TEST_F(CompareTableVerb, PutsTheSidesNextToEachOther) {
  const Outcome outcome = run({"compare", "--table", "fast", "slow", "same", "--ascii"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("fast"));
  EXPECT_THAT(outcome.out, HasSubstr("best"));
  EXPECT_THAT(outcome.out, HasSubstr("+20%"));
  EXPECT_THAT(outcome.out, HasSubstr("~"));
  EXPECT_THAT(outcome.out, HasSubstr("median of one invocation"));
}

TEST_F(CompareTableVerb, ComparesWithANamedSide) {
  const Outcome outcome = run({"compare", "--table", "fast", "slow", "--against", "slow", "--quiet"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("base"));
  EXPECT_THAT(outcome.out, HasSubstr("-17%"));
  EXPECT_EQ(outcome.err, "");
  const Outcome typed = run({"compare", "--table", "./fast", "./slow", "--against", "./slow", "--quiet"});
  EXPECT_EQ(typed.out, outcome.out) << typed.err;
  const Outcome unknown = run({"compare", "--table", "fast", "slow", "--against", "slo"});
  EXPECT_EQ(unknown.status, 3);
  EXPECT_THAT(unknown.err, HasSubstr("it has fast, slow"));
}

TEST_F(CompareTableVerb, OneProcessASideSaysWhatItCannotKnow) {
  write("a.json", google_json(100));
  const Outcome outcome = run({"compare", "--table", "a.json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("samples of one process"));
}

TEST_F(CompareTableVerb, AWordBehindMarkdownIsASideUnlessItIsNamedAsMarkdown) {
  const Outcome printed = run({"compare", "--table", "fast", "slow", "--markdown"});
  EXPECT_EQ(run({"compare", "--table", "--markdown", "fast", "slow"}).out, printed.out);
  const Outcome beside = run({"compare", "--table", "--markdown", "table.md", "fast", "slow"});
  EXPECT_EQ(beside.status, 0) << beside.err;
  EXPECT_THAT(beside.out, Not(HasSubstr("|---|")));
  EXPECT_EQ(text_of("table.md"), printed.out);
  EXPECT_EQ(run({"compare", "--table", "fast", "slow", "--json", "--markdown=table.txt"}).status, 0);
  EXPECT_EQ(text_of("table.txt"), printed.out);
}

TEST_F(CompareTableVerb, WritesEveryFormat) {
  EXPECT_THAT(run({"compare", "--table", "fast", "slow", "--table-format", "markdown"}).out, HasSubstr("|---|---:|"));
  EXPECT_THAT(run({"compare", "--table", "fast", "slow", "--markdown"}).out, HasSubstr("|---|---:|"));
  EXPECT_THAT(run({"compare", "--table", "fast", "slow", "--html", "table.html"}).out, HasSubstr("BM_"));
  EXPECT_EQ(text_of("table.html"), run({"compare", "--table", "fast", "slow", "--table-format", "html"}).out);
  EXPECT_THAT(run({"compare", "--table", "fast", "slow", "--table-format=csv"}).out, HasSubstr("median [ns]"));
  EXPECT_THAT(run({"compare", "--table", "fast", "slow", "--table-format=html"}).out, HasSubstr("<!doctype html>"));
  const Outcome json = run({"compare", "--table", "fast", "slow", "--json"});
  EXPECT_EQ(json.status, 0);
  EXPECT_THAT(json.out, HasSubstr("\"schema\": \"steelyard.table/1\""));
  EXPECT_THAT(json.out, HasSubstr("\"standing\": \"worse\""));
  EXPECT_EQ(run({"compare", "--table", "fast", "slow", "--output", "t.html", "--table-format", "html"}).out, "");
  EXPECT_THAT(text_of("t.html"), HasSubstr("</html>"));
}

TEST_F(CompareTableVerb, ShowsNamesAsTheProgramGaveThem) {
  std::string text = google_json(100);
  for (std::size_t at = 0; (at = text.find("BM_x", at)) != std::string::npos; at += 10)
    text.replace(at, 4, "BM_x [hot]");
  write("odd.json", text);
  for (const char* format : {"text", "markdown", "csv", "html"}) {
    const std::string out = run({"compare", "--table", "odd.json", "--table-format", format}).out;
    EXPECT_THAT(out, Not(HasSubstr("%5B"))) << format;
    EXPECT_THAT(out, HasSubstr("hot")) << format;
  }
  EXPECT_THAT(run({"compare", "--table", "odd.json", "--json"}).out, HasSubstr("%5B")) << "an identity stays";
}

TEST_F(CompareTableVerb, PrintsTheReferenceTable) {
  const Outcome outcome = run({"compare", "--table", "fast", "slow", "--reference-style"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("1 threads: ---"));
  EXPECT_THAT(outcome.out, HasSubstr("Times are in nanoseconds (ns)."));
}

TEST_F(CompareTableVerb, ComparesArchives) {
  ASSERT_EQ(run({"export", "fast", "--output", "fast.syrun"}).status, 0);
  ASSERT_EQ(run({"export", "slow", "--output", "slow.syrun"}).status, 0);
  EXPECT_THAT(run({"compare", "--table", "fast.syrun", "slow.syrun"}).out, HasSubstr("+20%"));
}

TEST_F(CompareTableVerb, MarksNothingThatCompareCannotJudge) {
  ASSERT_EQ(run({"export", "fast", "--output", "fast.syrun"}).status, 0);
  ASSERT_EQ(run({"export", "slow", "--output", "slow.syrun"}).status, 0);
  ASSERT_THAT(run({"compare", "fast.syrun", "slow.syrun"}).out, HasSubstr("drift between the sides could explain"));
  const std::string apart = run({"compare", "--table", "fast.syrun", "slow.syrun"}).out;
  EXPECT_THAT(apart,
              testing::AllOf(HasSubstr("+20%?"), Not(HasSubstr("% best")), HasSubstr("none that steelyard compare")));
  EXPECT_THAT(run({"compare", "--table", "fast.syrun", "slow.syrun", "--against", "slow.syrun"}).out,
              HasSubstr("-17%?"));
  const std::string json = run({"compare", "--table", "fast.syrun", "slow.syrun", "--json"}).out;
  EXPECT_THAT(json, testing::AllOf(HasSubstr("\"standing\": \"undecidable\""), HasSubstr("\"standing\": \"leading\"")));
  for (const auto& [side, time] : {std::pair("a.json", 100.0), std::pair("b.json", 101.2)}) {
    std::string records;
    for (int i = 0; i < 20; ++i) {
      const std::string value = std::to_string(time * (1 + 0.0001 * ((i * 7) % 20)));
      records += std::string(i == 0 ? "" : ",") + R"({"name":"BM_x","run_name":"BM_x","run_type":"iteration",)" +
                 R"("repetitions":20,"repetition_index":)" + std::to_string(i) +
                 R"(,"threads":1,"iterations":1000,"real_time":)" + value + R"(,"cpu_time":)" + value +
                 R"(,"time_unit":"ns"})";
    }
    const std::string one = google_json(time);
    const std::size_t begin = one.find("\"benchmarks\":[") + 14;
    write(side, one.substr(0, begin) + records + "]}\n");
  }
  EXPECT_THAT(run({"compare", "--table", "a.json", "b.json"}).out, HasSubstr("+1.2%?")) << "of one process a side";
}

TEST_F(CompareTableVerb, SaysWhatIsWrong) {
  const auto error_of = [](const std::vector<std::string>& arguments) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 3) << outcome.out;
    return outcome.err;
  };
  EXPECT_THAT(error_of({"compare", "--table"}), HasSubstr("wanted 1 to 20 sides"));
  EXPECT_THAT(error_of({"compare", "--table", "fast", "absent"}), HasSubstr("absent: found no such file"));
  EXPECT_THAT(error_of({"compare", "fast", "slow", "--rowwise"}), HasSubstr("--rowwise without --table"));
  EXPECT_THAT(error_of({"compare", "fast", "slow", "same"}), HasSubstr("wanted BASELINE CANDIDATE"));
  EXPECT_THAT(error_of({"compare", "--table", "fast", "--rowwise", "--columnwise"}), HasSubstr("wanted one of them"));
  EXPECT_THAT(error_of({"compare", "--table", "fast", "--table-format", "pdf"}), HasSubstr("--table-format"));
  EXPECT_THAT(error_of({"compare", "--table", "fast", "--markdown", "--json"}), HasSubstr("--markdown and --json"));
  EXPECT_THAT(error_of({"compare", "--table", "fast", "--markdown", "--table-format", "csv"}),
              HasSubstr("--markdown and --table-format"));
  EXPECT_THAT(error_of({"compare", "--table", "fast", "--markdown", "--reference-style"}), HasSubstr("wanted text"));
  EXPECT_THAT(error_of({"compare", "--table", "fast", "--metric", "bananas"}), HasSubstr("no measurement of any"));
  std::string counting = google_json(100);
  for (std::size_t at = 0; (at = counting.find("\"time_unit\"", at)) != std::string::npos; at += 20) {
    counting.insert(at, "\"foo\":3,");
  }
  write("counting.json", counting);
  EXPECT_THAT(error_of({"compare", "--table", "counting.json", "--metric", "foo", "--reference-style"}),
              HasSubstr("no time in any side"));
  std::vector<std::string> many{"compare", "--table"};
  many.insert(many.end(), 21, "fast");
  EXPECT_THAT(error_of(many), HasSubstr("21 sides"));
}

TEST_F(CompareTableVerb, ATableWithoutColourHasNoCodes) {
  EXPECT_THAT(run({"compare", "--table", "fast", "slow"}).out, Not(HasSubstr("\x1b[")));
  EXPECT_THAT(run({"compare", "--table", "fast", "slow", "--color", "always"}).out, HasSubstr("\x1b["));
}

}  // namespace
}  // namespace steelyard::ci::compare_table_verb_test

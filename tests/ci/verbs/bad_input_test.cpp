// Each kind of bad input: one clear error that says where and what, the exit status of docs/reference/verdicts.md, and
// no exception.
#include <gmock/gmock.h>

#include "tests/ci/verbs/program_under_test.hpp"
#include "tests/storage/archive/archive_bomb.hpp"

namespace steelyard::ci::bad_input_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class BadInput : public ProgramUnderTest {
 protected:
  static void expect_refused(const Outcome& outcome, const testing::Matcher<const std::string&>& message) {
    EXPECT_EQ(outcome.status, 3);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, message);
    EXPECT_TRUE(outcome.err.starts_with("steelyard: ")) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
};

TEST_F(BadInput, AnUnknownOptionNamesTheNearestOne) {
  expect_refused(run({"ab", "a", "b", "--minimum-efect", "1%"}), HasSubstr("did you mean --minimum-effect?"));
}

TEST_F(BadInput, AnUnknownKeyOfTheConfigurationNamesItsLineAndTheNearestOne) {
  write("steelyard.toml", "[run]\nrounds = 12\nmin_tme = \"2s\"\n");
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"config"}, {"config", "check"}, {"gate"}, {"compare", "a", "b"}, {"history"}, {"db", "status"}}) {
    expect_refused(run(arguments), AllOf(HasSubstr("steelyard.toml:3: [run]"), HasSubstr("write \"min_time\"")));
  }
}

TEST_F(BadInput, ABadOptionValueNamesTheOption) {
  expect_refused(run({"compare", "a", "b", "--margin", "7"}), AllOf(HasSubstr("--margin"), HasSubstr("\"7%\"")));
  expect_refused(run({"run", "--min-time", "2", "--", "x"}), AllOf(HasSubstr("--min-time"), HasSubstr("\"2s\"")));
}

TEST_F(BadInput, AStoreThatIsNoAddressIsFoundBeforeAnythingIsMeasured) {
  expect_refused(run({"ab", fixture("fast"), fixture("fast"), "--store", "mysql://x"}), HasSubstr("--store"));
  setenv("STEELYARD_STORE", "sqlite", 1);
  expect_refused(run({"run", "--", fixture("fast")}), HasSubstr("STEELYARD_STORE"));
}

TEST_F(BadInput, AProgramThatIsToRecordWhileItIsTimedForAVerdictIsRefused) {
  const auto is_told = AllOf(HasSubstr("--steelyard_profile among its arguments"), HasSubstr("leave it out"));
  const std::string option = "--steelyard_profile=it.spans";
  expect_refused(run({"ab", fixture("fast"), fixture("fast"), "--no-store", "--", option}), is_told);
  expect_refused(run({"run", "--no-store", "--", fixture("fast"), option}), is_told);
  expect_refused(run({"run", "--no-store", "--command", fixture("fast") + " " + option}), is_told);
}

TEST_F(BadInput, AFileThatIsNoExecutableIsNamed) {
  write("notes.txt", "hello\n");
  expect_refused(run({"ab", "notes.txt", fixture("fast"), "--no-store"}), HasSubstr("notes.txt"));
  expect_refused(run({"run", "--no-store", "--", "./missing"}), HasSubstr("missing"));
  expect_refused(run({"run", "--no-store", "--", "true"}),
                 AllOf(HasSubstr("found no such file here"), HasSubstr("/true\n")));
}

TEST_F(BadInput, AFileThatIsThereAndCannotBeOpenedIsNotCalledAbsent) {
  std::filesystem::create_symlink("loop.syrun", "loop.syrun");
  expect_refused(run({"compare", "loop.syrun", "loop.syrun"}),
                 HasSubstr("loop.syrun: found Too many levels of symbolic links"));
  expect_refused(run({"compare", "absent.syrun", "absent.syrun"}), HasSubstr("absent.syrun: found no such file"));
}

TEST_F(BadInput, AnExecutableThatIsNoBenchmarkProgramIsNamed) {
  const Outcome outcome = run({"run", "--no-store", "--", "/bin/true"});
  EXPECT_EQ(outcome.status, 3) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("/bin/true"));
}

TEST_F(BadInput, AFilterThatIsNoRegularExpressionIsNotTakenForOneThatMatchesNothing) {
  expect_refused(run({"ab", fixture("fast"), fixture("fast"), "--no-store", "--filter", "("}),
                 HasSubstr("--filter: found \"(\", which is no regular expression"));
}

TEST_F(BadInput, TwoNamesThatAreNeitherFilesNorCommitsSayWhatWasTried) {
  const Outcome outcome = run({"ab", "old", "new"});
  expect_refused(outcome, AllOf(HasSubstr("\"old\""), HasSubstr("\"new\""), HasSubstr("commits")));
  std::filesystem::create_directories("old");
  std::filesystem::create_directories("new");
  expect_refused(run({"ab", "old", "./new"}), AllOf(HasSubstr("found two folders, \"old\" and \"./new\""),
                                                    HasSubstr("name the program in each"), HasSubstr("--command")));
}

TEST_F(BadInput, JsonThatEndsInTheMiddleNamesTheFile) {
  const std::string whole = google_json(100);
  write("base.json", whole);
  write("cut.json", whole.substr(0, whole.size() / 2));
  expect_refused(run({"compare", "base.json", "cut.json"}), HasSubstr("cut.json"));
  expect_refused(run({"import", "google-benchmark", "cut.json"}), HasSubstr("cut.json"));
}

TEST_F(BadInput, ACommitThatOnlyARepositoryCouldNameIsNotKeptUnderThatName) {
  write("base.json", google_json(100));
  for (const char* name : {"HEAD", "HEAD~1", "@", "main^", "HAED", "deadbeef"}) {
    expect_refused(run({"import", "base.json", "--commit", name}),
                   AllOf(HasSubstr(std::string("--commit: found ") + name), HasSubstr("no git repository here")));
  }
}

TEST_F(BadInput, AFileOfAnotherKindNamesWhatIsTaken) {
  write("base.json", google_json(100));
  expect_refused(run({"compare", "base.json", "nowhere"}), AllOf(HasSubstr("nowhere"), HasSubstr("run:ID")));
}

TEST_F(BadInput, AnArchiveWithOneByteFlippedIsRefusedByName) {
  write("base.json", google_json(100));
  ASSERT_EQ(run({"export", "base.json", "--output", "good.syrun"}).status, 0);
  const std::string good = text_of("good.syrun");
  ASSERT_GT(good.size(), 100U);
  EXPECT_EQ(run({"compare", "good.syrun", "good.syrun"}).err, "");
  for (const std::size_t at : {std::size_t{2}, std::size_t{9}, good.size() / 2, good.size() - 1}) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x20);
    write("bad.syrun", bad);
    expect_refused(run({"compare", "good.syrun", "bad.syrun"}), HasSubstr("bad.syrun"));
  }
}

TEST_F(BadInput, AnArchiveOfKilobytesThatNeedsGigabytesIsRefusedWithTheMemoryThatItMayHave) {
  write("bomb.syrun", storage_test::archive_bomb());
  expect_refused(run({"export", "bomb.syrun"}),
                 AllOf(HasSubstr("bomb.syrun"), HasSubstr("needs more memory than the 512 MiB"),
                       HasSubstr("STEELYARD_ARCHIVE_MEMORY_MIB=2048 allows more")));
}

TEST_F(BadInput, AProfileThatIsNoneIsRefused) {
  write("callgrind.out.1", "this is no profile\n");
  expect_refused(run({"profile", "--read", "callgrind", "callgrind.out.1"}), HasSubstr("callgrind.out.1"));
}

TEST_F(BadInput, AGateWithoutAProgramOrARepositorySaysWhatIsMissing) {
  expect_refused(run({"gate"}), AllOf(HasSubstr("[[program]]"), HasSubstr("steelyard config init")));
  expect_refused(run({"gate", "--bench", "build/bench"}), HasSubstr("no git repository"));
}

TEST_F(BadInput, AReportThatCannotBeWrittenIsNoSuccess) {
  write("base.json", google_json(100));
  const Outcome outcome = run({"compare", "base.json", "base.json", "--output", "no/such/folder/report.txt"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("no/such/folder/report.txt"));
}

}  // namespace
}  // namespace steelyard::ci::bad_input_test

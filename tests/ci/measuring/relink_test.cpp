// A real program of five object files, linked again in other orders by the script of docs/method/code_layout.md.
#include "ci/measuring/relink.hpp"

#include <gmock/gmock.h>

#include <iterator>
#include <set>
#include <sstream>

#include "bench/environment/elf_file.hpp"
#include "bench/runner/child_process.hpp"
#include "ci/measuring/time_programs.hpp"
#include "tests/ci/git/temporary_repository.hpp"
#include "tests/ci/verbs/program_under_test.hpp"

namespace steelyard::ci::relink_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The shell script that a page shows: what stands between the fence that follows `words` and the next.
std::string script_of_page(const std::string& page, const std::string& words) {
  const std::string fence = "```sh\n";
  const std::size_t begin = page.find(fence, page.find(words));
  if (begin == std::string::npos) return "";
  return page.substr(begin + fence.size(), page.find("```", begin + fence.size()) - begin - fence.size());
}

class Relink : public ProgramUnderTest {
 protected:
  void SetUp() override {
    ProgramUnderTest::SetUp();
    std::ifstream page(std::string(STEELYARD_SOURCE_FOLDER) + "/docs/method/code_layout.md");
    const std::string script = script_of_page({std::istreambuf_iterator<char>(page), {}}, "shuffled_link.sh");
    ASSERT_THAT(script, HasSubstr("STEELYARD_LAYOUT_SEED"));
    write("shuffled_link.sh", script);
    settings_.relinks = 3;
    settings_.seed = 5;
    settings_.timeout = seconds(60);
    settings_.relink = "sh ./shuffled_link.sh " + link_of(RELINK_OBJECTS, "ignored");
    for (const char* side : {"old", "new"}) {
      write(std::filesystem::path(side) / "note", "");
      shell(link_of(RELINK_OBJECTS, std::string(side) + "/bench"));
    }
  }
  static std::string link_of(const std::string& objects, const std::string& output) {
    return std::string(RELINK_CXX) + " " + objects + " -o " + output + " " + RELINK_LIBRARIES;
  }
  static void shell(const std::string& command) {
    bench::ChildCommand child;
    child.executable = "/bin/sh";
    child.arguments = {"-c", command};
    child.environment = bench::child_environment({});
    const Result<bench::ChildResult> done = bench::run_child(child);
    ASSERT_TRUE(done && done->succeeded()) << command << '\n' << (done ? done->error_output : done.error().text());
  }
  static bench::Program program_at(const std::string& path) {
    bench::Program program;
    program.executable = path;
    return program;
  }
  ListedPair listed(const std::string& baseline = "old/bench", const std::string& candidate = "new/bench") const {
    Result<ListedPair> pair = list_pair({program_at(baseline), program_at(candidate)}, settings_, nullptr);
    EXPECT_TRUE(pair) << pair.error().text();
    return pair ? std::move(pair).value() : ListedPair{};
  }
  // The error that the command gives; empty: none.
  std::string error_of(const std::string& command) {
    settings_.relink = command;
    ListedPair pair = listed();
    const Result<bench::PrivateFolder> done = relink(pair, settings_, nullptr);
    EXPECT_THAT(pair.baseline.program.layouts, IsEmpty());
    if (done) return "";
    EXPECT_EQ(done.error().kind, ErrorKind::input) << done.error().text();
    return done.error().text();
  }
  static std::string loaded(const std::filesystem::path& program) {
    const auto file = bench::MappedFile::open(program);
    if (!file) return "";
    const auto sections = bench::read_loaded_sections(file->bytes());
    return sections ? sections->sha256 : "";
  }

  bench::MeasuringSettings settings_;
};

TEST_F(Relink, GivesBothSidesDifferentProgramsOfTheSameSeedsForAsLongAsTheFolderLives) {
  ListedPair pair = listed();
  std::filesystem::path somewhere;
  {
    const Result<bench::PrivateFolder> folder = relink(pair, settings_, nullptr);
    ASSERT_TRUE(folder) << folder.error().text();
    const auto& baseline = pair.baseline.program.layouts;
    const auto& candidate = pair.candidate.program.layouts;
    ASSERT_THAT(baseline, SizeIs(3));
    ASSERT_THAT(candidate, SizeIs(3));
    std::set<std::string> programs;
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(baseline[i].seed, candidate[i].seed);
      programs.insert(loaded(baseline[i].executable));
      // The sides are one program here, so the same seed must have made the same of it.
      EXPECT_EQ(loaded(baseline[i].executable), loaded(candidate[i].executable));
      EXPECT_EQ(baseline[i].executable.filename(), "bench");
    }
    EXPECT_THAT(programs, SizeIs(3)) << "each another order";
    somewhere = baseline[0].executable;
  }
  EXPECT_FALSE(std::filesystem::exists(somewhere));
}

TEST_F(Relink, GivesOtherSeedsToASideThatIsTheSameFile) {
  ListedPair pair = listed("old/bench", "./old/../old/bench");
  const Result<bench::PrivateFolder> folder = relink(pair, settings_, nullptr);
  ASSERT_TRUE(folder) << folder.error().text();
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NE(pair.baseline.program.layouts[i].seed, pair.candidate.program.layouts[i].seed);
  }
}

TEST_F(Relink, RefusesACommandThatFailsHangsOrYieldsNothing) {
  EXPECT_THAT(
      error_of("echo no linker here >&2; exit 3"),
      AllOf(HasSubstr("--relink, the baseline with seed "), HasSubstr("exited with 3"), HasSubstr("no linker here")));
  EXPECT_THAT(error_of("true"), HasSubstr("nothing at $STEELYARD_OUTPUT"));
  EXPECT_THAT(error_of("echo text > \"$STEELYARD_OUTPUT\""), HasSubstr("wanted a program"));
  settings_.timeout = milliseconds(700);
  EXPECT_THAT(error_of("sleep 60"), HasSubstr("ran past its limit"));
}

TEST_F(Relink, RefusesOtherCodeAndOtherBenchmarks) {
  EXPECT_THAT(error_of(link_of(RELINK_OTHER_BENCHMARK, "\"$STEELYARD_OUTPUT\"")),
              HasSubstr("a program without BM_third"));
  EXPECT_THAT(error_of(link_of(RELINK_OTHER_CODE, "\"$STEELYARD_OUTPUT\"")),
              AllOf(HasSubstr("same code"), HasSubstr("other functions"), HasSubstr("more")))
      << "its benchmarks have the same names";
}

TEST_F(Relink, RefusesACommandThatTakesNoNoticeOfTheSeed) {
  EXPECT_THAT(error_of("cp \"$STEELYARD_PROGRAM\" \"$STEELYARD_OUTPUT\""),
              AllOf(HasSubstr("1 different programs by 12 seeds"), HasSubstr("measure without --relink")));
}

TEST_F(Relink, ChangesNothingWhereItIsInterrupted) {
  const std::atomic<bool> cancelled{true};
  ListedPair pair = listed();
  const Result<bench::PrivateFolder> folder = relink(pair, settings_, &cancelled);
  EXPECT_TRUE(folder);
  EXPECT_THAT(pair.baseline.program.layouts, IsEmpty());
}

TEST_F(Relink, ShowsWhatLayoutMakesOfAChangeInAReport) {
  const Outcome done = run({"ab",
                            "old/bench",
                            "new/bench",
                            "--relink",
                            settings_.relink,
                            "--relinks",
                            "2",
                            "--rounds",
                            "8",
                            "--repetitions",
                            "1",
                            "--min-time",
                            "1ms",
                            "--counts",
                            "never",
                            "--no-store",
                            "--json",
                            "--explain",
                            "all",
                            "--layout",
                            "interleaved",
                            "--archive-dir",
                            "kept"});
  EXPECT_TRUE(done.status == 0 || done.status == 1) << done.err;
  EXPECT_THAT(done.out,
              AllOf(HasSubstr("\"code_layouts\": 2"), HasSubstr("\"over_code_layouts\": ["),
                    HasSubstr("code layout: over 2 code layouts "), HasSubstr("\"code_layout_seeds\": \""),
                    HasSubstr("\"relink\": \"sh ./shuffled_link.sh"), HasSubstr("averaged over 2 layouts a build")));
  const Outcome verified = run({"verify", "kept"});
  EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
}

TEST_F(Relink, OfACalibrationGivesEachGateLayoutsOfItsOwn) {
  const Outcome done =
      run({"calibrate", "old/bench", "--gates", "6", "--rounds", "6", "--min-time", "1ms", "--layout", "interleaved",
           "--relink", "echo $STEELYARD_LAYOUT_SEED >> " + (folder_ / "seeds").string() + "; " + settings_.relink,
           "--relinks", "2", "--output", "c.json"});
  ASSERT_LE(done.status, 1) << done.err;
  EXPECT_THAT(text_of("c.json"), HasSubstr("\"tries\": 6"));
  std::istringstream lines(text_of("seeds"));
  const std::set<std::string> seeds{std::istream_iterator<std::string>(lines), {}};
  EXPECT_GE(seeds.size(), 6U * 2 * 2) << "two layouts of each copy, other ones in every gate";
}

TEST_F(Relink, OfAGateLinksTheCommitsThatItBuilt) {
  const TemporaryRepository made;
  made.write("shuffled_link.sh", text_of("shuffled_link.sh"));
  made.write("build.sh", "mkdir -p out && " + link_of(RELINK_OBJECTS, "out/bench") + "\n");
  made.write("steelyard.toml",
             "[project]\nname = \"fixture\"\n[build]\ncommand = \"sh build.sh\"\n[[program]]\nname = \"bench\"\n"
             "command = \"out/bench\"\n[run]\nmin_time = \"1ms\"\nrounds = 8\ncounts = \"never\"\nrelinks = 2\n"
             "relink = '" +
                 settings_.relink + "'\n[policy]\nminimum_effect = 0.5\n");
  made.commit("start");
  made.write("build.sh", "mkdir -p out && " + link_of(RELINK_OBJECTS, "out/bench") + " # again\n");
  made.commit("build again");
  std::filesystem::current_path(made.root());
  const Outcome done = run({"gate", "--no-store", "--json"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, AllOf(HasSubstr("\"code_layouts\": 2"), HasSubstr("\"relink\": \"sh ./shuffled_link.sh"),
                              HasSubstr("\"subject\": \"build again\"")));
}

TEST_F(Relink, ThatCannotBeDoneIsWrongInputAndNothingIsMeasured) {
  const Outcome done = run({"ab", "old/bench", "new/bench", "--relink", "exit 3", "--no-store"});
  EXPECT_EQ(done.status, 3);
  EXPECT_THAT(done.err, HasSubstr("--relink, the baseline with seed "));
}

}  // namespace
}  // namespace steelyard::ci::relink_test

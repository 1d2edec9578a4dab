// A gate one of whose sides cannot be built, or run, as the other one's steelyard.toml says; and what a gate leaves
// that ended before it compared anything.
#include <gmock/gmock.h>

#include <set>

#include "ci/git/repository.hpp"
#include "ci/report/ended_gate.hpp"
#include "storage/archive/archive.hpp"
#include "storage/comparison/comparison_document.hpp"
#include "tests/ci/verbs/gate_repository.hpp"

namespace steelyard::ci::gate_sides_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class GateSides : public Gate {
 protected:
  // steelyard.toml with another text in the place of `from`; it is committed with what follows.
  void replace_in_file(const std::string& from, const std::string& to) {
    std::string file = text_of("steelyard.toml");
    ASSERT_NE(file.find(from), std::string::npos);
    made_.write("steelyard.toml", file.replace(file.find(from), from.size(), to));
  }
  // Whatever two rounds of it came to.
  static void expect_both_sides_measured(const Outcome& outcome) {
    EXPECT_THAT(outcome.status, testing::AnyOf(0, 1, 2)) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("\"benchmark\": \"BM_varied\"")) << outcome.err;
    for (const char* const verdict : {"new", "missing", "failed"}) {
      EXPECT_THAT(outcome.out, Not(HasSubstr("\"verdict\": \"" + std::string(verdict) + '"')));
    }
  }
  std::string short_sha(const std::string& name) const {
    const Result<GitRepository> repository = GitRepository::find(made_.root());
    return repository->resolve(name)->substr(0, 9);
  }
};

TEST_F(GateSides, OfAWrongPathTakeThatOfTheCandidateWhichMendsIt) {
  replace_in_file("out/bench", "out/bnech");
  commit("misspell the path", "fast");
  const Outcome broken = gate({"--rounds", "2", "--json"});
  EXPECT_THAT(broken.status, testing::AnyOf(0, 2)) << broken.err;
  EXPECT_THAT(broken.out,
              HasSubstr("the candidate's steelyard.toml names out/bnech, which its own build does not make"));
  commit("another change", "fast");
  const Outcome later = gate();
  EXPECT_EQ(later.status, 3);
  EXPECT_THAT(later.err, AllOf(HasSubstr("out/bnech"),
                               HasSubstr("neither in " + short_sha("HEAD^1") + " nor in " + short_sha("HEAD")),
                               HasSubstr("a commit that corrects it in steelyard.toml")));
  replace_in_file("out/bnech", "out/bench");
  commit("mend the path, and make it slow", "slow");
  const Outcome mended = gate();
  EXPECT_EQ(mended.status, 1) << mended.err << mended.out;
  EXPECT_THAT(mended.out, HasSubstr("the baseline has no out/bnech"));
}

TEST_F(GateSides, OfARenamedTargetAreMeasuredEachByItsOwnPathWithTheBaselinesArguments) {
  replace_in_file("out/bench", "out/renamed --benchmark_filter=none");
  commit_script("rename the target", "mkdir -p out && cp '" + fixture("slow") + "' out/renamed");
  const Outcome outcome = gate({"--rounds", "2", "--json"});
  EXPECT_THAT(outcome.out, HasSubstr("the candidate has no out/bench, which the baseline's steelyard.toml names, so "
                                     "out/renamed of the candidate's is measured there"));
  expect_both_sides_measured(outcome);
}

TEST_F(GateSides, SayOfAProgramThatNeitherCommitNamesThatTheWorkTreesFileDoes) {
  commit("another change", "fast");
  made_.write("steelyard.toml", text_of("steelyard.toml") + "\n[[program]]\nname = \"py\"\ncommand = \"./tool.py\"\n");
  const Outcome outcome = gate();
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("steelyard.toml of the work tree, [[program]] \"py\", "),
                                 HasSubstr("neither in " + short_sha("HEAD^1") + " nor in " + short_sha("HEAD")),
                                 HasSubstr("check out " + short_sha("HEAD") + ", whose own steelyard.toml")));
}

// Else a request could have the baseline's program measured as its own.
TEST_F(GateSides, TakeNoProgramOfTheOtherSidesTreeForARenamedOne) {
  replace_in_file("out/bench", "../base/out/bench");
  commit_script("point at the baseline", "true");
  const Outcome outcome = gate();
  EXPECT_EQ(outcome.status, 4) << outcome.out;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("no such file after the candidate's build"), Not(HasSubstr("is measured"))));
}

TEST_F(GateSides, TakeTheBaselinesOwnBuildCommandWhereTheCandidatesDoesNotBuildIt) {
  replace_in_file("sh build.sh", "sh make.sh");
  made_.write("make.sh", "mkdir -p out && cp '" + fixture("slow") + "' out/bench\n");
  commit_script("build it by another script", "exit 7");
  const Outcome outcome = gate({"--rounds", "2", "--json"});
  EXPECT_THAT(outcome.out, HasSubstr("the candidate's build command does not build the baseline"));
  expect_both_sides_measured(outcome);
}

TEST_F(GateSides, SayByWhichCommandsABaselineWasNotBuilt) {
  commit_script("break it", "exit 9");
  commit("mend it", "fast");
  const Outcome one = gate();
  EXPECT_EQ(one.status, 2);
  EXPECT_THAT(one.err, HasSubstr("by the candidate's command, which builds both commits"));
  replace_in_file("sh build.sh", "sh ./build.sh");
  commit("another command", "fast");
  const Outcome two = gate({"--base", "HEAD~2"});
  EXPECT_EQ(two.status, 2);
  EXPECT_THAT(two.err, HasSubstr("by the candidate's command or by its own"));
}

TEST_F(GateSides, ThatWereNotBuiltAreToldToWhoDidNotSeeTheLog) {
  const std::vector<std::string> outputs{"--archive-dir", "evidence", "--markdown", "evidence/report.md"};
  commit_script("break it", "echo 'work.cpp:3: error: no such header'; exit 9");
  EXPECT_EQ(gate(outputs).status, 4);
  EXPECT_THAT(text_of("evidence/report.md"),
              AllOf(HasSubstr("the build of the candidate (" + short_sha("HEAD") + ") failed"),
                    HasSubstr("work.cpp:3: error: no such header")));
  EXPECT_EQ(run({"publish", "files", "evidence", "--status", "4"}).status, 0);
  EXPECT_THAT(text_of("evidence/junit.xml"),
              AllOf(HasSubstr("the build of the candidate"), HasSubstr("work.cpp:3: error: no such header")));
  commit("mend it", "fast");
  EXPECT_EQ(gate(outputs).status, 2);
  EXPECT_EQ(run({"publish", "files", "evidence", "--status", "2"}).status, 0);
  EXPECT_THAT(text_of("evidence/junit.xml"),
              HasSubstr("the build of the baseline (" + short_sha("HEAD^1") + ") failed"));
  std::filesystem::remove_all("evidence");
  EXPECT_EQ(gate({"--archive-dir", "evidence", "--base", "nowhere"}).status, 3);
  EXPECT_EQ(run({"publish", "files", "evidence", "--status", "3"}).status, 0) << "its folder is there";
  EXPECT_THAT(text_of("evidence/junit.xml"), HasSubstr("nowhere"));
}

// What an earlier gate left, and what is somebody else's, in the folder of the archives.
class EarlierJudgement : public GateSides {
 protected:
  void SetUp() override {
    GateSides::SetUp();
    leave_one();
  }
  static void leave_one() {
    write("evidence/ended.json", ended_document({EndedGate::Stage::build_of_candidate, "", "of another try", 4}));
    write("evidence/mine.json", "bytes");
    Comparison comparison;
    comparison.baseline = archived("baseline.syrun");
    comparison.candidate = archived("candidate.syrun");
    write("evidence/comparison.json", storage::comparison_document(comparison));
  }
  static RunHeader archived(const std::string& name) {
    steelyard::Run archive;
    archive.header.tool = name;
    storage::seal(archive);
    EXPECT_TRUE(storage::write_archive("evidence/" + name, archive));
    return storage::read_header("evidence/" + name).value();
  }
  static std::set<std::string> kept() {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator("evidence")) {
      names.insert(entry.path().filename().string());
    }
    return names;
  }
};

TEST_F(EarlierJudgement, IsNotTakenForThatOfAGateThatEnds) {
  EXPECT_EQ(gate({"--archive-dir", "evidence", "--base", "nowhere"}).status, 3);
  EXPECT_EQ(kept(), (std::set<std::string>{"ended.json", "mine.json"}));
  EXPECT_THAT(text_of("evidence/ended.json"), AllOf(HasSubstr("nowhere"), Not(HasSubstr("of another try"))));
  EXPECT_EQ(run({"publish", "files", "evidence"}).status, 3) << "there is no verdict";
}

TEST_F(EarlierJudgement, IsNotTakenForThatOfTwoBuildsThatWereNotCompared) {
  EXPECT_EQ(run({"ab", "nowhere", "HEAD", "--no-store", "--archive-dir", "evidence"}).status, 3);
  EXPECT_EQ(kept(), (std::set<std::string>{"mine.json"}));
}

TEST_F(EarlierJudgement, EndsWithTheNextOneThatIsMade) {
  commit("change nothing", "fast");
  const Outcome outcome = gate({"--archive-dir", "evidence", "--rounds", "2"});
  EXPECT_THAT(outcome.status, testing::AnyOf(0, 2)) << outcome.err;
  EXPECT_EQ(kept(), (std::set<std::string>{"baseline.syrun", "candidate.syrun", "comparison.json", "mine.json"}));
}

TEST_F(EarlierJudgement, StaysWhereTheOptionsDoNotHold) {
  EXPECT_EQ(gate({"--archive-dir", "evidence", "--run", "HEAD"}).status, 3);
  EXPECT_EQ(kept().size(), 5U);
  EXPECT_EQ(run({"ab", "nowhere", "HEAD", "--no-store", "--archive-dir", "evidence", "--shard", "9/2"}).status, 3);
  EXPECT_EQ(kept().size(), 5U);
}

TEST_F(EarlierJudgement, KeepsTheArchiveThatIsJudgedAndWhatIsNoGates) {
  const std::vector<std::string> again{"--archive-dir", "evidence", "--against-history", "--run",
                                       "evidence/candidate.syrun"};
  EXPECT_NE(gate(again).status, 0);
  EXPECT_TRUE(kept().contains("candidate.syrun"));
  EXPECT_FALSE(kept().contains("baseline.syrun"));
  leave_one();
  archived("of another measurement.syrun");
  std::filesystem::rename("evidence/of another measurement.syrun", "evidence/candidate.syrun");
  EXPECT_EQ(gate({"--archive-dir", "evidence", "--base", "nowhere"}).status, 3);
  EXPECT_EQ(kept(), (std::set<std::string>{"candidate.syrun", "ended.json", "mine.json"}));
  write("evidence/comparison.json", R"({"schema": "theirs/1"})");
  write("evidence/baseline.syrun", "bytes");
  EXPECT_EQ(gate({"--archive-dir", "evidence", "--base", "nowhere"}).status, 3);
  EXPECT_EQ(kept().size(), 5U) << "no comparison of a gate's is beside the archives";
}

// Nothing has to be measured to say so: the build fails, so that nothing is.
TEST_F(GateSides, ThatAreOneCommitAreSaidToDifferByLuckAlone) {
  constexpr const char* kSaid = "the baseline and the candidate are one commit";
  commit_script("break it", "exit 9");
  EXPECT_THAT(gate({"--base", "HEAD"}).err, HasSubstr(kSaid));
  EXPECT_THAT(gate({"--base", "HEAD^"}).err, Not(HasSubstr(kSaid)));
}

TEST_F(GateSides, OfAPushAreWhatWasThereBeforeAllOfIt) {
  commit("make it slow", "slow");
  commit("change nothing", "slow");
  write(folder_ / "event.json",
        R"({"before": ")" + GitRepository::find(made_.root())->resolve("HEAD~2").value() + R"("})");
  setenv("GITHUB_EVENT_NAME", "push", 1);
  setenv("GITHUB_EVENT_PATH", (folder_ / "event.json").c_str(), 1);
  setenv("GITHUB_SHA", "x", 1);
  const Outcome outcome = gate();
  for (const char* const name : {"GITHUB_EVENT_NAME", "GITHUB_EVENT_PATH", "GITHUB_SHA"}) unsetenv(name);
  EXPECT_EQ(outcome.status, 1) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr("baseline: " + short_sha("HEAD~2") + ", what its branch was at before the push"));
}

TEST_F(GateSides, WithoutAFileAreJudgedByTheWorkTreesAndSaySo) {
  const std::string file = text_of("steelyard.toml");
  made_.git("rm --quiet steelyard.toml");
  made_.commit("no file");
  commit("nor here", "fast");
  made_.write("steelyard.toml", file);
  const Outcome outcome = gate({"--rounds", "2", "--json"});
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("neither commit has a steelyard.toml: both are judged by that of the work tree"),
                    Not(HasSubstr("judged by its own"))))
      << outcome.err;
}

}  // namespace
}  // namespace steelyard::ci::gate_sides_test

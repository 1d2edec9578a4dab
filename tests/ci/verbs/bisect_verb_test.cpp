// A bisect of a real repository: commits are checked out, built by a command and measured on this machine. What each
// commit's build yields is a program whose work differs by far more than any machine's noise.
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/counting/count.hpp"
#include "ci/git/repository.hpp"
#include "tests/ci/git/temporary_repository.hpp"
#include "tests/ci/verbs/program_under_test.hpp"
#include "tests/promised.hpp"

namespace steelyard::ci::bisect_verb_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class BisectOfARepository : public ProgramUnderTest {
 protected:
  void SetUp() override {
    ProgramUnderTest::SetUp();
    std::filesystem::current_path(made_.root());
    made_.write("steelyard.toml",
                "[project]\nname = \"fixture\"\n[build]\ncommand = \"sh build.sh\"\n[[program]]\nname = \"bench\"\n"
                "command = \"out/bench\"\n[run]\nmin_time = \"1ms\"\n");
  }
  // A commit whose build is that program; each build is a line of the file `builds`.
  std::string commit(const std::string& variant, const std::string& more = "") {
    made_.write("build.sh", "echo built >>'" + (folder_ / "builds").string() + "'\n" + more + "\nmkdir -p out && cp '" +
                                fixture(variant) + "' out/bench\n");
    made_.write("number", std::to_string(++number_) + '\n');
    made_.commit("commit " + std::to_string(number_) + ": " + variant);
    return sha("HEAD");
  }
  std::string sha(const std::string& name) const { return GitRepository::find(made_.root())->resolve(name).value(); }
  std::ptrdiff_t builds() const {
    const std::string text = text_of(folder_ / "builds");
    return std::count(text.begin(), text.end(), '\n');
  }
  static nlohmann::json json_of(const Outcome& outcome) {
    const auto json = nlohmann::json::parse(outcome.out, nullptr, false);
    EXPECT_FALSE(json.is_discarded()) << outcome.out << outcome.err;
    return json;
  }

  TemporaryRepository made_;

 private:
  int number_ = 0;
};

TEST_F(BisectOfARepository, ByCountsNamesTheCommitItsFunctionAndTimesNothing) {
  const auto missing = bench::counting_unavailable(bench::CountOptions{});
  STEELYARD_SKIP_WITHOUT("valgrind", !missing, *missing);
  const std::string good = commit("creep0");
  for (int i = 0; i < 4; ++i) commit("creep0");
  const std::string broken = commit("creep0", "exit 7");
  const std::string before = commit("creep0");
  const std::string culprit = commit("creep1");
  commit("creep1");
  const std::string lacking = commit("renamed");  // has no BM_varied, and lies in the middle
  for (int i = 0; i < 3; ++i) commit("creep1");
  const Outcome outcome = run({"bisect", good, "HEAD", "varied", "--metric", "instructions", "--json"});
  EXPECT_EQ(outcome.status, 1) << outcome.err << outcome.out;
  const nlohmann::json found = json_of(outcome);
  EXPECT_EQ(found["schema"], "steelyard.bisect/1");
  EXPECT_EQ(found["end"], "found");
  EXPECT_EQ(found["commit"]["sha"], culprit);
  EXPECT_EQ(found["commit"]["subject"], "commit 8: creep1");
  EXPECT_EQ(found["author"], "A");
  EXPECT_EQ(found["before"]["sha"], before);
  EXPECT_NEAR(found["check"]["ratio"].get<double>(), 1.02, 0.002);
  EXPECT_FALSE(found["check"]["functions"].empty());
  EXPECT_THAT(found["again"].get<std::string>(),
              AllOf(HasSubstr("steelyard ab " + before.substr(0, 9)), HasSubstr("BM_varied")));
  for (const nlohmann::json& probe : found["probes"]) EXPECT_EQ(probe["by"], "counts");
  EXPECT_EQ(found["others"], "none");
  EXPECT_LE(builds(), 7);

  const std::ptrdiff_t built = builds();
  const Outcome again = run({"bisect", good, "HEAD", "varied", "--metric", "instructions"});
  EXPECT_EQ(again.status, 1) << again.err;
  EXPECT_THAT(again.out, AllOf(HasSubstr("this commit changed instructions of BM_varied"),
                               HasSubstr("commit 8: creep1"), HasSubstr("by A"), HasSubstr("+2.0"),
                               HasSubstr(lacking.substr(0, 9) + " (the baseline has it, the candidate does not)")));
  EXPECT_THAT(again.err, HasSubstr("going on from"));
  EXPECT_EQ(builds(), built) << "its answers and builds were kept";
}

// A level below all that is judged by was taken for 5 %, and nobody was told.
TEST_F(BisectOfARepository, SaysWhereALevelIsTooSmallToBeJudgedBy) {
  const auto missing = bench::counting_unavailable(bench::CountOptions{});
  STEELYARD_SKIP_WITHOUT("valgrind", !missing, *missing);
  const std::string good = commit("creep0");
  commit("creep0");
  commit("creep1");
  const Outcome outcome =
      run({"bisect", good, "HEAD", "varied", "--metric", "instructions", "--false-alarm-rate", "0.000000000001"});
  EXPECT_EQ(outcome.status, 1) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("policy false_alarm_rate: found "), HasSubstr(" was used")));
}

TEST_F(BisectOfARepository, StepsAroundACommitWhoseSubmoduleIsGone) {
  const auto missing = bench::counting_unavailable(bench::CountOptions{});
  STEELYARD_SKIP_WITHOUT("valgrind", !missing, *missing);
  const std::string good = commit("creep0");
  commit("creep0");
  made_.write(".gitmodules", "[submodule \"lib\"]\n\tpath = lib\n\turl = /no/such/lib.git\n");
  made_.git("update-index --add --cacheinfo 160000," + std::string(40, '1') + ",lib");
  made_.git("add .gitmodules");
  made_.git("commit --quiet -m 'a library that nobody has'");
  std::filesystem::remove(made_.root() / ".gitmodules");
  const std::string culprit = commit("creep1");
  commit("creep1");
  const Outcome outcome = run({"bisect", good, "HEAD", "varied", "--metric", "instructions", "--json"});
  const nlohmann::json found = json_of(outcome);
  EXPECT_EQ(found["end"], "range") << "it can be the one as well";
  EXPECT_EQ(found["commit"]["sha"], culprit);
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("/no/such/lib.git"));
}

// Of the processor's time, which other work on the machine moves little, and thirty times as much of it, in passes so
// long that a sample may be a single one.
TEST_F(BisectOfARepository, ByTimeFindsABigSlowdownWithoutCounts) {
  const std::string good = commit("spanned_fast");
  for (int i = 0; i < 3; ++i) commit("spanned_fast");
  const std::string culprit = commit("spanned_slow");
  for (int i = 0; i < 3; ++i) commit("spanned_slow");
  const Outcome outcome = run(
      {"bisect", good, "HEAD", "BM_varied", "--metric", "cpu_time", "--counts", "never", "--budget", "20s", "--json"});
  EXPECT_EQ(outcome.status, 1) << outcome.err << outcome.out;
  const nlohmann::json found = json_of(outcome);
  EXPECT_EQ(found["end"], "found");
  EXPECT_EQ(found["commit"]["sha"], culprit);
  EXPECT_GT(found["check"]["ratio"].get<double>(), 2);
  EXPECT_EQ(found["by"], "values");
  EXPECT_DOUBLE_EQ(found["wrong_commit_rate"].get<double>(), 0.005);
}

// Of a command that sleeps, which costs next to nothing and takes 28 ms more or not: a busy machine adds less.
TEST_F(BisectOfARepository, SeesAChangeThereAndBackWhereTheOptionAsksForTheOrder) {
  std::vector<std::string> line;
  for (const char* time : {"0.002", "0.03", "0.03", "0.002", "0.03"}) {
    made_.write("steelyard.toml",
                "[run]\nrepetitions = 1\nlayout = \"interleaved\"\n[[program]]\nname = \"waiting\"\n"
                "command = \"./wait\"\nformat = \"process\"\n");
    made_.write("wait", "#!/bin/sh\nexec sleep " + std::string(time) + '\n');
    made_.shell("chmod +x '" + (made_.root() / "wait").string() + "'");
    made_.write("number", std::to_string(line.size()) + '\n');
    made_.commit(time);
    line.push_back(sha("HEAD"));
  }
  const Outcome outcome =
      run({"bisect", line.front(), "HEAD", "waiting", "--counts", "never", "--budget", "20s", "--order", "--json"});
  const nlohmann::json found = json_of(outcome);
  EXPECT_EQ(found["commit"]["sha"], line[1]) << outcome.err;
  ASSERT_EQ(found["contrary"].size(), 1U) << "where no halving comes: " << outcome.err;
  EXPECT_EQ(found["contrary"][0]["sha"], line[3]) << "as the good end, behind the commit that is named";
}

TEST_F(BisectOfARepository, FollowsAMergeIntoItsBranch) {
  const auto missing = bench::counting_unavailable(bench::CountOptions{});
  STEELYARD_SKIP_WITHOUT("valgrind", !missing, *missing);
  const std::string good = commit("creep0");
  made_.git("checkout --quiet -b branch");
  commit("creep0");
  const std::string culprit = commit("creep2");
  commit("creep2");
  made_.git("checkout --quiet main");
  made_.write("main.txt", "x\n");
  made_.commit("on main");
  made_.git("merge --quiet --no-ff -m 'merge the branch' branch");
  made_.write("main.txt", "y\n");
  made_.commit("behind the merge");
  const Outcome outcome = run({"bisect", good, "HEAD", "varied", "--metric", "instructions", "--json"});
  const nlohmann::json found = json_of(outcome);
  EXPECT_EQ(found["commit"]["sha"], culprit) << outcome.err;
  ASSERT_EQ(found["merges"].size(), 1U);
  EXPECT_EQ(found["merges"][0]["subject"], "merge the branch");
}

TEST_F(BisectOfARepository, GoesOnOverARenameThatTheFileConfirms) {
  const auto missing = bench::counting_unavailable(bench::CountOptions{});
  STEELYARD_SKIP_WITHOUT("valgrind", !missing, *missing);
  const std::string good = commit("fast");
  commit("fast");
  const std::string culprit = commit("renamed");  // BM_varied is BM_changing from here on
  commit("renamed");
  made_.shell("cd '" + made_.root().string() +
              "' && printf '[rename]\n\"BM_varied\" = \"BM_changing\"\n' >> steelyard.toml");
  for (const char* name : {"BM_changing", "BM_varied"}) {
    const Outcome outcome = run({"bisect", good, "HEAD", name, "--metric", "instructions", "--json"});
    const nlohmann::json found = json_of(outcome);
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    EXPECT_EQ(found["commit"]["sha"], culprit) << name << ": " << outcome.err;
    EXPECT_EQ(found["benchmark"], "BM_changing");
  }
}

TEST_F(BisectOfARepository, ThatIsInterruptedKeepsItsAnswersAndGoesOn) {
  const auto missing = bench::counting_unavailable(bench::CountOptions{});
  STEELYARD_SKIP_WITHOUT("valgrind", !missing, *missing);
  const std::string marker = (folder_ / "interrupted").string();
  const std::string interrupt =
      "[ -e '" + marker + "' ] || { touch '" + marker + "'; kill -INT " + std::to_string(getpid()) + "; sleep 5; }";
  const std::string good = commit("creep0");
  commit("creep0");
  commit("creep0", interrupt);
  const std::string culprit = commit("creep1");
  commit("creep1");
  const Outcome stopped = run({"bisect", good, "HEAD", "varied", "--metric", "instructions"});
  EXPECT_EQ(stopped.status, 2) << stopped.err;
  EXPECT_THAT(stopped.err, AllOf(HasSubstr("build of commit "), HasSubstr(": interrupted; nothing of that is kept; "),
                                 HasSubstr("goes on")));
  EXPECT_EQ(stopped.out, "");
  const Outcome outcome = run({"bisect", good, "HEAD", "varied", "--metric", "instructions", "--json"});
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("going on from 1 comparison made"));
  EXPECT_EQ(json_of(outcome)["commit"]["sha"], culprit);
  EXPECT_THAT(made_.root(), ::testing::ResultOf(
                                [](const std::filesystem::path& root) {
                                  return run_git(root, {"worktree", "list"})->output;
                                },
                                Not(HasSubstr("\n"))))
      << "no work tree is left";
}

TEST_F(BisectOfARepository, RefusesWhatCannotBeSearched) {
  const std::string good = commit("fast");
  commit("fast");
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& why) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 3) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(why));
  };
  refused({"bisect", "HEAD", good, "BM_varied"}, "name the older commit first");
  refused({"bisect", "HEAD", "HEAD", "BM_varied"}, " as both ends, wanted two commits");
  refused({"bisect", "no-such", "HEAD", "BM_varied"}, "no commit \"no-such\"");
  refused({"bisect", good, "HEAD", "BM_varied", "--metric", "tiem"}, "\"tiem\"");
  refused({"bisect", good, "HEAD", "BM_"}, "2 benchmarks with \"BM_\"");
  refused({"bisect", good, "HEAD", "BM_vared"}, "did you mean BM_varied?");
  refused({"bisect", good, "HEAD", "something else"}, "there are BM_");
}

TEST_F(BisectOfARepository, EndsWithSuccessWhereNothingChanged) {
  const auto missing = bench::counting_unavailable(bench::CountOptions{});
  STEELYARD_SKIP_WITHOUT("valgrind", !missing, *missing);
  const std::string good = commit("creep0");
  commit("creep0");
  const Outcome outcome = run({"bisect", good, "HEAD", "varied", "--metric", "instructions"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("did not change between the ends"));
}

}  // namespace
}  // namespace steelyard::ci::bisect_verb_test

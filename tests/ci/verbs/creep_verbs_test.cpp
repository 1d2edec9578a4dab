// Creep end to end: commits that each cost 2 %, under a policy that fails from 5 % on.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "bench/counting/count.hpp"
#include "tests/ci/git/temporary_repository.hpp"
#include "tests/ci/verbs/shared_store.hpp"

namespace steelyard::ci::creep_verbs_test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class CreepOfCommits : public SharedStore {
 protected:
  void SetUp() override {
    SharedStore::SetUp();
    const std::optional<std::string> missing = bench::counting_unavailable(bench::CountOptions{});
    STEELYARD_SKIP_WITHOUT("valgrind", !missing, *missing);
    std::filesystem::current_path(made_.root());
    made_.write("steelyard.toml",
                "[project]\nname = \"creeping\"\n[build]\ncommand = \"sh build.sh\"\n[[program]]\nname = \"bench\"\n"
                "command = \"out/bench\"\n[run]\nmin_time = \"1ms\"\nrounds = 2\nfilter = \"varied\"\n"
                "layout = \"interleaved\"\ncounts = \"always\"\n[policy]\nmetrics = "
                "[\"instructions\"]\ncounted_minimum_effect = \"5%\"\n");
    commit("start", 0);
  }
  // A commit whose program does 3000 turns, and 2 % more for each step.
  void commit(const std::string& subject, int steps) {
    made_.write("build.sh",
                "mkdir -p out && cp '" + fixture("creep" + std::to_string(steps)) + "' out/bench\n# " + subject + "\n");
    made_.commit(subject);
  }
  static Outcome gate(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"gate"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  static json alerts() { return json::parse(run({"alerts", "--json"}).out)["alerts"]; }
  TemporaryRepository made_;
};

TEST_F(CreepOfCommits, FailsTheCommitThatMakesItTooMuchAndIsForgivenByNameOrByARelease) {
  commit("cost a little", 1);
  const Outcome first = gate();
  EXPECT_EQ(first.status, 0) << first.out << first.err;
  EXPECT_THAT(first.out, AllOf(HasSubstr("below the minimum effect of counts"), Not(HasSubstr("crept"))));
  commit("cost a little more", 2);
  const Outcome second = gate();
  EXPECT_EQ(second.status, 0) << second.out << second.err;
  EXPECT_THAT(second.out, AllOf(HasSubstr("crept by"), HasSubstr("in 2 steps below 5 %")));
  EXPECT_TRUE(alerts().empty());
  commit("and again", 3);
  const Outcome third = gate({"--archive-dir", "kept"});
  EXPECT_EQ(third.status, 1) << third.out << third.err;
  EXPECT_THAT(third.out, AllOf(HasSubstr("in 3 steps below 5 %"), HasSubstr("the first value known")));
  const Outcome verified = run({"verify", "kept"});
  EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
  ASSERT_EQ(alerts().size(), 1U);

  const json kept = json::parse(text_of("kept/comparison.json"));
  const Outcome alone = gate({"--against-history", "--run", "run:" + kept["candidate"]["id"].get<std::string>()});
  EXPECT_EQ(alone.status, 1) << alone.out << alone.err;
  EXPECT_THAT(alone.out, HasSubstr("crept by"));
  const Outcome looked = run({"changes", "--branch", "main", "--fail-on-regression"});
  EXPECT_EQ(looked.status, 1) << looked.out << looked.err;
  EXPECT_THAT(looked.out, HasSubstr("instructions of BM_varied crept by"));
  EXPECT_EQ(alerts().size(), 2U) << "of the comparison, and of the change points";

  for (const json& alert : alerts()) {
    const std::string id = alert["id"].get<std::string>();
    const Outcome accepted = run({"alerts", "accept", id, "--commit", "HEAD", "--note", "it is worth it"});
    EXPECT_EQ(accepted.status, 0) << accepted.err;
  }
  EXPECT_THAT(run({"changes", "--branch", "main"}).out, Not(HasSubstr("crept")));
  commit("more than was accepted", 4);
  const Outcome fourth = gate();
  EXPECT_EQ(fourth.status, 0) << fourth.out << fourth.err;
  EXPECT_THAT(fourth.out, AllOf(HasSubstr("(accepted 20"), HasSubstr("in 1 step below 5")));
}

TEST_F(CreepOfCommits, IsCountedFromTheReleaseOnAndWithoutAStoreTheVerdictStands) {
  commit("cost a little", 1);
  EXPECT_EQ(gate({"--project", "released"}).status, 0);
  made_.git("tag v1.2");
  commit("cost a little more", 2);
  commit("and again", 3);
  const Outcome both = gate({"--project", "released"});
  EXPECT_EQ(both.status, 0) << both.out << both.err;
  EXPECT_THAT(both.out, AllOf(HasSubstr("since v1.2 (released 20"), HasSubstr("in 2 steps below 5 %")));
  const Outcome away = gate({"--store", "postgresql://nobody@127.0.0.1:1/none"});
  EXPECT_EQ(away.status, 5) << away.out << away.err;
  EXPECT_THAT(away.out, HasSubstr("what small changes of counts add up to was not judged"));
}

}  // namespace
}  // namespace steelyard::ci::creep_verbs_test

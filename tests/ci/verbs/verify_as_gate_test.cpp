// What one job's gate left, held by another against what a gate of its own checkout would compare and judge by.
#include <gmock/gmock.h>

#include <functional>
#include <string>
#include <vector>

#include "ci/git/repository.hpp"
#include "ci/judging/judge.hpp"
#include "ci/judging/replay.hpp"
#include "storage/archive/archive.hpp"
#include "storage/comparison/comparison_document.hpp"
#include "tests/ci/git/temporary_repository.hpp"
#include "tests/ci/verbs/program_under_test.hpp"

namespace steelyard::ci::verify_as_gate_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class VerifyAsGate : public ProgramUnderTest {
 protected:
  void SetUp() override {
    ProgramUnderTest::SetUp();
    std::filesystem::current_path(made_.root());
    // No more than starting a process: what is held is what both sides are, not how long they take.
    made_.write("steelyard.toml",
                "[project]\nname = \"fixture\"\n[[program]]\ncommand = \"true\"\nformat = \"process\"\n"
                "[run]\nrounds = 2\nlayout = \"interleaved\"\ncounts = \"never\"\n[policy]\nminimum_effect = 0.5\n");
    made_.commit("first");
    for (const std::string subject : {"second", "third"}) made_.commit(subject);
  }
  // Measures as the first of the two jobs does.
  void measure(const std::vector<std::string>& more = {}) {
    std::filesystem::remove_all(evidence());
    std::vector<std::string> arguments{"gate", "--no-store", "--json", "--archive-dir", evidence()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run(arguments);
    ASSERT_EQ(outcome.status, 0) << outcome.err << outcome.out;
    ASSERT_EQ(run({"verify", evidence()}).status, 0) << "whatever it was judged by, it is of its runs";
  }
  Outcome verify(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"verify", evidence(), "--as-gate"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  // What was left, with that policy and by those rules throughout, so that the comparison is of its runs all the same.
  void forge(const std::function<void(Comparison&)>& change) const {
    const std::filesystem::path folder(evidence());
    Comparison comparison = *storage::read_comparison(folder / "comparison.json");
    change(comparison);
    Comparison forged = judged_as(comparison, *storage::read_archive(folder / "baseline.syrun"),
                                  *storage::read_archive(folder / "candidate.syrun"));
    forged.policy = comparison.policy;
    write(folder / "comparison.json", storage::comparison_document(forged));
    ASSERT_EQ(run({"verify", evidence()}).status, 0);
  }
  // As where counts failed on both sides and nobody had asked for them.
  void forge_excused_counts() const {
    const std::filesystem::path folder(evidence());
    const auto with_failure = [&folder](const std::string& file) {
      steelyard::Run side = *storage::read_archive(folder / file);
      side.failures.push_back({side.measurements.at(0).benchmark, std::string(kInstructions), -1, "stripped"});
      storage::seal(side);
      EXPECT_TRUE(storage::write_archive(folder / file, side));
      return side;
    };
    const steelyard::Run baseline = with_failure("baseline.syrun");
    const steelyard::Run candidate = with_failure("candidate.syrun");
    Comparison forged = judged_as(*storage::read_comparison(folder / "comparison.json"), baseline, candidate);
    excuse_counts(baseline, candidate, {}, forged);
    write(folder / "comparison.json", storage::comparison_document(forged));
    const Outcome outcome = run({"verify", evidence()});
    ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  }
  std::string evidence() const { return (folder_ / "evidence").string(); }
  TemporaryRepository made_;
};

TEST_F(VerifyAsGate, TakesWhatAGateHereWouldHaveLeft) {
  measure();
  const Outcome outcome = verify();
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_EQ(verify({"--head", "HEAD"}).status, 0);
}

TEST_F(VerifyAsGate, RefusesAnotherPolicyUnlessItIsAskedForHereAsWell) {
  measure({"--minimum-effect", "0.9", "--margin", "0.7"});
  const Outcome outcome = verify();
  EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("differs, a gate of this checkout judges by another policy"),
                                 HasSubstr("minimum_effect: kept 0.9, computed 0.5"), HasSubstr("margin: kept 0.7")));
  EXPECT_EQ(verify({"--minimum-effect", "0.9", "--margin", "0.7"}).status, 0);
  EXPECT_EQ(run({"verify", evidence(), "--minimum-effect", "0.9"}).status, 3) << "an option that nothing would obey";
}

TEST_F(VerifyAsGate, RefusesWhatNobodyAcceptsHere) {
  measure({"--accept", "* it is worth it"});
  const Outcome outcome = verify();
  EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("patterns: kept "), HasSubstr("it is worth it")));
  EXPECT_EQ(verify({"--accept", "* it is worth it"}).status, 0) << "unless this job is told so as well";
  EXPECT_EQ(run({"verify", evidence(), "--accept", "* it is worth it"}).status, 3) << "an option nothing would obey";
  made_.commit("slower\n\nPerf-accept: * it is worth it");
  measure();
  EXPECT_EQ(verify().status, 0) << "the commit's own word is known here too";
  EXPECT_EQ(verify({"--no-accept-trailers"}).status, 1);
}

TEST_F(VerifyAsGate, TakesWhatIsJudgedWithoutThatSomethingIsAccepted) {
  made_.commit("slower\n\nPerf-accept: * it is worth it");
  measure({"--no-accept-trailers"});
  const Outcome outcome = verify();
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
}

TEST_F(VerifyAsGate, RefusesTablesThatAreSaidToBeOfAnotherMachine) {
  const std::string file = text_of("steelyard.toml");
  made_.write("steelyard.toml",
              file.substr(0, file.find("[policy]")) + "[[policy]]\nmatch = \"*\"\nminimum_effect = 0.25\n");
  for (const std::string subject : {"fourth", "fifth"}) made_.commit(subject);
  measure();
  EXPECT_EQ(verify().status, 0);
  forge([](Comparison& comparison) { comparison.policy.patterns.at(0).machine = "nobody"; });
  const Outcome outcome = verify();
  EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("patterns: kept "), HasSubstr("nobody")));
}

TEST_F(VerifyAsGate, RefusesOlderRules) {
  measure();
  forge([](Comparison& comparison) { comparison.rule_version = "rounds-2"; });
  const Outcome outcome = verify();
  EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("rule_version: kept rounds-2, computed rounds-7"));
}

TEST_F(VerifyAsGate, RefusesThatNobodyAskedForCountsWhichAreDemandedHere) {
  measure();
  forge_excused_counts();
  const Outcome taken = verify();
  EXPECT_EQ(taken.status, 0) << taken.out << taken.err;
  std::string file = text_of("steelyard.toml");
  file.replace(file.find("never"), std::string("never").size(), "always");
  made_.write("steelyard.toml", file);
  for (const std::string subject : {"fourth", "fifth"}) made_.commit(subject);
  measure({"--counts", "never"});
  EXPECT_EQ(verify().status, 0) << "nothing is excused";
  forge_excused_counts();
  const Outcome outcome = verify();
  EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("differs, a gate of this checkout demands counts, which failed"),
                                 HasSubstr("gates: kept false, computed true")));
}

TEST_F(VerifyAsGate, HoldsMergedShardsAsAnyOtherEvidence) {
  made_.write("steelyard.toml",
              "[project]\nname = \"fixture\"\n[[program]]\nname = \"one\"\ncommand = \"true\"\nformat = \"process\"\n"
              "[[program]]\nname = \"two\"\ncommand = \"true\"\nformat = \"process\"\n"
              "[run]\nrounds = 2\nlayout = \"interleaved\"\ncounts = \"never\"\n[policy]\nminimum_effect = 0.5\n");
  for (const std::string subject : {"fourth", "fifth"}) made_.commit(subject);
  std::vector<std::string> merging{"merge", "--archive-dir", evidence(), "--json"};
  for (const std::string number : {"1", "2"}) {
    merging.push_back((folder_ / "shards" / number).string());
    const Outcome measured =
        run({"gate", "--no-store", "--json", "--shard", number + "/2", "--archive-dir", merging.back()});
    ASSERT_EQ(measured.status, 0) << measured.err << measured.out;
  }
  const Outcome merged = run(merging);
  ASSERT_EQ(merged.status, 0) << merged.err << merged.out;
  const Outcome outcome = verify();
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  forge([](Comparison& comparison) { comparison.policy.minimum_effect = 0.9; });
  const Outcome another = verify();
  EXPECT_EQ(another.status, 1) << another.out << another.err;
  EXPECT_THAT(another.out, HasSubstr("minimum_effect: kept 0.9, computed 0.5"));
}

TEST_F(VerifyAsGate, TakesWhatAShallowCloneKnowsOfTheBaseline) {
  const std::filesystem::path clone = made_.folder() / "shallow";
  made_.git("clone --quiet --depth 2 'file://" + made_.root().string() + "' '" + clone.string() + "'");
  std::filesystem::current_path(clone);
  measure();
  ASSERT_EQ(storage::read_archive(std::filesystem::path(evidence()) / "baseline.syrun")->header.commit.parent, "");
  std::filesystem::current_path(made_.root());
  const Outcome outcome = verify();
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
}

TEST_F(VerifyAsGate, TakesWhatAShallowCloneThatEndsAtTheCandidateKnowsOfIt) {
  const std::string base = GitRepository::find(made_.root())->resolve("HEAD~1").value();
  const std::filesystem::path clone = made_.folder() / "shallow";
  made_.git("clone --quiet --depth 1 'file://" + made_.root().string() + "' '" + clone.string() + "'");
  std::filesystem::current_path(clone);
  TemporaryRepository::shell("git fetch --quiet --depth 1 origin " + base);
  measure({"--base", base});
  ASSERT_EQ(storage::read_archive(std::filesystem::path(evidence()) / "candidate.syrun")->header.commit.parent, "");
  std::filesystem::current_path(made_.root());
  const Outcome outcome = verify();
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
}

TEST_F(VerifyAsGate, RefusesAnotherBaselineOrBranch) {
  measure({"--base", "HEAD~2"});
  const Outcome baseline = verify();
  EXPECT_EQ(baseline.status, 1) << baseline.out << baseline.err;
  EXPECT_THAT(baseline.out, HasSubstr("the baseline is of commit "));
  EXPECT_EQ(verify({"--base", "HEAD~2"}).status, 0);
  made_.git("checkout --quiet -b other");
  measure();
  made_.git("checkout --quiet main");
  const Outcome branch = verify();
  EXPECT_EQ(branch.status, 1) << branch.out << branch.err;
  EXPECT_THAT(branch.out, AllOf(HasSubstr("on other, wanted commit "), HasSubstr(" on main")));
}

TEST_F(VerifyAsGate, RefusesACommitOfAnotherTimeAndACalibrationThatIsNotHere) {
  measure();
  const std::filesystem::path folder(evidence());
  Comparison comparison = *storage::read_comparison(folder / "comparison.json");
  const Comparison honest = comparison;
  comparison.calibration.emplace().fingerprint = comparison.candidate_fingerprint;
  write(folder / "comparison.json", storage::comparison_document(comparison));
  const Outcome calibrated = verify();
  EXPECT_EQ(calibrated.status, 1) << calibrated.out;
  EXPECT_THAT(calibrated.out, AllOf(HasSubstr("calibration: kept "), HasSubstr("give both jobs one calibration")));
  Result<steelyard::Run> candidate = storage::read_archive(folder / "candidate.syrun");
  ASSERT_TRUE(candidate);
  candidate->header.commit.committed_at_unix_s += 1;
  storage::seal(*candidate);
  ASSERT_TRUE(storage::write_archive(folder / "candidate.syrun", *candidate));
  comparison = honest;
  comparison.candidate = candidate->header;
  write(folder / "comparison.json", storage::comparison_document(comparison));
  ASSERT_EQ(run({"verify", evidence()}).status, 0);
  const Outcome outcome = verify();
  EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(" with the parent, subject and time that it has here"));
}

}  // namespace
}  // namespace steelyard::ci::verify_as_gate_test

// What one job's gate left, held by another against what a gate of its own checkout would compare and judge by.
#include <gmock/gmock.h>

#include <string>
#include <vector>

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
    for (const char* variable : {"GITHUB_REF_NAME", "CI_COMMIT_REF_NAME"}) unsetenv(variable);
    std::filesystem::current_path(made_.root());
    // No more than starting a process: what is held is what both sides are, not how long they take.
    made_.write("steelyard.toml",
                "[project]\nname = \"fixture\"\n[[program]]\ncommand = \"true\"\nformat = \"process\"\n"
                "[run]\nrounds = 2\ncounts = \"never\"\n[policy]\nminimum_effect = 0.5\n");
    made_.commit("first");
    for (const std::string subject : {"second", "third"}) made_.commit(subject);
  }
  // As the job that measures does it.
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
  made_.commit("slower\n\nPerf-accept: * it is worth it");
  measure();
  EXPECT_EQ(verify().status, 0) << "the commit's own word is known here too";
  EXPECT_EQ(verify({"--no-accept-trailers"}).status, 1);
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
  EXPECT_THAT(calibrated.out, HasSubstr("calibration: kept "));
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

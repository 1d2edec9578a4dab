#include <gmock/gmock.h>

#include "bench/environment/read_environment.hpp"
#include "ci/judging/kept_ceilings.hpp"
#include "tests/ci/verbs/program_under_test.hpp"

namespace steelyard::ci::targets_verb_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class TargetsVerb : public ProgramUnderTest {};

TEST_F(TargetsVerb, DatasheetPrintsEveryDeviceWithItsSource) {
  const Outcome outcome = run({"targets", "datasheet"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("A100 40G"), HasSubstr("9.7 (19.5)"), HasSubstr("B200: NVIDIA HGX B200")));
}

TEST_F(TargetsVerb, DatasheetOfOneDeviceIsInBaseUnitsAsJson) {
  const Outcome outcome = run({"targets", "datasheet", "nvidia h200", "--json", "--output", "h200.json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("\"schema\": \"steelyard.datasheet/1\""), HasSubstr("\"H200 SXM\""),
                                 HasSubstr("\"value\": 4800000000000.0"), Not(HasSubstr("A100"))));
  EXPECT_EQ(text_of("h200.json"), outcome.out);
}

TEST_F(TargetsVerb, AnUnknownDeviceIsRefusedAndNotTakenForItsNeighbour) {
  const Outcome other = run({"targets", "datasheet", "H100 NVL"});
  EXPECT_EQ(other.status, 3);
  EXPECT_THAT(other.err, HasSubstr("unknown device \"H100 NVL\", wanted a known one; all of them:"));
  EXPECT_EQ(other.out, "");
  EXPECT_THAT(run({"targets", "datasheet", "RTX 4091"}).err, HasSubstr("did you mean \"RTX 4090\"?"));
}

// Port 1 of the machine itself refuses at once: what was measured is kept all the same.
TEST_F(TargetsVerb, CeilingsAreKeptUnderTheFingerprintThoughTheStoreIsAway) {
  const Outcome outcome = run({"targets", "ceilings", "--quick", "--json", "--output", "here.syrun", "--store",
                               "postgresql://someone@127.0.0.1:1/steelyard"});
  EXPECT_EQ(outcome.status, 5) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("1 run waits in the spool"));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("\"schema\": \"steelyard.ceilings/1\""), HasSubstr("\"dtype\": \"f64\"")));
  EXPECT_TRUE(std::filesystem::exists("here.syrun"));
  const std::string fingerprint = bench::read_environment().fingerprint();
  const auto kept = read_ceilings("state", fingerprint);
  ASSERT_TRUE(kept) << kept.error().text();
  ASSERT_TRUE(*kept);
  EXPECT_EQ((*kept)->fingerprint, fingerprint);
  EXPECT_GE((*kept)->ceilings.size(), 8U);
}

TEST_F(TargetsVerb, OptionsOfCeilingsAreRefusedElsewhere) {
  EXPECT_THAT(run({"targets", "datasheet", "--quick"}).err, HasSubstr("found --quick"));
  EXPECT_THAT(run({"targets", "ceilings", "A100"}).err, HasSubstr("found \"A100\""));
}

TEST_F(TargetsVerb, AnUnknownActionIsRefused) {
  const Outcome outcome = run({"targets", "cielings"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("datasheet"));
}

}  // namespace
}  // namespace steelyard::ci::targets_verb_test

#include <gmock/gmock.h>

#include <set>

#include "tests/ci/cli/program_under_test.hpp"

namespace steelyard {
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

TEST_F(TargetsVerb, AnUnknownActionIsRefused) {
  const Outcome outcome = run({"targets", "cielings"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("datasheet"));
}

}  // namespace
}  // namespace steelyard

#include <gmock/gmock.h>

#include <filesystem>

#include "tests/ci/verbs/program_under_test.hpp"

namespace steelyard::ci::sweep_verb_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class SweepVerb : public ProgramUnderTest {
 protected:
  // Four rounds of BM_x/n:1 to 8 whose time is overhead + n, and of what is added.
  static void write_rounds(double overhead, const std::string& more = "") {
    for (int round = 0; round < 4; ++round) {
      std::string records;
      for (const int n : {1, 2, 4, 8}) {
        const double time = (overhead + n) * (1 + 0.001 * ((round + n) % 3));
        records += std::string(records.empty() ? "" : ",") + R"({"name":"BM_x/n:)" + std::to_string(n) +
                   R"(","run_type":"iteration","iterations":1,"time_unit":"us","real_time":)" + std::to_string(time) +
                   R"(,"cpu_time":1})";
      }
      write(std::filesystem::path("rounds") / (std::to_string(round) + ".json"),
            R"({"benchmarks":[)" + records + more + "]}");
    }
  }
};

TEST_F(SweepVerb, FitsTheExponentAndHoldsAClaimAgainstIt) {
  write_rounds(0);
  const Outcome plain = run({"sweep", "rounds"});
  EXPECT_EQ(plain.status, 0) << plain.err;
  EXPECT_THAT(plain.out, AllOf(HasSubstr("BM_x/n:*"), HasSubstr("as a power of n: 1.00")));
  EXPECT_EQ(run({"sweep", "rounds", "--over", "n", "--expect", "1", "--tolerance", "0.01"}).status, 0);
  const Outcome refuted = run({"sweep", "rounds", "--expect", "2"});
  EXPECT_EQ(refuted.status, 1);
  EXPECT_THAT(refuted.out, HasSubstr("a claimed exponent of 2 lies outside the interval"));
  EXPECT_THAT(run({"sweep", "rounds", "--expect", "2", "--json"}).out,
              AllOf(HasSubstr("steelyard.sweep/1"), HasSubstr("\"verdict\": \"refuted\"")));
}

TEST_F(SweepVerb, SaysThatAnOverheadBendsTheLine) {
  write_rounds(5);
  const Outcome outcome = run({"sweep", "rounds", "--expect", "1"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("the line bends upwards"));
}

TEST_F(SweepVerb, OneInvocationCannotHoldAClaim) {
  write_rounds(0);
  const Outcome outcome = run({"sweep", "rounds/0.json", "--expect", "1"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.out, HasSubstr("one round does not say how sure the exponent is"));
  EXPECT_EQ(run({"sweep", "rounds/0.json"}).status, 0);
}

TEST_F(SweepVerb, AClaimIsNotHeldOverASizeThatFailed) {
  write_rounds(0, R"(,{"name":"BM_x/n:16","run_type":"iteration","error_occurred":true,"error_message":"no memory"})");
  const Outcome outcome = run({"sweep", "rounds", "--expect", "1", "--tolerance", "0.01"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.out, HasSubstr("1 size yielded nothing: the exponent is that of the others"));
}

TEST_F(SweepVerb, RefusesWhatItCannotUse) {
  write_rounds(0);
  EXPECT_EQ(run({"sweep", "rounds", "--over", "k"}).status, 3);
  EXPECT_THAT(run({"sweep", "rounds", "--over", "k"}).err, HasSubstr("numeric parameters: n"));
  EXPECT_THAT(run({"sweep", "rounds", "--expect", "two"}).err, HasSubstr("--expect: found \"two\""));
  EXPECT_THAT(run({"sweep", "rounds", "--tolerance", "1"}).err, HasSubstr("--tolerance: found no --expect"));
  EXPECT_EQ(run({"sweep", "rounds", "--expect", "1", "--tolerance", "-1"}).status, 3);
  EXPECT_EQ(run({"sweep", "nowhere"}).status, 3);
}

}  // namespace
}  // namespace steelyard::ci::sweep_verb_test

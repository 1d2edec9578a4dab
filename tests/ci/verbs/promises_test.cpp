// run and ab with programs that promise something, end to end and without the store. No machine's speed can decide
// these verdicts: any of them keeps the one promise, none the other.
#include <gmock/gmock.h>

#include "tests/ci/verbs/program_under_test.hpp"

namespace steelyard::ci::promises_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Promises : public ProgramUnderTest {
 protected:
  static std::string promising(const std::string& name) { return fixture("promise_" + name); }
  static std::vector<std::string> quick(const std::string& verb, std::vector<std::string> more) {
    std::vector<std::string> arguments{verb, "--no-store", "--min-time", "1ms", "--rounds", "6", "--counts", "never"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
};

TEST_F(Promises, RunHoldsTheProgramToItsOwnWord) {
  const Outcome kept = run(quick("run", {"--", promising("kept")}));
  EXPECT_EQ(kept.status, 0) << kept.out << kept.err;
  EXPECT_THAT(kept.out, AllOf(HasSubstr("1 target met"), HasSubstr("steelyard targets ceilings")));
  const Outcome broken = run(quick("run", {"--json", "--", promising("broken")}));
  EXPECT_EQ(broken.status, 1) << broken.out << broken.err;
  EXPECT_THAT(broken.out,
              AllOf(HasSubstr("\"verdict\": \"missed\""), HasSubstr("\"declared_by\": \"the label of BM_sum\""),
                    HasSubstr("\"BM_sum\": \"target: 1000000 TB/s\"")));
}

TEST_F(Promises, TheFilesWordComesBeforeTheProgramsAndAWrongPatternIsNoMatterOfARun) {
  write("steelyard.toml",
        "[[target]]\nbenchmark = \"BM_*\"\ntarget = \"2 B/s\"\n[[target]]\nbenchmark = \"gone\"\ntarget = \"2 B/s\"\n");
  const Outcome outcome = run(quick("run", {"--", promising("broken")}));
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("at least 2.00 B/s"));
}

TEST_F(Promises, AbFailsOnATargetThatTheCandidateMisses) {
  const Outcome outcome = run(quick(
      "ab", {"--minimum-effect", "90%", "--markdown", "report.md", "--json", promising("kept"), promising("broken")}));
  EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("\"targets\": ["), HasSubstr("\"verdict\": \"missed\"")));
  EXPECT_THAT(text_of("report.md"), AllOf(HasSubstr("1 target missed"), HasSubstr("**Targets**")));
  const Outcome other = run(quick("ab", {"--minimum-effect", "90%", promising("broken"), promising("kept")}));
  EXPECT_NE(other.status, 1) << "only the candidate's promises count\n" << other.out;
  EXPECT_THAT(other.out, HasSubstr("1 target met"));
}

}  // namespace
}  // namespace steelyard::ci::promises_test

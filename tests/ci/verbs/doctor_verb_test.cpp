#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/environment/read_environment.hpp"
#include "storage/calibration/calibration_document.hpp"
#include "tests/ci/verbs/program_under_test.hpp"

namespace steelyard::ci::doctor_verb_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class DoctorVerb : public ProgramUnderTest {
 protected:
  static Outcome examine(const std::string& machine, std::vector<std::string> more = {}) {
    const std::filesystem::path root = std::filesystem::path(STEELYARD_FIXTURE) / machine;
    std::vector<std::string> arguments{"doctor", "--root"};
    arguments.push_back(root.string());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
};

TEST_F(DoctorVerb, SucceedsWhateverItFinds) {
  const std::filesystem::path empty = std::filesystem::current_path() / "empty";
  std::filesystem::create_directory(empty);
  for (const std::string& machine : {std::string("laptop"), std::string("server"), empty.string()}) {
    const Outcome outcome = examine(machine);
    EXPECT_EQ(outcome.status, 0) << machine;
    EXPECT_THAT(outcome.out, HasSubstr("fit to time on")) << machine;
    EXPECT_EQ(outcome.err, "") << machine;
  }
}

TEST_F(DoctorVerb, IsStrictWhereItIsAskedTo) {
  EXPECT_EQ(examine("laptop", {"--strict"}).status, 1);
  EXPECT_EQ(examine("server", {"--strict"}).status, 0);
}

TEST_F(DoctorVerb, ExaminesAProgramToo) {
  const Outcome outcome = examine("server", {"/proc/self/exe"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("program"));
  EXPECT_THAT(outcome.out, HasSubstr("/proc/self/exe, "));
}

TEST_F(DoctorVerb, SaysWhyAProgramCannotBeExamined) {
  write("script.sh", "#!/bin/sh\nexit 0\n");
  const Outcome script = examine("server", {"script.sh"});
  EXPECT_EQ(script.status, 3);
  EXPECT_THAT(script.err, HasSubstr("script.sh: found a file that is no ELF program"));
  const Outcome missing = examine("server", {"missing"});
  EXPECT_EQ(missing.status, 3);
  EXPECT_THAT(missing.err, HasSubstr("missing: found no file of 1 byte to 4 GiB that can be read"));
}

TEST_F(DoctorVerb, TimesALoopOnThisMachineOnly) {
  EXPECT_THAT(examine("server", {"--json"}).out, HasSubstr("\"probe\": null"));
  EXPECT_THAT(run({"doctor", "--no-probe", "--json"}).out, HasSubstr("\"probe\": null"));
  EXPECT_THAT(run({"doctor", "--json"}).out, HasSubstr("\"probe\": {\"clock_step_ns\": "));
}

TEST_F(DoctorVerb, TellsOfFreshCopiesOnThisMachineOnly) {
  EXPECT_THAT(run({"doctor", "--no-probe", "/proc/self/exe"}).out, HasSubstr("\n  copies  "));
  EXPECT_THAT(run({"doctor", "--no-probe", "--json"}).out, HasSubstr("\"name\": \"copies.folder\""));
  EXPECT_THAT(examine("server", {"--json"}).out, Not(HasSubstr("copies.folder")));
}

TEST_F(DoctorVerb, TellsOfTheCalibrationKeptForThisMachine) {
  EXPECT_THAT(run({"doctor", "--no-probe", "--json"}).out, HasSubstr("\"calibration\": null"));
  Calibration calibration;
  calibration.fingerprint = bench::read_environment().fingerprint();
  calibration.layout = Layout::duet;
  calibration.false_gates.tries = 10;
  const auto kept = storage::keep_calibration(std::filesystem::current_path() / "state", calibration);
  ASSERT_TRUE(kept) << kept.error().text();
  EXPECT_THAT(run({"doctor", "--no-probe"}).out, HasSubstr("1970-01-01, duet: what copies of a program differ by"));
  write(*kept, "{");
  const Outcome damaged = run({"doctor", "--no-probe"});
  EXPECT_EQ(damaged.status, 0);
  EXPECT_THAT(damaged.out, HasSubstr("\n  calibration  "));
}

TEST_F(DoctorVerb, RefusesWhatMakesNoSense) {
  const std::vector<std::vector<std::string>> refused{{"--fix"},
                                                      {"--fix", "--restore", "--", "true"},
                                                      {"--", "true"},
                                                      {"--fix", "program", "--", "true"},
                                                      {"--fixed-addresses"},
                                                      {"--fix", "--json", "--", "true"},
                                                      {"--restore", "--json"},
                                                      {"--restore", "program"},
                                                      {"--fix", "--strict", "--", "true"},
                                                      {"--restore", "--no-probe"}};
  for (const auto& arguments : refused) {
    const Outcome outcome = examine("server", arguments);
    EXPECT_EQ(outcome.status, 3) << arguments.front();
    EXPECT_THAT(outcome.err, HasSubstr("steelyard: ")) << arguments.front();
  }
}

TEST_F(DoctorVerb, RefusesARootThatIsNotThere) {
  const Outcome outcome = run({"doctor", "--root", "no/such/folder"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("--root: found \"no/such/folder\", which is no folder"));
}

TEST_F(DoctorVerb, HasNothingToRestoreWhereNothingWasLeft) {
  const Outcome outcome = examine("server", {"--restore"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "nothing to restore\n");
}

TEST_F(DoctorVerb, HelpsWithAnExample) {
  const Outcome outcome = run({"doctor", "--help"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("--fix"));
  EXPECT_THAT(outcome.out, HasSubstr("Example:"));
}

}  // namespace
}  // namespace steelyard::ci::doctor_verb_test

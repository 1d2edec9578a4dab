// What a gate's builds are given, what of them is kept, and what they cannot do.
#include <gmock/gmock.h>

#include <set>
#include <sstream>

#include "ci/measuring/build.hpp"
#include "storage/calibration/calibration_document.hpp"
#include "tests/ci/verbs/gate_repository.hpp"
#include "tests/promised.hpp"

namespace steelyard::ci::gate_builds_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Each build writes a line of what it was asked for, and the fixture's program into place.
class GateBuilds : public Gate {
 protected:
  void TearDown() override {
    unsetenv("STEELYARD_BUILD_CACHE");
    Gate::TearDown();
  }
  // What is measured says nothing here: as little as can be.
  Outcome build(std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--rounds", "2"});
    const Outcome outcome = gate(std::move(more));
    EXPECT_THAT(outcome.status, testing::AnyOf(0, 2)) << outcome.err;
    EXPECT_THAT(outcome.err, Not(HasSubstr("a build that succeeds"))) << outcome.err;
    return outcome;
  }
  std::string logging(const std::string& what) const {
    return what + " >>'" + (folder_ / "log").string() + "'; mkdir -p out && cp '" + fixture("fast") + "' out/bench";
  }
  std::vector<std::string> log() const {
    std::vector<std::string> lines;
    std::istringstream stream(text_of(folder_ / "log"));
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
};

TEST_F(GateBuilds, OfABaselineAreKeptByCommitAndCommand) {
  commit_script("first", logging("echo first"));
  commit_script("second", logging("echo second"));
  setenv("STEELYARD_BUILD_CACHE", (folder_ / "builds").c_str(), 1);
  build();
  const Outcome again = build();
  EXPECT_THAT(again.err, HasSubstr("is as it was built before"));
  EXPECT_THAT(log(), testing::ElementsAre("first", "second", "second")) << "the candidate's is built each time";
  build({"--build", "sh build.sh && true"});
  EXPECT_THAT(log(), testing::Contains("first").Times(2)) << "another command";
  commit_script("third", logging("echo third"));
  build();
  EXPECT_THAT(log(), testing::Contains("second").Times(4)) << "the baseline is another";
}

TEST_F(GateBuilds, ThatAreInterruptedAreNamedAndNothingIsKeptOfThem) {
  const std::string interrupt = "mkdir '" + (folder_ / "interrupted").string() + "' 2>/dev/null && kill -INT " +
                                std::to_string(getpid()) + "; sleep 60";
  commit_script("first", interrupt);
  commit_script("second", interrupt);
  const Outcome outcome = gate();
  EXPECT_EQ(outcome.status, 2) << outcome.err;
  const std::string others = has_room_for_two_builds() ? " and build of the candidate (" : "";
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("steelyard: build of the baseline ("), HasSubstr(others),
                                 HasSubstr("): interrupted; nothing of that is kept\n")));
  EXPECT_EQ(outcome.out, "");
  expect_no_work_trees_left();
}

TEST_F(GateBuilds, DoNotSeeWhereBaselinesAreKept) {
  const std::string folder = (folder_ / "builds").string();
  commit_script("first", logging("ls -A '" + folder + "'"));
  commit_script("second", logging("ls -A '" + folder + "'"));
  setenv("STEELYARD_BUILD_CACHE", folder.c_str(), 1);
  const Outcome outcome = build();
  ASSERT_FALSE(std::filesystem::is_empty(folder));
  STEELYARD_SKIP_WITHOUT("namespaces", outcome.err.find("could reach") == std::string::npos,
                         "the system allows no namespace here");
  EXPECT_THAT(log(), testing::IsEmpty()) << "neither the baseline's nor the candidate's, which comes later";
}

// The baseline is built by the candidate's command, and git looks at what it changed before that is kept.
TEST_F(GateBuilds, RunNoFilterOfGitsWhereTheySeeMore) {
  const std::string folder = (folder_ / "builds").string(), ran = (folder_ / "ran").string();
  const std::string filter =
      "git config filter.x.clean 'ls -A " + folder + " >>" + ran +
      "; cat' && "
      "echo '* filter=x' >$(git rev-parse --git-common-dir)/info/attributes && touch -d tomorrow build.sh; ";
  commit_script("first", filter + logging("true"));
  commit_script("second", filter + logging("true"));
  std::filesystem::create_directory(folder);
  write(folder + "/of-another-request", "");
  setenv("STEELYARD_BUILD_CACHE", folder.c_str(), 1);
  const Outcome outcome = build();
  STEELYARD_SKIP_WITHOUT("namespaces", outcome.err.find("could reach") == std::string::npos,
                         "the system allows no namespace here");
  ASSERT_TRUE(std::filesystem::exists(ran)) << "git would not have run it anyway";
  EXPECT_EQ(text_of(ran), "") << "it sees what is kept";
}

TEST_F(GateBuilds, OfOneRepositoryStandUnderTheSamePathsEachTime) {
  commit_script("first", logging("pwd"));
  commit_script("second", logging("pwd"));
  build();
  build();
  const std::vector<std::string> lines = log();
  EXPECT_THAT(lines, testing::SizeIs(4));
  EXPECT_EQ(std::set<std::string>(lines.begin(), lines.end()).size(), 2U);
}

TEST_F(GateBuilds, OfEqualSourcesAreEqualByThePrefixMap) {
  made_.write("name.cpp", "#include <cstdio>\nint main() { std::puts(__FILE__); }\n");
  const std::string compiles = "c++ -g $STEELYARD_PREFIX_MAP -c \"$PWD/name.cpp\" -o name.o && ";
  commit_script("first", compiles + logging("sha256sum <name.o"));
  commit_script("second", compiles + logging("sha256sum <name.o"));
  const Outcome outcome = build();
  const std::vector<std::string> lines = log();
  ASSERT_THAT(lines, testing::SizeIs(2));
  EXPECT_EQ(lines[0], lines[1]);
}

TEST_F(GateBuilds, GoSideBySideWhereThereIsRoomAndAloneWhereThatFailed) {
  if (!has_room_for_two_builds()) GTEST_SKIP() << "not enough memory or cores here";
  // Each waits until the other has begun. One fails beside the other and not alone.
  const std::string meets =
      "touch ../began-${PWD##*/}; for i in $(seq 200); do "
      "[ -e ../began-base ] && [ -e ../began-head ] && break; sleep 0.05; done; "
      "[ -e ../began-base ] && [ -e ../began-head ] || exit 9; ";
  commit_script("first", meets + "[ -e ../was ] || { touch ../was; exit 8; }; " +
                             logging("echo base $CMAKE_BUILD_PARALLEL_LEVEL"));
  commit_script("second", meets + logging("echo head $CMAKE_BUILD_PARALLEL_LEVEL"));
  const Outcome outcome = build();
  EXPECT_THAT(outcome.err, HasSubstr("failed beside the other: again, alone"));
  EXPECT_THAT(log(), testing::UnorderedElementsAre("base " + std::to_string(compilers_of_a_build(1)),
                                                   "head " + std::to_string(compilers_of_a_build(2))));
}

TEST_F(GateBuilds, OfBothSidesByAnotherCommandThanTheBaselinesAreTold) {
  std::string file = text_of("steelyard.toml");
  const std::string own = "sh build.sh", theirs = "case $PWD in */base) sh build.sh;; *) sh build.sh;; esac";
  ASSERT_NE(file.find(own), std::string::npos);
  made_.write("steelyard.toml", file.replace(file.find(own), own.size(), theirs));
  commit("build it in another way", "fast");
  const Outcome outcome = gate({"--rounds", "2", "--json"});
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("what is built is built by the candidate's command"),
                                 HasSubstr("sh build.sh"), HasSubstr("case $PWD in")))
      << outcome.err;
  EXPECT_THAT(gate({"--rounds", "2", "--json", "--build", own}).out,
              Not(HasSubstr("built by the candidate's command")));
}

// Without a store there is nothing to hide, but for what would be believed if it were there.
TEST_F(GateBuilds, PutNoCalibrationWhereOneWouldBeBelieved) {
  Calibration planted;
  planted.fingerprint = "theirs";
  const std::string calibrated = storage::calibration_document(planted);
  const std::filesystem::path state = folder_ / "nothing/there/yet", named = folder_ / "runner.json";
  made_.write("planted.json", calibrated);
  planted.fingerprint = "ours";
  write(named, storage::calibration_document(planted));
  commit_script("plant it", "mkdir -p out '" + (state / "calibrations").string() + "'; cp planted.json '" +
                                (state / "calibrations/planted-duet.json").string() + "'; cp planted.json '" +
                                named.string() + "'; cp '" + fixture("fast") + "' out/bench");
  use_state(state);
  const Outcome outcome = gate({"--rounds", "2", "--json", "--calibration", named.string()});
  use_state(folder_ / "state");
  EXPECT_THAT(text_of(named), HasSubstr("theirs")) << "the build did not replace it";
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("it is of machine ours,"), Not(HasSubstr("machine theirs")))) << outcome.err;
  STEELYARD_SKIP_WITHOUT("namespaces", outcome.err.find("could reach") == std::string::npos,
                         "the system allows no namespace here");
  EXPECT_FALSE(std::filesystem::exists(state / "calibrations/planted-duet.json"));
}

}  // namespace
}  // namespace steelyard::ci::gate_builds_test

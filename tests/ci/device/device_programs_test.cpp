// ab with programs that claim to use a device: they take turns on it, and what the device says of itself decides
// whether the sides can be compared.
#include <gmock/gmock.h>

#include "bench/counting/count.hpp"
#include "tests/ci/verbs/program_under_test.hpp"
#include "tests/promised.hpp"

namespace steelyard::ci::device_programs_test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class DevicePrograms : public ProgramUnderTest {
 protected:
  static std::string program(const std::string& name) { return fixture("device_" + name); }
  static Outcome ab(const std::string& baseline, const std::string& candidate, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"ab", "--no-store", "--json", "--rounds", "12"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.insert(arguments.end(), {program(baseline), program(candidate)});
    return run(arguments);
  }
};

TEST_F(DevicePrograms, TakeTurnsAndSayWhy) {
  const Outcome outcome = ab("usual", "usual");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("\"layout\": \"interleaved\""), Not(HasSubstr("\"layout\": \"duet\"")),
                                 HasSubstr("it is marked as a program of a device"), HasSubstr("took turns"),
                                 HasSubstr("[device=NVIDIA A100-SXM4-40GB]")));
}

TEST_F(DevicePrograms, ADuetThatIsAskedForIsNotRunEither) {
  const Outcome outcome = ab("usual", "slower", {"--layout", "duet"});
  EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(Not(HasSubstr("\"layout\": \"duet\"")), HasSubstr("\"verdict\": \"regression\"")));
}

TEST_F(DevicePrograms, TwoDevicesOfOneNameAreIncomparable) {
  const Outcome outcome = ab("usual", "moved");
  EXPECT_EQ(outcome.status, 2) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("\"verdict\": \"incomparable\""), HasSubstr("gpu.uuid")));
}

TEST_F(DevicePrograms, CyclesTellWhetherTheClockDidIt) {
  const Outcome slower = ab("usual", "throttled", {"--filter", "matmul"});
  EXPECT_EQ(slower.status, 1) << slower.out << slower.err;
  EXPECT_THAT(slower.out, HasSubstr("the device's cycles did not change (+0.00 %): its clock did, 1.41 GHz before and "
                                    "1.18 GHz now"));
}

TEST_F(DevicePrograms, AChangedKernelIsNamedBeforeAChangedTime) {
  const Outcome outcome = ab("usual", "other_kernel", {"--filter", "matmul", "--markdown", "report.md"});
  EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, ContainsRegex("\"reason\": \"kernel sm80_xmma_[^;]* became [^;]*: tile 128x128x64 became "
                                         "64x64x64; 20 % slower"));
  EXPECT_THAT(text_of("report.md"), HasSubstr("tile 128x128x64 became 64x64x64"));
  const Outcome terminal = run({"ab", "--no-store", "--rounds", "12", program("usual"), program("other_kernel")});
  EXPECT_THAT(terminal.out, HasSubstr("other kernels ran than before in 1 benchmark"));
}

TEST_F(DevicePrograms, CountsThatAreDemandedAreNotForgotten) {
  const std::optional<std::string> missing = bench::counting_unavailable(bench::CountOptions{});
  STEELYARD_SKIP_WITHOUT("valgrind", !missing, *missing);
  const Outcome outcome = ab("usual", "usual", {"--counts", "always"});
  EXPECT_EQ(outcome.status, 2) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("which Callgrind cannot run"));
}

TEST_F(DevicePrograms, RunKeepsTheFactsOfTheDevice) {
  const Outcome outcome = run({"run", "--no-store", "--rounds", "2", "--json", "--", program("usual")});
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("gpu.uuid"), HasSubstr("GPU-11111111-made-up")));
}

TEST_F(DevicePrograms, RunShowsWhatTheDeviceTellsBesideTheTime) {
  const Outcome outcome = run({"run", "--no-store", "--rounds", "2", "--", program("usual")});
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, ContainsRegex("device +hot +cycles +clock +cold start +warm-up +discarded"));
}

#ifdef STEELYARD_FAKE_DEVICE_PROGRAM
// The command line, the supervision and the writer of the real program; only its worker is made up.
TEST_F(DevicePrograms, TheProgramsOwnCommandLineServes) {
  const std::string real = STEELYARD_FAKE_DEVICE_PROGRAM;
  const Outcome outcome = run({"ab", "--no-store", "--json", "--rounds", "6", "--filter", "kind:good$", real, real});
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("\"layout\": \"interleaved\""), HasSubstr("[device=Made-Up 100]"),
                                 HasSubstr("\"metric\": \"kernel_launches\""), HasSubstr("\"regression\": 0"),
                                 Not(HasSubstr("\"verdict\": \"failed\""))));
  EXPECT_EQ(outcome.status, 2) << "its target is of a device that nobody knows\n" << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("no ceilings of the device \\\"Made-Up 100\\\" are known"));
}

TEST_F(DevicePrograms, WhatFailsInTheProgramKeepsItsTarget) {
  const Outcome outcome = run({"run", "--no-store", "--json", "--output", "out.syrun", "--rounds", "2", "--filter",
                               "kind:(good|sticky)$", "--", STEELYARD_FAKE_DEVICE_PROGRAM});
  EXPECT_EQ(outcome.status, 4) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("it yielded nothing: the benchmark reported an error: launching: found "
                                     "cudaErrorIllegalAddress"));
}
#endif

}  // namespace
}  // namespace steelyard::ci::device_programs_test

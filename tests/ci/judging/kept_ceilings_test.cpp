#include "ci/judging/kept_ceilings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "bench/ceilings/measure_ceilings.hpp"
#include "storage/archive/archive.hpp"

namespace steelyard::ci::kept_ceilings_test {
namespace {

using testing::HasSubstr;

Environment machine(const std::string& model) {
  Environment environment;
  environment.set("cpu.model", model, true);
  return environment;
}

DeviceCeilings example() {
  DeviceCeilings device;
  device.device = "CPU";
  device.fingerprint = machine("A").fingerprint();
  Ceiling peak;
  peak.kind = CeilingKind::arithmetic;
  peak.dtype = "f32";
  peak.threads = 2;
  peak.source = "measured";
  peak.how = "AVX2 FMA";
  peak.samples = {1e11, 1.1e11, 1.2e11, 1.05e11, 1.07e11, 1.01e11};
  peak.clock_samples = {3e9, 3.1e9};
  peak.expected_per_cycle = 32;
  bench::settle(peak);
  Ceiling integers = peak;
  integers.dtype = "i8";
  Ceiling triad;
  triad.level = "DRAM";
  triad.access = "triad-nt";
  triad.source = "measured";
  triad.samples = {2e10, 2.1e10, 1.9e10};
  bench::settle(triad);
  device.ceilings = {peak, integers, triad};
  device.absent = {{"bf16", "the CPU lacks AVX512-BF16"}};
  device.notes = {"first", "second"};
  return device;
}

class KeptCeilings : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "steelyard-ceilings-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    state_ = name;
  }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove_all(state_, ignored);
  }
  std::filesystem::path state_;
};

TEST_F(KeptCeilings, ComeBackAsTheyWereMeasured) {
  steelyard::Run run = run_of_ceilings(example(), machine("A"));
  storage::seal(run);
  ASSERT_TRUE(keep_ceilings(state_, run));
  const auto kept = read_ceilings(state_, machine("A").fingerprint());
  ASSERT_TRUE(kept) << kept.error().text();
  ASSERT_TRUE(*kept);
  EXPECT_EQ(**kept, example());
}

TEST_F(KeptCeilings, AreBenchmarksWithTheUsualMetrics) {
  const steelyard::Run run = run_of_ceilings(example(), machine("A"));
  ASSERT_EQ(run.measurements.size(), 5U);  // two of them clocks
  EXPECT_EQ(run.measurements[0].benchmark.canonical(), "ceiling/f32/threads:2");
  EXPECT_EQ(run.measurements[0].metric, *well_known_metric("flops"));
  EXPECT_EQ(run.measurements[2].benchmark.canonical(), "ceiling/i8/threads:2");
  EXPECT_EQ(run.measurements[2].metric.unit, "op/s");
  EXPECT_EQ(run.measurements[4].benchmark.canonical(), "ceiling/DRAM/triad-nt/threads:1");
  EXPECT_EQ(run.measurements[4].metric, *well_known_metric("bandwidth"));
  EXPECT_EQ(run.measurements[4].invocations.at(0).values.size(), 3U);
}

TEST_F(KeptCeilings, AnotherMachineHasNone) {
  steelyard::Run run = run_of_ceilings(example(), machine("A"));
  storage::seal(run);
  ASSERT_TRUE(keep_ceilings(state_, run));
  const auto other = read_ceilings(state_, machine("B").fingerprint());
  ASSERT_TRUE(other);
  EXPECT_FALSE(*other);
  const auto unknown = read_ceilings(state_, "");
  ASSERT_TRUE(unknown);
  EXPECT_FALSE(*unknown);
}

TEST_F(KeptCeilings, AFileOfAnotherMachineIsRefused) {
  steelyard::Run run = run_of_ceilings(example(), machine("A"));
  storage::seal(run);
  ASSERT_TRUE(keep_ceilings(state_, run));
  const std::string other = machine("B").fingerprint();
  std::filesystem::rename(ceilings_file(state_, machine("A").fingerprint()), ceilings_file(state_, other));
  const auto read = read_ceilings(state_, other);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().text(), HasSubstr("the ceilings of machine " + machine("A").fingerprint()));
}

TEST_F(KeptCeilings, ADamagedFileIsAnErrorThatNamesIt) {
  const std::filesystem::path file = ceilings_file(state_, "0123456789abcdef");
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << "no archive";
  const auto read = read_ceilings(state_, "0123456789abcdef");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().text(), HasSubstr(file.string()));
}

TEST_F(KeptCeilings, AStateFolderThatIsNoneIsNotTakenForAnEmptyOne) {
  std::filesystem::create_symlink("loop", state_ / "loop");
  EXPECT_FALSE(read_ceilings(state_ / "loop", "0123456789abcdef"));
}

TEST_F(KeptCeilings, AStateFolderThatCannotBeMadeIsSaid) {
  std::ofstream(state_ / "file") << "";
  steelyard::Run run = run_of_ceilings(example(), machine("A"));
  storage::seal(run);
  const Result<void> kept = keep_ceilings(state_ / "file", run);
  ASSERT_FALSE(kept);
  EXPECT_THAT(kept.error().text(), HasSubstr("STEELYARD_STATE"));
}

}  // namespace
}  // namespace steelyard::ci::kept_ceilings_test

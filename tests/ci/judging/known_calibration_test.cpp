#include "ci/judging/judge.hpp"

#include <gmock/gmock.h>

#include "storage/calibration/calibration_document.hpp"
#include "storage/place/store_address.hpp"
#include "tests/ci/verbs/program_under_test.hpp"

namespace steelyard::ci::known_calibration_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class KnownCalibrations : public ProgramUnderTest {
 protected:
  void SetUp() override {
    ProgramUnderTest::SetUp();
    run_.environment.set("cpu.model", "a processor", true);
    run_.header.layout = Layout::duet;
    run_.header.session = "s";
    calibration_.fingerprint = run_.environment.fingerprint();
    calibration_.layout = Layout::duet;
  }
  Result<std::optional<Calibration>> find() {
    warnings_.clear();
    STEELYARD_TRY(KnownCalibration known, KnownCalibration::of(configuration_));
    const Calibration* const found = known.find(run_, run_, warnings_);
    return found == nullptr ? std::optional<Calibration>() : std::optional(*found);
  }
  steelyard::Run run_;
  Calibration calibration_;
  Configuration configuration_;
  std::vector<std::string> warnings_;
};

TEST_F(KnownCalibrations, IsTheOneKeptForTheMachine) {
  EXPECT_EQ(*find(), std::nullopt);
  ASSERT_TRUE(storage::keep_calibration(storage::state_folder(), calibration_));
  EXPECT_EQ(*find(), calibration_);
  EXPECT_THAT(warnings_, IsEmpty());
  run_.environment.set("cpu.model", "another", true);
  EXPECT_EQ(*find(), std::nullopt);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(KnownCalibrations, IsReadOnceACommandAndKeptForEveryLook) {
  ASSERT_TRUE(storage::keep_calibration(storage::state_folder(), calibration_));
  Result<KnownCalibration> known = KnownCalibration::of(configuration_);
  ASSERT_TRUE(known);
  const Calibration* const first = known->find(run_, run_, warnings_);
  ASSERT_NE(first, nullptr);
  std::filesystem::remove(storage::calibration_file(storage::state_folder(), calibration_.fingerprint, Layout::duet));
  EXPECT_EQ(known->find(run_, run_, warnings_), first);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(KnownCalibrations, OfANamedFileIsUsedOnItsMachineOnly) {
  std::filesystem::create_directory("root");
  ASSERT_TRUE(storage::write_calibration("root/c.json", calibration_));
  configuration_.root = folder_ / "root";
  configuration_.policy.calibration = "c.json";
  configuration_.policy.calibration_where = "steelyard.toml:3";
  EXPECT_EQ(*find(), calibration_) << "relative to steelyard.toml";
  run_.environment.set("cpu.model", "another", true);
  EXPECT_EQ(*find(), std::nullopt);
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_THAT(warnings_[0], HasSubstr("was not used: it is of machine " + calibration_.fingerprint.substr(0, 12)));
  configuration_.policy.calibration_where = "--calibration";
  EXPECT_FALSE(find()) << "relative to the current folder, where there is none";
}

TEST_F(KnownCalibrations, OfANamedFileOfAnotherConcurrentLayoutIsUsedAndTold) {
  ASSERT_TRUE(storage::write_calibration("c.json", calibration_));
  configuration_.policy.calibration = "c.json";
  configuration_.policy.calibration_where = "--calibration";
  run_.header.layout = Layout::interleaved;
  EXPECT_EQ(*find(), calibration_);
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_THAT(warnings_[0], HasSubstr("is of gates measured duet, and this was measured interleaved"));
  EXPECT_THAT(warnings_[0], HasSubstr("steelyard calibrate --layout interleaved"));
  run_.header.layout = Layout::sequential;
  EXPECT_EQ(*find(), calibration_);
  EXPECT_THAT(warnings_, IsEmpty()) << "its drift and floors are what such sides are widened by";
}

TEST_F(KnownCalibrations, OfTheStateFolderThatIsDamagedIsTold) {
  write(storage::calibration_file(storage::state_folder(), calibration_.fingerprint, Layout::duet), "{");
  const auto found = find();
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, std::nullopt);
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_THAT(warnings_[0], HasSubstr("the machine's calibration was not used"));
}

TEST_F(KnownCalibrations, AndTheSessionsSeedJudgeItsArchivesAgain) {
  Result<KnownCalibration> known = KnownCalibration::of(configuration_);
  ASSERT_TRUE(known);
  steelyard::Run other = run_;
  run_.header.seed = other.header.seed = 12104637;
  const auto seed_of = [&](std::optional<std::uint64_t> asked) {
    return compare_sides(other, run_, {configuration_, *known, asked}, {}).policy.seed;
  };
  EXPECT_EQ(seed_of({}), 12104637U);
  EXPECT_EQ(seed_of(5), 5U);
  other.header.session = "another";
  EXPECT_EQ(seed_of({}), ComparisonPolicy().seed);
  other.header.session = run_.header.session = "";
  EXPECT_EQ(seed_of({}), ComparisonPolicy().seed);
}

TEST_F(KnownCalibrations, ThatIsNamedAndDamagedEndsAComparison) {
  write("c.json", "{\"schema\": \"steelyard.calibration/2\"}");
  write("a.json", google_json(100));
  const Outcome outcome = run({"compare", "a.json", "a.json", "--calibration", "c.json"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("a newer steelyard wrote it"));
  EXPECT_EQ(run({"compare", "a.json", "a.json", "--calibration", "none.json"}).status, 3);
}

TEST_F(KnownCalibrations, CalibrateRefusesWhatItCannotMeasure) {
  const Outcome none = run({"calibrate"});
  EXPECT_EQ(none.status, 3);
  EXPECT_THAT(none.err, HasSubstr("no program"));
  EXPECT_EQ(run({"calibrate", "./nowhere"}).status, 3);
  EXPECT_EQ(run({"calibrate", "./nowhere", "--gates", "0"}).status, 3);
  EXPECT_EQ(run({"calibrate", "./nowhere", "--gates", "x"}).status, 3);
}

// What was measured with --seed 0 is judged again with 0, to the same q.
TEST_F(KnownCalibrations, AreAskedInAComparisonByTheSeedOfTheSession) {
  Result<KnownCalibration> known = KnownCalibration::of(configuration_);
  ASSERT_TRUE(known);
  steelyard::Run other = run_;
  const auto seed = [&] { return compare_sides(run_, other, {configuration_, *known}, {}).policy.seed; };
  const std::uint64_t usual = ComparisonPolicy{}.seed;
  EXPECT_NE(usual, 0U);
  EXPECT_EQ(seed(), usual) << "another tool's result has none";
  for (steelyard::Run* run : {&run_, &other}) run->header.tool = kToolName;
  EXPECT_EQ(seed(), 0U);
  for (steelyard::Run* run : {&run_, &other}) run->header.settings["seeds"] = "1; 2";
  EXPECT_EQ(seed(), usual) << "a run that was merged of several has none of its own";
  for (steelyard::Run* run : {&run_, &other}) run->header.seed = 7;
  EXPECT_EQ(seed(), 7U);
  other.header.seed = 8;
  EXPECT_EQ(seed(), usual);
}

}  // namespace
}  // namespace steelyard::ci::known_calibration_test

#include <gmock/gmock.h>

#include "storage/calibration/calibration_document.hpp"
#include "tests/ci/verbs/program_under_test.hpp"

namespace steelyard::ci::calibrate_verb_test {
namespace {

using testing::HasSubstr;

class CalibrateVerb : public ProgramUnderTest {
 protected:
  // Small enough to be quick: what it finds is of no interest here.
  static Outcome calibrate(const std::vector<std::string>& more, const std::string& program = "fast") {
    std::vector<std::string> arguments{
        "calibrate", fixture(program), "--gates",     "6",      "--rounds", "6", "--min-time",
        "1ms",       "--layout",       "interleaved", "--seed", "7"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
};

TEST_F(CalibrateVerb, KeepsWhatItFoundForTheMachineAndReportsQuoteIt) {
  const Outcome outcome = calibrate({});
  ASSERT_LE(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("noise floor"));
  EXPECT_THAT(outcome.out, HasSubstr(" of 6 A/A gates ("));
  EXPECT_THAT(outcome.err, HasSubstr("gate 6 of 6: "));
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator("state/calibrations")) files.push_back(entry.path());
  ASSERT_EQ(files.size(), 1U);
  const auto kept = storage::read_calibration(files[0]);
  ASSERT_TRUE(kept) << kept.error().text();
  EXPECT_EQ(kept->false_gates.tries, 6);
  EXPECT_EQ(kept->seed, 7U);
  EXPECT_EQ(kept->layout, Layout::interleaved);
  EXPECT_EQ(kept->drift_sequential, std::nullopt);
  ASSERT_FALSE(kept->benchmarks.empty());
  EXPECT_TRUE(kept->benchmarks[0].copies);
  EXPECT_TRUE(kept->benchmarks[0].processes);
  EXPECT_THAT(outcome.out, HasSubstr("copies  processes  p <= .05"));
  const Outcome ab = run({"ab", fixture("fast"), fixture("fast"), "--rounds", "6", "--min-time", "1ms", "--layout",
                          "interleaved", "--counts", "never", "--no-store", "--json"});
  EXPECT_THAT(ab.out, HasSubstr("\"fingerprint\": \"" + kept->fingerprint +
                                "\",\n  \"at_unix_s\": " + std::to_string(kept->at_unix_s)));
}

// What no Google Benchmark program is: a command measured from outside, and one whose results a reader takes.
TEST_F(CalibrateVerb, HoldsTheCommandsOfTheFileAgainstThemselves) {
  write("results.json", google_json(100));
  write("steelyard.toml",
        "[run]\nrounds = 6\nrepetitions = 1\nlayout = \"interleaved\"\n"
        "[[program]]\nname = \"waiting\"\ncommand = \"sleep 0.002\"\nformat = \"process\"\n"
        "[[program]]\nname = \"read\"\ncommand = \"cat results.json\"\nformat = \"google-benchmark\"\n");
  const Outcome outcome = run({"calibrate", "--gates", "6", "--seed", "7", "--output", "c.json"});
  ASSERT_LE(outcome.status, 1) << outcome.err;
  const auto written = storage::read_calibration("c.json");
  ASSERT_TRUE(written) << written.error().text();
  EXPECT_EQ(written->false_gates.tries, 6);
  std::vector<std::string> names;
  for (const auto& one : written->benchmarks) names.push_back(one.benchmark);
  EXPECT_THAT(names, testing::IsSupersetOf({HasSubstr("waiting"), HasSubstr("BM_x")}));
}

TEST_F(CalibrateVerb, WritesAFileAndEstimatesDriftWhereAsked) {
  const Outcome outcome = calibrate({"--output", "c.json", "--drift", "--json"});
  ASSERT_LE(outcome.status, 1) << outcome.err;
  const auto written = storage::read_calibration("c.json");
  ASSERT_TRUE(written) << written.error().text();
  EXPECT_TRUE(written->drift_sequential);
  EXPECT_EQ(outcome.out, text_of("c.json"));
  EXPECT_FALSE(std::filesystem::exists("state/calibrations"));
}

TEST_F(CalibrateVerb, KeepsNothingOfFewerGatesThanTellAnything) {
  const Outcome outcome = run({"calibrate", fixture("fast"), "--gates", "2", "--rounds", "6", "--min-time", "1ms",
                               "--layout", "interleaved", "--seed", "7", "--output", "c.json"});
  EXPECT_EQ(outcome.status, 2) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("noise floor"));
  EXPECT_THAT(outcome.out, HasSubstr("not kept: it is of 2 A/A gates"));
  EXPECT_THAT(outcome.err, HasSubstr("--gates 2: a calibration is kept from 6 gates on"));
  EXPECT_FALSE(std::filesystem::exists("c.json"));
  EXPECT_FALSE(std::filesystem::exists("state/calibrations"));
}

TEST_F(CalibrateVerb, SaysThatABenchmarkCrashed) {
  const Outcome outcome = calibrate({}, "crash");
  EXPECT_EQ(outcome.status, 4) << outcome.out << outcome.err;
}

}  // namespace
}  // namespace steelyard::ci::calibrate_verb_test

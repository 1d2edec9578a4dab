#include "ci/app/sides.hpp"

#include <gmock/gmock.h>

#include "bench/harness/measurement_archive.hpp"
#include "storage/archive/measurement_file.hpp"
#include "tests/ci/verbs/program_under_test.hpp"

namespace steelyard::ci::measurement_sides_test {
namespace {

using testing::HasSubstr;

TaskMeasurement timed(std::string sub_label, std::string description, double seconds) {
  TaskMeasurement measurement;
  measurement.task.label = "dot";
  measurement.task.sub_label = std::move(sub_label);
  measurement.task.description = std::move(description);
  for (int i = 0; i < 12; ++i) measurement.raw_times.push_back(seconds * (1 + 0.002 * ((i * 7) % 5)));
  return measurement;
}

class MeasurementSides : public ProgramUnderTest {};

TEST_F(MeasurementSides, EveryKindOfTheirFilesIsRecognisedAndNothingElse) {
  const std::vector<TaskMeasurement> measurements{timed("bmm", "f32", 1e-6)};
  ASSERT_TRUE(write_measurements("a.xml", measurements, MeasurementFormat::xml));
  ASSERT_TRUE(write_measurements("a.txt", measurements, MeasurementFormat::text));
  ASSERT_TRUE(storage::write_measurement_file("a.syrun", measurements));
  for (const char* file : {"a.xml", "a.txt", "a.syrun"}) {
    const auto loaded = load_measurement_side(file);
    ASSERT_TRUE(loaded) << file;
    ASSERT_TRUE(*loaded) << file;
    EXPECT_EQ(**loaded, measurements) << file;
  }
  write("b.json", google_json(100));
  ASSERT_EQ(run({"export", "b.json", "--output", "b.syrun"}).status, 0);
  for (const char* other : {"b.json", "b.syrun", ".", "run:0123", "absent"}) {
    const auto loaded = load_measurement_side(other);
    ASSERT_TRUE(loaded) << other;
    EXPECT_FALSE(*loaded) << other;
  }
}

TEST_F(MeasurementSides, OneFileIsATableOfItsDescriptions) {
  ASSERT_TRUE(
      write_measurements("a.xml", {timed("bmm", "f32", 1e-6), timed("sum", "f32", 2e-6)}, MeasurementFormat::xml));
  const Outcome outcome = run({"compare", "--table", "a.xml", "--ascii"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("dot: time"));
  EXPECT_THAT(outcome.out, HasSubstr("f32 [us]"));
  EXPECT_THAT(outcome.out, HasSubstr("x2.00"));
  EXPECT_THAT(run({"compare", "--table", "a.xml", "--reference-style"}).out, HasSubstr("--- dot ---"));
}

TEST_F(MeasurementSides, FilesThatHoldTheSameTaskStandSideBySide) {
  ASSERT_TRUE(write_measurements("old.xml", {timed("bmm", "f32", 1e-6)}, MeasurementFormat::xml));
  ASSERT_TRUE(storage::write_measurement_file("new.syrun", {timed("bmm", "f32", 1.3e-6)}));
  const Outcome outcome = run({"compare", "--table", "old.xml", "new.syrun", "--ascii"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("f32 (old)"));
  EXPECT_THAT(outcome.out, HasSubstr("+30%"));
}

TEST_F(MeasurementSides, TwoMachinesAreRefusedUnlessAskedByName) {
  TaskMeasurement here = timed("bmm", "f32", 1e-6);
  here.fingerprint = "0123456789abcdef";
  TaskMeasurement there = here;
  there.fingerprint = "fedcba9876543210";
  ASSERT_TRUE(write_measurements("here.xml", {here}, MeasurementFormat::xml));
  ASSERT_TRUE(write_measurements("there.xml", {there}, MeasurementFormat::xml));
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--reference-style"}}) {
    std::vector<std::string> arguments{"compare", "--table", "here.xml", "there.xml"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome refused = run(arguments);
    EXPECT_EQ(refused.status, 3);
    EXPECT_THAT(refused.err, HasSubstr("--ignore-fact fingerprint"));
    arguments.insert(arguments.end(), {"--ignore-fact", "fingerprint"});
    EXPECT_EQ(run(arguments).status, 0);
  }
}

TEST_F(MeasurementSides, StandBesideRunsAsBenchmarksOfTheirNames) {
  TaskMeasurement slower = timed("", "", 200e-9);
  slower.task.label = "BM_x";
  ASSERT_TRUE(write_measurements("timed.xml", {slower}, MeasurementFormat::xml));
  write("b.json", google_json(100));
  for (const auto& [first, second] : {std::pair("timed.xml", "b.json"), {"b.json", "timed.xml"}}) {
    const Outcome outcome = run({"compare", "--table", first, second, "--table-format", "csv"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr(",BM_x,timed,200.8"));
    EXPECT_THAT(outcome.out, HasSubstr(",BM_x,b,100.1"));
  }
}

TEST_F(MeasurementSides, BesideRunsTheyAreOfTheMachineThatTheirFingerprintNames) {
  Environment here;
  here.set("cpu.model", "Z80", true);
  TaskMeasurement measurement = timed("bmm", "f32", 1e-6);
  measurement.fingerprint = here.fingerprint();
  const Result<steelyard::Run> same = run_of_side({"timed", {measurement}}, {Environment(), here}, false);
  ASSERT_TRUE(same);
  EXPECT_EQ(same->environment, here);
  Environment there;
  there.set("cpu.model", "6502", true);
  const Result<steelyard::Run> other = run_of_side({"timed", {measurement}}, {there}, false);
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().text(), HasSubstr("--ignore-fact fingerprint"));
  const Result<steelyard::Run> asked = run_of_side({"timed", {measurement}}, {there}, true);
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->environment.fingerprint(), "");
}

TEST_F(MeasurementSides, TasksThatNoNameTellsApartAreNamedWithTheirFile) {
  TaskMeasurement patched = timed("bmm", "f32", 1e-6);
  patched.task.environment = "patch";
  const Result<steelyard::Run> refused = run_of_side({"timed", {timed("bmm", "f32", 1e-6), patched}}, {}, false);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("timed beside runs"));
  EXPECT_THAT(refused.error().text(), HasSubstr("patch"));
}

TEST_F(MeasurementSides, ADamagedFileIsNamed) {
  ASSERT_TRUE(write_measurements("a.xml", {timed("bmm", "f32", 1e-6)}, MeasurementFormat::xml));
  std::string text = text_of("a.xml");
  write("cut.xml", text.substr(0, text.size() / 2));
  const Outcome outcome = run({"compare", "--table", "cut.xml"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("cut.xml"));
}

}  // namespace
}  // namespace steelyard::ci::measurement_sides_test

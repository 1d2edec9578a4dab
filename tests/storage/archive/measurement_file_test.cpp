#include "storage/archive/measurement_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

#include "storage/archive/container.hpp"
#include "storage/archive/task_serialization.hpp"
#include "tests/bench/harness/sample_measurements.hpp"

namespace steelyard::storage {

// TaskMeasurement as a later program would have it: version 1 adds a note.
struct NextMeasurement {
  TaskMeasurement value;
  std::string note = "not written then";
};
template <class Archive>
void serialize(Archive& archive, NextMeasurement& next, unsigned version) {
  serialize(archive, next.value, 0);
  if (version >= 1) archive& next.note;
}

}  // namespace steelyard::storage

BOOST_CLASS_VERSION(steelyard::storage::NextMeasurement, 1)

namespace steelyard::storage::measurement_file_test {
namespace {

using testing::HasSubstr;

struct ThroughBoost {
  template <class T>
  static constexpr std::uint32_t kVersion = boost::serialization::version<T>::value;
  template <class Archive, class T>
  static void call(Archive& archive, T& object, std::uint32_t version) {
    boost::serialization::serialize_adl(archive, object, version);
  }
};
using NextTypes = PayloadTypes<ThroughBoost, NextMeasurement, TaskSpec>;

std::string golden(const std::string& name) {
  std::ifstream in(STEELYARD_GOLDEN "/" + name, std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  EXPECT_FALSE(bytes.str().empty()) << name;
  return bytes.str();
}

std::string error_of(const std::string& bytes) {
  const auto list = decode_measurement_file(bytes, "in.syrun");
  EXPECT_FALSE(list);
  if (list) return "";
  EXPECT_EQ(list.error().kind, ErrorKind::input);
  return list.error().text();
}

TEST(MeasurementFile, EveryValueComesBackAsItWas) {
  for (const auto& list : {sample_measurements(), std::vector<TaskMeasurement>{}}) {
    const std::string bytes = encode_measurement_file(list);
    const auto read = decode_measurement_file(bytes, "in.syrun");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(*read, list);
    EXPECT_TRUE(holds_measurements(bytes));
  }
}

TEST(MeasurementFile, FileOfVersionOneIsReadForEver) {
  const auto read = decode_measurement_file(golden("measurements/v1.syrun"), "v1.syrun");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, sample_measurements());
}

TEST(MeasurementFile, NextVersionReadsTheFileOfThisOne) {
  const auto payload = unpack_container(golden("measurements/v1.syrun"), "v1.syrun", PayloadKind::measurements,
                                        NextTypes::payload_version(), {});
  ASSERT_TRUE(payload) << payload.error().text();
  PayloadReader<NextTypes> reader(*payload, 1 << 20);
  std::vector<NextMeasurement> list;
  reader& list;
  reader.expect_end();
  const auto sample = sample_measurements();
  ASSERT_EQ(list.size(), sample.size());
  for (std::size_t i = 0; i < sample.size(); ++i) {
    EXPECT_EQ(list[i].value, sample[i]);
    EXPECT_EQ(list[i].note, "not written then");
  }
}

TEST(MeasurementFile, FileOfTheNextVersionAsksForAnUpgrade) {
  PayloadWriter<NextTypes> writer;
  writer& std::vector<NextMeasurement>(1);
  const std::string bytes = pack_container(writer.bytes(), PayloadKind::measurements, NextTypes::payload_version());
  EXPECT_THAT(error_of(bytes), HasSubstr("written by a newer Steelyard; upgrade this one"));
  // Refused also where the container has this version.
  const std::string lying = pack_container(writer.bytes(), PayloadKind::measurements, measurement_payload_version());
  EXPECT_THAT(error_of(lying), HasSubstr("written by a newer Steelyard; upgrade this one"));
}

TEST(MeasurementFile, RunsAndMeasurementsAreNotTakenForEachOther) {
  EXPECT_THAT(error_of(golden("archive/v1_debian12.syrun")), HasSubstr("found a run, wanted measurements"));
  EXPECT_FALSE(holds_measurements(golden("archive/v1_debian12.syrun")));
  const std::string bytes = encode_measurement_file(sample_measurements());
  const auto run = decode_run(bytes, "in.syrun");
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().text(), "in.syrun: found measurements of the harness, wanted a run");
  EXPECT_FALSE(is_from_newer_version(bytes)) << "no upgrade would make it a run";
}

TEST(MeasurementFile, OneFlippedBitAnywhereIsAnError) {
  const std::string bytes = encode_measurement_file({sample_measurements().back()});
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string flipped = bytes;
      flipped[i] = static_cast<char>(static_cast<unsigned char>(flipped[i]) ^ (1U << bit));
      ASSERT_THAT(error_of(flipped), HasSubstr("in.syrun: byte ")) << i << ' ' << bit;
    }
  }
}

TEST(MeasurementFile, CutAnywhereItIsAnErrorThatNamesTheOffset) {
  const std::string bytes = encode_measurement_file(sample_measurements());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    ASSERT_THAT(error_of(bytes.substr(0, length)), HasSubstr("in.syrun: byte " + std::to_string(length) + ":"));
  }
}

// Behind a right checksum: what another program might write.
TEST(MeasurementFile, CutPayloadAndLyingCountsAreErrorsAndNoAllocation) {
  const std::string payload = encode_measurement_payload({sample_measurements().back()});
  for (std::size_t length = 0; length < payload.size(); ++length) {
    EXPECT_FALSE(decode_measurement_payload(payload.substr(0, length), "in.syrun")) << length;
  }
  for (std::size_t at = 0; at + 8 <= payload.size(); ++at) {
    std::string lying = payload;
    lying.replace(at, 8, std::string("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x0F", 8));
    if (const auto read = decode_measurement_payload(lying, "in.syrun")) {
      for (const TaskMeasurement& measurement : *read) EXPECT_EQ(measurement.flaw(), "") << at;
    }
  }
}

TEST(MeasurementFile, FlawedMeasurementIsNeitherWrittenNorRead) {
  TaskMeasurement flawed;
  flawed.task.statement = "f(x)";
  flawed.runs_per_time = 0;
  const auto written = write_measurement_file("/nowhere/at/all.syrun", {flawed});
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().text(), HasSubstr("\"f(x)\": found 0 runs per time"));
  EXPECT_THAT(error_of(encode_measurement_file({flawed})), HasSubstr("\"f(x)\": found 0 runs per time"));
}

TEST(MeasurementFile, LiesOnTheDiskAsItWasWritten) {
  const auto path =
      std::filesystem::temp_directory_path() / ("measurements_" + std::to_string(std::random_device()()) + ".syrun");
  ASSERT_TRUE(write_measurement_file(path, sample_measurements()));
  const auto read = read_measurement_file(path);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, sample_measurements());
  EXPECT_FALSE(read_measurement_file(path, {10, 10}));
  std::filesystem::remove(path);
  EXPECT_FALSE(read_measurement_file(path));
}

}  // namespace
}  // namespace steelyard::storage::measurement_file_test

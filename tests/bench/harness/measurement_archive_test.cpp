#include "bench/harness/measurement_archive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/archive/text_iarchive.hpp>
#include <boost/archive/text_oarchive.hpp>
#include <boost/archive/xml_iarchive.hpp>
#include <boost/archive/xml_oarchive.hpp>
#include <cctype>
#include <cmath>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>

#include "bench/harness/measurement_records.hpp"
#include "tests/bench/harness/sample_measurements.hpp"

// The version after the current one, as a later program would have it: a measurement with a field more.
namespace steelyard::next {

struct Measurement {
  TaskMeasurement value;
  std::string note = "not written then";
};
struct List {
  std::vector<Measurement> values;
};

template <class Archive>
void serialize(Archive& archive, Measurement& record, unsigned version) {
  records::put_fields(archive, record.value, version);
  if (version >= 2) records::put_text(archive, "note", record.note);
}
template <class Archive>
void serialize(Archive& archive, List& record, unsigned /*version*/) {
  records::put_list(archive, "count", record.values,
                    [&](Measurement& item) { records::put(archive, "measurement", item); });
}

}  // namespace steelyard::next

BOOST_CLASS_VERSION(steelyard::next::Measurement, 2)
BOOST_CLASS_VERSION(steelyard::next::List, 1)
BOOST_CLASS_TRACKING(steelyard::next::Measurement, boost::serialization::track_never)
BOOST_CLASS_TRACKING(steelyard::next::List, boost::serialization::track_never)

namespace steelyard::measurement_archive_test {
namespace {

using testing::HasSubstr;

constexpr MeasurementFormat kFormats[] = {MeasurementFormat::text, MeasurementFormat::xml};

std::string encoded(const std::vector<TaskMeasurement>& list, MeasurementFormat format) {
  auto bytes = encode_measurements(list, format);
  EXPECT_TRUE(bytes) << bytes.error().text();
  return bytes ? std::move(bytes).value() : "";
}

std::string error_of(const std::string& bytes) {
  const auto list = decode_measurements(bytes, "in.xml");
  EXPECT_FALSE(list);
  if (list) return "";
  EXPECT_EQ(list.error().kind, ErrorKind::input);
  EXPECT_THAT(list.error().text(), testing::StartsWith("in.xml: "));
  return list.error().text();
}

std::string golden(const std::string& name) {
  std::ifstream in(STEELYARD_GOLDEN "/measurements/" + name, std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  EXPECT_FALSE(bytes.str().empty()) << name;
  return bytes.str();
}

TEST(MeasurementArchive, EveryValueComesBackAsItWas) {
  for (const MeasurementFormat format : kFormats) {
    for (const auto& list : {sample_measurements(), std::vector<TaskMeasurement>{}}) {
      const std::string bytes = encoded(list, format);
      const auto read = decode_measurements(bytes, "in.xml");
      ASSERT_TRUE(read) << read.error().text();
      EXPECT_EQ(*read, list);
      EXPECT_EQ(encoded(*read, format), bytes);
      EXPECT_TRUE(opens_like_measurements(bytes));
    }
  }
}

TEST(MeasurementArchive, FilesOfVersionOneAreReadForEver) {
  for (const char* name : {"v1.txt", "v1.xml"}) {
    const auto read = decode_measurements(golden(name), name);
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(*read, sample_measurements());
  }
}

// Random finite doubles of every magnitude and texts of any bytes.
TEST(MeasurementArchive, RoundTripIsTheIdentityForAnyDoubleAndAnyText) {
  std::mt19937_64 random(8);
  TaskMeasurement measurement;
  while (measurement.raw_times.size() < 2000) {
    const std::uint64_t bits = random() >> 1U;  // not below 0
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (std::isfinite(value)) measurement.raw_times.push_back(value);
  }
  for (int i = 0; i < 300; ++i) {
    std::string text(random() % 12, '\0');
    for (char& c : text) c = static_cast<char>(random());
    measurement.metadata[text] = text;
  }
  for (const MeasurementFormat format : kFormats) {
    const auto read = decode_measurements(encoded({measurement}, format), "in.xml");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(read->front(), measurement);
  }
}

TEST(MeasurementArchive, NextVersionReadsTheFilesOfThisOne) {
  const auto expect_read = [](auto& archive) {
    next::List list;
    archive >> boost::serialization::make_nvp("measurements", list);
    const auto sample = sample_measurements();
    ASSERT_EQ(list.values.size(), sample.size());
    for (std::size_t i = 0; i < sample.size(); ++i) {
      EXPECT_EQ(list.values[i].value, sample[i]);
      EXPECT_EQ(list.values[i].note, "not written then");
    }
  };
  std::istringstream text(golden("v1.txt"));
  boost::archive::text_iarchive text_archive(text, boost::archive::no_codecvt);
  expect_read(text_archive);
  std::istringstream xml(golden("v1.xml"));
  boost::archive::xml_iarchive xml_archive(xml, boost::archive::no_codecvt);
  expect_read(xml_archive);
}

TEST(MeasurementArchive, FileOfTheNextVersionAsksForAnUpgrade) {
  std::ostringstream stream;
  {
    boost::archive::xml_oarchive archive(stream, boost::archive::no_codecvt);
    next::List list;
    list.values.resize(1);
    archive << boost::serialization::make_nvp("measurements", list);
  }
  std::string bytes = stream.str();
  while (bytes.ends_with("\n\n")) bytes.pop_back();
  EXPECT_THAT(error_of(bytes), HasSubstr("written by a newer Steelyard; upgrade this one"));
}

TEST(MeasurementArchive, ArchiveOfALaterBoostIsToldFromDamage) {
  std::string text = encoded({}, MeasurementFormat::text);
  const std::size_t after_opening = std::string("22 serialization::archive ").size();
  text.replace(after_opening, text.find(' ', after_opening) - after_opening, "9999");
  EXPECT_THAT(error_of(text), HasSubstr("an archive of a later Boost"));
}

TEST(MeasurementArchive, CutAnywhereItIsOneError) {
  for (const MeasurementFormat format : kFormats) {
    const std::string bytes = encoded(sample_measurements(), format);
    for (std::size_t length = 0; length < bytes.size(); ++length) error_of(bytes.substr(0, length));
  }
}

// A middle part lost, the end kept: an error, or at least nothing that could not have been measured.
TEST(MeasurementArchive, PartLostFromTheMiddleNeverYieldsANonsense) {
  for (const MeasurementFormat format : kFormats) {
    const std::string bytes = encoded(sample_measurements(), format);
    std::mt19937 random(4);
    int refused = 0;
    for (int i = 0; i < 1500; ++i) {
      const std::size_t begin = 60 + random() % (bytes.size() - 60);
      std::string lossy = bytes;
      lossy.erase(begin, 1 + random() % 40);
      const auto read = decode_measurements(lossy, "in.xml");
      if (!read) ++refused;
      if (!read) continue;
      for (const TaskMeasurement& measurement : *read) EXPECT_EQ(measurement.flaw(), "");
    }
    EXPECT_GT(refused, 1000);
  }
}

TEST(MeasurementArchive, CountsThatLieAreErrorsAndNoAllocation) {
  for (const MeasurementFormat format : kFormats) {
    TaskMeasurement one;
    one.task.statement = "statement";
    one.raw_times = {1.5};
    const std::string bytes = encoded({one}, format);
    // Every number of the file in turn becomes 10^17; where that is a length or a count, it must be refused at once.
    int refused = 0;
    for (std::size_t at = 60; at < bytes.size(); ++at) {
      const bool is_number = std::isdigit(static_cast<unsigned char>(bytes[at])) != 0 &&
                             std::strchr(" >", bytes[at - 1]) != nullptr &&
                             std::strchr(" <\n", bytes[at + 1]) != nullptr;
      if (!is_number) continue;
      if (!decode_measurements(std::string(bytes).replace(at, 1, "100000000000000000"), "in.xml")) ++refused;
    }
    EXPECT_GE(refused, 5);
  }
}

TEST(MeasurementArchive, TagsOfOtherNamesAreRefusedHoweverLong) {
  const std::string bytes = encoded({sample_measurements().back()}, MeasurementFormat::xml);
  for (const std::size_t length : {1U, 14U, 63U, 64U, 100'000U}) {
    std::string renamed = bytes;
    const std::size_t at = renamed.find("</runs_per_time>");
    renamed.replace(at + 2, 13, std::string(length, 'x'));
    error_of(renamed);
  }
}

TEST(MeasurementArchive, FlawedMeasurementIsNeitherWrittenNorRead) {
  TaskMeasurement flawed;
  flawed.task.statement = "f(x)";
  flawed.raw_times = {1};
  flawed.runs_per_time = 0;
  const auto refused = encode_measurements({flawed}, MeasurementFormat::xml);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text(), "measurement \"f(x)\": found 0 runs per time, wanted what could be measured");
  flawed.runs_per_time = 1;
  std::string bytes = encoded({flawed}, MeasurementFormat::xml);
  const std::string field = "<runs_per_time>1<";
  bytes.replace(bytes.find(field), field.size(), "<runs_per_time>0<");
  EXPECT_THAT(error_of(bytes), HasSubstr("0 runs per time"));
}

TEST(MeasurementArchive, OtherFilesAndTooLargeOnesAreRefused) {
  EXPECT_THAT(error_of(""), HasSubstr("an empty file"));
  EXPECT_THAT(error_of("{}"), HasSubstr("a text or XML archive of measurements"));
  EXPECT_THAT(error_of("<?xml version=\"1.0\"?><html></html>"), HasSubstr("something else"));
  const auto large = decode_measurements(std::string(100, 'x'), "in.xml", {.file_bytes = 99});
  ASSERT_FALSE(large);
  EXPECT_THAT(large.error().text(), HasSubstr("wanted at most 99"));
  const std::string bytes = encoded({}, MeasurementFormat::text);
  EXPECT_THAT(error_of(bytes.substr(0, bytes.size() - 21) + " 7" + bytes.substr(bytes.size() - 21)),
              HasSubstr("between the last measurement and the end"));
}

TEST(MeasurementArchive, FilesAreWrittenWholeAndReadWithinALimit) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("measurements_" + std::to_string(std::random_device()()));
  std::filesystem::create_directory(folder);
  const auto path = folder / "a.xml";
  ASSERT_TRUE(write_measurements(path, sample_measurements(), MeasurementFormat::xml));
  const auto read = read_measurements(path);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, sample_measurements());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1) << "no part is left beside it";
  EXPECT_FALSE(read_measurements(path, {.file_bytes = 10}));
  EXPECT_FALSE(read_measurements(folder));
  EXPECT_FALSE(read_measurements(folder / "absent"));
  const auto nowhere = write_measurements(folder / "absent" / "a.xml", {}, MeasurementFormat::text);
  ASSERT_FALSE(nowhere);
  EXPECT_THAT(nowhere.error().text(), HasSubstr("No such file or directory"));
  std::filesystem::remove_all(folder);
}

TEST(MeasurementRecords, EscapesAreUndoneAndNothingElseIsOne) {
  EXPECT_EQ(records::escaped(std::string("a\\b\x01\r\n", 6)), "a\\\\b\\x01\\x0D\n");
  EXPECT_EQ(records::escaped("\xC3\xB6"), "\xC3\xB6");
  EXPECT_EQ(records::escaped("\xB6"), "\\xB6");
  EXPECT_EQ(records::unescaped("\\\\x41\\x41"), "\\x41A");
  for (const char* broken : {"\\", "\\x", "\\x4", "\\n", "\\xG0", "\\xab"}) {
    EXPECT_THROW(records::unescaped(broken), std::runtime_error) << broken;
  }
}

}  // namespace
}  // namespace steelyard::measurement_archive_test

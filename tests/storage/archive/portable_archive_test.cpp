#include "storage/archive/portable_archive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/serialization/serialization.hpp>
#include <boost/serialization/version.hpp>
#include <cmath>
#include <limits>

namespace steelyard::storage {

// A class whose version 1 added `note`.
struct Thing {
  std::int32_t number = 0;
  std::string note = "not written then";
};
template <class Archive>
void serialize(Archive& archive, Thing& thing, unsigned version) {
  archive& thing.number;
  if (version >= 1) archive& thing.note;
}
enum class Colour { red, green };
template <>
inline constexpr std::uint8_t kEnumerators<Colour> = 2;

}  // namespace steelyard::storage

BOOST_CLASS_VERSION(steelyard::storage::Thing, 1)

namespace steelyard::storage::portable_archive_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
struct ThroughBoost {
  template <class T>
  static constexpr std::uint32_t kVersion = boost::serialization::version<T>::value;
  template <class Archive, class T>
  static void call(Archive& archive, T& object, std::uint32_t version) {
    boost::serialization::serialize_adl(archive, object, version);
  }
};

using Types = PayloadTypes<ThroughBoost, Thing>;
using Writer = PayloadWriter<Types>;
using Reader = PayloadReader<Types>;
constexpr std::uint64_t kMemory = 1 << 20;  // bytes that what is read may take

// The bytes of one value without the versions that open every payload.
template <class T>
std::string bytes_of(const T& value) {
  Writer writer;
  const std::size_t opening = writer.bytes().size();
  writer& value;
  return writer.bytes().substr(opening);
}

template <class T>
T round_trip(const T& value) {
  Writer writer;
  writer& value;
  Reader reader(writer.bytes(), kMemory);
  T read{};
  reader& read;
  reader.expect_end();
  return read;
}

// Reads a T from raw bytes that follow the versions.
template <class T>
PayloadDefect defect_of(const std::string& bytes) {
  const std::string payload = Writer().bytes() + bytes;
  try {
    Reader reader(payload, kMemory);
    T value{};
    reader& value;
    reader.expect_end();
  } catch (const PayloadDefect& defect) {
    return defect;
  }
  ADD_FAILURE() << "no defect was found";
  return {};
}

TEST(PortableArchive, BytesOfEachKindAreFixed) {
  using namespace std::string_literals;
  EXPECT_EQ(bytes_of(std::int32_t{-2}), "\xfe\xff\xff\xff"s);
  EXPECT_EQ(bytes_of(std::uint64_t{0x0102030405060708}), "\x08\x07\x06\x05\x04\x03\x02\x01"s);
  EXPECT_EQ(bytes_of(1.0), "\0\0\0\0\0\0\xf0\x3f"s);
  EXPECT_EQ(bytes_of("ab"s), "\2\0\0\0\0\0\0\0ab"s);
  EXPECT_EQ(bytes_of(std::vector<std::int32_t>{7}), "\1\0\0\0\0\0\0\0\7\0\0\0"s);
  EXPECT_EQ(bytes_of(std::optional<std::int32_t>()), "\0"s);
  EXPECT_EQ(bytes_of(Colour::green), "\1"s);
  EXPECT_EQ(bytes_of(true), "\1"s);
}

TEST(PortableArchive, ValuesComeBackAsTheyWere) {
  EXPECT_EQ(round_trip(std::numeric_limits<std::int64_t>::min()), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(round_trip(std::numeric_limits<std::uint32_t>::max()), std::numeric_limits<std::uint32_t>::max());
  EXPECT_EQ(round_trip(std::string("a\0b", 3)), std::string("a\0b", 3));
  EXPECT_EQ(round_trip(std::optional<std::int32_t>(5)), 5);
  EXPECT_THAT(round_trip(std::vector<std::string>{"", "x"}), ElementsAre("", "x"));
  EXPECT_EQ(round_trip(std::map<std::string, std::string>{{"a", "1"}, {"b", ""}}),
            (std::map<std::string, std::string>{{"a", "1"}, {"b", ""}}));
  EXPECT_TRUE(std::signbit(round_trip(-0.0)));
}

TEST(PortableArchive, NaNKeepsItsBits) {
  for (const std::uint64_t bits : {0x7FF8'0000'0000'0000U, 0xFFF8'0000'DEAD'BEEFU, 0x7FF8'0000'0000'0001U}) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(round_trip(std::bit_cast<double>(bits))), bits);
  }
}

TEST(PortableArchive, OlderVersionLeavesItsNewerFieldsAtTheirDefault) {
  Writer old(Types::Versions{0});
  old& Thing{7, "dropped"};
  Reader reader(old.bytes(), kMemory);
  Thing thing;
  reader& thing;
  reader.expect_end();
  EXPECT_EQ(thing.number, 7);
  EXPECT_EQ(thing.note, "not written then");
  EXPECT_EQ(round_trip(Thing{7, "kept"}).note, "kept");
}

TEST(PortableArchive, NewerVersionIsToldFromDamage) {
  const Writer newer(Types::Versions{2});
  try {
    Reader reader(newer.bytes(), kMemory);
    FAIL() << "it was read";
  } catch (const PayloadDefect& defect) {
    EXPECT_TRUE(defect.newer);
    EXPECT_EQ(defect.found, "record version 2");
  }
}

TEST(PortableArchive, PayloadVersionRisesWithEveryClassAndEveryVersion) {
  EXPECT_EQ(Types::payload_version(), 2U);
  EXPECT_EQ((PayloadTypes<ThroughBoost, Thing, Colour>::payload_version()), 3U);
}

TEST(PortableArchive, CountBeyondTheRestOfThePayloadIsRefusedUnallocated) {
  const std::string huge = bytes_of(std::uint64_t{1} << 60U);
  EXPECT_THAT(defect_of<std::string>(huge).found, HasSubstr("a count of 1152921504606846976"));
  EXPECT_THAT(defect_of<std::vector<double>>(huge).found, HasSubstr("a count of"));
  EXPECT_THAT(defect_of<std::vector<Thing>>(huge).found, HasSubstr("a count of"));
  EXPECT_THAT((defect_of<std::map<std::string, std::string>>(huge).found), HasSubstr("a count of"));
  EXPECT_THAT(defect_of<std::vector<double>>(bytes_of(~std::uint64_t{0})).found, HasSubstr("a count of"));
  // One more than there is room for.
  EXPECT_THAT(defect_of<std::vector<double>>(bytes_of(std::uint64_t{2}) + std::string(15, '\0')).found,
              HasSubstr("a count of 2"));
}

TEST(PortableArchive, ValueOutsideItsRangeIsRefused) {
  EXPECT_EQ(defect_of<Colour>("\2").wanted, "below 2");
  EXPECT_EQ(defect_of<bool>("\2").wanted, "0 or 1");
  EXPECT_EQ(defect_of<std::optional<std::int32_t>>("\3").found, "3");
}

TEST(PortableArchive, KeysMustAscendSoThatOneMapHasOneForm) {
  const std::string key = bytes_of(std::string("k")) + bytes_of(std::string());
  EXPECT_EQ((defect_of<std::map<std::string, std::string>>(bytes_of(std::uint64_t{2}) + key + key).wanted),
            "ascending keys");
}

TEST(PortableArchive, CutAndTrailingBytesNameTheOffset) {
  const std::size_t opening = Writer().bytes().size();
  EXPECT_EQ(defect_of<double>("1234567").offset, opening);
  const PayloadDefect trailing = defect_of<std::int32_t>("1234x");
  EXPECT_EQ(trailing.offset, opening + 4);
  EXPECT_EQ(trailing.found, "1 bytes more");
}

}  // namespace
}  // namespace steelyard::storage::portable_archive_test

#include "storage/packing/packed_samples.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <set>

#include "tests/storage/packing/bitwise_equal.hpp"
#include "tests/storage/packing/example_samples.hpp"

namespace steelyard::storage::packed_samples_test {
namespace {

using storage_test::bitwise_equal;
using storage_test::clock_samples;
using storage_test::example_samples;
using storage_test::pack_samples;
using ::testing::HasSubstr;

// Form of the judged samples' block, for payloads whose iterations are one constant below 64 or absent.
int form_of(const std::string& packed, std::size_t structure, std::size_t iterations) {
  return static_cast<unsigned char>(packed.at(structure + iterations));
}

TEST(PackedSamplesTest, GiveBackEverySampleToTheLastBit) {
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    const auto sections = example_samples(seed);
    const auto unpacked = unpack_samples(pack_samples(sections.judged, sections.excluded), "test");
    ASSERT_TRUE(unpacked) << seed << ": " << unpacked.error().text();
    EXPECT_FALSE(unpacked->dropped);
    ASSERT_TRUE(bitwise_equal(unpacked->invocations, sections.judged)) << seed;
    ASSERT_TRUE(bitwise_equal(unpacked->excluded, sections.excluded)) << seed;
  }
}

TEST(PackedSamplesTest, KeepTheBitsOfANaN) {
  const std::vector<InvocationSamples> samples{
      {0, {std::bit_cast<double>(std::uint64_t{0xFFF4000000000123}), -0.0, 1.5}, {}}};
  const auto unpacked = unpack_samples(pack_samples(samples), "test");
  ASSERT_TRUE(unpacked);
  EXPECT_TRUE(bitwise_equal(unpacked->invocations, samples));
}

TEST(PackedSamplesTest, KeepNoInvocationsAndEmptyOnes) {
  for (const std::vector<InvocationSamples>& samples :
       {std::vector<InvocationSamples>{}, std::vector<InvocationSamples>{{0, {}, {}}},
        std::vector<InvocationSamples>{{4294967295U, {1}, {}}, {0, {}, {3, 4}}}}) {
    const auto unpacked = unpack_samples(pack_samples(samples, samples), "test");
    ASSERT_TRUE(unpacked);
    EXPECT_EQ(unpacked->invocations, samples);
    EXPECT_EQ(unpacked->excluded, samples);
  }
}

TEST(PackedSamplesTest, TakeAboutThreeBytesASampleOfAClock) {
  // log2(1e5 * sqrt(2 pi e)) = 18.7 bits is what such samples cannot do without.
  std::size_t bytes = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) bytes += pack_samples(clock_samples({}, seed)).size();
  EXPECT_LE(bytes, 6'400U);
  EXPECT_GE(bytes, 4'700U);
}

TEST(PackedSamplesTest, TakeAFewBytesForCounts) {
  std::vector<InvocationSamples> samples;
  for (std::uint32_t i = 0; i < 10; ++i) samples.push_back({i, {7015, 7015}, {1, 1}});
  EXPECT_LE(pack_samples(samples).size(), 12U);
}

TEST(PackedSamplesTest, PayForAnOutlierOnce) {
  auto samples = clock_samples({}, 1);
  const std::size_t without = pack_samples(samples).size();
  samples[0].values[7] += 1e6;  // 1 s once
  EXPECT_LE(pack_samples(samples).size(), without + 8);
}

TEST(PackedSamplesTest, UseEveryForm) {
  constexpr std::size_t kHead = 3;        // regular structure
  constexpr std::size_t kIterations = 2;  // width 0, one below 64
  const auto packed = [](std::vector<double> values, bool with_iterations) {
    std::vector<std::int64_t> iterations;
    if (with_iterations) iterations.assign(values.size(), 7);
    return pack_samples({{0, std::move(values), iterations}});
  };
  EXPECT_EQ(form_of(packed({1e300, -1e-300, 3.1, 0x1p-1070}, false), kHead, 0), 0);
  EXPECT_EQ(form_of(packed({1, 2, 3}, false), kHead, 0), 1);
  EXPECT_EQ(form_of(packed({1.25, 2.5, 3.75}, false), kHead, 0), 1);
  EXPECT_EQ(form_of(packed({10'000'001 / 7.0, 10'000'003 / 7.0}, true), kHead, kIterations), 2);
  EXPECT_EQ(form_of(packed({std::nextafter(10'000'001 / 7.0, 0), 10'000'003 / 7.0}, true), kHead, kIterations), 3);
  const auto read = [](double q) { return q * 0x1p-37 * 1e9 / 7; };
  EXPECT_EQ(form_of(packed({read(1'374'389'535), read(1'374'408'217), read(1'374'401'345)}, true), kHead, kIterations),
            4);
  EXPECT_EQ(form_of(packed({0.1, 0.1 + 1e-12, 0.1 + 3e-12, 1 / 9.0}, false), kHead, 0), 5);
}

TEST(PackedSamplesTest, ReadAnyBytesOrSayThatTheyCannot) {
  std::mt19937_64 engine(1);
  int read = 0;
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    const auto sections = example_samples(seed);
    const std::string packed = pack_samples(sections.judged, sections.excluded);
    for (int change = 0; change < 20; ++change) {
      std::string damaged = packed;
      if (change % 4 == 0) damaged.resize(engine() % damaged.size());
      for (int i = 0; i <= change % 3 && !damaged.empty(); ++i) {
        damaged[engine() % damaged.size()] = static_cast<char>(engine());
      }
      const auto unpacked = unpack_samples(damaged, "run:x");
      if (unpacked) {
        ++read;
      } else {
        EXPECT_THAT(unpacked.error().text(), HasSubstr("run:x"));
      }
    }
  }
  EXPECT_GT(read, 0);
}

TEST(PackedSamplesTest, RefuseToAllocateWhatTheyOnlyClaim) {
  // Regular, 2^31 invocations of 2^31 samples, all in a block of no bits.
  std::string claim("\x21\xff\xff\xff\xff\x07\xff\xff\xff\xff\x07\x01\x00\x00\x02", 15);
  EXPECT_FALSE(unpack_samples(claim, "test"));
  claim.replace(1, 10, std::string("\x01\x81\x20", 3));  // one invocation of 4097
  EXPECT_FALSE(unpack_samples(claim, "test"));
  claim.replace(1, 3, std::string("\x01\x80\x20", 3));  // 4096
  ASSERT_TRUE(unpack_samples(claim, "test"));
  EXPECT_EQ(unpack_samples(claim, "test")->invocations[0].values.back(), 1);
}

TEST(PackedSamplesTest, KeepManyEqualSamples) {
  const std::vector<InvocationSamples> samples{{0, std::vector<double>(100'000, 5), {}}};
  const auto unpacked = unpack_samples(pack_samples(samples), "test");
  ASSERT_TRUE(unpacked);
  EXPECT_EQ(unpacked->invocations, samples);
}

TEST(PackedSamplesTest, RefuseAnotherVersionAndWhatFollowsTheEnd) {
  std::string packed = pack_samples({{0, {1, 2}, {}}});
  EXPECT_FALSE(unpack_samples(packed + '\0', "test"));
  packed[0] = static_cast<char>(packed[0] + 1);
  const auto refused = unpack_samples(packed, "run:abc");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::store);
  EXPECT_THAT(refused.error().text(), HasSubstr("newer steelyard"));
}

}  // namespace
}  // namespace steelyard::storage::packed_samples_test

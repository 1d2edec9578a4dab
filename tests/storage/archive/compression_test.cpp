#include "storage/archive/compression.hpp"

#include <gtest/gtest.h>

namespace steelyard {
namespace {

TEST(Compression, BytesComeBackAsTheyWere) {
  std::string mixed;
  for (unsigned i = 0; i < 300'000; ++i) mixed += static_cast<char>((i * i) >> 3U);
  for (const std::string& bytes : {std::string(), std::string("a"), std::string(1'000'000, '\0'), mixed}) {
    EXPECT_EQ(decompress(compress(bytes), bytes.size()), bytes);
  }
}

TEST(Compression, AnotherSizeThanClaimedIsRefused) {
  const std::string packed = compress(std::string(100'000, 'x'));
  EXPECT_FALSE(decompress(packed, 99'999).has_value());
  EXPECT_FALSE(decompress(packed, 100'001).has_value());
}

TEST(Compression, ClaimOfExabytesAllocatesNone) {
  EXPECT_FALSE(decompress(compress("small"), std::size_t{1} << 60U).has_value());
}

TEST(Compression, CutFrameAndOtherBytesAreRefused) {
  const std::string bytes = "a run of measurements, a run of measurements";
  const std::string packed = compress(bytes);
  for (std::size_t length = 0; length < packed.size(); ++length) {
    EXPECT_FALSE(decompress(packed.substr(0, length), bytes.size()).has_value()) << length;
  }
  EXPECT_FALSE(decompress("not zstd at all, by any means", 29).has_value());
}

}  // namespace
}  // namespace steelyard

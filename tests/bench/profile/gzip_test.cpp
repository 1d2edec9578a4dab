#include "bench/profile/gzip.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace steelyard::bench::gzip_test {
namespace {

std::string packed(const std::string& text) {
  std::ostringstream out;
  {
    GzipStream in(out);
    in << text;
  }
  return out.str();
}

std::string unpacked(const std::string& bytes, std::uint64_t max_bytes = std::uint64_t{1} << 30) {
  const auto text = unpack_gzip(bytes, "it.gz", max_bytes);
  return text ? *text : "error: " + text.error().text();
}

// Longer than the buffers of both sides, and not of one letter.
std::string long_text() {
  std::string text;
  for (int i = 0; text.size() < 1'500'000; ++i) text += "event " + std::to_string(i * 7919 % 100'003) + '\n';
  return text;
}

TEST(Gzip, GivesBackWhatWasPacked) {
  for (const std::string& text : {std::string(), std::string("x"), long_text()}) {
    EXPECT_TRUE(is_gzip(packed(text)));
    EXPECT_EQ(unpacked(packed(text)), text);
  }
  EXPECT_LT(packed(long_text()).size(), long_text().size() / 2);
  EXPECT_FALSE(is_gzip("{\"traceEvents\": []}"));
}

TEST(Gzip, OfSeveralMembersIsAllOfThem) { EXPECT_EQ(unpacked(packed("one, ") + packed("two")), "one, two"); }

TEST(Gzip, ThatIsCutDamagedOrTooLargeIsAnError) {
  const std::string whole = packed(long_text());
  for (const std::size_t bytes : {std::size_t{2}, std::size_t{10}, whole.size() / 2, whole.size() - 1}) {
    EXPECT_NE(unpacked(whole.substr(0, bytes)).find("cut or damaged"), std::string::npos) << bytes;
  }
  std::string damaged = whole;
  damaged[whole.size() / 2] = static_cast<char>(damaged[whole.size() / 2] ^ 0x55);
  EXPECT_NE(unpacked(damaged).find("error: it.gz"), std::string::npos);
  EXPECT_NE(unpacked(whole, 1'000'000).find("more than 1000000 bytes"), std::string::npos);
}

}  // namespace
}  // namespace steelyard::bench::gzip_test

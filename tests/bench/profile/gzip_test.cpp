#include "bench/profile/gzip.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <string_view>

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
  return text ? text->text + (text->is_cut ? "|cut" : "") : "error: " + text.error().text();
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

TEST(Gzip, ThatIsCutHasWhatStandsBeforeTheCutAndSaysSo) {
  const std::string text = long_text(), whole = packed(text);
  std::size_t before = 0;
  for (const std::size_t bytes : {std::size_t{2}, std::size_t{10}, whole.size() / 2, whole.size() - 1}) {
    const auto cut = unpack_gzip(std::string_view(whole).substr(0, bytes), "it.gz", std::uint64_t{1} << 30);
    ASSERT_TRUE(cut) << bytes;
    EXPECT_TRUE(cut->is_cut) << bytes;
    EXPECT_TRUE(text.starts_with(cut->text)) << bytes;
    EXPECT_GE(cut->text.size(), before) << bytes;
    before = cut->text.size();
  }
  EXPECT_EQ(before, text.size()) << "of the last the check of its sum is missing";
  const std::string two = packed("one, ") + packed("two");
  EXPECT_EQ(unpacked(two.substr(0, two.size() - 8)), "one, two|cut");
  EXPECT_EQ(unpacked(two.substr(0, two.size() - packed("two").size())), "one, ");
}

TEST(Gzip, ThatIsDamagedOrTooLargeIsAnError) {
  const std::string whole = packed(long_text());
  std::string damaged = whole;
  damaged[whole.size() / 2] = static_cast<char>(damaged[whole.size() / 2] ^ 0x55);
  EXPECT_NE(unpacked(damaged).find("error: it.gz: found gzip that is damaged"), std::string::npos);
  EXPECT_NE(unpacked(whole, 1'000'000).find("more than 1000000 bytes"), std::string::npos);
}

}  // namespace
}  // namespace steelyard::bench::gzip_test

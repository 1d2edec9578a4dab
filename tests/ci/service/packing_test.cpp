#include "ci/service/packing.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <random>

namespace steelyard::ci::packing_test {
namespace {

constexpr std::size_t kPlenty = 1 << 20;

// Empty where it is not one whole gzip file.
std::string unpacked(const std::string& bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return "";
  std::string text(1 << 20, '\0');
  std::string read = bytes;
  stream.next_in = reinterpret_cast<Bytef*>(read.data());
  stream.avail_in = static_cast<uInt>(read.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  const int done = inflate(&stream, Z_FINISH);
  text.resize(stream.total_out);
  const bool is_all = done == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  return is_all ? text : "";
}

std::string numbers(std::uint32_t seed, int count) {
  std::mt19937 random(seed);
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(random()) + ',';
  return text;
}

std::string packed(PackedPieces& pieces, const std::string& text, const std::vector<std::size_t>& ends) {
  const auto bytes = pieces.packed(text, pieces_of(text, ends));
  return bytes ? *bytes : "";
}

TEST(Packing, OfPiecesUnpacksToTheText) {
  PackedPieces pieces(kPlenty, 1);
  const std::string text = numbers(1, 5000);
  for (const std::vector<std::size_t>& ends : std::vector<std::vector<std::size_t>>{
           {}, {1}, {0, 0, 1, 1}, {1000, 2000, 40'000}, {text.size() - 1}, {text.size()}, {text.size() + 9}}) {
    const std::string bytes = packed(pieces, text, ends);
    EXPECT_EQ(unpacked(bytes), text) << ends.size();
    EXPECT_LT(bytes.size(), text.size() * 6 / 10) << "and is shorter";
  }
  EXPECT_EQ(packed(pieces, "a", {}), packed(pieces, "a", {1}));
  EXPECT_EQ(unpacked(packed(pieces, "a", {})), "a");
}

TEST(Packing, OfAPieceIsDoneOnce) {
  PackedPieces pieces(kPlenty, 1);
  const std::string first = numbers(1, 1000), second = numbers(2, 1000), third = numbers(3, 1000);
  EXPECT_EQ(unpacked(packed(pieces, first + second, {first.size()})), first + second);
  const std::size_t of_two = pieces.bytes();
  EXPECT_EQ(unpacked(packed(pieces, second + first, {second.size()})), second + first);
  EXPECT_EQ(pieces.bytes(), of_two);
  EXPECT_EQ(unpacked(packed(pieces, first + third + second, {first.size(), first.size() + third.size()})),
            first + third + second);
  EXPECT_GT(pieces.bytes(), of_two);
  EXPECT_LT(pieces.bytes(), of_two * 2);
}

TEST(Packing, KeepsNoMoreThanItMay) {
  const std::string text = numbers(1, 1000);
  PackedPieces one(kPlenty, 1);
  packed(one, text, {});
  PackedPieces pieces(one.bytes() * 5 / 2, 1);
  for (std::uint32_t seed = 1; seed < 20; ++seed) {
    const std::string other = numbers(seed, 1000);
    EXPECT_EQ(unpacked(packed(pieces, other, {})), other);
    EXPECT_LE(pieces.bytes(), one.bytes() * 5 / 2);
    EXPECT_GT(pieces.bytes(), 0U);
  }
  PackedPieces none(0, 1);
  EXPECT_EQ(unpacked(packed(none, text, {10})), text);
  EXPECT_EQ(none.bytes(), 0U);
}

TEST(Packing, TellsPiecesByTheirBytes) {
  const std::vector<AnswerPiece> pieces = pieces_of("abab", {2});
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(pieces[0].digest, pieces[1].digest);
  EXPECT_NE(pieces[0].digest, pieces_of("abab", {3})[0].digest);
  EXPECT_TRUE(pieces_of("", {0, 5}).empty());
}

TEST(Packing, IsForWhoTakesIt) {
  for (const char* const text :
       {"gzip", "br, gzip", "gzip;q=0.5", "deflate,gzip;q=1", "gzip ; q=0.001", "gzip;Q=1.000"})
    EXPECT_TRUE(takes_gzip(text)) << text;
  for (const char* const text : {"", "br", "gzip;q=0", "identity, gzip;q=0", "gzip;q=0.0", "gzip;q=0.000",
                                 "gzip; q=0.0", "gzipx", "gzip;q=", "gzip;q=x", "gzip;level=1"})
    EXPECT_FALSE(takes_gzip(text)) << text;
}

}  // namespace
}  // namespace steelyard::ci::packing_test

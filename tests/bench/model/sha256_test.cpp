#include "bench/model/sha256.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "bench/model/random.hpp"

namespace steelyard::sha256_test {
namespace {

// FIPS 180-4 examples, as published by NIST.
TEST(Sha256, MatchesPublishedDigests) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, PiecesGiveTheDigestOfTheWhole) {
  Sha256 pieces;
  for (const char* piece : {"a", "", "bc"}) pieces.add(std::string_view(piece));
  EXPECT_EQ(pieces.hex(), sha256_hex("abc"));
  EXPECT_EQ(Sha256().hex(), sha256_hex(""));
}

// RFC 4231, test cases 2 and 6 (a key longer than a block).
TEST(Sha256, TextsThatAreCutElsewhereAreOtherTexts) {
  Sha256 texts;
  texts.add_text("ab");
  texts.add_text("");
  EXPECT_EQ(texts.hex(), sha256_hex("2:ab0:"));
}

TEST(Sha256, HmacMatchesPublishedDigests) {
  EXPECT_EQ(hmac_sha256_hex("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hmac_sha256_hex(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

// The first numbers of Vigna's reference implementation, and Noll's table.
TEST(Random, IsThatOfTheReferences) {
  std::uint64_t state = 1234567;
  for (const std::uint64_t index : {0U, 1U, 2U}) {
    constexpr std::uint64_t kNumbers[]{6457827717110365317U, 3203168211198807973U, 9817491932198370423U};
    EXPECT_EQ(next_split_mix(state), kNumbers[index]);
    EXPECT_EQ(split_mix_at(1234567, index), kNumbers[index]);
  }
  EXPECT_EQ(fnv1a(""), 0xcbf29ce484222325U);
  EXPECT_EQ(fnv1a("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(fnv1a("foobar"), 0x85944171f73967e8U);
  EXPECT_EQ(fnv1a("bar", fnv1a("foo")), fnv1a("foobar"));
}

}  // namespace
}  // namespace steelyard::sha256_test

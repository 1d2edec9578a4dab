#include "bench/model/sha256.hpp"

#include <gtest/gtest.h>

namespace steelyard {
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

}  // namespace
}  // namespace steelyard

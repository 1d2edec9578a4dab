#include "bench/ceilings/ceiling_name.hpp"

#include <gtest/gtest.h>

namespace steelyard {
namespace {

TEST(CeilingName, IsMeantByItselfItsLevelAndItsAccess) {
  EXPECT_TRUE(is_meant("", "f64"));
  EXPECT_TRUE(is_meant("f64", "f64"));
  for (const char* part : {"L2", "triad", "L2/triad"}) EXPECT_TRUE(is_meant(part, "L2/triad")) << part;
}

TEST(CeilingName, IsNotMeantByWhatOnlyLooksLikeIt) {
  EXPECT_FALSE(is_meant("f16", "bf16"));
  EXPECT_FALSE(is_meant("L2/triad", "L2/triad-nt"));
  EXPECT_FALSE(is_meant("L", "L2/read"));
  EXPECT_FALSE(is_meant("ead", "L2/read"));
  EXPECT_FALSE(is_meant("L2/read", "L2"));
}

}  // namespace
}  // namespace steelyard

#include <gtest/gtest.h>

#include "bench/ceilings/ceiling_bench.hpp"

namespace steelyard::bench::ceiling_bench_test {
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

CpuIdentity cpu(const char* vendor, int family, int model) {
  CpuIdentity identity;
  identity.vendor = vendor;
  identity.family = family;
  identity.model = model;
  return identity;
}

TEST(FmaUnits, ServersHaveTwoOfFiveHundredAndTwelveBits) {
  for (const CpuIdentity& identity : {cpu("GenuineIntel", 6, 0x8F), cpu("GenuineIntel", 6, 0xCF),
                                      cpu("GenuineIntel", 6, 0x6A), cpu("AuthenticAMD", 26, 2)}) {
    const auto units = fma_units(identity);
    ASSERT_TRUE(units) << identity.model;
    EXPECT_EQ(units->units, 2);
    EXPECT_EQ(units->width_bits, 512);
  }
}

TEST(FmaUnits, NarrowUnitsTakeAWideInstructionInHalves) {
  const auto zen4 = fma_units(cpu("AuthenticAMD", 25, 0x11));
  ASSERT_TRUE(zen4);
  EXPECT_EQ(fma_operations_per_cycle(*zen4, 32, 512), 32);
  EXPECT_EQ(fma_operations_per_cycle(*zen4, 32, 256), 32);
}

TEST(FmaUnits, NarrowInstructionsLeaveWideUnitsHalfEmpty) {
  const auto zen5 = fma_units(cpu("AuthenticAMD", 26, 2));
  ASSERT_TRUE(zen5);
  EXPECT_EQ(fma_operations_per_cycle(*zen5, 64, 512), 32);
  EXPECT_EQ(fma_operations_per_cycle(*zen5, 64, 256), 16);
  EXPECT_EQ(fma_operations_per_cycle(*zen5, 16, 512), 128);
}

TEST(FmaUnits, AProcessorThatIsUnknownOrHasNoneHasNoExpectation) {
  EXPECT_FALSE(fma_units(cpu("GenuineIntel", 6, 0xFF)));
  EXPECT_FALSE(fma_units(cpu("GenuineIntel", 15, 0x8F)));
  EXPECT_FALSE(fma_units(cpu("", 0, 0)));
  EXPECT_FALSE(fma_units(cpu("GenuineIntel", 6, 0x3E)));  // Ivy Bridge: between two that have such units
}

}  // namespace

}  // namespace steelyard::bench::ceiling_bench_test

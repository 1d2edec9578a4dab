#include "bench/model/environment.hpp"

#include <gtest/gtest.h>

namespace steelyard::environment_test {
namespace {

Environment machine(const char* model, const char* compiler) {
  Environment environment;
  environment.set("cpu.model", model, true);
  environment.set("compiler", compiler, false);
  return environment;
}

TEST(Environment, FingerprintDependsOnDecisiveFactsOnly) {
  EXPECT_EQ(machine("Xeon", "g++ 12").fingerprint(), machine("Xeon", "g++ 14").fingerprint());
  EXPECT_NE(machine("Xeon", "g++ 12").fingerprint(), machine("EPYC", "g++ 12").fingerprint());
}

TEST(Environment, FingerprintIgnoresTheOrderOfFacts) {
  Environment a;
  a.set("x", "1", true);
  a.set("y", "2", true);
  Environment b;
  b.set("y", "2", true);
  b.set("x", "1", true);
  EXPECT_EQ(a.fingerprint(), b.fingerprint());
}

TEST(Environment, FingerprintKeepsNameAndValueApart) {
  Environment a;
  a.set("a", "bc", true);
  Environment b;
  b.set("ab", "c", true);
  EXPECT_NE(a.fingerprint(), b.fingerprint());
}

TEST(Environment, NoDecisiveFactGivesNoFingerprint) { EXPECT_EQ(Environment{}.fingerprint(), ""); }

TEST(Environment, DifferencesNameBothValues) {
  const auto found = differences(machine("Xeon", "g++ 12"), machine("Xeon", "g++ 14"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0], (FactDifference{"compiler", "g++ 12", "g++ 14", false}));
}

}  // namespace
}  // namespace steelyard::environment_test

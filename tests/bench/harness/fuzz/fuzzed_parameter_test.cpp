#include "bench/harness/fuzz/fuzzed_parameter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

namespace steelyard::fuzzed_parameter_test {
namespace {

using testing::HasSubstr;

std::string error_of(const FuzzedParameter& parameter) {
  const Result<void> checked = parameter.check();
  return checked ? "" : checked.error().text();
}

TEST(FuzzedParameter, UniformDrawsBothEnds) {
  const FuzzedParameter parameter = FuzzedParameter::uniform("n", -2, 2);
  NumpyRandom random(0);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 200; ++i) seen.insert(std::get<std::int64_t>(parameter.draw(random)));
  EXPECT_EQ(seen, (std::set<std::int64_t>{-2, -1, 0, 1, 2}));
}

TEST(FuzzedParameter, LogUniformGivesEachOctaveItsShare) {
  const FuzzedParameter parameter = FuzzedParameter::log_uniform("n", 1, 1024);
  NumpyRandom random(0);
  int below_32 = 0;
  for (int i = 0; i < 10'000; ++i) below_32 += std::get<std::int64_t>(parameter.draw(random)) < 32 ? 1 : 0;
  EXPECT_NEAR(below_32, 5000, 7 * 50);
}

TEST(FuzzedParameter, LogUniformStaysInItsRangeAtTheEnds) {
  NumpyRandom random(0);
  for (const std::int64_t one :
       {std::int64_t{1}, std::int64_t{3}, std::int64_t{10'000'000'019}, std::numeric_limits<std::int64_t>::max()}) {
    const FuzzedParameter parameter = FuzzedParameter::log_uniform("n", one, one);
    EXPECT_EQ(std::get<std::int64_t>(parameter.draw(random)), one);
  }
}

TEST(FuzzedParameter, EmptyAndImpossibleRangesAreRefused) {
  EXPECT_EQ(error_of(FuzzedParameter::uniform("n", 3, 3)), "");
  EXPECT_THAT(error_of(FuzzedParameter::uniform("n", 3, 2)), HasSubstr("fuzzed parameter n: found the range 3 to 2"));
  EXPECT_THAT(error_of(FuzzedParameter::uniform_real("n", 0.5, 0.25)), HasSubstr("0.5 to 0.25, which is empty"));
  EXPECT_THAT(error_of(FuzzedParameter::uniform_real("n", 0, HUGE_VAL)), HasSubstr("two finite numbers"));
  EXPECT_THAT(error_of(FuzzedParameter::uniform_real("n", 0, std::nan(""))), HasSubstr("two finite numbers"));
  EXPECT_THAT(error_of(FuzzedParameter::uniform_real("n", -1e308, 1e308)), HasSubstr("a finite distance apart"));
  EXPECT_THAT(error_of(FuzzedParameter::log_uniform("n", 0, 8)), HasSubstr("log_uniform has no zero"));
  EXPECT_THAT(error_of(FuzzedParameter::log_uniform("n", -8, 8)), HasSubstr("log_uniform has no zero"));
}

TEST(FuzzedParameter, ProbabilitiesSumToOne) {
  EXPECT_EQ(error_of(FuzzedParameter::choice("n", {{1, 0.3}, {2, 0.4}, {3, 0.3}})), "");
  EXPECT_EQ(error_of(FuzzedParameter::choice("n", {{1, 0.33333}, {2, 0.33333}, {3, 0.33333}})), "");
  EXPECT_THAT(error_of(FuzzedParameter::choice("n", {{1, 0.3}, {2, 0.4}})), HasSubstr("sum to 0.7"));
  EXPECT_THAT(error_of(FuzzedParameter::choice("n", {{1, 1.5}, {2, -0.5}})), HasSubstr("the probability -0.5 of 2"));
  EXPECT_THAT(error_of(FuzzedParameter::choice("n", {{1, std::nan("")}})), HasSubstr("the probability nan of 1"));
  EXPECT_THAT(error_of(FuzzedParameter::choice("n", {})), HasSubstr("no choices"));
}

TEST(FuzzedParameter, AChoiceThatStandsTwiceIsRefused) {
  EXPECT_THAT(error_of(FuzzedParameter::choice("n", {{1, 0.5}, {1, 0.5}})), HasSubstr("1 twice among the choices"));
  EXPECT_THAT(error_of(FuzzedParameter::choice("n", {{FuzzAlias{"k"}, 0.5}, {FuzzAlias{"k"}, 0.5}})),
              HasSubstr("the alias of k twice"));
}

TEST(FuzzedParameter, NamesThatWouldBreakABenchmarksNameAreRefused) {
  for (const char* name : {"", "a/b", "a:b", "a b"}) EXPECT_NE(error_of(FuzzedParameter::uniform(name, 1, 2)), "");
}

}  // namespace
}  // namespace steelyard::fuzzed_parameter_test

#include "storage/postgres/session/dictionaries.hpp"

#include <gtest/gtest.h>

#include <string>

namespace steelyard::storage::key_cache_test {
namespace {

Measurement measurement(const std::string& name) {
  Measurement made;
  made.benchmark.name = name;
  made.metric = *well_known_metric(kRealTime);
  return made;
}

TEST(KeyCacheTest, KnowsASeriesByWhateverMakesItOne) {
  KeyCache cache;
  const auto scope = cache.scope_of("p", "f");
  cache.keep_series(scope, measurement("BM"), 7);
  EXPECT_EQ(cache.find_series(scope, measurement("BM")), 7);
  EXPECT_EQ(cache.find_series(cache.scope_of("p", "f"), measurement("BM")), 7);
  EXPECT_EQ(cache.find_series(cache.scope_of("p", "g"), measurement("BM")), std::nullopt);
  EXPECT_EQ(cache.find_series(cache.scope_of("q", "f"), measurement("BM")), std::nullopt);
  EXPECT_EQ(cache.find_series(cache.scope_of("pf", ""), measurement("BM")), std::nullopt);
  Measurement other = measurement("BM");
  other.count_key = "avx2";
  EXPECT_EQ(cache.find_series(scope, other), std::nullopt);
  other = measurement("BM");
  other.benchmark.threads = 1;
  EXPECT_EQ(cache.find_series(scope, other), std::nullopt);
  other = measurement("BM");
  other.benchmark.parameters = {{"", ""}};
  EXPECT_EQ(cache.find_series(scope, other), std::nullopt);
  other = measurement("BM");
  other.metric.unit = "us";
  EXPECT_EQ(cache.find_series(scope, other), std::nullopt);
}

TEST(KeyCacheTest, TellsWhereOneTextEndsAndTheNextBegins) {
  KeyCache cache;
  const auto scope = cache.scope_of("", "");
  Measurement one = measurement("ab");
  one.benchmark.suite = "c";
  cache.keep_series(scope, one, 1);
  Measurement two = measurement("a");
  two.benchmark.suite = "bc";
  EXPECT_EQ(cache.find_series(scope, two), std::nullopt);
}

TEST(KeyCacheTest, KnowsWhatACountStandsOn) {
  KeyCache cache;
  const CountBasis basis{CountScope::whole_functions, 0.25, "from", "proof"};
  cache.keep_count_basis(basis, 3);
  EXPECT_EQ(cache.find_count_basis(basis), 3);
  EXPECT_EQ(cache.find_count_basis({CountScope::whole_functions, std::nullopt, "from", "proof"}), std::nullopt);
  EXPECT_EQ(cache.find_count_basis({CountScope::whole_functions, 0.25, "fromp", "roof"}), std::nullopt);
}

TEST(KeyCacheTest, ForgetsEverythingRatherThanGrowWithoutBound) {
  KeyCache cache;
  const auto scope = cache.scope_of("", "");
  for (int i = 0; i < 100'001; ++i) cache.keep_series(scope, measurement(std::to_string(i)), i);
  EXPECT_FALSE(cache.empty());
  cache.trim();
  EXPECT_TRUE(cache.empty());
}

TEST(KeyCacheTest, ForgetsTheKeysOfADatabaseThatWasExchanged) {
  KeyCache cache;
  cache.belong_to("one");
  const auto scope = cache.scope_of("p", "f");
  cache.keep_series(scope, measurement("BM"), 7);
  cache.belong_to("one");
  EXPECT_EQ(cache.find_series(scope, measurement("BM")), 7);
  cache.belong_to("two");
  EXPECT_TRUE(cache.empty());
  EXPECT_EQ(cache.database(), "two");
}

}  // namespace
}  // namespace steelyard::storage::key_cache_test

#include "ci/service/description.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <set>

#include "ci/service/answer_cache.hpp"
#include "ci/service/assets.hpp"
#include "ci/service/call.hpp"

namespace steelyard::ci::description_test {
namespace {

using ::testing::HasSubstr;

const ApiDescription& description() {
  static const Result<ApiDescription> parsed = ApiDescription::parse(openapi_document());
  return parsed.value();
}

Result<ApiValues> read(const std::string& target) {
  const std::string path = target.substr(0, target.find('?'));
  const std::string query = path.size() < target.size() ? target.substr(path.size() + 1) : "";
  const ApiDescription::Match match = description().find("GET", path);
  return ApiDescription::read(*match.operation, match.path, query);
}

TEST(ApiDescription, IsWhatTheOperationsAre) {
  Operations operations;
  add_reading(operations);
  add_series_reading(operations);
  add_bisects(operations, {});
  const auto large = std::make_shared<std::mutex>();
  add_writing(operations, large);
  add_store_answers(operations, large);
  std::set<std::string> described{}, written{"health", "ready", "metrics", "openapi", "events"};
  for (const ApiOperation& one : description().operations()) EXPECT_TRUE(described.insert(one.id).second) << one.id;
  for (const auto& [id, act] : operations) written.insert(id);
  EXPECT_EQ(described, written);
}

TEST(ApiDescription, LetsNobodyWriteWithoutAScope) {
  for (const ApiOperation& one : description().operations()) {
    // What a client of the store asks is a body, and writes nothing.
    EXPECT_TRUE(one.method == "GET" || one.id == "ask" || (!one.scope.empty() && one.scope != "read")) << one.id;
  }
}

TEST(ApiDescription, FindsAPathWithWhatItNames) {
  const auto match = description().find("GET", "/api/v1/runs/abcdef12");
  ASSERT_NE(match.operation, nullptr);
  EXPECT_EQ(match.operation->id, "run");
  EXPECT_EQ(match.path.at("id"), "abcdef12");
  EXPECT_EQ(description().find("HEAD", "/api/v1/runs").operation->id, "runs");
  EXPECT_EQ(description().find("PUT", "/api/v1/runs").operation, nullptr);
  EXPECT_THAT(description().find("PUT", "/api/v1/runs").allowed,
              ::testing::UnorderedElementsAre("GET", "HEAD", "POST"));
  EXPECT_TRUE(description().find("GET", "/api/v1/runs/").allowed.empty() || !read("/api/v1/runs/"));
  EXPECT_TRUE(description().find("GET", "/api/v1/nothing").allowed.empty());
}

TEST(ApiDescription, ReadsParametersWithTheirDefaults) {
  const auto values = read("/api/v1/series?project=a%20b+c&benchmark=BM%2F1%E2%82%AC&limit=7");
  ASSERT_TRUE(values) << values.error().text();
  EXPECT_EQ(values->at("project"), "a b c");
  EXPECT_EQ(values->at("benchmark"), "BM/1\xE2\x82\xAC");
  EXPECT_EQ(values->at("limit"), "7");
  EXPECT_EQ(values->at("branch"), "");
  EXPECT_EQ(read("/api/v1/series")->at("limit"), "50");
}

TEST(ApiDescription, RefusesWhatTheDocumentDoesNotAllow) {
  for (const char* target :
       {"/api/v1/runs?colour=red", "/api/v1/runs?limit=0", "/api/v1/runs?limit=1001", "/api/v1/runs?limit=1e2",
        "/api/v1/runs?limit=5&limit=6", "/api/v1/runs?limit=-1", "/api/v1/runs?limit=nan", "/api/v1/runs?project=%",
        "/api/v1/runs?project=%2", "/api/v1/runs?project=%zz", "/api/v1/runs?project=a%00b", "/api/v1/runs?project=%ff",
        "/api/v1/runs?project=%c0%af", "/api/v1/runs/..%2f..%2fetc", "/api/v1/runs/ABCDEF12", "/api/v1/runs/abc",
        "/api/v1/alerts?state=sleeping", "/api/v1/compare?baseline=abcdef",
        "/api/v1/compare?baseline=abcdef&candidate=abcdef&minimum_effect=inf"}) {
    const auto values = read(target);
    ASSERT_FALSE(values) << target;
    EXPECT_EQ(values.error().kind, ErrorKind::input) << target;
  }
  const std::string compared = "/api/v1/compare?baseline=abcdef&candidate=abcdef&minimum_effect=";
  EXPECT_TRUE(read(compared + "0.999"));
  EXPECT_TRUE(read(compared + "0"));
  for (const char* number : {"1", "5", "1e0", "-0.1"}) {
    const auto refused = read(compared + number);
    ASSERT_FALSE(refused) << number << " is a part of one on the command line, too";
    EXPECT_EQ(refused.error().wanted, "a number from 0 and below 1");
  }
  EXPECT_FALSE(read("/api/v1/runs?project=" + std::string(2000, 'a')));
  EXPECT_THAT(read("/api/v1/runs?colour=red").error().text(), HasSubstr("one of project, branch, commit"));
}

TEST(AnswerCache, TakesWhatWasMadeWhileItWaitedThoughMoreHasComeSince) {
  AnswerCache cache(1 << 20);
  cache.keep("a", {"2", "", "", std::make_shared<const std::string>("made"), nullptr});
  EXPECT_TRUE(cache.find("a", "2"));
  EXPECT_TRUE(cache.find("a", "3", "2"));
  EXPECT_FALSE(cache.find("a", "3", "1"));
  EXPECT_FALSE(cache.find("a", "3"));
}

TEST(AnswerCache, CountsTheMemoryThatAnAnswerHolds) {
  AnswerCache cache(1 << 20);
  std::string roomy(1000, 'a');
  roomy.reserve(100'000);
  AnswerCache::Answer answer{"1", "", "", std::make_shared<const std::string>(std::move(roomy)), nullptr};
  cache.keep("a", answer);
  EXPECT_GE(cache.bytes(), 100'000U);
  const std::size_t without_pieces = cache.bytes();
  answer.pieces = std::make_shared<const std::vector<AnswerPiece>>(100, AnswerPiece{1, std::string(64, 'b')});
  cache.keep("a", answer);
  EXPECT_GE(cache.bytes(), without_pieces + 100 * (sizeof(AnswerPiece) + 64));
}

TEST(AnswerCache, LetsOneMakeAnAnswerAndOthersWaitForIt) {
  AnswerCache cache(1 << 20);
  std::shared_ptr<std::mutex> turn = cache.turn_to_make("a");
  EXPECT_EQ(cache.turn_to_make("a"), turn);
  EXPECT_NE(cache.turn_to_make("b"), turn);
  const std::unique_lock making(*turn);
  const auto may_make = [&cache](const char* key) {
    return std::async(std::launch::async,
                      [&cache, key] {
                        const std::shared_ptr<std::mutex> other = cache.turn_to_make(key);
                        return std::unique_lock(*other, std::try_to_lock).owns_lock();
                      })
        .get();
  };
  EXPECT_FALSE(may_make("a"));
  EXPECT_TRUE(may_make("b"));
}

TEST(RateLimit, LetsABurstThroughAndThenSoManyASecond) {
  RateLimit limit(10, 3);
  const auto begin = RateLimit::Clock::now();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limit.take("a", begin));
  EXPECT_FALSE(limit.take("a", begin));
  EXPECT_TRUE(limit.take("b", begin)) << "each has their own";
  EXPECT_FALSE(limit.take("a", begin + std::chrono::milliseconds(50)));
  EXPECT_TRUE(limit.take("a", begin + std::chrono::milliseconds(150)));
  EXPECT_FALSE(limit.take("a", begin + std::chrono::milliseconds(160)));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limit.take("a", begin + std::chrono::hours(1)));
  EXPECT_FALSE(limit.take("a", begin + std::chrono::hours(1))) << "no more than at once, however long it waited";
}

TEST(RateLimit, ForgetsRatherThanGrow) {
  RateLimit limit(1, 1);
  const auto now = RateLimit::Clock::now();
  for (int i = 0; i < 30'000; ++i) EXPECT_TRUE(limit.take("address " + std::to_string(i), now));
}

TEST(RateLimit, ForgetsNobodyWhoHasNoneLeftForOthersBeingMany) {
  RateLimit limit(1, 2);
  const auto now = RateLimit::Clock::now();
  while (limit.take("spent", now)) continue;
  for (int i = 0; i < 30'000; ++i) {
    limit.take("address " + std::to_string(i), now);
    ASSERT_FALSE(limit.has("spent", now)) << i;
  }
  EXPECT_FALSE(limit.take("spent", now));
}

}  // namespace
}  // namespace steelyard::ci::description_test

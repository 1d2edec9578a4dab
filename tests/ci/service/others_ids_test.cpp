#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ci/service/call.hpp"
#include "storage/comparison_store.hpp"
#include "storage/history_store.hpp"
#include "storage/place/store_address.hpp"
#include "storage/run_store.hpp"
#include "tests/ci/service/served_store.hpp"
#include "tests/storage/postgres/example_run.hpp"

namespace steelyard::ci::others_ids_test {
namespace {

using nlohmann::json;

using OthersIds = ServedStore;

// Whoever knows an id or a name of another project's learns and does no more with it than with one that nobody has.
TEST_F(OthersIds, AreThoseOfNobodyToATokenOfOneProject) {
  const steelyard::Run theirs = sealed_run(40, "others");
  Comparison comparison = storage_test::example_comparison();
  comparison.candidate = theirs.header;
  storage::Store store = open();
  ASSERT_TRUE(storage::RunStore(store).put(theirs));
  ASSERT_TRUE(storage::ComparisonStore(store).put(comparison));
  const json comparisons = json::parse(get("/api/v1/comparisons?project=others").body);
  const json alerts = json::parse(get("/api/v1/alerts?project=others").body);
  ASSERT_FALSE(comparisons["items"].empty());
  ASSERT_FALSE(alerts["items"].empty());
  const std::string alert = "/api/v1/alerts/" + alerts["items"][0]["id"].get<std::string>();
  const std::string own = sealed_run(1).header.id;
  const Fields fields = bearer(issue({"read", "report"}, "demo"));
  ASSERT_FALSE(theirs.profiles.empty());
  const std::string counted = storage::percent_encode(theirs.profiles[0].benchmark.canonical());
  const Measurement& measured = theirs.measurements.front();
  const std::string series = "project=others&metric=" + measured.metric.name +
                             "&benchmark=" + storage::percent_encode(measured.benchmark.canonical());
  for (const std::string& target : std::vector<std::string>{
           "/api/v1/comparisons/" + comparisons["items"][0]["id"].get<std::string>(),
           "/api/v1/runs/" + theirs.header.id + "/profile",
           "/api/v1/flame?benchmark=" + counted + "&baseline=" + own + "&candidate=" + theirs.header.id,
           "/api/v1/points?" + series, alert}) {
    EXPECT_EQ(get(target).status, 200) << target;
    const HttpReply reply = get(target, fields);
    EXPECT_THAT(reply.status, testing::AnyOf(400, 404)) << target << reply.body;
    EXPECT_THAT(reply.body, testing::Not(testing::HasSubstr(theirs.header.commit.sha)));
  }
  const std::string nobodys = get("/api/v1/badge.svg?project=nobody's", fields).body;
  EXPECT_THAT(nobodys, testing::AllOf(testing::HasSubstr("performance: unknown"), testing::HasSubstr("#6e6e6e")));
  EXPECT_EQ(get("/api/v1/badge.svg?project=others", fields).body, nobodys);
  EXPECT_THAT(get("/api/v1/badge.svg?project=others").body, testing::ContainsRegex("performance: [0-9]+ regression"));
  Fields json_fields = fields;
  json_fields.emplace_back("Content-Type", "application/json");
  for (const char* act : {"/acknowledge", "/accept", "/resolve", "/reopen", "/assign"}) {
    const std::string body = act == std::string("/assign") ? R"({"to":"me"})" : R"({"note":"not mine"})";
    const HttpReply reply = ask(port(), "POST", alert + act, json_fields, body);
    EXPECT_EQ(reply.status, 404) << act << reply.body;
  }
  EXPECT_EQ(json::parse(get(alert).body)["state"], alerts["items"][0]["state"]);
}

// The picture that stands in a project's page: green only where something was judged.
TEST_F(OthersIds, GiveABadgeThatIsUnknownLikeThatOfAMisspeltBranch) {
  storage::Store store = open();
  ASSERT_TRUE(storage::RunStore(store).put(sealed_run(41, "quiet")));
  // By another address than below, as answers are kept for a while.
  EXPECT_THAT(get("/api/v1/badge.svg?branch=main&project=quiet").body, testing::HasSubstr("performance: unknown"))
      << "it was measured, and nobody looked";
  storage::KeptChangePoint better{"id", "quiet", "BM_sort", "real_time", "f",  "main", "bb",
                                  "aa", 2,       1,         0.5,         1e-9, false};
  ASSERT_TRUE(storage::HistoryStore(store).put_change_points({{storage::ChangeEvent::confirmed, better, ""}}));
  EXPECT_THAT(get("/api/v1/badge.svg?project=quiet").body, testing::HasSubstr("performance: no regression"));
  EXPECT_THAT(get("/api/v1/badge.svg?project=quiet&branch=main").body, testing::HasSubstr("no regression"));
  for (const char* of : {"project=quiet&branch=mian", "project=nosuch", "branch=nosuch"}) {
    const HttpReply badge = get(std::string("/api/v1/badge.svg?") + of);
    EXPECT_EQ(badge.status, 200) << of;
    EXPECT_THAT(badge.body, testing::HasSubstr("performance: unknown")) << of;
  }
}

}  // namespace
}  // namespace steelyard::ci::others_ids_test

#include "ci/report/store.hpp"

#include <gmock/gmock.h>

namespace steelyard::ci::store_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

storage::StoreUpkeep healthy() {
  storage::StoreUpkeep upkeep;
  upkeep.partitions_ahead = 1;
  upkeep.tables = {{.table = "runs", .rows = 20'000, .dead_rows = 5'000, .last_analyze = "2026-01-02T03:04:05Z"}};
  return upkeep;
}

TEST(UpkeepAdvice, IsNoneForAStoreThatLacksNothing) { EXPECT_THAT(upkeep_advice(healthy()), IsEmpty()); }

TEST(UpkeepAdvice, NamesWhatIsToBeDoneInTheOrderOfItsHaste) {
  storage::StoreUpkeep upkeep = healthy();
  upkeep.partitions_ahead = 0;
  upkeep.partitions = {{.name = "measurements_0", .is_to_close = true}};
  upkeep.tables.front().dead_rows = 10'001;
  upkeep.tables.push_back({.table = "labels", .rows = 1'001});
  upkeep.oldest_transaction_age = 400'000'001;
  upkeep.other_identities = {{"steelyard.benchmarks", "benchmark_key", 1, {"1"}},
                             {"steelyard.series", "series_key", 6, {"1", "2", "3", "4", "5"}}};
  EXPECT_THAT(upkeep_advice(upkeep),
              ElementsAre(StartsWith("no partition is ready for the next runs"),
                          StartsWith("1 partition gets no more rows and still has room for them"),
                          StartsWith("10001 dead rows in steelyard.runs: vacuum (analyze) steelyard.runs"),
                          StartsWith("steelyard.labels was never analyzed"),
                          StartsWith("a table was last frozen 400000001 transactions ago"),
                          StartsWith("1 row (benchmark_key 1) in steelyard.benchmarks under an identity"),
                          StartsWith("6 rows (series_key 1, 2, 3, 4, 5, ...) in steelyard.series under an identity")));
}

// Older stores hold names that are refused today, and a login has any.
TEST(TerminalTokens, AndGrantsAreALineEachWhateverTheirNames) {
  const storage::Token hostile{"0123", "a\n4567  admin\x1b[2J", "kit", {"read", "submit"}, "2026-12-31T00:00:00Z"};
  const storage::Token plain{"89ab", "plain", "", {"read"}, "2027-01-01T00:00:00Z", "2026-12-01"};
  EXPECT_EQ(terminal_tokens({hostile, plain}),
            "0123  read,submit  project kit  until 2026-12-31  used never  a 4567  admin?[2J\n"
            "89ab  read  every project  until 2027-01-01  used 2026-12-01  plain\n");
  EXPECT_EQ(terminal_grants({{"a\nb\x1b[2J", storage::Access::reader, "kit", true}}),
            "a b?[2J  reader of project kit\n");
}

TEST(JsonOfAStore, ShowsTokensAsTheServiceDoes) {
  const storage::Token token{"0123", "a \"b\"", "", {"read", "submit"}, "2026-12-31T00:00:00Z"};
  EXPECT_EQ(json_tokens({token}),
            R"({
  "schema": "steelyard.tokens/1",
  "tokens": [
    {"id": "0123", "name": "a \"b\"", "project": null, "scopes": ["read", "submit"], )"
            R"("expires_at": "2026-12-31T00:00:00Z", "last_used": null}]
}
)");
  EXPECT_EQ(json_issued({token, "steelyard_0123_x", "2026-12-02T00:00:00Z"}),
            R"({
  "schema": "steelyard.issued_token/1",
  "token": {"id": "0123", "name": "a \"b\"", "project": null, "scopes": ["read", "submit"], )"
            R"("expires_at": "2026-12-31T00:00:00Z", "last_used": null},
  "secret": "steelyard_0123_x",
  "old_expires_at": "2026-12-02T00:00:00Z"
}
)");
  EXPECT_EQ(json_revoked("0123", true),
            "{\n  \"schema\": \"steelyard.revoked_token/1\",\n  \"id\": \"0123\",\n  \"was_good\": true\n}\n");
}

TEST(JsonOfAStore, HasEachObjectOfAListOnALine) {
  EXPECT_EQ(json_grants({}), "{\n  \"schema\": \"steelyard.grants/1\",\n  \"grants\": []\n}\n");
  EXPECT_EQ(json_grants({{"ada", storage::Access::owner}, {"o\"b", storage::Access::reader, "kit", true}}),
            R"({
  "schema": "steelyard.grants/1",
  "grants": [
    {"login": "ada", "as": "owner", "project": null},
    {"login": "o\"b", "as": "reader", "project": "kit"}]
}
)");
  storage::UpgradePlan plan{"embedded", 1, 2, 4096, false, {}};
  plan.steps = {{2, "0002_more.sql", "ab12", {"runs", "labels"}, {{"series", 10}}, {}, {}}};
  EXPECT_EQ(json_upgrade(plan), R"({
  "schema": "steelyard.upgrade/1",
  "version": 1,
  "newest": 2,
  "bytes": 4096,
  "allowed": false,
  "steps": [
    {"version": 2, "name": "0002_more.sql", "sha256": "ab12", "creates": ["runs", "labels"], )"
                                R"("rewrites": [{"table": "series", "bytes": 10}], "fills": [], "drops": []}]
}
)");
}

}  // namespace
}  // namespace steelyard::ci::store_test

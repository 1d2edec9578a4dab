#include "storage/postgres/distributed/distribute.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steelyard::storage::table_placement_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TableShape table(std::string name, std::vector<std::string> columns, std::vector<std::vector<std::string>> unique_keys,
                 std::vector<TableReference> references = {}) {
  return {std::move(name), std::move(columns), std::move(unique_keys), std::move(references)};
}

std::vector<std::string> words_of(const Result<std::vector<TablePlacement>>& placements) {
  if (!placements) return {placements.error().text()};
  std::vector<std::string> words;
  for (const TablePlacement& placement : *placements) {
    words.push_back(placement.table + ": " + to_text(placement.place) +
                    (placement.key.empty() ? "" : " by " + placement.key));
  }
  return words;
}

const TableShape kRuns = table("runs", {"run_key", "id"}, {{"run_key"}, {"id"}});
const TableShape kSeries = table("series", {"series_key", "identity"}, {{"series_key"}, {"identity"}});
const TableReference kToRuns{{"run_key"}, "runs", {"run_key"}};
const TableReference kToSeries{{"series_key"}, "series", {"series_key"}};

TEST(TablePlacement, ShardsByTheFirstKeyThatEveryUniqueKeyHolds) {
  EXPECT_THAT(words_of(place_tables(
                  {table("measurements", {"run_key", "series_key"}, {{"series_key", "run_key"}}, {kToRuns, kToSeries}),
                   table("profiles", {"run_key", "position"}, {{"run_key", "position"}}, {kToRuns}), kRuns, kSeries})),
              ElementsAre("runs: every node", "series: every node", "measurements: shards by series_key",
                          "profiles: shards by run_key"));
}

TEST(TablePlacement, LaysATableWithAnotherUniqueKeyOnEveryNode) {
  EXPECT_THAT(
      words_of(place_tables(
          {table("tags", {"tag_key", "series_key"}, {{"tag_key"}, {"series_key", "tag_key"}}, {kToSeries}), kSeries})),
      ElementsAre("series: every node", "tags: every node"));
}

TEST(TablePlacement, LaysATableOfAKeyAloneOnEveryNode) {
  EXPECT_THAT(words_of(place_tables({table("request_runs", {"run_key"}, {{"run_key"}}, {kToRuns}),
                                     table("sizes", {"run_key", "bytes"}, {{"run_key"}}, {kToRuns}), kRuns})),
              ElementsAre("runs: every node", "sizes: shards by run_key", "request_runs: every node"));
}

TEST(TablePlacement, LeavesATableThatStandsAloneOnTheCoordinator) {
  EXPECT_THAT(words_of(place_tables({table("tokens", {"token_key", "run_key"}, {{"token_key"}})})),
              ElementsAre("tokens: coordinator"));
}

TEST(TablePlacement, LaysATableOnEveryNodeThatAViewReads) {
  TableShape states = table("states", {"state"}, {{"state"}});
  states.is_viewed = true;
  EXPECT_THAT(words_of(place_tables({states})), ElementsAre("states: every node"));
}

TEST(TablePlacement, LaysATableOnEveryNodeThatOneOnEveryNodePointsTo) {
  const TableShape parts = table("parts", {"run_key", "position"}, {{"run_key", "position"}}, {kToRuns});
  const TableShape notes = table("notes", {"note_key", "run_key", "position"}, {{"note_key"}},
                                 {{{"run_key", "position"}, "parts", {"run_key", "position"}}});
  EXPECT_THAT(words_of(place_tables({parts, notes, kRuns})),
              ElementsAre("runs: every node", "parts: every node", "notes: every node"));
}

TEST(TablePlacement, KeepsAReferenceBetweenShardsOfOneKeyThatItHolds) {
  const TableShape rows = table("rows", {"run_key", "position"}, {{"run_key", "position"}}, {kToRuns});
  const TableShape details = table("details", {"run_key", "position", "part"}, {{"run_key", "position", "part"}},
                                   {{{"run_key", "position"}, "rows", {"run_key", "position"}}});
  EXPECT_THAT(words_of(place_tables({details, rows, kRuns})),
              ElementsAre("runs: every node", "rows: shards by run_key", "details: shards by run_key"));
}

TEST(TablePlacement, RefusesAReferenceBetweenShardsOfTwoKeys) {
  const TableShape points = table("points", {"series_key", "run_key"}, {{"series_key", "run_key"}}, {kToSeries});
  const TableShape parts = table("parts", {"run_key", "position", "series_of"}, {{"run_key", "position"}},
                                 {{{"series_of", "run_key"}, "points", {"series_key", "run_key"}}});
  const auto placements = place_tables({points, parts, kSeries});
  ASSERT_FALSE(placements);
  EXPECT_THAT(placements.error().text(), HasSubstr("steelyard.parts: a foreign key to steelyard.points"));
}

TEST(TablePlacement, RefusesARingOfReferences) {
  const auto placements = place_tables({table("a", {"a_key", "b_key"}, {{"a_key"}}, {{{"b_key"}, "b", {"b_key"}}}),
                                        table("b", {"b_key", "a_key"}, {{"b_key"}}, {{{"a_key"}, "a", {"a_key"}}})});
  ASSERT_FALSE(placements);
  EXPECT_THAT(placements.error().text(), HasSubstr("ring"));
}

TEST(TablePlacement, AcceptsATableThatPointsToItself) {
  EXPECT_THAT(words_of(place_tables({table("commits", {"commit_key", "parent_key"}, {{"commit_key"}},
                                           {{{"parent_key"}, "commits", {"commit_key"}}})})),
              ElementsAre("commits: every node"));
}

}  // namespace
}  // namespace steelyard::storage::table_placement_test

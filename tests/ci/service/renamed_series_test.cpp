// What the service tells of a benchmark that was renamed, as a kept comparison says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/archive/archive.hpp"
#include "storage/comparison_store.hpp"
#include "storage/place/store_address.hpp"
#include "storage/run_store.hpp"
#include "tests/ci/service/served_store.hpp"
#include "tests/storage/postgres/example_run.hpp"

namespace steelyard::ci::renamed_series_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr const char* kEarlier = "BM_sort/1024 [suite=cpu]";
constexpr const char* kToday = "sorting/1024 [suite=cpu]";

class RenamedSeries : public ServedStore {};

// Where two runs of the project have the earlier name and one has today's.
void rename_it(storage::Store& store) {
  Run run = sealed_run(3);
  for (Measurement& measurement : run.measurements) {
    if (measurement.benchmark.canonical() == kEarlier) measurement.benchmark.name = "sorting";
  }
  storage::seal(run);
  ASSERT_TRUE(storage::RunStore(store).put(run));
  Comparison comparison = storage_test::example_comparison();
  comparison.rows[0].benchmark = kEarlier;
  comparison.candidate.created_at_unix_ns += 1;
  ASSERT_TRUE(storage::ComparisonStore(store).put(comparison));
  comparison.candidate.created_at_unix_ns += 1;
  comparison.rows[0].benchmark = kToday;
  comparison.candidate.commit.sha = sealed_run(3).header.commit.sha;
  comparison.earlier_names = {{kEarlier, kToday}};
  ASSERT_TRUE(storage::ComparisonStore(store).put(comparison));
}

TEST_F(RenamedSeries, GoOnUnderTodaysNameWithTheirPointsSpreadsAndChanges) {
  storage::Store store = open();
  rename_it(store);
  const std::string of = "project=demo&branch=main&metric=instructions&benchmark=";
  const json list = checked("/api/v1/series", "/api/v1/series?" + of);
  ASSERT_EQ(list["items"].size(), 1U) << list;
  EXPECT_EQ(list["items"][0]["benchmark"], kToday);
  EXPECT_EQ(list["items"][0]["name"], "sorting/1024 [suite=cpu]");
  EXPECT_EQ(list["items"][0]["earlier_names"], json::array({kEarlier}));
  for (const char* name : {kEarlier, kToday}) {
    const json points =
        checked("/api/v1/points", "/api/v1/points?" + of + storage::percent_encode(name) + "&columns=value,run,most");
    EXPECT_EQ(points["benchmark"], kToday) << name;
    ASSERT_EQ(points["count"], 3) << name;
    EXPECT_EQ(points["run"][0], sealed_run(1).header.id.substr(0, 12));
    EXPECT_EQ(points["most"], json::array({7015, 7015, 7015})) << "of what is kept under the earlier name as well";
    const json history = checked("/api/v1/history", "/api/v1/history?" + of + storage::percent_encode(name));
    ASSERT_EQ(history["series"].size(), 1U);
    EXPECT_EQ(history["series"][0]["points"].size(), 3U);
    const json changes = checked("/api/v1/changes",
                                 "/api/v1/changes?project=demo&branch=main&benchmark=" + storage::percent_encode(name));
    ASSERT_EQ(changes["items"].size(), 1U) << name;
    EXPECT_EQ(changes["items"][0]["benchmark"], kToday);
    EXPECT_EQ(changes["items"][0]["id"], "p1");
    const json alerts =
        checked("/api/v1/alerts", "/api/v1/alerts?project=demo&branch=main&benchmark=" + storage::percent_encode(name));
    EXPECT_EQ(alerts["items"].size(), 2U) << name << ": of both names' regressions, and of the change point";
  }
  EXPECT_THAT(get("/api/v1/badge.svg?project=demo&branch=main").body, HasSubstr("performance: 3 regressions"))
      << "another's, and those two";
}

}  // namespace
}  // namespace steelyard::ci::renamed_series_test

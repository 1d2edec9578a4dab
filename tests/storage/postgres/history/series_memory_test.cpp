#include "storage/postgres/history/series_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <utility>

namespace steelyard::storage::series_memory_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::size_t kPlenty = 1 << 20;
using Runs = std::vector<std::int64_t>;

// What a database would hold: of each run its values by position.
class Database {
 public:
  std::map<std::int64_t, std::map<std::int64_t, double>> of_run;
  std::vector<Runs> asked;

  Result<std::vector<SeriesValue>> read(const Runs& runs) {
    asked.push_back(runs);
    std::vector<SeriesValue> values;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      for (const auto& [position, value] : of_run[runs[i]]) values.push_back({i, position, value, 20, 0, 7});
    }
    std::sort(values.begin(), values.end(), comes_before);
    return values;
  }
};

std::vector<SeriesValue> read(SeriesMemory& memory, Database& database, const Runs& runs, std::int64_t series = 7) {
  return memory.read(series, runs, [&](Runs missing) { return database.read(missing); }).value();
}

using Told = std::pair<std::size_t, double>;  // index of the run, value
std::vector<Told> told(const std::vector<SeriesValue>& values) {
  std::vector<Told> all;
  for (const SeriesValue& one : values) all.emplace_back(one.run, one.value);
  return all;
}

TEST(SeriesMemory, ReadsOnlyRunsThatItDoesNotKnow) {
  SeriesMemory memory;
  memory.limit(kPlenty);
  Database database;
  database.of_run = {{1, {{0, 10.0}}}, {3, {{0, 30.0}}}};
  EXPECT_THAT(told(read(memory, database, {3, 2, 1})), ElementsAre(Told{0, 30.0}, Told{2, 10.0}));
  database.of_run[4] = {{0, 40.0}};
  EXPECT_THAT(told(read(memory, database, {4, 3, 2, 1})), ElementsAre(Told{0, 40.0}, Told{1, 30.0}, Told{3, 10.0}));
  EXPECT_THAT(told(read(memory, database, {2, 1})), ElementsAre(Told{1, 10.0})) << "that run 2 has none is known";
  EXPECT_THAT(database.asked, ElementsAre(Runs{1, 2, 3}, Runs{4}));
}

TEST(SeriesMemory, TellsNothingOfRunsThatAreNotAskedFor) {
  SeriesMemory memory;
  memory.limit(kPlenty);
  Database database;
  database.of_run = {{1, {{0, 10.0}}}, {2, {{0, 20.0}}}, {3, {{0, 30.0}}}};
  read(memory, database, {3, 2, 1});
  EXPECT_THAT(told(read(memory, database, {3, 1})), ElementsAre(Told{0, 30.0}, Told{1, 10.0})) << "run 2 was pruned";
  EXPECT_THAT(read(memory, database, {}), IsEmpty());
}

TEST(SeriesMemory, ForgetsWhatIsOfAnotherVersion) {
  SeriesMemory memory;
  memory.limit(kPlenty);
  memory.be_of("1");
  Database database;
  database.of_run = {{1, {{0, 10.0}}}};
  read(memory, database, {1});
  database.of_run = {{1, {{0, 11.0}}}};
  memory.be_of("1");
  EXPECT_EQ(read(memory, database, {1}).front().value, 10.0);
  memory.be_of("2");
  EXPECT_EQ(read(memory, database, {1}).front().value, 11.0);
}

TEST(SeriesMemory, LetsGoOfWhatWasUsedLeastLately) {
  SeriesMemory memory;
  Database database;
  Runs runs;
  for (std::int64_t run = 100; run > 0; --run) {
    runs.push_back(run);
    database.of_run[run] = {{0, static_cast<double>(run)}};
  }
  memory.limit(kPlenty);
  read(memory, database, runs);
  const std::size_t of_one = memory.bytes();
  memory.limit(2 * of_one);
  EXPECT_EQ(memory.bytes(), 0U);
  database.asked.clear();
  for (const std::int64_t series : {1, 2, 1, 3, 1, 2}) {
    EXPECT_EQ(read(memory, database, runs, series).size(), 100U);
    EXPECT_LE(memory.bytes(), 2 * of_one);
  }
  EXPECT_EQ(database.asked.size(), 4U) << "series 1, 2 and 3, and 2 again, which 3 took the place of";
  memory.limit(of_one - 1);
  EXPECT_EQ(read(memory, database, runs).size(), 100U) << "what is too large is told all the same";
  EXPECT_EQ(memory.bytes(), 0U);
}

TEST(SeriesMemory, CountsTheQuestionTooAndKeepsNoneThatIsTooLong) {
  SeriesMemory memory;
  memory.limit(10'000);
  Database database;
  Runs many;
  for (std::int64_t run = 1; run <= 1000; ++run) many.push_back(run);
  const Runs few(many.begin(), many.begin() + 100);
  for (const Runs& runs : {many, few, many, few, Runs{1}, many}) {
    read(memory, database, runs);
    EXPECT_LE(memory.bytes(), 10'000U);
  }
  EXPECT_THAT(database.asked, ElementsAre(many, few, many, many)) << "the few are remembered between";
  memory.limit(kPlenty);
  read(memory, database, {1});
  const std::size_t of_one_run = memory.bytes();
  for (const std::int64_t series : {7, 8, 9}) read(memory, database, many, series);
  for (const std::int64_t series : {7, 8, 9}) read(memory, database, {1}, series);
  EXPECT_EQ(memory.bytes(), of_one_run + 999 * 24 + 2 * (200 + 1000 * 24))
      << "as long as the question is, not as one was";
}

TEST(SeriesMemory, KeepsNothingOfAFailedReading) {
  SeriesMemory memory;
  memory.limit(kPlenty);
  const auto failing = [](const Runs&) -> Result<std::vector<SeriesValue>> { return store_error("store", "is away"); };
  EXPECT_FALSE(memory.read(7, Runs{1}, failing));
  Database database;
  database.of_run = {{1, {{0, 10.0}}}};
  EXPECT_THAT(told(read(memory, database, {1})), ElementsAre(Told{0, 10.0}));
}

// Runs that came late stand anywhere, some have the series twice, some not at all.
TEST(SeriesMemory, TellsTheSameAsReadingAll) {
  std::mt19937 random(3);
  Database database;
  for (std::int64_t run = 1; run <= 300; ++run) {
    for (std::uint32_t i = random() % 3; i > 0; --i) database.of_run[run][random() % 5] = static_cast<double>(random());
  }
  SeriesMemory memory;
  memory.limit(kPlenty);
  for (int turn = 0; turn < 50; ++turn) {
    Runs runs;
    for (std::int64_t run = 1; run <= 300; ++run) {
      if (random() % 2 == 0) runs.push_back(run);
    }
    std::reverse(runs.begin(), runs.end());
    if (turn % 2 == 0) std::shuffle(runs.begin(), runs.end(), random);
    const std::vector<SeriesValue> wanted = database.read(runs).value();
    const std::vector<SeriesValue> found = read(memory, database, runs);
    ASSERT_EQ(told(found), told(wanted)) << turn;
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(found[i].position, wanted[i].position);
      ASSERT_EQ(found[i].samples, 20);
      ASSERT_EQ(found[i].series, 7);
    }
  }
}

}  // namespace
}  // namespace steelyard::storage::series_memory_test

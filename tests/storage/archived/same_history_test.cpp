// A folder of archives tells the history that a store tells which was filled with them.
#include <gtest/gtest.h>

#include <cstdlib>

#include "storage/archive/archive.hpp"
#include "storage/archived/archived_history.hpp"
#include "storage/embedded/server_process.hpp"
#include "storage/history_store.hpp"
#include "storage/run_store.hpp"
#include "tests/promised.hpp"
#include "tests/storage/postgres/example_run.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::storage::same_history_test {
namespace {

std::string text_of(const std::vector<HistorySeries>& all) {
  std::string text;
  for (const HistorySeries& series : all) {
    text += series.benchmark + '|' + series.metric.name + '|' + series.metric.unit + '|' + series.fingerprint + '|' +
            series.project + '\n';
    for (const HistoryPoint& point : series.points) {
      text += "  " + point.run + ' ' + point.commit + ' ' + point.subject + ' ' + std::to_string(point.at_unix_ns) +
              ' ' + std::to_string(point.value) + ' ' + std::to_string(point.samples) + ' ' +
              std::to_string(point.invocations) + (point.is_off_branch ? " off" : "") + '\n';
    }
    text += series.older + '\n';
  }
  return text;
}

std::string sha_of(int number) { return std::string(38, 'c') + std::to_string(10 + number); }

// Runs of several machines, projects and branches, two of one commit, one without a commit.
Run varied_run(int number) {
  Run run = storage_test::example_run(number);
  Measurement time = run.measurements[0];
  time.benchmark.name = number % 2 == 0 ? "BM_sort" : "BM_sort_keys";
  time.metric = *well_known_metric(kRealTime);
  time.invocations = {{0, {1.5 * number, 2.5}, {}}, {1, {3.25}, {}}};
  run.measurements.push_back(time);
  run.header.project = number % 5 == 0 ? "other" : "demo";
  run.header.commit.branch = number % 3 == 0 ? "topic" : "main";
  run.header.commit.committed_at_unix_s = 1'700'000'000 - number * 1000;
  // A line of commits whose dates say the opposite, with one that a force-push took away.
  run.header.commit.sha = sha_of(number);
  if (number > 2) run.header.commit.parent = sha_of(number == 12 ? 10 : number - 1);
  if (number == 4) run.header.commit = storage_test::example_run(3).header.commit;
  if (number == 7) run.header.commit = {};
  if (number % 4 == 0) run.environment.facts[0].value = "another processor";
  run.header.id.clear();
  seal(run);
  return run;
}

TEST(SameHistoryTest, AFolderTellsWhatAStoreTellsThatWasFilledWithIt) {
  STEELYARD_SKIP_WITHOUT("postgresql", !find_server_programs().empty(), storage_test::kNoServer);
  const std::filesystem::path folder = storage_test::fresh_state_folder();
  Store store = storage_test::fresh_store();
  constexpr int kRuns = 12;
  for (int i = 1; i <= kRuns; ++i) {
    const steelyard::Run run = varied_run(i);
    ASSERT_TRUE(write_archive(folder / (std::to_string(i * 7 % kRuns) + "-" + std::to_string(i) + ".syrun"), run));
    const auto put = RunStore(store).put(run);
    ASSERT_TRUE(put) << put.error().text();
  }
  const std::string whole = varied_run(2).measurements.back().benchmark.canonical();
  for (const std::string& benchmark : {std::string(), whole, std::string("sort"), std::string("keys")}) {
    for (const char* metric : {"", "real_time", "instructions"}) {
      for (const char* branch : {"", "main"}) {
        for (const char* project : {"", "demo"}) {
          for (const int limit : {200, 3}) {
            HistoryQuery query;
            query.benchmark = benchmark;
            query.metric = metric;
            query.branch = branch;
            query.project = project;
            query.limit = limit;
            const auto stored = HistoryStore(store).series(query);
            ASSERT_TRUE(stored) << stored.error().text();
            const auto archived = read_archived_history(folder, query, {});
            ASSERT_TRUE(archived) << archived.error().text();
            ASSERT_EQ(text_of(archived->series), text_of(*stored))
                << "benchmark " << benchmark << " metric " << metric << " branch " << branch << " limit " << limit;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace steelyard::storage::same_history_test

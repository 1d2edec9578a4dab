// Databases as older programs left them: each is made by exactly the scripts of its version and filled with the rows
// that the program of that version wrote (older/v*.rows), brought up to date, and compared with the archives that the
// same program wrote of the same runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "storage/archive/archive.hpp"
#include "storage/comparison_store.hpp"
#include "storage/history_store.hpp"
#include "storage/postgres/sql/migrations.hpp"
#include "storage/run_store.hpp"
#include "storage/upkeep.hpp"
#include "tests/promised.hpp"
#include "tests/storage/faults/older_rows.hpp"
#include "tests/storage/postgres/example_run.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::storage::older_databases_test {
namespace {

namespace fs = std::filesystem;

using storage_test::kFirstRecordedVersion;
using storage_test::older_rows;
using storage_test::recorded_versions;

const fs::path kArchives = fs::path(STEELYARD_FAULTS_FOLDER) / "older" / "archives";

class OlderDatabase : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    const auto url = storage_test::fresh_database();
    STEELYARD_SKIP_WITHOUT("postgresql", url, storage_test::kNoServer);
    address_ = {false, *url};
    storage_test::make_older_database(*url, GetParam());
    auto session = Session::connect(*url, "test");
    ASSERT_TRUE(session) << session.error().text();
    auto transaction = Transaction::begin(*session);
    const auto ids = transaction->run("select id from steelyard.runs");
    ASSERT_TRUE(ids);
    for (std::int64_t row = 0; row < ids->size(); ++row) ids_.push_back(ids->text(row, 0));
    ASSERT_GE(ids_.size(), 3U) << "the test would show nothing";
  }
  void expect_runs(Store& store) const;
  void expect_the_same_runs_are_known(Store& store) const;
  void expect_samples_are_packed(Store& store) const;
  void expect_history(Store& store) const;
  void expect_comparison(Store& store) const;
  void expect_change_point(Store& store) const;
  StoreAddress address_;
  std::vector<std::string> ids_;
};

void OlderDatabase::expect_runs(Store& store) const {
  for (const std::string& id : ids_) {
    auto archived = read_archive(kArchives / (id.substr(0, 16) + ".syrun"));
    ASSERT_TRUE(archived) << archived.error().text();
    auto kept = RunStore(store).get(id);
    ASSERT_TRUE(kept) << kept.error().text();
    EXPECT_EQ(kept->header, archived->header);
    EXPECT_EQ(kept->measurements, archived->measurements);
    EXPECT_EQ(kept->profiles, archived->profiles);
    seal(*archived);
    seal(*kept);
    EXPECT_EQ(kept->header.id, archived->header.id) << "content differs in some bit";
  }
}

void OlderDatabase::expect_the_same_runs_are_known(Store& store) const {
  for (const std::string& id : ids_) {
    const auto archived = read_archive(kArchives / (id.substr(0, 16) + ".syrun"));
    const auto is_new = RunStore(store).put(*archived);
    ASSERT_TRUE(is_new) << is_new.error().text();
    EXPECT_FALSE(*is_new);
  }
  steelyard::Run another = storage_test::example_run(77);
  seal(another);
  const auto is_new = RunStore(store).put(another);
  ASSERT_TRUE(is_new) << is_new.error().text();
  EXPECT_TRUE(*is_new);
  EXPECT_EQ(*RunStore(store).get(another.header.id), another);
  EXPECT_EQ(Upkeep(store).status()->runs, static_cast<std::int64_t>(ids_.size()) + 1);
}

// What was carried over as it was; the samples are the same to the last bit.
void OlderDatabase::expect_samples_are_packed(Store& store) const {
  const auto length = [this] {
    auto session = Session::connect(address_.url, "test");
    auto transaction = Transaction::begin(*session);
    return transaction->run("select sum(length(packed)) from steelyard.measurements", {}, kOneRow)->integer(0, 0);
  };
  const std::int64_t before = length();
  const auto closed = Upkeep(store).close_partitions({});
  ASSERT_TRUE(closed) << closed.error().text();
  if (GetParam() < 10) {
    EXPECT_GT(closed->packed, 0);
    EXPECT_LT(length(), before);
  } else {
    EXPECT_EQ(length(), before);
  }
  EXPECT_EQ(Upkeep(store).close_partitions({})->packed, 0) << "once";
  expect_runs(store);
}

void OlderDatabase::expect_history(Store& store) const {
  HistoryQuery query;
  query.metric = "real_time";
  const auto history = HistoryStore(store).series(query);
  ASSERT_TRUE(history) << history.error().text();
  std::set<std::string> shown;
  for (const HistorySeries& series : *history) {
    for (const HistoryPoint& point : series.points) shown.insert(point.run);
  }
  EXPECT_EQ(shown, std::set<std::string>(ids_.begin(), ids_.end()));
}

// What the program of that version was given, as far as it kept it.
Comparison comparison_of(int version, const std::vector<RunHeader>& runs) {
  Comparison comparison = storage_test::example_comparison();
  comparison.baseline = runs[0];
  comparison.candidate = runs[1];
  comparison.policy.counted_minimum_effect = 0;
  comparison.policy.witness = Witness::either;
  ComparisonRow& row = comparison.rows[0];
  if (version >= 7) {
    row.gates = false;
    row.gate_note = "not among the metrics that gate";
    row.call_path = {"BM_sort", "std::sort<int*, \"quoted\\\">"};
  }
  if (version >= 8) {
    row.p_kind = PKind::sequential;
    row.looks = {{8, 0.1 + 0.2, 0.1}, {12, 1e-300, 0.2}};
    row.noise = {0.02, std::nullopt, 0.03};
    comparison.drifts = {{"real_time", 1.04, 0.01, 13, true}};
    comparison.calibration = Calibration{};
    comparison.calibration->fingerprint = comparison.candidate_fingerprint;
    comparison.calibration->false_gates = {1, 40, {0.0006, 0.13}};
  }
  return comparison;
}

void OlderDatabase::expect_comparison(Store& store) const {
  auto session = Session::connect(address_.url, "test");
  std::string id;
  {
    auto transaction = Transaction::begin(*session);
    const auto ids = transaction->run("select id, baseline_run, candidate_run from steelyard.comparisons", {}, kOneRow);
    ASSERT_TRUE(ids) << ids.error().text();
    id = ids->text(0, 0);
  }
  const auto kept = ComparisonStore(store).get(id);
  ASSERT_TRUE(kept) << kept.error().text();
  const auto baseline = RunStore(store).get(kept->baseline.id);
  ASSERT_TRUE(baseline) << baseline.error().text();
  const auto candidate = RunStore(store).get(kept->candidate.id);
  ASSERT_TRUE(candidate) << candidate.error().text();
  const Comparison expected = comparison_of(GetParam(), {baseline->header, candidate->header});
  EXPECT_EQ(kept->rows, expected.rows);
  EXPECT_EQ(kept->drifts, expected.drifts);
  EXPECT_EQ(kept->calibration, expected.calibration);
  EXPECT_EQ(kept->policy, expected.policy);
  EXPECT_EQ(kept->warnings, expected.warnings);
}

void OlderDatabase::expect_change_point(Store& store) const {
  const auto points = HistoryStore(store).change_points("demo", "main");
  ASSERT_TRUE(points) << points.error().text();
  ASSERT_EQ(points->size(), 1U);
  EXPECT_EQ((*points)[0].id, "cp1");
  EXPECT_EQ((*points)[0].before, 100.5);
  EXPECT_EQ((*points)[0].after, 120.25);
  EXPECT_TRUE((*points)[0].gone);
  auto session = Session::connect(address_.url, "test");
  auto transaction = Transaction::begin(*session);
  const auto events = transaction->run("select count(*) from steelyard.change_point_log");
  ASSERT_TRUE(events) << events.error().text();
  EXPECT_EQ(events->integer(0, 0), 2);
}

// One test for all of it: a database costs more than what is asked of it.
TEST_P(OlderDatabase, ComesForwardWithAllThatItHeld) {
  auto opened = Store::open(address_, storage_test::fresh_state_folder());
  ASSERT_TRUE(opened) << opened.error().text();
  Store store = std::move(opened).value();
  EXPECT_EQ(Upkeep(store).status()->schema_version, known_migrations().back().version);
  expect_runs(store);
  expect_history(store);
  if (GetParam() >= 2) expect_comparison(store);
  if (GetParam() >= 9) expect_change_point(store);
  expect_samples_are_packed(store);
  expect_the_same_runs_are_known(store);
}

INSTANTIATE_TEST_SUITE_P(EveryVersion, OlderDatabase, ::testing::ValuesIn(recorded_versions()),
                         [](const auto& version) { return "Version" + std::to_string(version.param); });

TEST(OlderDatabases, AreRecordedForEveryProgramBeforeSeriesWerePacked) {
  for (int version = kFirstRecordedVersion; version <= 9; ++version) {
    EXPECT_FALSE(older_rows(version).empty()) << "older/v" << version << ".rows is missing";
  }
}

}  // namespace
}  // namespace steelyard::storage::older_databases_test

#include "storage/postgres/comparison_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>

#include "storage/postgres/session.hpp"
#include "storage/store.hpp"
#include "tests/promised.hpp"
#include "tests/storage/postgres/example_run.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard {
namespace {

using storage_test::example_comparison;
using ::testing::HasSubstr;

ComparisonRow changed_count(ComparisonRow row) {
  row.metric = *well_known_metric(kInstructions);
  row.count_scope = CountScope::whole_functions;
  row.jitter = 1e-9;
  row.gates = false;
  row.gate_note = "instructions is not among the metrics that gate";
  row.call_path = {"BM_sort", "std::sort<int*, \"quoted\\\">"};
  row.functions[0].from_calls = 60;
  row.functions[0].from_cost_per_call = 1.0 / 3;
  row.functions[0].renamed_from = "order";
  row.functions[1].inlined_into = "sort";
  row.functions[1].once_inlined_into = "order";
  return row;
}

Comparison with_everything() {
  Comparison comparison = example_comparison();
  comparison.warnings.push_back("a \"quoted\" {brace}, a comma and \xFF" + std::string(1, '\0'));
  comparison.policy = {0.01,          0.9,   0.02,          0.03, std::numeric_limits<std::uint64_t>::max(),
                       {"real_time"}, {"x"}, 1.0 / 3 * 0.1, {},   {"cpu.model", ""}};
  comparison.policy.witness = Witness::both;
  comparison.rows.push_back(changed_count(comparison.rows[0]));
  ComparisonRow& row = comparison.rows[0];
  row.p_kind = "sequential";
  row.looks = {{8, 0.1 + 0.2, 0.1}, {12, 1e-300, 0.2}};
  row.discovery_q = 0.004;
  row.slot_effect = 1.003;
  row.equivalence_interval = Interval{1.062, 1.08};
  row.rounds_wanted = 30;
  row.noise = {0.02, std::nullopt, 0.03};
  comparison.drifts = {{"real_time", 1.04, 0.01, 13, true}, {"cpu_time", 1 / 1.04, 0, 5, false}};
  comparison.calibration = Calibration{};
  comparison.calibration->fingerprint = comparison.candidate_fingerprint;
  comparison.calibration->seed = std::numeric_limits<std::uint64_t>::max();
  comparison.calibration->false_gates = {1, 40, {0.1 / 3, 0.13}};
  comparison.calibration->drift_sequential = 1e-300;
  comparison.calibration->benchmarks = {{"BM_a", "real_time", {0, 4, {0, 0.6}}, 0.1 + 0.2, {}, 0.01, {}, "quieter"}};
  return comparison;
}

// Of the headers of its runs: what names them.
Comparison as_the_store_keeps(Comparison comparison) {
  RunHeader baseline;
  RunHeader candidate;
  baseline.project = candidate.project = comparison.candidate.project;
  baseline.id = comparison.baseline.id;
  candidate.id = comparison.candidate.id;
  baseline.commit.sha = comparison.baseline.commit.sha;
  candidate.commit.sha = comparison.candidate.commit.sha;
  candidate.commit.branch = comparison.candidate.commit.branch;
  candidate.created_at_unix_ns = comparison.candidate.created_at_unix_ns;
  comparison.baseline = baseline;
  comparison.candidate = candidate;
  return comparison;
}

class ComparisonReaderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto url = storage_test::fresh_database();
    STEELYARD_SKIP_WITHOUT("postgresql", url, storage_test::kNoServer);
    address_ = {false, *url};
    auto store = Store::open(address_, storage_test::fresh_state_folder());
    ASSERT_TRUE(store) << store.error().text();
    store_.emplace(std::move(store).value());
  }
  StoreAddress address_;
  std::optional<Store> store_;
};

TEST_F(ComparisonReaderTest, GivesBackEveryBitOfWhatWasPut) {
  for (const Comparison& comparison : {with_everything(), example_comparison()}) {
    const auto put = store_->put_comparison(comparison);
    ASSERT_TRUE(put) << put.error().text();
    const auto read = store_->get_comparison(comparison_id(comparison));
    ASSERT_TRUE(read) << read.error().text();
    const Comparison kept = as_the_store_keeps(comparison);
    EXPECT_EQ(read->policy, kept.policy);
    EXPECT_EQ(read->calibration, kept.calibration);
    EXPECT_EQ(read->rows, kept.rows);
    EXPECT_TRUE(*read == kept);
  }
}

TEST_F(ComparisonReaderTest, FindsAComparisonByAnUnambiguousPrefixOnly) {
  Comparison other = example_comparison();
  other.rows[0].reason = "another reason";
  ASSERT_TRUE(store_->put_comparison(example_comparison()));
  ASSERT_TRUE(store_->put_comparison(other));
  EXPECT_EQ(store_->get_comparison(comparison_id(other).substr(0, 12))->rows[0].reason, "another reason");
  EXPECT_THAT(store_->get_comparison("abcde").error().text(), HasSubstr("at least 6 of the comparison's id"));
  EXPECT_THAT(store_->get_comparison("no such").error().text(), HasSubstr("no such comparison in the store"));
  auto session = Session::connect(address_.url, "test");
  ASSERT_TRUE(session);
  ASSERT_TRUE(
      session->run_alone("update steelyard.comparisons set id = 'abcdef' || repeat('0', (row_number - 1)::int) "
                         "from (select comparison_key as k, row_number() over (order by comparison_key) "
                         "from steelyard.comparisons) numbered where k = comparison_key"));
  EXPECT_TRUE(store_->get_comparison("abcdef")) << "a whole id is no prefix";
  EXPECT_TRUE(store_->get_comparison("abcdef0"));
  ASSERT_TRUE(session->run_alone("update steelyard.comparisons set id = id || '-' || comparison_key"));
  EXPECT_THAT(store_->get_comparison("abcdef").error().text(), HasSubstr("several comparisons"));
}

}  // namespace
}  // namespace steelyard

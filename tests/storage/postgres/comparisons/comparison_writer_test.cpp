#include "storage/postgres/comparisons/comparison_writer.hpp"

#include <gtest/gtest.h>

#include "storage/comparison_store.hpp"
#include "storage/postgres/session/session.hpp"
#include "tests/storage/postgres/example_run.hpp"
#include "tests/storage/postgres/kept_store.hpp"

namespace steelyard::storage::comparison_writer_test {
namespace {

using storage_test::example_comparison;

class ComparisonWriterTest : public storage_test::KeptStore {};

TEST_F(ComparisonWriterTest, StoresTheSameComparisonOnceAndRaisesItsAlerts) {
  Store store = open();
  const auto is_new = ComparisonStore(store).put(example_comparison());
  ASSERT_TRUE(is_new) << is_new.error().text();
  EXPECT_TRUE(*is_new);
  EXPECT_FALSE(*ComparisonStore(store).put(example_comparison()));
  Comparison other = example_comparison();
  other.rows[1].reason = "another reason";
  EXPECT_TRUE(*ComparisonStore(store).put(other)) << "one text differs";
  EXPECT_EQ(ask("select count(*)::text from steelyard.comparison_rows"), "4");
  EXPECT_EQ(ask("select string_agg(benchmark || ' ' || ratio || ' ' || culprit, ';' order by comparison) "
                "from steelyard.alerts"),
            "BM_sort/1024 1.0721 sort;BM_sort/1024 1.0721 sort");
}

TEST_F(ComparisonWriterTest, KeepsWhatIsSaidOfAChangedCountAndWhatGates) {
  Store store = open();
  Comparison comparison = example_comparison();
  comparison.policy.gates = {"real_time"};
  comparison.policy.counted_minimum_effect = 0.01;
  comparison.policy.witness = Witness::both;
  ComparisonRow& row = comparison.rows[0];
  row.metric = *well_known_metric(kInstructions);
  row.count_scope = CountScope::whole_functions;
  row.gates = false;
  row.gate_note = "instructions is not among the metrics that gate";
  row.call_path = {"BM_sort", "sort"};
  row.functions[0].from_calls = 60;
  row.functions[0].from_cost_per_call = 40;
  row.functions[0].renamed_from = "order";
  row.functions[1].inlined_into = "sort";
  row.functions[1].once_inlined_into = "order";
  ASSERT_TRUE(ComparisonStore(store).put(comparison));
  EXPECT_EQ(ask("select gates::text || counted_minimum_effect || witness from steelyard.comparisons"),
            "{real_time}0.01both");
  EXPECT_EQ(ask("select count_scope || ' ' || gates || ' ' || gate_note || ' ' || call_path::text "
                "from steelyard.comparison_rows where position = 0"),
            "whole functions false instructions is not among the metrics that gate {BM_sort,sort}");
  EXPECT_EQ(ask("select string_agg(coalesce(from_calls + 2 * from_cost_per_call, 0) || renamed_from || '/' || "
                "inlined_into || '/' || once_inlined_into, ' ' order by position) from steelyard.comparison_functions"),
            "140order// 0/sort/order");
  EXPECT_EQ(ask("select culprit_file || ':' || culprit_line || ' ' || gates from steelyard.alerts"),
            "sort.cpp:42 false");
  const auto forget = [&](auto change) {
    Comparison other = comparison;
    change(other);
    EXPECT_TRUE(*ComparisonStore(store).put(other)) << "one field differs";
  };
  forget([](Comparison& other) { other.policy.witness = Witness::time; });
  forget([](Comparison& other) { other.rows[0].gates = true; });
  forget([](Comparison& other) { other.rows[0].call_path.clear(); });
  forget([](Comparison& other) { other.rows[0].functions[0].renamed_from.clear(); });
}

TEST_F(ComparisonWriterTest, KeepsLooksNoiseDriftsAndTheCalibration) {
  Store store = open();
  Comparison comparison = example_comparison();
  ComparisonRow& row = comparison.rows[0];
  row.p_kind = PKind::sequential;
  row.looks = {{8, 0.02, 0.1}, {12, 1.5e-3, 0.2}};
  row.discovery_q = 0.004;
  row.equivalence_interval = Interval{1.062, 1.08};
  row.rounds_wanted = 30;
  row.noise = {0.02, 0.03, std::nullopt};
  comparison.drifts = {{"real_time", 1.04, 0.01, 13, true}};
  comparison.calibration = Calibration{};
  comparison.calibration->fingerprint = comparison.candidate_fingerprint;
  comparison.calibration->false_gates = {1, 40, {0.0006, 0.13}};
  const auto put = ComparisonStore(store).put(comparison);
  ASSERT_TRUE(put) << put.error().text();
  EXPECT_EQ(ask("select look_rounds::text || look_p::text || look_share::text || ' ' || discovery_q || ' ' || "
                "equivalence_low || ' ' || equivalence_high || ' ' || rounds_wanted || ' ' || noise_within || ' ' || "
                "noise_between || ' ' || coalesce(noise_rounds::text, '-') "
                "from steelyard.comparison_rows where position = 0"),
            "{8,12}{0.02,0.0015}{0.1,0.2} 0.004 1.062 1.08 30 0.02 0.03 -");
  EXPECT_EQ(ask("select metric || ' ' || ratio || ' ' || deviation || ' ' || benchmarks || ' ' || removed "
                "from steelyard.comparison_drifts"),
            "real_time 1.04 0.01 13 true");
  EXPECT_EQ(ask("select c.false_gates || ' of ' || c.gates || ' ' || (c.document->'false_gates'->>'count') "
                "from steelyard.calibrations c join steelyard.comparisons using (calibration_key)"),
            "1 of 40 1");
  const auto forget = [&](auto change) {
    Comparison other = comparison;
    change(other);
    const auto is_new = ComparisonStore(store).put(other);
    ASSERT_TRUE(is_new) << is_new.error().text();
    EXPECT_TRUE(*is_new) << "one field differs";
  };
  forget([](Comparison& other) { other.rows[0].looks.pop_back(); });
  forget([](Comparison& other) { other.rows[0].discovery_q.reset(); });
  forget([](Comparison& other) { other.rows[0].equivalence_interval.reset(); });
  forget([](Comparison& other) { other.rows[0].rounds_wanted.reset(); });
  forget([](Comparison& other) { other.rows[0].noise.between.reset(); });
  forget([](Comparison& other) { other.drifts.clear(); });
  forget([](Comparison& other) { other.calibration.reset(); });
  EXPECT_EQ(ask("select count(*)::text from steelyard.calibrations"), "1") << "the same is kept once";
}

}  // namespace
}  // namespace steelyard::storage::comparison_writer_test

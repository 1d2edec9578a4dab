#include "storage/postgres/comparisons/comparison_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>

#include "storage/archive/archive.hpp"
#include "storage/comparison/comparison_document.hpp"
#include "storage/comparison/comparison_identity.hpp"
#include "storage/comparison_store.hpp"
#include "storage/history_store.hpp"
#include "storage/postgres/session/session.hpp"
#include "storage/run_store.hpp"
#include "tests/promised.hpp"
#include "tests/storage/comparison/random_comparison.hpp"
#include "tests/storage/postgres/example_run.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::storage::comparison_reader_test {
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
  row.p_kind = PKind::sequential;
  row.notes = {RowNote::first_look_only, RowNote::equal_program};
  row.looks = {{8, 0.1 + 0.2, 0.1}, {12, 1e-300, 0.2}};
  row.discovery_q = 0.004;
  row.slot_effect = 1.003;
  row.equivalence_interval = Interval{1.062, 1.08};
  row.rounds_wanted = 30;
  row.noise = {0.02, std::nullopt, 0.03};
  row.noise.code_layout = 0.1 / 3;
  row.noise.code_layouts = 4;
  row.noise.over_code_layouts = Interval{0.996, 1.067};
  row.solo = SoloCheck{1.0 / 7, Interval{0.1, 0.3}, 10, false};
  row.creep = Creep{LevelOrigin::released,
                    "aaaa",
                    "v1.2",
                    1'790'812'800,
                    0.1 + 0.2,
                    1.0 / 3,
                    1.02,
                    0.01,
                    true,
                    {{"bbbb", 0.3, 1.004}, {"", 1.0 / 3, 1e-300}}};
  comparison.history = JudgedHistory{"main", {SeriesHistory{}}};
  comparison.history->series[0].series = {"BM_sort/1024", "real_time", "ns", Better::lower, {}};
  comparison.history->series[0].series.points = {{{0.1 + 0.2}, "c1", "m", "r1"}, {{1, 1e-300}, "c2", "m", "r2"}};
  comparison.history->series[0].changes.emplace_back().commit = "c2";
  comparison.history->series[0].usual_invocations = 24;
  comparison.drifts = {{"real_time", 1.04, 0.01, 13, true}, {"cpu_time", 1 / 1.04, 0, 5, false}};
  comparison.calibration = Calibration{};
  comparison.calibration->fingerprint = comparison.candidate_fingerprint;
  comparison.calibration->seed = std::numeric_limits<std::uint64_t>::max();
  comparison.calibration->false_gates = {1, 40, {0.1 / 3, 0.13}};
  comparison.calibration->drift_sequential = 1e-300;
  comparison.calibration->benchmarks = {
      {"BM_a", "real_time", {0, 4, {0, 0.6}}, 0.1 + 0.2, {}, 0.01, {}, 0.1 + 0.2, 0.3, "quieter"}};
  return comparison;
}

class ComparisonReaderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto url = storage_test::migrated_database();
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
    const auto put = ComparisonStore(*store_).put(comparison);
    ASSERT_TRUE(put) << put.error().text();
    const auto read = ComparisonStore(*store_).get(comparison_id(comparison));
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(read->policy, comparison.policy);
    EXPECT_EQ(read->calibration, comparison.calibration);
    EXPECT_EQ(read->baseline, comparison.baseline);
    EXPECT_EQ(read->candidate, comparison.candidate);
    EXPECT_EQ(read->rows, comparison.rows);
    EXPECT_TRUE(*read == comparison);
  }
}

TEST_F(ComparisonReaderTest, HasTheSameDocumentAndIdAfterAnyWay) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Comparison comparison = storage_test::RandomComparison(seed).draw_with_later_fields(seed % 2 == 0);
    const std::string document = comparison_document(comparison);
    const auto kept = parse_comparison(document, "kept");
    ASSERT_TRUE(kept) << kept.error().text();
    const auto put = ComparisonStore(*store_).put(*kept);
    ASSERT_TRUE(put) << seed << ' ' << put.error().text();
    EXPECT_TRUE(*put);
    const auto read = ComparisonStore(*store_).get(comparison_id(comparison));
    ASSERT_TRUE(read) << seed << ' ' << read.error().text();
    EXPECT_EQ(comparison_document(*read), document) << seed;
    EXPECT_EQ(comparison_id(*read), comparison_id(comparison)) << seed;
    EXPECT_FALSE(*ComparisonStore(*store_).put(*read)) << "it is there already";
  }
}

TEST_F(ComparisonReaderTest, HasTheTablesForPatternsInTheirOrderAndWhatRowsWereJudgedBy) {
  Comparison comparison = with_everything();
  comparison.policy.patterns = {{"a/*",
                                 0.05,
                                 {},
                                 {},
                                 std::vector<std::string>{},
                                 {},
                                 "me",
                                 "steelyard.toml:3",
                                 "2026-12-31",
                                 "why",
                                 "Jane",
                                 "abc",
                                 "*EPYC*"},
                                {"*", {}, 0.1, 0.0, std::vector<std::string>{"real_time"}, 5'000'000'000, "", ""}};
  comparison.rows.at(0).policies = {"a/*", "*"};
  comparison.rows.at(0).owner = "me";
  ASSERT_TRUE(ComparisonStore(*store_).put(comparison));
  const auto read = ComparisonStore(*store_).get(comparison_id(comparison));
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->policy, comparison.policy);
  EXPECT_EQ(read->rows, comparison.rows);
  EXPECT_EQ(comparison_id(*read), comparison_id(comparison));
}

// Of runs that are clean commits of "demo", compared in rounds: what StepQuery leaves of it.
TEST_F(ComparisonReaderTest, IsAStepBetweenCleanCommitsAndNoneOfAChangedTreeOrARequest) {
  enum class Candidate { clean, dirty, of_request };
  int number = 10;
  for (const Candidate candidate : {Candidate::clean, Candidate::dirty, Candidate::of_request}) {
    steelyard::Run before = storage_test::example_run(++number);
    steelyard::Run after = storage_test::example_run(++number);
    before.header.commit.dirty = false;
    after.header.commit.dirty = candidate == Candidate::dirty;
    seal(before);
    seal(after);
    ASSERT_TRUE(RunStore(*store_).put(before));
    ASSERT_TRUE(RunStore(*store_).put(after, {{}, candidate == Candidate::of_request}));
    Comparison comparison = example_comparison();
    comparison.baseline = before.header;
    comparison.candidate = after.header;
    comparison.baseline_fingerprint = comparison.candidate_fingerprint = "m";
    comparison.rows.at(0).layout = Layout::duet;
    comparison.rows.at(0).confidence = 0.9;
    ASSERT_TRUE(ComparisonStore(*store_).put(comparison));
    const StepQuery query{"demo", "", "", "m", {before.header.commit.sha, after.header.commit.sha}};
    const auto steps = HistoryStore(*store_).steps(query);
    ASSERT_TRUE(steps) << steps.error().text();
    EXPECT_EQ(steps->size(), candidate == Candidate::clean ? 1U : 0U) << number;
    for (const MeasuredStep& step : *steps) EXPECT_EQ(step.confidence, 0.9);
  }
  const auto all = HistoryStore(*store_).steps({"demo"});
  ASSERT_TRUE(all) << all.error().text();
  EXPECT_EQ(all->size(), 1U);
  EXPECT_TRUE(HistoryStore(*store_).steps({"demo", "", "", "another machine"})->empty());
  EXPECT_TRUE(HistoryStore(*store_).steps({"demo", "", "", "", {all->front().before}})->empty());
}

TEST_F(ComparisonReaderTest, IsAStepOfExactlyOneOfATimeThatTheSameProgramWasSpared) {
  steelyard::Run before = storage_test::example_run(25);
  steelyard::Run after = storage_test::example_run(26);
  before.header.commit.dirty = after.header.commit.dirty = false;
  seal(before);
  seal(after);
  ASSERT_TRUE(RunStore(*store_).put(before));
  ASSERT_TRUE(RunStore(*store_).put(after));
  Comparison comparison = example_comparison();
  comparison.baseline = before.header;
  comparison.candidate = after.header;
  ComparisonRow row;
  row.metric = *well_known_metric(kRealTime);
  row.confidence = 0.9;
  row.verdict = Verdict::unchanged;
  row.benchmark = "BM_equal";
  row.notes = {RowNote::not_timed, RowNote::equal_program};
  comparison.rows = {row, row, row, row};
  comparison.rows[1].benchmark = "BM_code";
  comparison.rows[1].notes = {RowNote::not_timed, RowNote::equal_code, RowNote::equal_counts};
  comparison.rows[2].benchmark = "BM_none";
  comparison.rows[2].notes = {};
  comparison.rows[3].benchmark = "BM_missing";
  comparison.rows[3].verdict = Verdict::missing;
  ASSERT_TRUE(ComparisonStore(*store_).put(comparison));
  const auto steps = HistoryStore(*store_).steps({"demo", "", std::string(kRealTime)});
  ASSERT_TRUE(steps) << steps.error().text();
  ASSERT_EQ(steps->size(), 1U) << "what runs the same code may be laid out otherwise";
  const MeasuredStep& step = steps->front();
  EXPECT_EQ(step.benchmark, "BM_equal");
  EXPECT_EQ(step.before, before.header.commit.sha);
  EXPECT_EQ(step.after, after.header.commit.sha);
  EXPECT_EQ(step.ratio, 1);
  EXPECT_EQ(step.low, 1);
  EXPECT_EQ(step.high, 1);
}

TEST_F(ComparisonReaderTest, GivesItsStepsByPagesAsOnTheWhole) {
  for (int number = 30; number < 34; number += 2) {
    steelyard::Run before = storage_test::example_run(number);
    steelyard::Run after = storage_test::example_run(number + 1);
    before.header.commit.dirty = after.header.commit.dirty = false;
    seal(before);
    seal(after);
    ASSERT_TRUE(RunStore(*store_).put(before));
    ASSERT_TRUE(RunStore(*store_).put(after));
    Comparison comparison = example_comparison();
    comparison.baseline = before.header;
    comparison.candidate = after.header;
    ComparisonRow row = comparison.rows.at(0);
    row.layout = Layout::duet;
    comparison.rows = {row, row, row};
    for (std::size_t i = 0; i < 3; ++i) comparison.rows[i].benchmark = "BM_" + std::to_string(i);
    ASSERT_TRUE(ComparisonStore(*store_).put(comparison));
  }
  const auto all = HistoryStore(*store_).steps({"demo"});
  ASSERT_TRUE(all) << all.error().text();
  ASSERT_EQ(all->size(), 6U);
  StepQuery query{"demo"};
  query.limit = 2;
  std::vector<std::string> paged, whole;
  const auto name = [](const MeasuredStep& step) { return step.after + ' ' + step.benchmark; };
  for (const MeasuredStep& step : *all) whole.push_back(name(step));
  do {
    const auto page = HistoryStore(*store_).step_page(query);
    ASSERT_TRUE(page) << page.error().text();
    ASSERT_LE(page->items.size(), 2U);
    for (const MeasuredStep& step : page->items) paged.push_back(name(step));
    query.after = page->next;
  } while (!query.after.empty() && paged.size() < 10);
  EXPECT_EQ(paged, whole);
}

TEST_F(ComparisonReaderTest, GivesOfOlderComparisonsWhatTheyHave) {
  const Comparison comparison = with_everything();
  ASSERT_TRUE(ComparisonStore(*store_).put(comparison));
  auto session = Session::connect(address_.url, "test");
  ASSERT_TRUE(session);
  ASSERT_TRUE(session->run_alone("delete from steelyard.comparison_sides"));
  ASSERT_TRUE(session->run_alone("delete from steelyard.comparison_histories"));
  const auto read = ComparisonStore(*store_).get(comparison_id(comparison));
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->baseline.id, comparison.baseline.id);
  EXPECT_EQ(read->candidate.commit.branch, comparison.candidate.commit.branch);
  EXPECT_EQ(read->candidate.created_at_unix_ns, comparison.candidate.created_at_unix_ns);
  EXPECT_EQ(read->candidate.tool, "") << "by which a replay knows it";
  EXPECT_FALSE(read->history);
  EXPECT_EQ(read->rows, comparison.rows);
}

TEST_F(ComparisonReaderTest, TakesTheNotesOfOlderRowsFromTheirReasonsAndNewerOnesAsTheyAre) {
  Comparison comparison = with_everything();
  comparison.rows[0].reason = "too noisy: in 24 rounds the interval holds no change";
  ASSERT_TRUE(ComparisonStore(*store_).put(comparison));
  EXPECT_EQ(ComparisonStore(*store_).get(comparison_id(comparison))->rows[0].notes, comparison.rows[0].notes);
  auto session = Session::connect(address_.url, "test");
  ASSERT_TRUE(session);
  ASSERT_TRUE(session->run_alone("update steelyard.comparison_rows set notes = null"));
  EXPECT_EQ(ComparisonStore(*store_).get(comparison_id(comparison))->rows[0].notes, RowNotes{RowNote::too_noisy});
}

TEST_F(ComparisonReaderTest, TakesThatNobodyAskedForACountOfOlderRowsFromTheirGateNote) {
  Comparison comparison = with_everything();
  ComparisonRow& row = comparison.rows.back();
  row.verdict = Verdict::failed;
  row.gate_note = "nobody asked for counts, and neither side has one";
  row.notes = {RowNote::other_dispatch};
  ASSERT_TRUE(ComparisonStore(*store_).put(comparison));
  EXPECT_EQ(ComparisonStore(*store_).get(comparison_id(comparison))->rows.back().notes,
            (RowNotes{RowNote::other_dispatch, RowNote::not_asked_for}));
}

TEST_F(ComparisonReaderTest, FindsEveryNoteInWhatTheColumnSaysOfItself) {
  auto session = Session::connect(address_.url, "test");
  ASSERT_TRUE(session);
  auto transaction = Transaction::begin(*session);
  ASSERT_TRUE(transaction);
  const auto said = transaction->run(
      "select col_description(attrelid, attnum) from pg_attribute where attrelid = "
      "'steelyard.comparison_rows'::regclass and attname = 'notes'");
  ASSERT_TRUE(said) << said.error().text();
  ASSERT_EQ(said->size(), 1);
  for (const std::string_view word : words_of(RowNote{})) {
    EXPECT_THAT(std::string(said->raw(0, 0)), HasSubstr(std::string(word)));
  }
}

TEST_F(ComparisonReaderTest, NamesAHistoryThatIsDamaged) {
  const Comparison comparison = with_everything();
  ASSERT_TRUE(ComparisonStore(*store_).put(comparison));
  auto session = Session::connect(address_.url, "test");
  ASSERT_TRUE(session);
  ASSERT_TRUE(session->run_alone("update steelyard.comparison_histories set document = '\\x00'"));
  const auto read = ComparisonStore(*store_).get(comparison_id(comparison));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().text(), HasSubstr("the comparison's history in the store: found damaged bytes"));
}

TEST(ComparisonId, IsOfEveryFieldOfTheHistoryAndTheSoloCheck) {
  Comparison comparison = with_everything();
  const std::string id = comparison_id(comparison);
  const auto differs = [&](auto change) {
    Comparison other = comparison;
    change(other);
    return comparison_id(other) != id;
  };
  EXPECT_FALSE(differs([](Comparison&) {}));
  EXPECT_TRUE(differs([](Comparison& other) { other.rows[0].solo.reset(); }));
  EXPECT_TRUE(differs([](Comparison& other) { other.rows[0].solo->agrees.reset(); }));
  EXPECT_TRUE(differs([](Comparison& other) { other.rows[0].solo->interval.reset(); }));
  EXPECT_TRUE(differs([](Comparison& other) { other.rows[0].creep.reset(); }));
  EXPECT_TRUE(differs([](Comparison& other) { other.rows[0].creep->steps[1].commit = "cccc"; }));
  EXPECT_TRUE(differs([](Comparison& other) { other.history.reset(); }));
  EXPECT_TRUE(differs([](Comparison& other) { other.history->branch = "another"; }));
  EXPECT_TRUE(differs([](Comparison& other) { other.history->series[0].usual_invocations = 3; }));
  EXPECT_TRUE(differs([](Comparison& other) { other.history->series[0].changes.clear(); }));
  EXPECT_TRUE(differs([](Comparison& other) { other.history->series[0].series.points[0].values[0] *= 2; }));
}

TEST(ComparisonId, StaysWhatItWasWhereEitherWitnessDecidedAtAnyChange) {
  Comparison older = example_comparison();
  older.policy.counted_minimum_effect = 0;
  older.policy.witness = Witness::either;
  EXPECT_EQ(comparison_id(older), "5e499a4a1a88e36c680bcc7937403ef1201a13832591d0148c7be872b7a6d08a")
      << "a store would keep it a second time";
  EXPECT_NE(comparison_id(example_comparison()), comparison_id(older));
}

TEST_F(ComparisonReaderTest, FindsAComparisonByAnUnambiguousPrefixOnly) {
  Comparison other = example_comparison();
  other.rows[0].reason = "another reason";
  ASSERT_TRUE(ComparisonStore(*store_).put(example_comparison()));
  ASSERT_TRUE(ComparisonStore(*store_).put(other));
  EXPECT_EQ(ComparisonStore(*store_).get(comparison_id(other).substr(0, 12))->rows[0].reason, "another reason");
  EXPECT_THAT(ComparisonStore(*store_).get("abcde").error().text(), HasSubstr("at least 6 of the comparison's id"));
  EXPECT_THAT(ComparisonStore(*store_).get("no such").error().text(), HasSubstr("no such comparison in the store"));
  auto session = Session::connect(address_.url, "test");
  ASSERT_TRUE(session);
  ASSERT_TRUE(
      session->run_alone("update steelyard.comparisons set id = 'abcdef' || repeat('0', (row_number - 1)::int) "
                         "from (select comparison_key as k, row_number() over (order by comparison_key) "
                         "from steelyard.comparisons) numbered where k = comparison_key"));
  EXPECT_TRUE(ComparisonStore(*store_).get("abcdef")) << "a whole id is no prefix";
  EXPECT_TRUE(ComparisonStore(*store_).get("abcdef0"));
  ASSERT_TRUE(session->run_alone("update steelyard.comparisons set id = id || '-' || comparison_key"));
  EXPECT_THAT(ComparisonStore(*store_).get("abcdef").error().text(), HasSubstr("several comparisons"));
}

}  // namespace
}  // namespace steelyard::storage::comparison_reader_test

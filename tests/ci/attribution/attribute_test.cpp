#include "ci/attribution/attribute.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ci/attribution/hand_made_profile.hpp"

namespace steelyard {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const std::string kBody = "BM_tokenize(benchmark::State&)";
const std::string kTokenize = "textkit::tokenize(std::string_view)";
const std::string kInsert = "void std::vector<textkit::Token>::_M_realloc_insert<textkit::Token>(textkit::Token&&)";
const std::string kCopy = "__memcpy_avx_unaligned_erms";
const std::string kVectorFile = "/usr/include/c++/12/bits/vector.tcc";
const std::string kLibc = "/usr/lib/x86_64-linux-gnu/libc.so.6";

// A tokenizer that fills a vector: `growths` reallocations an iteration, ten iterations.
CountedProfile tokenizer(std::int64_t growths, const std::string& root) {
  return HandMadeProfile("BM_tokenize/1024", 10)
      .function(kBody, root + "/bench/textkit_bench.cpp", 100)
      .function(kTokenize, root + "/src/tokenizer.cpp", 100000 + growths * 20)
      .function("textkit::is_space(char)", root + "/src/characters.cpp", 20000)
      .function(kInsert, kVectorFile, growths * 800)
      .function(kCopy, "???", growths * 400, kLibc)
      .call(kBody, kTokenize, 10)
      .call(kTokenize, "textkit::is_space(char)", 10240)
      .call(kTokenize, kInsert, growths * 10)
      .call(kInsert, kCopy, growths * 10)
      .build();
}

ComparisonRow row_of(const CountedProfile& baseline, const CountedProfile& candidate, std::string_view metric) {
  ComparisonRow row;
  row.benchmark = baseline.benchmark.canonical();
  row.metric = *well_known_metric(metric);
  row.baseline = static_cast<double>(baseline.totals[0]) / static_cast<double>(baseline.iterations);
  row.candidate = static_cast<double>(candidate.totals[0]) / static_cast<double>(candidate.iterations);
  row.ratio = *row.candidate / *row.baseline;
  row.verdict = *row.ratio > 1 ? Verdict::regression : *row.ratio < 1 ? Verdict::improvement : Verdict::unchanged;
  return row;
}

Run run_of(const std::vector<CountedProfile>& profiles) {
  Run run;
  run.profiles = profiles;
  return run;
}

std::vector<FunctionChange> behind(const CountedProfile& baseline, const CountedProfile& candidate,
                                   const AttributionOptions& options = {}) {
  Comparison comparison;
  comparison.rows = {row_of(baseline, candidate, kInstructions)};
  attribute(comparison, run_of({baseline}), run_of({candidate}), options);
  return comparison.rows[0].functions;
}

std::vector<std::string> names(const std::vector<FunctionChange>& functions) {
  std::vector<std::string> result;
  for (const FunctionChange& function : functions) result.push_back(function.name);
  return result;
}

TEST(Attribute, LostReserveNamesItsFunctionFirstAndTheLibraryBelow) {
  AttributionOptions options;
  options.own_sources = {"/tmp/base", "/tmp/head"};
  const auto functions = behind(tokenizer(1, "/tmp/base"), tokenizer(11, "/tmp/head"), options);
  ASSERT_THAT(names(functions), ElementsAre(kTokenize, kInsert, kCopy));
  const FunctionChange& culprit = functions[0];
  EXPECT_TRUE(culprit.own_source);
  EXPECT_EQ(culprit.file, "src/tokenizer.cpp");
  EXPECT_EQ(culprit.line, 11);
  EXPECT_DOUBLE_EQ(culprit.inclusive_change, 1220);  // an iteration: 10 growths of 800 + 400 + 20, over 10 iterations
  EXPECT_DOUBLE_EQ(culprit.self_change, 20);
  EXPECT_DOUBLE_EQ(culprit.calls_change, 0);
  EXPECT_DOUBLE_EQ(culprit.share, 1);
  EXPECT_FALSE(functions[1].own_source);
  EXPECT_DOUBLE_EQ(functions[1].self_change, 800);
  EXPECT_DOUBLE_EQ(functions[1].calls_change, 10);
  EXPECT_DOUBLE_EQ(functions[1].share, 800.0 / 1220);
}

TEST(Attribute, RepairNamesTheSameFunctionWithTheOppositeSign) {
  const auto functions = behind(tokenizer(11, "/home/a"), tokenizer(1, "/home/a"));
  ASSERT_THAT(names(functions), ElementsAre(kTokenize, kInsert, kCopy));
  EXPECT_DOUBLE_EQ(functions[0].inclusive_change, -1220);
  EXPECT_DOUBLE_EQ(functions[0].share, 1);
}

TEST(Attribute, UnchangedCountNamesNobody) {
  EXPECT_THAT(behind(tokenizer(3, "/home/a"), tokenizer(3, "/home/b")), IsEmpty());
}

TEST(Attribute, CostsAreComparedAnIterationWhateverTheirNumber) {
  CountedProfile twice = tokenizer(1, "/home/a");
  twice.iterations *= 2;
  for (ProfiledFunction& function : twice.functions) {
    function.calls *= 2;
    function.self[0] *= 2;
    function.inclusive[0] *= 2;
  }
  twice.totals[0] *= 2;
  CountedProfile slower = twice;
  slower.functions[2].self[0] += 2000;  // is_space
  for (const int i : {0, 1, 2}) slower.functions[static_cast<std::size_t>(i)].inclusive[0] += 2000;
  slower.totals[0] += 2000;
  const auto functions = behind(tokenizer(1, "/home/a"), slower);
  ASSERT_THAT(names(functions), ElementsAre("textkit::is_space(char)"));
  EXPECT_DOUBLE_EQ(functions[0].self_change, 100);
}

TEST(Attribute, ChangeOfTwoFunctionsIsTheirCallersAndBothStandBelow) {
  CountedProfile slower = tokenizer(1, "/home/a");
  slower.functions[1].self[0] += 5000;
  slower.functions[2].self[0] += 5000;
  slower.functions[2].inclusive[0] += 5000;
  for (const int i : {0, 1}) slower.functions[static_cast<std::size_t>(i)].inclusive[0] += 10000;
  slower.totals[0] += 10000;
  const auto functions = behind(tokenizer(1, "/home/a"), slower);
  ASSERT_THAT(names(functions), ElementsAre(kTokenize, "textkit::is_space(char)"));
  EXPECT_DOUBLE_EQ(functions[0].share, 1);
  EXPECT_DOUBLE_EQ(functions[1].share, 0.5);
}

TEST(Attribute, BodyOfTheBenchmarkIsNamedOnlyWhereNothingDeeperCovers) {
  CountedProfile slower = tokenizer(1, "/home/a");
  slower.functions[0].self[0] += 10000;
  slower.functions[0].inclusive[0] += 10000;
  slower.totals[0] += 10000;
  EXPECT_THAT(names(behind(tokenizer(1, "/home/a"), slower)), ElementsAre(kBody));
}

TEST(Attribute, RecursionIsNamedOnceAndDoesNotHang) {
  const auto recursive = [](std::int64_t cost) {
    return HandMadeProfile("BM_parse/8", 1)
        .function("BM_parse", "/home/a/bench.cpp", 10, "/home/a/bench", 10 + cost)
        .function("parse", "/home/a/parse.cpp", cost / 2, "/home/a/bench", cost)
        .function("parse_list", "/home/a/parse.cpp", cost / 2, "/home/a/bench", cost)
        .call("BM_parse", "parse", 1)
        .call("parse", "parse_list", 7)
        .call("parse_list", "parse", 6)
        .call("parse_list", "parse_list", 3)
        .call("parse", "BM_parse", 1)
        .build();
  };
  EXPECT_THAT(names(behind(recursive(1000), recursive(1200))), ElementsAre("parse_list", "parse"));
}

TEST(Attribute, FunctionThatOnlyTheBaselineHasIsNamedForAnImprovement) {
  const auto with_check = HandMadeProfile("BM_x", 1)
                              .function("BM_x", "/home/a/x.cpp", 1000)
                              .function("check", "/home/a/x.cpp", 400)
                              .call("BM_x", "check", 1)
                              .build();
  const auto without = HandMadeProfile("BM_x", 1).function("BM_x", "/home/a/x.cpp", 1000).build();
  const auto functions = behind(with_check, without);
  ASSERT_THAT(names(functions), ElementsAre("check"));
  EXPECT_DOUBLE_EQ(functions[0].calls_change, -1);
}

TEST(Attribute, TimeRowThatChangedSharesTheFunctionsOfItsCount) {
  const CountedProfile baseline = tokenizer(1, "/home/a");
  const CountedProfile candidate = tokenizer(11, "/home/a");
  Comparison comparison;
  comparison.rows = {row_of(baseline, candidate, kRealTime), row_of(baseline, candidate, kInstructions),
                     row_of(baseline, candidate, kCpuTime), row_of(baseline, candidate, "allocations")};
  comparison.rows[2].verdict = Verdict::inconclusive;
  attribute(comparison, run_of({baseline}), run_of({candidate}), {});
  EXPECT_THAT(comparison.rows[0].functions, SizeIs(3));
  EXPECT_EQ(comparison.rows[0].functions, comparison.rows[1].functions);
  EXPECT_THAT(comparison.rows[2].functions, IsEmpty());
  EXPECT_THAT(comparison.rows[3].functions, IsEmpty());
}

TEST(Attribute, TimeThatMovedAgainstItsCountGetsNoFunctions) {
  const CountedProfile baseline = tokenizer(1, "/home/a");
  const CountedProfile candidate = tokenizer(11, "/home/a");
  Comparison comparison;
  comparison.rows = {row_of(baseline, candidate, kRealTime), row_of(baseline, candidate, kInstructions)};
  comparison.rows[0].verdict = Verdict::improvement;
  attribute(comparison, run_of({baseline}), run_of({candidate}), {});
  EXPECT_THAT(comparison.rows[0].functions, IsEmpty());
  EXPECT_THAT(comparison.rows[1].functions, SizeIs(3));
}

TEST(Attribute, TimeOfCodeThatWasNotCountedGetsNoFunctions) {
  const auto call_blas = [](std::int64_t cost) {
    return HandMadeProfile("BM_gemm/64", 1)
        .function("BM_gemm", "/home/a/gemm.cpp", 10)
        .function("sgemm_kernel_HASWELL", "???", cost, "/usr/lib/x86_64-linux-gnu/libopenblas.so.0")
        .call("BM_gemm", "sgemm_kernel_HASWELL", 1)
        .build();
  };
  const CountedProfile baseline = call_blas(100);
  const CountedProfile candidate = call_blas(200);
  auto run = run_of({candidate});
  run.environment.set("count.dispatch", "Haswell under Valgrind, SkylakeX natively: different code", false);
  Comparison comparison;
  comparison.rows = {row_of(baseline, candidate, kRealTime), row_of(baseline, candidate, kInstructions)};
  attribute(comparison, run_of({baseline}), run, {});
  EXPECT_THAT(comparison.rows[0].functions, IsEmpty());
  EXPECT_THAT(comparison.rows[1].functions, testing::Not(IsEmpty()));
}

TEST(Attribute, DispatchIsSaidWhereAProfileIsMissingUnlessTheOtherShowsThatItIsNotCalled) {
  const CountedProfile plain = tokenizer(1, "/home/a");
  auto without = run_of({});
  without.environment.set("count.dispatch", "Haswell under Valgrind, SkylakeX natively: different code", false);
  Comparison comparison;
  comparison.rows = {row_of(plain, plain, kInstructions)};
  attribute(comparison, run_of({plain}), without, {});
  EXPECT_EQ(comparison.rows[0].reason, "");
  attribute(comparison, run_of({}), without, {});
  EXPECT_THAT(comparison.rows[0].reason, testing::HasSubstr("library dispatch"));
}

TEST(Attribute, DispatchOfALibraryIsSaidInTheCountOfWhatCallsIt) {
  const auto call_blas = [](std::int64_t cost) {
    return HandMadeProfile("BM_gemm/64", 1)
        .function("BM_gemm", "/home/a/gemm.cpp", 10)
        .function("sgemm_kernel_HASWELL", "???", cost, "/usr/lib/x86_64-linux-gnu/libopenblas.so.0")
        .call("BM_gemm", "sgemm_kernel_HASWELL", 1)
        .build();
  };
  const CountedProfile plain = tokenizer(1, "/home/a");
  const CountedProfile blas = call_blas(100);
  auto run = run_of({plain, blas});
  run.environment.set("count.dispatch", "Haswell under Valgrind, SkylakeX natively: different code", false);
  Comparison comparison;
  comparison.rows = {row_of(plain, plain, kInstructions), row_of(blas, blas, kInstructions),
                     row_of(blas, blas, kRealTime)};
  for (ComparisonRow& row : comparison.rows) row.reason = "measured";
  attribute(comparison, run, run, {});
  EXPECT_EQ(comparison.rows[0].reason, "measured");
  EXPECT_EQ(comparison.rows[1].reason,
            "measured; library dispatch: Haswell under Valgrind, SkylakeX natively: different code");
  EXPECT_EQ(comparison.rows[2].reason, "measured");
}

TEST(Attribute, MissingProfileLeavesTheRowAsItIs) {
  const CountedProfile baseline = tokenizer(1, "/home/a");
  const CountedProfile candidate = tokenizer(11, "/home/a");
  Comparison comparison;
  comparison.rows = {row_of(baseline, candidate, kInstructions)};
  attribute(comparison, run_of({baseline}), run_of({}), {});
  EXPECT_THAT(comparison.rows[0].functions, IsEmpty());
}

TEST(Attribute, NoMoreFunctionsThanAskedFor) {
  AttributionOptions options;
  options.most_functions = 2;
  EXPECT_THAT(names(behind(tokenizer(1, "/home/a"), tokenizer(11, "/home/a"), options)),
              ElementsAre(kTokenize, kInsert));
  options.most_functions = 0;
  EXPECT_THAT(behind(tokenizer(1, "/home/a"), tokenizer(11, "/home/a"), options), IsEmpty());
}

}  // namespace
}  // namespace steelyard

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/counting/count.hpp"
#include "ci/attribution/attribute.hpp"
#include "regress/ab/gates.hpp"
#include "tests/ci/attribution/hand_made_profile.hpp"

namespace steelyard::ci::attribute_test {
namespace {

using attribution_test::behind;
using attribution_test::names;
using attribution_test::row_of;
using attribution_test::run_of;

using testing::ElementsAre;
using testing::HasSubstr;
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
  ASSERT_THAT(names(functions), ElementsAre("textkit::is_space(char)", kTokenize)) << "its caller for what it calls";
  EXPECT_DOUBLE_EQ(functions[0].self_change, 100);
  EXPECT_DOUBLE_EQ(functions[1].self_change, 0);
  EXPECT_DOUBLE_EQ(functions[1].inclusive_change, 100);
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

TEST(Attribute, SplitsAChangeIntoMoreCallsAndDearerCalls) {
  const auto calls = [](std::int64_t count, std::int64_t cost) {
    return HandMadeProfile("BM_x", 10)
        .function("BM_x", "/home/a/x.cpp", 10)
        .function("f", "/home/a/x.cpp", 10 * count * cost)
        .call("BM_x", "f", 10 * count)
        .build();
  };
  const FunctionChange both = behind(calls(2, 100), calls(3, 110))[0];
  EXPECT_EQ(both.name, "f");
  EXPECT_DOUBLE_EQ(*both.from_calls, 100) << "one call more at 100 each";
  EXPECT_DOUBLE_EQ(*both.from_cost_per_call, 30) << "three calls at 10 more each";
  EXPECT_DOUBLE_EQ(both.inclusive_change, 130);
  const FunctionChange fresh = behind(calls(0, 100), calls(3, 100))[0];
  EXPECT_FALSE(fresh.from_calls.has_value()) << "the baseline never called it";
}

TEST(Attribute, RenamedFunctionIsOneFunctionAndMarked) {
  const auto named = [](const std::string& name, std::int64_t cost) {
    return HandMadeProfile("BM_x", 1)
        .function("BM_x", "/home/a/x.cpp", 10)
        .function(name, "/home/a/f.cpp", 5000)
        .function("leaf", "/home/a/leaf.cpp", cost)
        .call("BM_x", name, 3)
        .call(name, "leaf", 5)
        .build();
  };
  const auto functions = behind(named("before", 500), named("after", 600));
  ASSERT_THAT(names(functions), ElementsAre("leaf", "after"));
  EXPECT_EQ(functions[1].renamed_from, "before");
  EXPECT_DOUBLE_EQ(functions[1].self_change, 0);
}

TEST(Attribute, CallPathLeadsToWhatSpendsTheChange) {
  Comparison comparison;
  const CountedProfile baseline = tokenizer(1, "/home/a");
  const CountedProfile candidate = tokenizer(11, "/home/a");
  comparison.rows = {row_of(baseline, candidate, kRealTime), row_of(baseline, candidate, kInstructions)};
  attribute(comparison, run_of({baseline}), run_of({candidate}), {});
  EXPECT_THAT(comparison.rows[1].call_path, ElementsAre(kBody, kTokenize, kInsert));
  EXPECT_EQ(comparison.rows[0].call_path, comparison.rows[1].call_path);
}

TEST(Attribute, InlinedFunctionIsNamedAsWellAsTheOneItRunsIn) {
  const auto inlined = [](std::int64_t cost) {
    CountedProfile profile = HandMadeProfile("BM_x", 1)
                                 .function("BM_x", "/home/a/x.cpp", 10)
                                 .function("run", "/home/a/run.cpp", 100 + cost)
                                 .call("BM_x", "run", 1)
                                 .build();
    profile.sources = {{0, "/home/a/x.cpp", "BM_x", 7, {10}},
                       {1, "/home/a/run.cpp", "run", 20, {100}},
                       {1, "/home/a/hot.h", "mix", 5, {10}},
                       {1, "/home/a/hot.h", "mix", 6, {cost - 10}}};
    return profile;
  };
  const auto functions = behind(inlined(50), inlined(70), {{"/home/a"}});
  ASSERT_THAT(names(functions), ElementsAre("mix", "run"));
  EXPECT_EQ(functions[0].inlined_into, "run");
  EXPECT_EQ(functions[0].file, "hot.h");
  EXPECT_EQ(functions[0].line, 6);
  EXPECT_DOUBLE_EQ(functions[0].self_change, 20);
  EXPECT_DOUBLE_EQ(functions[1].self_change, 20) << "it runs there";
}

// Of two trees only the candidate's is known, as where the baseline's counts were kept by a gate of another tree.
TEST(Attribute, InlinedFunctionOfTwoTreesIsToldOnceByItsDifference) {
  const auto counted = [](const std::string& root, const std::string& header, std::int64_t cost) {
    CountedProfile profile = HandMadeProfile("BM_x", 1).function("BM_x", root + "/src/x.cpp", 110 + cost).build();
    profile.sources = {{0, root + "/src/x.cpp", "BM_x", 7, {10}},
                       {0, root + "/src/x.cpp", "BM_x", 8, {100}},
                       {0, root + header, "mix", 5, {cost - 10}},
                       {0, root + header, "mix", 6, {10}},
                       {0, root + "/other/hot.h", "mix", 3, {0}}};
    return profile;
  };
  const AttributionOptions options{{"/home/head"}};
  const CountedProfile before = counted("/tmp/base", "/include/hot.h", 900);
  const auto functions = behind(before, counted("/home/head", "/include/hot.h", 920), options);
  ASSERT_THAT(names(functions), ElementsAre("mix", "BM_x"));
  EXPECT_EQ(functions[0].file, "include/hot.h");
  EXPECT_EQ(functions[0].line, 5);
  EXPECT_DOUBLE_EQ(functions[0].self_change, 20);

  const auto moved = behind(before, counted("/home/head", "/include/mix.h", 920), options);
  ASSERT_THAT(names(moved), ElementsAre("mix", "BM_x")) << "in a file of another name it is the same function";
  EXPECT_EQ(moved[0].file, "include/mix.h");
  EXPECT_DOUBLE_EQ(moved[0].self_change, 20);

  CountedProfile own = counted("/home/head", "/include/hot.h", 900);
  own.sources[0].self[0] += 30;
  own.functions[0].self[0] += 30;
  own.functions[0].inclusive[0] += 30;
  own.totals[0] += 30;
  const auto itself = behind(before, own, options);
  ASSERT_THAT(names(itself), ElementsAre("BM_x"));
  EXPECT_EQ(itself[0].line, 7) << "not the dearest of its lines, which is as it was";
}

// The reader before took other positions out of the same file: what a side's lines say is no change of the program.
TEST(Attribute, LinesThatAnEarlierReaderToldNameNoInlinedFunctionAndNoLine) {
  const auto counted = [](std::int64_t cost, const char* origin, bool is_told_by_this_reader) {
    CountedProfile profile = HandMadeProfile("BM_x", 1).function("BM_x", "/home/a/x.cpp", 10 + cost).build();
    profile.functions[0].line = 3;
    profile.sources = {{0, "/home/a/x.cpp", "BM_x", 7, {10}}, {0, "/usr/include/hot.h", origin, 5, {cost}}};
    steelyard::Run run = run_of({profile});
    if (!is_told_by_this_reader) run.header.settings.erase(std::string(bench::kCountReaderSetting));
    return run;
  };
  const auto attributed = [](const steelyard::Run& baseline, const steelyard::Run& candidate) {
    Comparison comparison;
    comparison.rows = {row_of(baseline.profiles[0], candidate.profiles[0], kInstructions)};
    const NamedWithoutLines without = attribute(comparison, baseline, candidate, {}).without_lines;
    return std::pair(comparison.rows[0].functions, std::pair(without.of_baseline, without.of_candidate));
  };
  const steelyard::Run known = counted(50, "mix", true), shifted = counted(50, "operator!=", false);
  const steelyard::Run changed = counted(70, "mix", true);
  EXPECT_THAT(names(attributed(known, changed).first), ElementsAre("BM_x", "mix"));
  EXPECT_EQ(attributed(known, changed).second, std::pair(false, false));
  for (const auto& [baseline, candidate, line] :
       {std::tuple(&shifted, &changed, 3), std::tuple(&changed, &shifted, 0)}) {
    const auto [functions, without_lines] = attributed(*baseline, *candidate);
    ASSERT_THAT(names(functions), ElementsAre("BM_x")) << "mix did not replace operator!=";
    EXPECT_EQ(functions[0].line, line) << "the candidate's own, where it is known";
    EXPECT_EQ(without_lines, std::pair(baseline == &shifted, candidate == &shifted));
  }
  EXPECT_EQ(attributed(known, shifted).second, std::pair(false, false)) << "nothing changed, nothing is named";
}

TEST(Attribute, PlaceIsInTheProjectsSourcesWhereOwnCodeStandsOnLinesOfAHeader) {
  const auto pushing = [](std::int64_t own, std::int64_t in_header) {
    CountedProfile profile = HandMadeProfile("BM_x", 1).function("BM_x", "/home/a/x.cpp", own + in_header).build();
    profile.sources = {{0, "/home/a/x.cpp", "BM_x", 7, {own}},
                       {0, "/usr/include/c++/12/bits/stl_vector.h", "BM_x", 1283, {in_header}}};
    return profile;
  };
  const FunctionChange change = behind(pushing(10, 100), pushing(20, 200))[0];
  EXPECT_EQ(change.file, "/home/a/x.cpp");
  EXPECT_EQ(change.line, 7);
  EXPECT_EQ(behind(pushing(10, 100), pushing(10, 200))[0].line, 1283) << "of the project's own lines none changed";
}

TEST(Attribute, FunctionThatIsNoLongerInlinedSaysWhereItWas) {
  CountedProfile before = HandMadeProfile("BM_x", 1)
                              .function("BM_x", "/home/a/x.cpp", 10)
                              .function("run", "/home/a/run.cpp", 500)
                              .call("BM_x", "run", 1)
                              .build();
  before.sources = {{0, "/home/a/x.cpp", "BM_x", 7, {10}},
                    {1, "/home/a/run.cpp", "run", 20, {100}},
                    {1, "/home/a/run.cpp", "mix", 5, {400}}};
  CountedProfile after = HandMadeProfile("BM_x", 1)
                             .function("BM_x", "/home/a/x.cpp", 10)
                             .function("run", "/home/a/run.cpp", 150)
                             .function("mix", "/home/a/run.cpp", 450)
                             .call("BM_x", "run", 1)
                             .call("run", "mix", 50)
                             .build();
  after.sources = {{0, "/home/a/x.cpp", "BM_x", 7, {10}},
                   {1, "/home/a/run.cpp", "run", 20, {150}},
                   {2, "/home/a/run.cpp", "mix", 5, {450}}};
  ASSERT_THAT(names(behind(before, after)), ElementsAre("mix", "run")) << "its piece in run is not told again";
  const FunctionChange lost = behind(before, after)[0];
  EXPECT_EQ(lost.name, "mix");
  EXPECT_EQ(lost.once_inlined_into, "run");
  EXPECT_EQ(lost.inlined_into, "");
  const FunctionChange gained = behind(after, before)[0];
  EXPECT_EQ(gained.name, "mix");
  EXPECT_EQ(gained.inlined_into, "run");
}

TEST(Attribute, SignalsOfOtherCodeDecideEachAlone) {
  const auto call_blas = [](std::int64_t cost) {
    return HandMadeProfile("BM_gemm/64", 1)
        .function("BM_gemm", "/home/a/gemm.cpp", 10)
        .function("sgemm_kernel_HASWELL", "???", cost, "/usr/lib/x86_64-linux-gnu/libopenblas.so.0")
        .call("BM_gemm", "sgemm_kernel_HASWELL", 1)
        .build();
  };
  const CountedProfile profile = call_blas(100);
  Comparison comparison;
  comparison.policy.witness = Witness::both;
  comparison.rows = {row_of(profile, profile, kRealTime), row_of(profile, profile, kInstructions)};
  comparison.rows[0].verdict = Verdict::regression;
  comparison.rows[0].gates = false;
  auto run = run_of({profile});
  run.environment.set("count.dispatch", "Haswell under Valgrind, SkylakeX natively: different code", false);
  attribute(comparison, run, run, {});
  const auto notes = regress::decide_gates(comparison);
  EXPECT_TRUE(comparison.rows[0].gates);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(notes[0]));
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
  EXPECT_FALSE(comparison.rows[0].notes.has(RowNote::other_dispatch));
  attribute(comparison, run_of({}), without, {});
  EXPECT_TRUE(comparison.rows[0].notes.has(RowNote::other_dispatch));
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
  attribute(comparison, run, run, {});
  EXPECT_EQ(comparison.rows[0].notes, RowNotes{});
  EXPECT_EQ(comparison.rows[1].notes, RowNotes{RowNote::other_dispatch});
  EXPECT_EQ(comparison.rows[2].notes, RowNotes{});
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
  options.max_functions = 2;
  EXPECT_THAT(names(behind(tokenizer(1, "/home/a"), tokenizer(11, "/home/a"), options)),
              ElementsAre(kTokenize, kInsert));
  options.max_functions = 0;
  EXPECT_THAT(behind(tokenizer(1, "/home/a"), tokenizer(11, "/home/a"), options), IsEmpty());
}

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr const char* kSquare = "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_64x3_tn";
constexpr const char* kSmall = "ampere_bf16_s16816gemm_bf16_64x64_ldg8_f2f_stages_64x3_tn";

TEST(KernelsOfLabel, AreThePartAfterTheirWord) {
  EXPECT_THAT(kernels_of_label("target: 0.6 of bandwidth; kernels: a, b ;stopped: precise"), ElementsAre("a", "b"));
  EXPECT_THAT(kernels_of_label("kernels: f<int, float>(int, float), g"), ElementsAre("f<int, float>(int, float)", "g"));
  EXPECT_THAT(kernels_of_label("target: 0.6 of bandwidth"), IsEmpty());
  EXPECT_THAT(kernels_of_label("kernels:"), IsEmpty());
  EXPECT_THAT(kernels_of_label(""), IsEmpty());
}

Run labelled(const std::string& label) {
  Run run;
  run.labels["matmul"] = label;
  return run;
}

Comparison of_row(Verdict verdict) {
  Comparison comparison;
  ComparisonRow row;
  row.benchmark = "matmul";
  row.verdict = verdict;
  row.reason = "20 % slower";
  comparison.rows.push_back(row);
  return comparison;
}

TEST(ChangedKernels, AreInTheRowsThatWereJudgedAndReturned) {
  Comparison comparison = of_row(Verdict::regression);
  const KernelChanges changes = annotate_changed_kernels(comparison, labelled(std::string("kernels: ") + kSquare),
                                                         labelled(std::string("kernels: ") + kSmall));
  EXPECT_THAT(comparison.rows[0].kernel_changes,
              ElementsAre(AllOf(StartsWith("kernel "), HasSubstr("128x128"), HasSubstr("64x64"))));
  EXPECT_EQ(changes, (KernelChanges{{"matmul", comparison.rows[0].kernel_changes}}));
  EXPECT_EQ(comparison.rows[0].reason, "20 % slower") << "in words they are told by the report";
  EXPECT_THAT(comparison.warnings, IsEmpty());
}

TEST(ChangedKernels, AreNoneWhereNothingIsKnownOrChanged) {
  for (const auto& [before, now] : {std::pair("kernels: a, b", "kernels: b, a"), std::pair("", "kernels: a"),
                                    std::pair("kernels: a", "stopped: precise")}) {
    Comparison comparison = of_row(Verdict::regression);
    EXPECT_THAT(annotate_changed_kernels(comparison, labelled(before), labelled(now)), IsEmpty());
    EXPECT_THAT(comparison.rows[0].kernel_changes, IsEmpty()) << before << " | " << now;
  }
}

TEST(ChangedKernels, LeaveRowsAloneThatWereNotJudged) {
  Comparison comparison = of_row(Verdict::incomparable);
  EXPECT_EQ(annotate_changed_kernels(comparison, labelled("kernels: a"), labelled("kernels: b")).size(), 1U);
  EXPECT_THAT(comparison.rows[0].kernel_changes, IsEmpty());
}

TEST(LibraryDispatch, DiffersOnlyWhereTheRunSaysSo) {
  steelyard::Run run;
  EXPECT_FALSE(bench::counted_other_code(run));
  run.environment.set("count.dispatch", "OpenBLAS Haswell under Valgrind, Haswell natively", false);
  EXPECT_FALSE(bench::counted_other_code(run));
  run.environment.set("count.dispatch",
                      "OpenBLAS Haswell under Valgrind, SkylakeX natively: counts and times are of different code",
                      false);
  EXPECT_TRUE(bench::counted_other_code(run)) << "as older runs say it";
  run.environment.set("count.dispatch_code", "equal", false);
  EXPECT_FALSE(bench::counted_other_code(run)) << "the fact of its own decides";
  run.environment.set("count.dispatch_code", "other", false);
  EXPECT_TRUE(bench::counted_other_code(run));
}

TEST(LibraryDispatch, IsSeenInThePathOrTheNamesOfTheLibrary) {
  const auto calls = [](const std::string& name, const std::string& object) {
    return calls_a_dispatching_library(HandMadeProfile("BM_x", 1).function(name, "???", 1, object).build());
  };
  EXPECT_TRUE(calls("dot_k", "/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0"));
  EXPECT_TRUE(calls("cblas_sgemm", "/home/a/bench"));
  EXPECT_FALSE(calls("my::gemm(int)", "/home/a/bench"));
}

}  // namespace

}  // namespace steelyard::ci::attribute_test

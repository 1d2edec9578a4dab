#include "ci/attribution/changed_kernels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steelyard {
namespace {

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

TEST(ChangedKernels, StandBeforeTheTime) {
  Comparison comparison = of_row(Verdict::regression);
  tell_changed_kernels(comparison, labelled(std::string("kernels: ") + kSquare),
                       labelled(std::string("kernels: ") + kSmall));
  EXPECT_THAT(comparison.rows[0].reason,
              AllOf(StartsWith("kernel "), HasSubstr("128x128"), HasSubstr("64x64"), HasSubstr("; 20 % slower")));
  EXPECT_THAT(comparison.rows[0].kernel_changes, ElementsAre(AllOf(StartsWith("kernel "), HasSubstr("64x64"))));
  EXPECT_THAT(comparison.warnings, ElementsAre(StartsWith("other kernels ran than before in 1 benchmark: matmul (")));
}

TEST(ChangedKernels, AreToldWhereNoTimeChanged) {
  Comparison comparison = of_row(Verdict::unchanged);
  tell_changed_kernels(comparison, labelled("kernels: a"), labelled("kernels: a, b"));
  EXPECT_THAT(comparison.warnings, ElementsAre(HasSubstr("b")));
}

TEST(ChangedKernels, SayNothingWhereNothingIsKnownOrChanged) {
  for (const auto& [before, now] : {std::pair("kernels: a, b", "kernels: b, a"), std::pair("", "kernels: a"),
                                    std::pair("kernels: a", "stopped: precise")}) {
    Comparison comparison = of_row(Verdict::regression);
    tell_changed_kernels(comparison, labelled(before), labelled(now));
    EXPECT_EQ(comparison.rows[0].reason, "20 % slower") << before << " | " << now;
    EXPECT_THAT(comparison.warnings, IsEmpty());
  }
}

TEST(ChangedKernels, LeaveRowsAloneThatWereNotJudged) {
  Comparison comparison = of_row(Verdict::incomparable);
  tell_changed_kernels(comparison, labelled("kernels: a"), labelled("kernels: b"));
  EXPECT_EQ(comparison.rows[0].reason, "20 % slower");
}

}  // namespace
}  // namespace steelyard

#include "ci/report/row_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/model/kept_words.hpp"

namespace steelyard::ci::row_text_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ComparisonRow row_with(Interval over, Verdict verdict) {
  ComparisonRow row;
  row.ratio = 1.031;
  row.verdict = verdict;
  row.noise.code_layout = 0.012;
  row.noise.code_layouts = 4;
  row.noise.over_code_layouts = over;
  return row;
}

TEST(CodeLayoutText, SaysHowMuchOfTheChangeLayoutCouldExplain) {
  EXPECT_EQ(code_layout_text(row_with({0.996, 1.067}, Verdict::regression)),
            "over 4 code layouts -0.40 % to +6.70 % (95 %), standard deviation between them 1.2 %; "
            "layout could explain all of it");
  EXPECT_EQ(code_layout_text(row_with({1.01, 1.0506}, Verdict::regression)),
            "over 4 code layouts +1.00 % to +5.06 % (95 %), standard deviation between them 1.2 %; "
            "layout could explain up to 1.99 % of it");
  EXPECT_THAT(code_layout_text(row_with({0.99, 1.01}, Verdict::unchanged)), Not(HasSubstr("of it")))
      << "there is no change to explain";
  EXPECT_EQ(code_layout_text(ComparisonRow{}), "");
}

TEST(ExactnessText, SaysScopeAndJitter) {
  EXPECT_EQ(exactness_text(CountScope::timed_region, 0), "exact");
  EXPECT_EQ(exactness_text(CountScope::timed_region, 0.0002), "exact to 0.02 %");
  EXPECT_EQ(exactness_text(CountScope::timed_region, 2e-8), "exact to 2e-06 %");
  EXPECT_EQ(exactness_text(CountScope::whole_functions, 0.003), "whole functions, to 0.3 %");
  EXPECT_EQ(exactness_text(CountScope::whole_program, 0), "whole program");
}

TEST(UntimedText, SaysWhoseWishItWasAndReadsBackAsItsNotes) {
  const EqualProgram program{"0123456789abcdef", 0};
  const std::string equal = "every loaded section of program and libraries is equal (sha256 0123456789ab)";
  EXPECT_EQ(untimed_text(UntimedBy::policy, program), "not timed, as the policy says (skip_time): " + equal);
  EXPECT_EQ(untimed_text(UntimedBy::one_build, program),
            "not timed: the candidate's build is the baseline's, as only documentation changed; " + equal);
  for (const UntimedBy by : {UntimedBy::policy, UntimedBy::one_build, UntimedBy::equal_builds}) {
    EXPECT_EQ(read_notes(untimed_text(by, program)), (RowNotes{RowNote::not_timed, RowNote::equal_program}));
    EXPECT_EQ(read_notes(untimed_text(by, std::nullopt)),
              (RowNotes{RowNote::not_timed, RowNote::equal_code, RowNote::equal_counts}));
  }
}

TEST(SoloText, SaysWhichOfThreeThingsAloneIs) {
  ComparisonRow row;
  row.solo = SoloCheck{1.05, Interval{1.02, 1.08}, 10, true};
  EXPECT_EQ(solo_text(row), "alone: +5.00 % (+2.00 % to +8.00 %), which agrees");
  row.solo->agrees = std::nullopt;
  EXPECT_EQ(solo_text(row), "not confirmed alone: +5.00 % (+2.00 % to +8.00 %), too wide to tell");
  row.solo->agrees = false;
  EXPECT_EQ(solo_text(row), "alone: +5.00 % (+2.00 % to +8.00 %), which contradicts it");
  row.notes.add(RowNote::contradicted_alone);
  EXPECT_EQ(solo_text(row), "") << "its reason begins with it";
  row = {};
  EXPECT_EQ(solo_text(row), "");
  row.notes.add(RowNote::not_confirmed_alone);
  EXPECT_EQ(solo_text(row), "not confirmed alone: no measurement alone to hold it against");
}

}  // namespace
}  // namespace steelyard::ci::row_text_test

#include "ci/judging/pictures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/ci/report/sample_results.hpp"

namespace steelyard::ci::row_pictures_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Comparison four_rows() {
  Comparison comparison;
  comparison.rows = {
      sample::time_row("BM_a", 1.02, Verdict::regression), sample::time_row("BM_b", 1.5, Verdict::regression),
      sample::time_row("BM_c", 0.5, Verdict::improvement), sample::time_row("BM_d", 1, Verdict::unchanged)};
  return comparison;
}

TEST(RowPictures, TheTerminalShowsTheWorstAndCountsTheRest) {
  const std::string text = terminal_pictures(four_rows(), {}, {}, {}, 2);
  ASSERT_THAT(text, AllOf(HasSubstr("BM_a"), HasSubstr("BM_b"), Not(HasSubstr("BM_c")), Not(HasSubstr("BM_d"))));
  EXPECT_LT(text.find("BM_b"), text.find("BM_a"));
  EXPECT_THAT(text, HasSubstr("not drawn: 1 more row; --svg-dir draws what changed\n"));
}

TEST(RowPictures, WithoutAChangeTheTerminalShowsWhatWasJudged) {
  const std::string text = terminal_pictures(sample::quiet_comparison(3), {}, {}, {}, 1);
  EXPECT_THAT(text, AllOf(HasSubstr("unchanged"), HasSubstr("not drawn: 2 more rows\n"), Not(HasSubstr("--svg-dir"))));
  EXPECT_EQ(terminal_pictures({}, {}, {}, {}), "");
}

TEST(RowPictures, EveryChangedRowHasAFile) {
  std::string name = (std::filesystem::temp_directory_path() / "steelyard-rows-XXXXXX").string();
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  const std::filesystem::path folder = std::filesystem::path(name) / "new" / "folder";
  Comparison comparison = four_rows();
  comparison.rows.push_back(sample::time_row("BM/c", 1.2, Verdict::regression));
  comparison.rows.push_back(sample::instructions_row("BM_i", 1, 2));
  const Result<DrawnRows> rows = draw_changed_rows(comparison, {}, {}, folder);
  ASSERT_TRUE(rows) << rows.error().text();
  EXPECT_EQ(rows->drawn, 4U) << "counts have flame graphs";
  EXPECT_EQ(rows->excluded, 0U);
  for (const char* file : {"BM_a.real_time.svg", "BM_b.real_time.svg", "BM_c.real_time.svg", "BM_c.real_time-2.svg"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / file)) << file;
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "BM_d.real_time.svg"));
  EXPECT_FALSE(draw_changed_rows(comparison, {}, {}, folder / "BM_a.real_time.svg"));
  std::filesystem::remove_all(name);
}

TEST(RowPictures, OfMoreThanTheLimitTheWorstHaveFilesAndTheRestIsCounted) {
  std::string name = (std::filesystem::temp_directory_path() / "steelyard-rows-XXXXXX").string();
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  const Result<DrawnRows> rows = draw_changed_rows(four_rows(), {}, {}, name, 1);
  ASSERT_TRUE(rows) << rows.error().text();
  EXPECT_EQ(rows->drawn, 1U);
  EXPECT_EQ(rows->excluded, 2U);
  EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(name) / "BM_b.real_time.svg"));
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(name) / "BM_a.real_time.svg"));
  std::filesystem::remove_all(name);
}

}  // namespace
}  // namespace steelyard::ci::row_pictures_test

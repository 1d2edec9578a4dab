#include "ci/judging/pictures.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "ci/report/charts/series_chart.hpp"
#include "tests/ci/verbs/program_under_test.hpp"

namespace steelyard::ci::series_pictures_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class SeriesPictures : public ProgramUnderTest {
 protected:
  static Series step(const std::string& name) {
    Series series{name, "real_time", "ns", Better::lower, {}};
    for (int i = 0; i < 20; ++i) series.points.push_back({{i < 10 ? 100.0 : 110.0}, "c" + std::to_string(i), "", ""});
    return series;
  }
  static ChangePoint at_ten() {
    ChangePoint change;
    change.index = change.first = 10;
    change.last = 11;
    change.commit = "c10";
    change.before = 100;
    change.after = 110;
    change.ratio = 1.1;
    change.status = ChangeStatus::confirmed;
    change.regression = true;
    return change;
  }
};

TEST_F(SeriesPictures, DrawsTheSeriesWithAChangeAndNeverOverOneOfTheSameName) {
  ChangesReport report;
  report.series = {step("a/b"), step("quiet"), step("a_b")};
  report.changes = {{at_ten()}, {}, {at_ten()}};
  const Result<std::size_t> drawn = draw_series(report, "pictures");
  ASSERT_TRUE(drawn) << drawn.error().text();
  EXPECT_EQ(*drawn, 2U);
  EXPECT_THAT(text_of("pictures/a_b.real_time.svg"), HasSubstr("a/b"));
  EXPECT_THAT(text_of("pictures/a_b.real_time-2.svg"), HasSubstr("a_b"));
  EXPECT_FALSE(draw_series(report, "one.svg")) << "two series do not fit one file";
  report.changes[2].clear();
  ASSERT_TRUE(draw_series(report, "one.svg"));
  EXPECT_THAT(text_of("one.svg"), HasSubstr("a/b"));
}

TEST_F(SeriesPictures, TellsChangesInWordsAndShapesAndRunsNothing) {
  const std::string svg = svg_series(step("<script>alert(1)</script>"), {at_ten()});
  EXPECT_THAT(svg, AllOf(HasSubstr("regression at c10: 100 to 110 ns (+10.0 %)"), HasSubstr("prefers-color-scheme"),
                         HasSubstr("class=\"band worse\""), HasSubstr("&lt;script&gt;"), Not(HasSubstr("<script"))));
}

// The days of one month have nine characters in common.
TEST_F(SeriesPictures, ShowWholeWhatNamesACommitAndIsNoHash) {
  Series days = step("days");
  for (std::size_t i = 0; i < days.points.size(); ++i) {
    days.points[i].commit = "2026-01-" + std::to_string(i + 10);
  }
  ChangePoint change = at_ten();
  change.commit = days.points[10].commit;
  const std::string svg = svg_series(days, {change});
  EXPECT_THAT(svg, AllOf(HasSubstr("regression at 2026-01-20: 100 to 110 ns"), HasSubstr("<title>2026-01-11: "),
                         HasSubstr(">2026-01-10</text>"), HasSubstr(">2026-01-24</text>")));
  const TerminalStyle ascii{false, false, 80};
  EXPECT_THAT(terminal_series(days, {change}, ascii), HasSubstr("^ +10.0 % 2026-01-20\n"));
}

TEST_F(SeriesPictures, TheAxisHasRoomForNamesOfAnyLength) {
  Series long_names = step("long names");
  for (std::size_t i = 0; i < long_names.points.size(); ++i) {
    long_names.points[i].commit = "nightly " + std::string(200, '-') + std::to_string(100 + i);
  }
  EXPECT_THAT(svg_series(long_names, {}), HasSubstr(">nightly ----\u2026--------100</text>"));
}

TEST_F(SeriesPictures, HoldsWhateverASeriesHolds) {
  Series odd = step("odd");
  odd.points[3].values = {NAN};
  odd.points[4].values = {};
  odd.points[5].values = {1e308};
  odd.points[6].values = {-1e308};
  EXPECT_THAT(svg_series(odd, {}), AllOf(Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
  EXPECT_THAT(svg_series(Series{}, {}), HasSubstr("no values"));
  Series of_commits = step("of commits");
  of_commits.points[3].commit = std::string(40, '3');
  ChangePoint by_commit = at_ten();
  by_commit.commit = std::string(40, 'a');
  EXPECT_THAT(svg_series(of_commits, {by_commit}),
              AllOf(HasSubstr("regression at aaaaaaaaa: "), HasSubstr("<title>333333333: ")));
  Series single = step("single");
  single.points.resize(1);
  EXPECT_THAT(svg_series(single, {}), AllOf(HasSubstr("1 value,"), Not(HasSubstr("nan"))));
  Series many = step("many");
  many.points.assign(50'000, many.points.front());
  EXPECT_LT(svg_series(many, {}).size(), 200'000U);
  const TerminalStyle ascii{false, false, 80};
  EXPECT_THAT(terminal_series(step("a"), {at_ten()}, ascii), HasSubstr("^ +10.0 % c10"));
  EXPECT_THAT(terminal_series(Series{}, {}, ascii), HasSubstr("no values"));
  EXPECT_THAT(terminal_series(step("a %5Bx]"), {at_ten()}, ascii), HasSubstr("a [x]")) << "as the program wrote it";
}

}  // namespace
}  // namespace steelyard::ci::series_pictures_test

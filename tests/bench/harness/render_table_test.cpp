#include "bench/harness/render_table.hpp"

#include <gtest/gtest.h>

#include "tests/bench/harness/sample_table.hpp"
#include "tests/ci/report/golden.hpp"

namespace steelyard::render_table_test {
namespace {

// A table by column, and one by row of another metric whose values are invocations.
std::vector<SignificanceTable> sample_tables() {
  std::vector<SignificanceTable> tables;
  tables.push_back(*compare_cells(sample_data(), {}));
  NumpyRandom random(5);
  TableData rates;
  rates.title = "copy";
  rates.quantity = "bandwidth";
  rates.unit = "bytes/s";
  rates.better = Better::higher;
  rates.kind = ValueKind::invocations;
  rates.columns = {"before", "after"};
  rates.rows.push_back({"", "size:4096", {noisy_times(4e10, 0.01, 12, random), noisy_times(4.4e10, 0.01, 12, random)}});
  rates.rows.push_back({"", "size:1048576", {noisy_times(9e9, 0.02, 12, random), noisy_times(9e9, 0.02, 12, random)}});
  tables.push_back(*compare_cells(rates, {TableDirection::rowwise, "before", 0.05}));
  return tables;
}

TEST(RenderTable, TextShowsEveryKindOfCell) {
  golden::expect_equal(render_text(sample_tables(), {false, true, 100}), "significance_table/every_cell_100.out");
  golden::expect_equal(render_text(sample_tables(), {true, true, 100}), "significance_table/every_cell_color.out");
  golden::expect_equal(render_text(sample_tables(), {false, false, 100}), "significance_table/every_cell_ascii.out");
}

TEST(RenderTable, AWideTableLosesItsIntervalsAndThenContinuesBelow) {
  golden::expect_equal(render_text(sample_tables(), {false, true, 60}), "significance_table/every_cell_60.out");
  for (const int width : {10, 40, 50, 80}) {
    const std::string text = render_text(sample_tables(), {false, false, width});
    EXPECT_NE(text.find("x2.51"), std::string::npos) << text;
  }
}

TEST(RenderTable, AsciiIsAscii) {
  for (const char c : render_text(sample_tables(), {true, false, 80})) EXPECT_GE(c, 0);
}

TEST(RenderTable, MarkdownCsvAndHtmlShowTheSame) {
  golden::expect_equal(render_markdown(sample_tables()), "significance_table/every_cell.md");
  golden::expect_equal(render_csv(sample_tables()), "significance_table/every_cell.csv");
  golden::expect_equal(render_html(sample_tables(), "Tables"), "significance_table/every_cell.html");
}

std::vector<SignificanceTable> hostile_tables() {
  TableData data;
  data.title = "<script>alert(1)</script>";
  data.columns = {"a|b,\"c\"\n", "\x1b[31m"};
  data.rows.push_back({"g&<", "'r\"`*_", {{1, 2}, {3}}});
  return {*compare_cells(data, {})};
}

TEST(RenderTable, NamesFromOutsideStayNames) {
  const std::string html = render_html(hostile_tables(), "<b>");
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_EQ(html.find("<b>"), std::string::npos);
  EXPECT_NE(html.find("&#39;r&quot;`*_"), std::string::npos);
  const std::string markdown = render_markdown(hostile_tables());
  EXPECT_EQ(markdown.find("<script"), std::string::npos);
  EXPECT_NE(markdown.find("a\\|b,\"c\" "), std::string::npos);
  EXPECT_NE(markdown.find("'r\"\\`\\*\\_"), std::string::npos);
  const std::string text = render_text(hostile_tables(), {true, true, 100});
  EXPECT_EQ(text.find("\x1b[31m|"), std::string::npos);
  EXPECT_NE(text.find("?[31m"), std::string::npos);
}

TEST(RenderTable, NamesOfMetricsAndUnitsFromOutsideStayNames) {
  TableData data;
  data.quantity = "<img>\x1b[2J|";
  data.unit = "\x1b[31mx";
  data.columns = {"a\x1b[5m", "b"};
  data.rows.push_back({"", "r", {{1, 1, 1, 1}, {2, 2, 2, 2}}});
  const std::vector<SignificanceTable> tables{*compare_cells(data, {TableDirection::rowwise, "a\x1b[5m", 0.05})};
  const std::string text = render_text(tables, {false, true, 100});
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
  const std::string markdown = render_markdown(tables);
  EXPECT_EQ(markdown.find("<img>"), std::string::npos) << markdown;
  EXPECT_EQ(markdown.find('\x1b'), std::string::npos) << markdown;
}

TEST(RenderTable, CsvQuotesWhatWouldEndAFieldAndHasNoControlCharacter) {
  const std::string csv = render_csv(hostile_tables());
  EXPECT_NE(csv.find(",\"a|b,\"\"c\"\" \",1.5,"), std::string::npos) << csv;
  EXPECT_EQ(csv.find('\x1b'), std::string::npos) << csv;
  EXPECT_EQ(csv.substr(0, csv.find("\r\n")),
            "table,quantity,group,row,column,median [s],low [s],high [s],confidence,doubt,values are,n,"
            "iqr over median,standing,ratio,q");
}

TEST(RenderTable, CountsHaveNeitherIntervalNorNoise) {
  TableData data;
  data.quantity = "instructions";
  data.unit = "count";
  data.is_exact = true;
  data.columns = {"before", "after"};
  data.rows.push_back({"", "BM_sort", {{143909, 143909}, {164463}}});
  const std::vector<SignificanceTable> tables{*compare_cells(data, {TableDirection::rowwise, "before", 0.05})};
  EXPECT_EQ(render_text(tables, {false, false, 100}),
            "instructions, lower is better\n"
            "        | before      | after\n"
            "-----------------------------------\n"
            "BM_sort | 143909 base | 164463 +14%\n"
            "\n"
            "Counts are compared exactly: they differ where their ranges do not meet.\n");
}

TEST(RenderTable, CountsHaveNoDoubtInAnyFormat) {
  TableData data;
  data.unit = "count";
  data.is_exact = true;
  data.columns = {"before"};
  data.rows.push_back({"", "BM_sort", {{1, 2}}});
  const std::vector<SignificanceTable> tables{*compare_cells(data, {})};
  EXPECT_NE(render_csv(tables).find(",1.5,,,,none,counts,2,"), std::string::npos) << render_csv(tables);
  EXPECT_EQ(render_html(tables, "").find("too few"), std::string::npos);
}

TEST(RenderTable, TheLegendNamesTheFalseAlarmRateAsGiven) {
  TableData data;
  data.columns = {"a", "b"};
  data.rows.push_back({"", "r", {{1}, {2}}});
  const std::vector<SignificanceTable> tables{*compare_cells(data, {TableDirection::rowwise, std::nullopt, 0.001})};
  EXPECT_NE(render_text(tables, {false, false, 300}).find("q <= 0.001 by Holm"), std::string::npos);
}

TEST(RenderTable, TimesThatAreAllZeroHaveAnIntervalOfNothing) {
  TableData data;
  data.columns = {"a"};
  data.rows.push_back({"", "r", {std::vector<double>(8, 0.0)}});
  EXPECT_EQ(words_of(compare_cells(data, {})->cells[0][0], data).interval, "0%");
}

TEST(RenderTable, NothingIsNothing) {
  EXPECT_EQ(render_text({}, {}), "");
  EXPECT_EQ(render_markdown({}), "");
  EXPECT_NE(render_html({}, "Empty").find("</html>"), std::string::npos);
}

TEST(RenderTable, ChangesReadAsPercentUpToTwofold) {
  TableCell cell;
  cell.n = 4;
  cell.standing = Standing::worse;
  const auto mark = [&](double ratio) {
    cell.ratio = ratio;
    return words_of(cell, {}).mark;
  };
  EXPECT_EQ(mark(1.0004), "+0.040%");
  EXPECT_EQ(mark(1.031), "+3.1%");
  EXPECT_EQ(mark(1.14), "+14%");
  EXPECT_EQ(mark(0.5), "-50%");
  EXPECT_EQ(mark(2), "x2.00");
  EXPECT_EQ(mark(1234), "x1234");
  EXPECT_EQ(mark(0.05), "-95.0%");
  EXPECT_EQ(mark(0.0004), "-99.960%");
  EXPECT_EQ(mark(0), "-100%");
}

}  // namespace
}  // namespace steelyard::render_table_test

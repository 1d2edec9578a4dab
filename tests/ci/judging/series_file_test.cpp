#include "ci/judging/series_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace steelyard::ci::series_file_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string refusal(const std::string& json) {
  const Result<std::vector<Series>> read = parse_series(json, "x.json");
  return read ? "" : read.error().text();
}

TEST(SeriesFile, ReadsNumbersSamplesGapsCommitsAndMachines) {
  const auto read = parse_series(
      R"({"name":"parse","metric":"real_time","unit":"ns","better":"higher","commits":["a","b",null,7],
          "machines":["m","m","n","n"],"values":[1.5,[2,null,4],null,-3e2],"what":{"else":[[[1]]]}})",
      "x.json");
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_EQ(read->size(), 1U);
  const Series& series = read->front();
  EXPECT_EQ(series.name, "parse");
  EXPECT_EQ(series.metric, "real_time");
  EXPECT_EQ(series.unit, "ns");
  EXPECT_EQ(series.better, Better::higher);
  ASSERT_EQ(series.points.size(), 4U);
  EXPECT_THAT(series.points[0].values, ElementsAre(1.5));
  EXPECT_THAT(series.points[1].values, ElementsAre(2, 4));
  EXPECT_THAT(series.points[2].values, IsEmpty());
  EXPECT_THAT(series.points[3].values, ElementsAre(-300));
  EXPECT_EQ(series.points[1].commit, "b");
  EXPECT_EQ(series.points[2].commit, "");
  EXPECT_EQ(series.points[3].commit, "7");
  EXPECT_EQ(series.points[3].machine, "n");
}

TEST(SeriesFile, ReadsAListAndTakesWhatIsNotFiniteAsAbsent) {
  const auto read = parse_series(R"([{"values":[]},{"values":[NaN,[Infinity,2],-Infinity,nan]}])", "x.json");
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_EQ(read->size(), 2U);
  EXPECT_THAT((*read)[0].points, IsEmpty());
  EXPECT_EQ((*read)[0].better, Better::lower);
  ASSERT_EQ((*read)[1].points.size(), 4U);
  EXPECT_THAT((*read)[1].points[0].values, IsEmpty());
  EXPECT_THAT((*read)[1].points[1].values, ElementsAre(2));
  EXPECT_THAT((*read)[1].points[3].values, IsEmpty());
  EXPECT_TRUE(parse_series("[]", "x.json"));
}

TEST(SeriesFile, NamesThePlaceOfWhatItRefuses) {
  EXPECT_THAT(refusal(R"([{"values":[1]},{"name":"sort","values":[1,"2"]}])"),
              HasSubstr(R"(x.json: series 2 (sort): values[1]: found "2")"));
  EXPECT_THAT(refusal(R"({"values":[[1,[2]]]})"), HasSubstr("x.json: values[0][1]: found a list of 1"));
  EXPECT_THAT(refusal(R"({"values":[true]})"), HasSubstr("values[0]: found true"));
  EXPECT_THAT(refusal(R"({"values":[1,2],"commits":["a"]})"), HasSubstr("commits: found 1 entries, wanted 2"));
  EXPECT_THAT(refusal(R"({"values":[1],"machines":[{}]})"), HasSubstr("machines[0]: found an object"));
  EXPECT_THAT(refusal(R"({"values":7})"), HasSubstr("values: found 7, wanted a list"));
  EXPECT_THAT(refusal(R"({"name":7,"values":[]})"), HasSubstr("name: found 7"));
  EXPECT_THAT(refusal(R"({"better":"bigger","values":[]})"), HasSubstr(R"(better: found "bigger")"));
  EXPECT_THAT(refusal(R"({"unit":"ns"})"), HasSubstr("no \"values\""));
  EXPECT_THAT(refusal("[1]"), HasSubstr("x.json: series 1: found 1"));
  EXPECT_THAT(refusal("[[]]"), HasSubstr("x.json: series 1: found a list of 0"));
  EXPECT_THAT(refusal("7"), HasSubstr("x.json: found 7"));
}

TEST(SeriesFile, NamesTheByteOfWhatIsNoJson) {
  EXPECT_THAT(refusal(""), HasSubstr("x.json: found an empty file"));
  EXPECT_THAT(refusal(R"([{"values":[1]},{"values":[1 2]}])"), HasSubstr("x.json: series 2: byte 29: found \"2]}]\""));
  EXPECT_THAT(refusal(R"([{"values":[1,)"), HasSubstr("the end of the file"));
  EXPECT_THAT(refusal(R"({"values":[1e999]})"), HasSubstr("x.json"));
  EXPECT_THAT(refusal(R"({"x":)" + std::string(200, '[')), HasSubstr("more than 64 levels"));
}

TEST(SeriesFile, ReadsTheStreamForADashAndNamesAFileThatIsNotThere) {
  std::istringstream in(R"({"values":[1,2]})");
  const auto read = read_series_file("-", in);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->front().points.size(), 2U);
  const auto missing = read_series_file("no/such/file.json", in);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().text(), HasSubstr("no/such/file.json: found No such file"));
}

}  // namespace
}  // namespace steelyard::ci::series_file_test

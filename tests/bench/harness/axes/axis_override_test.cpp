#include "bench/harness/axes/axis_override.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steelyard {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Axis numbers() { return integer_axis("n", std::vector<std::int64_t>{1}).value(); }
Axis bytes() { return power_of_two_axis("bytes", {.first = 3, .last = 4}).value(); }
Axis types() { return type_axis("type", {"float", "double"}).value(); }

std::vector<std::string> texts(const Axis& declared, const std::string& given) {
  const Result<AxisOverride> parsed = parse_axis_override(given);
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().text());
  if (!parsed) return {};
  const Result<Axis> axis = overridden(declared, *parsed);
  EXPECT_TRUE(axis) << (axis ? "" : axis.error().text());
  std::vector<std::string> result;
  if (axis) {
    EXPECT_EQ(axis->name, declared.name);
    EXPECT_EQ(axis->kind, declared.kind);
    for (const AxisValue& value : axis->values) result.push_back(value.text);
  }
  return result;
}

std::string refusal(const Axis& declared, const std::string& given) {
  const Result<AxisOverride> parsed = parse_axis_override(given);
  if (!parsed) return parsed.error().text();
  const Result<Axis> axis = overridden(declared, *parsed);
  return axis ? "nothing" : axis.error().text();
}

TEST(AxisOverride, TakesRangesListsAndSingleValues) {
  EXPECT_THAT(texts(numbers(), "n=[2:10:4]"), ElementsAre("2", "6", "10"));
  EXPECT_THAT(texts(numbers(), "n=[2:4]"), ElementsAre("2", "3", "4"));
  EXPECT_THAT(texts(numbers(), "n=[7,-5]"), ElementsAre("7", "-5"));
  EXPECT_THAT(texts(numbers(), "n=7"), ElementsAre("7"));
  EXPECT_THAT(texts(threads_axis({1}).value(), "threads=[2,4]"), ElementsAre("2", "4"));
  EXPECT_THAT(texts(real_axis("a", {1}).value(), "a=[0.5,2]"), ElementsAre("0.5", "2"));
  EXPECT_THAT(texts(text_axis("p", {"x"}).value(), "p=[a=b,c]"), ElementsAre("a=b", "c"));
}

TEST(AxisOverride, GivesPowersOfTwoByTheirExponents) {
  EXPECT_THAT(texts(bytes(), "bytes=[10:20:5]"), ElementsAre("1024", "32768", "1048576"));
  EXPECT_THAT(texts(bytes(), "bytes=[4,0]"), ElementsAre("16", "1"));
}

TEST(AxisOverride, ChoosesAmongDeclaredTypes) {
  EXPECT_THAT(texts(types(), "type=double"), ElementsAre("double"));
  // Which of the declared ones it is does not change.
  EXPECT_EQ(overridden(types(), *parse_axis_override("type=double"))->values[0].integer, 1);
  EXPECT_THAT(refusal(types(), "type=half"), HasSubstr("types from: float, double"));
}

TEST(AxisOverride, SaysWhatIsWrong) {
  for (const char* text : {"n", "=3", "n=", "n=[]", "n=[1,2", "n=[1:x]"}) {
    EXPECT_FALSE(parse_axis_override(text)) << text;
  }
  EXPECT_THAT(refusal(numbers(), "n=[5:4]"), HasSubstr("which is empty"));
  EXPECT_THAT(refusal(numbers(), "n=[1:4:0]"), HasSubstr("a step of at least 1"));
  EXPECT_THAT(refusal(numbers(), "n=ten"), HasSubstr("--steelyard_axis=n: found \"ten\", wanted whole numbers"));
  EXPECT_THAT(refusal(numbers(), "n=[1,1]"), HasSubstr("twice"));
  EXPECT_THAT(refusal(bytes(), "bytes=[60:99]"), HasSubstr("exponents from 0 to 62"));
  EXPECT_THAT(refusal(types(), "type=[1:2]"), HasSubstr("a list"));
  EXPECT_THAT(refusal(threads_axis({1}).value(), "threads=0"), HasSubstr("from 1 to 10000 threads"));
}

TEST(AxisOverride, NamesTheKnownAxesWhereItsOwnIsUnknown) {
  const AxisOverride given = parse_axis_override("byte=1").value();
  EXPECT_TRUE(check_is_known(given, {"byte"}));
  EXPECT_EQ(check_is_known(given, {"bytes", "pattern"}).error().text(),
            "--steelyard_axis: found no axis named \"byte\", wanted one of: bytes, pattern");
}

}  // namespace
}  // namespace steelyard

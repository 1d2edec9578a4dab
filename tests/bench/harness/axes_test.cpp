#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "bench/harness/axes.hpp"
#include "bench/model/benchmark_id.hpp"

namespace steelyard::axes_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Whole = std::vector<std::int64_t>;

std::vector<std::string> texts(const Result<Axis>& axis) {
  EXPECT_TRUE(axis) << (axis ? "" : axis.error().text());
  std::vector<std::string> result;
  if (axis) {
    for (const AxisValue& value : axis->values) result.push_back(value.text);
  }
  return result;
}

std::string refusal(const Result<Axis>& axis) {
  EXPECT_FALSE(axis);
  return axis ? "" : axis.error().text();
}

TEST(Axis, TakesBothEndsOfARange) {
  EXPECT_THAT(texts(integer_range_axis("n", {.first = 2, .last = 10, .step = 4})), ElementsAre("2", "6", "10"));
  EXPECT_THAT(texts(integer_range_axis("n", {.first = 2, .last = 9, .step = 4})), ElementsAre("2", "6"));
  EXPECT_THAT(texts(integer_range_axis("n", {.first = -1, .last = -1})), ElementsAre("-1"));
}

TEST(Axis, CountsPowersOfTwoByTheirExponents) {
  EXPECT_THAT(texts(power_of_two_axis("bytes", {.first = 10, .last = 14, .step = 2})),
              ElementsAre("1024", "4096", "16384"));
  EXPECT_EQ(power_of_two_axis("bytes", {.first = 62, .last = 62})->values[0].integer, std::int64_t{1} << 62);
}

TEST(Axis, WritesRealNumbersAsShortAsTheyReadBack) {
  EXPECT_THAT(texts(real_axis("alpha", {0.1, 2.0, 1e30, -0.0})), ElementsAre("0.1", "2", "1e+30", "0"));
}

TEST(Axis, SaysWhatIsWrongWithARange) {
  EXPECT_THAT(refusal(integer_range_axis("n", {.first = 5, .last = 4})), HasSubstr("[5:4:1], which is empty"));
  EXPECT_THAT(refusal(integer_range_axis("n", {.first = 1, .last = 4, .step = 0})), HasSubstr("a step of at least 1"));
  EXPECT_THAT(refusal(integer_range_axis("n", {.first = 1, .last = 4, .step = -1})), HasSubstr("a step of at least 1"));
  EXPECT_THAT(refusal(power_of_two_axis("n", {.first = -1, .last = 4})), HasSubstr("exponents from 0 to 62"));
  EXPECT_THAT(refusal(power_of_two_axis("n", {.first = 0, .last = 63})), HasSubstr("exponents from 0 to 62"));
  const auto least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(refusal(integer_range_axis("n", {.first = least, .last = most})), HasSubstr("more values than 10000"));
}

TEST(Axis, RefusesNoValueAndAValueTwice) {
  EXPECT_THAT(refusal(integer_axis("n", Whole{})), HasSubstr("axis \"n\": found no value, wanted at least one"));
  EXPECT_THAT(refusal(text_axis("pattern", {"a", "b", "a"})), HasSubstr("the value a twice"));
  EXPECT_THAT(refusal(real_axis("alpha", {std::numeric_limits<double>::quiet_NaN()})), HasSubstr("not finite"));
  EXPECT_THAT(refusal(threads_axis({0})), HasSubstr("from 1 to 10000 threads"));
}

TEST(Axis, RefusesNamesThatAreNoneOrGoogleBenchmarks) {
  for (const char* name : {"", "1n", "a/b", "a:b", "a b"}) EXPECT_FALSE(integer_axis(name, Whole{1})) << name;
  for (const char* name : {"threads", "iterations", "repeats", "min_time", "real_time"}) {
    EXPECT_THAT(refusal(integer_axis(name, Whole{1})), HasSubstr("a meaning of its own")) << name;
  }
}

TEST(WrittenInName, KeepsEveryTextOnePartOfTheName) {
  for (const std::string text :
       {"plain", "a/b", "a b", "std::vector<int>", "f(a/b)", "a<b", ":x", "50%", "a:b", "]["}) {
    const BenchmarkId id = parse_google_benchmark_name("copy/pattern:" + written_in_name(text) + "/z:1");
    ASSERT_EQ(id.parameters.size(), 2U) << text;
    EXPECT_EQ(id.parameters[0].name, "pattern") << text;
    EXPECT_EQ(id.parameters[1].name, "z") << text;
  }
  EXPECT_EQ(written_in_name("std::vector<int>"), "std::vector<int>");
  EXPECT_EQ(written_in_name("a/b%"), "a%2Fb%25");
  EXPECT_EQ(written_in_name("a<b"), "a%3Cb");
}

Axis bytes() { return power_of_two_axis("bytes", {.first = 10, .last = 11}).value(); }
Axis pattern() { return text_axis("pattern", {"forward", "a/b"}).value(); }
Axis types() { return type_axis("type", {"float", "double"}).value(); }
Axis threads() { return threads_axis({1, 2}).value(); }

std::vector<std::string> names(const Result<std::vector<AxisPoint>>& points) {
  EXPECT_TRUE(points) << (points ? "" : points.error().text());
  std::vector<std::string> result;
  if (points) {
    for (const AxisPoint& point : *points) result.push_back(point.name("copy"));
  }
  return result;
}

template <class Use>
std::string thrown_by(Use&& use) {
  try {
    use();
  } catch (const std::out_of_range& error) {
    return error.what();
  }
  return "nothing";
}

TEST(AxisGrid, IsTheProductOfItsAxes) {
  EXPECT_THAT(names(points_of({bytes(), pattern()})),
              ElementsAre("copy/bytes:1024/pattern:forward", "copy/bytes:1024/pattern:a%2Fb",
                          "copy/bytes:2048/pattern:forward", "copy/bytes:2048/pattern:a%2Fb"));
  EXPECT_THAT(names(points_of({})), ElementsAre("copy"));
}

TEST(AxisGrid, NamesTheSameInWhateverOrderAxesWereDeclared) {
  const auto expected = names(points_of({bytes(), pattern(), threads(), types()}));
  std::vector<Axis> axes{types(), threads(), pattern(), bytes()};
  std::sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.name < b.name; });
  do {
    EXPECT_EQ(names(points_of(axes)), expected);
  } while (
      std::next_permutation(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.name < b.name; }));
}

TEST(AxisGrid, LeavesOutWhatTheFilterDoes) {
  const auto points = points_of({bytes(), pattern(), threads()}, [](const AxisPoint& point) {
    return point.integer("bytes") == 1024 && point.text("pattern") == "forward" && point.threads() == 2;
  });
  ASSERT_EQ(names(points), std::vector<std::string>{"copy/bytes:1024/pattern:forward"});
  EXPECT_TRUE(points->front().has_threads());
  const auto none = points_of({bytes()}, [](const AxisPoint&) { return false; });
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().text(), HasSubstr("a filter that leaves none of 2 combinations"));
}

TEST(AxisGrid, AFilterThatAsksForAnAxisThatIsNotThereIsAnError) {
  const auto points = points_of({bytes()}, [](const AxisPoint& point) { return point.integer("rows") > 1; });
  ASSERT_FALSE(points);
  EXPECT_THAT(points.error().text(), HasSubstr("a filter that threw: found no axis \"rows\", wanted one of: bytes"));
}

TEST(AxisGrid, RefusesTwoAxesOfOneNameAndTooManyCombinations) {
  const auto twice = points_of({bytes(), pattern(), bytes()});
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.error().text(), HasSubstr("axis \"bytes\": found two axes of this name"));
  const auto many = points_of({integer_range_axis("a", {.first = 1, .last = 1000}).value(),
                               integer_range_axis("b", {.first = 1, .last = 1000}).value()});
  ASSERT_FALSE(many);
  EXPECT_THAT(many.error().text(), HasSubstr("more than 100000 combinations"));
}

TEST(AxisPoint, GivesTypedValues) {
  const AxisPoint last = points_of({bytes(), types(), real_axis("alpha", {0.5}).value()})->back();
  EXPECT_EQ(last.integer("bytes"), 2048);
  EXPECT_EQ(last.real("bytes"), 2048.0);
  EXPECT_EQ(last.real("alpha"), 0.5);
  EXPECT_EQ(last.text("type"), "double");
  EXPECT_EQ(last.type_index("type"), 1U);
  EXPECT_EQ(last.threads(), 1);
}

TEST(AxisPoint, ThrowsWordsForAWrongNameAndAWrongKind) {
  const AxisPoint point = points_of({bytes(), pattern()})->front();
  EXPECT_EQ(thrown_by([&] { static_cast<void>(point.integer("byte")); }),
            "found no axis \"byte\", wanted one of: bytes, pattern");
  EXPECT_EQ(thrown_by([&] { static_cast<void>(point.integer("pattern")); }),
            "axis \"pattern\": found one of the kind text, wanted integer");
}

Axis numbers() { return integer_axis("n", std::vector<std::int64_t>{1}).value(); }
Axis few_bytes() { return power_of_two_axis("bytes", {.first = 3, .last = 4}).value(); }

std::vector<std::string> overridden_texts(const Axis& declared, const std::string& given) {
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

std::string override_refusal(const Axis& declared, const std::string& given) {
  const Result<AxisOverride> parsed = parse_axis_override(given);
  if (!parsed) return parsed.error().text();
  const Result<Axis> axis = overridden(declared, *parsed);
  return axis ? "nothing" : axis.error().text();
}

TEST(AxisOverride, TakesRangesListsAndSingleValues) {
  EXPECT_THAT(overridden_texts(numbers(), "n=[2:10:4]"), ElementsAre("2", "6", "10"));
  EXPECT_THAT(overridden_texts(numbers(), "n=[2:4]"), ElementsAre("2", "3", "4"));
  EXPECT_THAT(overridden_texts(numbers(), "n=[7,-5]"), ElementsAre("7", "-5"));
  EXPECT_THAT(overridden_texts(numbers(), "n=7"), ElementsAre("7"));
  EXPECT_THAT(overridden_texts(threads_axis({1}).value(), "threads=[2,4]"), ElementsAre("2", "4"));
  EXPECT_THAT(overridden_texts(real_axis("a", {1}).value(), "a=[0.5,2]"), ElementsAre("0.5", "2"));
  EXPECT_THAT(overridden_texts(text_axis("p", {"x"}).value(), "p=[a=b,c]"), ElementsAre("a=b", "c"));
}

TEST(AxisOverride, GivesPowersOfTwoByTheirExponents) {
  EXPECT_THAT(overridden_texts(few_bytes(), "bytes=[10:20:5]"), ElementsAre("1024", "32768", "1048576"));
  EXPECT_THAT(overridden_texts(few_bytes(), "bytes=[4,0]"), ElementsAre("16", "1"));
}

TEST(AxisOverride, ChoosesAmongDeclaredTypes) {
  EXPECT_THAT(overridden_texts(types(), "type=double"), ElementsAre("double"));
  // Which of the declared ones it is does not change.
  EXPECT_EQ(overridden(types(), *parse_axis_override("type=double"))->values[0].integer, 1);
  EXPECT_THAT(override_refusal(types(), "type=half"), HasSubstr("types from: float, double"));
}

TEST(AxisOverride, SaysWhatIsWrong) {
  for (const char* text : {"n", "=3", "n=", "n=[]", "n=[1,2", "n=[1:x]"}) {
    EXPECT_FALSE(parse_axis_override(text)) << text;
  }
  EXPECT_THAT(override_refusal(numbers(), "n=[5:4]"), HasSubstr("which is empty"));
  EXPECT_THAT(override_refusal(numbers(), "n=[1:4:0]"), HasSubstr("a step of at least 1"));
  EXPECT_THAT(override_refusal(numbers(), "n=ten"),
              HasSubstr("--steelyard_axis=n: found \"ten\", wanted whole numbers"));
  EXPECT_THAT(override_refusal(numbers(), "n=[1,1]"), HasSubstr("twice"));
  EXPECT_THAT(override_refusal(few_bytes(), "bytes=[60:99]"), HasSubstr("exponents from 0 to 62"));
  EXPECT_THAT(override_refusal(types(), "type=[1:2]"), HasSubstr("a list"));
  EXPECT_THAT(override_refusal(threads_axis({1}).value(), "threads=0"), HasSubstr("from 1 to 10000 threads"));
}

TEST(AxisOverride, NamesTheKnownAxesWhereItsOwnIsUnknown) {
  const AxisOverride given = parse_axis_override("byte=1").value();
  EXPECT_TRUE(check_is_known(given, {"byte"}));
  EXPECT_EQ(check_is_known(given, {"bytes", "pattern"}).error().text(),
            "--steelyard_axis: found no axis named \"byte\", wanted one of: bytes, pattern");
}

}  // namespace

}  // namespace steelyard::axes_test

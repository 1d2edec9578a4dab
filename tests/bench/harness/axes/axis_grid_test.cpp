#include "bench/harness/axes/axis_grid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace steelyard {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

}  // namespace
}  // namespace steelyard

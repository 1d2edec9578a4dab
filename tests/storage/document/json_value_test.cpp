#include "storage/document/json_value.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace steelyard {
namespace {

Result<JsonDocument> parse(const std::string& text) { return JsonDocument::parse(text, "file.json", "thing/1"); }

std::string with(const std::string& members) { return "{\"schema\": \"thing/1\", " + members + "}"; }

TEST(JsonDocument, TellsWhatKindOfTextItIsNot) {
  EXPECT_EQ(parse("{\"schema\": \"thi").error().found, "no JSON, or only a part of it");
  EXPECT_EQ(parse("").error().found, "no JSON, or only a part of it");
  EXPECT_EQ(parse("[1]").error().found, "no \"schema\"");
  EXPECT_EQ(parse("{\"schema\": 1}").error().found, "no \"schema\"");
  EXPECT_EQ(parse("{\"schema\": \"other/1\"}").error().text(), "file.json: found \"other/1\", wanted thing/1");
  EXPECT_NE(parse("{\"schema\": \"thing/2\"}").error().mend, "") << "of a newer version";
  EXPECT_EQ(parse("{\"schema\": \"thing/0\"}").error().mend, "");
  EXPECT_EQ(parse("{\"schema\": \"thing/1\"}")->check().operator bool(), true);
}

TEST(JsonDocument, SurvivesADeepNest) {
  EXPECT_EQ(parse(std::string(1'000'000, '[')).error().found, "no JSON, or only a part of it");
  const std::string closed = std::string(200'000, '[') + std::string(200'000, ']');
  EXPECT_EQ(parse(closed).error().found, "no \"schema\"");
}

TEST(JsonValue, NamesTheFirstPlaceThatIsNotAsWanted) {
  const auto document = parse(with("\"rows\": [{\"p\": 0.5}, {\"p\": \"x\"}, {\"p\": []}]"));
  ASSERT_TRUE(document);
  std::vector<double> read;
  for (const JsonValue& row : document->root().at("rows").items(10)) read.push_back(row.at("p").number());
  EXPECT_EQ(read, (std::vector<double>{0.5, 0, 0}));
  ASSERT_FALSE(document->check());
  EXPECT_EQ(document->check().error().text(), "file.json: rows[1].p: found \"x\", wanted a number");
}

TEST(JsonValue, AbsentIsNull) {
  const auto document = parse(with("\"a\": null"));
  EXPECT_EQ(document->root().at("a").number_or_absent(), std::nullopt);
  EXPECT_EQ(document->root().at("b").number_or_absent(), std::nullopt);
  EXPECT_EQ(document->root().at("b").text(), "");
  EXPECT_EQ(document->root().at("b").interval(), std::nullopt);
  EXPECT_TRUE(document->check());
  document->root().at("a").number();
  EXPECT_FALSE(document->check());
}

TEST(JsonValue, HoldsIntegersToTheirBounds) {
  const auto refuses = [](const std::string& number, std::int64_t low, std::int64_t high) {
    const auto document = parse(with("\"n\": " + number));
    document->root().at("n").integer(low, high);
    return !document->check();
  };
  EXPECT_FALSE(refuses("5", 5, 5));
  EXPECT_TRUE(refuses("4", 5, 6));
  EXPECT_TRUE(refuses("7", 5, 6));
  EXPECT_TRUE(refuses("5.0", 5, 6));
  EXPECT_TRUE(refuses("18446744073709551615", 0, INT64_MAX));
  EXPECT_FALSE(refuses("-9223372036854775808", INT64_MIN, 0));
  const auto largest = parse(with("\"n\": 18446744073709551615"));
  EXPECT_EQ(largest->root().at("n").unsigned_integer(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_TRUE(largest->check());
  const auto negative = parse(with("\"n\": -1"));
  negative->root().at("n").unsigned_integer();
  EXPECT_FALSE(negative->check());
}

TEST(JsonValue, BoundsArraysAndTakesIntervals) {
  const auto document = parse(with("\"a\": [1, 2, 3], \"i\": [0.5, 2]"));
  EXPECT_EQ(document->root().at("i").interval(), (Interval{0.5, 2}));
  EXPECT_EQ(document->root().at("a").items(3).size(), 3U);
  EXPECT_TRUE(document->check());
  EXPECT_EQ(document->root().at("a").items(2).size(), 0U);
  EXPECT_FALSE(document->check());
}

}  // namespace
}  // namespace steelyard

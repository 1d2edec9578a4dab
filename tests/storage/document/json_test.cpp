#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "storage/document/json.hpp"

namespace steelyard::storage::json_test {
namespace {

Result<JsonDocument> parse(const std::string& text) { return JsonDocument::parse(text, "file.json", "thing/1"); }

std::string with(const std::string& members) { return "{\"schema\": \"thing/1\", " + members + "}"; }

TEST(JsonDocument, TellsWhatKindOfTextItIsNot) {
  EXPECT_EQ(parse("{\"schema\": \"thi").error().found, "no JSON, or only a part of it");
  EXPECT_EQ(parse("").error().found, "no JSON, or only a part of it");
  EXPECT_EQ(parse("[1]").error().found, "no \"schema\"");
  EXPECT_EQ(parse("{\"schema\": 1}").error().found, "no \"schema\"");
  EXPECT_EQ(parse("{\"schema\": \"other/1\"}").error().text(), "file.json: found \"other/1\", wanted thing/1");
  EXPECT_NE(parse("{\"schema\": \"thing/2\"}").error().fix, "") << "of a newer version";
  EXPECT_EQ(parse("{\"schema\": \"thing/0\"}").error().fix, "");
  EXPECT_EQ(parse("{\"schema\": \"thing/1\"}")->check().operator bool(), true);
}

TEST(JsonDocument, SurvivesADeepNest) {
  const std::string found = "JSON of more than 64 levels";
  EXPECT_EQ(parse(std::string(1'000'000, '[')).error().found, found);
  const std::string closed = std::string(200'000, '[') + std::string(200'000, ']');
  EXPECT_EQ(parse(closed).error().found, found);
  // Where something else is wanted: what was found would be written out.
  EXPECT_EQ(parse(with("\"rows\": " + closed)).error().found, found);
  EXPECT_TRUE(parse(with("\"rows\": " + std::string(63, '[') + std::string(63, ']'))));
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

enum class Colour { red, dark_blue };
constexpr std::array<std::string_view, 2> kColours{"red", "dark blue"};
std::span<const std::string_view> words_of(Colour) { return kColours; }

struct Part {
  std::int32_t number = 7;
  bool operator==(const Part&) const = default;
  static void fields(auto& visit, auto& self) { visit("number", self.number, {.low = 1, .high = 9}); }
};

struct Whole {
  std::string text = "usual";
  std::string label;  // null where it is empty
  double level = 0.5;
  double lenient = 1;
  std::optional<double> spread;
  std::int32_t line = 0;  // null where it is 0
  std::uint64_t seed = 0;
  bool found = false;
  bool better = false;
  Colour colour = Colour::red;
  std::optional<Interval> interval;
  std::optional<bool> perhaps;
  std::optional<double> late;  // no member where it is absent
  std::vector<std::string> texts;
  std::map<std::string, std::string> settings;
  Part part;
  std::optional<Part> other;
  std::vector<Part> parts;
  bool operator==(const Whole&) const = default;

  static void fields(auto& visit, auto& self) {
    visit("text", self.text);
    visit("label", self.label, {.null = Null::written});
    visit("level", self.level);
    visit("lenient", self.lenient, {.null = Null::accepted});
    visit("spread", self.spread, {.not_negative = true});
    visit("line", self.line, {.null = Null::written});
    visit("seed", self.seed);
    visit("found", self.found);
    visit("verdict", self.better, {.words = {"worse", "better"}});
    visit("colour", self.colour);
    visit("interval", self.interval);
    visit("perhaps", self.perhaps);
    visit("late", self.late, {.omitted = true});
    visit("texts", self.texts, {.most = 2});
    visit("settings", self.settings);
    visit("part", self.part);
    visit("other", self.other);
    visit("parts", self.parts, {.most = 2});
  }
};

Whole with_everything() {
  Whole whole;
  whole.text = "a \"quoted\" text";
  whole.label = "label";
  whole.level = 0.1 + 0.2;
  whole.spread = 1e-300;
  whole.line = 42;
  whole.seed = std::numeric_limits<std::uint64_t>::max();
  whole.found = whole.better = true;
  whole.colour = Colour::dark_blue;
  whole.interval = Interval{-0.5, 2};
  whole.perhaps = false;
  whole.late = 3;
  whole.texts = {"", "b"};
  whole.settings = {{"key", "text"}};
  whole.part = {9};
  whole.other = Part{1};
  whole.parts = {{2}, {3}};
  return whole;
}

JsonWriter written(const Whole& whole) {
  JsonWriter object;
  Whole::fields(object, whole);
  return object;
}

Result<Whole> read(const nlohmann::ordered_json& json) {
  const JsonDocument document = JsonDocument::of(json, "file.json");
  Whole whole;
  JsonReader reader(document.root());
  Whole::fields(reader, whole);
  STEELYARD_CHECK(document.check());
  return whole;
}

TEST(JsonFields, AreWrittenInTheirOrderAndReadBack) {
  const JsonWriter object = written(with_everything());
  EXPECT_EQ(object.one_line(),
            R"({"text":"a \"quoted\" text","label":"label","level":0.30000000000000004,"lenient":1.0,"spread":1e-300,)"
            R"("line":42,"seed":18446744073709551615,"found":true,"verdict":"better","colour":"dark blue",)"
            R"("interval":[-0.5,2.0],"perhaps":false,"late":3.0,"texts":["","b"],"settings":{"key":"text"},)"
            R"("part":{"number":9},"other":{"number":1},"parts":[{"number":2},{"number":3}]})");
  EXPECT_EQ(*read(object.json()), with_everything());
  EXPECT_EQ(*read(written(Whole{}).json()), Whole{});
}

TEST(JsonFields, AreNullWhereTheyAreAbsentOrNotFinite) {
  Whole odd;
  odd.lenient = std::numeric_limits<double>::quiet_NaN();
  odd.interval = Interval{0, std::numeric_limits<double>::infinity()};
  const JsonWriter object = written(odd);
  for (const char* name : {"label", "lenient", "spread", "line", "interval", "perhaps", "other"}) {
    EXPECT_TRUE(object.json().at(name).is_null()) << name;
  }
  EXPECT_FALSE(object.json().contains("late"));
  EXPECT_EQ(read(object.json())->lenient, 1) << "what it is by default";
}

TEST(JsonFields, HoldTextsAsTheirDocumentHasThem) {
  Whole odd;
  odd.text = "a\xff" + std::string("b\0", 2);
  odd.settings = {{"\xc3", "\xc3\xa4"}};
  const Result<Whole> straight = read(written(odd).json());
  ASSERT_TRUE(straight);
  EXPECT_EQ(straight->text, "a\xef\xbf\xbd" + std::string("b\0", 2));
  EXPECT_EQ(straight->settings, (std::map<std::string, std::string>{{"\xef\xbf\xbd", "\xc3\xa4"}}));
  EXPECT_EQ(*read(nlohmann::ordered_json::parse(written(odd).text())), *straight);
}

TEST(JsonFields, TellWhatWasFoundAndWantedAndWhere) {
  const auto error_with = [](const char* name, const nlohmann::ordered_json& value) {
    nlohmann::ordered_json json = written(with_everything()).json();
    json[name] = value;
    const auto whole = read(json);
    return whole ? std::string("none") : whole.error().text();
  };
  EXPECT_EQ(error_with("text", nullptr), "none") << "the empty one";
  EXPECT_EQ(error_with("text", 1), "file.json: text: found 1, wanted a text");
  EXPECT_EQ(error_with("level", nullptr), "file.json: level: found null, wanted a number");
  EXPECT_EQ(error_with("lenient", nullptr), "none");
  EXPECT_EQ(error_with("spread", -1), "file.json: spread: found -1, wanted a number not below 0");
  EXPECT_EQ(error_with("line", -1), "file.json: line: found -1, wanted a whole number from 0 to 2147483647");
  EXPECT_EQ(error_with("seed", -1), "file.json: seed: found -1, wanted a whole number from 0 to 18446744073709551615");
  EXPECT_EQ(error_with("found", "yes"), "file.json: found: found \"yes\", wanted true or false");
  EXPECT_EQ(error_with("verdict", "good"), "file.json: verdict: found \"good\", wanted worse or better");
  EXPECT_EQ(error_with("colour", nullptr), "file.json: colour: found null, wanted red or dark blue");
  EXPECT_EQ(error_with("interval", 1), "file.json: interval: found 1, wanted two numbers in brackets, or null");
  EXPECT_EQ(error_with("texts", {"a", "b", "c"}),
            "file.json: texts: found [\"a\",\"b\",\"c\"], wanted an array of at most 2");
  EXPECT_EQ(error_with("part", nullptr), "file.json: part: found null, wanted an object");
  EXPECT_EQ(error_with("parts", nlohmann::ordered_json::parse(R"([{"number": 2}, {"number": 10}])")),
            "file.json: parts[1].number: found 10, wanted a whole number from 1 to 9");
}

TEST(JsonFields, AreTextsByTheirNames) {
  Part part;
  JsonWriter object;
  Part::fields(object, part);
  object.add_null("nothing");
  object("text", std::string_view("a \"b\""));
  using Texts = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(object.member_texts("absent"), (Texts{{"number", "7"}, {"nothing", "absent"}, {"text", "a \"b\""}}));
}

}  // namespace

}  // namespace steelyard::storage::json_test

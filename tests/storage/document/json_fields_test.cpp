#include "storage/document/json_fields.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <nlohmann/json.hpp>

namespace steelyard {
namespace {

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
}  // namespace steelyard

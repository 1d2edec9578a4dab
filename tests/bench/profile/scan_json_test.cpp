#include "bench/profile/scan_json.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

namespace steelyard::bench::scan_json_test {
namespace {

using ::testing::ElementsAre;

// What it was told, in words.
struct Told {
  std::vector<std::string> parts;
  std::size_t stops_after = SIZE_MAX;

  bool add(std::string part) {
    parts.push_back(std::move(part));
    return parts.size() < stops_after;
  }
  bool null() { return add("null"); }
  bool boolean(bool value) { return add(value ? "true" : "false"); }
  bool number(std::string_view text) { return value(std::strtod(std::string(text).c_str(), nullptr)); }
  // Of -0 the oracle keeps the sign only where it is no whole number.
  bool value(double number) { return add("number " + std::to_string(number + 0.0)); }
  bool text(std::string_view text) { return add("text " + std::string(text)); }
  bool key(std::string_view key) { return add("key " + std::string(key)); }
  bool start(bool is_object) { return add(is_object ? "{" : "["); }
  bool end() { return add("end"); }
};

// The same of nlohmann::json, which is the oracle.
struct ToldByOracle {
  Told told;
  bool null() { return told.null(); }
  bool boolean(bool value) { return told.boolean(value); }
  bool number_integer(std::int64_t value) { return told.value(static_cast<double>(value)); }
  bool number_unsigned(std::uint64_t value) { return told.value(static_cast<double>(value)); }
  bool number_float(double value, const std::string&) { return told.value(value); }
  bool string(const std::string& value) { return told.text(value); }
  bool binary(const nlohmann::json::binary_t&) { return false; }
  bool start_object(std::size_t) { return told.start(true); }
  bool end_object() { return told.end(); }
  bool start_array(std::size_t) { return told.start(false); }
  bool end_array() { return told.end(); }
  bool key(const std::string& value) { return told.key(value); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) { return false; }
};

// A zero byte, which the oracle takes for the end, is in none of the texts.
void expect_as_the_oracle(const std::string& text) {
  Told told;
  const auto position = scan_json(text, told);
  ToldByOracle oracle;
  const bool is_json = nlohmann::json::sax_parse(text, &oracle);
  ASSERT_EQ(position == std::nullopt, is_json) << text;
  if (position) {
    ASSERT_LE(*position, text.size());
  }
  if (is_json) {
    ASSERT_EQ(told.parts, oracle.told.parts) << text;
  }
}

const std::string kEverything =
    R"( {"": [], "a\"\\\/\b\f\n\r\t\u00e9\u20AC\ud83d\ude00z": [1, -0, 0.5e+3, -12.25E-2, 1e300,)"
    " 18446744073709551616],\n\t\"na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80\": {\"x\": true, \"y\": [false, null, {}, "
    "[[\"\"]]]}} \r\n";

TEST(ScanJson, TellsTheParts) {
  Told told;
  EXPECT_EQ(scan_json(R"({"a": [1, "b\u0041"], "c": null})", told), std::nullopt);
  EXPECT_THAT(told.parts, ElementsAre("{", "key a", "[", "number 1.000000", "text bA", "end", "key c", "null", "end"));
}

TEST(ScanJson, TakesAndRefusesWhatTheOracleDoes) {
  ASSERT_TRUE(nlohmann::json::accept(kEverything));
  for (const char* const text : {"",
                                 " ",
                                 "1",
                                 "-",
                                 "01",
                                 "1.",
                                 ".5",
                                 "+1",
                                 "1e",
                                 "1e+",
                                 "-0",
                                 "1e999",
                                 "-1e999",
                                 "1e-999",
                                 "tru",
                                 "true",
                                 "nul",
                                 "nulL",
                                 "[1,]",
                                 "[,1]",
                                 "[1 2]",
                                 "[1}",
                                 "{\"a\" 1}",
                                 "{\"a\":}",
                                 "{\"a\": 1,}",
                                 "{1: 2}",
                                 "{} {}",
                                 "[] 1",
                                 "]",
                                 "}",
                                 ":",
                                 ",",
                                 "\"\\x\"",
                                 "\"\\u12\"",
                                 "\"\\u12g4\"",
                                 "\"\\ud800\"",
                                 "\"\\ud800\\u0041\"",
                                 "\"\\udc00\"",
                                 "\"\\ud83d\\ude00\"",
                                 "\"\x01\"",
                                 "\"\t\"",
                                 "\"\x7f\"",
                                 "\"\xff\"",
                                 "\"\xc0\x80\"",
                                 "\"\xed\xa0\x80\"",
                                 "\"\xf4\x90\x80\x80\"",
                                 "\"\xe2\x82\"",
                                 "\"\xe2\x82",
                                 "\"abc",
                                 "\"abc\\",
                                 "\xef\xbb\xbf[1]",
                                 "[\xef\xbb\xbf]",
                                 "NaN",
                                 "[Infinity]",
                                 "'a'",
                                 "/**/1"}) {
    expect_as_the_oracle(text);
  }
  expect_as_the_oracle(std::string(400, '9'));
  expect_as_the_oracle("[" + std::string(290, '9') + "]");
}

TEST(ScanJson, OfATextThatIsCutTellsThatItEndsTooEarly) {
  for (std::size_t size = 0; size + 3 < kEverything.size(); ++size) {  // then nothing but blanks is missing
    Told told;
    EXPECT_EQ(scan_json(std::string_view(kEverything).substr(0, size), told), size) << kEverything.substr(0, size);
  }
}

TEST(ScanJson, OfATextThatIsDamagedTellsAsMuchAsTheOracle) {
  std::mt19937_64 random(20261127);
  constexpr std::string_view kBytes = "{}[]\",:\\u0d8-.eE+ tfn\n\x80\xc3\xf0\x1f";
  for (int i = 0; i < 20'000; ++i) {
    std::string text = kEverything;
    for (int changes = 0; changes < 1 + i % 3; ++changes) {
      const std::size_t at = random() % text.size();
      const char byte = kBytes[random() % kBytes.size()];
      if (random() % 2 == 0) {
        text[at] = byte;
      } else if (random() % 2 == 0) {
        text.erase(at, 1 + random() % 4);
      } else {
        text.insert(at, 1, byte);
      }
    }
    expect_as_the_oracle(text);
    if (HasFatalFailure()) return;
  }
}

TEST(ScanJson, TellsNothingOnceTheListenerSaysNo) {
  Told told{.parts = {}, .stops_after = 3};
  EXPECT_EQ(scan_json("[1, 2, 3, no JSON", told), std::nullopt);
  EXPECT_THAT(told.parts, ElementsAre("[", "number 1.000000", "number 2.000000"));
}

}  // namespace
}  // namespace steelyard::bench::scan_json_test

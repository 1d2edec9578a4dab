#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "ci/config/configuration.hpp"
#include "ci/config/configuration_key.hpp"

namespace steelyard::ci::configuration_test {
namespace {

std::string error_of(const std::string& toml) {
  const Result<Configuration> parsed = parse_configuration(toml, "steelyard.toml");
  return parsed ? "" : parsed.error().text();
}

TEST(Configuration, ReadsEveryKeyOfTheSchema) {
  const Result<Configuration> parsed = parse_configuration(R"(
[project]
name = "textkit"
[store]
address = "postgresql://db/bench"
[build]
command = "make -j2"
timeout = "10m"
[[program]]
name = "text"
command = "build/textkit_bench --quick"
[[program]]
name = "math"
command = "build/math_bench"
[run]
layout = "duet"
rounds = 14
repetitions = 5
min_time = "10ms"
budget = "90s"
timeout = "30s"
counts = "never"
counters = ["heap", "cache"]
filter = "tok"
[policy]
false_alarm_rate = "2%"
strict = true
confidence = 0.9
minimum_effect = 0.03
margin = 0.04
metrics = ["real_time", "instructions"]
gates = ["instructions"]
counted_minimum_effect = "0.5%"
witness = "both"
ignored_facts = ["kernel.release_line"]
demand_decision = true
forbid_skips = true
)",
                                                           "steelyard.toml");
  ASSERT_TRUE(parsed) << parsed.error().text();
  EXPECT_EQ(parsed->project, "textkit");
  EXPECT_EQ(parsed->store, "postgresql://db/bench");
  EXPECT_EQ(parsed->build_command, "make -j2");
  EXPECT_EQ(parsed->build_timeout, seconds(600));
  ASSERT_EQ(parsed->programs.size(), 2U);
  EXPECT_EQ(parsed->programs[1], (ConfiguredProgram{"math", "build/math_bench"}));
  bench::MeasuringSettings run;
  run.layout = Layout::duet;
  run.rounds = 14;
  run.repetitions = 5;
  run.min_time = milliseconds(10);
  run.budget = seconds(90);
  run.timeout = seconds(30);
  run.counts = bench::CountChoice::never;
  run.counters = {.cache = true, .heap = true};
  run.filter = "tok";
  EXPECT_EQ(parsed->run, run);
  PolicySettings policy;
  policy.comparison.false_alarm_rate = 0.02;
  policy.strict = true;
  policy.comparison.confidence = 0.9;
  policy.comparison.minimum_effect = 0.03;
  policy.comparison.margin = 0.04;
  policy.comparison.metrics = {"real_time", "instructions"};
  policy.comparison.gates = {"instructions"};
  policy.comparison.counted_minimum_effect = 0.005;
  policy.comparison.witness = Witness::both;
  policy.comparison.ignored_facts = {"kernel.release_line"};
  policy.demand_decision = true;
  policy.forbid_skips = true;
  EXPECT_EQ(parsed->policy, policy);
}

TEST(Configuration, PrintsWhatReadsBackAsTheSame) {
  Configuration configuration;
  configuration.project = "a \"quoted\"\tname";
  configuration.programs = {{"bench", "build/bench --x=1"}};
  configuration.run.min_time = microseconds(1500);
  configuration.run.budget = seconds(7200);
  configuration.run.layout = Layout::interleaved;
  configuration.policy.comparison.metrics = {"real_time"};
  configuration.policy.comparison.gates = {"instructions"};
  configuration.policy.comparison.counted_minimum_effect = 0.002;
  configuration.policy.comparison.witness = Witness::time;
  const Result<Configuration> again = parse_configuration(to_toml(configuration), "steelyard.toml");
  ASSERT_TRUE(again) << again.error().text() << '\n' << to_toml(configuration);
  configuration.store_where = again->store_where;
  EXPECT_EQ(*again, configuration) << to_toml(configuration);
}

TEST(Configuration, KeepsASkipTimeThatIsSaidApartFromNone) {
  EXPECT_EQ(to_toml(Configuration{}).find("skip_time"), std::string::npos);
  const Result<Configuration> never = parse_configuration("[policy]\nskip_time = \"never\"\n", "steelyard.toml");
  ASSERT_TRUE(never) << never.error().text();
  EXPECT_EQ(never->policy.skip_time, SkipTime::never);
  EXPECT_NE(to_toml(*never).find("skip_time = \"never\"\n"), std::string::npos);
}

TEST(Configuration, PrintsTheOneProgramThatHasNoNameSoThatItReadsBack) {
  const Result<Configuration> read =
      parse_configuration("[[program]]\ncommand = \"bench\"\n[policy]\nminimum_effect = -0.0\n", "steelyard.toml");
  ASSERT_TRUE(read) << read.error().text();
  const Result<Configuration> again = parse_configuration(to_toml(*read), "steelyard.toml");
  ASSERT_TRUE(again) << again.error().text() << '\n' << to_toml(*read);
  EXPECT_EQ(again->programs, read->programs);
  EXPECT_EQ(to_toml(*again), to_toml(*read));
}

TEST(Configuration, HandsThePolicyToTheComparison) {
  PolicySettings settings;
  settings.comparison.gates = {"instructions"};
  settings.comparison.counted_minimum_effect = 0.002;
  settings.comparison.witness = Witness::both;
  const ComparisonPolicy policy = comparison_policy(settings);
  EXPECT_EQ(policy.gates, settings.comparison.gates);
  EXPECT_EQ(policy.counted_minimum_effect, settings.comparison.counted_minimum_effect);
  EXPECT_EQ(policy.witness, settings.comparison.witness);
}

TEST(Configuration, AsksForWhatAComparisonDoesByDefault) {
  EXPECT_EQ(comparison_policy(PolicySettings{}), ComparisonPolicy{});
}

TEST(Configuration, KnowsEveryWitnessByItsName) {
  for (std::size_t i = 0; i < kWitnessCount; ++i) {
    const auto witness = static_cast<Witness>(i);
    const std::string text = "[policy]\nwitness = \"" + std::string(to_text(witness)) + "\"\n";
    const Result<Configuration> parsed = parse_configuration(text, "steelyard.toml");
    ASSERT_TRUE(parsed) << parsed.error().text();
    EXPECT_EQ(parsed->policy.comparison.witness, witness) << text;
    EXPECT_NE(to_toml(*parsed).find("witness = \"" + std::string(to_text(witness))), std::string::npos);
  }
}

TEST(Configuration, AnEmptyFileIsTheDefaults) {
  const Result<Configuration> parsed = parse_configuration("", "steelyard.toml");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(*parsed, Configuration{});
}

TEST(Configuration, AgesAreKeptInDaysAndReadBackAsThePrint) {
  const auto read = parse_configuration(
      "[retention]\nsamples = \"6 months\"\nprofiles = \"90days\"\nruns = \"forever\"\n", "steelyard.toml");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->retention.samples_days, 183);
  EXPECT_EQ(read->retention.profiles_days, 90);
  EXPECT_EQ(read->retention.runs_days, std::nullopt);
  const auto again = parse_configuration(to_toml(*read), "steelyard.toml");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->retention, read->retention);
  for (const char* wrong : {"6", "0days", "months", "nan days", "-1year", "200years", ""}) {
    EXPECT_NE(error_of("[retention]\nsamples = \"" + std::string(wrong) + "\"\n"), "") << wrong;
  }
}

TEST(Configuration, NamesLineAndNearestKeyOfAnUnknownOne) {
  EXPECT_EQ(error_of("[run]\nrounds = 12\nmin_tme = \"2s\"\n"),
            "steelyard.toml:3: [run]: found unknown key \"min_tme\", wanted a known one; write \"min_time\"");
  EXPECT_EQ(error_of("\n[polcy]\nmargin = 0.02\n"),
            "steelyard.toml:2: found unknown table [polcy], wanted one of project, store, build, run, policy, gate, "
            "retention, program, target, rename; write [policy]");
}

TEST(Configuration, SendsAKeyOfAnotherTableThere) {
  EXPECT_EQ(error_of("[run]\nminimum_effect = 0.01\n"),
            "steelyard.toml:2: [run]: found unknown key \"minimum_effect\", wanted a known one; it belongs under "
            "[policy]");
  EXPECT_EQ(error_of("rounds = 12\n"),
            "steelyard.toml:1: found key \"rounds\" outside of any table, wanted it under its table; write it under "
            "[run]");
}

TEST(Configuration, RefusesADurationWithoutItsUnitAndShowsTheFix) {
  EXPECT_EQ(error_of("[run]\nmin_time = \"2\"\n"),
            "steelyard.toml:2: [run] min_time: found \"2\", wanted a duration with its unit (ns us ms s m h); write "
            "\"2s\" if seconds are meant");
  EXPECT_EQ(error_of("[run]\nmin_time = 2\n"),
            "steelyard.toml:2: [run] min_time: found 2, wanted a duration with its unit (ns us ms s m h), in quotes; "
            "write \"2s\" if seconds are meant");
}

TEST(Configuration, RefusesWrongTypesAndRanges) {
  EXPECT_NE(error_of("[run]\nrounds = \"12\"\n").find("found \"12\", wanted a whole number"), std::string::npos);
  EXPECT_NE(error_of("[run]\nrounds = 13\n").find("an even number"), std::string::npos);
  EXPECT_NE(error_of("[run]\nrounds = -2\n").find("from 0 to 1000"), std::string::npos);
  EXPECT_NE(error_of("[policy]\nminimum_effect = 5\n").find("write \"5%\""), std::string::npos);
  EXPECT_NE(error_of("[policy]\nmargin = nan\n").find("margin"), std::string::npos);
  EXPECT_NE(error_of("[policy]\nmetrics = \"real_time\"\n").find("write [\"real_time\"]"), std::string::npos);
  EXPECT_NE(error_of("[policy]\nmetrics = [1, 2]\n").find("a list of something else"), std::string::npos);
  EXPECT_NE(error_of("[run]\nlayout = \"duett\"\n").find("write \"duet\""), std::string::npos);
  EXPECT_NE(error_of("[project]\nname = 1979-05-27\n").find("a date"), std::string::npos);
}

TEST(Configuration, RefusesProgramsThatCannotBeToldApart) {
  EXPECT_NE(error_of("[program]\nname = \"a\"\n").find("[[program]]"), std::string::npos);
  EXPECT_NE(error_of("[[program]]\nname = \"a\"\n").find("no command"), std::string::npos);
  EXPECT_NE(error_of("[[program]]\ncommand = \"a\"\n[[program]]\ncommand = \"b\"\n").find("no name"),
            std::string::npos);
  const std::string twice = "[[program]]\nname = \"a\"\ncommand = \"x\"\n";
  EXPECT_NE(error_of(twice + twice).find("twice"), std::string::npos);
  EXPECT_NE(error_of("[[program]]\ncomand = \"x\"\n").find("write \"command\""), std::string::npos);
}

TEST(Configuration, NamesTheLineOfTextThatIsNotToml) {
  EXPECT_EQ(error_of("[run]\nrounds = = 2\n").rfind("steelyard.toml:2: ", 0), 0U) << error_of("[run]\nrounds = = 2\n");
  EXPECT_NE(error_of(std::string(2 << 20, '#')).find("at most 1 MiB"), std::string::npos);
}

TEST(Configuration, RefusesKeysThatAreDeeperOrLongerThanAnyOfItsOwn) {
  const auto dotted = [](int parts) {
    std::string key = "\"a\"";
    for (int i = 1; i < parts; ++i) key += i % 2 == 0 ? " . 'b#'" : ".c";
    return key;
  };
  // The library descends a key by recursion: 40,000 parts ended the process.
  for (const std::string& text :
       {dotted(40000) + " = 1", "[" + dotted(40000) + "]", "x = {" + dotted(40000) + " = 1}", dotted(33) + " = 1"}) {
    EXPECT_EQ(error_of("[run]\n" + text), "steelyard.toml:2: found a key of more than 32 parts, wanted at most 32");
  }
  EXPECT_NE(error_of(std::string(257, 'k') + " = 1").find("a key of 257 bytes, wanted at most 256"), std::string::npos);
  // What merely holds many dots is none: values, strings of every kind, comments.
  const std::string dots(100, '.');
  EXPECT_EQ(error_of("[project]\nname = \"" + dots + "\\\"" + dots + "\" # " + dots + "\n"), "");
  EXPECT_EQ(error_of("[project]\nname = '''" + dots + "'" + dots + "'''\n"), "");
  std::string list = "\"a\"";
  for (int i = 0; i < 100; ++i) list += ", \"b.c\"";
  EXPECT_EQ(error_of("[policy]\nmetrics = [" + list + "]\n"), "");
}

TEST(Configuration, RefusesWhatIsNoAsciiOutsideOfStringsAndComments) {
  for (const std::string text : {"\xcc\xad", "[\x01", "[p\xc3\xa9]", "a = \x7f"}) {
    const Result<Configuration> read = parse_configuration("\n" + text, "steelyard.toml");
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().where, "steelyard.toml:2") << text;
    EXPECT_THAT(read.error().found, ::testing::HasSubstr("printable ASCII")) << text;
  }
  EXPECT_THAT(parse_configuration("a = 3\"\xd0\x92", "t").error().found, ::testing::HasSubstr("middle of a word"));
  EXPECT_TRUE(parse_configuration("[project]\nname = \"\"\"a\"\"\"\"\"\n", "t")) << "two marks of its own";
  const Result<Configuration> read =
      parse_configuration("\xef\xbb\xbf# \xc3\xa9\r\n[project]\nname = \"\xc3\xa9\" # \xc3\xa9\n", "steelyard.toml");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->project, "\xc3\xa9");
}

// In the middle of a value a quotation mark begins no string for toml++, which then asks of a letter that is no ASCII
// what it has declared unreachable: it is given ASCII alone.
TEST(Configuration, TakesLettersOfAnyScriptForNothingButText) {
  const auto found = [](const std::string& text) {
    const Result<Configuration> read = parse_configuration(text, "steelyard.toml");
    return read ? "nothing" : read.error().where + ": " + read.error().found;
  };
  for (const std::string text :
       {"a = -0[\"\xd0\xa4\"]", "a = 0=\"\xd0\xa4\"", "a = 3.\"\xd0\xa4\"", "a = inf\t[\"\xd0\xa4\""}) {
    EXPECT_THAT(found("\n" + text + "\n"), ::testing::StartsWith("steelyard.toml:2: ")) << text;
  }
  EXPECT_EQ(found("[project]\nname = \"\xff\"\n"), "steelyard.toml:2: bytes that are no UTF-8");
  EXPECT_EQ(found("[project]\nname = \"a\x01\"\n"), "steelyard.toml:2: a control character");
  EXPECT_EQ(found("[project]\nname = \"\\u007e41\"\n"), "steelyard.toml:2: an escaped ~");
  EXPECT_THAT(found("[project]\nn\"\xc3\xa9\" = 1\n"), ::testing::HasSubstr("middle of a word"));
  EXPECT_THAT(found("[project]\n\"\xc3\xa9~\" = 1\n"), ::testing::HasSubstr("\xc3\xa9~"));
  const Result<Configuration> read = parse_configuration(
      "[project]\nname = \"~/\xc3\xa9\\u00e9 ~c3 \xe6\xbc\xa2\"\n[policy]\nmetrics = ['~\xf0\x9f\x98\x80', \"b\"]\n",
      "t");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->project, "~/\xc3\xa9\xc3\xa9 ~c3 \xe6\xbc\xa2");
  EXPECT_EQ(read->policy.comparison.metrics, (std::vector<std::string>{"~\xf0\x9f\x98\x80", "b"}));
}

TEST(Configuration, EndsWithAnErrorOrAValueOnEveryPrefixOfAFile) {
  const std::string whole =
      "[run]\nrounds = 12\n[[program]]\nname = \"a\"\ncommand = \"x y\"\n[policy]\nmetrics=[\"m\"]\n";
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const Result<Configuration> parsed = parse_configuration(whole.substr(0, length), "steelyard.toml");
    EXPECT_TRUE(parsed || parsed.error().kind == ErrorKind::input) << length;
  }
}

class ConfigurationSearch : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "steelyard-config-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    top_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(top_); }
  void write(const std::filesystem::path& file, const std::string& text) const { std::ofstream(file) << text; }
  std::filesystem::path top_;
};

TEST_F(ConfigurationSearch, FindsTheFileInAParentAndStopsAtTheRepository) {
  std::filesystem::create_directories(top_ / "repository/.git");
  std::filesystem::create_directories(top_ / "repository/a/b");
  write(top_ / "steelyard.toml", "[project]\nname = \"outside\"\n");
  Result<Configuration> found = find_configuration(top_ / "repository/a/b");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->project, "") << "a file above the repository is not the repository's";
  write(top_ / "repository/steelyard.toml", "[project]\nname = \"inside\"\n");
  found = find_configuration(top_ / "repository/a/b");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->project, "inside");
  EXPECT_EQ(found->root, top_ / "repository");
}

TEST_F(ConfigurationSearch, SaysWhyAFileThatIsNamedIsNotRead) {
  const auto found_at = [this](const char* name) { return read_configuration(top_ / name).error().found; };
  EXPECT_EQ(found_at("absent.toml"), "no such file");
  std::filesystem::create_symlink("loop.toml", top_ / "loop.toml");
  EXPECT_EQ(found_at("loop.toml"), "Too many levels of symbolic links");
}

TEST(ConfigurationKeys, AssignFromTheCommandLineWhatTomlTakesTyped) {
  Configuration configuration;
  const auto assign = [&](std::string_view section, std::string_view name, const std::string& text) {
    const ConfigurationKey* key = find_configuration_key(section, name);
    return key->assign(configuration, WrittenValue{text, true}, std::string(key->option));
  };
  EXPECT_TRUE(assign("run", "rounds", "20"));
  EXPECT_TRUE(assign("policy", "strict", "true"));
  EXPECT_TRUE(assign("policy", "metrics", "real_time, instructions"));
  EXPECT_EQ(configuration.run.rounds, 20);
  EXPECT_TRUE(configuration.policy.strict);
  EXPECT_EQ(configuration.policy.comparison.metrics, (std::vector<std::string>{"real_time", "instructions"}));
  const Result<void> refused = assign("run", "rounds", "many");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text(), "--rounds: found \"many\", wanted a whole number from 0 to 1000");
}

TEST(ComparisonPolicyOfSettings, StrictLowersTheRateAndNeverRaisesIt) {
  PolicySettings settings;
  settings.strict = true;
  EXPECT_EQ(comparison_policy(settings).false_alarm_rate, 0.01);
  settings.comparison.false_alarm_rate = 0.001;
  EXPECT_EQ(comparison_policy(settings).false_alarm_rate, 0.001);
}

}  // namespace

// The page about the configuration is the table of keys in prose: it cannot fall behind.

namespace {

std::string documented_keys() {
  std::string rows;
  for (const ConfigurationKey& key : configuration_keys()) {
    const std::string value = key.value.empty() ? "" : ' ' + std::string(key.value);
    std::string option = std::string(key.option) + value;
    for (std::size_t at = 0; (at = option.find('|', at)) != std::string::npos; at += 2) option.insert(at, "\\");
    rows += "| `[" + std::string(key.section) + "] " + std::string(key.name) + "` | `" + option + "` | " +
            std::string(key.help) + " |\n";
  }
  return rows;
}

TEST(ConfigurationPage, ListsEveryKeyWithItsOptionAndMeaning) {
  const std::string page = STEELYARD_SOURCE_FOLDER "/docs/reference/configuration.md";
  std::ifstream stream(page);
  std::stringstream text;
  text << stream.rdbuf();
  const std::string head = "|---|---|---|\n";
  const std::size_t begin = text.str().find(head);
  ASSERT_NE(begin, std::string::npos) << page;
  const std::size_t end = text.str().find("\n\n", begin);
  const std::string rows = text.str().substr(begin + head.size(), end + 1 - begin - head.size());
  if (rows != documented_keys() && std::getenv("UPDATE_GOLDEN") != nullptr) {
    std::ofstream(page) << text.str().substr(0, begin + head.size()) << documented_keys() << text.str().substr(end + 1);
    FAIL() << page << " was rewritten";
  }
  EXPECT_EQ(rows, documented_keys()) << "UPDATE_GOLDEN=1 rewrites " << page;
}

}  // namespace

}  // namespace steelyard::ci::configuration_test

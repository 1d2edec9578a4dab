#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "ci/config/configuration_key.hpp"

#include "tests/ci/verbs/program_under_test.hpp"

namespace steelyard::ci::config_verb_test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class ConfigVerb : public ProgramUnderTest {};

TEST_F(ConfigVerb, ExplainsWhichLineDecidedEachKeyOfABenchmark) {
  write("steelyard.toml",
        "[[policy]]\n"
        "minimum_effect = \"2%\"\n"
        "\n"
        "[[policy]]\n"
        "match = \"*\"\n"
        "margin = \"3%\"\n"
        "owner = \"kernels@example.org\"\n"
        "\n"
        "[[policy]]\n"
        "match = \"gemv/*\"\n"
        "margin = \"6%\"\n"
        "gates = [\"real_time\"]\n"
        "\n"
        "[[target]]\n"
        "benchmark = \"gemv/*\"\n"
        "target = \"0.6 of bandwidth\"\n");
  const Outcome gemv = run({"config", "explain", "gemv/4096"});
  EXPECT_EQ(gemv.status, 0) << gemv.err;
  EXPECT_THAT(gemv.out, AllOf(ContainsRegex("minimum_effect +0.02 .*steelyard.toml:2\n"),
                              ContainsRegex("margin +0.06 .*steelyard.toml:11 .*match = \"gemv/"),
                              ContainsRegex("counted_minimum_effect +0.01 +default\n"),
                              ContainsRegex("gates +.\"real_time\". .*steelyard.toml:12 "),
                              ContainsRegex("owner .*kernels@example.org.*steelyard.toml:7 "),
                              ContainsRegex("target +\"0.6 of bandwidth\" .*steelyard.toml:1[46]\n")));
  const Outcome other = run({"config", "explain", "BM_other", "--minimum-effect", "5%", "--json"});
  ASSERT_EQ(other.status, 0) << other.err;
  const auto json = nlohmann::json::parse(other.out);
  EXPECT_EQ(json["schema"], "steelyard.explained_policy/1");
  EXPECT_EQ(json["keys"][0]["key"], "minimum_effect");
  EXPECT_EQ(json["keys"][0]["from"], "--minimum-effect");
  EXPECT_EQ(json["keys"][1]["value"], "0.03");
  EXPECT_THAT(json["keys"][1]["from"].get<std::string>(), HasSubstr("steelyard.toml:6"));
}

TEST_F(ConfigVerb, OfSeveralTablesThatMatchTheLastHoldsAndTheOthersAreNamed) {
  const std::string special = "[[policy]]\nmatch = \"gemv/*\"\nmargin = \"6%\"\n";
  const std::string general = "[[policy]]\nmatch = \"*\"\nmargin = \"3%\"\nowner = \"me\"\n";
  write("steelyard.toml", special + general);
  const Outcome covered = run({"config", "explain", "gemv/8"});
  EXPECT_THAT(covered.out, ContainsRegex("margin +0.03 +steelyard.toml:6 "));
  EXPECT_THAT(covered.out,
              ContainsRegex("\n +not by steelyard.toml:3 .*match = \"gemv/.*the last in the file holds\n"));
  const auto json = nlohmann::json::parse(run({"config", "explain", "gemv/8", "--json"}).out);
  EXPECT_THAT(json["keys"][1]["not_from"][0].get<std::string>(), HasSubstr("steelyard.toml:3"));
  EXPECT_FALSE(json["keys"][5].contains("not_from")) << "one table alone says the owner";
  write("steelyard.toml", general + special);
  const Outcome refined = run({"config", "explain", "gemv/8"});
  EXPECT_THAT(refined.out, AllOf(ContainsRegex("margin +0.06 +steelyard.toml:7 "),
                                 ContainsRegex("not by steelyard.toml:3 .*match = \"\\*\""),
                                 ContainsRegex("owner +\"me\" +steelyard.toml:4 ")));
  EXPECT_THAT(run({"config", "explain", "sort"}).out, Not(HasSubstr("not by")));
}

TEST_F(ConfigVerb, ExplainsUntilWhenATableHoldsAndWhichOneIsOver) {
  write("steelyard.toml",
        "[[policy]]\nmatch = \"*\"\nmargin = \"3%\"\n"
        "[[policy]]\nmatch = \"gemv/*\"\nmargin = \"6%\"\nuntil = \"2000-01-01\"\n"
        "[[policy]]\nmatch = \"gemv/8\"\ngates = []\nuntil = \"2999-12-31\"\nreason = \"the checksum\"\n");
  const Outcome outcome = run({"config", "explain", "gemv/8"});
  EXPECT_THAT(outcome.out, AllOf(ContainsRegex("margin +0.03 +steelyard.toml:3 "),
                                 ContainsRegex("until +\"2999-12-31\" +steelyard.toml:11 "),
                                 ContainsRegex("reason +\"the checksum\" +steelyard.toml:12 "),
                                 ContainsRegex("over +\"2000-01-01\" +steelyard.toml:7 .*which holds no more\n")));
  EXPECT_THAT(run({"config", "explain", "sort"}).out, Not(HasSubstr("until")));
}

TEST_F(ConfigVerb, ExplainsWhichTablesAreForThisMachine) {
  write("steelyard.toml",
        "[[policy]]\nmatch = \"*\"\nmachine = \"*\"\nmargin = \"3%\"\n"
        "[[policy]]\nmatch = \"gemv/*\"\nmachine = \"a machine that nobody has\"\nmargin = \"6%\"\n");
  const Outcome outcome = run({"config", "explain", "gemv/8"});
  EXPECT_THAT(outcome.out,
              AllOf(ContainsRegex("margin +0.03 +steelyard.toml:4 "), Not(HasSubstr("not by")),
                    ContainsRegex("machine +\"a machine that nobody has\" +steelyard.toml:7 .*which is another one\n"),
                    ContainsRegex("machine +\"\\*\" +steelyard.toml:3 .*which is this one\n")));
}

TEST_F(ConfigVerb, ExplainsWithoutAFileThatDefaultsHold) {
  const Outcome outcome = run({"config", "explain", "BM_x"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, ContainsRegex("margin +0.02 +default\n"));
  EXPECT_EQ(run({"config", "explain"}).status, 3);
  EXPECT_EQ(run({"config", "schema", "x"}).status, 3);
}

TEST_F(ConfigVerb, TheSchemaKnowsEveryKeyAndIsTheOneInTheDocs) {
  const Outcome outcome = run({"config", "schema"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, text_of(STEELYARD_DOCS "/reference/steelyard.schema.json"))
      << "write it anew: steelyard config schema > docs/reference/steelyard.schema.json";
  const auto schema = nlohmann::json::parse(outcome.out);
  for (const ConfigurationKey& key : configuration_keys()) {
    const auto& table = schema["properties"][std::string(key.section)];
    const auto& object = key.section == "policy" ? table["anyOf"][0] : table;
    const auto& property = object["properties"][std::string(key.name)];
    EXPECT_EQ(property["description"], std::string(key.help)) << key.section << '.' << key.name;
    EXPECT_TRUE(property.contains("type") || property.contains("enum") || property.contains("anyOf")) << key.name;
  }
}

TEST_F(ConfigVerb, ChecksThatAFilterIsARegularExpressionAndNamesItsLine) {
  write("steelyard.toml", "[project]\nname = \"x\"\n[run]\nfilter = \"sum(\"\n");
  const Outcome bad = run({"config", "check"});
  EXPECT_EQ(bad.status, 3);
  EXPECT_THAT(bad.err, HasSubstr("steelyard.toml:4: [run] filter: found \"sum(\", which is no regular expression"));
  write("bench", "");
  write("steelyard.toml", "[[program]]\nname = \"x\"\ncommand = \"bench --benchmark_filter=[a\"\n");
  const Outcome argument = run({"config", "check"});
  EXPECT_EQ(argument.status, 3);
  EXPECT_THAT(argument.err, HasSubstr("steelyard.toml: [[program]] \"x\": found \"[a\", which is no regular"));
}

TEST_F(ConfigVerb, ChecksThatEachProgramIsThereOrMayBeBuilt) {
  const std::string program = "[[program]]\nname = \"x\"\ncommand = \"out/bench --seed 1\"\n";
  write("steelyard.toml", program);
  const Outcome missing = run({"config", "check"});
  EXPECT_EQ(missing.status, 3);
  EXPECT_EQ(missing.out, "");
  EXPECT_THAT(missing.err, AllOf(HasSubstr("steelyard.toml: [[program]] \"x\": found no file out/bench here"),
                                 HasSubstr("[build] command")));
  write("steelyard.toml", "[build]\ncommand = \"make\"\n" + program);
  const Outcome unbuilt = run({"config", "check"});
  EXPECT_EQ(unbuilt.status, 0) << unbuilt.err;
  EXPECT_THAT(unbuilt.err, HasSubstr("[[program]] \"x\": no file out/bench here yet"));
  write("out/bench", "");
  const Outcome good = run({"config", "check"});
  EXPECT_EQ(good.status, 0);
  EXPECT_EQ(good.err, "");
  EXPECT_THAT(good.out, HasSubstr("steelyard.toml: good\n"));
  write("steelyard.toml", "[[program]]\nname = \"x\"\ncommand = \"/bin/true\"\n");
  EXPECT_THAT(run({"config", "check"}).err, HasSubstr("a path relative to the work tree"));
  write("steelyard.toml", "[[program]]\nname = \"x\"\ncommand = \"no-such-tool -x\"\nformat = \"process\"\n");
  EXPECT_EQ(run({"config", "check"}).status, 3);
}

TEST_F(ConfigVerb, ChecksThatResultsCanBeKeptUnderTheName) {
  write("steelyard.toml", "[project]\nname = \"all\"\n");
  const Outcome all = run({"config", "check"});
  EXPECT_EQ(all.status, 3);
  EXPECT_THAT(all.err, HasSubstr("\"all\", by which readers mean every project"));
  EXPECT_EQ(run({"config", "show"}).status, 0) << "a reader's file";
}

TEST_F(ConfigVerb, OfAStoreThatTheTokenWouldBeReadOnTheWayToSaysWhatAStoreIs) {
  for (const char* const address : {"http://example.org", "http://10.0.0.1/x"}) {
    const Outcome outcome = run({"config", "--store", address});
    EXPECT_EQ(outcome.status, 3) << address;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("the address of a service"), Not(HasSubstr("github")))) << address;
  }
}

TEST_F(ConfigVerb, WritesNoAdviceThatIsRefused) {
  const std::vector<std::string> budget{"run", "--budget", "0", "--", "true"};
  const Outcome typed = run(budget);
  EXPECT_EQ(typed.status, 3);
  EXPECT_THAT(typed.err, Not(HasSubstr("0s")));
  write("steelyard.toml", "[run]\nbudget = 0\n");
  const Outcome written = run({"config", "check"});
  EXPECT_EQ(written.status, 3);
  EXPECT_THAT(written.err, AllOf(HasSubstr("a duration with its unit"), Not(HasSubstr("0s"))));
  write("steelyard.toml", "[run]\nbudget = true\n");
  EXPECT_THAT(run({"config", "check"}).err, AllOf(HasSubstr("write for example \"2s\""), Not(HasSubstr("trues"))));
  write("steelyard.toml", "[run]\nbudget = 5\n");
  EXPECT_THAT(run({"config", "check"}).err, HasSubstr("write \"5s\" if seconds are meant"));
}

}  // namespace
}  // namespace steelyard::ci::config_verb_test

#include "ci/grammar/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace steelyard::ci::command_line_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct WeighOptions {
  std::vector<std::string> names;
  std::vector<std::string> rest;
  std::filesystem::path output;
  std::string chart;
  bool has_chart = false;
  std::vector<std::string> labels;
  std::optional<std::uint64_t> seed;
};

Result<ExitCode> run_weigh(const WeighOptions&, const App&) { return ExitCode::success; }

// A verb with one option of every kind.
class CommandLine : public ::testing::Test {
 protected:
  CommandLine() {
    for (const char* name : {"weigh", "other"}) {
      Verb verb = make_verb(options_, run_weigh, name, "Weighs LEFT against RIGHT. It does.", "  steelyard weigh a b");
      verb.names = {"LEFT", "[RIGHT]"};
      verb.min_names = 1;
      verb.takes_rest = std::string_view(name) == "weigh";
      verb.take = [options = options_](Words words) -> Result<void> {
        options->names = std::move(words.names);
        options->rest = std::move(words.rest);
        return {};
      };
      verb.add(path_option("--output", "FILE", options_->output, "write there"));
      VerbOption chart = text_option("--chart", "[FILE]", options_->chart, "draw");
      chart.set = [options = options_](const std::string& text) -> Result<void> {
        options->has_chart = true;
        options->chart = text;
        return {};
      };
      chart.takes = [](const std::string& word, std::size_t names) { return word.ends_with(".svg") || names > 1; };
      verb.add(chart);
      verb.add(repeated_option("--label", "TEXT", options_->labels, "of it"));
      verb.add(seed_option(options_->seed));
      add_key_options(verb, {{"policy"}, {"--gates"}});
      add_common_options(verb);
      common_ = verb.common;
      verbs_.insert(verbs_.begin(), std::move(verb));
    }
    common_ = verbs_.back().common;
  }

  const Verb* parsed(const std::vector<std::string>& arguments) {
    const Result<ParsedCommand> command = parse_command_line(verbs_, arguments);
    EXPECT_TRUE(command) << command.error().text();
    return command ? command->verb : nullptr;
  }
  std::string text_of(const std::vector<std::string>& arguments) {
    const Result<ParsedCommand> command = parse_command_line(verbs_, arguments);
    return command ? command->text : command.error().text();
  }
  std::string error_of(const std::vector<std::string>& arguments) {
    const Result<ParsedCommand> command = parse_command_line(verbs_, arguments);
    return command ? "" : command.error().text();
  }
  std::map<std::string, std::string> overrides_of(const Verb& verb) {
    std::map<std::string, std::string> overrides;
    for (const Override& change : verb.common->overrides) overrides[std::string(change.key->name)] = change.text;
    return overrides;
  }

  std::shared_ptr<WeighOptions> options_ = std::make_shared<WeighOptions>();
  std::shared_ptr<CommonOptions> common_;
  std::vector<Verb> verbs_;
};

TEST_F(CommandLine, LeavesWhatFollowsTheDashesToTheProgram) {
  const Verb* verb = parsed({"weigh", "old", "new", "--quiet", "--", "--json", "--help", "--", "x"});
  ASSERT_NE(verb, nullptr);
  EXPECT_THAT(options_->rest, ElementsAre("--json", "--help", "--", "x"));
  EXPECT_TRUE(verb->common->quiet);
  EXPECT_FALSE(verb->common->json);
  EXPECT_THAT(error_of({"other", "a", "b", "--", "c"}), HasSubstr("arguments after --"));
}

TEST_F(CommandLine, TakesNamesThatAreAlsoVerbs) {
  const Verb* verb = parsed({"weigh", "other", "weigh"});
  ASSERT_NE(verb, nullptr);
  EXPECT_EQ(verb->name, "weigh");
  EXPECT_THAT(options_->names, ElementsAre("other", "weigh"));
}

TEST_F(CommandLine, AddsListsUpAndLetsTheLastOfOtherOptionsHold) {
  const Verb* verb =
      parsed({"weigh", "--metric", "real_time", "a", "--metric=cpu_time", "b", "--margin", "1%", "--margin", "3%"});
  ASSERT_NE(verb, nullptr);
  EXPECT_EQ(overrides_of(*verb),
            (std::map<std::string, std::string>{{"metrics", "real_time,cpu_time"}, {"margin", "3%"}}));
  EXPECT_THAT(options_->names, ElementsAre("a", "b"));
}

TEST_F(CommandLine, GivesARepeatedOptionEachOfItsTextsWhole) {
  parsed({"weigh", "a", "--label", "x,y", "--label=z"});
  EXPECT_THAT(options_->labels, ElementsAre("x,y", "z"));
}

TEST_F(CommandLine, KeepsEverySeedWhole) {
  parsed({"weigh", "a", "b", "--seed", "18446744073709551615"});
  EXPECT_EQ(options_->seed, 18446744073709551615ULL);
}

TEST_F(CommandLine, TakesTheNextWordAsAValueWhateverItLooksLike) {
  parsed({"weigh", "a", "--output", "--json"});
  EXPECT_EQ(options_->output, "--json");
  parsed({"weigh", "a", "--output=", "b"});
  EXPECT_EQ(options_->output, "b");
}

TEST_F(CommandLine, AValueMayBeLeftOutBeforeAnOptionAndAtTheEnd) {
  parsed({"weigh", "a", "--chart", "--json"});
  EXPECT_TRUE(options_->has_chart);
  EXPECT_EQ(options_->chart, "");
  parsed({"weigh", "a", "b", "--chart"});
  EXPECT_EQ(options_->chart, "");
  parsed({"weigh", "a", "b", "--chart", "c"});
  EXPECT_EQ(options_->chart, "c");
  EXPECT_THAT(options_->names, ElementsAre("a", "b"));
}

TEST_F(CommandLine, GivesAWordThatIsNoValueBackToTheNamesInItsPlace) {
  parsed({"weigh", "--chart", "a", "b"});
  EXPECT_TRUE(options_->has_chart);
  EXPECT_EQ(options_->chart, "");
  EXPECT_THAT(options_->names, ElementsAre("a", "b"));
  parsed({"weigh", "a", "--chart", "b"});
  EXPECT_THAT(options_->names, ElementsAre("a", "b"));
  parsed({"weigh", "--chart", "x.svg", "b"});
  EXPECT_EQ(options_->chart, "x.svg");
  EXPECT_THAT(options_->names, ElementsAre("b"));
  parsed({"weigh", "--chart=a", "b"});
  EXPECT_EQ(options_->chart, "a");
  EXPECT_THAT(options_->names, ElementsAre("b"));
}

TEST_F(CommandLine, RefusesTooFewAndTooManyNames) {
  EXPECT_THAT(error_of({"weigh"}), HasSubstr("found nothing, wanted LEFT [RIGHT]; see steelyard weigh --help"));
  EXPECT_THAT(error_of({"weigh", "a", "b", "c"}), HasSubstr("found \"a b c\", wanted LEFT [RIGHT]"));
  EXPECT_THAT(error_of({}), HasSubstr("no verb"));
  EXPECT_THAT(error_of({"--", "a"}), HasSubstr("no verb"));
}

TEST_F(CommandLine, RefusesAnOptionWithoutItsValueAndABadOne) {
  EXPECT_EQ(error_of({"weigh", "a", "--output"}),
            "steelyard weigh: --output: 1 required TEXT missing; see steelyard weigh --help");
  EXPECT_THAT(error_of({"weigh", "a", "--color", "green"}), HasSubstr("green"));
  EXPECT_THAT(error_of({"weigh", "a", "--seed", "soon"}), HasSubstr("soon"));
  EXPECT_EQ(error_of({"weigh", "a", "--color", "green", "--color", "auto"}), "");
}

TEST_F(CommandLine, AFlagTakesTrueAndFalseAndNothingElse) {
  EXPECT_TRUE(parsed({"weigh", "a", "--quiet=true"})->common->quiet);
  EXPECT_FALSE(parsed({"other", "a", "--quiet=false"})->common->quiet);
  EXPECT_THAT(error_of({"weigh", "a", "--json=maybe"}), HasSubstr("Could not convert: --json = maybe"));
  EXPECT_EQ(error_of({"weigh", "a", "--json", "--json"}), "");
}

TEST_F(CommandLine, NamesTheFirstUnknownOptionBeforeAnythingElseThatIsWrong) {
  EXPECT_THAT(error_of({"weigh", "--bananas=3", "--pears", "--seed", "soon"}), HasSubstr("\"--bananas\""));
  EXPECT_THAT(error_of({"weigh", "a", "-5"}), HasSubstr("unknown option \"-5\""));
  EXPECT_THAT(error_of({"weigh", "a", "-"}), IsEmpty());
  EXPECT_THAT(error_of({"weihg", "a"}), HasSubstr("unknown verb \"weihg\", wanted a known one; did you mean weigh?"));
  EXPECT_THAT(error_of({"--json", "weigh", "a"}), HasSubstr("unknown option \"--json\""));
}

TEST_F(CommandLine, HelpWinsOverNamesThatAreMissing) {
  EXPECT_THAT(text_of({"weigh", "--help"}), HasSubstr("Usage: steelyard weigh [options] LEFT [RIGHT]"));
  EXPECT_THAT(text_of({"--help", "weigh"}), HasSubstr("Usage: steelyard weigh"));
  EXPECT_THAT(text_of({"weigh", "--bananas", "-h"}), HasSubstr("Usage: steelyard weigh"));
  EXPECT_THAT(text_of({"-h"}), HasSubstr("\n  weigh                       Weighs LEFT against RIGHT.\n"));
  EXPECT_EQ(text_of({"--version"}), std::string(kToolName) + "\n");
}

}  // namespace
}  // namespace steelyard::ci::command_line_test

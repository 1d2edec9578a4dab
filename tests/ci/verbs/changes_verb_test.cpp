#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/ci/verbs/program_under_test.hpp"

namespace steelyard::ci::changes_verb_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ChangesVerb : public ProgramUnderTest {
 protected:
  // A level of 100 that is multiplied by `step` at `at`, with a small noise that is no random one.
  static json series(const std::string& name, double step, int at, int size = 40) {
    json values = json::array();
    json commits = json::array();
    std::uint32_t state = 12345;
    for (const char c : name) state = state * 31 + static_cast<unsigned char>(c);
    for (int i = 0; i < size; ++i) {
      state = state * 1664525U + 1013904223U;
      const double noise = static_cast<double>(state >> 8) / (1 << 24) - 0.5;
      values.push_back(100 * (i >= at ? step : 1) * (1 + 0.01 * noise));
      commits.push_back("c" + std::to_string(i));
    }
    return {{"name", name}, {"unit", "ns"}, {"better", "lower"}, {"commits", commits}, {"values", values}};
  }
  static json judged(const json& input, int status = 0, const std::vector<std::string>& more = {}) {
    write("in.json", input.dump());
    std::vector<std::string> arguments{"changes", "--json", "--input", "in.json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, status) << outcome.err;
    return json::parse(outcome.out);
  }
};

TEST_F(ChangesVerb, FindsAStepAndSaysWhereAndHowMuch) {
  const json found = judged(series("sort", 1.1, 25));
  EXPECT_EQ(found["schema"], "steelyard.changes/1");
  ASSERT_EQ(found["series"].size(), 1U);
  EXPECT_EQ(found["series"][0]["name"], "sort");
  ASSERT_EQ(found["series"][0]["change_points"].size(), 1U);
  const json& point = found["series"][0]["change_points"][0];
  EXPECT_EQ(point["index"], 25);
  EXPECT_EQ(point["commit"], "c25");
  EXPECT_EQ(point["last_good"], "c24");
  EXPECT_EQ(point["status"], "confirmed");
  EXPECT_EQ(point["verdict"], "regression");
  EXPECT_NEAR(point["ratio"], 1.1, 0.01);
  EXPECT_LT(point["p"], 0.001);
  EXPECT_FALSE(point["id"].get<std::string>().empty());
  ASSERT_EQ(found["findings"].size(), 1U);
  EXPECT_EQ(found["findings"][0]["commit"], "c25");
}

TEST_F(ChangesVerb, KeepsTheOrderOfTheInputAndCallsALoneNewValueSuspected) {
  const json found = judged(json::array({series("b", 1, 0), series("a", 1.2, 39), series("c", 0.9, 10)}));
  ASSERT_EQ(found["series"].size(), 3U);
  EXPECT_EQ(found["series"][0]["change_points"].size(), 0U);
  ASSERT_EQ(found["series"][1]["change_points"].size(), 1U);
  EXPECT_EQ(found["series"][1]["change_points"][0]["status"], "suspected");
  EXPECT_EQ(found["series"][2]["change_points"][0]["verdict"], "improvement");
}

TEST_F(ChangesVerb, GroupsWhatOneCommitCanExplain) {
  const json found = judged(json::array({series("a", 1.1, 25), series("b", 1.2, 25), series("c", 1.1, 10)}));
  ASSERT_EQ(found["findings"].size(), 2U);
  EXPECT_EQ(found["findings"][0]["commit"], "c25");
  EXPECT_EQ(found["findings"][0]["changes"].size(), 2U);
  EXPECT_EQ(found["findings"][0]["changes"][0]["name"], "b") << "the largest first";
  EXPECT_EQ(found["findings"][1]["commit"], "c10");
}

TEST_F(ChangesVerb, SaysThatAMachineMovedWhereAllItsSeriesMoveAlike) {
  json all = json::array();
  for (int i = 0; i < 6; ++i) all.push_back(series("s" + std::to_string(i), 1.1 + 0.01 * i, 20));
  const json found = judged(all, 2, {"--fail-on-regression"});
  ASSERT_EQ(found["findings"].size(), 1U);
  EXPECT_EQ(found["findings"][0]["shared"], 1.0);
  EXPECT_EQ(found["findings"][0]["cause"], "machine");
  EXPECT_EQ(found["series"][0]["change_points"][0]["cause"], "machine");
  EXPECT_EQ(found["series"][0]["change_points"][0]["verdict"], "regression") << "the verdict stays";
  const Outcome text = run({"changes", "--input", "in.json"});
  EXPECT_THAT(text.out, AllOf(HasSubstr("100 % of the benchmarks of the machine moved alike and none surely stayed"),
                              HasSubstr("likely the machine, or a commit that touches all: 6 regressions  at c20"),
                              HasSubstr("6 of these likely a machine's"), HasSubstr("to tell: steelyard ab c19 c20")));
}

TEST_F(ChangesVerb, AnotherMachineIsNoRegression) {
  json one = series("a", 1.5, 20);
  for (int i = 0; i < 40; ++i) one["machines"].push_back(i < 20 ? "old" : "new");
  const json found = judged(one, 0, {"--fail-on-regression"});
  EXPECT_EQ(found["series"][0]["change_points"].size(), 0U);
}

TEST_F(ChangesVerb, FailsOnlyWhereAskedAndWhereTheRegressionStands) {
  judged(series("a", 1.1, 25), 0);
  judged(series("a", 1.1, 25), 1, {"--fail-on-regression"});
  json fixed = series("a", 1.1, 15, 45);
  for (std::size_t i = 30; i < 45; ++i) fixed["values"][i] = fixed["values"][i].get<double>() / 1.1;
  judged(fixed, 0, {"--fail-on-regression"});
  judged(series("a", 1.1, 25), 0, {"--fail-on-regression", "--minimum-effect", "20%"});
}

// One level after the other, each of 15 values.
json levels(json series, const std::vector<double>& factors) {
  for (std::size_t i = 0; i < series["values"].size(); ++i) {
    series["values"][i] = series["values"][i].get<double>() * factors[i / 15];
  }
  return series;
}

TEST_F(ChangesVerb, ARegressionStandsUntilItsLevelIsTakenBackWhateverElseImproves) {
  const std::vector<std::string> fail{"--fail-on-regression"};
  const json partly = judged(levels(series("a", 1, 0, 45), {1, 1.1, 1.07}), 1, fail);
  ASSERT_EQ(partly["series"][0]["change_points"].size(), 2U) << partly;
  EXPECT_FALSE(partly["series"][0]["change_points"][0].contains("taken_back_by"));
  const json whole = judged(levels(series("a", 1, 0, 60), {1, 1.1, 1.07, 1}), 0, fail);
  ASSERT_EQ(whole["series"][0]["change_points"].size(), 3U) << whole;
  const json& point = whole["series"][0]["change_points"][0];
  const json& mend = whole["series"][0]["change_points"][2];
  EXPECT_EQ(point["taken_back_at"], mend["index"]);
  EXPECT_EQ(point["taken_back_by"], mend["commit"]);
  EXPECT_FALSE(mend.contains("taken_back_at"));
  const Outcome told = run({"changes", "--input", "in.json", "--markdown", "out.md"});
  const std::string words = "confirmed, taken back by " + mend["commit"].get<std::string>();
  EXPECT_THAT(told.out, HasSubstr(words));
  EXPECT_THAT(text_of("out.md"), HasSubstr(words));
  judged(levels(series("a", 1, 0, 60), {1, 1.1, 1, 1.1}), 1, fail);
  judged(levels(series("a", 1, 0, 60), {1, 1.1, 1.2, 1.1}), 1, fail);
  json nameless = levels(series("a", 1, 0, 45), {1, 1.1, 1});
  nameless.erase("commits");
  EXPECT_TRUE(judged(nameless, 0, fail)["series"][0]["change_points"][0]["taken_back_by"].is_null());
  EXPECT_THAT(run({"changes", "--input", "in.json"}).out, HasSubstr("confirmed, taken back at index "));
}

TEST_F(ChangesVerb, ARegressionOfOneMachineStandsThoughAnotherMachineImprovedLater) {
  json both = series("a", 1, 0, 80);
  for (std::size_t i = 0; i < 80; ++i) {
    const bool is_old = i % 2 == 0;
    both["machines"].push_back(is_old ? "old" : "new");
    const double step = is_old ? (i >= 30 ? 1.2 : 1) : (i >= 50 ? 0.8 : 1);
    both["values"][i] = both["values"][i].get<double>() * step;
  }
  judged(both, 1, {"--fail-on-regression"});
}

TEST_F(ChangesVerb, AnswersForWhateverStandsInASeries) {
  json huge = series("huge", 1, 0);
  for (auto& value : huge["values"]) value = value.get<double>() * 1e305;
  json negative = series("negative", 1.1, 20);
  for (auto& value : negative["values"]) value = -value.get<double>();
  json samples = {{"values", json::array({json::array({1, 2, 3}), json::array(), nullptr})}};
  json constant = {{"values", std::vector<double>(50, 7.0)}};
  json single = {{"values", {1}}};
  const json found = judged(json::array({huge, negative, samples, constant, single, {{"values", json::array()}}}));
  EXPECT_EQ(found["series"].size(), 6U);
  EXPECT_EQ(found["series"][3]["change_points"].size(), 0U);
  EXPECT_EQ(judged(json::array())["series"].size(), 0U);
  for (const char* form : {"in.json", "-"}) {
    EXPECT_EQ(run({"changes", "--input", form}).status, form[0] == '-' ? 3 : 0);  // an empty stream is no JSON
  }
}

TEST_F(ChangesVerb, RefusesABadFileWithItsPlaceAndAMixOfSources) {
  write("in.json", R"([{"values":[1,2]},{"name":"x","values":["y"]}])");
  const Outcome bad = run({"changes", "--input", "in.json"});
  EXPECT_EQ(bad.status, 3);
  EXPECT_THAT(bad.err, HasSubstr("in.json: series 2 (x): values[0]"));
  EXPECT_EQ(run({"changes", "--input", "missing.json"}).status, 3);
  EXPECT_EQ(run({"changes", "Sort", "--input", "in.json"}).status, 3);
  EXPECT_THAT(run({"changes", "--help"}).out, HasSubstr("steelyard changes --json --input series.json"));
}

TEST_F(ChangesVerb, ASteadyDriftIsNoStepAndIsNotCalledUnchanged) {
  json drifting = series("slow", 1, 0, 60);
  for (std::size_t i = 0; i < 60; ++i) {
    drifting["values"][i] = drifting["values"][i].get<double>() * (1 + 0.01 * static_cast<double>(i));
  }
  const json found = judged(json::array({drifting, series("still", 1, 0), series("step", 1.1, 25)}), 1,
                            {"--fail-on-regression", "--markdown", "out.md"});
  ASSERT_TRUE(found["series"][0]["change_points"].empty());
  ASSERT_EQ(found["series"][0]["drifts"].size(), 1U) << found;
  const json& drift = found["series"][0]["drifts"][0];
  EXPECT_NEAR(drift["ratio"].get<double>(), 1.59, 0.02);
  EXPECT_EQ(drift["first"], 0);
  EXPECT_EQ(drift["last"], 59);
  EXPECT_GT(drift["z"].get<double>(), 3.29);
  EXPECT_FALSE(found["series"][1].contains("drifts"));
  EXPECT_FALSE(found["series"][2].contains("drifts")) << "what has a step is told by it";
  const std::string told = "slow: no step, but it drifted +5";
  EXPECT_THAT(text_of("out.md"), HasSubstr(told));
  const Outcome text = run({"changes", "--input", "in.json"});
  EXPECT_THAT(text.out, AllOf(HasSubstr(told), HasSubstr("from first to last (99.7 ns to 159 ns)"),
                              HasSubstr("1 without a change, 1 drifted without a step")));
  judged(drifting, 0, {"--fail-on-regression"});
}

TEST_F(ChangesVerb, WritesMarkdownInWhichNoNameCanFormat) {
  write("in.json", series("a|b`c", 1.1, 25).dump());
  ASSERT_EQ(run({"changes", "--input", "in.json", "--markdown", "out.md", "--quiet"}).status, 0);
  EXPECT_THAT(text_of("out.md"), AllOf(HasSubstr("## 1 finding in 1 series"), HasSubstr("### 1 change at c25"),
                                       HasSubstr("``a\\|b`c``"), Not(HasSubstr("| a|b"))));
}

}  // namespace
}  // namespace steelyard::ci::changes_verb_test

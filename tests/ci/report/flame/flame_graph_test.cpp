#include "ci/report/flame/flame_graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/ci/report/flame/sample_profiles.hpp"

namespace steelyard::ci::flame_graph_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string html_of(const JoinedProfile& profile) {
  return html_flame_graph(profile, unfold(profile, StackLimits{}), {"BM_x/8", "old", "new"});
}

nlohmann::json data_of(const std::string& html) {
  const std::string start = "<script type=\"application/json\" id=\"data\">";
  const std::size_t at = html.find(start) + start.size();
  return nlohmann::json::parse(html.substr(at, html.find("</script>", at) - at));
}

// One root whose costs are these, in `iterations` of each side.
std::string_view tone_of(std::int64_t baseline, std::int64_t candidate, BySide<std::int64_t> iterations = {1, 1}) {
  const JoinedProfile profile = testkit::joined(testkit::sample_profile({{"f", baseline}}, {}, iterations[0]),
                                                testkit::sample_profile({{"f", candidate}}, {}, iterations[1]));
  return flame_tones().at(flame_tone(profile, unfold(profile, StackLimits{}).frames.at(1)));
}

TEST(FlameTone, SaysHowMuchAFrameGrewOrShrank) {
  EXPECT_EQ(tone_of(1000, 1000), "plain");
  EXPECT_EQ(tone_of(1000, 1001), "grew-1");
  EXPECT_EQ(tone_of(1000, 1030), "grew-2");
  EXPECT_EQ(tone_of(1000, 1100), "grew-3");
  EXPECT_EQ(tone_of(1000, 9000), "grew-4");
  EXPECT_EQ(tone_of(0, 1000), "grew-5");
  EXPECT_EQ(tone_of(1001, 1000), "shrank-1");
  EXPECT_EQ(tone_of(1000, 800), "shrank-4");
  EXPECT_EQ(tone_of(1000, 0), "shrank-5");
}

TEST(FlameTone, CountsOfOtherIterationsAreComparedAnIteration) {
  EXPECT_EQ(tone_of(1000, 2000, {10, 20}), "plain");
  // 100 and 100.05 an iteration: one instruction of sharing out.
  EXPECT_EQ(tone_of(1000, 2001, {10, 20}), "plain");
  EXPECT_EQ(tone_of(1000, 2010, {10, 20}), "grew-1");
}

TEST(FlameTone, OfOneProfileSaysWhoseCodeItIs) {
  CountedProfile profile = testkit::sample_profile({{"f", 5}, {"memcpy", 5}}, {});
  profile.functions[1].object = "/usr/lib/x86_64-linux-gnu/libc.so.6";
  const JoinedProfile joined = testkit::joined(profile);
  const StackTree tree = unfold(joined, StackLimits{});
  EXPECT_EQ(flame_tones().at(flame_tone(joined, tree.frames.at(0))), "other");
  for (const std::size_t i : {1U, 2U}) {
    const std::string wanted = frame_name(joined, tree.frames.at(i)) == "f" ? "own-" : "lib-";
    EXPECT_TRUE(flame_tones().at(flame_tone(joined, tree.frames.at(i))).starts_with(wanted)) << wanted;
  }
}

TEST(FlameHtml, HasTheTreeAndTheExactCostsOfFunctions) {
  const nlohmann::json data = data_of(html_of(testkit::joined(testkit::diamond())));
  EXPECT_EQ(data.at("event"), "Ir");
  EXPECT_TRUE(data.at("sides").at(0).is_null());
  EXPECT_EQ(data.at("sides").at(1).at("total"), 160);
  ASSERT_EQ(data.at("frames").size(), 6U * 4);
  EXPECT_EQ(data.at("functions").size(), 4U);
  EXPECT_EQ(data.at("functions").at(2).at("name"), "shared");
  EXPECT_EQ(data.at("functions").at(2).at("costs"), nlohmann::json::parse("[null,[100,100,2]]"));
}

TEST(FlameHtml, NeedsNothingBesideItself) {
  const std::string html = html_of(testkit::joined(testkit::diamond()));
  for (const char* reference : {"src=", "href=", "@import", "url(", "fetch(", "XMLHttpRequest", "http:", "https:"}) {
    EXPECT_THAT(html, Not(HasSubstr(reference)));
  }
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
}

TEST(FlameHtml, NoNameEndsTheScriptOrIsCutInTwoWordsOfThePage) {
  const std::string hostile = "</script><b>@script@ @data@";
  const std::string html = html_flame_graph(testkit::joined(testkit::sample_profile({{hostile, 5}}, {})),
                                            unfold(testkit::joined(testkit::sample_profile({{hostile, 5}}, {})), {}),
                                            {"@data@ <title>", "", "new"});
  EXPECT_EQ(data_of(html).at("functions").at(0).at("name"), hostile);
  EXPECT_THAT(html, AllOf(Not(HasSubstr("</script><b>")), HasSubstr("<h1>@data@ &lt;title&gt;</h1>")));
}

TEST(FlameHtml, IsBoundedWhateverTheNames) {
  std::vector<testkit::SampleFunction> functions;
  for (int i = 0; i < 50; ++i) functions.push_back({std::string(20'000, 'x') + std::to_string(i), 5});
  EXPECT_LT(html_of(testkit::joined(testkit::sample_profile(functions, {}))).size(), 200'000U);
}

TEST(FlameSvg, DrawsByTheCandidateAndListsWhatIsGone) {
  const JoinedProfile profile = testkit::joined(testkit::sample_profile({{"gone_one", 300}, {"f", 100}}, {}),
                                                testkit::sample_profile({{"f", 110}}, {}));
  const std::string svg = svg_flame_graph(profile, unfold(profile, StackLimits{}), {"BM_x/8", "old", "new"});
  EXPECT_THAT(svg, AllOf(HasSubstr("400 in the baseline, 110 in the candidate"), HasSubstr("f  +10.0 %"),
                         HasSubstr("this frame: 110, baseline 100, change +10 (+10.0 %)\n"),
                         HasSubstr("Only in the baseline: gone_one, self 300"), HasSubstr("+ grew"),
                         Not(HasSubstr("<script"))));
}

TEST(FlameSvg, TooltipsHavePlaceOldNameAndChange) {
  JoinedProfile profile =
      testkit::joined(testkit::sample_profile({{"f", 100}}, {}, 2), testkit::sample_profile({{"f", 101}}, {}, 2));
  profile.functions.front().renamed_from = "old<f>";
  const std::string svg = svg_flame_graph(profile, unfold(profile, StackLimits{}), {"BM_x/8", "old", "new"});
  EXPECT_THAT(svg, HasSubstr("<title>f\nwas old&lt;f&gt;\n/src/sample.cpp:7, /build/bench\n"));
  EXPECT_THAT(svg, HasSubstr("function, self: 50.50, baseline 50, change +0.50\n"));
}

TEST(FlameSvg, AChangeTooSmallForDigitsLeavesTheMarkupWhole) {
  const JoinedProfile profile = testkit::joined(testkit::sample_profile({{"f", 1'000'000}, {"g", 1'000'001}}, {}),
                                                testkit::sample_profile({{"f", 1'000'001}, {"g", 1'000'000}}, {}));
  const std::string svg = svg_flame_graph(profile, unfold(profile, StackLimits{}), {"BM_x/8", "old", "new"});
  EXPECT_THAT(svg, AllOf(HasSubstr("(+&lt;0.01 %)"), HasSubstr("(-&lt;0.01 %)"), Not(HasSubstr("<0"))));
}

TEST(FlameSvg, ThePictureInTheDocumentsIsWhatItsCommandDraws) {
  const JoinedProfile profile = testkit::joined(testkit::corpus("08_recursion/merged.callgrind.out").front());
  std::ifstream stream(std::string(STEELYARD_SOURCE_FOLDER) + "/docs/guide/flame_graph.svg", std::ios::binary);
  const std::string documented{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_EQ(svg_flame_graph(profile, unfold(profile, StackLimits{}), {"merged.callgrind.out", "", ""}), documented)
      << "write it anew: the command stands in docs/guide/profiles.md";
}

TEST(FlameSvg, OfNothingIsAPictureAllTheSame) {
  CountedProfile empty;
  empty.events = {"Ir"};
  const JoinedProfile profile = testkit::joined(empty);
  EXPECT_THAT(svg_flame_graph(profile, unfold(profile, {}), {"nothing", "", ""}), HasSubstr("0 Ir"));
}

TEST(ChangeCaption, NamesTheSidesByTheirCommits) {
  steelyard::RunHeader baseline, candidate;
  baseline.commit.sha = std::string(40, 'b');
  const FlameCaption caption = change_caption("BM_a", baseline, candidate);
  EXPECT_EQ(caption.baseline_name, "bbbbbbbbb");
  EXPECT_EQ(caption.candidate_name, "candidate");
}

}  // namespace
}  // namespace steelyard::ci::flame_graph_test

#include "ci/report/flame/speedscope.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/ci/report/flame/sample_profiles.hpp"

namespace steelyard {
namespace {

using Json = nlohmann::json;

// What the published schema demands of a file with sampled profiles, and what its types say beyond it.
void expect_valid(const Json& file) {
  EXPECT_EQ(file.at("$schema"), "https://www.speedscope.app/file-format-schema.json");
  for (const auto& [key, ignored] : file.items()) {
    EXPECT_THAT((std::vector<std::string>{"$schema", "activeProfileIndex", "exporter", "name", "profiles", "shared"}),
                ::testing::Contains(key));
  }
  ASSERT_TRUE(file.at("exporter").is_string());
  const Json& frames = file.at("shared").at("frames");
  ASSERT_TRUE(frames.is_array());
  for (const Json& frame : frames) {
    EXPECT_TRUE(frame.at("name").is_string());
    EXPECT_TRUE(!frame.contains("file") || frame.at("file").is_string());
    EXPECT_TRUE(!frame.contains("line") || frame.at("line").is_number());
  }
  ASSERT_LT(file.at("activeProfileIndex").get<std::size_t>(), file.at("profiles").size());
  for (const Json& profile : file.at("profiles")) {
    EXPECT_EQ(profile.at("type"), "sampled");
    EXPECT_TRUE(profile.at("name").is_string());
    EXPECT_EQ(profile.at("unit"), "none");
    EXPECT_LE(profile.at("startValue"), profile.at("endValue"));
    ASSERT_EQ(profile.at("samples").size(), profile.at("weights").size());
    std::int64_t sum = 0;
    for (const Json& weight : profile.at("weights")) sum += weight.get<std::int64_t>();
    EXPECT_EQ(sum, profile.at("endValue").get<std::int64_t>() - profile.at("startValue").get<std::int64_t>());
    for (const Json& stack : profile.at("samples")) {
      EXPECT_FALSE(stack.empty());
      for (const Json& frame : stack) EXPECT_LT(frame.get<std::size_t>(), frames.size());
    }
  }
}

TEST(Speedscope, HasTheStacksAndTheirWeights) {
  const JoinedProfile profile = testing::joined(testing::diamond());
  const Json file = Json::parse(speedscope_json(profile, unfold(profile, {}), "BM_sample"));
  expect_valid(file);
  EXPECT_EQ(file.at("name"), "BM_sample");
  const Json& sampled = file.at("profiles").at(0);
  EXPECT_EQ(sampled.at("endValue"), 160);
  EXPECT_EQ(sampled.at("samples"), Json::parse("[[0],[0,1],[0,1,3],[0,2],[0,2,3]]"));
  EXPECT_EQ(sampled.at("weights"), Json::parse("[10,20,75,30,25]"));
  EXPECT_EQ(file.at("shared").at("frames").at(1), Json::parse(R"({"name":"left","file":"/src/sample.cpp","line":7})"));
}

TEST(Speedscope, ADifferenceIsTwoProfilesOverOneListOfFrames) {
  const JoinedProfile profile = testing::joined(testing::diamond(), testing::sample_profile({{"main", 4}}, {}));
  const Json file = Json::parse(speedscope_json(profile, unfold(profile, {}), "BM_sample"));
  expect_valid(file);
  ASSERT_EQ(file.at("profiles").size(), 2U);
  EXPECT_EQ(file.at("profiles").at(0).at("endValue"), 160);
  EXPECT_EQ(file.at("profiles").at(1).at("endValue"), 4);
  EXPECT_EQ(file.at("activeProfileIndex"), 1);
}

TEST(Speedscope, GoldenCorpusAddsUpToEachFunctionsSelf) {
  const CountedProfile part = testing::corpus("01_names/compressed.callgrind.out").front();
  const JoinedProfile profile = testing::joined(part);
  const Json file = Json::parse(speedscope_json(
      profile, unfold(profile, {.most_frames = 1'000'000, .greatest_depth = 1'000'000, .least_share = 0}), "names"));
  expect_valid(file);
  std::map<std::size_t, std::int64_t> found;
  const Json& sampled = file.at("profiles").at(0);
  for (std::size_t i = 0; i < sampled.at("samples").size(); ++i) {
    found[sampled.at("samples").at(i).back().get<std::size_t>()] += sampled.at("weights").at(i).get<std::int64_t>();
  }
  for (std::size_t i = 0; i < profile.functions.size(); ++i) {
    EXPECT_EQ(found[i], profile.functions[i].costs.at(kCandidateSide).self) << profile.functions[i].name;
  }
}

TEST(Speedscope, BytesThatAreNoTextAreReplaced) {
  const JoinedProfile profile = testing::joined(testing::sample_profile({{"\xff\"</script>", 4}}, {}));
  expect_valid(Json::parse(speedscope_json(profile, unfold(profile, {}), "x")));
}

}  // namespace
}  // namespace steelyard

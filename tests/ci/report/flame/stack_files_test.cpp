#include <array>
#include <cstdio>
#include <limits>
#include <map>
#include <optional>
#include <regex>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "bench/counting/reader/callgrind_reader.hpp"
#include "ci/report/flame/stack_files.hpp"
#include "tests/bench/profile/decoded_message.hpp"
#include "tests/bench/runner/temporary_folder.hpp"
#include "tests/ci/report/flame/sample_profiles.hpp"
#include "tests/promised.hpp"

namespace steelyard::ci::stack_files_test {
namespace {

struct Line {
  std::vector<std::string> stack;
  std::vector<std::int64_t> costs;
};

// Strict: every line is frames joined by ';', then `columns` whole numbers; no empty frame, no other character that
// flamegraph.pl would take for a separator.
std::optional<std::vector<Line>> read_folded(const std::string& text, int columns) {
  const std::regex form(columns == 1 ? "([^;\\n]+(?:;[^;\\n]+)*) (\\d+)" : "([^;\\n]+(?:;[^;\\n]+)*) (\\d+) (\\d+)");
  std::vector<Line> lines;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string::npos) return std::nullopt;
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    std::smatch parts;
    if (!std::regex_match(line, parts, form)) return std::nullopt;
    Line& read = lines.emplace_back();
    std::string stack = parts[1];
    for (std::size_t cut; (cut = stack.find(';')) != std::string::npos; stack.erase(0, cut + 1)) {
      read.stack.push_back(stack.substr(0, cut));
    }
    read.stack.push_back(stack);
    for (int column = 0; column < columns; ++column) {
      read.costs.push_back(std::stoll(parts[static_cast<std::size_t>(column) + 2]));
    }
  }
  return lines;
}

TEST(FoldedStacks, OneLineForEachFrameWithCostOfItsOwn) {
  const JoinedProfile profile = testkit::joined(testkit::diamond());
  const Result<std::string> text = folded_stacks(profile, unfold(profile, {}));
  ASSERT_TRUE(text);
  EXPECT_EQ(*text,
            "main 10\n"
            "main;left 20\n"
            "main;left;shared 75\n"
            "main;right 30\n"
            "main;right;shared 25\n");
}

TEST(FoldedStacks, NamesKeepTheFormatsOwnCharactersOut) {
  const JoinedProfile profile = testkit::joined(testkit::sample_profile({{"a;b\nc\td", 5}, {"", 6}}, {}));
  const Result<std::string> text = folded_stacks(profile, unfold(profile, {}));
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, "??? 6\na:b c d 5\n");
  EXPECT_TRUE(read_folded(*text, 1));
}

TEST(FoldedStacks, GoldenCorpusReadBackAddsUpToEachFunctionsSelf) {
  for (const char* file :
       {"01_names/compressed.callgrind.out", "06_parts_toggle/callgrind.out.2", "08_recursion/merged.callgrind.out"}) {
    SCOPED_TRACE(file);
    const CountedProfile part = testkit::corpus(file).front();
    const JoinedProfile profile = testkit::joined(part);
    const Result<std::string> text =
        folded_stacks(profile, unfold(profile, {.max_frames = 1'000'000, .greatest_depth = 1'000'000, .min_share = 0}));
    ASSERT_TRUE(text);
    const auto lines = read_folded(*text, 1);
    ASSERT_TRUE(lines);
    std::map<std::string, std::int64_t> found;
    for (const Line& line : *lines) found[line.stack.back()] += line.costs.front();
    std::map<std::string, std::int64_t> wanted;
    for (const ProfiledFunction& function : part.functions) {
      if (function.self.front() != 0) wanted[function.name] += function.self.front();
    }
    EXPECT_EQ(found, wanted);
  }
}

TEST(FoldedStacks, OfADifferenceHaveTwoNumbersAtOneCountOfIterations) {
  const CountedProfile baseline = testkit::sample_profile({{"f", 100}}, {}, 10);
  const CountedProfile candidate = testkit::sample_profile({{"f", 300}, {"fresh", 15}}, {}, 15);
  const JoinedProfile profile = testkit::joined(baseline, candidate);
  const Result<std::string> text = folded_stacks(profile, unfold(profile, {}));
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, "f 300 600\nfresh 0 30\n");
  EXPECT_TRUE(read_folded(*text, 2));
}

TEST(FoldedStacks, ScalingBeyondItsTypeIsAnError) {
  const CountedProfile baseline =
      testkit::sample_profile({{"f", std::numeric_limits<std::int64_t>::max() / 2}}, {}, 10);
  const CountedProfile candidate = testkit::sample_profile({{"f", 3}}, {}, 997);
  const JoinedProfile profile = testkit::joined(baseline, candidate);
  EXPECT_FALSE(folded_stacks(profile, unfold(profile, {})));
}

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
  const JoinedProfile profile = testkit::joined(testkit::diamond());
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
  const JoinedProfile profile = testkit::joined(testkit::diamond(), testkit::sample_profile({{"main", 4}}, {}));
  const Json file = Json::parse(speedscope_json(profile, unfold(profile, {}), "BM_sample"));
  expect_valid(file);
  ASSERT_EQ(file.at("profiles").size(), 2U);
  EXPECT_EQ(file.at("profiles").at(0).at("endValue"), 160);
  EXPECT_EQ(file.at("profiles").at(1).at("endValue"), 4);
  EXPECT_EQ(file.at("activeProfileIndex"), 1);
}

TEST(Speedscope, GoldenCorpusAddsUpToEachFunctionsSelf) {
  const CountedProfile part = testkit::corpus("01_names/compressed.callgrind.out").front();
  const JoinedProfile profile = testkit::joined(part);
  const Json file = Json::parse(speedscope_json(
      profile, unfold(profile, {.max_frames = 1'000'000, .greatest_depth = 1'000'000, .min_share = 0}), "names"));
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
  const JoinedProfile profile = testkit::joined(testkit::sample_profile({{"\xff\"</script>", 4}}, {}));
  expect_valid(Json::parse(speedscope_json(profile, unfold(profile, {}), "x")));
}

// "root;leaf value", as a reader of profile.proto would take it.
std::vector<std::string> read_pprof(const std::string& bytes) {
  const auto decoded = bench::decoded_message(bytes);
  const auto varints = [](const std::string& packed) {
    std::vector<std::uint64_t> values;
    unsigned shift = 0;
    std::uint64_t value = 0;
    for (const char c : packed) {
      value |= std::uint64_t{static_cast<unsigned char>(c) & 0x7fU} << shift;
      shift += 7;
      if ((static_cast<unsigned char>(c) & 0x80U) != 0) continue;
      values.push_back(std::exchange(value, 0));
      shift = 0;
    }
    return values;
  };
  const std::vector<std::string>& texts = decoded.parts.at(6);
  EXPECT_EQ(texts.at(0), "");
  std::map<std::uint64_t, std::string> functions, locations;
  for (const std::string& one : decoded.parts.at(5)) {
    const auto function = bench::decoded_message(one);
    functions[function.number(1)] = texts.at(function.number(2));
  }
  for (const std::string& one : decoded.parts.at(4)) {
    const auto location = bench::decoded_message(one);
    locations[location.number(1)] = functions.at(bench::decoded_message(location.part(4)).number(1));
  }
  std::vector<std::string> lines;
  for (const std::string& one : decoded.parts.at(2)) {
    const auto sample = bench::decoded_message(one);
    std::string line;
    for (const std::uint64_t location : varints(sample.part(1))) {
      line.insert(0, locations.at(location) + (line.empty() ? "" : ";"));
    }
    lines.push_back(line + " " + std::to_string(varints(sample.part(2)).at(0)));
  }
  const auto type = bench::decoded_message(decoded.part(1));
  lines.push_back(texts.at(type.number(1)) + " " + texts.at(type.number(2)));
  return lines;
}

TEST(Pprof, HasTheStacksAndTheirCosts) {
  JoinedProfile profile = testkit::joined(testkit::diamond());
  const StackTree tree = unfold(profile, {});
  EXPECT_EQ(read_pprof(pprof_profile(profile, tree, 0)),
            (std::vector<std::string>{"main 10", "main;left 20", "main;left;shared 75", "main;right 30",
                                      "main;right;shared 25", "Ir count"}));
  profile.event = "ns";
  const std::string bytes = pprof_profile(profile, tree, 1'795'305'600'123'456'789);
  EXPECT_EQ(read_pprof(bytes).back(), "time nanoseconds");
  EXPECT_EQ(bench::decoded_message(bytes).number(9), 1'795'305'600'123'456'789U);
}

// What another program writes to its output and its errors.
std::string told_by(const std::string& command) {
  std::string told;
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return told;
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) told.append(buffer.data(), n);
  pclose(pipe);
  return told;
}

TEST(Pprof, IsReadByGosPprof) {
  if (told_by("command -v go").empty()) GTEST_SKIP() << "go is not installed, whose pprof reads these files";
  JoinedProfile profile = testkit::joined(testkit::diamond());
  profile.event = "ns";
  const testkit::TemporaryFolder folder;
  const auto file = folder.write("it.pb", pprof_profile(profile, unfold(profile, {}), 0), false);
  const std::string top = told_by("HOME='" + folder.path().string() +
                                  "' go tool pprof -symbolize=none -top -unit=ns '" + file.string() + "'");
  EXPECT_THAT(top, ::testing::HasSubstr("Showing nodes accounting for 160ns, 100% of 160ns total")) << top;
  for (const char* row : {"100ns 62.50% 62.50%      100ns 62.50%  shared", "20ns 12.50% 93.75%       95ns 59.38%  left",
                          "10ns  6.25%   100%      160ns   100%  main"}) {
    EXPECT_THAT(top, ::testing::HasSubstr(row));
  }
}

TEST(CallgrindFile, IsReadByCallgrindAnnotate) {
  STEELYARD_SKIP_WITHOUT("valgrind", !told_by("command -v callgrind_annotate").empty(), "valgrind is not installed");
  JoinedProfile profile = testkit::joined(testkit::diamond());
  profile.event = "ns";
  const StackTree tree = unfold(profile, {});
  const std::vector<std::int64_t> calls(tree.frames.size(), 2);
  const testkit::TemporaryFolder folder;
  const auto file = folder.write("callgrind.out.1", callgrind_file(profile, tree, calls, "it"), false);
  const std::string own = told_by("callgrind_annotate --threshold=100 '" + file.string() + "'");
  EXPECT_THAT(own, ::testing::ContainsRegex("160 \\(100.0%\\)  PROGRAM TOTALS")) << own;
  EXPECT_THAT(own, ::testing::ContainsRegex("100 \\(62.50%\\)  [?]+:shared"));
  EXPECT_THAT(own, ::testing::ContainsRegex("10 \\( 6.25%\\)  [?]+:main"));
  const std::string inclusive = told_by("callgrind_annotate --inclusive=yes --threshold=100 '" + file.string() + "'");
  EXPECT_THAT(inclusive, ::testing::ContainsRegex("160 \\(100.0%\\)  [?]+:main")) << inclusive;
  EXPECT_THAT(inclusive, ::testing::ContainsRegex("95 \\(59.38%\\)  [?]+:left"));
}

// Read back by our own reader, which is held to valgrind's files.
TEST(CallgrindFile, HasEachFunctionAndWhatItCalled) {
  JoinedProfile profile = testkit::joined(testkit::diamond());
  const StackTree tree = unfold(profile, {});
  for (JoinedFunction& function : profile.functions) function.name += "\nfn=(1)";
  const std::vector<std::int64_t> calls(tree.frames.size(), 2);
  const auto parts = bench::parse_callgrind(callgrind_file(profile, tree, calls, "two\nlines"), "it");
  ASSERT_TRUE(parts) << parts.error().text();
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> found;
  for (const auto& one : parts->at(0).functions) found[one.name] = {one.self.at(0), one.inclusive.at(0)};
  const std::map<std::string, std::pair<std::int64_t, std::int64_t>> wanted{
      {"main fn=(1)", {10, 160}}, {"left fn=(1)", {20, 95}}, {"right fn=(1)", {30, 55}}, {"shared fn=(1)", {100, 100}}};
  EXPECT_EQ(found, wanted);
  EXPECT_EQ(parts->at(0).totals.at(0), 160);
}

TEST(CallgrindFile, OfRecursionHasTheOutermostCost) {
  JoinedProfile profile;
  profile.event = "ns";
  profile.totals.at(kCandidateSide) = 60;
  profile.functions.resize(1);
  profile.functions[0].name = "f";
  StackTree tree;
  tree.frames.push_back({});
  for (std::uint32_t depth = 1; depth <= 3; ++depth) {
    tree.frames.push_back({0, depth - 1, depth, {0, 20}, {0, 20 * (4 - depth)}});
  }
  const std::string text = callgrind_file(profile, tree, {0, 1, 1, 1}, "it");
  EXPECT_NE(text.find("fn=(1) f\n0 60\ncfn=(1)\ncalls=2 0\n0 40\n\ntotals: 60\n"), std::string::npos) << text;
}

}  // namespace

}  // namespace steelyard::ci::stack_files_test

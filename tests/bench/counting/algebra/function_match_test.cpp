#include "bench/counting/algebra/function_match.hpp"

#include <gmock/gmock.h>

#include <filesystem>

#include "bench/counting/algebra/profile_sum.hpp"
#include "tests/promised.hpp"

namespace steelyard::bench::function_match_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// A profile from the body of a callgrind.out file; its totals follow from the self costs.
class Profile {
 public:
  Profile& function(const std::string& name, std::int64_t self, const std::string& file = "a.cpp",
                    const std::string& object = "/build/bench") {
    profile_.functions.push_back({object, file, name, 1, 0, {self}, {self}});
    return *this;
  }
  Profile& call(const std::string& caller, const std::string& callee, std::int64_t calls) {
    const std::uint32_t to = index_of(callee);
    profile_.arcs.push_back({index_of(caller), to, calls, {0}});
    profile_.functions[to].calls += calls;
    return *this;
  }
  operator CountedProfile() const { return profile_; }

 private:
  std::uint32_t index_of(const std::string& name) const {
    for (std::uint32_t i = 0; i < profile_.functions.size(); ++i) {
      if (profile_.functions[i].name == name) return i;
    }
    ADD_FAILURE() << "no function " << name;
    return 0;
  }
  CountedProfile profile_{BenchmarkId{}, 1, {"Ir"}, {0}, {}, {}};
};

// "baseline > candidate: how" for each match.
std::vector<std::string> told(const CountedProfile& baseline, const CountedProfile& candidate,
                              const MatchOptions& options = {}) {
  const auto shown = [](const ProfiledFunction& function) { return function.file + ":" + function.name; };
  std::vector<std::string> lines;
  for (const FunctionMatch& match : match_functions(baseline, candidate, options)) {
    const std::string before = match.baseline ? shown(baseline.functions[*match.baseline]) : "-";
    const std::string after = match.candidate ? shown(candidate.functions[*match.candidate]) : "-";
    lines.push_back(before + " > " + after + ": " + std::string(name_of(match.how)));
  }
  return lines;
}

TEST(FunctionMatch, NothingMatchesNothing) {
  EXPECT_THAT(match_functions({}, {}), IsEmpty());
  EXPECT_THAT(told({}, Profile().function("f", 1)), ElementsAre("- > a.cpp:f: one side"));
  EXPECT_THAT(told(Profile().function("f", 1), {}), ElementsAre("a.cpp:f > -: one side"));
}

TEST(FunctionMatch, OneNameIsOneFunctionWhateverItCostsAndWhereverItStands) {
  EXPECT_THAT(told(Profile().function("f", 10, "/base/a.cpp", "/base/bench").function("g", 1),
                   Profile().function("g", 1).function("f", 99000, "/head/b.cpp", "/head/bench")),
              ElementsAre("a.cpp:g > a.cpp:g: same name", "/base/a.cpp:f > /head/b.cpp:f: same name"));
}

TEST(FunctionMatch, StaticFunctionsOfOneNameAreToldApartByTheirFilesInAnyTree) {
  const CountedProfile baseline =
      Profile().function("f", 1, "/base/x/a.cpp").function("f", 1, "/base/y/a.cpp").function("f", 1, "/base/y/b.cpp");
  const CountedProfile candidate =
      Profile().function("f", 1, "/head/y/b.cpp").function("f", 1, "/head/y/a.cpp").function("f", 1, "/head/x/a.cpp");
  EXPECT_THAT(told(baseline, candidate), ElementsAre("/base/y/b.cpp:f > /head/y/b.cpp:f: same name",
                                                     "/base/y/a.cpp:f > /head/y/a.cpp:f: same name",
                                                     "/base/x/a.cpp:f > /head/x/a.cpp:f: same name"));
}

TEST(FunctionMatch, TheOneWhoseFileMovedIsWhatIsLeft) {
  EXPECT_THAT(told(Profile().function("f", 1, "a.cpp").function("f", 1, "b.cpp"),
                   Profile().function("f", 1, "c.cpp").function("f", 1, "a.cpp")),
              ElementsAre("b.cpp:f > c.cpp:f: same name", "a.cpp:f > a.cpp:f: same name"));
}

TEST(FunctionMatch, EqualNamesOfTwoLibrariesStayApart) {
  EXPECT_THAT(told(Profile().function("init", 10, "???", "/opt/liba.so"),
                   Profile().function("init", 10, "???", "/opt/libb.so")),
              ElementsAre("- > ???:init: one side", "???:init > -: one side"));
}

TEST(FunctionMatch, AProgramUnderANewNameIsKnownByItsFunctions) {
  const auto program = [](const std::string& object) {
    return Profile().function("f", 10, "???", object).function("g", 10, "???", object).function("h", 1, "???", "/c.so");
  };
  EXPECT_THAT(told(program("/base/bench_old"), program("/head/bench_new")),
              ElementsAre("???:f > ???:f: same name", "???:g > ???:g: same name", "???:h > ???:h: same name"));
}

TEST(FunctionMatch, CopiesThatTheCompilerMadeAreTheFunction) {
  for (const char* copy : {"f(int) [clone .isra.0]", "f(int) [clone .constprop.3]",
                           "f(int) [clone .constprop.0] [clone .isra.1]", "f(int) [clone .lto_priv.12]"}) {
    EXPECT_THAT(told(Profile().function("f(int)", 1), Profile().function(copy, 7)),
                ElementsAre("a.cpp:f(int) > a.cpp:" + std::string(copy) + ": clone"));
  }
  EXPECT_THAT(told(Profile().function("f.isra.0", 1), Profile().function("f.constprop.1", 7)),
              ElementsAre("a.cpp:f.isra.0 > a.cpp:f.constprop.1: clone"));
}

TEST(FunctionMatch, PiecesAndLevelsAreNoCopiesButTheirNumbersMeanNothing) {
  EXPECT_THAT(told(Profile().function("f", 900), Profile().function("f [clone .cold]", 7)),
              ElementsAre("- > a.cpp:f [clone .cold]: one side", "a.cpp:f > -: one side"));
  EXPECT_THAT(told(Profile().function("f", 900), Profile().function("f'2", 7)),
              ElementsAre("- > a.cpp:f'2: one side", "a.cpp:f > -: one side"));
  EXPECT_THAT(told(Profile().function("f [clone .part.0]", 900), Profile().function("f [clone .part.1]", 7)),
              ElementsAre("a.cpp:f [clone .part.0] > a.cpp:f [clone .part.1]: clone"));
  EXPECT_THAT(told(Profile().function("f [clone .isra.0]'2", 900), Profile().function("f'2", 7)),
              ElementsAre("a.cpp:f [clone .isra.0]'2 > a.cpp:f'2: clone"));
}

TEST(FunctionMatch, ASecondCopyOnOneSideNamesTheFunctionItWasMadeOf) {
  const auto matches = match_functions(Profile().function("g", 1).function("f", 50),
                                       Profile().function("f [clone .constprop.0]", 30).function("f", 20));
  ASSERT_EQ(matches.size(), 3u);
  EXPECT_EQ(matches[0], (FunctionMatch{std::nullopt, 0, MatchedBy::one_side, 0, 1}));
  EXPECT_EQ(matches[1], (FunctionMatch{1, 1, MatchedBy::same_name, 1}));
  EXPECT_EQ(matches[2], (FunctionMatch{0, std::nullopt, MatchedBy::one_side, 0}));
}

const Profile& before_renaming() {
  static const Profile profile = Profile()
                                     .function("main", 100)
                                     .function("parse", 5000)
                                     .function("hash_words(int)", 12000)
                                     .function("memcpy", 800, "???", "/lib/libc.so.6")
                                     .call("main", "parse", 10)
                                     .call("parse", "hash_words(int)", 40)
                                     .call("hash_words(int)", "memcpy", 40);
  return profile;
}

TEST(FunctionMatch, ARenamedFunctionIsKnownByItsBodyAndItsCalls) {
  const CountedProfile candidate = Profile()
                                       .function("main", 100)
                                       .function("parse", 5000)
                                       .function("mix(long)", 12000)
                                       .function("memcpy", 800, "???", "/lib/libc.so.6")
                                       .call("main", "parse", 10)
                                       .call("parse", "mix(long)", 40)
                                       .call("mix(long)", "memcpy", 40);
  EXPECT_THAT(told(before_renaming(), candidate),
              ElementsAre("a.cpp:main > a.cpp:main: same name", "a.cpp:parse > a.cpp:parse: same name",
                          "a.cpp:hash_words(int) > a.cpp:mix(long): renamed", "???:memcpy > ???:memcpy: same name"));
  EXPECT_EQ(match_functions(before_renaming(), candidate)[2].score, 1);
  EXPECT_THAT(told(before_renaming(), candidate, {.renamed = false}), Contains("a.cpp:hash_words(int) > -: one side"));
}

TEST(FunctionMatch, ARenamedFunctionMayCostALittleMoreButNotMuchMore) {
  const auto costing = [](std::int64_t self) {
    return Profile()
        .function("main", 100)
        .function("parse", 5000)
        .function("mix", self)
        .function("memcpy", 800, "???", "/lib/libc.so.6")
        .call("main", "parse", 10)
        .call("parse", "mix", 40)
        .call("mix", "memcpy", 40);
  };
  // 8 of weight, 3 of them for the body: (5 + 3 * (1 - 3 * (1 - 12000 / 12600))) / 8.
  EXPECT_DOUBLE_EQ(match_functions(before_renaming(), costing(12600))[2].score,
                   (5 + 3 * (1 - 3 * (1 - 12000.0 / 12600))) / 8);
  EXPECT_EQ(match_functions(before_renaming(), costing(12600))[2].how, MatchedBy::renamed);
  EXPECT_EQ(match_functions(before_renaming(), costing(24000))[2].how, MatchedBy::one_side);
}

TEST(FunctionMatch, AnotherFunctionOfTheSameSizeElsewhereIsNotTheOneThatWent) {
  const CountedProfile candidate = Profile()
                                       .function("main", 100)
                                       .function("parse", 5000)
                                       .function("mix", 12000)
                                       .function("memcpy", 800, "???", "/lib/libc.so.6")
                                       .call("main", "parse", 10)
                                       .call("main", "mix", 40);
  EXPECT_THAT(told(before_renaming(), candidate), Contains("- > a.cpp:mix: one side"));
}

TEST(FunctionMatch, OfTwoThatLookAlikeNeitherIsGuessed) {
  const auto twins = [](const std::string& one, const std::string& other) {
    return Profile()
        .function("main", 10)
        .function(one, 70)
        .function(other, 70)
        .call("main", one, 1)
        .call("main", other, 1);
  };
  EXPECT_THAT(told(twins("ab", "cd"), twins("ef", "gh")),
              UnorderedElementsAre("a.cpp:main > a.cpp:main: same name", "- > a.cpp:ef: one side",
                                   "- > a.cpp:gh: one side", "a.cpp:ab > -: one side", "a.cpp:cd > -: one side"));
  // Unless the names say it: another class, say.
  EXPECT_THAT(told(twins("Old::add", "Old::multiply"), twins("New::multiply", "New::add")),
              UnorderedElementsAre("a.cpp:main > a.cpp:main: same name", "a.cpp:Old::add > a.cpp:New::add: renamed",
                                   "a.cpp:Old::multiply > a.cpp:New::multiply: renamed"));
}

TEST(FunctionMatch, AChainOfRenamedFunctionsIsFoundLinkByLink) {
  const auto chain = [](const std::string& a, const std::string& b, const std::string& c, const std::string& file) {
    return Profile()
        .function("main", 10)
        .function(a, 100, file)
        .function(b, 100, file)
        .function(c, 100, file)
        .call("main", a, 1)
        .call(a, b, 1)
        .call(b, c, 1);
  };
  EXPECT_THAT(told(chain("qa", "qb", "qc", "???"), chain("xx", "yy", "zz", "???")),
              ElementsAre("a.cpp:main > a.cpp:main: same name", "???:qa > ???:xx: renamed", "???:qb > ???:yy: renamed",
                          "???:qc > ???:zz: renamed"));
}

TEST(FunctionMatch, AFunctionThatMovedToAnotherLibraryIsMarked) {
  const auto in = [](const std::string& object) {
    return Profile().function("main", 10).function("work", 700, "???", object).call("main", "work", 3);
  };
  EXPECT_THAT(told(in("/lib/libold.so"), in("/lib/libnew.so")),
              ElementsAre("a.cpp:main > a.cpp:main: same name", "???:work > ???:work: moved"));
}

TEST(FunctionMatch, LinesTellBodiesOfOneSizeApart) {
  const auto with_lines = [](const std::string& one, const std::string& other) {
    CountedProfile profile = Profile()
                                 .function("main", 10)
                                 .function(one, 100)
                                 .function(other, 100)
                                 .call("main", one, 1)
                                 .call("main", other, 1);
    for (const std::int64_t cost : {60, 40}) profile.sources.push_back({1, "a.cpp", "", 1, {cost}});
    for (const std::int64_t cost : {25, 25, 25, 25}) profile.sources.push_back({2, "a.cpp", "", 1, {cost}});
    return profile;
  };
  EXPECT_THAT(told(with_lines("ab", "cd"), with_lines("ef", "gh")),
              ElementsAre("a.cpp:main > a.cpp:main: same name", "a.cpp:ab > a.cpp:ef: renamed",
                          "a.cpp:cd > a.cpp:gh: renamed"));
}

TEST(FunctionMatch, ArcsThatPointNowhereAndMissingCostsAreIgnored) {
  CountedProfile baseline = before_renaming();
  baseline.arcs.push_back({0, 77, 1, {1}});
  baseline.arcs.push_back({77, 0, 1, {1}});
  baseline.functions[2].self.clear();
  baseline.sources.push_back({99, "a.cpp", "", 1, {}});
  EXPECT_EQ(match_functions(baseline, before_renaming()).size(), 4u);
}

CountedProfile golden(const std::string& file) {
  const auto parts = read_callgrind(std::filesystem::path(STEELYARD_GOLDEN_CALLGRIND) / file);
  EXPECT_TRUE(parts) << (parts ? "" : parts.error().text());
  return parts ? whole_profile(parts->front()) : CountedProfile{};
}

TEST(FunctionMatch, EveryFunctionOfARealProfileMatchesItselfInAnyOrder) {
  for (const char* file : {"01_names/compressed.callgrind.out", "08_recursion/default.callgrind.out"}) {
    const CountedProfile profile = golden(file);
    CountedProfile reversed = profile;
    std::reverse(reversed.functions.begin(), reversed.functions.end());
    const auto last = static_cast<std::uint32_t>(profile.functions.size() - 1);
    for (CallArc& arc : reversed.arcs) arc.caller = last - arc.caller, arc.callee = last - arc.callee;
    const auto matches = match_functions(profile, reversed);
    ASSERT_EQ(matches.size(), profile.functions.size());
    for (const FunctionMatch& match : matches) {
      ASSERT_TRUE(match.baseline && match.candidate) << profile.functions[match.baseline.value_or(0)].name;
      EXPECT_EQ(*match.baseline, last - *match.candidate);
      EXPECT_EQ(match.how, MatchedBy::same_name);
    }
  }
}

// Renaming every function of the program leaves nothing but libraries' names: what is found must be right.
TEST(FunctionMatch, WhatIsFoundWhenARealProgramIsRenamedThroughoutIsRight) {
  const CountedProfile profile = golden("01_names/compressed.callgrind.out");
  CountedProfile renamed = profile;
  std::size_t count = 0;
  for (ProfiledFunction& function : renamed.functions) {
    if (function.object.find("/usr/") != std::string::npos || function.name == "main") continue;
    function.name = "n" + std::to_string(++count * 7919 % 1000);
  }
  ASSERT_GT(count, 10u);
  std::size_t found = 0;
  for (const FunctionMatch& match : match_functions(profile, renamed)) {
    if (match.how != MatchedBy::renamed) continue;
    ++found;
    EXPECT_EQ(*match.baseline, *match.candidate) << profile.functions[*match.baseline].name;
  }
  EXPECT_GT(found, count / 2) << "of " << count;
}

TEST(FunctionMatch, AddressesAreNamesOnlyWhileTheProgramIsTheSame) {
  const CountedProfile profile = golden("09_stripped_static/callgrind.out");
  for (const FunctionMatch& match : match_functions(profile, profile)) EXPECT_EQ(match.baseline, match.candidate);
  // Linked anew: the addresses of two functions now mean each other.
  const auto stripped = [](std::int64_t first, std::int64_t second) {
    return Profile()
        .function("main", 10)
        .function("0x4010", first, "???")
        .function("0x4020", second, "???")
        .call("main", "0x4010", 1)
        .call("main", "0x4020", 1);
  };
  EXPECT_THAT(told(stripped(500, 9000), stripped(9000, 500)),
              ElementsAre("a.cpp:main > a.cpp:main: same name", "???:0x4020 > ???:0x4010: moved",
                          "???:0x4010 > ???:0x4020: moved"));
}

}  // namespace
}  // namespace steelyard::bench::function_match_test

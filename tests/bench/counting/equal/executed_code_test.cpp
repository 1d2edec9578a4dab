#include "bench/counting/equal/executed_code.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/counting/equal/machine_code.hpp"
#include "bench/environment/elf_file.hpp"
#include "tests/promised.hpp"

namespace steelyard::bench::executed_code_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::filesystem::path variant(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / ("equal_code_" + name);
}

LoadedProgram loaded(const std::string& name) {
  LoadedProgram program;
  const Result<MappedFile> file = MappedFile::open(variant(name));
  if (!file) return program;
  const Result<LoadedSections> sections = read_loaded_sections(file->bytes());
  if (sections) program.objects.push_back({variant(name), sections->sha256});
  return program;
}

CountedProfile profile_of(const std::vector<std::string>& functions) {
  CountedProfile profile;
  for (const std::string& name : functions) {
    ProfiledFunction function;
    function.object = variant("base").string();
    function.name = name;
    function.calls = 1;
    profile.functions.push_back(function);
  }
  return profile;
}

class ExecutedCodeOf : public ::testing::Test {
 protected:
  void SetUp() override {
    const bool knows_code = static_cast<bool>(normalize_code({"\x90", 0, 62, {}}));
    STEELYARD_SKIP_WITHOUT("capstone", knows_code, "built without Capstone");
  }
  static std::string difference(const std::string& candidate, const std::vector<std::string>& functions) {
    const LoadedProgram a = loaded("base"), b = loaded(candidate);
    EXPECT_NE(a.objects.at(0).sha256, b.objects.at(0).sha256) << "the variants must differ somewhere";
    return ExecutedCode(a, b).difference(profile_of(functions));
  }
};

TEST_F(ExecutedCodeOf, FunctionsThatOnlyMovedIsEqual) {
  EXPECT_EQ(difference("moved", {"work(int)", "first(int)", "choose(int)", "main"}), "");
}

TEST_F(ExecutedCodeOf, FunctionsThatReadOtherDataOfTheSameNameIsEqual) {
  EXPECT_EQ(difference("table", {"work(int)", "choose(int)"}), "");
}

TEST_F(ExecutedCodeOf, OneOtherInstructionDiffers) {
  EXPECT_THAT(difference("operation", {"first(int)", "work(int)"}), HasSubstr("work(int): its code"));
  EXPECT_EQ(difference("operation", {"first(int)", "choose(int)"}), "") << "what is not executed does not matter";
}

TEST_F(ExecutedCodeOf, AnotherCalleeDiffersThoughOnlyItsAddressDoes) {
  EXPECT_THAT(difference("callee", {"work(int)"}), AllOf(HasSubstr("first"), HasSubstr("second")));
}

TEST_F(ExecutedCodeOf, AnotherVariableDiffersThoughOnlyItsAddressDoes) {
  EXPECT_THAT(difference("data", {"choose(int)"}), AllOf(HasSubstr(" table"), HasSubstr("other_table")));
}

TEST_F(ExecutedCodeOf, AProgramWhoseNamesTakeTooLongToReadIsNotCalledEqual) {
  const LoadedProgram a = loaded("base"), b = loaded("moved");
  ExecutedCodeLimits limits;
  limits.time = seconds(0);
  EXPECT_THAT(ExecutedCode(a, b, limits).difference(profile_of({"work(int)"})), HasSubstr("names that take too long"));
}

TEST_F(ExecutedCodeOf, AFunctionWithoutCounterpartOrNameIsNotCalledEqual) {
  EXPECT_THAT(difference("moved", {"no_such_function"}), HasSubstr("no counterpart"));
  EXPECT_THAT(difference("moved", {"0x4016d0"}), HasSubstr("no counterpart"));
  EXPECT_THAT(difference("stripped", {"work(int)"}), HasSubstr("without symbols"));
  EXPECT_THAT(difference("moved", {}), HasSubstr("no profile"));
}

// Callgrind calls the program's entry so; it has no namesake among the symbols, and runs before anything is counted.
TEST_F(ExecutedCodeOf, WhatOnlyWaitsAboveTheTimedRegionIsLeftOut) {
  const LoadedProgram a = loaded("base"), b = loaded("moved");
  CountedProfile profile = profile_of({"(below main)", "work(int)"});
  EXPECT_THAT(ExecutedCode(a, b).difference(profile), HasSubstr("(below main)"));
  profile.functions[0].calls = 0;
  profile.functions[0].self = {0};
  profile.functions[0].inclusive = {1000};
  EXPECT_EQ(ExecutedCode(a, b).difference(profile), "");
  profile.functions[1].calls = 0;
  EXPECT_THAT(ExecutedCode(a, b).difference(profile), HasSubstr("nothing was executed"));
  profile.functions[0].self = {1};
  EXPECT_THAT(ExecutedCode(a, b).difference(profile), HasSubstr("(below main)"));
}

TEST_F(ExecutedCodeOf, AProgramWithoutSymbolsSaysSoBeforeAnythingIsCounted) {
  const LoadedProgram a = loaded("base"), moved = loaded("moved"), stripped = loaded("stripped");
  EXPECT_EQ(ExecutedCode(a, moved).obstacle(), "");
  EXPECT_THAT(ExecutedCode(a, stripped).obstacle(), HasSubstr("without symbols"));
  EXPECT_THAT(ExecutedCode({}, moved).obstacle(), HasSubstr("no program"));
}

CountedProfile counts_of(std::int64_t iterations, const std::vector<std::pair<std::string, std::int64_t>>& functions) {
  CountedProfile profile;
  profile.events = {"Ir"};
  profile.totals = {0};
  profile.iterations = iterations;
  for (const auto& [name, self] : functions) {
    ProfiledFunction function;
    function.object = "/build/bench";
    function.name = name;
    function.calls = iterations;
    function.self = function.inclusive = {self * iterations};
    profile.functions.push_back(function);
    profile.totals[0] += self * iterations;
  }
  return profile;
}

TEST(CountDifference, NamesTheFirstFunctionThatCostsAnother) {
  const CountedProfile profile = counts_of(10, {{"decode", 100}, {"copy", 7}});
  EXPECT_EQ(count_difference(profile, counts_of(10, {{"copy", 7}, {"decode", 100}})), "");
  EXPECT_EQ(count_difference(profile, counts_of(20, {{"decode", 100}, {"copy", 7}})), "") << "in an iteration";
  EXPECT_EQ(count_difference(profile, counts_of(10, {{"decode", 99}, {"copy", 8}})), "decode") << "of equal sum";
  EXPECT_EQ(count_difference(profile, counts_of(10, {{"decode", 107}})), "decode");
  EXPECT_EQ(count_difference(profile, counts_of(10, {{"decode", 100}, {"move", 7}})), "move") << "renamed";
  EXPECT_EQ(count_difference(profile, counts_of(10, {{"decode", 100}, {"copy", 7}, {"main", 0}})), "main") << "called";
}

TEST(CountDifference, OfOtherEventsIsNoEquality) {
  CountedProfile other = counts_of(10, {{"decode", 100}});
  other.events = {"Ge"};
  EXPECT_NE(count_difference(counts_of(10, {{"decode", 100}}), other), "");
}

TEST_F(ExecutedCodeOf, AnObjectThatTheLoaderDoesNotBringIsNotCalledEqual) {
  const LoadedProgram a = loaded("base"), b = loaded("moved");
  CountedProfile profile = profile_of({"work(int)"});
  profile.functions[0].object = "/opt/plugin.so";
  EXPECT_THAT(ExecutedCode(a, b).difference(profile), HasSubstr("/opt/plugin.so"));
}

TEST_F(ExecutedCodeOf, MoreThanTheLimitsIsNotCalledEqual) {
  const LoadedProgram a = loaded("base"), b = loaded("moved");
  const CountedProfile profile = profile_of({"first(int)", "choose(int)"});
  EXPECT_THAT(ExecutedCode(a, b, {1, 1000, seconds(10)}).difference(profile), HasSubstr("more functions"));
  EXPECT_THAT(ExecutedCode(a, b, {10, 1, seconds(10)}).difference(profile), HasSubstr("more code"));
}

TEST_F(ExecutedCodeOf, AddressesAreTakenOutAndTold) {
  // call +0x10; lea rax, [rip+0x20]; jmp to itself
  const std::string code("\xe8\x10\x00\x00\x00\x48\x8d\x05\x20\x00\x00\x00\xeb\xfe", 14);
  const Result<NormalizedCode> normalized = normalize_code({code, 0x1000, 62, {}});
  ASSERT_TRUE(normalized) << normalized.error().text();
  EXPECT_EQ(normalized->bytes, std::string("\xe8\0\0\0\0\x48\x8d\x05\0\0\0\0\xeb\0", 14));
  EXPECT_THAT(normalized->references,
              ElementsAre(CodeReference{0, 0x1015}, CodeReference{5, 0x102c}, CodeReference{12, 0x100c}));
}

TEST_F(ExecutedCodeOf, BytesThatAreNoInstructionAreAnError) {
  EXPECT_FALSE(normalize_code({std::string_view("\x90\x06", 2), 0, 62, {}}));
  EXPECT_FALSE(normalize_code({std::string_view("\x90", 1), 0, 183, {}})) << "another CPU";
}

}  // namespace
}  // namespace steelyard::bench::executed_code_test

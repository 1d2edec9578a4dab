#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "bench/environment/binary_facts.hpp"

namespace steelyard::bench::binary_facts_test {
namespace {

TEST(ParseProducer, PartsTheCompilerFromItsSwitches) {
  const ProducedBy gcc = parse_producer("GNU C++17 12.2.0 -mtune=generic -march=x86-64 -g -O2");
  EXPECT_EQ(gcc.compiler, "GNU C++17 12.2.0");
  EXPECT_EQ(gcc.switches, "-mtune=generic -march=x86-64 -g -O2");
  const ProducedBy clang = parse_producer("Debian clang version 14.0.6");
  EXPECT_EQ(clang.compiler, "Debian clang version 14.0.6");
  EXPECT_EQ(clang.switches, "");
  const ProducedBy recorded = parse_producer(
      "Debian clang version 14.0.6 /usr/lib/llvm-14/bin/clang --driver-mode=g++ -g -O1 -I include -c a.cpp -o a.o "
      "-grecord-command-line -fno-rtti");
  EXPECT_EQ(recorded.compiler, "Debian clang version 14.0.6");
  EXPECT_EQ(recorded.switches, "-g -O1 -fno-rtti");
  EXPECT_TRUE(parse_producer("GNU AS 2.40").is_assembly);
}

TEST(SummarizeProducers, SaysNothingOfSwitchesThatNobodyRecorded) {
  const ProgramSwitches summary = summarize_producers({{"clang version 14.0.6", 3}, {"GNU AS 2.40", 1}});
  EXPECT_EQ(summary.compiler, "clang version 14.0.6");
  EXPECT_EQ(summary.switches, "");
  EXPECT_EQ(summary.optimization, "");
  EXPECT_EQ(summary.units, 0);
}

TEST(SummarizeProducers, TakesTheLastLevelAndNoneForZero) {
  EXPECT_EQ(summarize_producers({{"GNU C17 12 -g -O2 -O3", 1}}).optimization, "-O3");
  EXPECT_EQ(summarize_producers({{"GNU C17 12 -g -O", 1}}).optimization, "-O1");
  EXPECT_EQ(summarize_producers({{"GNU C17 12 -g -Ofast", 1}}).optimization, "-Ofast");
  const ProgramSwitches none = summarize_producers({{"GNU C17 12 -g", 2}});
  EXPECT_EQ(none.optimization, "-O0");
  EXPECT_EQ(none.unoptimized_units, 2);
}

TEST(SummarizeProducers, CountsUnitsThatDiffer) {
  const ProgramSwitches summary = summarize_producers({{"GNU C++17 12 -O2", 7}, {"GNU C17 12 -g", 3}});
  EXPECT_EQ(summary.compiler, "GNU C++17 12 + GNU C17 12");
  EXPECT_EQ(summary.switches, "-O2 (and 1 other set)");
  EXPECT_EQ(summary.optimization, "-O0 in 3 of 10 units, -O2 in 7");
  EXPECT_EQ(summary.unoptimized_units, 3);
}

using ::testing::HasSubstr;

std::string fixture(const std::string& name) {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  std::ifstream stream(folder / ("environment_fixture_" + name), std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

BinaryFacts facts_of(const std::string& name) {
  const std::string bytes = fixture(name);
  const Result<BinaryFacts> facts = read_binary(bytes);
  EXPECT_TRUE(facts) << name;
  return facts ? *facts : BinaryFacts();
}

TEST(ReadBinary, TellsHowAProgramWasBuilt) {
  const BinaryFacts facts = facts_of("plain");
  EXPECT_EQ(facts.build_id.size(), 40U);
  EXPECT_EQ(facts.debug_info, DebugInfo::present);
  EXPECT_FALSE(facts.is_static);
  EXPECT_FALSE(facts.is_stripped);
  EXPECT_EQ(facts.allocator, "");
  EXPECT_EQ(facts.assertions, false);
  EXPECT_FALSE(facts.comments.empty());
  EXPECT_FALSE(facts.switches.compiler.empty());
  EXPECT_THAT(facts.libraries, ::testing::Contains(HasSubstr("libc.so")));
}

#if defined(__GNUC__) && !defined(__clang__)
TEST(ReadBinary, ReadsTheSwitchesThatGccRecords) {
  EXPECT_THAT(facts_of("plain").switches.compiler, HasSubstr("GNU C++"));
  EXPECT_EQ(facts_of("plain").switches.optimization, "-O2");
  EXPECT_EQ(facts_of("dwarf4").switches.optimization, "-O2");
  EXPECT_EQ(facts_of("asserting").switches.optimization, "-O0");
  EXPECT_EQ(facts_of("asserting").switches.unoptimized_units, 1);
}
#endif

TEST(ReadBinary, SeesAssertions) { EXPECT_EQ(facts_of("asserting").assertions, true); }

TEST(ReadBinary, TakesNoSharedLibraryForAStaticProgram) {
  const BinaryFacts facts = facts_of("library");
  EXPECT_FALSE(facts.is_static);
  EXPECT_EQ(facts.assertions, true);
}

TEST(ReadBinary, SaysWhatItCannotTell) {
  const BinaryFacts compressed = facts_of("compressed");
  EXPECT_EQ(compressed.debug_info, DebugInfo::compressed);
  EXPECT_EQ(compressed.switches.optimization, "");
  const BinaryFacts split = facts_of("split");
  EXPECT_EQ(split.debug_info, DebugInfo::split);
  const BinaryFacts bare = facts_of("bare");
  EXPECT_TRUE(bare.is_static);
  EXPECT_TRUE(bare.is_stripped);
  EXPECT_EQ(bare.assertions, std::nullopt);
  Environment environment;
  add_binary_facts(bare, environment);
  EXPECT_EQ(environment.find("program.assertions"), nullptr);
  EXPECT_EQ(environment.find("program.allocator"), nullptr);
}

TEST(ReadBinary, SurvivesTheEndOfTheFileAtEveryByte) {
  const std::string bytes = fixture("plain");
  ASSERT_GT(bytes.size(), 1000U);
  std::size_t read = 0;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::string part = bytes.substr(0, size);  // of its own, so that a sanitizer sees its end
    if (read_binary(part)) ++read;
  }
  EXPECT_GT(read, 0U);
  EXPECT_LT(read, bytes.size());
}

TEST(ReadBinary, SurvivesFlippedBytes) {
  const std::string original = fixture("plain");
  std::mt19937 engine(4711);
  std::size_t read = 0;
  constexpr int kTries = 20000;
  for (int i = 0; i < kTries; ++i) {
    std::string bytes = original;
    for (int flips = 1 + i % 8; flips > 0; --flips) {
      // Half of them in the header and the last tenth, where the tables are.
      const std::size_t size = bytes.size();
      const std::size_t at = engine() % 2 == 0   ? engine() % size
                             : engine() % 2 == 0 ? engine() % 64
                                                 : size - 1 - engine() % (size / 10);
      bytes[at] = static_cast<char>(engine() & 0xff);
    }
    if (read_binary(bytes)) ++read;
  }
  EXPECT_GT(read, 0U);
}

TEST(AddBinaryFacts, DecideNothing) {
  Environment environment;
  add_binary_facts(facts_of("plain"), environment);
  EXPECT_EQ(environment.fingerprint(), "");
  EXPECT_EQ(*environment.find("program.linkage"), "dynamic");
  EXPECT_EQ(*environment.find("program.assertions"), "none");
  EXPECT_EQ(*environment.find("program.allocator"), "the C library's");
}

TEST(AddBinaryFacts, PassNoBytesOnThatAreNoText) {
  BinaryFacts facts;
  facts.comments = {"GCC\x1b[2J \xff\n"};
  Environment environment;
  add_binary_facts(facts, environment);
  EXPECT_EQ(*environment.find("program.compiler"), "GCC?[2J ??");
}

TEST(AllocatorOfLibrary, KnowsTheCommonOnes) {
  EXPECT_EQ(allocator_of_library("/usr/lib/libjemalloc.so.2"), "jemalloc");
  EXPECT_EQ(allocator_of_library("libtcmalloc_minimal.so.4"), "tcmalloc");
  EXPECT_EQ(allocator_of_library("libmimalloc.so.2.0"), "mimalloc");
  EXPECT_EQ(allocator_of_library("libc.so.6"), "");
}

}  // namespace

}  // namespace steelyard::bench::binary_facts_test

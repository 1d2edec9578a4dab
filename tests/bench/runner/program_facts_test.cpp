#include "bench/runner/program_facts.hpp"

#include <gtest/gtest.h>

#include "tests/bench/runner/temporary_folder.hpp"

namespace steelyard::bench::program_facts_test {
namespace {

TEST(AddProgramFacts, RecordsSizeAndHashWithoutDecidingAnything) {
  const testkit::TemporaryFolder folder;
  Environment environment;
  add_program_facts(folder.write("program", "abc", true), environment);
  ASSERT_NE(environment.find("program.bytes"), nullptr);
  EXPECT_EQ(*environment.find("program.bytes"), "3");
  EXPECT_EQ(*environment.find("program.sha256"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(environment.fingerprint(), "");
}

TEST(AddProgramFacts, LeavesThemOutWhereThereIsNothingToRead) {
  const testkit::TemporaryFolder folder;
  Environment environment;
  add_program_facts(folder.path() / "missing", environment);
  add_program_facts(folder.path(), environment);
  add_program_facts(folder.write("empty", "", true), environment);
  EXPECT_TRUE(environment.facts.empty());
}

TEST(AddProgramFacts, SayHowAnElfProgramWasBuilt) {
  Environment environment;
  add_program_facts(std::filesystem::path("/proc/self/exe"), environment);
  ASSERT_NE(environment.find("program.linkage"), nullptr);
  EXPECT_EQ(*environment.find("program.debug_info"), "present");
  EXPECT_NE(environment.find("program.compiler"), nullptr);
  EXPECT_EQ(environment.fingerprint(), "");
}

TEST(AddProgramFacts, NameAPreloadedAllocator) {
  Program program;
  program.executable = "/proc/self/exe";
  program.environment["LD_PRELOAD"] = "/usr/lib/libjemalloc.so.2";
  Environment environment;
  add_program_facts(program, environment);
  EXPECT_EQ(*environment.find("program.preload"), "/usr/lib/libjemalloc.so.2");
  EXPECT_EQ(*environment.find("program.allocator"), "jemalloc");
}

TEST(AddCopyFacts, SayWhatAMeasurementWouldDo) {
  Environment of_machine;
  add_copy_facts(nullptr, of_machine);
  ASSERT_NE(of_machine.find("copies.folder"), nullptr);
  EXPECT_EQ(of_machine.find("program.pages"), nullptr);
  Program program;
  program.executable = std::filesystem::read_symlink("/proc/self/exe");
  Environment environment;
  add_copy_facts(&program, environment);
  ASSERT_NE(environment.find("program.pages"), nullptr);
  const bool is_copied = *environment.find("program.pages") == "copied";
  EXPECT_EQ(environment.find("program.copy") != nullptr, is_copied);
  EXPECT_EQ(environment.find("program.pages_reason") != nullptr, !is_copied);
  EXPECT_EQ(environment.fingerprint(), "");
}

}  // namespace
}  // namespace steelyard::bench::program_facts_test

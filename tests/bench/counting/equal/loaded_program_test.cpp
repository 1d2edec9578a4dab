#include "bench/counting/equal/loaded_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace steelyard {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

std::filesystem::path beside_this(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

class LoadedProgramFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "steelyard-loaded-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(LoadedProgramFiles, HoldTheProgramItsLibrariesAndTheLoader) {
  Program program;
  program.executable = beside_this("equal_code_base");
  const Result<LoadedProgram> loaded = read_loaded_program(program);
  ASSERT_TRUE(loaded) << loaded.error().text();
  std::vector<std::string> names;
  for (const LoadedObject& object : loaded->objects) names.push_back(object.path.filename().string());
  EXPECT_EQ(names.front(), "equal_code_base");
  EXPECT_THAT(names, AllOf(Contains(HasSubstr("libc.so")), Contains(HasSubstr("ld-linux"))));
}

TEST_F(LoadedProgramFiles, AreEqualForACopyThatDiffersOnlyInWhatIsNotLoaded) {
  Program program, copy, other;
  program.executable = beside_this("equal_code_base");
  copy.executable = folder_ / "copy";
  other.executable = beside_this("equal_code_operation");
  std::filesystem::copy_file(program.executable, copy.executable);
  std::ofstream(copy.executable, std::ios::app) << "not loaded";
  const auto hash = [](const Program& of) {
    const Result<LoadedProgram> loaded = read_loaded_program(of);
    return loaded ? loaded->sha256 : loaded.error().text();
  };
  EXPECT_EQ(hash(program), hash(copy));
  EXPECT_NE(hash(program), hash(other));
}

TEST_F(LoadedProgramFiles, DifferWhereALibraryDoes) {
  Program program, preloaded;
  program.executable = preloaded.executable = beside_this("equal_code_base");
  preloaded.environment["LD_PRELOAD"] = beside_this("libequal_code_library.so").string();
  const Result<LoadedProgram> without = read_loaded_program(program), with = read_loaded_program(preloaded);
  ASSERT_TRUE(without);
  ASSERT_TRUE(with) << with.error().text();
  EXPECT_EQ(with->objects.size(), without->objects.size() + 1);
  EXPECT_NE(with->sha256, without->sha256);
}

TEST_F(LoadedProgramFiles, OfAStaticProgramAreItAlone) {
  Program program;
  program.executable = beside_this("counting_static");
  const Result<LoadedProgram> loaded = read_loaded_program(program);
  ASSERT_TRUE(loaded) << loaded.error().text();
  EXPECT_EQ(loaded->objects.size(), 1U);
}

TEST_F(LoadedProgramFiles, OfAScriptAreAnErrorThatNamesIt) {
  Program program;
  program.executable = folder_ / "script";
  std::ofstream(program.executable) << "#!/bin/sh\n";
  const Result<LoadedProgram> loaded = read_loaded_program(program);
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().text(), HasSubstr("script"));
}

}  // namespace
}  // namespace steelyard
